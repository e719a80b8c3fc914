"""BM25 over the terms of chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.kept import Kept
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Scores
from chunkwright.spans import Integers, merged, without


class Bm25:
    """BM25 as Lucene computes it: `idf = ln(1 + (N - df + 0.5) / (df + 0.5))`.

    Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the usual
    k1 = 1.2 and b = 0.75.
    """

    name = "bm25"

    def __init__(self, k1: float = 1.2, b: float = 0.75) -> None:
        self.k1 = k1
        self.b = b
        self._asked: WeakKeyDictionary[Collection, Integers] = WeakKeyDictionary()
        self._weights = Kept[Weights]()

    def __reduce__(self) -> tuple[type[Bm25], tuple[float, float]]:
        return Bm25, (self.k1, self.b)

    @property
    def key(self) -> str:
        """The name with all settings."""
        return f"bm25(k1={self.k1}, b={self.b})"

    def scores(self, pool: Pool, questions: Sequence[str]) -> Scores:
        """BM25 of every chunk for every question. Shape `(questions, chunks)`."""
        asked = pool.collection.question_counts(questions)
        return self._known(pool, np.unique(asked.indices)).scores(asked)

    def _known(self, pool: Pool, terms: Integers) -> Weights:
        """The weights of at least some terms in a pool: all that its collection was asked for."""
        known = self._weights.get(pool)
        if known is None or len(without(terms, known.terms)):
            asked = merged(self._asked.get(pool.collection, terms[:0]), terms)
            self._asked[pool.collection] = asked
            known = Weights(asked, self.weights(pool, asked).T)
            self._weights.put(pool, known, known.nbytes)
        return known

    def weights(self, pool: Pool, terms: Integers) -> sparse.csc_array:
        """The weight of some terms in each chunk. Shape `(chunks, terms)`."""
        counts = pool.counts(terms)
        lengths, chunks = pool.lengths, len(pool)
        mean = lengths.mean() if chunks and lengths.sum() else 1.0
        held = np.diff(counts.indptr)
        idf = np.log1p((chunks - held + 0.5) / (held + 0.5))
        norm = self.k1 * (1 - self.b + self.b * lengths / mean)
        frequency = counts.data.astype(np.float64)
        data = np.repeat(idf, held) * frequency
        data *= self.k1 + 1
        frequency += norm[counts.indices]
        data /= frequency
        return sparse.csc_array(
            (data.astype(np.float32), counts.indices, counts.indptr), shape=counts.shape
        )


class Weights(NamedTuple):
    """The weights of terms in chunks.

    Attributes:
        terms: Numbers of the terms, ascending.
        table: The weight of each in each chunk. Shape `(terms, chunks)`.
    """

    terms: Integers
    table: sparse.csr_array

    @property
    def nbytes(self) -> int:
        """Bytes of the weights."""
        return self.table.data.nbytes + self.table.indices.nbytes

    def scores(self, asked: sparse.csr_array) -> Scores:
        """Sums of the weights of the terms asked for, all known. Shape `(questions, chunks)`."""
        columns = np.searchsorted(self.terms, asked.indices).astype(np.int32)
        shape = asked.shape[0], len(self.terms)
        asked = sparse.csr_array((asked.data, columns, asked.indptr), shape=shape)
        return np.asarray((asked @ self.table).toarray(), np.float32)


BM25 = Bm25()
