"""Two setups side by side: the pieces of the text, who cuts where, the figures."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from itertools import pairwise
from urllib.parse import parse_qsl

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chunkwright.chunking.cut import Cut, cut
from chunkwright.errors import SetupError
from chunkwright.lab.compare import compared, swapped, told
from chunkwright.lab.figures import facts
from chunkwright.lab.state import State
from chunkwright.lab.units import Units
from chunkwright.lab.views.compare_view import painting_of, pieces_of
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.spans import Spans
from chunkwright.text.analysis import Analysis
from tests.properties.strategies import setups, texts


def cuts(text: str, *notations: Setup | str) -> list[Cut]:
    analysis = Analysis(Document("a.md", text))
    return [
        cut(analysis, Setup.parse(each) if isinstance(each, str) else each) for each in notations
    ]


def _seen(text: str, start: int) -> int:
    """The first visible character from a position on; the position itself if there is none."""
    left = text[start:].lstrip()
    return len(text) - len(left) if left else start


@given(texts(), setups(), setups())
def test_the_pieces_are_those_that_both_cuts_make(text: str, one: Setup, two: Setup) -> None:
    try:
        left, right = cuts(text, one, two)
    except SetupError:
        assume(False)
    found = pieces_of(left, right)
    starts = found.starts.tolist()
    assert starts == sorted(set(starts))
    assert starts[0] == 0
    parts = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    assert "".join(parts) == text
    assert all(parts) or not text
    for side, mine in ((left, found.left), (right, found.right)):
        places = [_seen(text, start) for start in side.spans.starts.tolist()]
        # Every chunk starts where a piece does, and is its side's from there to the next.
        assert set(places) <= {_seen(text, start) for start in starts}
        for start, chunk in zip(starts, mine.tolist(), strict=True):
            assert chunk == bisect_right(places, _seen(text, start)) - 1
    assert len(found.cuts) == len(starts)
    assert not found.cuts[0]
    assert found.cuts[1:].all()


@given(texts(), setups())
def test_a_setup_does_not_differ_from_itself(text: str, setup: Setup) -> None:
    try:
        left, right = cuts(text, setup, setup)
    except SetupError:
        assume(False)
    assert pieces_of(left, right).counts()[1:] == (0, 0)


@given(texts(), setups(), setups())
def test_the_sides_are_alike(text: str, one: Setup, two: Setup) -> None:
    try:
        left, right = cuts(text, one, two)
    except SetupError:
        assume(False)
    common, only_left, only_right = pieces_of(left, right).counts()
    assert pieces_of(right, left).counts() == (common, only_right, only_left)


def test_white_space_alone_makes_no_difference() -> None:
    text = "  The lamp blinks.\n\n  It is blue.   \n"
    found = pieces_of(*cuts(text, "sentence:1s", "sentence:1s|strip=no"))
    assert found.counts() == (1, 0, 0)
    assert found.starts.tolist() == [0, text.index("It")]


def test_a_chunk_of_white_space_starts_with_the_one_after_it() -> None:
    text = "aa" + " " * 12 + "bb"
    left, right = cuts(text, "fixed:4c|strip=no", "fixed:20c")
    found = pieces_of(left, right)
    assert found.starts.tolist() == [0, 14]
    assert found.left.tolist() == [0, len(left) - 1]


def test_front_matter_that_one_side_leaves_out_is_a_difference() -> None:
    text = "---\ntitle: A\n---\nIt blinks."
    (right,) = cuts(text, "fixed:400c")
    left = replace(right, spans=Spans.of([(0, len(text))]))
    found = pieces_of(left, right)
    assert (found.starts.tolist(), found.cuts.tolist()) == ([0, text.index("It")], [0, 2])
    assert found.right.tolist() == [-1, 0]


def test_positions_are_those_of_the_browser() -> None:
    text = "It blinks 😀. It is on 😀. It is off 😀."
    left, right = cuts(text, "sentence:1s", "sentence:2s")
    shown = painting_of(pieces_of(left, right), left, right, Units(text))
    units = text.encode("utf-16-le")
    parts = [units[2 * one : 2 * two].decode("utf-16-le") for one, two in pairwise(shown["starts"])]
    assert parts == ["It blinks 😀. ", "It is on 😀. "]
    assert [side["at"] for side in shown["sides"]] == [[0, 1, 2], [0, 0, 1]]
    assert shown["cuts"] == [0, 1, 3]


def test_the_line_tells_of_the_cuts() -> None:
    found = pieces_of(*cuts("One. Two. Three. Four.", "sentence:1s", "sentence:2s"))
    assert told(found) == "Cuts: 1 in common, 2 only left, 0 only right"


def test_the_differences_are_those_of_the_shown_figures() -> None:
    text = "The lamp blinks blue. It is on. It stays on. Press it twice.\n" * 9
    left, right = (facts(each) for each in cuts(text, "sentence:1s", "fixed:20t+5t"))
    table = compared(left, right)
    rows = {row[0]: row[1:] for row in table.rows}
    for one, two, more in zip(rows["left"], rows["right"], rows["difference"], strict=True):
        if more == "–":
            continue
        numbers = [
            float(each.split()[0].replace(",", "").replace("−", "-")) for each in (one, two, more)
        ]
        assert numbers[1] - numbers[0] == pytest.approx(numbers[2])
        assert more.endswith("points") == one.endswith("%") or not numbers[2]
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_an_empty_document_has_no_differences() -> None:
    left, right = cuts("", "fixed:9t", "sentence:1s")
    found = pieces_of(left, right)
    assert (found.starts.tolist(), found.left.tolist(), found.counts()) == ([0], [-1], (0, 0, 0))
    assert compared(facts(left), facts(right)).rows[0][:2] == ("left", "0")


@given(st.lists(st.sampled_from(("merge_orphans", "add_header")), unique=True))
def test_swapping_twice_is_nothing(repairs: list[str]) -> None:
    state = State(repairs=tuple(repairs), document="a.md", part="compare")
    once = swapped(state)
    assert (once.recipe, once.other_recipe) == (state.other_recipe, state.recipe)
    assert swapped(once) == state
    assert State.of(dict(parse_qsl(once.query))) == (once, [])
