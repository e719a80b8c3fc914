"""BM25 over the terms of chunks."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Scores


class Bm25:
    """BM25 as Lucene computes it: `idf = ln(1 + (N - df + 0.5) / (df + 0.5))`.

    Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the usual
    k1 = 1.2 and b = 0.75.
    """

    name = "bm25"

    def __init__(self, k1: float = 1.2, b: float = 0.75) -> None:
        self.k1 = k1
        self.b = b
        self._weights: WeakKeyDictionary[Pool, sparse.csr_array] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[type[Bm25], tuple[float, float]]:
        return Bm25, (self.k1, self.b)

    @property
    def key(self) -> str:
        """The name with all settings."""
        return f"bm25(k1={self.k1}, b={self.b})"

    def scores(self, pool: Pool, questions: Sequence[str]) -> Scores:
        """BM25 of every chunk for every question. Shape `(questions, chunks)`."""
        asked = pool.collection.question_counts(questions)
        weights = self._weights.get(pool)
        if weights is None:
            weights = self._weights[pool] = self.weights(pool.counts)
        width = max(asked.shape[1], weights.shape[1])
        asked, weights = _widened(asked, width), _widened(weights, width)
        return np.asarray((asked @ weights.T).toarray(), np.float32)

    def weights(self, counts: sparse.csr_array) -> sparse.csr_array:
        """The weight of each term in each chunk. Shape as `counts`."""
        chunks = counts.shape[0]
        lengths = np.asarray(counts.sum(axis=1), np.float64)
        mean = lengths.mean() if chunks and lengths.sum() else 1.0
        held = np.bincount(counts.indices, minlength=counts.shape[1])
        idf = np.log1p((chunks - held + 0.5) / (held + 0.5))
        rows = np.repeat(np.arange(chunks), np.diff(counts.indptr))
        frequency = counts.data.astype(np.float64)
        norm = self.k1 * (1 - self.b + self.b * lengths[rows] / mean)
        data = idf[counts.indices] * frequency * (self.k1 + 1) / (frequency + norm)
        return sparse.csr_array(
            (data.astype(np.float32), counts.indices, counts.indptr), shape=counts.shape
        )


def _widened(matrix: sparse.csr_array, width: int) -> sparse.csr_array:
    """The matrix with empty columns added, as the vocabulary grows with questions."""
    if matrix.shape[1] == width:
        return matrix
    return sparse.csr_array(
        (matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], width)
    )


BM25 = Bm25()
