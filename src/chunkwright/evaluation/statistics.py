"""What is real and what is luck: paired bootstrap over questions or documents.

All setups answer the same questions, so their figures are compared question by question. The
questions of one document are not independent; where there are enough documents, whole documents
are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
DRAWS = 2000
SEED = 0
_FOLDS = 5
# Setups whose difference varies less than this are the same on every question.
_SAME = 1e-12


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


def compare(
    values: Values, clusters: NDArray[np.int64], cost: Sequence[float] = (), seed: int = SEED
) -> Field:
    """Compare setups by one metric.

    Args:
        values: The metric of each question under each setup. Shape `(setups, questions)`; no
            NaN.
        clusters: The document of each question. Shape `(questions,)`.
        cost: What each setup costs; the cheaper one leads where two are equal.
        seed: Of the random draws.

    The bounds on `behind` hold for all pairs of setups at once with 95 %, as they must where the
    data also say which setup leads: they take the 95th percentile of the largest studentised
    difference between any two (Tukey's range, by bootstrap).

    >>> field = compare(np.array([[1.0, 1, 1, 0] * 20, [0.0, 0, 1, 0] * 20]), np.arange(80))
    >>> field.leader, field.standings[1].ruled_out
    (0, True)
    """
    setups, n = values.shape
    unit = "documents" if len(np.unique(clusters)) >= FEWEST_CLUSTERS else "questions"
    groups = clusters if unit == "documents" else np.arange(n)
    means = values.mean(axis=1)
    costs = np.array(cost, np.float64) if len(cost) else np.zeros(setups)
    leader = _first(means, costs)
    drawn = _draws(values, groups, seed)
    low, high = np.percentile(drawn, [2.5, 97.5], axis=1)
    first = drawn >= drawn.max(axis=0) - _SAME
    shares = (first / first.sum(axis=0)).mean(axis=1)
    behind = means[leader] - means
    spread = drawn[leader] - drawn
    error = spread.std(axis=1)
    critical = _critical(drawn, means)
    decides = len(np.unique(groups)) >= FEWEST_QUESTIONS
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


def _first(means: Values, costs: Values) -> int:
    """The setup with the highest mean; of equals the cheapest."""
    return int(np.lexsort((costs, -np.round(means, 9)))[0])


def recommended(means: Values, costs: Values) -> int:
    """The cheapest setup whose mean is within `CLOSE` of the leader's; of equals the best.

    >>> recommended(np.array([0.9, 0.895, 0.8]), np.array([300.0, 100.0, 50.0]))
    1
    """
    lead = means[_first(means, costs)]
    far = means < lead * (1 - CLOSE) - _SAME
    return int(np.lexsort((-means, costs, far))[0])


def _critical(drawn: Values, means: Values) -> float:
    """How many standard errors the difference of any two setups may stray, with 95 %."""
    shifted = drawn - means[:, None]
    largest = np.zeros(drawn.shape[1])
    for at in range(len(drawn) - 1):
        spread = shifted[at] - shifted[at + 1 :]
        error = spread.std(axis=1)
        apart = error > _SAME
        if apart.any():
            studentised = np.abs(spread[apart]) / error[apart, None]
            largest = np.maximum(largest, studentised.max(axis=0))
    return float(np.percentile(largest, 95))


def _draws(values: Values, groups: NDArray[np.int64], seed: int) -> Values:
    """Means of every setup in every bootstrap draw of whole groups. Shape `(setups, draws)`."""
    _, group = np.unique(groups, return_inverse=True)
    count = int(group.max()) + 1
    sums = np.zeros((count, len(values)))
    np.add.at(sums, group, values.T)
    sizes = np.bincount(group, minlength=count).astype(np.float64)
    random = np.random.default_rng(seed)
    weights = random.multinomial(count, np.full(count, 1 / count), size=DRAWS).astype(np.float64)
    return ((weights @ sums) / (weights @ sizes)[:, None]).T


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
