"""The static vectors of the package `wordllama` as an embedder: a table, no model is run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from importlib import metadata

import numpy as np

from chunkwright.retrieval.embedders import Vectors, unit
from chunkwright.retrieval.static import term_vectors
from chunkwright.spans import Integers


class WordLlama:
    """A text's vector is the mean of its tokens' vectors, all of them alike."""

    name = "wordllama"
    dimensions = 256
    limit = None
    text_prompt = ""
    question_prompt = ""

    def __reduce__(self) -> tuple[type[WordLlama], tuple[()]]:
        return WordLlama, ()

    @cached_property
    def key(self) -> str:
        """The name with the version of the package, which brings the vectors."""
        return f"wordllama(256, version={metadata.version('wordllama')})"

    def count(self, texts: Sequence[str]) -> Integers:
        """Its own tokens of each text. Shape `(texts,)`."""
        found = term_vectors()._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return np.array([len(encoding.ids) for encoding in found], np.int64)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 a text; zero for an empty one. Shape `(texts, 256)`."""
        return unit(term_vectors().of(texts))


@cache
def wordllama() -> WordLlama:
    """The embedder.

    >>> wordllama().embed(["a lamp", "a hub"]).shape
    (2, 256)
    """
    return WordLlama()
