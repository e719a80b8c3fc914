"""Proof: what a rule's findings cost in answers, and whether a repair wins any back.

What is measured is kept as sums per question, so that several setups on the same questions can be
added up, and several collections put one after the other, before anything is said of chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkwright.chunking.cut import Cut, mended
from chunkwright.evaluation.experiment import Experiment
from chunkwright.evaluation.metrics import Metric
from chunkwright.evaluation.statistics import FEWEST_QUESTIONS, Values, drawn_sums
from chunkwright.evaluation.targets import Targets
from chunkwright.gold.goldset import GoldSet
from chunkwright.quality.checker import hits
from chunkwright.quality.repair import Repair
from chunkwright.quality.rule import Finding
from chunkwright.quality.settings import Settings
from chunkwright.quality.view import View
from chunkwright.retrieval.pool import Pool
from chunkwright.spans import Integers, Spans, containing, touching

Mask = NDArray[np.bool_]
_NO_ONE = (np.nan, np.nan)


class Tally(NamedTuple):
    """Sums per question, from which shares and their intervals are made.

    Attributes:
        rows: What is summed. Shape `(rows, questions)`.
        clusters: The document of each question. Shape `(questions,)`.
        chunks: Chunks that it is about.
        stored: Tokens stored before and after; 0 where nothing is changed.
    """

    rows: Values
    clusters: Integers
    chunks: int
    stored: tuple[int, int] = (0, 0)

    def __add__(self, other: object) -> Tally:
        """Another setup on the same questions: what each question gave is added up."""
        assert isinstance(other, Tally)
        rows = self.rows + other.rows
        return Tally(rows, self.clusters, self.chunks + other.chunks, _sum(self, other))

    def beside(self, other: Tally) -> Tally:
        """Other questions, on other documents."""
        first = int(self.clusters.max(initial=-1)) + 1
        return Tally(
            np.concatenate([self.rows, other.rows], axis=1),
            np.concatenate([self.clusters, other.clusters + first]),
            self.chunks + other.chunks,
            _sum(self, other),
        )


def _sum(one: Tally, other: Tally) -> tuple[int, int]:
    return one.stored[0] + other.stored[0], one.stored[1] + other.stored[1]


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

    @classmethod
    def of(cls, code: str, label: str, tally: Tally) -> RuleProof:
        """The proof of a rule.

        Args:
            code: The rule.
            label: The rule in a few words.
            tally: From `tally_rules`.

        A document's questions are drawn together where there are enough documents
        (`statistics.drawn_sums`), so that chance is not taken for less than it is.
        """
        missed_flagged, flagged, missed, others = tally.rows.sum(axis=1).tolist()
        low, high = _NO_ONE
        if min(_asked(tally.rows[1]), _asked(tally.rows[3])) >= FEWEST_QUESTIONS:
            drawn = drawn_sums(tally.rows, tally.clusters)
            full = (drawn[1] > 0) & (drawn[3] > 0)
            differences = drawn[0, full] / drawn[1, full] - drawn[2, full] / drawn[3, full]
            low, high = np.percentile(differences, [2.5, 97.5]).tolist()
        return cls(
            code,
            label,
            tally.chunks,
            int(flagged),
            int(others),
            _ratio(missed_flagged, flagged),
            _ratio(missed, others),
            low,
            high,
        )


def _asked(row: Values) -> int:
    return int((row > 0).sum())


def _ratio(part: float, total: float) -> float:
    return part / total if total else np.nan


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
    found = tally_rules(experiment, pool, metric, settings)
    return dearest(RuleProof.of(*rule, tally) for rule, tally in found.items())


def dearest(proofs: Iterable[RuleProof]) -> list[RuleProof]:
    """Rules that cost answers beyond chance first, then those that may cost the most."""
    return sorted(proofs, key=lambda proof: (not proof.costs, -proof.lost, proof.code))


def tally_rules(
    experiment: Experiment, pool: Pool, metric: Metric, settings: Settings | None = None
) -> dict[tuple[str, str], Tally]:
    """By code and label of each rule: flagged questions missed, all of them, and the others."""
    values = experiment.with_metrics((metric,)).measure(pool).values[str(metric)]
    defined = ~np.isnan(values)
    missed = values < 1
    views = [View(cut) for cut in pool.cuts]
    firsts = np.cumsum([0, *map(len, views)])[:-1]
    tallies = {}
    for rule, found in hits(views, settings or Settings()):
        wrong = np.zeros(len(pool), np.bool_)
        for first, each in zip(firsts.tolist(), found, strict=True):
            wrong[first + each.chunks] = True
        flagged = belonging(experiment.targets, pool.spans, wrong)
        rows = np.stack([flagged & missed, flagged, ~flagged & missed, ~flagged]) & defined
        tallies[rule.code, rule.label] = Tally(
            rows.astype(np.float64), experiment.clusters, int(wrong.sum())
        )
    return tallies


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


@dataclass(frozen=True, slots=True)
class RepairProof:
    """What a repair does to the answers, question by question.

    Attributes:
        repairs: Names of the repairs, in their order.
        changed: Chunks that they changed, made or took away.
        questions: Questions asked.
        before: Mean of the metric without them.
        after: Mean with them.
        won: Questions that are answered and were missed before.
        lost: Questions the other way round.
        low: Lower 95 % bound on the difference; NaN where there are too few questions to say.
        high: Upper bound.
        stored: Growth of the stored tokens, as a share of them.
    """

    repairs: tuple[str, ...]
    changed: int
    questions: int
    before: float
    after: float
    won: int
    lost: int
    low: float
    high: float
    stored: float

    @classmethod
    def of(cls, repairs: tuple[str, ...], tally: Tally) -> RepairProof:
        """The proof of repairs.

        Args:
            repairs: Their names.
            tally: From `tally_repairs`.
        """
        before, after, won, lost, asked = tally.rows.sum(axis=1).tolist()
        low, high = _NO_ONE
        if _asked(tally.rows[4]) >= FEWEST_QUESTIONS:
            drawn = drawn_sums(tally.rows, tally.clusters)
            full = drawn[4] > 0
            differences = (drawn[1, full] - drawn[0, full]) / drawn[4, full]
            low, high = np.percentile(differences, [2.5, 97.5]).tolist()
        first, second = tally.stored
        return cls(
            repairs,
            tally.chunks,
            int(asked),
            _ratio(before, asked),
            _ratio(after, asked),
            int(won),
            int(lost),
            low,
            high,
            second / first - 1 if first else 0.0,
        )


def prove_repairs(
    experiment: Experiment, pool: Pool, metric: Metric, several: Sequence[Sequence[Repair]]
) -> list[RepairProof]:
    """Measure chunks as they are, and with each of some lists of repairs.

    Repairs are done wherever they can be, as the option `repair` of a setup does them.

    Args:
        experiment: The questions, and how they are asked.
        pool: The chunks, not mended yet.
        metric: What is compared.
        several: Lists of repairs, each done in its order.
    """
    found = tally_repairs(experiment, pool, metric, several)
    return [RepairProof.of(*pair) for pair in found.items()]


def tally_repairs(
    experiment: Experiment, pool: Pool, metric: Metric, several: Sequence[Sequence[Repair]]
) -> dict[tuple[str, ...], Tally]:
    """By names of the repairs: each question before, after, won, lost, and whether it counts."""
    judge = experiment.with_metrics((metric,))
    first = judge.measure(pool).values[str(metric)]
    stored = int(pool.tokens.sum())
    tallies = {}
    for repairs in several:
        cuts = [mended(cut, repairs) for cut in pool.cuts]
        changed = sum(map(_changed, pool.cuts, cuts))
        second, tokens = first, stored
        if changed:
            other = Pool(pool.collection, pool.setup, experiment.counter, cuts)
            second = judge.measure(other).values[str(metric)]
            tokens = int(other.tokens.sum())
        defined = ~np.isnan(first) & ~np.isnan(second)
        rows = np.stack([first, second, second > first, second < first, np.ones_like(first)])
        tallies[tuple(each.name for each in repairs)] = Tally(
            np.where(defined, rows, 0.0), experiment.clusters, changed, (stored, tokens)
        )
    return tallies


def _changed(before: Cut, after: Cut) -> int:
    """Chunks that are not in both."""
    if after is before:
        return 0
    known = {(*pair, before.leads.get(at)) for at, pair in enumerate(before.spans.pairs())}
    found = {(*pair, after.leads.get(at)) for at, pair in enumerate(after.spans.pairs())}
    return max(len(known - found), len(found - known))


@dataclass(frozen=True, slots=True)
class Unread:
    """A reference that lies where an embedder no longer reads.

    Attributes:
        question: Id of its question.
        document_id: Its document.
        start: First code point of the reference.
        end: One past its last.
        chunk: Which of the document's chunks it falls off from.
    """

    question: str
    document_id: str
    start: int
    end: int
    chunk: int


def unread(gold: GoldSet, cuts: Sequence[Cut], findings: Iterable[Finding]) -> list[Unread]:
    """References that touch the lost tail of a chunk and that no chunk holds in what is read.

    Args:
        gold: Checked questions.
        cuts: The chunks.
        findings: Those of the rule `over-embedder-limit`, whose spans are the lost tails.
    """
    tails: dict[str, dict[int, int]] = {}
    for finding in findings:
        tails.setdefault(finding.document_id, {})[finding.index] = finding.start
    by_id = {cut.analysis.document.id: cut for cut in cuts}
    lost: list[Unread] = []
    for asked in gold:
        for reference in asked.references:
            places = [place for place in reference.places if place.document_id in by_id]
            off = [
                (place, chunk)
                for place in places
                for chunk in _falls_off(by_id[place.document_id], tails, *place)
            ]
            if off and not any(_is_read(by_id[each.document_id], tails, *each) for each in places):
                place, chunk = off[0]
                lost.append(Unread(asked.id, *place, chunk))
    return lost


def _falls_off(
    cut: Cut, tails: dict[str, dict[int, int]], document_id: str, start: int, end: int
) -> list[int]:
    """The chunks in whose lost tail a span lies, or a part of it."""
    stops = cut.spans.ends
    return [
        chunk
        for chunk, low in tails.get(document_id, {}).items()
        if low < end and start < int(stops[chunk])
    ]


def _is_read(
    cut: Cut, tails: dict[str, dict[int, int]], document_id: str, start: int, end: int
) -> bool:
    """Whether a chunk holds a span whole before its lost tail."""
    starts, ends = cut.spans
    own = tails.get(document_id, {})
    inside = np.flatnonzero((starts <= start) & (ends >= end)).tolist()
    return any(end <= own.get(chunk, end) for chunk in inside)
