"""The vector cache: what was embedded once is never embedded again."""

from __future__ import annotations

import sqlite3
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import NamedTuple
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from chunkwright.errors import ChunkwrightError
from chunkwright.retrieval.embedders import Embedder, Truncation, Vectors, batches, checked
from chunkwright.spans import Integers

# Arrays of more bytes are kept in a file that the system maps into memory.
MEMORY = 1 << 28
# "chnk": says that an SQLite file is ours.
_APPLICATION = 0x63686E6B
_LAYOUT = 1
# Tokens that are embedded between two savings: a killed process loses no more than these.
_SAVED_TOKENS = 1 << 14
_ROWS = 500
_SCHEMA = (
    "CREATE TABLE embedders (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE)",
    "CREATE TABLE vectors (embedder INTEGER NOT NULL, text BLOB NOT NULL, tokens INTEGER NOT NULL, "
    "checksum INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (embedder, text))",
)


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
        hits: Texts (or windows of late vectors) that did not have to be embedded, copies within a
            call too.
        misses: Texts and windows embedded.
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
        self._close: Callable[[], object] | None = None
        self._lock = RLock()

    def __reduce__(self) -> tuple[type[VectorCache], tuple[Path | None]]:
        return VectorCache, (self.path,)

    def embed(self, embedder: Embedder, texts: Sequence[str], what: str = "") -> Embedded:
        """The vectors of texts, from the cache where it has them.

        Args:
            embedder: The embedder.
            texts: The texts, prompts included.
            what: What they are, such as `chunks`. If it is given, the user is warned of what the
                embedder would cut off, before anything is embedded.

        Raises:
            ChunkwrightError: The file cannot be used.
        """
        places: dict[bytes, list[int]] = {}
        for at, text in enumerate(texts):
            places.setdefault(text_hash(text.encode()), []).append(at)
        made = Embedded(room((len(texts), embedder.dimensions)), np.zeros(len(texts), np.int64))
        missing = dict(places)
        for name, entry in self.read(embedder.key, places):
            vector = np.frombuffer(entry.vector, "<f4")
            if vector.shape == (embedder.dimensions,):
                made.vectors[places[name]] = vector
                made.tokens[places[name]] = entry.tokens
                del missing[name]
        chosen = [texts[at[0]] for at in missing.values()]
        counts = embedder.count(chosen)
        for rows, count in zip(missing.values(), counts.tolist(), strict=True):
            made.tokens[rows] = count
        if what:
            lost = Truncation.of(made.tokens, embedder.limit).warning(embedder.name, what)
            if lost is not None:
                warnings.warn(lost, stacklevel=2)
        self._embed_missing(embedder, chosen, counts, list(missing.items()), made)
        self.hits += len(texts) - len(missing)
        return made

    def _embed_missing(
        self,
        embedder: Embedder,
        texts: Sequence[str],
        counts: Integers,
        missing: Sequence[tuple[bytes, list[int]]],
        made: Embedded,
    ) -> None:
        """Embed texts, the longest first, and save them every so many tokens."""
        read = counts if embedder.limit is None else np.minimum(counts, embedder.limit)
        for part in batches(read, _SAVED_TOKENS):
            vectors = embedder.embed([texts[at] for at in part.tolist()])
            vectors = checked(vectors, len(part), embedder)
            entries = []
            for at, vector in zip(part.tolist(), vectors, strict=True):
                name, rows = missing[at]
                made.vectors[rows] = vector
                entries.append((name, Entry(int(counts[at]), vector.astype("<f4").tobytes())))
            self.write(embedder.key, entries)
            self.misses += len(part)
            self.tokens += int(read[part].sum())

    def read(self, key: str, names: Iterable[bytes]) -> Iterator[tuple[bytes, Entry]]:
        """What is kept under a key for the names that it has, in any order.

        Args:
            key: What made the vectors.
            names: Hashes of what was embedded.
        """
        remaining = iter(names)
        while part := set(islice(remaining, _ROWS)):
            marks = ",".join("?" * len(part))
            with self._database() as database:
                rows = database.execute(
                    "SELECT text, tokens, checksum, vector FROM vectors WHERE embedder = "
                    f"(SELECT number FROM embedders WHERE key = ?) AND text IN ({marks})",
                    (key, *part),
                ).fetchall()
            for name, tokens, checksum, vector in rows:
                # In a damaged file anything may stand anywhere.
                sound = isinstance(tokens, int) and isinstance(vector, bytes) and name in part
                if sound and checksum == _checksum(name, tokens, vector):
                    part.discard(name)
                    yield name, Entry(tokens, vector)

    def write(self, key: str, entries: Iterable[tuple[bytes, Entry]]) -> None:
        """Keep entries; they are saved when this returns.

        Args:
            key: What made the vectors.
            entries: Hashes of what was embedded, and what came of it.
        """
        rows = [
            (name, tokens, _checksum(name, tokens, vector), vector)
            for name, (tokens, vector) in entries
        ]
        with self._database() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                database.execute("INSERT OR IGNORE INTO embedders (key) VALUES (?)", (key,))
                (number,) = database.execute(
                    "SELECT number FROM embedders WHERE key = ?", (key,)
                ).fetchone()
                database.executemany(
                    f"INSERT OR REPLACE INTO vectors VALUES ({number}, ?, ?, ?, ?)", rows
                )
                database.execute("COMMIT")
            except BaseException:
                database.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
        with self._lock:
            if self._close is not None:
                self._close()
            self._open = self._close = None

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """The open file; what goes wrong with it is told in one line."""
        with self._lock:
            try:
                if self._open is None:
                    self._open = _opened(self.path)
                    # Closed in so many words, also at the end of the process: then the journal
                    # beside the file is folded into it.
                    self._close = finalize(self, self._open.close)
                yield self._open
            except sqlite3.OperationalError as problem:
                raise ChunkwrightError(
                    f"vector cache {self.path}: cannot be used ({problem})"
                ) from problem
            except (sqlite3.Error, UnicodeDecodeError) as problem:
                raise ChunkwrightError(
                    f"vector cache {self.path}: damaged ({problem}); delete it, and it is made anew"
                ) from problem
            except OSError as problem:
                raise ChunkwrightError(
                    f"vector cache {self.path}: cannot be made ({problem.strerror})"
                ) from problem


