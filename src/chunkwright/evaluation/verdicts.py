"""Verdicts: how each question fares in one ranking, and which results hold or beat its references.

Nothing is ranked or counted here: all of it is read off what `Judged` knows already, so that a
verdict never differs from the figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunkwright.evaluation.metrics import hit_rate
from chunkwright.evaluation.targets import NEVER, Judged
from chunkwright.spans import Integers, containing, merged, spread, touching


@dataclass(frozen=True, slots=True)
class Passage:
    """A sent span with its place in a ranking.

    Attributes:
        rank: From 1; 0 where the ranking does not reach it.
        score: Its score; NaN where the ranking does not reach it.
        tokens: Tokens that are sent.
        document_id: The document.
        start: Where it starts in the document.
        end: Where it ends.
        text: Its text.
    """

    rank: int
    score: float
    tokens: int
    document_id: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Verdicts:
    """How each question of a gold set fares in one ranking.

    Attributes:
        judged: The ranking beside the references.
        k: How many results count.
        budget: How many tokens count, for the verdict at a budget.

    >>> from chunkwright.evaluation.targets import Targets
    >>> from chunkwright.gold.goldset import GoldSet, Question, Reference
    >>> from chunkwright.model import Document
    >>> from chunkwright.retrieval.collection import Collection
    >>> from chunkwright.retrieval.lexical import BM25
    >>> from chunkwright.retrieval.pool import Pool
    >>> from chunkwright.retrieval.rank import rank
    >>> from chunkwright.setup import Setup
    >>> collection = Collection([Document("a.txt", "The lamp blinks. The hub hums.")])
    >>> gold = GoldSet((Question("q1", "What blinks?", (Reference("a.txt", 17, 30),)),))
    >>> pool = Pool(collection, Setup.parse("sentence:1s"))
    >>> ranking = rank(pool, BM25, ["What blinks?"], 2, 1000)
    >>> verdicts = Verdicts(Judged(Targets.of(gold, collection), pool, *ranking), 1, 1000)
    >>> verdicts.at_k.tolist(), verdicts.best.tolist()
    ([False], [2])
    >>> verdicts.passage(0, verdicts.above(0)[0]).text
    'The lamp blinks.'
    """

    judged: Judged
    k: int
    budget: int

    @cached_property
    def at_k(self) -> NDArray[np.bool_]:
        """Whether each question is hit by the first `k` results. Shape `(questions,)`."""
        return hit_rate(self.judged.within(self.k, None)) == 1

    @cached_property
    def at_budget(self) -> NDArray[np.bool_]:
        """Whether each question is hit within the budget. Shape `(questions,)`."""
        return hit_rate(self.judged.within(None, self.budget)) == 1

    @cached_property
    def ranks(self) -> Integers:
        """Rank, from 1, of the first result that holds each reference whole.

        0 where no result does, as far as the ranking goes. Shape `(references,)`.
        """
        first = self.judged.first_hit
        return np.where(first < NEVER, first, -1) + 1

    @cached_property
    def best(self) -> Integers:
        """The best rank among the references of each question; 0 where none has one.

        Shape `(questions,)`.
        """
        targets = self.judged.targets
        first = np.full(targets.questions, NEVER, np.int64)
        np.minimum.at(first, targets.question, np.where(self.ranks > 0, self.ranks, NEVER))
        return np.where(first == NEVER, 0, first)

    @cached_property
    def depth(self) -> Integers:
        """How many results of each question are known. Shape `(questions,)`."""
        return (self.judged.order >= 0).sum(axis=1)

    @cached_property
    def held(self) -> NDArray[np.bool_]:
        """Whether any sent span holds each reference whole: without one, no retriever finds it.

        Shape `(references,)`.
        """
        held = np.zeros(len(self.judged.targets), np.bool_)
        low, high = self._runs
        held[self.judged.targets.reference[high > low]] = True
        return held

    def references(self, question: int) -> Integers:
        """Numbers of the references of a question, ascending."""
        low, high = np.searchsorted(self.judged.targets.question, (question, question + 1))
        return np.arange(low, high)

    def holding(self, question: int) -> Integers:
        """The sent spans that hold any reference of a question whole: by rank, then by place."""
        rows = np.isin(self.judged.targets.reference, self.references(question))
        low, high = (part[rows] for part in self._runs)
        found = merged(spread(low, high - low))
        ranks = np.array([self.rank(question, sent) or NEVER for sent in found.tolist()], np.int64)
        return found[np.argsort(ranks, kind="stable")]

    def touching(self, question: int) -> Integers:
        """The sent spans that share a character with any reference of a question, by place."""
        targets = self.judged.targets
        rows = np.isin(targets.reference, self.references(question))
        spans = self.judged.pool.sent.spans
        low, high = touching(spans, targets.starts[rows], targets.ends[rows])
        return merged(spread(low, np.maximum(0, high - low)))

    def above(self, question: int) -> Integers:
        """The sent spans that are ranked above the first that holds a reference of a question.

        Where none does: all that are known. Best first.
        """
        best = int(self.best[question])
        return self.judged.order[question, : best - 1 if best else int(self.depth[question])]

    def rank(self, question: int, sent: int) -> int:
        """Rank of a sent span for a question, from 1; 0 where the ranking does not reach it."""
        at = np.flatnonzero(self.judged.order[question] == sent)
        return int(at[0]) + 1 if len(at) else 0

    def passage(self, question: int, sent: int) -> Passage:
        """A sent span as it stands in the ranking of a question."""
        pool, rank = self.judged.pool, self.rank(question, sent)
        start, end = int(pool.sent.spans.starts[sent]), int(pool.sent.spans.ends[sent])
        place = pool.collection.document_at(start)
        document, offset = pool.collection.documents[place], int(pool.collection.offsets[place])
        scores = self.judged.scores
        score = float("nan") if scores is None or not rank else scores[question, rank - 1]
        return Passage(
            rank=rank,
            score=float(score),
            tokens=int(pool.sent.tokens[sent]),
            document_id=document.id,
            start=start - offset,
            end=end - offset,
            text=document.text[start - offset : end - offset],
        )

    @cached_property
    def _runs(self) -> tuple[Integers, Integers]:
        """The sent spans that hold each place of a reference: `[low, high)`."""
        targets = self.judged.targets
        low, high = containing(self.judged.pool.sent.spans, targets.starts, targets.ends)
        return low, np.maximum(low, high)
