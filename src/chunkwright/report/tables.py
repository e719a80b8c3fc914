"""Tables as plain values, so that terminal, HTML and JSON show the same figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from chunkwright.chunking.cost import Cost
from chunkwright.evaluation.experiment import Evaluation
from chunkwright.evaluation.statistics import Share
from chunkwright.gold.goldset import GoldSet
from chunkwright.tuning.choice import Choice
from chunkwright.tuning.journal import RuledOut


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        name: Its heading.
        meaning: What it holds, where the heading does not say.
        number: Whether it is set to the right.
        rank: How soon it is left out where there is no room; 0 never.
    """

    name: str
    meaning: str = ""
    number: bool = True
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts.

    Attributes:
        title: What it shows.
        columns: Its columns.
        rows: One text a column.
        marked: Index of the row to stand out, or None.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    marked: int | None = None


def whole(value: float | None) -> str:
    """A count, with separators; a dash for none.

    >>> whole(1234567), whole(None)
    ('1,234,567', '–')
    """
    return "–" if value is None else f"{value:,.0f}"


def percent(value: float | None, digits: int = 1) -> str:
    """A share as a number of percent; a dash where undefined.

    >>> percent(0.123), percent(None)
    ('12.3', '–')
    """
    return "–" if value is None or math.isnan(value) else f"{100 * value:.{digits}f}"


def cutoffs(evaluation: Evaluation) -> tuple[str, str]:
    """The budget and the k that were measured, as in metric names: `@1000t`, `@5`."""
    names = [name.partition("@")[2] for name in evaluation.values if name.startswith("hit_rate@")]
    budget = next(name for name in names if name.endswith("t"))
    return f"@{budget}", f"@{next(name for name in names if not name.endswith('t'))}"


def leaderboard(
    evaluations: Sequence[Evaluation], choice: Choice, most: int | None = None
) -> Table:
    """The ranked setups of a study; the recommended one is always shown.

    Args:
        evaluations: The measured setups.
        choice: Their ranking.
        most: How many rows; None for all.
    """
    budget, k = cutoffs(evaluations[0])
    limited = any(each.truncation is not None for each in evaluations)
    columns = (
        Column("#", "rank by the metric that decides; the arrow marks the recommended setup"),
        Column("setup", number=False),
        Column(f"{choice.metric} %", "the metric that decides, at equal sent tokens"),
        Column("95 %", "bootstrap interval of that figure", rank=1),
        Column("verdict", "against the leader", number=False, rank=1),
        Column(
            f"hit_rate{k} %",
            f"whole answer in the first {k[1:]} results: favours large chunks",
            rank=2,
        ),
        Column(f"recall{budget} %", "share of the answers' text within the budget", rank=4),
        Column(f"mrr{budget}", "mean of 1 / rank of the first whole answer", rank=8),
        Column("PΩ %", "precision at perfect retrieval", rank=7),
        Column("chunks", rank=3),
        Column("mean t", "mean tokens of a chunk", rank=5),
        Column("max t", "tokens of the largest chunk", rank=9),
        Column("stored t", "tokens of all chunks", rank=1),
        Column(
            "warned %",
            "very short, starts mid-sentence or with a pronoun, and the 95 % interval",
            rank=3,
        ),
        Column("P(best)", "probability of being the best of all setups tried", rank=6),
        *([Column("unread %", "share of tokens the embedder never saw", rank=3)] * limited),
    )
    places = list(choice.ranked)
    shown = places if most is None else places[:most]
    if choice.best not in shown:
        shown = [*shown, choice.best]
    rows: list[tuple[str, ...]] = []
    marked = None
    for at in shown:
        evaluation, standing = evaluations[at], choice.field.standings[at]
        made = evaluation.statistics
        if at == choice.best:
            marked = len(rows)
        rows.append(
            (
                f"{'→ ' if at == choice.best else ''}{places.index(at) + 1}",
                str(evaluation.setup),
                percent(standing.mean),
                f"{percent(standing.low)}–{percent(standing.high)}",
                choice.verdicts[at],
                percent(evaluation.mean(f"hit_rate{k}")),
                percent(evaluation.mean(f"recall{budget}")),
                f"{evaluation.mean(f'mrr{budget}'):.3f}",
                percent(evaluation.mean("precision_omega")),
                whole(made.chunks),
                whole(made.mean_tokens),
                whole(made.largest_tokens),
                whole(made.stored_tokens),
                interval(made.share()),
                f"{standing.best:.2f}",
                *((unread(evaluation),) if limited else ()),
            )
        )
    return Table(f"{len(places)} setups, best first", columns, tuple(rows), marked)


def interval(found: Share) -> str:
    """A share in percent with its 95 % interval.

    >>> interval(Share(0.05, 0.022, 0.112)), interval(Share(*[float("nan")] * 3))
    ('5.0 (2.2–11.2)', '–')
    """
    if math.isnan(found.value):
        return percent(None)
    return f"{percent(found.value)} ({percent(found.low)}–{percent(found.high)})"


def warnings_table(evaluations: Sequence[Evaluation], metric: str) -> Table:
    """What is wrong with the chunks of each setup, beside what they answer."""
    labels = list(evaluations[0].statistics.warnings)
    columns = (
        Column("setup", number=False),
        Column(f"{metric} %"),
        Column("warned %", "chunks with any of these warnings, and the 95 % interval"),
        *(Column(f"{label} %") for label in labels),
    )
    rows = tuple(
        (
            str(each.setup),
            percent(each.mean(metric)),
            *(interval(each.statistics.share(label)) for label in ("", *labels)),
        )
        for each in evaluations
    )
    return Table("Warnings rate", columns, rows)


