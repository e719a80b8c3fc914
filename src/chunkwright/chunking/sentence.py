"""`sentence`: whole sentences, as many as fit."""

from __future__ import annotations

from chunkwright.chunking.boundaries import Boundaries, Level, any_overlap, fallback
from chunkwright.chunking.measure import Measure
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import TokenCounter


class Sentence:
    """Cuts between sentences; one that is too long is cut at clauses, then words."""

    name = "sentence"
    units = ("characters", "words", "tokens", "sentences")

    def overlap_units(self, unit: str) -> tuple[str, ...]:
        """Any unit."""
        return any_overlap(unit)

    def boundaries(
        self, analysis: Analysis, setup: Setup, measure: Measure, counter: TokenCounter
    ) -> Boundaries:
        """One level of sentences, and what is finer."""
        del setup, measure, counter
        return Boundaries(clean=(Level(lambda: analysis.sentences),), rough=fallback(analysis))


SENTENCE = Sentence()
