"""Static vectors: each chunk is the mean of its terms' vectors, from weights in a package."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chunkwright.errors import ChunkwrightError
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Scores

Vectors = NDArray[np.float32]
_DIMENSIONS = 256


class TermVectors:
    """Vectors of terms from the `wordllama` package: the sum of the vectors of their pieces.

    Its weight and tokenizer files are opened by path; the package itself, which would ask the
    network, is never imported.

    Raises:
        ChunkwrightError: The package or one of its files is missing.
    """

    def __init__(self) -> None:
        import tokenizers
        from safetensors.numpy import load_file

        spec = find_spec("wordllama")
        if spec is None or not spec.submodule_search_locations:
            raise ChunkwrightError("static vectors need the package wordllama: install it")
        folder = Path(spec.submodule_search_locations[0])
        weights = folder / "weights" / "l2_supercat_256.safetensors"
        tokenizer = folder / "tokenizers" / "l2_supercat_tokenizer_config.json"
        for path in (weights, tokenizer):
            if not path.is_file():
                raise ChunkwrightError(f"wordllama lacks {path.name}; reinstall the package")
        tables = load_file(weights)
        self._table: Vectors = np.asarray(next(iter(tables.values())), np.float32)
        self._tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def of(self, strings: Sequence[str]) -> Vectors:
        """One vector a term. Shape `(terms, 256)`."""
        found = self._tokenizer.encode_batch_fast(list(strings), add_special_tokens=False)
        lengths = np.array([len(encoding.ids) for encoding in found], np.int64)
        pieces = np.concatenate([np.empty(0, np.int64), *(np.array(e.ids) for e in found)])
        rows = np.repeat(np.arange(len(strings)), lengths)
        chosen = sparse.csr_array(
            (np.ones(len(pieces), np.float32), (rows, pieces.astype(np.int64))),
            shape=(len(strings), len(self._table)),
        )
        return np.asarray(chosen @ self._table, np.float32)


@cache
def term_vectors() -> TermVectors:
    """The bundled vectors, loaded once."""
    return TermVectors()


class Static:
    """Cosine of mean vectors.

    Being a sum over terms, a chunk's vector is its row of counts times the table of term
    vectors: no text is read again for another setup. Frequent terms count less: each is weighed
    by `a / (a + share of the collection)`, as in Arora, Liang and Ma, "A Simple but Tough-to-Beat
    Baseline for Sentence Embeddings" (2017).
    """

    name = "static"

    def __init__(self, smoothing: float = 1e-3) -> None:
        self.smoothing = smoothing
        self._tables: WeakKeyDictionary[Collection, Vectors] = WeakKeyDictionary()
        self._vectors: WeakKeyDictionary[Pool, Vectors] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[type[Static], tuple[float]]:
        return Static, (self.smoothing,)

    @property
    def key(self) -> str:
        """The name with all settings."""
        return f"static(smoothing={self.smoothing})"

    def scores(self, pool: Pool, questions: Sequence[str]) -> Scores:
        """Cosine, raised to 0 and above. Shape `(questions, chunks)`."""
        asked = pool.collection.question_counts(questions)
        table = self._table(pool)
        vectors = _unit(np.asarray(asked @ table[: asked.shape[1]], np.float32))
        return np.asarray((1 + vectors @ self._chunks(pool, table).T) / 2, np.float32)

    def _chunks(self, pool: Pool, table: Vectors) -> Vectors:
        """The vectors of a pool's chunks, made once however many questions are asked."""
        known = self._vectors.get(pool)
        if known is None:
            counts = pool.counts
            known = _unit(np.asarray(counts @ table[: counts.shape[1]], np.float32))
            self._vectors[pool] = known
        return known

    def _table(self, pool: Pool) -> Vectors:
        """Weighted vectors of the collection's terms; grows as the vocabulary does."""
        collection = pool.collection
        known = self._tables.get(collection, np.empty((0, _DIMENSIONS), np.float32))
        vocabulary = collection.vocabulary
        if len(known) < len(vocabulary):
            fresh = term_vectors().of(vocabulary.strings(len(known)))
            counts = np.bincount(collection.term_numbers, minlength=len(vocabulary))
            share = counts[len(known) :] / max(1, len(collection.term_numbers))
            fresh *= (self.smoothing / (self.smoothing + share)).astype(np.float32)[:, None]
            known = np.concatenate([known, fresh])
            self._tables[collection] = known
        return known


def _unit(vectors: Vectors) -> Vectors:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


STATIC = Static()
