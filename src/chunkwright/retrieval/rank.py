"""Retrievers and the rankings they make: exact, with ties broken by document, then start."""

from __future__ import annotations

import math
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
# How many scores are worked on at a time: as many as stay near the processor, where a question
# has few; of many chunks, as many as fit the memory.
_NEAR, _MANY = 1 << 19, 1 << 23
_QUESTIONS = 64
# The first look goes no deeper than this.
_DEPTH = 64


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
    chunks = max(1, len(pool))
    batch = max(1, min(max(_QUESTIONS, _NEAR // chunks), _MANY // chunks))
    for first in range(0, len(questions), batch):
        asked = questions[first : first + batch]
        scores = retriever.scores(pool, asked)
        _check_shape(retriever, scores, (len(asked), len(pool)))
        parts.append(_ranked(scores, sent, least, budget, _enough(sent, least, budget)))
    return _stacked(parts)


def _enough(sent: Sent, least: int, budget: int) -> int:
    """How many chunks of the mean size would do for most questions."""
    mean = max(1.0, float(sent.tokens.mean())) if len(sent.tokens) else 1.0
    children = len(sent.of_chunk) / max(1, len(sent.tokens))
    return min(_DEPTH, math.ceil(max(least, 1.25 * budget / mean) * children) + 4)


def _check_shape(retriever: Retriever, scores: Scores, expected: tuple[int, int]) -> None:
    if scores.shape != expected:
        raise ChunkwrightError(
            f"retriever {retriever.name!r} gave scores of the shape {scores.shape} for "
            f"{expected[0]} questions and {expected[1]} chunks: each needs a score"
        )


def _ranked(scores: Scores, sent: Sent, least: int, budget: int, depth: int) -> Ranking:
    """The distinct spans to send for each question, until there are enough, and their scores.

    All questions are ranked at once; those that need more are ranked again, deeper.
    """
    questions, chunks = scores.shape
    row, best, found = _best(scores, depth)
    spans = sent.of_chunk[best]
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
    if depth >= chunks:
        return made
    reached = np.cumsum(made.tokens, axis=1)
    short = (counts <= least) | (reached[:, -1] <= budget)
    if depth < _DEPTH:
        # Whether results tie at the edge shows only where the last one scores less than it.
        edge = np.maximum(least, (reached <= budget).sum(axis=1))
        edge, last = np.minimum(edge, counts - 1), counts - 1
        every = np.arange(questions)
        short |= made.scores[every, edge] == made.scores[every, last]
    if not short.any():
        return made
    depth = _DEPTH if depth < _DEPTH else 4 * depth
    deeper = _ranked(scores[short], sent, least, budget, depth)
    width = max(made.order.shape[1], deeper.order.shape[1])
    wide, deeper = _widened(made, width), _widened(deeper, width)
    wide.order[short] = deeper.order
    wide.tokens[short] = deeper.tokens
    wide.scores[short] = deeper.scores
    return wide


def _best(scores: Scores, depth: int) -> tuple[Integers, Integers, Scores]:
    """Question, chunk and rounded score of the `depth` best of each question, best first.

    Equal scores are in the order of the chunks.
    """
    questions, chunks = scores.shape
    if depth < chunks:
        bound = _bound(scores, depth)
        # What is rounded up to the bound may lie a little below it.
        least = bound - (2 * 10.0**-_DECIMALS + 1e-6 * np.abs(bound))
        row, chunk = np.divmod(np.flatnonzero(scores >= least[:, None]), chunks)
        found = np.round(scores[row, chunk], _DECIMALS)
        level = np.round(bound, _DECIMALS)[row]
        equal = found == level
        before = np.cumsum(equal)
        before -= before[np.searchsorted(row, row)] - equal[np.searchsorted(row, row)]
        kept = (found > level) | (equal & (before <= depth))
        row, chunk, found = row[kept], chunk[kept], found[kept]
    else:
        row, chunk = (part.ravel() for part in np.indices(scores.shape))
        found = np.round(scores.ravel(), _DECIMALS)
    order = np.lexsort((-found, row))  # a stable sort: what is equal stays in order
    row, chunk, found = row[order], chunk[order], found[order]
    counts = np.bincount(row, minlength=questions)
    place = np.arange(len(row)) - (np.cumsum(counts) - counts)[row]
    kept = place < depth
    return row[kept], chunk[kept], found[kept]


def _bound(scores: Scores, depth: int) -> Scores:
    """A score that at least `depth` of each question's reach, and not many more.

    It is that of the `depth`-th best of groups of chunks, each counted by its best: that needs no
    sorting of all the scores.
    """
    questions, chunks = scores.shape
    groups = 8 * depth
    size = chunks // groups
    if size > 1:
        groups = chunks // size
        scores = scores[:, : size * groups].reshape(questions, size, groups).max(axis=1)
    last = scores.shape[1] - depth
    bound: Scores = np.partition(scores, last, axis=1)[:, last]
    return bound


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
