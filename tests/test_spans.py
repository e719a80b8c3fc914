"""Interval arithmetic, each function against the plain way of counting characters."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.spans import (
    Span,
    Spans,
    containing,
    drop_contained,
    grouped_union_length,
    merged,
    shared,
    touching,
    union,
    union_length,
    without,
)

POSITIONS = st.lists(st.integers(0, 40), max_size=20)
PAIRS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 12)).map(lambda pair: (pair[0], sum(pair))),
    max_size=12,
)


def ascending(positions: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(sorted(set(positions)), np.int64)


def covered(pairs: list[tuple[int, int]]) -> set[int]:
    return {position for start, end in pairs for position in range(start, end)}


def ladder(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of which starts and ends both strictly ascend."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(pair for pair in pairs if pair[1] > pair[0]):
        if not found or (start > found[-1][0] and end > found[-1][1]):
            found.append((start, end))
    return found


def test_a_span_is_a_pair() -> None:
    assert Span(2, 5) == (2, 5)
    assert Span(2, 5).end == 5


@pytest.mark.parametrize("pairs", [[], [(0, 4)], [(0, 4), (5, 9)]])
def test_pairs_come_back(pairs: list[tuple[int, int]]) -> None:
    spans = Spans.of(pairs)
    assert spans.pairs() == pairs
    assert spans.starts.dtype == spans.ends.dtype == np.int64


@given(st.lists(POSITIONS, max_size=4))
def test_merged_is_a_sorted_set(parts: list[list[int]]) -> None:
    found = merged(*map(ascending, parts))
    assert found.tolist() == sorted({position for part in parts for position in part})
    assert found.dtype == np.int64


@given(POSITIONS, POSITIONS)
def test_without_is_a_difference(positions: list[int], removed: list[int]) -> None:
    found = without(ascending(positions), ascending(removed))
    assert found.tolist() == sorted(set(positions) - set(removed))


@given(PAIRS)
def test_union_covers_the_same_and_is_disjoint(pairs: list[tuple[int, int]]) -> None:
    real = [pair for pair in pairs if pair[1] > pair[0]]
    spans = Spans.of(real)
    found = union(spans.starts, spans.ends).pairs()
    assert covered(found) == covered(real)
    assert all(one[1] < other[0] for one, other in itertools.pairwise(found))


@given(PAIRS)
def test_union_length_counts_overlaps_once(pairs: list[tuple[int, int]]) -> None:
    spans = Spans.of(sorted(pairs))
    lengths = union_length(spans.starts[None, :], spans.ends[None, :])
    assert lengths.tolist() == [len(covered(pairs))]


@given(PAIRS, st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_grouped_union_length_counts_each_group(
    pairs: list[tuple[int, int]], numbers: list[int]
) -> None:
    group = np.array(numbers[: len(pairs)], np.int64)
    spans = Spans.of(pairs)
    found = grouped_union_length(group, spans.starts, spans.ends, 4)
    expected = [
        len(covered([pair for pair, own in zip(pairs, numbers, strict=False) if own == number]))
        for number in range(4)
    ]
    assert found.tolist() == expected


@given(PAIRS, st.integers(0, 40), st.integers(1, 10))
def test_containing_and_touching_name_the_right_spans(
    pairs: list[tuple[int, int]], start: int, length: int
) -> None:
    spans, end = ladder(pairs), start + length
    low, high = containing(Spans.of(spans), start, end)
    holders = [at for at, (first, last) in enumerate(spans) if first <= start and end <= last]
    assert list(range(low, high)) == holders
    low, high = touching(Spans.of(spans), start, end)
    neighbours = [at for at, (first, last) in enumerate(spans) if first < end and start < last]
    assert list(range(low, high)) == neighbours


def test_a_touch_is_not_an_overlap() -> None:
    low, high = touching(Spans.of([(0, 10), (10, 15)]), 10, 12)
    assert (low, high) == (1, 2)


@given(PAIRS)
def test_drop_contained_leaves_a_ladder_that_covers_the_same(pairs: list[tuple[int, int]]) -> None:
    starts = np.array(sorted(start for start, _ in pairs), np.int64)
    ends = np.array(sorted(end for _, end in pairs), np.int64)
    before = covered(Spans(starts, ends).pairs())
    found = drop_contained(starts, ends).pairs()
    assert found == ladder(found)
    assert covered(found) == before


@given(PAIRS)
def test_shared_is_what_neighbours_have_in_common(pairs: list[tuple[int, int]]) -> None:
    spans = ladder(pairs)
    expected = [len(covered([one]) & covered([other])) for one, other in itertools.pairwise(spans)]
    assert shared(Spans.of(spans)).tolist() == expected
