"""An embedder that needs no model, with a limit: vectors of words, told by their hash."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from chunkwright.retrieval.embedders import Vectors, unit
from chunkwright.retrieval.transformer import Tokens
from chunkwright.spans import Integers

WORD = re.compile(r"\S+")


class Words:
    """Its tokens are words. It remembers what it was asked for."""

    name = "words"

    def __init__(
        self, limit: int | None = 16, dimensions: int = 8, prompts: tuple[str, str] = ("", "")
    ) -> None:
        self.limit = limit
        self.dimensions = dimensions
        self.text_prompt, self.question_prompt = prompts
        self.key = f"words({limit}, {dimensions}, {prompts})"
        self.asked: list[list[str]] = []
        self.windows: list[int] = []
        self.strings: dict[int, str] = {}

    def count(self, texts: Sequence[str]) -> Integers:
        return np.array([len(text.split()) for text in texts], np.int64)

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in text.split()[: self.limit]:
                vectors[row] += self.vector(word)
        return unit(vectors)

    def vector(self, word: str) -> Vectors:
        digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=self.dimensions)
        return np.frombuffer(digest.digest(), np.uint8).astype(np.float32) / 128 - 1

    def tokens(self, text: str) -> Tokens:
        found = list(WORD.finditer(text))
        for word in found:
            self.strings[self.number(word[0])] = word[0]
        return Tokens(
            np.array([word.start() for word in found], np.int64),
            np.array([word.end() for word in found], np.int64),
            np.array([self.number(word[0]) for word in found], np.int64),
        )

    def number(self, word: str) -> int:
        digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=7).digest()
        return int.from_bytes(digest, "big")

    def token_vectors(self, windows: Sequence[Integers]) -> list[Vectors]:
        """Each word's own vector and half of the mean of its window: its context."""
        made = []
        for window in windows:
            assert 0 < len(window) <= (self.limit or len(window))
            self.windows.append(len(window))
            own = np.array([self.vector(self.strings[int(number)]) for number in window])
            made.append((own + own.mean(axis=0) / 2).astype(np.float32))
        return made
