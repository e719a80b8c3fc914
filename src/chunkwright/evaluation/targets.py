"""Targets: the references of all questions as arrays, and what a ranking is worth to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunkwright.errors import GoldError
from chunkwright.gold.goldset import GoldSet, Place, Question
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Scores
from chunkwright.spans import (
    Integers,
    Spans,
    containing,
    grouped_union_length,
    touching,
    union_length,
)

Values = NDArray[np.float64]
# The rank of a reference that no result holds.
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Targets:
    """Every reference at every place where it counts, as rows on a collection's line.

    Attributes:
        questions: Number of questions.
        starts: Start of each place on the line.
        ends: End of each place.
        reference: Which reference each place belongs to.
        question: Which question each reference belongs to, ascending. Shape `(references,)`.
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
        """The targets of checked questions, whose references all lie in the collection.

        Raises:
            GoldError: One does not; it would be missed by every setup, in silence.
        """
        starts: list[int] = []
        ends: list[int] = []
        reference: list[int] = []
        question: list[int] = []
        own: list[int] = []
        for number, asked in enumerate(gold):
            for wanted in asked.references:
                own.append(len(starts))
                if not wanted.places:
                    raise _unchecked(asked, f"a reference to {wanted.document_id!r} has no span")
                for place in wanted.places:
                    start, end = _on_the_line(asked, place, collection)
                    starts.append(start)
                    ends.append(end)
                    reference.append(len(question))
                question.append(number)
        columns = (starts, ends, reference, question, own)
        return cls(len(gold), *(np.array(column, np.int64) for column in columns))

    def __len__(self) -> int:
        return len(self.question)

    def part(self, questions: Integers) -> Targets:
        """The targets of some questions only, given by number, ascending."""
        number = np.full(self.questions, -1)
        number[questions] = np.arange(len(questions))
        kept = number[self.question] >= 0
        rows = kept[self.reference]
        return Targets(
            len(questions),
            self.starts[rows],
            self.ends[rows],
            (np.cumsum(kept) - 1)[self.reference[rows]],
            number[self.question[kept]],
            (np.cumsum(rows) - 1)[self.own[kept]],
        )

    @cached_property
    def wanted(self) -> Integers:
        """Characters that each question's references cover, overlaps counted once."""
        starts, ends = self.starts[self.own], self.ends[self.own]
        return grouped_union_length(self.question, starts, ends, self.questions)

    @cached_property
    def place_in_question(self) -> Integers:
        """Number of each reference among those of its question. Shape `(references,)`."""
        first = np.searchsorted(self.question, self.question, side="left")
        return np.arange(len(self)) - first

    def per_question(self, values: Values | Integers | NDArray[np.bool_]) -> Values:
        """Sum of a value over the references of each question. Shape `(questions,)`."""
        sums = np.bincount(self.question, weights=values, minlength=self.questions)
        return np.asarray(sums, np.float64)


def _on_the_line(question: Question, place: Place, collection: Collection) -> tuple[int, int]:
    try:
        offset = collection.offset(place.document_id)
    except KeyError:
        raise _unchecked(question, f"there is no document {place.document_id!r}") from None
    length = len(collection.documents[collection.document_at(offset)].text)
    if not 0 <= place.start < place.end <= length:
        raise _unchecked(
            question,
            f"{place.start}-{place.end} is no span of {place.document_id!r}, "
            f"which has {length} characters",
        )
    return offset + place.start, offset + place.end


def _unchecked(question: Question, reason: str) -> GoldError:
    return GoldError(f"question {question.id}: {reason}; check the gold set before measuring")


