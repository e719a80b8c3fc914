"""Grapheme clusters (UAX 29): the places where a text must not be cut.

A cut between two ordinary characters is always allowed, so only the stretches that hold a
combining, joining, flag or jamo character are looked at closely.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import regex
from numpy.typing import NDArray

from chunkwright.spans import Integers, merged
from chunkwright.text.characters import JOINING, CodePoints

_CLUSTER = regex.compile(r"\X")


def forbidden(text: str, points: CodePoints, kinds: NDArray[np.uint8]) -> Integers:
    """Positions inside a grapheme cluster, ascending: no cut may fall on them.

    >>> from chunkwright.text.characters import code_points
    >>> from chunkwright.text.characters import kinds as of
    >>> flags = "🇩🇪🇫🇷"
    >>> forbidden(flags, code_points(flags), of(code_points(flags))).tolist()
    [1, 3]
    """
    pairs = np.flatnonzero(points == 13) + 1
    pairs = pairs[pairs < len(points)]
    pairs = merged(pairs[points[pairs] == 10], _flags(points))
    if points.dtype == np.uint8:
        return pairs
    unsure = np.flatnonzero(kinds & JOINING)
    if not len(unsure):
        return pairs
    # One stretch reaches from the character before an unsure one to the character after it.
    low, high = np.maximum(unsure - 1, 0), np.minimum(unsure + 2, len(points))
    first = np.r_[True, low[1:] > high[:-1]]
    starts, ends = low[first], high[np.r_[first[1:], True]]
    inside: list[int] = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        for found in _CLUSTER.finditer(text, start, end):
            if found.end() - found.start() > 1:
                inside.extend(range(found.start() + 1, found.end()))
    return merged(np.array(inside, np.int64), pairs)


def _flags(points: CodePoints) -> Integers:
    """The second letter of each flag: regional indicators go in pairs from a run's start.

    `regex` would go back to that start for every one of them.
    """
    if points.dtype != np.uint32:
        return np.empty(0, np.int64)
    letters = np.flatnonzero((points >= 0x1F1E6) & (points <= 0x1F1FF))
    first = np.r_[True, np.diff(letters) != 1][: len(letters)]
    start = np.maximum.accumulate(np.where(first, letters, 0))
    return letters[(letters - start) % 2 == 1]


class Clusters:
    """The grapheme clusters of more than one character.

    Args:
        forbidden: Positions inside a cluster, ascending.

    >>> flags = Clusters(np.array([1, 3]))
    >>> flags.down(3), flags.up(3), flags.down(2)
    (2, 4, 2)
    """

    def __init__(self, forbidden: Integers) -> None:
        gap = np.diff(forbidden) != 1
        self._firsts: list[int] = forbidden[np.r_[True, gap][: len(forbidden)]].tolist()
        self._lasts: list[int] = forbidden[np.r_[gap, True][: len(forbidden)]].tolist()

    def __len__(self) -> int:
        return len(self._firsts)

    def _at(self, position: int) -> int:
        """The cluster that a position is inside of, or -1."""
        at = bisect_right(self._firsts, position) - 1
        return at if at >= 0 and position <= self._lasts[at] else -1

    def down(self, position: int) -> int:
        """The position, or the start of the cluster that it is inside of."""
        if not self._firsts:
            return position
        at = self._at(position)
        return position if at < 0 else self._firsts[at] - 1

    def up(self, position: int) -> int:
        """The position, or the end of the cluster that it is inside of."""
        if not self._firsts:
            return position
        at = self._at(position)
        return position if at < 0 else self._lasts[at] + 1

    def all_down(self, positions: Integers) -> Integers:
        """Every position, moved to the start of the cluster that it is inside of.

        >>> Clusters(np.array([1, 2])).all_down(np.array([0, 1, 2, 3])).tolist()
        [0, 0, 0, 3]
        """
        if not self._firsts or not len(positions):
            return positions
        firsts, lasts = np.array(self._firsts), np.array(self._lasts)
        at = np.searchsorted(firsts, positions, side="right") - 1
        inside = (at >= 0) & (positions <= lasts[np.maximum(at, 0)])
        return np.where(inside, firsts[np.maximum(at, 0)] - 1, positions)
