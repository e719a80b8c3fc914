"""Embedders: from texts to vectors, and what an embedder does not read of a long text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chunkwright import registry
from chunkwright.errors import ChunkwrightError, TruncationWarning
from chunkwright.spans import Integers

Vectors = NDArray[np.float32]
_FOLDER = "sentence-transformers:"


class Embedder(Protocol):
    """Makes vectors of texts.

    Some models want a prompt before a text, another one before a question: whoever embeds puts
    it there, so that what is embedded is always one plain text.
    """

    @property
    def name(self) -> str:
        """As users name it."""
        ...

    @property
    def key(self) -> str:
        """The name with all that its vectors depend on: settings, and a hash of the model."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def limit(self) -> int | None:
        """How many of its own tokens it reads of a text; None: all."""
        ...

    @property
    def text_prompt(self) -> str:
        """What stands before a text, often nothing."""
        ...

    @property
    def question_prompt(self) -> str:
        """What stands before a question, often nothing."""
        ...

    def count(self, texts: Sequence[str]) -> Integers:
        """Its own tokens of each text, all of them, whatever the limit. Shape `(texts,)`."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 a text. Shape `(texts, dimensions)`."""
        ...


def embedder(name: str) -> Embedder:
    """The embedder of a name, or of a local folder as `sentence-transformers:PATH`.

    Raises:
        ChunkwrightError: There is no such embedder or folder, or a package is missing.
    """
    if name.startswith(_FOLDER):
        from chunkwright.retrieval.transformer import SentenceTransformers

        return SentenceTransformers(name.removeprefix(_FOLDER), name)
    found: Embedder = registry.load("embedders", name)()
    return found


def is_embedder(name: str) -> bool:
    """Whether a name is an embedder's.

    >>> is_embedder("minilm"), is_embedder("bm25")
    (True, False)
    """
    return name.startswith(_FOLDER) or name in registry.names("embedders")


@dataclass(frozen=True, slots=True)
class Truncation:
    """What an embedder does not read of some texts.

    Attributes:
        limit: How many of its own tokens it reads of a text; None: all.
        texts: Number of texts.
        tokens: Their tokens.
        long_texts: Texts over the limit.
        lost_tokens: Tokens that are not read.
        longest: Tokens of the longest text.
    """

    limit: int | None
    texts: int
    tokens: int
    long_texts: int
    lost_tokens: int
    longest: int

    @classmethod
    def of(cls, counts: Integers, limit: int | None) -> Truncation:
        """From the tokens of each text.

        >>> Truncation.of(np.array([700, 80]), 512).lost_tokens
        188
        """
        over = counts - counts if limit is None else np.maximum(counts - limit, 0)
        return cls(
            limit=limit,
            texts=len(counts),
            tokens=int(counts.sum()),
            long_texts=int((over > 0).sum()),
            lost_tokens=int(over.sum()),
            longest=int(counts.max(initial=0)),
        )

    @property
    def share(self) -> float:
        """Share of the tokens that are not read; 0 without tokens."""
        return self.lost_tokens / self.tokens if self.tokens else 0.0

    def warning(self, embedder: str, what: str = "chunks") -> TruncationWarning | None:
        """What the user should know, if anything is cut off."""
        if not self.long_texts:
            return None
        return TruncationWarning(
            f"{embedder} reads {self.limit:,} of its tokens of a text: {self.long_texts:,} of "
            f"{self.texts:,} {what} are longer (up to {self.longest:,}), {self.lost_tokens:,} of "
            f"{self.tokens:,} tokens ({self.share:.1%}) are not seen; use a smaller size or the "
            "retriever 'late'"
        )


def truncated(embedder: Embedder, texts: Sequence[str]) -> Truncation:
    """Count what an embedder would not read of texts; nothing is embedded.

    >>> from chunkwright.retrieval.wordllama import wordllama
    >>> truncated(wordllama(), ["a short text"]).lost_tokens
    0
    """
    prompt = embedder.text_prompt
    return Truncation.of(embedder.count([prompt + text for text in texts]), embedder.limit)


# Padded tokens a batch. Measured with MiniLM on two cores: 1024 to 2048 are quickest, 8192 take a
# third longer, as what the layers hand on no longer stays in the processor's cache.
_BATCH_TOKENS = 2048


def batches(lengths: Integers, tokens: int = _BATCH_TOKENS) -> Iterator[Integers]:
    """Indices of texts to embed together, the longest first.

    Texts of a length stand together, so that little is padded, and no batch takes more than
    `tokens` when padded, unless one text alone does. The longest come first, so that memory that
    does not suffice is seen at once.

    >>> [batch.tolist() for batch in batches(np.array([3, 9, 4, 2]), 9)]
    [[1], [2, 0], [3]]
    """
    order = np.argsort(-lengths, kind="stable")
    first = 0
    while first < len(order):
        longest = max(1, int(lengths[order[first]]))
        last = first + max(1, tokens // longest)
        yield order[first:last]
        first = last


def unit(vectors: Vectors) -> Vectors:
    """Vectors of length 1; zero stays zero.

    >>> unit(np.array([[3, 4], [0, 0]], np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


def checked(vectors: Vectors, texts: int, embedder: Embedder) -> Vectors:
    """The vectors, if there is one for each text and all are numbers.

    Raises:
        ChunkwrightError: They are not.
    """
    found = np.asarray(vectors, np.float32)
    if found.shape != (texts, embedder.dimensions):
        raise ChunkwrightError(
            f"embedder {embedder.name!r} gave vectors of the shape {found.shape} for {texts} "
            f"texts: expected {(texts, embedder.dimensions)}"
        )
    if not np.isfinite(found).all():
        raise ChunkwrightError(f"embedder {embedder.name!r} gave a vector that is not of numbers")
    return found
