"""`sentence`: whole sentences, as many as fit."""

from __future__ import annotations

from chunkwright.chunking.boundaries import ALL_UNITS, Boundaries, Level, Strategy, fallback
from chunkwright.chunking.measure import Measure
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import TokenCounter


def boundaries(
    analysis: Analysis, _setup: Setup, _measure: Measure, _counter: TokenCounter
) -> Boundaries:
    """Cuts between sentences; one that is too long is cut at clauses, then words."""
    return Boundaries(clean=(Level(lambda: analysis.sentences),), rough=fallback(analysis))


SENTENCE = Strategy("sentence", ALL_UNITS, boundaries)
