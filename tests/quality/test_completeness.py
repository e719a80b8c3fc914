"""The rules of completeness: on labelled starts and ends, and one by one."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.cut import Cut, cut
from chunkwright.model import Document
from chunkwright.quality.rule import rule
from chunkwright.quality.view import View
from chunkwright.quality.words import languages
from chunkwright.setup import Setup
from chunkwright.spans import Spans
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import as_counter
from tests.quality.chunked import chunks, quotes, view
from tests.quality.labelled import CODES, PARTS, Score, items, scores

# What is reached on the labelled chunks: precision and recall of English and of all others.
ENGLISH = (0.98, 0.98)
OTHERS = (0.98, 0.98)
# What was reached on those held out when the rules were first tried on them.
FIRST = {"en": (0.95, 0.9), "other": (0.95, 0.9)}


def test_there_are_enough_labelled_chunks_of_all_languages() -> None:
    found = list(items())
    assert len(found) >= 300
    assert sum(item.part == "held_out" for item in found) >= 200
    assert {item.language for item in found} == set(languages())
    assert {code for item in found for code in item.codes} == set(CODES)


@pytest.mark.parametrize("part", PARTS)
def test_precision_and_recall(part: str) -> None:
    table = scores(part)
    for group, (precision, recall) in (("en", ENGLISH), ("other", OTHERS)):
        of_group = [score for (name, _), score in table.items() if name == group]
        total = Score(
            sum(score.true for score in of_group),
            sum(score.false for score in of_group),
            sum(score.missed for score in of_group),
        )
        assert total.precision >= precision, (part, group, total)
        assert total.recall >= recall, (part, group, total)


@pytest.mark.parametrize("group", FIRST)
def test_precision_and_recall_at_the_first_try(group: str) -> None:
    of_group = [s for (name, _), s in scores("held_out", first=True).items() if name == group]
    true, false, missed = (
        sum(getattr(score, name) for score in of_group) for name in ("true", "false", "missed")
    )
    precision, recall = FIRST[group]
    assert true / (true + false) >= precision
    assert true / (true + missed) >= recall


@pytest.mark.parametrize("part", PARTS)
def test_precision_and_recall_of_each_rule_in_english(part: str) -> None:
    for (group, code), score in scores(part).items():
        if group == "en":
            assert not score.true + score.false or score.precision >= 0.95, (code, score)
            assert not score.true + score.missed or score.recall >= 0.9, (code, score)


@pytest.mark.parametrize("language", languages())
def test_precision_and_recall_of_each_language(language: str) -> None:
    """Of the words alone: the structure is the same everywhere."""
    for part in PARTS:
        table = scores(part)
        for code in ("C104", "C105"):
            score = table[language, code]
            assert not score.true + score.false or score.precision >= 0.9, (part, code, score)
            assert not score.true + score.missed or score.recall >= 0.9, (part, code, score)
        assert sum(table[language, code].true for code in CODES) > 3


@pytest.mark.parametrize("code", CODES)
def test_a_rule_finds_its_bad_example_and_not_its_good_one(code: str) -> None:
    shown = rule(code)

    def found(example: str) -> bool:
        parts = [part for part in example.split("|") if part.strip()]
        text = "".join(parts)
        limits = {"share": 0.0} if code == "C101" else {}
        return bool(chunks(code, view(text, *(part.strip() for part in parts)), **limits))

    assert found(shown.bad)
    assert not found(shown.good)


# C101


def test_the_limit_is_also_relative_to_the_size() -> None:
    text = "# Mill\n\n" + "The mill grinds rye and oats. " * 30 + "The miller sleeps in the loft."
    short = "The miller sleeps in the loft."
    made = view(text, text[: -len(short)].strip(), short, setup="recursive:1000c")
    assert chunks("C101", made) == [1]
    assert chunks("C101", made, share=0.02) == []
    assert chunks("C101", made, share=0.0) == []
    assert chunks("C101", made, share=0.0, characters=40) == [1]


def test_a_short_section_is_no_leftover() -> None:
    text = "# Mill\n\nThe mill grinds rye.\n\n# Loft\n\nThe miller sleeps here."
    made = view(text, "# Mill\n\nThe mill grinds rye.", "# Loft\n\nThe miller sleeps here.")
    assert chunks("C101", made, share=0.9) == []


@pytest.mark.parametrize("unit", ["t", "w"])
def test_the_relative_limit_is_measured_in_the_setups_unit(unit: str) -> None:
    text = "The mill grinds rye and oats. " * 9 + "The miller sleeps."
    made = view(text, text[:-19], "The miller sleeps.", setup=f"recursive:50{unit}")
    assert chunks("C101", made, characters=0, share=0.12) == [1]
    assert chunks("C101", made, characters=0, share=0.05) == []


def test_a_chunk_of_marks_or_white_space_is_empty() -> None:
    text = "One is here, and it is long.\n\n* * * * * * * * * * * * * *\n\n" + " " * 40 + "\n\nTwo."
    made = view(text, "One is here, and it is long.", "* * * * * * * * * * * * * *", " " * 40)
    assert chunks("C101", made) == [1, 2]
    for code in CODES[1:]:
        assert not set(chunks(code, made)) & {1, 2}, code


# C103


def test_the_end_of_a_block_is_no_cut_sentence() -> None:
    text = "# A title without a stop\n\n- an item without\n- another one\n\nThe text goes on here."
    made = view(text, "# A title without a stop", "- an item without", "- another one")
    assert chunks("C103", made) == []


def test_a_cut_sentence_is_quoted() -> None:
    made = view("It is here. The mill grinds rye.", "It is here. The mill", "grinds rye.")
    assert quotes("C103", made) == ["The mill"]


# C108


def test_an_item_that_goes_on_without_an_indent_is_no_lead_in() -> None:
    text = "# Sources\n\n1. Lund, Mills of the north,\nretrieved from: the archive.\n2. Brock, Rye."
    made = view(text, "# Sources\n\n1. Lund, Mills of the north,", "2. Brock, Rye.")
    assert chunks("C108", made) == []


def test_an_item_under_an_item_has_a_lead_in_too() -> None:
    text = "- The mill has:\n  - a wheel of oak\n  - a loft\n"
    made = view(text, "- The mill has:\n  - a wheel of oak", "- a loft")
    assert chunks("C108", made) == [1]


# C109


def test_a_heading_that_never_had_a_text_is_no_finding_at_the_end() -> None:
    text = "# Mill\n\nThe mill grinds rye.\n\n## Loft"
    assert chunks("C109", view(text, text)) == []
    assert chunks("C109", view(text, "# Mill\n\nThe mill grinds rye.", "## Loft")) == [1]


# C110


def test_a_question_of_a_talk_is_answered_by_the_next_turn() -> None:
    text = "Lund: I see. Is the mill closed?\nBrock: The mill is closed."
    assert chunks("C110", view(text, "Lund: I see. Is the mill closed?", name="a.txt")) == [0]
    text = "I see. Is the mill closed? The mill is closed."
    assert chunks("C110", view(text, "I see. Is the mill closed?", name="a.txt")) == []


# All of them


_BITS = (
    "It is ",
    "this mill ",
    "such a ",
    "\n\n",
    "- item\n",
    "1. ",
    "# Title\n",
    "If ",
    ", ",
    "then ",
    "? ",
    "。",
    "如果",
    "这个",
    "その",
    "هذا ",
    "यह ",
    "See Table 2",
    "Table 2. X\n",
    "as follows:\n",
    "```\ncode:\n```\n",
    "   ",
    "* * *\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "Q: who?\n",
    "e\u0301",
    "\u2028",
    ". ",
    "However, ",
    "of them ",
)


@given(
    text=st.lists(st.sampled_from(_BITS), max_size=30).map("".join),
    name=st.sampled_from(["a.md", "a.txt"]),
    language=st.sampled_from([*languages(), "pl", "pt-BR"]),
    setup=st.sampled_from(["fixed:20c", "sentence:30c", "recursive:40c|headers", "recursive:9t"]),
    shares=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=6),
)
def test_a_hit_lies_in_its_chunk(
    text: str, name: str, language: str, setup: str, shares: list[tuple[float, float]]
) -> None:
    """Whatever the chunks are: those of another tool may lie in each other."""
    chosen = Setup.parse(setup)
    analysis = Analysis(Document(name, text, language=language, title=""))
    length = len(text)
    pairs = sorted({(int(min(pair) * length), int(max(pair) * length)) for pair in shares})
    spans = Spans.of([pair for pair in pairs if pair[0] < pair[1]])
    others = Cut(analysis, chosen, as_counter(chosen.tokens), spans, np.empty(0, np.int64))
    for made in (cut(analysis, chosen), others):
        for code in CODES:
            found = rule(code).hits([View(made)], {})[0]
            assert np.all(np.diff(found.chunks) > 0), code
            assert np.all(made.spans.starts[found.chunks] <= found.starts), code
            assert np.all(found.starts <= found.ends), code
            assert np.all(found.ends <= made.spans.ends[found.chunks]), code


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["- item of it\n", "x", "If so, ", "This is it. ", "see table 2 above ", "Why? "]
)
def test_time_is_linear_in_the_text(piece: str) -> None:
    took = []
    for length in (600_000, 1_200_000):
        made = view_of_windows(piece * (length // len(piece)))
        best = float("inf")
        for _ in range(3):
            again = View(made.cut)
            start = time.process_time()
            for code in CODES:
                rule(code).hits([again], {})
            best = min(best, time.process_time() - start)
        took.append(best)
    assert took[1] < 2.6 * took[0] + 0.2


def view_of_windows(text: str) -> View:
    made = View(cut(Analysis(Document("a.txt", text)), Setup.parse("fixed:60c")))
    assert len(made.analysis.sentences)
    assert len(made.analysis.points)
    return made
