"""Retrievers by name."""

from __future__ import annotations

from pathlib import Path

from chunkwright import registry
from chunkwright.errors import ChunkwrightError
from chunkwright.retrieval.dense import Dense
from chunkwright.retrieval.embedders import is_embedder
from chunkwright.retrieval.late import Late
from chunkwright.retrieval.rank import Retriever

_LATE = "late:"


def retriever(name: str, vectors: Path | None = None) -> Retriever:
    """The retriever of a name.

    Args:
        name: A registered one; an embedder's, such as `sentence-transformers:PATH`; or
            `late:EMBEDDER`.
        vectors: The file that vectors are kept in.

    Raises:
        ChunkwrightError: There is no such retriever.

    >>> retriever("bm25").name, retriever("wordllama").name, retriever("late").name
    ('bm25', 'wordllama', 'late')
    """
    found: Retriever
    if name.startswith(_LATE) and is_embedder(name.removeprefix(_LATE)):
        found = Late(name.removeprefix(_LATE))
    elif name not in registry.names("retrievers") and is_embedder(name):
        found = Dense(name)
    else:
        found = registry.load("retrievers", name, ChunkwrightError)
    return found.kept_in(vectors) if vectors and isinstance(found, Dense | Late) else found
