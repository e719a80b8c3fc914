"""The fate of one question: the chunks that hold its references, and those that beat them."""

from __future__ import annotations

from dataclasses import dataclass

from nicegui import ui

from chunkwright.evaluation.verdicts import Verdicts
from chunkwright.gold.goldset import Question
from chunkwright.lab.asking import passage_text
from chunkwright.lab.fares import fate, places, telling_terms, why_missed, within
from chunkwright.report.tables import whole
from chunkwright.service.workspace import Recipe, Workspace

# How many passages are compared.
_COMPARED = 10


@dataclass(frozen=True)
class Fate:
    """What became of a question.

    Attributes:
        question: The question, checked.
        verdicts: Its ranking, to the end.
        telling: Its terms that tell chunks apart.
    """

    question: Question
    verdicts: Verdicts
    telling: frozenset[str]


def fate_of(
    workspace: Workspace, recipe: Recipe, retriever: str, k: int, question: Question
) -> Fate:
    """What became of a checked question.

    Raises:
        ChunkwrightError: There is no such retriever, or the setup cannot be used.
    """
    verdicts = fate(workspace, recipe, retriever, k, question)
    with workspace.searching:
        telling = telling_terms(verdicts.judged.pool, question.question)
    return Fate(question, verdicts, telling)


def show_fate(known: Fate) -> None:
    """What holds the references of a question and what beats it, side by side."""
    found = known.verdicts
    holding, above = found.holding(0).tolist(), found.above(0).tolist()
    title = "The chunks that hold its reference"
    with ui.element("div").classes("cw-gold-side"):
        if holding:
            ui.label(f"{title}: {whole(len(holding))}").classes("cw-heading")
        else:
            ui.label(f"{title}: none").classes("cw-heading")
        cause_of_miss(known)
        if not holding:
            holding = found.touching(0).tolist()
            if holding:
                ui.label("A part of it is in:").classes("cw-quiet")
        _passages(known, holding)
    with ui.element("div").classes("cw-gold-side"):
        ui.label(f"The chunks that beat it: {whole(len(above))}").classes("cw-heading")
        if not above:
            ui.label("None: it is ranked first.").classes("cw-quiet")
        _passages(known, above)


def cause_of_miss(known: Fate) -> None:
    """The room for the cause of a miss: what the ranking itself tells, and nothing beyond it."""
    cause = why_missed(known.verdicts)
    if cause:
        ui.label(cause).classes("cw-problem cw-gold-cause")


def _passages(known: Fate, sent: list[int]) -> None:
    with ui.element("ol").classes("cw-results"):
        for each in sent[:_COMPARED]:
            passage = known.verdicts.passage(0, each)
            with ui.element("li"):
                rank = f"rank {passage.rank}" if passage.rank else "not ranked"
                ui.label(
                    f"{rank} · score {passage.score:.3f} · {passage.document_id} "
                    f"{passage.start}–{passage.end} · {whole(passage.tokens)} tokens"
                ).classes("cw-result-head")
                spans = places(known.question, passage.document_id)
                spans = within(spans, passage.start, passage.end)
                passage_text(passage.text, known.telling, spans, f"Text of {rank}")
    if len(sent) > _COMPARED:
        ui.label(f"… and {whole(len(sent) - _COMPARED)} more").classes("cw-quiet")