def documents_table(evaluation: Evaluation, metric: str, gold: GoldSet) -> Table:
    """What is wrong with the chunks of each document, beside what they answer."""
    made = evaluation.statistics
    asked: dict[str, list[float]] = {}
    for question, value in zip(gold, evaluation.values[metric].tolist(), strict=True):
        if question.references and not math.isnan(value):
            asked.setdefault(question.references[0].document_id, []).append(value)
    columns = (
        Column("document", number=False),
        Column("questions", "of which the first answer lies in it"),
        Column(f"{metric} %"),
        Column("chunks"),
        Column("warned %", "chunks with any of these warnings"),
        *(Column(label, "chunks") for label in made.warnings),
    )
    rows = []
    for document, (chunks, *counts, warned) in made.by_document.items():
        answered = asked.get(document, [])
        mean = sum(answered) / len(answered) if answered else None
        share = warned / chunks if chunks else None
        cells = (whole(len(answered)), percent(mean), whole(chunks), percent(share))
        rows.append((document, *cells, *map(whole, counts)))
    return Table(f"Documents under {evaluation.setup}", columns, tuple(rows))


def unread(evaluation: Evaluation) -> str:
    """Share of the chunks' tokens that the embedder did not read; a dash where there is none."""
    lost = evaluation.truncation
    return percent(None if lost is None else lost.share)


def ruled_out_table(ruled_out: Sequence[RuledOut], metric: str) -> Table:
    """Setups that a race left early, with the evidence; the nearest to the leader first."""
    columns = (
        Column("setup", number=False),
        Column("ruled out", "what decided", number=False),
        Column(
            f"{metric} %",
            "its figure by that evidence: by spans alone, the highest that any retriever reaches",
        ),
        Column("questions", "on how many questions", rank=2),
        Column("leader", "what it was compared with", number=False, rank=1),
        Column("leader %", "figure of that, on the same questions", rank=1),
        Column("behind", "points behind it, with the mean error of a cheaper retriever", rank=3),
        Column("at least", "lower bound on that, for all setups at once: 95 % of studies hold it"),
        Column("margin", "points within which the choice could still have picked it", rank=4),
    )
    rows = tuple(
        (
            str(each.setup),
            each.evidence,
            percent(each.figure),
            whole(each.questions),
            str(each.leader),
            percent(each.leader_figure),
            percent(each.behind),
            percent(each.behind_low),
            percent(each.margin),
        )
        for each in sorted(ruled_out, key=lambda each: each.behind)
    )
    return Table(f"{len(rows)} setups ruled out early", columns, rows)


def metrics_table(evaluations: Sequence[Evaluation]) -> Table:
    """Every metric of every setup, and how many questions a tie decides."""
    names, edges = list(evaluations[0].values), list(evaluations[0].ties)
    meaning = "questions in which equal scores decide what counts: document, then start goes first"
    columns = (
        Column("setup", number=False),
        *(Column(f"{name} %") for name in names),
        *(Column(f"ties{cutoff}", meaning) for cutoff in edges),
    )
    rows = tuple(
        (
            str(each.setup),
            *(_mean(each, name) for name in names),
            *(whole(each.ties[cutoff]) for cutoff in edges),
        )
        for each in evaluations
    )
    return Table("All metrics", columns, rows)


def _mean(evaluation: Evaluation, name: str) -> str:
    """A mean in percent; with its n where it is undefined for some questions."""
    shown, n = percent(evaluation.mean(name)), evaluation.n(name)
    return shown if n == len(evaluation.values[name]) else f"{shown} (n={n:,})"


def ties_note(evaluation: Evaluation) -> str:
    """A sentence about questions that a tie decides; empty where there is none.

    >>> from chunkwright.evaluation.experiment import ChunkStatistics
    >>> made = ChunkStatistics(9, 9.0, 9, 81, {}, 0, 0, "")
    >>> from chunkwright.setup import Setup
    >>> setup = Setup.parse("fixed:9t")
    >>> ties_note(Evaluation(setup, "bm25", {}, {}, made, {"@1000t": 0, "@5": 3}))
    'Equal scores decide what counts for 3 questions @5: document, then start goes first.'
    """
    counts = ", ".join(
        f"{whole(count)} questions {cutoff}" for cutoff, count in evaluation.ties.items() if count
    )
    if not counts:
        return ""
    return f"Equal scores decide what counts for {counts}: document, then start goes first."


def cost_table(costs: Sequence[Cost]) -> Table:
    """What setups make of documents, before anything is embedded."""
    formula = any(cost.formula for cost in costs)
    columns = [
        Column("setup", number=False),
        Column("ratio", "overlap asked for / size"),
        Column("achieved", "characters shared by neighbours / stored characters", rank=2),
        Column("chunks"),
        Column("mean t", rank=3),
        Column("max t", rank=4),
        Column("stored c", "characters of all chunks"),
        Column("stored t", "tokens of all chunks", rank=1),
        Column("extra %", "stored beyond the documents' own characters"),
    ]
    if formula:
        columns.append(Column("formula c", "chunks × size: every chunk counted as full"))
        columns.append(Column("extra by it", "in percent"))
    rows = []
    for cost in costs:
        row = [
            str(cost.setup),
            "–" if cost.ratio is None else f"{cost.ratio:.2f}",
            f"{cost.achieved:.2f}",
            whole(cost.chunks),
            whole(cost.mean_tokens),
            whole(cost.largest_tokens),
            whole(cost.stored_characters),
            whole(cost.stored_tokens),
            str(round(100 * cost.extra)),
        ]
        if formula:
            made = cost.formula
            row += [whole(made.stored), str(made.extra_percent)] if made else ["–", "–"]
        rows.append(tuple(row))
    return Table("Cost", tuple(columns), tuple(rows))
