"""`fixed`: equal windows of characters, words or tokens."""

from __future__ import annotations

import numpy as np

from chunkwright.chunking.boundaries import Boundaries, Level, Strategy
from chunkwright.chunking.measure import Measure
from chunkwright.errors import SetupError
from chunkwright.setup import Setup
from chunkwright.spans import Integers
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import TokenCounter


def boundaries(
    analysis: Analysis, setup: Setup, _measure: Measure, counter: TokenCounter
) -> Boundaries:
    """Windows of equal size: window k covers units `[k(n-o), k(n-o)+n)`.

    Every unit is a cut; characters need no list of them.
    """
    if setup.unit == "characters":
        return Boundaries()
    if setup.unit == "words":
        return Boundaries(rough=(Level(lambda: analysis.words),), windows=analysis.words)
    cuts = _tokens(analysis, counter)
    return Boundaries(rough=(Level(lambda: _visible(analysis, cuts)),), windows=cuts)


def _visible(analysis: Analysis, cuts: Integers) -> Integers:
    """The cuts, moved over white space: a token often starts with the space before its word."""
    found = np.unique(analysis.all_next_visible(cuts))
    return analysis.allowed(found[found < len(analysis.text)])


def _tokens(analysis: Analysis, counter: TokenCounter) -> Integers:
    starts = analysis.tokens(counter).starts
    if starts is None:
        raise SetupError(
            f"strategy 'fixed' needs to know where tokens lie, and the counter {counter.name!r} "
            "only counts; use 'sentence' or 'recursive', or a tokenizer"
        )
    starts = analysis.clusters.all_down(starts)
    return starts[np.searchsorted(starts, analysis.start) :]


FIXED = Strategy("fixed", ("characters", "words", "tokens"), boundaries, windows=True)
