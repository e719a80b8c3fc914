"""Retrievers and the rankings they make: exact, with ties broken by document, then start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from chunkwright.errors import ChunkwrightError
from chunkwright.retrieval.pool import Pool, Sent
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
        scores: Score of each, that of its best chunk; NaN past the end. Equal ones are a tie.
    """

    order: Integers
    tokens: Integers
    scores: Scores


def rank(
    pool: Pool, retriever: Retriever, questions: Sequence[str], least: int, budget: int
) -> Ranking:
    """Rank the pool for every question, one span deeper than `least` spans and `budget` tokens.

    Equal scores are ranked by document, then by start. A chunk with a score of 0 has nothing in
    common with the question, but is still a result: a vector store would return it too.

    >>> from chunkwright.model import Document
    >>> from chunkwright.retrieval.collection import Collection
    >>> from chunkwright.retrieval.lexical import BM25
    >>> from chunkwright.setup import Setup
    >>> lamps = Collection([Document("a.txt", "Lamps blink. Hubs hum.")])
    >>> rank(Pool(lamps, Setup.parse("sentence:1s")), BM25, ["which hubs?"], 2, 0).order.tolist()
    [[1, 0]]
    """
    sent = pool.sent
    parts: list[Ranking] = []
    for first in range(0, len(questions), _BATCH):
        asked = questions[first : first + _BATCH]
        scores = retriever.scores(pool, asked)
        _check_shape(retriever, scores, (len(asked), len(pool)))
        parts.append(_ranked(np.round(scores, _DECIMALS), sent, least, budget))
    return _stacked(parts)


def _check_shape(retriever: Retriever, scores: Scores, expected: tuple[int, int]) -> None:
    if scores.shape != expected:
        raise ChunkwrightError(
            f"retriever {retriever.name!r} gave scores of the shape {scores.shape} for "
            f"{expected[0]} questions and {expected[1]} chunks: each needs a score"
        )


def _ranked(scores: Scores, sent: Sent, least: int, budget: int, depth: int = 64) -> Ranking:
    """The distinct spans to send for each question, until there are enough, and their scores.

    All questions are ranked at once; those that need more are ranked again, deeper.
    """
    questions, chunks = scores.shape
    row, best = _best(scores, depth)
    spans, found = sent.of_chunk[best], scores[row, best]
    if len(sent.tokens) < chunks:  # children share parents, and each is sent once
        _, first = np.unique(row * len(sent.tokens) + spans, return_index=True)
        first.sort()
        row, spans, found = row[first], spans[first], found[first]
    counts = np.bincount(row, minlength=questions)
    place = np.arange(len(row)) - (np.cumsum(counts) - counts)[row]
    made = _blank(questions, int(counts.max(initial=0)))
    made.order[row, place] = spans
    made.tokens[row, place] = sent.tokens[spans]
    made.scores[row, place] = found
    short = (counts <= least) | (made.tokens.sum(axis=1) <= budget)
    if depth >= chunks or not short.any():
        return made
    deeper = _ranked(scores[short], sent, least, budget, 4 * depth)
    width = max(made.order.shape[1], deeper.order.shape[1])
    wide, deeper = _widened(made, width), _widened(deeper, width)
    wide.order[short] = deeper.order
    wide.tokens[short] = deeper.tokens
    wide.scores[short] = deeper.scores
    return wide


def _best(scores: Scores, depth: int) -> tuple[Integers, Integers]:
    """Question and chunk of the `depth` best scores of each, best first; equal ones by chunk."""
    if depth < scores.shape[1]:
        last = scores.shape[1] - depth
        edge = np.partition(scores, last, axis=1)[:, last]
        row, chunk = np.nonzero(scores >= edge[:, None])
    else:
        row, chunk = (part.ravel() for part in np.indices(scores.shape))
    order = np.lexsort((chunk, -scores[row, chunk], row))
    row, chunk = row[order], chunk[order]
    counts = np.bincount(row, minlength=len(scores))
    place = np.arange(len(row)) - (np.cumsum(counts) - counts)[row]
    return row[place < depth], chunk[place < depth]


def _blank(questions: int, depth: int) -> Ranking:
    shape = (questions, depth)
    return Ranking(
        np.full(shape, -1, np.int64), np.zeros(shape, np.int64), np.full(shape, np.nan, np.float32)
    )


def _widened(ranking: Ranking, depth: int) -> Ranking:
    wide = _blank(len(ranking.order), depth)
    found = slice(None), slice(ranking.order.shape[1])
    wide.order[found] = ranking.order
    wide.tokens[found] = ranking.tokens
    wide.scores[found] = ranking.scores
    return wide


def _stacked(parts: list[Ranking]) -> Ranking:
    """The rankings of all questions, from those of some each."""
    depth = max((part.order.shape[1] for part in parts), default=0)
    wide = [_widened(part, depth) for part in parts] or [_blank(0, 0)]
    return Ranking(
        np.concatenate([part.order for part in wide]),
        np.concatenate([part.tokens for part in wide]),
        np.concatenate([part.scores for part in wide]),
    )
