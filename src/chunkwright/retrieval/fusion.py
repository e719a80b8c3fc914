"""Hybrid retrieval: BM25 and static vectors, each scaled per question, then added."""

from __future__ import annotations

from collections.abc import Sequence

from chunkwright.retrieval.lexical import BM25
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Retriever, Scores
from chunkwright.retrieval.static import STATIC


class Hybrid:
    """A weighted sum of two retrievers' scores.

    Each question's scores are scaled to 0..1 first (Bruch, Gai and Ingber, "An Analysis of
    Fusion Functions for Hybrid Retrieval", 2023).

    Args:
        weight: Share of the first retriever.
        first: The first retriever.
        second: The second retriever.
    """

    name = "hybrid"

    def __init__(
        self, weight: float = 0.4, first: Retriever = BM25, second: Retriever = STATIC
    ) -> None:
        self.weight = weight
        self.first = first
        self.second = second

    @property
    def key(self) -> str:
        """The name with all settings."""
        return f"hybrid({self.weight} * {self.first.key} + {self.second.key})"

    def scores(self, pool: Pool, questions: Sequence[str]) -> Scores:
        """The weighted sum. Shape `(questions, chunks)`."""
        scores = _scaled(self.first.scores(pool, questions))
        scores *= self.weight
        second = _scaled(self.second.scores(pool, questions))
        second *= 1 - self.weight
        scores += second
        return scores


def _scaled(scores: Scores) -> Scores:
    """Each row moved and stretched to 0..1; one without any difference is 0."""
    if not scores.size:
        return scores.copy()
    low = scores.min(axis=1, keepdims=True)
    width = scores.max(axis=1, keepdims=True) - low
    width[width <= 0] = 1
    moved = scores - low
    moved /= width
    return moved


HYBRID = Hybrid()
