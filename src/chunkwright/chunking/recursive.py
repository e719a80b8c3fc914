"""`recursive`: at the coarsest break that still fills the chunk."""

from __future__ import annotations

from chunkwright.chunking.boundaries import Boundaries, Level, Strategy, fallback
from chunkwright.chunking.measure import Measure
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from chunkwright.text.sentences import is_sentence_start
from chunkwright.text.tokens import TokenCounter


def boundaries(
    analysis: Analysis, _setup: Setup, _measure: Measure, _counter: TokenCounter
) -> Boundaries:
    """Paragraphs, then lines, sentences, clauses, words, graphemes.

    Sentences are found by their stops, and only the ones that a chunk might end at are looked
    at closely: a full segmentation would cost more than all the rest.
    """
    text = analysis.text
    sentences = Level(
        lambda: analysis.stops, lambda at: is_sentence_start(text, at, cased=analysis.cased)
    )
    lines = Level(lambda: analysis.line_cuts)
    paragraphs = Level(lambda: analysis.paragraph_cuts)
    return Boundaries(clean=(paragraphs, lines, sentences), rough=fallback(analysis), fill=0.5)


RECURSIVE = Strategy("recursive", ("characters", "words", "tokens"), boundaries)
