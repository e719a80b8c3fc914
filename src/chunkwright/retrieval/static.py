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
from chunkwright.retrieval.kept import Kept
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Scores

Vectors = NDArray[np.float32]
_DIMENSIONS = 256
# Chunks that are summed at a time.
_BLOCK = 1 << 9
# Terms whose vectors are made at a time.
_TERMS = 1 << 14


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
        self._tables: WeakKeyDictionary[Collection, TermTable] = WeakKeyDictionary()
        self._vectors = Kept[Vectors]()

    def __reduce__(self) -> tuple[type[Static], tuple[float]]:
        return Static, (self.smoothing,)

    @property
    def key(self) -> str:
        """The name with all settings."""
        return f"static(smoothing={self.smoothing})"

    def scores(self, pool: Pool, questions: Sequence[str]) -> Scores:
        """Cosine, moved to 0..1. Shape `(questions, chunks)`."""
        collection = pool.collection
        asked = collection.question_counts(questions)
        table = self._tables.get(collection)
        if table is None:
            table = self._tables[collection] = TermTable(collection, self.smoothing)
        vectors = _unit(np.asarray(asked @ table.vectors[: asked.shape[1]], np.float32))
        chunks = self._vectors.get(pool)
        if chunks is None:  # made once, however many questions are asked
            self._vectors.make_room(len(pool) * _DIMENSIONS * 4)
            chunks = _unit(table.chunks(pool))
            self._vectors.put(pool, chunks, chunks.nbytes)
        scores = np.asarray(vectors @ chunks.T, np.float32)
        scores += 1
        scores /= 2
        return scores


class TermTable:
    """The weighted vectors of a collection's terms.

    Args:
        collection: The collection.
        smoothing: As `Static`.
    """

    def __init__(self, collection: Collection, smoothing: float) -> None:
        # Not the collection itself, which lives only as long as others need it.
        self.total = len(collection.term_numbers)
        self.counts = collection.term_counts
        self.vocabulary = collection.vocabulary
        self.smoothing = smoothing
        self._filled = 0
        self._rows: Vectors = np.empty((0, _DIMENSIONS), np.float32)

    @property
    def vectors(self) -> Vectors:
        """One row a term; they become more as the vocabulary grows. Shape `(terms, 256)`."""
        filled, wanted = self._filled, len(self.vocabulary)
        if filled < wanted:
            if wanted > len(self._rows):
                rows = np.empty((wanted + wanted // 8 + 64, _DIMENSIONS), np.float32)
                rows[:filled] = self._rows[:filled]
                self._rows = rows
            counts = np.zeros(wanted - filled)
            known = self.counts[filled:]  # the terms of the documents have the first numbers
            counts[: len(known)] = known
            share = counts / max(1, self.total)
            strings = self.vocabulary.strings(filled)
            for first in range(0, len(strings), _TERMS):
                part = slice(first, min(first + _TERMS, len(strings)))
                fresh = term_vectors().of(strings[part])
                fresh *= (self.smoothing / (self.smoothing + share[part])).astype(np.float32)[
                    :, None
                ]
                self._rows[filled + part.start : filled + part.stop] = fresh
            self._filled = wanted
        return self._rows[:wanted]

    def chunks(self, pool: Pool) -> Vectors:
        """The sum of the vectors of each chunk's terms. Shape `(chunks, 256)`."""
        # Differences of running sums would be faster still, but their last bits depend on where
        # a chunk stands, and a last bit can part or make a tie.
        result = np.empty((len(pool), _DIMENSIONS), np.float32)
        _ = pool.added  # these terms may be new ones
        vectors = self.vectors
        for first in range(0, len(pool), _BLOCK):
            part = slice(first, min(first + _BLOCK, len(pool)))
            result[part] = pool.rows(part.start, part.stop) @ vectors
        return result


def _unit(vectors: Vectors) -> Vectors:
    """The vectors, in place, at length 1; those of length 0 stay."""
    for first in range(0, len(vectors), _BLOCK):
        part = vectors[first : first + _BLOCK]
        length = np.linalg.norm(part, axis=1, keepdims=True)
        length[length == 0] = 1
        part /= length
    return vectors


STATIC = Static()