class Judged:
    """A ranking beside the references: which result holds which reference whole.

    Args:
        targets: The references.
        pool: The pool that was searched.
        order: Sent spans by rank, -1 past the end. Shape `(questions, ranks)`.
        tokens: Their tokens. Shape `(questions, ranks)`.
        scores: Their scores, descending, NaN past the end; None where there are none, and so no
            ties. Shape `(questions, ranks)`.
    """

    def __init__(
        self,
        targets: Targets,
        pool: Pool,
        order: Integers,
        tokens: Integers,
        scores: Scores | None = None,
    ) -> None:
        self.targets = targets
        self.pool = pool
        self.order = order
        self.tokens = tokens
        self.scores = scores
        self._at: dict[tuple[int | None, int | None], Counted] = {}

    def within(self, k: int | None, budget: int | None) -> Counted:
        """The first `k` results, or those that fit the budget, or all.

        For a budget, results are taken in order until the next one would not fit.
        """
        if (k, budget) not in self._at:
            counts = (self.order >= 0).sum(axis=1)
            costs, room = np.ones_like(self.order), k
            if budget is not None:
                costs, room = self.tokens, budget
                fits = np.cumsum(self.tokens, axis=1) <= budget
                fits = np.logical_and.accumulate(fits, axis=1)
                counts = np.minimum(counts, fits.sum(axis=1))
            elif k is not None:
                counts = np.minimum(counts, k)
            self._at[k, budget] = Counted(self._apart, counts, costs, room)
        return self._at[k, budget]

    @cached_property
    def _apart(self) -> Judged:
        """The same, but without what `within` has given.

        What that knows must not lead back to it: a pool with its vectors would be freed late.
        """
        return Judged(self.targets, self.pool, self.order, self.tokens, self.scores)

    @cached_property
    def first_hit(self) -> Integers:
        """Rank, from 0, of the first result that holds each reference whole, or `NEVER`."""
        targets = self.targets
        low, high = containing(self.pool.sent.spans, targets.starts, targets.ends)
        return self._first(low, high, targets.reference, len(targets))

    @cached_property
    def first_in_document(self) -> Integers:
        """Rank, from 0, of the first result from a document with an answer, or `NEVER`.

        Shape `(questions,)`.
        """
        targets, starts = self.targets, self.pool.sent.spans.starts
        offsets = self.pool.collection.offsets
        bounds = np.append(np.searchsorted(starts, offsets), len(starts))
        document = np.searchsorted(offsets, targets.starts, side="right") - 1
        question = targets.question[targets.reference]
        return self._first(bounds[document], bounds[document + 1], question, targets.questions)

    def _first(self, low: Integers, high: Integers, group: Integers, groups: int) -> Integers:
        """Lowest rank at which any place of a group finds one of its spans `[low, high)`."""
        first = np.full(groups, NEVER, np.int64)
        if not self.order.shape[1]:
            return first
        targets = self.targets
        rows = self.order[targets.question[targets.reference]]
        held = (rows >= low[:, None]) & (rows < high[:, None])
        rank = np.where(held.any(axis=1), held.argmax(axis=1), NEVER)
        np.minimum.at(first, group, rank)
        return first


