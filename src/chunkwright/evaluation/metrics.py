"""Metrics: each a value with a name that can be parsed and printed, such as `hit_rate@5`.

Three families, never mixed up: ranking (`hit_rate`, `all_hit`, `mrr`, `ndcg`), coverage
(`recall`) and efficiency (`precision`, `iou`, `precision_omega`). `document_hit_rate` stands
apart: it looks at documents, not at references. Every one lies in 0..1; a question for which one
is undefined is left out of its mean, and `n` says how many counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkwright import registry
from chunkwright.errors import MetricError
from chunkwright.evaluation.targets import NEVER, Counted, Judged, Values, omega
from chunkwright.spans import Integers

Function = Callable[[Counted], Values]
# What perfect retrieval would give: no ranking, and so no cutoff.
_WITHOUT_RANKING = frozenset({"precision_omega"})
_NOTATION = re.compile(r"([a-z_]+)(?:@(\d+)(t?))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric and how many results it looks at.

    Attributes:
        name: A registered metric.
        k: The first `k` results; None for a token budget or for all.
        budget: As many results as fit this many tokens.

    >>> str(Metric.parse("recall@1000t")), Metric.parse("hit_rate@5").k
    ('recall@1000t', 5)
    """

    name: str
    k: int | None = None
    budget: int | None = None

    @classmethod
    def parse(cls, notation: str) -> Metric:
        """Read a metric such as `hit_rate@5`, `recall@1000t` or `precision_omega`.

        Raises:
            MetricError: With what cannot be read.
        """
        found = _NOTATION.fullmatch(notation.strip())
        if found is None:
            raise MetricError(f"{notation!r} is not a metric: write one like 'hit_rate@1000t'")
        name, amount, letter = found.groups()
        registry.load("metrics", name, MetricError)
        if amount is None:
            return cls(name)
        if int(amount) < 1:
            raise MetricError(f"{notation!r}: the number after @ must be at least 1")
        return cls(name, budget=int(amount)) if letter else cls(name, k=int(amount))

    def __str__(self) -> str:
        if self.budget is not None:
            return f"{self.name}@{self.budget}t"
        return self.name if self.k is None else f"{self.name}@{self.k}"

    @property
    def ranked(self) -> bool:
        """Whether it looks at a ranking at all."""
        return self.name not in _WITHOUT_RANKING

    def values(self, judged: Judged) -> Values:
        """The metric of each question; NaN where it is undefined. Shape `(questions,)`."""
        function: Function = registry.load("metrics", self.name, MetricError)
        return function(judged.within(self.k, self.budget))


def hit_rate(counted: Counted) -> Values:
    """1 where at least one reference is wholly inside one counted result."""
    return _asked(counted, counted.targets.per_question(counted.hits) > 0)


def all_hit(counted: Counted) -> Values:
    """1 where every reference is wholly inside one counted result."""
    return _asked(counted, counted.targets.per_question(~counted.hits) == 0)


def document_hit_rate(counted: Counted) -> Values:
    """1 where a counted result is from a document that holds a reference, wherever it lies in it.

    Beside `hit_rate` it tells a wrong document from a wrong chunk of the right one.
    """
    return _asked(counted, counted.judged.first_in_document < counted.counts)


def recall(counted: Counted) -> Values:
    """Share of the references' characters that the counted results hold."""
    return _ratio(counted.covered, counted.targets.wanted)


def precision(counted: Counted) -> Values:
    """Share of the counted results' characters that belong to a reference.

    As Chroma's chunking evaluation defines it: text that is sent twice counts twice below the
    line and once above it. With no result it is undefined.
    """
    return _asked(counted, _ratio(counted.covered, counted.lengths))


def iou(counted: Counted) -> Values:
    """Covered characters over those of results and of what they miss, as Chroma defines it."""
    missed = counted.targets.wanted - counted.covered
    return _asked(counted, _ratio(counted.covered, counted.lengths + missed))


def precision_omega(counted: Counted) -> Values:
    """Precision at perfect retrieval: an upper bound that needs no retriever."""
    return omega(counted.targets, counted.judged.pool.sent.spans)


def mrr(counted: Counted) -> Values:
    """1 over the rank of the first counted result that holds a reference; 0 if none does."""
    targets = counted.targets
    first = np.full(targets.questions, np.inf)
    rank = np.where(counted.hits, counted.judged.first_hit, np.inf)
    np.minimum.at(first, targets.question, rank)
    return _asked(counted, 1 / (1 + first))


def ndcg(counted: Counted) -> Values:
    """Discounted gain of the references found, over that of all found first.

    The j-th reference found is worth `1 / log2(position + 1)`, its position being the rank of
    the result that holds it, but at least j: two references in one result stand on ranks 1 and
    2. The ideal has one reference a rank from the first on.
    """
    targets = counted.targets
    place = targets.place_in_question
    ranks = np.where(counted.hits, counted.judged.first_hit, NEVER)
    order = np.lexsort((ranks, targets.question))
    found, ranks = counted.hits[order], ranks[order]
    position = np.where(found, np.maximum(ranks, place), 0)
    gain = np.where(found, 1 / np.log2(position + 2), 0.0)
    return _ratio(targets.per_question(gain), targets.per_question(1 / np.log2(place + 2)))


def _asked(counted: Counted, values: NDArray[Any]) -> Values:
    """The values; undefined for a question that has no reference."""
    return np.where(counted.targets.wanted > 0, values, np.nan)


def _ratio(part: Values, whole: Values | Integers) -> Values:
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
