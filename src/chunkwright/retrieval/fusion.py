"""Hybrid retrieval: BM25 and static vectors, each scaled per question, then added."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
        first = _scaled(self.first.scores(pool, questions))
        second = _scaled(self.second.scores(pool, questions))
        return np.asarray(self.weight * first + (1 - self.weight) * second, np.float32)


def _scaled(scores: Scores) -> Scores:
    if not scores.size:
        return scores
    low = scores.min(axis=1, keepdims=True)
    width = scores.max(axis=1, keepdims=True) - low
    return np.divide(scores - low, width, out=np.zeros_like(scores), where=width > 0)


HYBRID = Hybrid()
