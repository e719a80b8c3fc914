"""Dense retrieval: cosine of a question's vector and those of the chunks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from chunkwright.retrieval.embedders import Embedder, Truncation, Vectors, embedder
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Scores
from chunkwright.retrieval.vectors import Embedded, VectorCache

if TYPE_CHECKING:
    from chunkwright.retrieval.late import Late


class Dense:
    """Every chunk's embed_text is embedded, and so is the question.

    Args:
        embedded_by: The embedder or its name, which is looked up when it is needed.
        cache: Where vectors are kept; they go with the process if left out.
    """

    def __init__(self, embedded_by: Embedder | str, cache: VectorCache | None = None) -> None:
        self._embedded_by = embedded_by
        self.cache = cache or VectorCache()
        self._pools: WeakKeyDictionary[Pool, Embedded] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[type[Dense], tuple[Embedder | str, VectorCache]]:
        return Dense, (self._embedded_by, self.cache)

    def kept_in(self, path: Path) -> Dense:
        """The same retriever with its vectors in a file."""
        return Dense(self._embedded_by, VectorCache(path))

    @cached_property
    def embedder(self) -> Embedder:
        """What makes the vectors."""
        given = self._embedded_by
        return embedder(given) if isinstance(given, str) else given

    @property
    def name(self) -> str:
        """The embedder's."""
        given = self._embedded_by
        return given if isinstance(given, str) else given.name

    @property
    def key(self) -> str:
        """The embedder's."""
        return f"dense({self.embedder.key})"

    @property
    def screen(self) -> Late | None:
        """A cheaper retriever that stands in for this one: late vectors of the same model.

        None where the embedder gives no vectors of tokens, or does not pool them by the mean.
        """
        from chunkwright.retrieval.late import Late

        made_by = self.embedder
        if not hasattr(made_by, "token_vectors") or not getattr(made_by, "pools_by_mean", True):
            return None
        return Late(self._embedded_by, self.cache)  # type: ignore[arg-type]

    def scores(self, pool: Pool, questions: Sequence[str]) -> Scores:
        """Cosine, moved to 0..1. Shape `(questions, chunks)`."""
        return cosines(question_vectors(self.embedder, self.cache, questions), self.vectors(pool))

    def vectors(self, pool: Pool) -> Vectors:
        """The vectors of a pool's chunks. Shape `(chunks, dimensions)`.

        The user is warned, before anything is embedded, of what the embedder would cut off.
        """
        return self._embedded(pool).vectors

    def truncation(self, pool: Pool) -> Truncation:
        """What the embedder did not read of a pool's chunks."""
        return Truncation.of(self._embedded(pool).tokens, self.embedder.limit)

    def _embedded(self, pool: Pool) -> Embedded:
        known = self._pools.get(pool)
        if known is None:
            prompt = self.embedder.text_prompt
            texts = [prompt + text for text in pool.embed_texts()]
            known = self.cache.embed(self.embedder, texts, f"chunks of {pool.setup}")
            self._pools[pool] = known
        return known


def question_vectors(embedder: Embedder, cache: VectorCache, questions: Sequence[str]) -> Vectors:
    """The vectors of questions. Shape `(questions, dimensions)`."""
    prompt = embedder.question_prompt
    return cache.embed(embedder, [prompt + question for question in questions], "questions").vectors


def cosines(questions: Vectors, chunks: Vectors) -> Scores:
    """Cosine of each pair of vectors of length 1, moved to 0..1. Shape `(questions, chunks)`.

    >>> import numpy as np
    >>> east, west = np.eye(1, 2, dtype=np.float32), -np.eye(1, 2, dtype=np.float32)
    >>> cosines(east, np.concatenate([east, west])).tolist()
    [[1.0, 0.0]]
    """
    scores = np.asarray(questions @ chunks.T, np.float32)
    scores += 1
    scores /= 2
    return np.clip(scores, 0, 1, out=scores)


MINILM = Dense("minilm")
