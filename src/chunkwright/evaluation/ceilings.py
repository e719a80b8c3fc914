"""Ceilings: what the spans of a setup alone decide, whatever retriever ranks them.

A reference that no span holds whole is a hit for no retriever, and one that only a span over the
budget holds is none either. So each metric has a highest value that any ranking can reach, question
by question, and it takes no retriever to find it: a setup whose ceiling lies below what another
one reaches is out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chunkwright.evaluation.metrics import Metric
from chunkwright.evaluation.targets import Targets, Values, omega
from chunkwright.retrieval.pool import Pool
from chunkwright.setup import Setup
from chunkwright.spans import Integers, touching

# Sums of shares may stray so far.
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What the spans of one setup alone decide.

    Attributes:
        setup: The setup.
        metric: Name of the metric.
        values: Its highest value for every question; NaN where undefined.
        sent_tokens: Tokens sent for every question at perfect retrieval.
    """

    setup: Setup
    metric: str
    values: Values
    sent_tokens: Values

    @classmethod
    def of(cls, metric: Metric, targets: Targets, pool: Pool) -> Ceiling:
        """Of a pool."""
        values = ceiling(metric, targets, pool)
        return cls(pool.setup, str(metric), values, perfect_tokens(targets, pool))

    @property
    def mean(self) -> float:
        """Mean over the questions for which it is defined; NaN if there is none."""
        defined = self.values[~np.isnan(self.values)]
        return float(defined.mean()) if len(defined) else float("nan")


def ceiling(metric: Metric, targets: Targets, pool: Pool) -> Values:
    """The highest value of a metric that any ranking of a pool can reach. Shape `(questions,)`.

    It is never too low. For `hit_rate`, `mrr` and `precision_omega` some ranking reaches it; for
    the others it may be a little too high. A metric that is not known here may reach 1. Undefined,
    as the metric is, for a question without references.

    >>> from chunkwright.gold.goldset import GoldSet, Question, Reference
    >>> from chunkwright.model import Document
    >>> from chunkwright.retrieval.collection import Collection
    >>> from chunkwright.setup import Setup
    >>> lamps = Collection([Document("a.txt", "It blinks. It hums.")])
    >>> asked = Question("q", "Does it?", (Reference("a.txt", 0, 19, "It blinks. It hums."),))
    >>> targets = Targets.of(GoldSet((asked,)), lamps)
    >>> pools = [Pool(lamps, Setup.parse(f"sentence:{sentences}s")) for sentences in (1, 2)]
    >>> [ceiling(Metric("hit_rate", k=5), targets, pool).tolist() for pool in pools]
    [[0.0], [1.0]]
    """
    if metric.name == "precision_omega":
        return omega(targets, pool.sent.spans)
    known = _KNOWN.get(metric.name)
    highest = np.ones(targets.questions) if known is None else known(_Within(metric, targets, pool))
    return np.where(targets.wanted > 0, highest, np.nan)


def perfect_tokens(targets: Targets, pool: Pool) -> Values:
    """Tokens sent at perfect retrieval: of all spans that touch a reference. Shape `(questions,)`.

    Each reference counts at its own place, as in `precision_omega`.
    """
    own = targets.own
    low, high = touching(pool.sent.spans, targets.starts[own], targets.ends[own])
    reference, span = _runs(low, high)
    question, span, _ = _distinct(targets.question[reference], span, len(pool.sent.tokens))
    return _sums(question, pool.sent.tokens[span], targets.questions)


