"""`recursive`: at the coarsest break that still fills the chunk."""

from __future__ import annotations

from chunkwright.chunking.boundaries import Boundaries, Level, Strategy, fallback
from chunkwright.chunking.measure import Measure
from chunkwright.setup import Setup
from chunkwright.spans import without
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import TokenCounter


def boundaries(
    analysis: Analysis, _setup: Setup, _measure: Measure, _counter: TokenCounter
) -> Boundaries:
    """Paragraphs, then lines, sentences, clauses, words, graphemes.

    A heading stays with what follows it while the two fit.

    Sentences are found by their stops alone.
    """
    kept = analysis.structure.kept
    return Boundaries(
        clean=(
            Level(lambda: without(analysis.paragraph_cuts, kept)),
            Level(lambda: without(analysis.line_cuts, kept)),
            Level(lambda: without(analysis.ended, kept)),
        ),
        spare=((Level(lambda: kept),),) if len(kept) else (),
        rough=fallback(analysis),
        fill=0.5,
    )


RECURSIVE = Strategy("recursive", ("characters", "words", "tokens"), boundaries)
