"""Grapheme clusters (UAX 29): the places where a text must not be cut.

A cut between two ordinary characters is always allowed, so only the stretches that hold a
combining, joining, flag, jamo or control character are looked at closely.
"""

from __future__ import annotations

import numpy as np
import regex

from chunkwright.spans import Integers, merged
from chunkwright.text.characters import CodePoints, members

_CLUSTER = regex.compile(r"\X")
# What may join a neighbour; controls and line breaks never do, but for CR LF.
_JOINING = r"[[^\p{GCB=Other}]--[\p{GCB=Control}\p{GCB=CR}\p{GCB=LF}]]"


def forbidden(text: str, points: CodePoints) -> Integers:
    """Positions inside a grapheme cluster, ascending: no cut may fall on them.

    >>> from chunkwright.text.characters import code_points
    >>> flags = "🇩🇪🇫🇷"
    >>> forbidden(flags, code_points(flags)).tolist()
    [1, 3]
    """
    pairs = np.flatnonzero(points == 13) + 1
    pairs = pairs[pairs < len(points)]
    pairs = pairs[points[pairs] == 10]
    if points.dtype == np.uint8:
        return pairs
    unsure = np.flatnonzero(members(points, _JOINING))
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


def snap_down(positions: Integers, forbidden_: Integers) -> Integers:
    """Each position, moved to the start of its cluster if it lies inside one.

    >>> snap_down(np.array([0, 1, 2]), np.array([1])).tolist()
    [0, 0, 2]
    """
    positions = np.array(positions, np.int64)
    while len(forbidden_):
        at = np.searchsorted(forbidden_, positions)
        bad = forbidden_[np.minimum(at, len(forbidden_) - 1)] == positions
        if not bad.any():
            break
        # Jump to the first position of the run of forbidden positions in one step.
        run = _run_starts(forbidden_)
        positions[bad] = run[at[bad]] - 1
    return positions


def _run_starts(forbidden_: Integers) -> Integers:
    new = np.r_[True, forbidden_[1:] != forbidden_[:-1] + 1]
    return forbidden_[np.maximum.accumulate(np.where(new, np.arange(len(forbidden_)), 0))]
