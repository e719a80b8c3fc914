"""What is told of repairs."""

from __future__ import annotations

from collections.abc import Sequence

from chunkwright.chunking.cut import Cut
from chunkwright.quality.checker import findings
from chunkwright.quality.mend import mend
from chunkwright.quality.repair import Repair, repairs
from chunkwright.quality.settings import Settings
from chunkwright.report.findings import Checked, Report
from chunkwright.report.mending import (
    Mending,
    appeared,
    as_json,
    differences,
    refusals,
    summary,
)
from tests.quality.chunked import chunked

CUT = "The lamp blinks blue as it¦ pairs. Plus costs $3.99 a month."


def report(cuts: Sequence[Cut], settings: Settings) -> Report:
    documents = tuple(
        Checked(each.analysis.document.id, len(each), each.analysis.document.id) for each in cuts
    )
    return Report("x", documents, tuple(findings(cuts, settings)), settings.chosen())


def mending(
    *marked: str, setup: str = "fixed:200c", several: Sequence[Repair] | None = None
) -> Mending:
    settings = Settings()
    cuts = [chunked(each, f"{at}.md", setup) for at, each in enumerate(marked)]
    done = tuple(mend(each, repairs() if several is None else several, settings) for each in cuts)
    return Mending(report(cuts, settings), report([each.cut for each in done], settings), done)


def shown(*marked: str, setup: str = "fixed:200c") -> list[str]:
    return [str(line) for line in differences(mending(*marked, setup=setup))]


def test_a_line_says_how_many_by_which_repair_and_what_went() -> None:
    told = mending(CUT, setup="fixed:60c")
    assert summary(told) == (
        "mended 2 chunks: 2 by move_to_sentence; findings 2 → 0, chunks with one 2 → 0"
    )
    assert summary(told, done=False).startswith("would mend 2 chunks: ")
    assert summary(mending("The lamp blinks blue as it pairs.")) == "nothing was mended"
    assert not [*refusals(told), *appeared(told)]


def test_a_moved_cut_is_shown_before_and_after() -> None:
    assert shown(CUT, setup="fixed:60c") == [
        "0.md:1: chunk 0 (0–26 → 0–33) by move_to_sentence",
        "- The lamp blinks blue as it",
        "+ The lamp blinks blue as it pairs.",
        "0.md:1: chunk 1 (26–59 → 34–59) by move_to_sentence",
        "-  pairs. Plus costs $3.99 a month.",
        "+ Plus costs $3.99 a month.",
    ]


def test_what_stays_is_shortened() -> None:
    long = "The lamp blinks blue as it pairs with the hub. " * 5
    old, new = shown(f"{long}Plus costs¦ $3.99 a month for all.", setup="fixed:300c")[1:3]
    assert old.startswith("- The lamp blinks blue as it pairs with th … ")
    assert old.endswith("Plus costs")
    assert len(new) < 120


def test_merged_chunks_are_shown() -> None:
    assert shown("The lamp blinks blue as it pairs. ¦It stops.") == [
        "0.md:1: chunks 0, 1 → 0 (0–34, 34–43 → 0–43) by merge_orphans",
        "- The lamp blinks blue as it pairs.",
        "- It stops.",
        "+ The lamp blinks blue as it pairs. It stops.",
    ]


def test_added_and_replaced_words_are_shown() -> None:
    table = "| Plan | Price |\n|---|---|\n| Plus | 3.99 |\n¦| Professional | 9.99 |\n"
    assert shown(table) == [
        "0.md:4: chunk 1 (43–67) by repeat_table_head",
        "+embed | Plan | Price |",
        "+embed |---|---|",
    ]
    named = (
        "# Lamp\n\nThe lamp is one that blinks blue.\n\n¦It also adds a report every week to all."
    )
    assert shown(named, setup="fixed:45c")[1:] == ["-embed It", "+embed Lamp"]


def test_a_chunk_that_is_taken_away_is_shown() -> None:
    lines = shown("The lamp blinks blue as it pairs.¦\n\n \n¦Plus costs $3.99 a month, I hear.")
    assert "0.md:1: chunk 1 (33–37) taken away by merge_orphans" in lines


def test_refusals_name_the_rule() -> None:
    def apply(made: Cut) -> Cut:
        pairs = made.spans.pairs()
        pairs[0], pairs[1] = (0, pairs[0][1] + 3), (pairs[1][0] + 3, pairs[1][1])
        return chunked(
            "¦".join(made.analysis.text[start:end] for start, end in pairs),
            made.analysis.document.id,
        )

    careless = Repair("careless", "moves a cut", ("C102",), apply)
    told = mending(
        "The hub hums all day long. ¦The lamp blinks blue while it is pairing.", several=[careless]
    )
    (line, *_) = refusals(told)
    assert line.startswith("left out: 1 change by careless, as C10")
    assert "would be found more often" in line


def test_rules_that_see_all_documents_are_told_where_they_find_more() -> None:
    twin = "The lamp blinks blue as it pairs.¦ Plus costs $3.99 a month here."
    told = mending(twin)
    more = Mending(told.after, mending(twin, twin).after, told.documents)
    assert any(line.startswith("D401 duplicate is found 0 → ") for line in appeared(more))


def test_json_has_every_change() -> None:
    told = as_json(mending(CUT, setup="fixed:60c"), ["move_to_sentence"])
    assert (told["findings_before"], told["findings_after"]) == (2, 0)
    assert told["by_repair"] == {"move_to_sentence": 2}
    assert told["changes"][0] == {
        "document_id": "0.md",
        "repairs": ["move_to_sentence"],
        "chunk": 0,
        "chunks_before": [0],
        "before": [[0, 26]],
        "after": [0, 33],
    }
    table = "| Plan | Price |\n|---|---|\n| Plus | 3.99 |\n¦| Professional | 9.99 |\n"
    (change,) = as_json(mending(table), [])["changes"]
    assert change["embed_after"].startswith("| Plan |")
