"""`fixed`: equal windows of characters, words or tokens."""

from __future__ import annotations

import numpy as np

from chunkwright.chunking.boundaries import Boundaries, Level
from chunkwright.chunking.measure import Measure
from chunkwright.errors import SetupError
from chunkwright.setup import Setup
from chunkwright.spans import Integers
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import TokenCounter


class Fixed:
    """Windows of equal size: window k covers units `[k(n-o), k(n-o)+n)`."""

    name = "fixed"
    units = ("characters", "words", "tokens")

    def overlap_units(self, unit: str) -> tuple[str, ...]:
        """The windows are counted in one unit, so the overlap is too."""
        return (unit, "percent")

    def boundaries(
        self, analysis: Analysis, setup: Setup, measure: Measure, counter: TokenCounter
    ) -> Boundaries:
        """Every unit is a cut; characters need no list of them."""
        del measure
        if setup.unit == "characters":
            return Boundaries()
        cuts = self._cuts(analysis, setup, counter)
        return Boundaries(rough=(Level(lambda: cuts),), windows=cuts)

    def _cuts(self, analysis: Analysis, setup: Setup, counter: TokenCounter) -> Integers:
        if setup.unit == "words":
            return analysis.words
        starts = analysis.tokens(counter).starts
        if starts is None:
            raise SetupError(
                f"strategy 'fixed' needs to know where tokens lie, and the counter "
                f"{counter.name!r} only counts; use 'sentence' or 'recursive', or a tokenizer"
            )
        starts = analysis.clusters.all_down(starts)
        return starts[np.searchsorted(starts, analysis.start) :]


FIXED = Fixed()
