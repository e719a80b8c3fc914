"""`sentence`: whole sentences, as many as fit."""

from __future__ import annotations

from chunkwright.chunking.boundaries import ALL_UNITS, Boundaries, Level, Strategy, fallback
from chunkwright.chunking.measure import Measure
from chunkwright.setup import Setup
from chunkwright.spans import without
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import TokenCounter


def boundaries(
    analysis: Analysis, _setup: Setup, _measure: Measure, _counter: TokenCounter
) -> Boundaries:
    """Cuts between sentences; one that is too long is cut at clauses, then words.

    A heading stays with what follows it while the two fit.
    """
    kept = analysis.structure.kept
    return Boundaries(
        clean=(Level(lambda: without(analysis.sentences, kept)),),
        spare=((Level(lambda: analysis.sentences),),) if len(kept) else (),
        rough=fallback(analysis),
    )


SENTENCE = Strategy("sentence", ALL_UNITS, boundaries)
