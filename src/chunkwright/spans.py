"""Interval arithmetic on arrays of half-open spans.

Spans are two equally long integer arrays, `starts` and `ends`, in code points of one text (or
of several texts laid end to end on one line). Nothing here knows what a document is.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


class Span(NamedTuple):
    """A half-open range `[start, end)` of code points."""

    start: int
    end: int


class Spans(NamedTuple):
    """Many spans of one text: starts and ends, both ascending. Shapes `(n,)`, `(n,)`."""

    starts: Integers
    ends: Integers

    @classmethod
    def of(cls, pairs: list[tuple[int, int]]) -> Spans:
        """Spans from `(start, end)` pairs.

        >>> Spans.of([(0, 4), (5, 9)]).ends
        array([4, 9])
        """
        # Numbers are read much faster than pairs.
        table = np.fromiter(chain.from_iterable(pairs), np.int64, 2 * len(pairs)).reshape(-1, 2)
        return cls(np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1]))

    def pairs(self) -> list[tuple[int, int]]:
        """The spans as a list of `(start, end)`.

        >>> Spans.of([(0, 4), (5, 9)]).pairs()
        [(0, 4), (5, 9)]
        """
        return list(zip(self.starts.tolist(), self.ends.tolist(), strict=True))


# numpy's own set functions hash or sort from nothing; positions are mostly sorted already, and a
# stable sort of two sorted runs is a merge.
def merged(*parts: Integers) -> Integers:
    """All positions of several arrays, ascending, each once.

    >>> merged(np.array([1, 4]), np.array([2, 4])).tolist()
    [1, 2, 4]
    """
    together = np.concatenate([part for part in parts if len(part)] or [np.empty(0, np.int64)])
    together.sort(kind="stable")
    if len(together) < 2:
        return together.astype(np.int64, copy=False)
    first = np.empty(len(together), np.bool_)
    first[0] = True
    np.not_equal(together[1:], together[:-1], out=first[1:])
    return together[first].astype(np.int64, copy=False)


def without(positions: Integers, removed: Integers) -> Integers:
    """The positions that are not among the removed ones; both ascending.

    >>> without(np.array([1, 2, 4]), np.array([2, 3])).tolist()
    [1, 4]
    """
    if not len(removed) or not len(positions):
        return positions
    at = np.minimum(np.searchsorted(removed, positions), len(removed) - 1)
    kept: Integers = positions[removed[at] != positions]
    return kept


def outside(positions: Integers, spans: NDArray[np.int64]) -> Integers:
    """The positions that fall strictly inside none of the spans.

    `spans` are disjoint and ascend; shape `(n, 2)`.

    >>> outside(np.array([0, 3, 5, 9]), np.array([[0, 5]])).tolist()
    [0, 5, 9]
    """
    if not len(spans) or not len(positions):
        return positions
    span = np.searchsorted(spans[:, 0], positions, side="left") - 1
    inside = (span >= 0) & (positions < spans[np.maximum(span, 0), 1])
    return positions[~inside]


def union(starts: Integers, ends: Integers) -> Spans:
    """The disjoint spans that cover the same characters; spans that touch are joined.

    >>> union(np.array([0, 5, 20]), np.array([10, 15, 22])).pairs()
    [(0, 15), (20, 22)]
    """
    if not len(starts):
        return Spans(np.empty(0, np.int64), np.empty(0, np.int64))
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    first = np.r_[True, starts[1:] > ends[:-1]]
    return Spans(starts[first], ends[np.r_[first[1:], True]])


def union_length(starts: Integers, ends: Integers) -> Integers:
    """Characters covered by the spans of each row, overlaps counted once.

    Rows are sorted by start; an empty span (`start >= end`) counts nothing. Shape
    `(rows, spans)` gives `(rows,)`.

    >>> union_length(np.array([[0, 5]]), np.array([[10, 15]]))
    array([15])
    """
    if starts.shape[-1] == 0:
        return np.zeros(starts.shape[:-1], np.int64)
    ends = np.maximum(starts, ends)
    reached = np.maximum.accumulate(ends, axis=-1)
    before = np.concatenate([starts[..., :1], reached[..., :-1]], axis=-1)
    return np.maximum(0, ends - np.maximum(starts, before)).sum(axis=-1)


def grouped_union_length(
    group: Integers, starts: Integers, ends: Integers, groups: int
) -> Integers:
    """Characters covered by the spans of each group, overlaps counted once. Shape `(groups,)`.

    >>> group = np.array([0, 0, 1])
    >>> grouped_union_length(group, np.array([0, 5, 7]), np.array([10, 15, 9]), 2)
    array([15,  2])
    """
    if not len(starts):
        return np.zeros(groups, np.int64)
    # Groups are laid one behind the other, so that one pass serves all.
    width = int(ends.max()) + 1
    starts, ends = starts + group * width, np.maximum(starts, ends) + group * width
    order = np.argsort(starts, kind="stable")
    starts, ends, group = starts[order], ends[order], group[order]
    reached = np.maximum.accumulate(ends)
    before = np.concatenate([starts[:1], reached[:-1]])
    covered = np.maximum(0, ends - np.maximum(starts, before))
    return np.bincount(group, weights=covered, minlength=groups).astype(np.int64)


def containing(spans: Spans, start: Any, end: Any) -> tuple[Any, Any]:
    """Index range `[low, high)` of the spans that hold all of `[start, end)`.

    Both arrays of `spans` must be ascending, so that the answer is one run; where no span
    holds it, `low >= high`. `start` and `end` may be arrays.

    >>> containing(Spans.of([(0, 10), (5, 15), (12, 20)]), 6, 9)
    (0, 2)
    """
    low = np.searchsorted(spans.ends, end, side="left")
    high = np.searchsorted(spans.starts, start, side="right")
    return _plain(low), _plain(high)


def touching(spans: Spans, start: Any, end: Any) -> tuple[Any, Any]:
    """Index range `[low, high)` of the spans that share a character with `[start, end)`.

    Spans that only meet at an edge share nothing.

    >>> touching(Spans.of([(0, 10), (10, 15), (15, 20)]), 10, 12)
    (1, 2)
    """
    low = np.searchsorted(spans.ends, start, side="right")
    high = np.searchsorted(spans.starts, end, side="left")
    return _plain(low), _plain(high)


def _plain(value: Any) -> Any:
    return int(value) if np.ndim(value) == 0 else value


def drop_contained(starts: Integers, ends: Integers) -> Spans:
    """Leave out empty spans and spans that lie inside a neighbour.

    `starts` and `ends` must not descend. What is left strictly ascends in both.

    >>> drop_contained(np.array([0, 4, 4, 8]), np.array([6, 6, 9, 9])).pairs()
    [(0, 6), (4, 9)]
    """
    while True:
        keep = ends > starts
        if len(starts) > 1:
            keep[:-1] &= (starts[:-1] != starts[1:]) | (ends[:-1] > ends[1:])
            keep[1:] &= (ends[1:] != ends[:-1]) | (starts[1:] == starts[:-1])
        if keep.all():
            return Spans(starts, ends)
        starts, ends = starts[keep], ends[keep]


def shared(spans: Spans) -> Integers:
    """Characters that each span shares with the one before it. Shape `(n - 1,)`.

    >>> shared(Spans.of([(0, 10), (8, 18), (20, 25)]))
    array([2, 0])
    """
    return np.maximum(0, spans.ends[:-1] - spans.starts[1:])


def spread(starts: Integers, lengths: Integers) -> Integers:
    """All positions of the ranges of some lengths from some starts, one range after the other.

    >>> spread(np.array([7, 0]), np.array([2, 3])).tolist()
    [7, 8, 0, 1, 2]
    """
    before = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
