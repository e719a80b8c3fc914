"""Racing: a setup that is clearly worse is left before everything about it is measured.

Three levels, each paid only where the cheaper one cannot decide:

0. Spans alone. A setup whose ceiling lies below what another one reaches is out, without doubt.
1. Cheap evidence, paired question by question: where the retriever runs a model, a cheaper one
   that stands in for it, its `screen` (late vectors: one pass of the model for all setups);
   elsewhere a growing part of the questions.
2. The retriever itself on all questions, for whatever is left.

A setup is left only if it lies behind the leader by more than the choice would forgive, beyond
chance, with all comparisons of the study counted: so that what would have been picked is among
those that remain, in 95 % of studies. How many remain, nobody fixes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkwright.errors import StudyError
from chunkwright.evaluation.ceilings import Ceiling
from chunkwright.evaluation.experiment import Evaluation
from chunkwright.evaluation.statistics import (
    CLOSE,
    CONFIDENCE,
    SEED,
    Sample,
    Values,
    best_first,
)
from chunkwright.setup import Setup
from chunkwright.spans import Integers
from chunkwright.tuning.journal import RuledOut
from chunkwright.tuning.work import Questions, Work

# Nothing is decided on fewer questions than this.
_FEWEST = 30
# Setups that are measured by the retriever itself between two decisions: no more is wasted if the
# first of them rules the others out, and two processes have something to do.
_AT_ONCE = 2
# How far figures by late vectors stray from true ones, before any setup has been measured by both:
# in our runs by 2 to 4 points. It counts as much as so many setups.
_STRAY = 0.04
_STRAY_WEIGHT = 4
# Figures are kept to this many digits, so that a resumed race reads what it wrote.
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Race:
    """How setups are raced.

    Attributes:
        seed: Of the order in which questions are asked, and of random draws.
        shares: Which parts of the questions are asked before all are, ascending.

    Raises:
        StudyError: The shares do not ascend between 0 and 1.

    >>> Race(shares=(0.5, 0.25))
    Traceback (most recent call last):
    chunkwright.errors.StudyError: shares of a race ascend between 0 and 1, but got (0.5, 0.25)
    """

    seed: int = SEED
    shares: tuple[float, ...] = (0.25, 0.5)

    def __post_init__(self) -> None:
        if not all(low < high for low, high in pairwise((0.0, *self.shares, 1.0))):
            raise StudyError(f"shares of a race ascend between 0 and 1, but got {self.shares}")


def drawn(clusters: NDArray[np.int64], seed: int) -> Integers:
    """An order of the questions in which any first part has a fair share of every document's.

    >>> order = drawn(np.array([0] * 8 + [1] * 4), seed=1)
    >>> np.bincount((order[:6] >= 8).astype(int)).tolist()
    [4, 2]
    """
    random = np.random.default_rng(seed)
    place = np.empty(len(clusters))
    for document in np.unique(clusters).tolist():
        rows = np.flatnonzero(clusters == document)
        # From a random point between two steps on, so that small documents do not all come first.
        steps = (random.permutation(len(rows)) + random.random()) / len(rows)
        place[rows] = steps
    return np.asarray(np.lexsort((random.random(len(clusters)), place)), np.int64)


def race(
    work: Work,
    setups: Sequence[Setup],
    clusters: NDArray[np.int64],
    rules: Race,
    screen: str | None,
) -> None:
    """Race setups; what is left is measured in full.

    Args:
        work: Does what is asked, and holds the results.
        setups: The setups; of equals the first one goes first.
        clusters: The document of each question.
        rules: How.
        screen: Name of the cheaper retriever, if there is one.
    """
    work.look_at_spans(setups)
    racing = [setup for setup in setups if setup in work.ceilings]
    if not racing:
        return
    if screen is None:
        _by_questions(work, racing, clusters, rules)
    else:
        _by_screen(work, racing, clusters, rules, screen)


def _by_questions(
    work: Work, racing: list[Setup], clusters: NDArray[np.int64], rules: Race
) -> None:
    work.measure([_pilot(racing, work.ceilings)])
    racing = _still_hopeful(work, racing)
    n = len(clusters)
    order = drawn(clusters, rules.seed)
    looks = [round(share * n) for share in rules.shares if _FEWEST <= round(share * n) < n]
    blocks: list[Questions] = []
    figures: dict[Setup, list[Evaluation]] = {setup: [] for setup in racing}
    asked = 0
    for count in looks:
        block = tuple(np.sort(order[asked:count]).tolist())
        blocks.append(block)
        asked = count
        for setup, part in zip(racing, work.ask(racing, block), strict=True):
            figures[setup].append(part)
        values = _matrix(
            [np.concatenate([part.values[work.metric] for part in figures[s]]) for s in racing]
        )
        if not values.n:
            continue
        # What may go wrong at one look or another is shared by all looks.
        confidence = 1 - (1 - CONFIDENCE) / len(looks)
        others = work.planned - len(racing)
        documents = clusters[np.concatenate([np.array(each, np.int64) for each in blocks])]
        sample = Sample.of(
            values.rows, documents[values.defined], rules.seed, others, confidence, best_only=True
        )
        stored = [figures[setup][0].statistics.stored_tokens for setup in racing]
        leader = best_first(sample.means, stored)[0]
        behind, error = sample.behind(leader), sample.error(leader)
        low = behind - sample.critical * error
        margin = CLOSE * float(sample.means[leader])
        for at, setup in enumerate(racing):
            if sample.decides and low[at] > margin and setup not in work.done:
                work.rule_out(
                    _rounded(
                        RuledOut(
                            setup=setup,
                            level=1,
                            by="questions",
                            figure=float(sample.means[at]),
                            questions=values.n,
                            leader=racing[leader],
                            leader_figure=float(sample.means[leader]),
                            behind=float(behind[at]),
                            behind_low=float(low[at]),
                            margin=margin,
                            error=float(error[at]),
                        )
                    )
                )
        racing = [
            racing[at]
            for at in best_first(sample.means, stored)
            if racing[at] not in work.ruled_out
        ]
    work.measure(racing, blocks)


def _pilot(racing: Sequence[Setup], ceilings: dict[Setup, Ceiling]) -> Setup:
    """The setup that is measured first, for ceilings to be compared with.

    Of those with about the highest ceiling, the one that sends least at perfect retrieval.
    """
    highest = max(ceilings[setup].mean for setup in racing)
    high = [setup for setup in racing if not ceilings[setup].mean < highest * (1 - CLOSE)]
    return min(high, key=lambda setup: float(ceilings[setup].sent_tokens.mean()))


def _by_screen(
    work: Work, racing: list[Setup], clusters: NDArray[np.int64], rules: Race, screen: str
) -> None:
    parts = work.screen(racing, screen)
    cheap = _matrix([part.values[work.metric] for part in parts])
    if not cheap.n:
        work.measure(racing)
        return
    others = work.planned - len(racing)
    sample = Sample.of(cheap.rows, clusters[cheap.defined], rules.seed, others, best_only=True)
    row = {setup: at for at, setup in enumerate(racing)}
    stored = [part.statistics.stored_tokens for part in parts]
    waiting = [racing[at] for at in best_first(sample.means, stored)]
    while waiting:
        work.measure(waiting[:_AT_ONCE])
        waiting = _still_hopeful(work, waiting[_AT_ONCE:])
        known = [setup for setup in racing if setup in work.done]
        true = _means([work.done[setup].values[work.metric] for setup in known])
        leader = best_first(true, [stored[row[setup]] for setup in known])[0]
        stray = _stray(true - sample.means[[row[setup] for setup in known]])
        best, lead = known[leader], float(true[leader])
        behind = lead - (sample.means + stray.shift)
        # The luck of the questions, and how far a cheap figure may be from the true one.
        error = np.hypot(sample.error(row[best]), stray.spread)
        low = behind - sample.critical * error
        for setup in waiting:
            at = row[setup]
            if sample.decides and low[at] > CLOSE * lead and setup not in work.done:
                work.rule_out(
                    _rounded(
                        RuledOut(
                            setup=setup,
                            level=1,
                            by=screen,
                            figure=float(sample.means[at]),
                            questions=cheap.n,
                            leader=best,
                            leader_figure=lead,
                            behind=float(behind[at]),
                            behind_low=float(low[at]),
                            margin=CLOSE * lead,
                            error=float(error[at]),
                        )
                    )
                )
        waiting = [setup for setup in waiting if setup not in work.ruled_out]


def _still_hopeful(work: Work, setups: Iterable[Setup]) -> list[Setup]:
    """Rule out by spans alone: those whose ceiling is below what a measured one reaches."""
    measured = list(work.done.values())
    if not measured:
        return list(setups)
    figures = _means([each.values[work.metric] for each in measured])
    leader = best_first(figures, [each.statistics.stored_tokens for each in measured])[0]
    best, own = measured[leader].setup, measured[leader].values[work.metric]
    hopeful = []
    for setup in setups:
        ceiling = work.ceilings[setup]
        asked = ~np.isnan(ceiling.values)
        lead = float(np.nan_to_num(own[asked]).mean()) if asked.any() else 0.0
        behind, margin = lead - ceiling.mean, CLOSE * lead
        if setup in work.done or not behind > margin:
            hopeful.append(setup)
            continue
        work.rule_out(
            _rounded(
                RuledOut(
                    setup=setup,
                    level=0,
                    by="spans",
                    figure=ceiling.mean,
                    questions=int(asked.sum()),
                    leader=best,
                    leader_figure=lead,
                    behind=behind,
                    behind_low=behind,
                    margin=margin,
                )
            )
        )
    return hopeful


class _Stray(NamedTuple):
    """How figures by a cheaper retriever differ from true ones.

    Attributes:
        shift: By how much true ones are higher.
        spread: Standard deviation of what one more setup's may differ from that.
    """

    shift: float
    spread: float


def _stray(errors: Values) -> _Stray:
    """From the setups that were measured by both.

    Those were chosen for their high cheap figures, which may be high by luck: that true figures
    are lower on the whole is therefore not believed, and the spread starts from experience.
    """
    count = len(errors)
    mean = float(errors.mean())
    squares = _STRAY_WEIGHT * _STRAY**2 + float(((errors - mean) ** 2).sum())
    variance = squares / (_STRAY_WEIGHT + count - 1)
    return _Stray(max(0.0, mean), float(np.sqrt(variance * (1 + 1 / count))))


class _Matrix(NamedTuple):
    """One row a setup, one column a question that some setup answers; no NaN."""

    rows: Values
    defined: NDArray[np.bool_]

    @property
    def n(self) -> int:
        """Number of questions."""
        return self.rows.shape[1]


def _matrix(rows: Sequence[Values]) -> _Matrix:
    values = np.stack(rows)
    defined = np.asarray(~np.isnan(values).all(axis=0))
    return _Matrix(np.nan_to_num(values[:, defined]), defined)


def _means(rows: Sequence[Values]) -> Values:
    """The figures as the choice takes them; 0 where no question is defined for any setup."""
    values = _matrix(rows)
    return np.asarray(values.rows.mean(axis=1)) if values.n else np.zeros(len(rows))


def _rounded(found: RuledOut) -> RuledOut:
    return replace(
        found,
        figure=round(found.figure, _DIGITS),
        leader_figure=round(found.leader_figure, _DIGITS),
        behind=round(found.behind, _DIGITS),
        behind_low=round(found.behind_low, _DIGITS),
        margin=round(found.margin, _DIGITS),
        error=round(found.error, _DIGITS),
    )
