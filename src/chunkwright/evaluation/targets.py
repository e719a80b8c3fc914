"""Targets: the references of all questions as arrays on a collection's line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkwright.gold.goldset import GoldSet
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.pool import Pool
from chunkwright.spans import Integers, Spans, containing, touching, union, union_length


@dataclass(frozen=True, slots=True)
class Targets:
    """Every reference at every place where it counts, as rows; questions and references by number.

    Attributes:
        questions: Number of questions.
        starts: Start of each place on the line.
        ends: End of each place.
        reference: Which reference each place belongs to.
        question: Which question each reference belongs to. Shape `(references,)`.
        own: Row of each reference's own place, the one the gold set names.
    """

    questions: int
    starts: Integers
    ends: Integers
    reference: Integers
    question: Integers
    own: Integers

    @classmethod
    def of(cls, gold: GoldSet, collection: Collection) -> Targets:
        """The targets of checked questions, whose references all lie in the collection."""
        starts, ends, reference, question, own = [], [], [], [], []
        for number, asked in enumerate(gold):
            for wanted in asked.references:
                own.append(len(starts))
                for place in wanted.places:
                    offset = collection.offset(place.document_id)
                    starts.append(offset + place.start)
                    ends.append(offset + place.end)
                    reference.append(len(question))
                question.append(number)
        columns = (starts, ends, reference, question, own)
        return cls(len(gold), *(np.array(column, np.int64) for column in columns))

    def __len__(self) -> int:
        return len(self.question)


class Judged:
    """What each sent span of a ranking is worth to each reference.

    Rows are references (`R`), columns the ranks of their question's results (`K`).

    Args:
        targets: The references.
        pool: The pool that was searched.
        order: Sent spans by rank, -1 past the end. Shape `(questions, K)`.
        tokens: Their tokens. Shape `(questions, K)`.
    """

    def __init__(self, targets: Targets, pool: Pool, order: Integers, tokens: Integers) -> None:
        self.targets = targets
        self.pool = pool
        self.order = order
        self.tokens = tokens
        self.results = (order >= 0).sum(axis=1)
        self.first_hit = self._first_hit()

    def within(self, k: int | None, budget: int | None) -> Integers:
        """How many results count for each question: the first `k`, or what fits the budget.

        Results are taken in order until the next one would not fit. Shape `(questions,)`.
        """
        if budget is not None:
            fits = np.cumsum(self.tokens, axis=1) <= budget
            return np.minimum(np.logical_and.accumulate(fits, axis=1).sum(axis=1), self.results)
        return self.results if k is None else np.minimum(self.results, k)

    def _first_hit(self) -> Integers:
        """Rank, from 0, of the first result that holds each reference whole. Shape `(R,)`.

        References that no result holds get a rank past the end.
        """
        targets, spans = self.targets, self.pool.sent.spans
        depth = self.order.shape[1]
        first = np.full(len(targets), np.iinfo(np.int64).max, np.int64)
        low, high = containing(spans, targets.starts, targets.ends)
        rows = self.order[targets.question[targets.reference]]
        held = (rows >= low[:, None]) & (rows < high[:, None])
        if depth:
            rank = np.where(held.any(axis=1), held.argmax(axis=1), first[0] if len(first) else 0)
            np.minimum.at(first, targets.reference, rank)
        return first

    def covered(self, counts: Integers) -> Integers:
        """Characters of each reference that the counted results hold. Shape `(R,)`.

        Where a reference has several places, the best covered one.
        """
        targets = self.targets
        question = targets.question[targets.reference]
        starts, ends = self._spans(question, counts)
        low = np.maximum(starts, targets.starts[:, None])
        high = np.minimum(ends, targets.ends[:, None])
        order = np.argsort(low, axis=1, kind="stable")
        low, high = (np.take_along_axis(part, order, axis=1) for part in (low, high))
        most = np.zeros(len(targets), np.int64)
        np.maximum.at(most, targets.reference, union_length(low, high))
        return most

    def lengths(self, counts: Integers) -> Integers:
        """Characters of all counted results, overlaps counted again. Shape `(questions,)`."""
        starts, ends = self._spans(np.arange(self.targets.questions), counts)
        return (ends - starts).sum(axis=1)

    def _spans(self, question: Integers, counts: Integers) -> tuple[Integers, Integers]:
        """Counted results of each row's question; empty spans past the count."""
        spans = self.pool.sent.spans
        depth = int(counts.max()) if len(counts) else 0
        order = self.order[question, :depth]
        counted = np.arange(depth) < counts[question][:, None]
        if not len(spans.starts):
            return np.zeros(order.shape, np.int64), np.zeros(order.shape, np.int64)
        starts = np.where(counted, spans.starts[order], 0)
        return starts, np.where(counted, spans.ends[order], 0)


def reference_lengths(targets: Targets) -> Integers:
    """Characters of each reference at its own place. Shape `(R,)`."""
    return targets.ends[targets.own] - targets.starts[targets.own]


def question_sums(targets: Targets, values: NDArray[np.float64] | Integers) -> NDArray[np.float64]:
    """Sum of a value over the references of each question. Shape `(questions,)`."""
    return np.bincount(targets.question, weights=values, minlength=targets.questions)


def wanted_lengths(targets: Targets) -> NDArray[np.float64]:
    """Characters that each question's references cover, overlaps counted once."""
    starts, ends = targets.starts[targets.own], targets.ends[targets.own]
    lengths = np.zeros(targets.questions)
    bounds = np.searchsorted(targets.question, np.arange(targets.questions + 1))
    for number in range(targets.questions):
        part = slice(bounds[number], bounds[number + 1])
        joined = union(starts[part], ends[part])
        lengths[number] = (joined.ends - joined.starts).sum()
    return lengths


def omega(targets: Targets, spans: Spans) -> NDArray[np.float64]:
    """Precision at perfect retrieval: references divided by all chunks that touch them.

    Chroma's precision-omega: the characters of the references that chunks hold, over the
    characters of all chunks that share one with a reference, together with what no chunk holds;
    each character once. A chunk that only meets a reference at its edge does not touch it. Each
    reference counts at its own place. Shape `(questions,)`.
    """
    starts, ends = targets.starts[targets.own], targets.ends[targets.own]
    low, high = touching(spans, starts, ends)
    bounds = np.searchsorted(targets.question, np.arange(targets.questions + 1))
    result = np.full(targets.questions, np.nan)
    for number in range(targets.questions):
        part = range(int(bounds[number]), int(bounds[number + 1]))
        chosen = np.unique(np.concatenate([np.arange(low[row], high[row]) for row in part]))
        wanted = union(starts[part.start : part.stop], ends[part.start : part.stop])
        sent = union(spans.starts[chosen], spans.ends[chosen])
        both = union(np.r_[wanted.starts, sent.starts], np.r_[wanted.ends, sent.ends])
        total, size, all_ = (int((x.ends - x.starts).sum()) for x in (wanted, sent, both))
        if all_:
            result[number] = (total + size - all_) / all_
    return result
