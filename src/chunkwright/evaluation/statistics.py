"""What is real and what is luck: paired bootstrap over questions or documents.

All setups answer the same questions, so their figures are compared question by question. The
questions of one document are not independent; where there are enough documents, whole documents
are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
# Fewer documents than this say too little about other documents: questions are drawn instead, and
# the figures speak of more questions on these documents only.
FEWEST_CLUSTERS = 20
# Fewer independent questions than this decide nothing, whatever they say.
FEWEST_QUESTIONS = 10
# A setup whose mean is within this share of the leader's answers as well for practical purposes.
CLOSE = 0.01
CONFIDENCE = 0.95
DRAWS = 2000
SEED = 0
_FOLDS = 5
_NORMAL_95 = 1.959964
# Setups whose difference varies less than this are the same on every question.
_SAME = 1e-12


class Share(NamedTuple):
    """A share of chunks with its 95 % interval; NaN without chunks."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one setup stands in the whole field.

    Attributes:
        mean: Mean over the questions.
        low: Lower end of its 95 % interval.
        high: Upper end.
        best: Share of draws in which it is the best of all, ties shared.
        behind: How far its mean lies behind the leader's.
        behind_low: Lower 95 % bound on that, for all setups at once.
        behind_high: Upper 95 % bound on it, for all setups at once.
        needed: Questions that would decide between it and the leader at this difference; None
            where it is decided or there is no difference.
    """

    mean: float
    low: float
    high: float
    best: float
    behind: float
    behind_low: float
    behind_high: float
    needed: int | None

    @property
    def ruled_out(self) -> bool:
        """Whether it is worse than the leader beyond chance, with all comparisons counted."""
        return self.behind_low > 0


@dataclass(frozen=True, slots=True)
class Field:
    """All setups compared.

    Attributes:
        standings: One a setup, in the order given.
        leader: Index of the setup with the highest mean; of equals the cheapest.
        recommended: Index of the cheapest setup that is close to the leader.
        held_out: Mean of the recommended one on questions that it was not chosen on: the whole
            rule is applied to each part of the questions (cross-fitted).
        unit: What was drawn: `documents` or `questions`.
        draws: Number of bootstrap draws.
        n: Number of questions.
    """

    standings: tuple[Standing, ...]
    leader: int
    recommended: int
    held_out: float
    unit: str
    draws: int
    n: int


@dataclass(frozen=True, slots=True)
class Sample:
    """Setups as they would fare on other questions of this kind: bootstrap draws of their means.

    Attributes:
        means: Mean of each setup. Shape `(setups,)`.
        drawn: Its mean in each draw. Shape `(setups, draws)`.
        critical: How many standard errors the difference of two setups may stray.
        unit: What was drawn: `documents` or `questions`.
        n: Number of questions.
        decides: Whether there are enough of the unit to decide anything.
    """

    means: Values
    drawn: Values
    critical: float
    unit: str
    n: int
    decides: bool

    @classmethod
    def of(
        cls,
        values: Values,
        clusters: NDArray[np.int64],
        seed: int = SEED,
        others: int = 0,
        confidence: float = CONFIDENCE,
        *,
        best_only: bool = False,
    ) -> Sample:
        """Draw.

        Args:
            values: The metric of each question under each setup. Shape `(setups, questions)`.
            clusters: The document of each question. Shape `(questions,)`.
            seed: Of the random draws.
            others: How many more setups were tried, of which there are no values: what is said has
                to hold with them, too.
            confidence: With which it holds for all comparisons at once.
            best_only: Whether comparisons are only to leave what is not the best: then they have
                to hold for the best one against all others, whichever it is (subset selection:
                Gupta, "On Some Multiple Decision Rules", 1965; Hsu's comparisons with the best,
                1981); otherwise for any two and in both directions (Tukey's range).
        """
        unit, groups = _unit(clusters)
        means = values.mean(axis=1)
        drawn = _draws(values, groups, seed)
        find, quantile = (_critical_of_best, _lead) if best_only else (_critical, _range)
        critical = find(drawn, means, confidence)
        if others and len(values) > 1:
            # As much wider as that of so many more normal means is.
            critical *= quantile(len(values) + others, confidence)
            critical /= quantile(len(values), confidence)
        decides = len(np.unique(groups)) >= FEWEST_QUESTIONS
        return cls(means, drawn, critical, unit, values.shape[1], decides)

    def behind(self, leader: int) -> Values:
        """How far each setup's mean lies behind a leader's. Shape `(setups,)`."""
        return np.asarray(self.means[leader] - self.means)

    def error(self, leader: int) -> Values:
        """The standard error of that. Shape `(setups,)`."""
        return np.asarray((self.drawn[leader] - self.drawn).std(axis=1))


def compare(
    values: Values,
    clusters: NDArray[np.int64],
    cost: Sequence[float] = (),
    seed: int = SEED,
    others: int = 0,
) -> Field:
    """Compare setups by one metric.

    Args:
        values: The metric of each question under each setup. Shape `(setups, questions)`; no
            NaN.
        clusters: The document of each question. Shape `(questions,)`.
        cost: What each setup costs; the cheaper one leads where two are equal.
        seed: Of the random draws.
        others: How many more setups were tried and ruled out on less than all questions.

    The bounds on `behind` hold for all pairs of setups at once with 95 %, as they must where the
    data also say which setup leads: they take the 95th percentile of the largest studentised
    difference between any two (Tukey's range, by bootstrap).

    >>> field = compare(np.array([[1.0, 1, 1, 0] * 20, [0.0, 0, 1, 0] * 20]), np.arange(80))
    >>> field.leader, field.standings[1].ruled_out
    (0, True)
    """
    setups, n = values.shape
    unit, groups = _unit(clusters)
    sample = Sample.of(values, clusters, seed, others)
    means, drawn, critical = sample.means, sample.drawn, sample.critical
    costs = np.array(cost, np.float64) if len(cost) else np.zeros(setups)
    leader = best_first(means, costs)[0]
    low, high = np.percentile(drawn, [2.5, 97.5], axis=1)
    first = drawn >= drawn.max(axis=0) - _SAME
    shares = (first / first.sum(axis=0)).mean(axis=1)
    behind, error, decides = sample.behind(leader), sample.error(leader), sample.decides
    standings = [
        Standing(
            mean=float(means[at]),
            low=float(low[at]),
            high=float(high[at]),
            best=float(shares[at]),
            behind=float(behind[at]),
            behind_low=float(behind[at] - critical * error[at]) if decides else -1.0,
            behind_high=float(behind[at] + critical * error[at]) if decides else 1.0,
            needed=_needed(n, float(behind[at]), critical * float(error[at])),
        )
        for at in range(setups)
    ]
    held_out = _held_out(values, groups, costs, seed)
    best = recommended(means, costs)
    return Field(tuple(standings), leader, best, held_out, unit, DRAWS, n)


def _unit(clusters: NDArray[np.int64]) -> tuple[str, NDArray[np.int64]]:
    """What is drawn, and the unit that each question belongs to."""
    if len(np.unique(clusters)) >= FEWEST_CLUSTERS:
        return "documents", clusters
    return "questions", np.arange(len(clusters))


def best_first(means: Values, costs: Values | Sequence[float]) -> list[int]:
    """Setups by their means; of equals the cheaper one goes first.

    >>> best_first(np.array([0.8, 0.9, 0.9]), np.array([50.0, 300.0, 100.0]))
    [2, 1, 0]
    """
    return np.lexsort((np.asarray(costs), -np.round(means, 9))).tolist()


def recommended(means: Values, costs: Values) -> int:
    """The cheapest setup whose mean is within `CLOSE` of the leader's; of equals the best.

    >>> recommended(np.array([0.9, 0.895, 0.8]), np.array([300.0, 100.0, 50.0]))
    1
    """
    lead = means[best_first(means, costs)[0]]
    far = means < lead * (1 - CLOSE) - _SAME
    return int(np.lexsort((-means, costs, far))[0])


def _critical(drawn: Values, means: Values, confidence: float) -> float:
    """How many standard errors the difference of any two setups may stray, with so much trust."""
    shifted = drawn - means[:, None]
    largest = np.zeros(drawn.shape[1])
    for at in range(len(drawn) - 1):
        spread = shifted[at] - shifted[at + 1 :]
        error = spread.std(axis=1)
        apart = error > _SAME
        if apart.any():
            studentised = np.abs(spread[apart]) / error[apart, None]
            largest = np.maximum(largest, studentised.max(axis=0))
    return float(np.percentile(largest, 100 * confidence))


def _critical_of_best(drawn: Values, means: Values, confidence: float) -> float:
    """How many standard errors others may come out ahead of the best by luck, whichever it is."""
    shifted = drawn - means[:, None]
    critical = 0.0
    for at in range(len(drawn)):
        spread = shifted - shifted[at]
        error = spread.std(axis=1)
        apart = error > _SAME
        if apart.any():
            ahead = (spread[apart] / error[apart, None]).max(axis=0)
            critical = max(critical, float(np.percentile(ahead, 100 * confidence)))
    return critical


def share_of(flagged: NDArray[np.int64], chunks: NDArray[np.int64]) -> Share:
    """The share of flagged chunks, with a 95 % interval for more documents of this kind.

    Wilson's interval, at the number of independent chunks that would vary as much as the share
    does between documents (Dean and Pagano 2015, doi:10.1093/jssam/smv024); with fewer than 20
    documents that is the number of chunks.

    Args:
        flagged: Flagged chunks of each document. Shape `(documents,)`.
        chunks: All of them. Shape `(documents,)`.

    >>> [round(each, 3) for each in share_of(np.array([5]), np.array([100]))]
    [0.05, 0.022, 0.112]
    """
    total = int(chunks.sum())
    if not total:
        return Share(*[float("nan")] * 3)
    value = float(flagged.sum() / total)
    count = float(total)
    used = int((chunks > 0).sum())
    if used >= FEWEST_CLUSTERS and 0 < value < 1:
        strays: NDArray[np.float64] = flagged - value * chunks
        variance = used / (used - 1) * float((strays**2).sum()) / total**2
        count = min(count, value * (1 - value) / variance) if variance else count
    z = _NORMAL_95**2
    middle = (value + z / (2 * count)) / (1 + z / count)
    half = _NORMAL_95 * sqrt(value * (1 - value) / count + z / (4 * count**2)) / (1 + z / count)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Share(value, low if value > 0 else 0.0, high if value < 1 else 1.0)


def drawn_sums(values: Values, clusters: NDArray[np.int64], seed: int = SEED) -> Values:
    """The sum of each row in every bootstrap draw of whole documents, or of questions.

    Args:
        values: One column a question. Shape `(rows, questions)`.
        clusters: The document of each question. Shape `(questions,)`.
        seed: Of the random draws.

    >>> drawn_sums(np.ones((1, 40)), np.arange(40)).shape
    (1, 2000)
    """
    return _sums(values, _unit(clusters)[1], seed)[0].T


@cache
def _range(count: int, confidence: float) -> float:
    """The quantile of the range of `count` independent normal values (Tukey's, by summation).

    >>> round(_range(2, 0.95), 2), round(_range(64, 0.95), 2)
    (2.77, 5.81)
    """
    return _quantile(confidence, lambda z, x: count * (_below(z + x) - _below(z)) ** (count - 1))


@cache
def _lead(count: int, confidence: float) -> float:
    """The quantile of how far the largest of `count - 1` normal values is ahead of another one.

    >>> round(_lead(2, 0.95), 2), round(_lead(64, 0.95), 2)
    (2.33, 4.16)
    """
    return _quantile(confidence, lambda z, x: _below(z + x) ** (count - 1))


def _below(z: Values) -> Values:
    from scipy.special import ndtr

    return np.asarray(ndtr(z))


def _quantile(confidence: float, inside: Callable[[Values, float], Values]) -> float:
    """The x at which the mean of `inside(z, x)` over a normal z is `confidence`."""
    z = np.linspace(-9, 9, 1801)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    low, high = 0.0, 20.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        held = float(density @ inside(z, middle))
        low, high = (low, middle) if held > confidence else (middle, high)
    return high


def _draws(values: Values, groups: NDArray[np.int64], seed: int) -> Values:
    """Means of every setup in every bootstrap draw of whole groups. Shape `(setups, draws)`."""
    sums, sizes = _sums(values, groups, seed)
    return (sums / sizes[:, None]).T


def _sums(values: Values, groups: NDArray[np.int64], seed: int) -> tuple[Values, Values]:
    """Sums of all rows in every draw, `(draws, rows)`, and its number of questions, `(draws,)`."""
    _, group = np.unique(groups, return_inverse=True)
    count = int(group.max()) + 1
    sums = np.zeros((count, len(values)))
    np.add.at(sums, group, values.T)
    sizes = np.bincount(group, minlength=count).astype(np.float64)
    random = np.random.default_rng(seed)
    weights = random.multinomial(count, np.full(count, 1 / count), size=DRAWS).astype(np.float64)
    return weights @ sums, weights @ sizes


def _needed(n: int, behind: float, half_width: float) -> int | None:
    """Questions at which the half width would shrink to the difference; it falls as 1/sqrt(n)."""
    if behind <= 1e-9 or half_width <= behind:
        return None
    return int(np.ceil(n * (half_width / behind) ** 2))


def _held_out(values: Values, groups: NDArray[np.int64], costs: Values, seed: int) -> float:
    """Score of the recommended setup on the part of the questions that it was not chosen on."""
    _, group = np.unique(groups, return_inverse=True)
    count = int(group.max()) + 1
    if count < 2:
        return float("nan")
    random = np.random.default_rng(seed)
    fold = random.permutation(np.arange(count) % min(_FOLDS, count))[group]
    scores = np.zeros(values.shape[1])
    for part in np.unique(fold).tolist():
        inside = fold == part
        winner = recommended(values[:, ~inside].mean(axis=1), costs)
        scores[inside] = values[winner, inside]
    return float(scores.mean())
