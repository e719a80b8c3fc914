"""`recursive`: at the coarsest break that still fills the chunk."""

from __future__ import annotations

from chunkwright.chunking.boundaries import Boundaries, Level, Strategy, fallback
from chunkwright.chunking.measure import Measure
from chunkwright.setup import Setup
from chunkwright.spans import without
from chunkwright.text.analysis import Analysis
from chunkwright.text.sentences import is_sentence_start
from chunkwright.text.tokens import TokenCounter


def boundaries(
    analysis: Analysis, _setup: Setup, _measure: Measure, _counter: TokenCounter
) -> Boundaries:
    """Paragraphs, then lines, sentences, clauses, words, graphemes.

    A heading stays with what follows it while the two fit.

    Sentences are found by their stops, and only the ones that a chunk might end at are looked
    at closely: a full segmentation would cost more than all the rest.
    """
    text, kept = analysis.text, analysis.structure.kept
    sentences = Level(
        lambda: without(analysis.stops, kept),
        lambda at: is_sentence_start(text, at, analysis.language, cased=analysis.cased),
    )
    return Boundaries(
        clean=(
            Level(lambda: without(analysis.paragraph_cuts, kept)),
            Level(lambda: without(analysis.line_cuts, kept)),
            sentences,
        ),
        spare=((Level(lambda: kept),),) if len(kept) else (),
        rough=fallback(analysis),
        fill=0.5,
    )


RECURSIVE = Strategy("recursive", ("characters", "words", "tokens"), boundaries)
