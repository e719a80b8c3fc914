"""Boundaries: where a strategy allows a cut, and how good each cut is."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from chunkwright.chunking.measure import Measure
from chunkwright.setup import Setup
from chunkwright.spans import Integers
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import TokenCounter

ALL_UNITS = ("characters", "words", "tokens", "sentences")
_NONE = np.empty(0, np.int64)


class Level:
    """Cuts of one rank: ascending positions of visible characters, made when first needed.

    >>> level = Level(lambda: np.array([4, 9]))
    >>> level.last(0, 8), level.first(5, 20), level.last(4, 8)
    (4, 9, -1)
    """

    def __init__(self, cuts: Callable[[], Integers]) -> None:
        self._make = cuts

    @cached_property
    def cuts(self) -> Integers:
        """All of them."""
        return np.ascontiguousarray(self._make(), np.int64)

    @cached_property
    def _one_by_one(self) -> memoryview[int]:
        # Faster to halve than an array.
        return self.cuts.data

    def last(self, above: int, most: int) -> int:
        """The last cut in `(above, most]`, or -1."""
        cuts = self._one_by_one
        at = bisect_right(cuts, most) - 1
        return cuts[at] if at >= 0 and cuts[at] > above else -1

    def first(self, least: int, below: int) -> int:
        """The first cut in `[least, below)`, or -1."""
        cuts = self._one_by_one
        at = bisect_left(cuts, least)
        return cuts[at] if at < len(cuts) and cuts[at] < below else -1


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Where cuts are allowed in one text.

    Attributes:
        clean: Levels of cuts that part no sentence, best first.
        rough: Levels for what is too long for those, best first. Where none fits, the packer
            cuts between graphemes.
        walls: Cuts that must be made and that no chunk crosses.
        spare: Further tiers of levels, for where no clean cut fits, before the rough ones.
        fill: Share of the size that a chunk should reach before a better cut is worth it.
        windows: For `fixed`: the starts of equal units, cut by arithmetic alone.
    """

    clean: tuple[Level, ...] = ()
    rough: tuple[Level, ...] = ()
    walls: Integers = field(default_factory=lambda: _NONE)
    spare: tuple[tuple[Level, ...], ...] = ()
    fill: float = 0.0
    windows: Integers | None = None


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way of cutting: it says where a cut is allowed, and nothing else.

    Attributes:
        name: As in the notation.
        units: Units that its size can have.
        boundaries: Where cuts are allowed in one text, under a setup. It is given a measure of
            the setup's unit and the token counter for what depends on size.
        windows: Whether it cuts equal windows by arithmetic. Their overlap is in the unit of the
            size, and windows of tokens count the document's own tokens.
    """

    name: str
    units: tuple[str, ...]
    boundaries: Callable[[Analysis, Setup, Measure, TokenCounter], Boundaries]
    windows: bool = False

    def overlap_units(self, unit: str) -> tuple[str, ...]:
        """Units that the overlap can have, for a size in `unit`."""
        return (*((unit,) if self.windows else ALL_UNITS), "percent")


def fallback(analysis: Analysis) -> tuple[Level, ...]:
    """The rough levels: clauses, then words."""
    return (Level(lambda: analysis.clauses), Level(lambda: analysis.words))
