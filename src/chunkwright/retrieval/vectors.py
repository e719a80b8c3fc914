"""The vector cache: what was embedded once is never embedded again."""

from __future__ import annotations

import sqlite3
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkwright.errors import ChunkwrightError
from chunkwright.retrieval.embedders import Embedder, Truncation, Vectors, checked
from chunkwright.spans import Integers

# Arrays of more bytes are kept in a file that the system maps into memory.
MEMORY = 1 << 28
# "chnk": says that an SQLite file is ours.
_APPLICATION = 0x63686E6B
_LAYOUT = 1
# Tokens that are embedded between two savings: a killed process loses no more than these.
_SAVED_TOKENS = 1 << 14
_ROWS = 500
_SCHEMA = """
CREATE TABLE embedders (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
CREATE TABLE vectors (
    embedder INTEGER NOT NULL,
    text BLOB NOT NULL,
    tokens INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (embedder, text)
);
"""


class Embedded(NamedTuple):
    """Texts embedded.

    Attributes:
        vectors: One of length 1 a text. Shape `(texts, dimensions)`.
        tokens: Tokens of each text in the embedder's own count, whatever its limit.
    """

    vectors: Vectors
    tokens: Integers


class Entry(NamedTuple):
    """What is kept of a text: its tokens, and a vector as bytes."""

    tokens: int
    vector: bytes


def text_hash(text: bytes) -> bytes:
    """The hash that a text is kept under."""
    return blake2b(text, digest_size=16).digest()


def room(shape: tuple[int, int], memory: int = MEMORY) -> NDArray[np.float32]:
    """An array of zeros: in memory, or past a limit in a file that goes with it."""
    if shape[0] * shape[1] * 4 <= memory:
        return np.zeros(shape, np.float32)
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, np.float32, "w+", shape=shape)


class VectorCache:
    """Vectors by embedder and text, in one SQLite file that any number of processes may share.

    Each vector is kept with a checksum; one that does not match is embedded again.

    Args:
        path: The file, made if need be; without one, the vectors go with the process.

    Attributes:
        hits: Texts asked for that did not have to be embedded, copies within a call too.
        misses: Texts embedded.
        tokens: Tokens that the embedder read for them.

    >>> from chunkwright.retrieval.wordllama import wordllama
    >>> cache = VectorCache()
    >>> cache.embed(wordllama(), ["a lamp", "a hub", "a lamp"]).vectors.shape
    (3, 256)
    >>> cache.hits, cache.misses
    (1, 2)
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.hits = 0
        self.misses = 0
        self.tokens = 0
        self._open: sqlite3.Connection | None = None
        self._lock = RLock()

    def __reduce__(self) -> tuple[type[VectorCache], tuple[Path | None]]:
        return VectorCache, (self.path,)

    def embed(
        self, embedder: Embedder, texts: Sequence[str], what: str = ""
    ) -> Embedded:
        """The vectors of texts, from the cache where it has them.

        Args:
            embedder: The embedder.
            texts: The texts, prompts included.
            what: What they are, such as `chunks`. If it is given, the user is warned before
                anything is embedded of what the embedder would cut off.

        Raises:
            ChunkwrightError: The file cannot be used.
        """
        names = [text_hash(text.encode("utf-8", "surrogatepass")) for text in texts]
        width = embedder.dimensions
        found = {}