class Counted:
    """The results of a ranking that count: the first `counts` of each question.

    Args:
        judged: The ranking.
        counts: Results that count. Shape `(questions,)`.
        costs: What each result takes of the room: 1, or its tokens. Shape `(questions, ranks)`.
        room: What the results that count may take together; None for all of them.
    """

    def __init__(self, judged: Judged, counts: Integers, costs: Integers, room: int | None) -> None:
        self.judged = judged
        self.targets = judged.targets
        self.counts = counts
        self.costs = costs
        self.room = room

    @cached_property
    def hits(self) -> NDArray[np.bool_]:
        """Whether a counted result holds each reference whole. Shape `(references,)`."""
        return self.judged.first_hit < self.counts[self.targets.question]

    @cached_property
    def covered(self) -> Values:
        """Characters of each question's references that the counted results hold.

        Where a reference has several places, the best covered one counts.
        """
        targets = self.targets
        starts, ends = self._spans
        question = targets.question[targets.reference]
        low = np.maximum(starts[question], targets.starts[:, None])
        high = np.maximum(low, np.minimum(ends[question], targets.ends[:, None]))
        order = np.argsort(low, axis=1, kind="stable")
        low, high = (np.take_along_axis(part, order, axis=1) for part in (low, high))
        held = union_length(low, high)
        # The best covered place of each reference: the first row of its group, best first.
        best = np.lexsort((-held, targets.reference))
        chosen = best[np.searchsorted(targets.reference[best], np.arange(len(targets)))]
        ranks = low.shape[1]
        covered = grouped_union_length(
            np.repeat(targets.question, ranks),
            low[chosen].ravel(),
            high[chosen].ravel(),
            targets.questions,
        )
        # Copies may lie apart where the references themselves overlap.
        return np.asarray(np.minimum(covered, targets.wanted), np.float64)

    @cached_property
    def ties(self) -> NDArray[np.bool_]:
        """Questions in which equal scores stand at the edge, so that the rule for ties decides.

        Of the results with the score of the first one that does not count, another one counts
        or, taken first, would. Shape `(questions,)`.
        """
        scores, costs = self.judged.scores, self.costs
        tied = np.zeros(len(self.counts), np.bool_)
        if scores is None or self.room is None:
            return tied
        known = (self.judged.order >= 0).sum(axis=1)
        rows = np.flatnonzero(self.counts < known)
        edge = scores[rows, self.counts[rows]][:, None]
        above, level = scores[rows] > edge, scores[rows] == edge
        left = self.room - (costs[rows] * above).sum(axis=1)
        least = np.where(level, costs[rows], NEVER).min(axis=1, initial=NEVER)
        tied[rows] = (level.sum(axis=1) > 1) & (least <= left)
        return tied

    @cached_property
    def lengths(self) -> Values:
        """Characters of all counted results, overlaps counted again. Shape `(questions,)`."""
        starts, ends = self._spans
        return np.asarray((ends - starts).sum(axis=1), np.float64)

    @cached_property
    def sent_tokens(self) -> Values:
        """Tokens of all counted results. Shape `(questions,)`."""
        tokens = self.judged.tokens
        counted = np.arange(tokens.shape[1]) < self.counts[:, None]
        return np.asarray((tokens * counted).sum(axis=1), np.float64)

    @cached_property
    def _spans(self) -> tuple[Integers, Integers]:
        """Counted results as spans; empty ones past the count. Shapes `(questions, most)`."""
        spans = self.judged.pool.sent.spans
        depth = int(self.counts.max(initial=0))
        order = self.judged.order[:, :depth]
        if not len(spans.starts):
            return order * 0, order * 0
        counted = np.arange(depth) < self.counts[:, None]
        starts = np.where(counted, spans.starts[order], 0)
        return starts, np.where(counted, spans.ends[order], 0)


def omega(targets: Targets, spans: Spans) -> Values:
    """Precision at perfect retrieval: references divided by all chunks that touch them.

    Chroma's precision-omega: the characters of the references that chunks hold, over the
    characters of all chunks that share one with a reference, together with what no chunk holds;
    each character once. A chunk that only meets a reference at its edge does not touch it. Each
    reference counts at its own place. Shape `(questions,)`.
    """
    starts, ends = targets.starts[targets.own], targets.ends[targets.own]
    low, high = touching(spans, starts, ends)
    widths = np.maximum(0, high - low)
    chosen = np.arange(widths.sum()) + np.repeat(low - (np.cumsum(widths) - widths), widths)
    row = np.repeat(targets.question, widths)
    sent_starts, sent_ends = spans.starts[chosen], spans.ends[chosen]
    sent = grouped_union_length(row, sent_starts, sent_ends, targets.questions)
    both = grouped_union_length(
        np.concatenate([row, targets.question]),
        np.concatenate([sent_starts, starts]),
        np.concatenate([sent_ends, ends]),
        targets.questions,
    )
    held = targets.wanted + sent - both
    return np.divide(held, both, out=np.full(targets.questions, np.nan), where=both > 0)