def user_cache() -> Path:
    """The file that vectors are kept in where nobody named another: in the user's cache folder."""
    from platformdirs import user_cache_path

    return user_cache_path("chunkwright", appauthor=False) / "vectors.sqlite"


def _checksum(name: bytes, tokens: int, vector: bytes) -> int:
    """SQLite itself would not see a flipped bit."""
    return zlib.crc32(vector, zlib.crc32(b"%b %d" % (name, tokens)))


def _opened(path: Path | None) -> sqlite3.Connection:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    # Without a name, SQLite keeps the tables in a file of its own as soon as they are large.
    database = sqlite3.connect(
        path or "", timeout=60, isolation_level=None, check_same_thread=False
    )
    try:
        _prepare(database, path)
    except BaseException:
        database.close()
        raise
    return database


def _prepare(database: sqlite3.Connection, path: Path | None) -> None:
    """Make the tables, or see that they are those of this version."""
    marks = _marks(database)
    if marks == (0, 0, 0):
        database.execute("PRAGMA page_size = 16384")  # a vector takes some 1.5 kB
        database.execute("BEGIN IMMEDIATE")  # of several processes, the first one makes them
        marks = _marks(database)
        if marks == (0, 0, 0):
            for statement in _SCHEMA:
                database.execute(statement)
            database.execute(f"PRAGMA application_id = {_APPLICATION}")
            database.execute(f"PRAGMA user_version = {_LAYOUT}")
            marks = _marks(database)
        database.execute("COMMIT")
    if marks[0] != _APPLICATION:
        raise ChunkwrightError(f"{path} is no vector cache: name another file")
    if marks[1] != _LAYOUT:
        raise ChunkwrightError(
            f"vector cache {path}: of another version of chunkwright; name another file"
        )
    if path is not None:
        # A killed process leaves a journal that the next one reads; readers never wait.
        database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")


def _marks(database: sqlite3.Connection) -> tuple[int, int, int]:
    """Whose file it is, which layout it has, and how many tables and indices."""
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (layout,) = database.execute("PRAGMA user_version").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return application, layout, tables
