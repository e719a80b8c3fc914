"""Metrics: each a value with a name that can be parsed and printed, such as `hit_rate@5`.

Three families, never mixed up: ranking (`hit_rate`, `all_hit`, `mrr`, `ndcg`), coverage
(`recall`) and efficiency (`precision`, `iou`, `precision_omega`). Every one lies in 0..1; a
question for which one is undefined is left out of its mean, and `n` says how many counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkwright import registry
from chunkwright.errors import MetricError
from chunkwright.evaluation.targets import Judged, omega, question_sums, wanted_lengths
from chunkwright.spans import Integers

Values = NDArray[np.float64]
Function = Callable[[Judged, Integers], Values]
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

    def values(self, judged: Judged) -> Values:
        """The metric of each question; NaN where it is undefined. Shape `(questions,)`."""
        function: Function = registry.load("metrics", self.name, MetricError)
        return function(judged, judged.within(self.k, self.budget))


def _hits(judged: Judged, counts: Integers) -> NDArray[np.bool_]:
    """Whether a counted result holds each reference whole. Shape `(references,)`."""
    return judged.first_hit < counts[judged.targets.question]


def hit_rate(judged: Judged, counts: Integers) -> Values:
    """1 where at least one reference is wholly inside one counted result."""
    return (question_sums(judged.targets, _hits(judged, counts)) > 0).astype(np.float64)


def all_hit(judged: Judged, counts: Integers) -> Values:
    """1 where every reference is wholly inside one counted result."""
    missed = question_sums(judged.targets, ~_hits(judged, counts))
    return (missed == 0).astype(np.float64)


def recall(judged: Judged, counts: Integers) -> Values:
    """Share of the references' characters that the counted results hold."""
    return _ratio(_covered(judged, counts), wanted_lengths(judged.targets))


def precision(judged: Judged, counts: Integers) -> Values:
    """Share of the counted results' characters that belong to a reference.

    As Chroma's chunking evaluation defines it: text that is sent twice counts twice below the
    line and once above it. With no result it is 0.
    """
    lengths = judged.lengths(counts)
    return np.where(lengths > 0, _covered(judged, counts) / np.maximum(lengths, 1), 0.0)


def iou(judged: Judged, counts: Integers) -> Values:
    """Covered characters over those of results and of what they miss, as Chroma defines it."""
    covered = _covered(judged, counts)
    missed = wanted_lengths(judged.targets) - covered
    return _ratio(covered, judged.lengths(counts) + missed)


def precision_omega(judged: Judged, counts: Integers) -> Values:
    """Precision at perfect retrieval: an upper bound that needs no retriever."""
    del counts
    return omega(judged.targets, judged.pool.sent.spans)


def mrr(judged: Judged, counts: Integers) -> Values:
    """1 over the rank of the first counted result that holds a reference; 0 if none does."""
    first = np.full(judged.targets.questions, np.inf)
    rank = np.where(_hits(judged, counts), judged.first_hit, np.inf)
    np.minimum.at(first, judged.targets.question, rank)
    return 1 / (1 + first)


def ndcg(judged: Judged, counts: Integers) -> Values:
    """Discounted gain of the references found, over that of all found first.

    The j-th reference found is worth `1 / log2(position + 1)`, its position being the rank of
    the result that holds it, but at least j: two references in one result stand on ranks 1 and
    2. The ideal has one reference a rank from the first on.
    """
    targets = judged.targets
    values = np.zeros(targets.questions)
    bounds = np.searchsorted(targets.question, np.arange(targets.questions + 1))
    for number in range(targets.questions):
        ranks = np.sort(judged.first_hit[bounds[number] : bounds[number + 1]])
        ideal = np.arange(len(ranks))
        found = ranks < counts[number]
        positions = np.maximum(ranks[found], ideal[: int(found.sum())])
        values[number] = (1 / np.log2(positions + 2)).sum() / (1 / np.log2(ideal + 2)).sum()
    return values


def _covered(judged: Judged, counts: Integers) -> Values:
    covered = question_sums(judged.targets, judged.covered(counts))
    # References that overlap each other count their common characters once.
    return np.minimum(covered, wanted_lengths(judged.targets))


def _ratio(part: Values, whole: Values) -> Values:
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
