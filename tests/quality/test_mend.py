"""Mending: what is done, what is undone again, and what holds for any text and setup."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from chunkwright.chunking.cut import Cut, cut
from chunkwright.errors import SetupError
from chunkwright.model import Document
from chunkwright.quality.checker import findings
from chunkwright.quality.mend import Mended, mend
from chunkwright.quality.repair import Repair, repair_of, repairs
from chunkwright.quality.rule import rules
from chunkwright.quality.settings import Settings
from chunkwright.setup import Setup
from chunkwright.spans import Spans
from chunkwright.text.analysis import Analysis
from tests.properties.strategies import setups, texts
from tests.quality.chunked import chunked


def texts_of(done: Mended) -> list[str]:
    text = done.cut.analysis.text
    return [text[start:end].strip() for start, end in done.cut.spans.pairs()]


def test_a_moved_cut_changes_both_of_its_chunks() -> None:
    made = chunked(
        "The lamp blinks blue as it¦ pairs. Plus costs $3.99 a month.", setup="fixed:60c"
    )
    done = mend(made, repairs())
    assert texts_of(done) == ["The lamp blinks blue as it pairs.", "Plus costs $3.99 a month."]
    first, second = done.changes
    assert first.repairs == second.repairs == ("move_to_sentence",)
    assert (first.index, first.chunks, second.index, second.chunks) == (0, (0,), 1, (1,))
    assert first.before == ((0, 26),)
    assert first.after == (0, 33)
    assert not first.embed_after
    assert not done.refused


def test_a_merged_chunk_names_all_that_it_was() -> None:
    made = chunked("The lamp blinks blue as it pairs. ¦It stops.", setup="fixed:60c")
    done = mend(made, repairs())
    assert texts_of(done) == ["The lamp blinks blue as it pairs. It stops."]
    (change,) = done.changes
    assert change.chunks == (0, 1)
    assert change.before == ((0, 34), (34, 43))
    assert done.origins == ((0, 1),)


def test_a_chunk_of_white_space_is_taken_away() -> None:
    made = chunked("The lamp blinks blue as it pairs.¦\n\n \n¦Plus costs $3.99 a month, I hear.")
    done = mend(made, [repair_of("merge_orphans")], Settings(select=("C101",)))
    assert len(done.cut) == 2
    (change,) = done.changes
    assert (change.index, change.chunks, change.after) == (None, (1,), None)


def test_added_words_are_told_before_and_after() -> None:
    text = "| Plan | Price |\n|---|---|\n| Plus | 3.99 |\n¦| Professional | 9.99 |\n"
    (change,) = mend(chunked(text), repairs()).changes
    assert change.repairs == ("repeat_table_head",)
    assert change.embed_before == "| Professional | 9.99 |\n"
    assert change.embed_after == "| Plan | Price |\n|---|---|\n| Professional | 9.99 |\n"


def test_several_additions_are_all_kept() -> None:
    text = (
        "# Lamp\n\n| Plan | Price |\n|---|---|\n| Plus | 3.99 |\n¦| Professional | 9.99 |\n\n"
        "¦It also adds a report every week to all of it."
    )
    added = [repair_of(name) for name in ("repeat_table_head", "name_the_subject")]
    done = mend(chunked(text), added)
    assert done.cut.embed_text(1).startswith("| Plan | Price |")
    assert done.cut.embed_text(2).startswith("Lamp also adds")


def test_a_repair_that_mends_nothing_is_not_done() -> None:
    made = chunked("# Lamp\n\nThe lamp blinks.\n\n¦Plus costs three euros a month for everybody.")
    assert repair_of("add_header").apply(made).leads
    done = mend(made, [repair_of("add_header")])
    assert done.cut is made
    assert not done.changes


def _shifted(name: str, by: int, mends: tuple[str, ...] = ("C102",)) -> Repair:
    """A careless repair: every cut moves by so many characters."""

    def apply(made: Cut) -> Cut:
        pairs = made.spans.pairs()
        inner = [(start + by, end + by) for start, end in pairs]
        inner[0], inner[-1] = (0, inner[0][1]), (inner[-1][0], pairs[-1][1])
        return replace(made, spans=Spans.of(inner), leads={})

    return Repair(name, "moves cuts", mends, apply)


def test_a_change_that_brings_a_finding_is_undone_and_the_others_kept() -> None:
    text = (
        "The hub hums all day long in its corner. T¦he lamp blinks blue while it is pairing. W¦e "
        "know. However, ¦that it costs three euros a month is known to all of you."
    )
    made = chunked(text, "a.txt", "fixed:90c")
    moved = _shifted("careless", -1)
    only = Settings(select=("C102", "C105"))
    done = mend(made, [moved], only)
    assert texts_of(done)[1:3] == [
        "The lamp blinks blue while it is pairing.",
        "We know. However,",
    ]
    before, after = (
        Counter(each.code for each in findings([each], only)) for each in (made, done.cut)
    )
    assert after["C102"] < before["C102"]
    assert after["C105"] <= before["C105"]


def test_a_repair_that_only_harms_is_refused_with_the_rule() -> None:
    text = "The hub hums all day long in its corner. ¦The lamp blinks blue while it is pairing."
    done = mend(chunked(text, "a.txt", "fixed:90c"), [_shifted("careless", 3)])
    assert not done.changes
    assert {name for name, _ in done.refused} == {"careless"}
    assert "C102" in {code for _, code in done.refused}
    assert sum(done.refused.values()) == 1


def test_a_change_that_makes_a_chunk_too_large_goes_with_its_neighbour() -> None:
    # Moved together all chunks keep their size; the second cut alone would make one too large.
    text = "One is here, I say. T¦wo is there, I say. T¦hree is away, I say."
    made = chunked(text, "a.txt", "fixed:22c")
    done = mend(made, [_shifted("careless", -1)], Settings(select=("C102",)))
    sizes = done.cut.spans.ends - done.cut.spans.starts
    assert (sizes[:2] <= 22).all()


def test_a_chunk_may_become_two() -> None:
    def apply(made: Cut) -> Cut:
        return replace(made, spans=Spans.of([(0, 33), (34, 59)]), leads={})

    text = "The lamp blinks blue as it pairs. Plus costs $3.99 a month."
    split = Repair("split", "cuts", ("Z301",), apply)
    done = mend(chunked(text, "a.txt", "fixed:40c"), [split])
    assert done.origins == ((0,), (0,))
    assert [change.after for change in done.changes] == [(0, 33), (34, 59)]
    assert [change.before for change in done.changes] == [((0, 59),), ((0, 59),)]


def _counts(made: Cut, settings: Settings) -> Counter[str]:
    return Counter(each.code for each in findings([made], settings))


def _alone() -> Settings:
    """The rules that look at one document."""
    return Settings(ignore=tuple(each.code for each in rules() if each.find is None))


def _check(before: Cut, settings: Settings) -> None:
    done = mend(before, repairs(), settings)
    after, setup = done.cut, before.setup
    text = before.analysis.text
    known, found = _counts(before, settings), _counts(after, settings)
    assert all(found[code] <= known[code] for code in found)
    again = mend(after, repairs(), settings)
    assert again.cut.spans.pairs() == after.spans.pairs()
    assert dict(again.cut.leads) == dict(after.leads)
    assert not again.changes
    old = set(before.spans.pairs())
    for index, (start, end) in enumerate(after.spans.pairs()):
        assert 0 <= start < end <= len(text)
        if (start, end) not in old or index in after.leads:
            assert after.size_of(index) <= setup.size
    seen = np.zeros(len(text) + 1, np.int64)
    for made, sign in ((before, 1), (after, -1)):
        inside = np.zeros(len(text) + 1, np.int64)
        np.add.at(inside, made.spans.starts, 1)
        np.add.at(inside, made.spans.ends, -1)
        seen += sign * (np.cumsum(inside) > 0)
    # Front matter is metadata.
    lost = [at for at in np.flatnonzero(seen > 0).tolist() if at >= before.analysis.start]
    assert all(text[at].isspace() for at in lost)
    # Every chunk is accounted for once.
    gone = [chunk for change in done.changes if change.after is None for chunk in change.chunks]
    origins = [chunk for several in done.origins for chunk in several]
    assert sorted([*origins, *gone]) == list(range(len(before)))
    assert len(done.origins) == len(after)
    for change in done.changes:
        assert change.repairs
        assert change.before == tuple(before.spans.pairs()[chunk] for chunk in change.chunks)
        if change.index is not None:
            assert change.after == after.spans.pairs()[change.index]


@given(name=st.sampled_from(["a.md", "a.txt"]), text=texts(), setup=setups())
def test_nothing_new_nothing_lost_nothing_twice(name: str, text: str, setup: Setup) -> None:
    try:
        before = cut(Analysis(Document(name, text, title="Lamp")), replace(setup, repair=False))
    except SetupError:
        return
    _check(before, _alone())


@example(text="000", edges=[1, 2, 0, 3])
@example(text="  ", edges=[0, 1, 2])
@example(text="  ", edges=[1, 0, 2])
@example(text="  Sentence one here. \ufeff", edges=[1, 2, 22, 0])
@given(text=texts(), edges=st.lists(st.integers(0, 400), min_size=2, max_size=30))
def test_chunks_that_lie_anyhow_are_mended_too(text: str, edges: list[int]) -> None:
    pairs = sorted(
        {tuple(sorted((min(one, len(text)), min(two, len(text))))) for one, two in pairwise(edges)}
    )
    pairs = [pair for pair in pairs if pair[0] < pair[1]]
    if not pairs:
        return
    bare = chunked(text.replace("¦", "|"), "a.md", "fixed:500c")
    _check(replace(bare, spans=Spans.of(pairs)), _alone())
