"""Retrievers and the rankings they make: exact, with ties broken by document, then start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from chunkwright.retrieval.pool import Pool
from chunkwright.spans import Integers

Scores = NDArray[np.float32]
# Scores that differ by less are a tie, so that the last bit of a sum, which depends on the
# machine, never decides.
_DECIMALS = 5
_BATCH = 256


class Retriever(Protocol):
    """Scores every chunk of a pool for every question."""

    @property
    def name(self) -> str:
        """As users name it."""
        ...

    @property
    def key(self) -> str:
        """The name with all settings that its scores depend on."""
        ...

    def scores(self, pool: Pool, questions: Sequence[str]) -> Scores:
        """Higher is better; no score is negative. Shape `(questions, chunks)`."""
        ...


class Ranking(NamedTuple):
    """What would be sent for each question, best first, each span once.

    Attributes:
        order: Indices into the pool's sent spans; -1 past the end. Shape `(questions, depth)`.
        tokens: Tokens of each; 0 past the end.
    """

    order: Integers
    tokens: Integers


def rank(
    pool: Pool, retriever: Retriever, questions: Sequence[str], least: int, budget: int
) -> Ranking:
    """Rank the pool for every question, deep enough for `least` spans and `budget` tokens.

    A chunk with a score of 0 has nothing in common with the question, but is still a result:
    a vector store would return it too.

    >>> from chunkwright.model import Document
    >>> from chunkwright.retrieval.collection import Collection
    >>> from chunkwright.retrieval.lexical import BM25
    >>> from chunkwright.setup import Setup
    >>> lamps = Collection([Document("a.txt", "Lamps blink. Hubs hum.")])
    >>> rank(Pool(lamps, Setup.parse("sentence:1s")), BM25, ["which hubs?"], 2, 0).order.tolist()
    [[1, 0]]
    """
    sent = pool.sent
    rows: list[Integers] = []
    for first in range(0, len(questions), _BATCH):
        scores = retriever.scores(pool, questions[first : first + _BATCH])
        scores = np.round(scores, _DECIMALS)
        rows.extend(_ranked(row, sent.of_chunk, sent.tokens, least, budget) for row in scores)
    depth = max((len(row) for row in rows), default=0)
    order = np.full((len(questions), depth), -1, np.int64)
    for at, row in enumerate(rows):
        order[at, : len(row)] = row
    padded = np.r_[sent.tokens, 0]
    return Ranking(order, padded[order])


def _ranked(
    scores: Scores, of_chunk: Integers, tokens: Integers, least: int, budget: int
) -> Integers:
    """The distinct spans to send for one question, until there are enough."""
    depth = 64
    while True:
        best = _best(scores, depth)
        spans = of_chunk[best]
        if len(tokens) < len(of_chunk):  # children share parents, and each is sent once
            _, first = np.unique(spans, return_index=True)
            spans = spans[np.sort(first)]
        enough = len(spans) >= least and tokens[spans].sum() > budget
        if enough or len(best) == len(scores):
            return spans
        depth *= 4


def _best(scores: Scores, depth: int) -> Integers:
    """Indices of the `depth` best scores, best first; equal scores by index."""
    if depth < len(scores):
        edge = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        above = np.flatnonzero(scores > edge)
        level = np.flatnonzero(scores == edge)[: depth - len(above)]
        chosen = np.concatenate([above, level])
        chosen.sort()
    else:
        chosen = np.arange(len(scores))
    return chosen[np.argsort(-scores[chosen], kind="stable")]
