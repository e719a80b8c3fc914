"""The choice: which setup to use, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkwright.errors import StudyError
from chunkwright.evaluation.experiment import Evaluation
from chunkwright.evaluation.metrics import Metric
from chunkwright.evaluation.statistics import (
    CLOSE,
    FEWEST_CLUSTERS,
    FEWEST_QUESTIONS,
    Field,
    Standing,
    compare,
)

# A difference proven to be smaller than this share of the leader's figure is called equivalent.
EQUIVALENT = 0.03
# Below this growth, the number of questions that would decide is no news.
_WORTH_SAYING = 1.1
# A saving of stored tokens that is worth a sentence.
_SAVES = 0.05
# With a lower hit rate than this, references are likely longer than chunks.
_FEW_HITS = 0.3


@dataclass(frozen=True, slots=True)
class Choice:
    """What a study recommends.

    Attributes:
        metric: What decided.
        ranked: Indices of the evaluations, best first.
        best: Index of the recommended one.
        field: How all of them stand.
        verdicts: For the leader `better` (than all others) or `leads`; for the others `worse`,
            `equivalent` or `not decided yet`. All are `equivalent` where no setup wins.
        reason: The recommendation in words.
        notes: What else should be known, a sentence each.
        identical: Whether all setups give identical chunks, so that none can win.
    """

    metric: Metric
    ranked: tuple[int, ...]
    best: int
    field: Field
    verdicts: tuple[str, ...]
    reason: str
    notes: tuple[str, ...]
    identical: bool = False


def choose(
    evaluations: Sequence[Evaluation],
    metric: Metric,
    clusters: NDArray[np.int64],
    others: int = 0,
) -> Choice:
    """Choose among measured setups: the cheapest of those that answer as well as the leader.

    Args:
        evaluations: The setups that were measured in full.
        metric: What decides.
        clusters: The document of each question.
        others: How many more were ruled out early: they count among the comparisons made.

    Raises:
        StudyError: Nothing was measured, or the metric is defined for no question.
    """
    if not evaluations:
        raise StudyError("no setup could be measured, so there is nothing to choose from")
    values = np.stack([evaluation.values[str(metric)] for evaluation in evaluations])
    # Where some setup answers, one that has nothing to show for the question gets nothing.
    defined = ~np.isnan(values).all(axis=0)
    if not defined.any():
        raise StudyError(f"{metric} is defined for no question")
    values = np.nan_to_num(values)
    stored = [evaluation.statistics.stored_tokens for evaluation in evaluations]
    field = compare(values[:, defined], clusters[defined], stored, others=others)
    order = range(len(evaluations))
    ranked = sorted(order, key=lambda at: (-round(field.standings[at].mean, 9), stored[at], at))
    prints = {evaluation.statistics.fingerprint for evaluation in evaluations}
    identical = len(prints) == 1 and len(evaluations) > 1
    verdicts = ("equivalent",) * len(evaluations) if identical else _verdicts(field)
    return Choice(
        metric=metric,
        ranked=tuple(ranked),
        best=field.recommended,
        field=field,
        verdicts=verdicts,
        reason=(
            _no_winner(evaluations, metric, field)
            if identical
            else _reason(evaluations, metric, field, others)
        ),
        notes=tuple(_notes(evaluations, metric, field, verdicts, others)),
        identical=identical,
    )


def _verdicts(field: Field) -> tuple[str, ...]:
    """Each setup against the leader; the leader is better if all others are worse."""
    lead = field.standings[field.leader].mean
    verdicts = [_verdict(standing, lead) for standing in field.standings]
    rivals = verdicts[: field.leader] + verdicts[field.leader + 1 :]
    verdicts[field.leader] = "better" if set(rivals) == {"worse"} else "leads"
    return tuple(verdicts)


def _verdict(standing: Standing, lead: float) -> str:
    if standing.ruled_out:
        return "worse"
    return "equivalent" if standing.behind_high <= EQUIVALENT * lead else "not decided yet"


def share(value: float) -> str:
    """A share in percent, as all reports write it.

    >>> share(0.8731)
    '87.3 %'
    """
    return "undefined" if np.isnan(value) else f"{100 * value:.1f} %"


def _figure(metric: Metric, value: str) -> str:
    """What a setup does, with its figure."""
    where = ""
    if metric.budget is not None:
        where = f"within {metric.budget} sent tokens"
    elif metric.k is not None:
        where = f"in the first {metric.k} results"
    phrases = {
        "hit_rate": f"finds a whole answer {where} for {value} of the questions",
        "all_hit": f"finds every answer whole {where} for {value} of the questions",
        "recall": f"finds {value} of the answers' text {where}",
    }
    return phrases.get(metric.name, f"reaches a {metric.name} of {value} {where}").strip()


def _reason(evaluations: Sequence[Evaluation], metric: Metric, field: Field, others: int) -> str:
    best, leader = field.recommended, field.leader
    chosen, standing = evaluations[best], field.standings[best]
    interval = f"(95 % interval {share(standing.low)} to {share(standing.high)})"
    text = f"{chosen.setup} {_figure(metric, share(standing.mean))} {interval}. "
    if len(evaluations) == 1:
        if others:
            return f"{text}All others were ruled out early."
        return f"{text}It is the only setup that was measured."
    stored = chosen.statistics.stored_tokens
    lead = field.standings[leader].mean
    close = sum(each.mean >= lead * (1 - CLOSE) for each in field.standings)
    if best == leader and close == 1:
        return f"{text}No other setup comes within 1 % of its figure."
    if best == leader:
        return (
            f"{text}It leads, and of the {close} setups within 1 % of its figure it stores the "
            f"fewest tokens ({stored:,})."
        )
    more = evaluations[leader].statistics.stored_tokens
    return (
        f"{text}The leader, {evaluations[leader].setup}, is {100 * standing.behind:.1f} points "
        f"ahead; of the {close} setups within 1 % of its figure this one stores the fewest tokens "
        f"({stored:,}; the leader {more:,})."
    )


def _no_winner(evaluations: Sequence[Evaluation], metric: Metric, field: Field) -> str:
    standing = field.standings[field.recommended]
    interval = f"(95 % interval {share(standing.low)} to {share(standing.high)})"
    return (
        f"No winner: all {len(evaluations)} setups give identical chunks, so nothing can be "
        f"chosen. Each {_figure(metric, share(standing.mean))} {interval}."
    )


def _notes(
    evaluations: Sequence[Evaluation],
    metric: Metric,
    field: Field,
    verdicts: Sequence[str],
    others: int,
) -> list[str]:
    mean = field.standings[field.recommended].mean
    notes = []
    if len(evaluations) > 1 and share(field.held_out) not in ("undefined", share(mean)):
        notes.append(
            f"Picked on one part of the questions and scored on the rest, a setup recommended in "
            f"this way reaches {share(field.held_out)}: expect that rather than {share(mean)}."
        )
    prints = {evaluation.statistics.fingerprint for evaluation in evaluations}
    if len(prints) > 1:
        notes.append(_comparison(evaluations, field, verdicts, others))
    notes.append(_scope(field))
    cheaper = _cheaper(evaluations, field, verdicts, others)
    if cheaper is not None:
        notes.append(cheaper)
    needed = [n for each in field.standings if (n := each.needed) is not None]
    if needed and min(needed) > _WORTH_SAYING * field.n:
        notes.append(
            f"Some {_rounded(min(needed)):,} questions like these would decide the clearest of "
            f"the open cases; there are {field.n:,}."
        )
    notes.extend(_warnings(evaluations, metric, field))
    return notes


def _comparison(
    evaluations: Sequence[Evaluation], field: Field, verdicts: Sequence[str], others: int
) -> str:
    counts = {name: verdicts.count(name) for name in ("worse", "equivalent", "not decided yet")}
    whole, of = (" measured in full", "of these") if others else ("", "of all")
    return (
        f"Against the leader, of {len(evaluations)} setups{whole}: {counts['worse']} worse beyond "
        f"chance, {counts['equivalent']} equivalent, {counts['not decided yet']} not decided yet. "
        f"It is the best {of} with probability {field.standings[field.leader].best:.2f}."
    )


def _scope(field: Field) -> str:
    if field.n < FEWEST_QUESTIONS:
        return f"{field.n} questions are too few to decide anything: ask at least 30."
    if field.unit == "documents":
        return "Intervals are for more documents and questions of this kind."
    return (
        f"Intervals are for more questions on these documents; it takes {FEWEST_CLUSTERS} "
        "documents with questions to speak of others."
    )


def _cheaper(
    evaluations: Sequence[Evaluation], field: Field, verdicts: Sequence[str], others: int
) -> str | None:
    """The cheapest setup that is not ruled out, where it saves something."""
    stored = [each.statistics.stored_tokens for each in evaluations]
    left = [at for at in range(len(stored)) if verdicts[at] != "worse"]
    cheapest = min(left, key=lambda at: (stored[at], field.standings[at].behind))
    saved = 1 - stored[cheapest] / max(1, stored[field.recommended])
    if saved < _SAVES:
        return None
    points = 100 * (field.standings[field.recommended].mean - field.standings[cheapest].mean)
    which = "of these" if others else "setup"
    return (
        f"The cheapest {which} that is not worse beyond chance is {evaluations[cheapest].setup}: "
        f"{saved:.0%} fewer stored tokens, {points:.1f} points less."
    )


def _rounded(count: int) -> int:
    """Two significant digits, upwards: more would pretend."""
    unit = 10 ** max(0, len(str(count)) - 2)
    return -(-count // unit) * unit


def _warnings(evaluations: Sequence[Evaluation], metric: Metric, field: Field) -> list[str]:
    notes = []
    cutoff = f"@{metric.budget}t"
    silent = [
        each
        for each in evaluations
        if cutoff in each.sent_tokens and not each.sent_tokens[cutoff].any()
    ]
    if silent:
        notes.append(
            f"{len(silent)} setups send nothing within {metric.budget} tokens, as what they would "
            "send is larger: raise --budget or try smaller sizes."
        )
    prints = [evaluation.statistics.fingerprint for evaluation in evaluations]
    same = len(prints) - len(set(prints))
    if len(set(prints)) == 1 and len(prints) > 1:
        notes.append(
            "Strategies give identical chunks where documents are shorter than one chunk, or where "
            "setups differ in nothing that moves a cut. Try smaller sizes."
        )
    elif same:
        notes.append(f"Setups that cut exactly as another one does: {same}.")
    undefined = [each for each in evaluations if each.n(str(metric)) < field.n]
    if undefined:
        least = min(each.n(str(metric)) for each in undefined)
        notes.append(
            f"{metric} is undefined for up to {field.n - least} of {field.n} questions under "
            f"{len(undefined)} of the setups, which send nothing for them. It counts as 0 here and "
            "is left out of the mean among all metrics."
        )
    if metric.name == "hit_rate" and field.standings[field.leader].mean < _FEW_HITS:
        notes.append(
            "Few answers fit one result whole. Where references are long, decide by recall "
            "instead (--metric recall)."
        )
    return notes
