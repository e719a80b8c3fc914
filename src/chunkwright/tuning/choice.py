"""The choice: which setup to use, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkwright.errors import StudyError
from chunkwright.evaluation.experiment import Evaluation
from chunkwright.evaluation.metrics import Metric
from chunkwright.evaluation.statistics import Field, Standing, compare

# Setups this close to the leader answer equally well for any practical purpose.
CLOSE = 0.01
# A difference proven to be smaller than this is called equivalent.
EQUIVALENT = 0.03


@dataclass(frozen=True, slots=True)
class Choice:
    """What a study recommends.

    Attributes:
        metric: What decided.
        ranked: Indices of the evaluations, best first.
        best: Index of the recommended one.
        field: How all of them stand.
        verdicts: `better`, `equivalent`, `not decided yet` or `worse`, for each evaluation.
        reason: The recommendation in words.
        notes: What else should be known, a sentence each.
    """

    metric: Metric
    ranked: tuple[int, ...]
    best: int
    field: Field
    verdicts: tuple[str, ...]
    reason: str
    notes: tuple[str, ...]


def choose(
    evaluations: Sequence[Evaluation], metric: Metric, clusters: NDArray[np.int64]
) -> Choice:
    """Choose among measured setups: the cheapest of those that answer as well as the leader.

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
    field = compare(values[:, defined], clusters[defined], stored)
    order = range(len(evaluations))
    ranked = sorted(order, key=lambda at: (-round(field.standings[at].mean, 9), stored[at], at))
    close = [at for at in order if _is_close(field.standings[at])]
    best = min(close, key=lambda at: (stored[at], ranked.index(at)))
    verdicts = _verdicts(field)
    return Choice(
        metric=metric,
        ranked=tuple(ranked),
        best=best,
        field=field,
        verdicts=verdicts,
        reason=_reason(evaluations, metric, field, best, close),
        notes=tuple(_notes(evaluations, metric, field, verdicts)),
    )


def _is_close(standing: Standing) -> bool:
    return standing.behind <= CLOSE and not standing.ruled_out


def _verdicts(field: Field) -> tuple[str, ...]:
    """Each setup against the leader; the leader is better if all others are worse."""
    verdicts = [_verdict(standing) for standing in field.standings]
    rivals = verdicts[: field.leader] + verdicts[field.leader + 1 :]
    alone = bool(rivals) and set(rivals) == {"worse"}
    verdicts[field.leader] = "better" if alone else "not decided yet"
    return tuple(verdicts)


def _verdict(standing: Standing) -> str:
    if standing.ruled_out:
        return "worse"
    return "equivalent" if standing.behind_high <= EQUIVALENT else "not decided yet"


def share(value: float) -> str:
    """A share in percent, as all reports write it.

    >>> share(0.8731)
    '87.3 %'
    """
    return "undefined" if np.isnan(value) else f"{100 * value:.1f} %"


def _what(metric: Metric) -> str:
    at = ""
    if metric.budget is not None:
        at = f" within {metric.budget} sent tokens"
    elif metric.k is not None:
        at = f" in the first {metric.k} results"
    words = {
        "hit_rate": "finds a whole answer{} for",
        "all_hit": "finds every answer whole{} for",
        "recall": "finds{} of the answers' text",
    }
    return words.get(metric.name, f"reaches {metric.name}{{}} of").format(at)


def _reason(
    evaluations: Sequence[Evaluation], metric: Metric, field: Field, best: int, close: list[int]
) -> str:
    chosen, standing = evaluations[best], field.standings[best]
    of = " of the questions" if metric.name in ("hit_rate", "all_hit") else ""
    interval = f"(95 % interval {share(standing.low)} to {share(standing.high)})"
    text = f"{chosen.setup} {_what(metric)} {share(standing.mean)}{of} {interval}. "
    stored = chosen.statistics.stored_tokens
    leader = evaluations[field.leader]
    if best == field.leader and len(close) == 1:
        text += "No other setup comes within a point of it."
    elif best == field.leader:
        text += (
            f"It leads, and of the {len(close)} setups within a point of the lead it stores the "
            f"fewest tokens ({stored:,})."
        )
    else:
        more = leader.statistics.stored_tokens
        text += (
            f"The leader, {leader.setup}, is {100 * standing.behind:.1f} points ahead, which "
            f"chance explains; of the {len(close)} setups that close this one stores the fewest "
            f"tokens ({stored:,}; the leader {more:,})."
        )
    return text


def _notes(
    evaluations: Sequence[Evaluation], metric: Metric, field: Field, verdicts: Sequence[str]
) -> list[str]:
    counts = {verdict: verdicts.count(verdict) for verdict in ("worse", "equivalent")}
    open_ = [at for at in range(len(evaluations)) if verdicts[at] == "not decided yet"]
    rivals = [at for at in open_ if at != field.leader]
    leader = field.standings[field.leader]
    notes = (
        []
        if np.isnan(field.held_out)
        else [
            f"Picked on one part of the questions and scored on the rest, the winner reaches "
            f"{share(field.held_out)}: expect this, not the {share(leader.mean)} of the luckiest."
        ]
    )
    notes.append(
        f"Against the leader, of {len(evaluations)} setups: {counts['worse']} worse beyond chance, "
        f"{counts['equivalent']} equivalent, {len(rivals)} not decided yet. It is the best of all "
        f"with probability {leader.best:.2f}."
    )
    needed = [n for at in rivals if (n := field.standings[at].needed) is not None]
    if needed:
        notes.append(
            f"About {max(min(needed), field.n + 1):,} questions like these would decide the "
            f"clearest of the open cases; there are {field.n:,}."
        )
    prints = [evaluation.statistics.fingerprint for evaluation in evaluations]
    same = len(prints) - len(set(prints))
    if len(set(prints)) == 1 and len(prints) > 1:
        notes.append(
            "All setups give identical chunks, so nothing can be chosen: the documents are "
            "shorter than one chunk. Try smaller sizes."
        )
    elif same:
        notes.append(f"{same} setups cut exactly as another one does.")
    if metric.name == "hit_rate" and leader.mean < 0.3:
        notes.append(
            f"Few answers fit one result whole. Where references are long, decide by "
            f"recall@{metric.budget}t instead (--metric recall)."
        )
    return notes
