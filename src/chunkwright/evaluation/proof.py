"""Proof: what a rule's findings cost in answers, and whether a repair wins any back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from chunkwright.chunking.cut import Cut
from chunkwright.evaluation.experiment import Experiment
from chunkwright.evaluation.metrics import Metric
from chunkwright.evaluation.statistics import FEWEST_QUESTIONS, Sample, Values, drawn_sums
from chunkwright.evaluation.targets import Targets
from chunkwright.quality.checker import hits
from chunkwright.quality.repair import Repair
from chunkwright.quality.settings import Settings
from chunkwright.quality.view import View
from chunkwright.retrieval.pool import Pool
from chunkwright.setup import Setup
from chunkwright.spans import Spans, containing, touching

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RuleProof:
    """How a rule's findings go with missed questions.

    A question belongs to a chunk that holds one of its references whole; where no chunk does, to
    those that touch it.

    Attributes:
        code: The rule.
        label: The rule in a few words.
        chunks: Chunks with a finding.
        flagged: Questions that belong to one of them.
        unflagged: The other questions.
        missed_flagged: Share of the flagged ones that are missed; NaN without any.
        missed_unflagged: Share of the others that are.
        low: Lower 95 % bound on the difference; NaN where there are too few to say.
        high: Upper bound.
    """

    code: str
    label: str
    chunks: int
    flagged: int
    unflagged: int
    missed_flagged: float
    missed_unflagged: float
    low: float
    high: float

    @property
    def costs(self) -> bool:
        """Whether flagged questions are missed more often, beyond chance."""
        return self.low > 0

    @property
    def lost(self) -> float:
        """Answers that would be found if flagged questions did as well as the others."""
        difference = self.missed_flagged - self.missed_unflagged
        return self.flagged * difference if self.flagged else 0.0


def prove_rules(
    experiment: Experiment, pool: Pool, metric: Metric, settings: Settings | None = None
) -> list[RuleProof]:
    """What the findings of each chosen rule cost, the dearest rule first.

    Args:
        experiment: The questions, and how they are asked.
        pool: The chunks.
        metric: What counts as an answer found: one that is 0 or 1, such as `hit_rate@1000t`.
        settings: Which rules.
    """
    measured = experiment.with_metrics((metric,)).measure(pool)
    values = measured.values[str(metric)]
    views = [View(cut) for cut in pool.cuts]
    firsts = np.cumsum([0, *map(len, views)])
    proofs: list[RuleProof] = []
    for rule, found in hits(views, settings or Settings()):
        wrong = np.zeros(len(pool), np.bool_)
        for first, each in zip(firsts.tolist(), found, strict=False):
            wrong[first + each.chunks] = True
        flagged = belonging(experiment.targets, pool.spans, wrong)
        proofs.append(
            _proof_of(rule.code, rule.label, int(wrong.sum()), flagged, values, experiment.clusters)
        )
    return sorted(proofs, key=lambda proof: (not proof.costs, -proof.lost, proof.code))


def belonging(targets: Targets, spans: Spans, wrong: Mask) -> Mask:
    """Questions that belong to one of some chunks. Shape `(questions,)`.

    Args:
        targets: The references.
        spans: The chunks, on the collection's line.
        wrong: Which of them. Shape `(chunks,)`.
    """
    starts, ends = targets.starts[targets.own], targets.ends[targets.own]
    low, high = containing(spans, starts, ends)
    near, far = touching(spans, starts, ends)
    whole = high > low
    low, high = np.where(whole, low, near), np.maximum(np.where(whole, high, far), 0)
    before = np.r_[0, np.cumsum(wrong)]
    return targets.per_question(before[np.maximum(high, low)] > before[low]) > 0


def _proof_of(
    code: str, label: str, chunks: int, flagged: Mask, values: Values, clusters: NDArray[np.int64]
) -> RuleProof:
    defined = ~np.isnan(values)
    flagged, missed, clusters = flagged[defined], values[defined] < 1, clusters[defined]
    table = np.stack([flagged & missed, flagged, ~flagged & missed, ~flagged]).astype(np.float64)
    sums = table.sum(axis=1)
    low = high = np.nan
    if min(sums[1], sums[3]) >= FEWEST_QUESTIONS:
        drawn = drawn_sums(table, clusters)
        full = (drawn[1] > 0) & (drawn[3] > 0)
        differences = drawn[0, full] / drawn[1, full] - drawn[2, full] / drawn[3, full]
        low, high = np.percentile(differences, [2.5, 97.5]).tolist()
    return RuleProof(
        code,
        label,
        chunks,
        int(sums[1]),
        int(sums[3]),
        float(sums[0] / sums[1]) if sums[1] else np.nan,
        float(sums[2] / sums[3]) if sums[3] else np.nan,
        low,
        high,
    )


@dataclass(frozen=True, slots=True)
class RepairProof:
    """What a repair does to the answers, question by question.

    Attributes:
        repair: Name of the repair, or several joined by `+`.
        setup: What the chunks were cut by.
        changed: Chunks that it changed, made or took away.
        before: Mean of the metric without it.
        after: Mean with it.
        won: Questions that it answers and that were missed before.
        lost: Questions the other way round.
        low: Lower 95 % bound on the difference; NaN where there are too few questions to say.
        high: Upper bound.
        stored: Growth of the stored tokens, as a share of them.
    """

    repair: str
    setup: Setup
    changed: int
    before: float
    after: float
    won: int
    lost: int
    low: float
    high: float
    stored: float


def prove_repairs(
    experiment: Experiment, setup: Setup, metric: Metric, several: Sequence[Sequence[Repair]]
) -> list[RepairProof]:
    """Measure a setup without any repair and with each of some lists of repairs.

    Args:
        experiment: The questions, and how they are asked.
        setup: The setup; its own `repair` is left out.
        metric: What is compared.
        several: Lists of repairs, each done in its order.

    Raises:
        SetupError: The setup cannot be used on one of the documents.
    """
    judge = experiment.with_metrics((metric,))
    plain = judge.pool(replace(setup, repair=False))
    first = judge.measure(plain).values[str(metric)]
    proofs: list[RepairProof] = []
    for repairs in several:
        cuts = [_mended(cut, repairs) for cut in plain.cuts]
        pool = Pool(plain.collection, plain.setup, experiment.counter, cuts)
        second = judge.measure(pool).values[str(metric)]
        proofs.append(_compared(repairs, plain, pool, first, second, experiment.clusters))
    return proofs


def _mended(cut: Cut, repairs: Sequence[Repair]) -> Cut:
    for repair in repairs:
        cut = repair.apply(cut)
    return cut


def _compared(
    repairs: Sequence[Repair],
    plain: Pool,
    pool: Pool,
    first: Values,
    second: Values,
    clusters: NDArray[np.int64],
) -> RepairProof:
    defined = ~np.isnan(first) & ~np.isnan(second)
    first, second = first[defined], second[defined]
    low = high = np.nan
    if len(first) >= FEWEST_QUESTIONS:
        sample = Sample.of(np.stack([first, second]), clusters[defined])
        low, high = np.percentile(sample.drawn[1] - sample.drawn[0], [2.5, 97.5]).tolist()
    before, after = int(plain.tokens.sum()), int(pool.tokens.sum())
    return RepairProof(
        repair="+".join(each.name for each in repairs),
        setup=plain.setup,
        changed=sum(map(_changed, plain.cuts, pool.cuts)),
        before=float(first.mean()) if len(first) else np.nan,
        after=float(second.mean()) if len(second) else np.nan,
        won=int((second > first).sum()),
        lost=int((second < first).sum()),
        low=low,
        high=high,
        stored=after / before - 1 if before else 0.0,
    )


def _changed(before: Cut, after: Cut) -> int:
    """Chunks that are not in both."""
    if after is before:
        return 0
    known = {(*pair, before.leads.get(at)) for at, pair in enumerate(before.spans.pairs())}
    found = {(*pair, after.leads.get(at)) for at, pair in enumerate(after.spans.pairs())}
    return max(len(known - found), len(found - known))