class _Within:
    """The spans that touch a reference and have room within a metric's cutoff."""

    def __init__(self, metric: Metric, targets: Targets, pool: Pool) -> None:
        self.targets = targets
        self.sent = pool.sent
        self.pool = pool
        if metric.budget is not None:
            self.costs, self.room = self.sent.tokens.astype(np.float64), float(metric.budget)
        else:
            self.costs = np.ones(len(self.sent.tokens))
            self.room = np.inf if metric.k is None else float(metric.k)
        self.room *= 1 + _SLACK
        low, high = touching(self.sent.spans, targets.starts, targets.ends)
        place, span = _runs(low, high)
        fits = self.costs[span] <= self.room
        self.place, self.span = place[fits], span[fits]

    @cached_property
    def charges(self) -> Values:
        """The least share of a span's cost that holding each reference takes; infinite if none can.

        A span's cost is shared by the references of the question that it holds. However references
        are held, the cost is at least the sum of their charges. Shape `(references,)`.
        """
        targets, spans = self.targets, self.sent.spans
        whole = spans.starts[self.span] <= targets.starts[self.place]
        whole &= spans.ends[self.span] >= targets.ends[self.place]
        reference, span, _ = _distinct(
            targets.reference[self.place[whole]], self.span[whole], len(self.costs)
        )
        _, _, pair = _distinct(targets.question[reference], span, len(self.costs))
        charges = np.full(len(targets), np.inf)
        np.minimum.at(charges, reference, self.costs[span] / np.bincount(pair)[pair])
        return charges

    @cached_property
    def values(self) -> tuple[Integers, Integers, Values]:
        """Question, span, and the most characters of the question's references that it covers."""
        targets, spans = self.targets, self.sent.spans
        low = np.maximum(spans.starts[self.span], targets.starts[self.place])
        high = np.minimum(spans.ends[self.span], targets.ends[self.place])
        reference, span, pair = _distinct(targets.reference[self.place], self.span, len(self.costs))
        covered = np.zeros(len(reference))
        np.maximum.at(covered, pair, (high - low).astype(np.float64))  # of several places, the best
        question, span, pair = _distinct(targets.question[reference], span, len(self.costs))
        return question, span, _sums(pair, covered, len(question))

    @cached_property
    def covered(self) -> Values:
        """Characters that the spans can cover together, at most. Shape `(questions,)`.

        As many spans as there is room for, those that cover most for their cost first, and of the
        last one the part that still has room: the bound of the knapsack problem (Dantzig, 1957).
        """
        question, span, values = self.values
        costs = np.maximum(self.costs[span], _SLACK)
        order = np.lexsort((-values / costs, question))
        question, values, costs = question[order], values[order], costs[order]
        sums = np.cumsum(costs)
        first = np.searchsorted(question, question, side="left")
        before = sums - costs - (sums - costs)[first]
        taken = np.clip((self.room - before) / costs, 0, 1)
        together = _sums(question, values * taken, self.targets.questions)
        return np.minimum(together, self.targets.wanted)

    @cached_property
    def density(self) -> Values:
        """The largest share of one span that belongs to references. Shape `(questions,)`."""
        question, span, values = self.values
        spans = self.sent.spans
        densest = np.zeros(self.targets.questions)
        lengths = spans.ends[span] - spans.starts[span]
        np.maximum.at(densest, question, np.minimum(1, values / lengths))
        return densest


def _hit(within: _Within) -> Values:
    return (within.targets.per_question(np.isfinite(within.charges)) > 0).astype(np.float64)


def _all_hit(within: _Within) -> Values:
    held = within.targets.per_question(within.charges) <= within.room
    missed = within.targets.per_question(~np.isfinite(within.charges))
    return (held & (missed == 0)).astype(np.float64)


def _ndcg(within: _Within) -> Values:
    """As many references as can be held at all, on the first ranks."""
    targets = within.targets
    order = np.lexsort((within.charges, targets.question))
    charges, place = within.charges[order], targets.place_in_question
    possible = np.where(np.isfinite(charges), charges, 0)
    sums = np.cumsum(possible)
    first = np.searchsorted(targets.question, targets.question, side="left")
    together = sums - (sums - possible)[first]
    held = np.isfinite(charges) & (together <= within.room * (1 + _SLACK) + _SLACK)
    worth = 1 / np.log2(place + 2)
    return _share(targets.per_question(np.where(held, worth, 0)), targets.per_question(worth))


def _recall(within: _Within) -> Values:
    return _share(within.covered, within.targets.wanted)


def _precision(within: _Within) -> Values:
    """Results together are no denser than the densest of them."""
    return within.density


def _iou(within: _Within) -> Values:
    """The most that can be covered, by results as dense as the densest."""
    covered, wanted = within.covered, within.targets.wanted
    lengths = _share(covered, within.density)
    return _share(covered, lengths + wanted - covered)


def _document_hit(within: _Within) -> Values:
    """Whether any span of a document with an answer has room."""
    targets, starts = within.targets, within.sent.spans.starts
    offsets = within.pool.collection.offsets
    document = np.searchsorted(offsets, starts, side="right") - 1
    open_ = np.zeros(len(offsets), np.bool_)
    open_[document[within.costs <= within.room]] = True
    answers = np.searchsorted(offsets, targets.starts, side="right") - 1
    question = targets.question[targets.reference]
    return (np.bincount(question, open_[answers], targets.questions) > 0).astype(np.float64)


_KNOWN: dict[str, Callable[[_Within], Values]] = {
    "hit_rate": _hit,
    "mrr": _hit,  # the result that holds it may come first
    "all_hit": _all_hit,
    "ndcg": _ndcg,
    "recall": _recall,
    "precision": _precision,
    "iou": _iou,
    "document_hit_rate": _document_hit,
}


def _runs(low: Integers, high: Integers) -> tuple[Integers, Integers]:
    """Row and member of every run `[low, high)`."""
    widths = np.maximum(0, high - low)
    member = np.arange(widths.sum()) + np.repeat(low - (np.cumsum(widths) - widths), widths)
    return np.repeat(np.arange(len(widths)), widths), member


def _distinct(row: Integers, member: Integers, members: int) -> tuple[Integers, Integers, Integers]:
    """Distinct pairs, ascending, and which of them each given pair is."""
    width = max(1, members)
    keys, pair = np.unique(row * width + member, return_inverse=True)
    return keys // width, keys % width, pair


def _sums(group: Integers, values: Values | Integers, groups: int) -> Values:
    """Sum of the values of each group. Shape `(groups,)`."""
    return np.asarray(np.bincount(group, values, groups), np.float64)


def _share(part: Values, whole: Values | Integers) -> Values:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
