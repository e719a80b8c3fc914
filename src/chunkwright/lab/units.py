"""Positions as browsers count them: UTF-16 code units, where Python counts code points."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from chunkwright.spans import Integers


class Units:
    r"""Translates positions in one text.

    Args:
        text: The text.

    >>> units = Units("a😀b")
    >>> units.of(np.array([0, 1, 2, 3])).tolist(), units.point(3)
    ([0, 1, 3, 4], 2)
    """

    def __init__(self, text: str) -> None:
        wide = np.empty(0, np.int64)
        if not text.isascii():
            points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
            wide = np.flatnonzero(points > 0xFFFF)
        self._wide = wide
        # Where each wide character starts, counted in units.
        self._wide_units = wide + np.arange(len(wide))

    def of(self, points: Integers) -> Integers:
        """Positions in code points as positions in code units."""
        if not len(self._wide):
            return points
        return np.asarray(points + np.searchsorted(self._wide, points), np.int64)

    def point(self, unit: int) -> int:
        """A position in code units as one in code points; inside a pair it is the pair's."""
        return unit - bisect_left(self._wide_units, unit)
