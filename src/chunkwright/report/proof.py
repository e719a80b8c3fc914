"""Proof as tables: what findings cost in answers, and what repairs win back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from chunkwright.evaluation.proof import RepairProof, RuleProof, Unread
from chunkwright.quality.repair import repair_of
from chunkwright.quality.rule import rule
from chunkwright.report.tables import Column, Table, percent, whole


@dataclass(frozen=True, slots=True)
class Proof:
    """What a gold set says of findings and repairs.

    Attributes:
        metric: What counts as an answer found.
        retriever: What was asked.
        questions: How many questions.
        rules: The rules that looked, the dearest first.
        repairs: Each repair alone, then those that are on by default together.
        unread: References that lie where an embedder no longer reads.
    """

    metric: str
    retriever: str
    questions: int
    rules: tuple[RuleProof, ...]
    repairs: tuple[RepairProof, ...]
    unread: tuple[Unread, ...] = ()


def rule_verdict(proof: RuleProof) -> str:
    """What a rule's findings do to answers, in words."""
    if math.isnan(proof.low):
        return "too few questions"
    if proof.costs:
        return "costs answers"
    return "missed less often" if proof.high < 0 else "no difference seen"


def repair_verdict(proof: RepairProof) -> str:
    """What repairs do to answers, in words."""
    if not proof.changed:
        return "changes nothing"
    if math.isnan(proof.low):
        return "too few questions"
    if proof.low > 0:
        return "wins answers"
    return "loses answers" if proof.high < 0 else "no difference seen"


def rule_table(proof: Proof) -> Table:
    """The rules that found anything, the dearest first."""
    columns = (
        Column("code", number=False),
        Column("rule", number=False, rank=2),
        Column("chunks", "chunks with a finding", rank=1),
        Column("questions", "whose answer lies in such a chunk", rank=3),
        Column("missed %", f"of them, by {proof.metric}"),
        Column("others", "questions whose answer lies in none", rank=4),
        Column("missed % ", "of those"),
        Column("difference", "in points: how much more often they are missed"),
        Column("95 %", "interval of that difference"),
        Column("lost", "answers that would be found if it made no difference"),
        Column("verdict", number=False),
    )
    rows = tuple(
        (
            each.code,
            rule(each.code).name,
            whole(each.chunks),
            whole(each.flagged),
            percent(each.missed_flagged),
            whole(each.unflagged),
            percent(each.missed_unflagged),
            points(each.missed_flagged - each.missed_unflagged),
            interval(each.low, each.high),
            f"{each.lost:.1f}".replace("-", "−") if each.flagged and each.unflagged else "–",
            rule_verdict(each),
        )
        for each in proof.rules
        if each.chunks
    )
    return Table("What findings cost", columns, rows)


def repair_table(proof: Proof) -> Table:
    """Each repair alone, then the default ones together."""
    columns = (
        Column("repair", number=False),
        Column("default", "whether the option `repair` does it", number=False, rank=3),
        Column("chunks", "chunks changed", rank=1),
        Column("won", "questions answered that were missed"),
        Column("lost", "the other way round"),
        Column("before %", proof.metric, rank=2),
        Column("after %", rank=2),
        Column("difference", "in points"),
        Column("95 %", "interval of that difference"),
        Column("stored %", "growth of the stored tokens", rank=1),
        Column("verdict", number=False),
    )
    rows = tuple(_repair_row(each) for each in proof.repairs)
    return Table("What repairs win", columns, rows)


def _repair_row(proof: RepairProof) -> tuple[str, ...]:
    alone = len(proof.repairs) == 1
    return (
        proof.repairs[0] if alone else "the default ones",
        "yes" if not alone or repair_of(proof.repairs[0]).default else "",
        whole(proof.changed),
        whole(proof.won),
        whole(proof.lost),
        percent(proof.before),
        percent(proof.after),
        points(proof.after - proof.before),
        interval(proof.low, proof.high),
        points(proof.stored),
        repair_verdict(proof),
    )


def points(value: float) -> str:
    """A difference of shares in points, with its sign; a dash where undefined.

    >>> points(0.0123), points(-0.2), points(float("nan"))
    ('+1.2', '−20.0', '–')
    """
    if math.isnan(value):
        return "–"
    sign = "−" if round(100 * value, 1) < 0 else "+" if round(100 * value, 1) > 0 else ""
    return f"{sign}{abs(100 * value):.1f}"


def interval(low: float, high: float) -> str:
    """An interval of a difference, in points."""
    return "–" if math.isnan(low) else f"{points(low)} … {points(high)}"


def note(proof: Proof) -> str:
    """What the tables are of, and what they do not say."""
    silent = sum(not each.chunks for each in proof.rules)
    return (
        f"{proof.questions:,} questions, {proof.metric}, retriever {proof.retriever}. A question "
        "belongs to a chunk that holds one of its references whole, or else to those that touch "
        "it. Flagged and other questions differ in more than the finding: the first table tells "
        f"where to look, the second what helps. Rules without a finding: {silent}."
    )


def as_json(proof: Proof) -> dict[str, Any]:
    """The proof as plain values."""
    return {
        "metric": proof.metric,
        "retriever": proof.retriever,
        "questions": proof.questions,
        "rules": [
            {
                **asdict(each),
                "difference": each.missed_flagged - each.missed_unflagged,
                "answers_lost": each.lost,
                "verdict": rule_verdict(each),
            }
            for each in proof.rules
        ],
        "repairs": [
            {
                **asdict(each),
                "difference": each.after - each.before,
                "verdict": repair_verdict(each),
            }
            for each in proof.repairs
        ],
        "unread": [asdict(each) for each in proof.unread],
    }


def unread_lines(several: Sequence[Unread]) -> list[str]:
    """A line for each reference that lies where an embedder no longer reads."""
    return [
        f"question {each.question}: its reference {each.start}–{each.end} in {each.document_id} "
        f"lies in what falls off from chunk {each.chunk}"
        for each in several
    ]
