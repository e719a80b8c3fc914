"""What is told of a study: how far it is, its ranking, and its charts."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from chunkwright.errors import ChunkwrightError
from chunkwright.gold.check import CheckedGold
from chunkwright.gold.goldset import GoldSet
from chunkwright.lab.studies import Phase, Run, Settings
from chunkwright.report.charts import (
    by_size,
    by_size_in_words,
    frontier,
    frontier_in_words,
    heat_map,
    heat_map_in_words,
)
from chunkwright.report.tables import Table, leaderboard, percent, ruled_out_table, ties_note
from chunkwright.setup import Setup

# Rows of the leaderboard; the report has them all.
_MOST_ROWS = 100
_NO_GOLD = (
    "A study asks questions whose answers are known. There are none yet: start the lab with "
    "--gold FILE, or write some in the part Gold."
)


class Picture(NamedTuple):
    """A chart, and what it shows in a sentence."""

    chart: dict[str, Any]
    summary: str


class Board(NamedTuple):
    """What is shown of a study.

    Attributes:
        table: The leaderboard.
        best: The recommended setup; None where nothing can be recommended.
        reason: Why it is recommended.
        notes: What else should be known.
        pictures: The charts: what answers cost, by size and overlap, by size.
        early: What was ruled out early, if anything was.
        failed: Why setups could not be used.
    """

    table: Table
    best: Setup | None
    reason: str
    notes: tuple[str, ...]
    pictures: tuple[Picture, Picture, Picture]
    early: Table | None
    failed: tuple[str, ...]


@lru_cache(2)
def board_of(run: Run) -> Board | None:
    """What is shown of a study; None before anything is measured.

    Raises:
        StudyError: The metric is defined for no question.
    """
    study = run.study
    if not study.evaluations:
        return None
    measured, choice = study.evaluations, study.choice
    told = (study.early, *choice.notes, ties_note(study.best))
    return Board(
        table=leaderboard(measured, choice, _MOST_ROWS),
        best=None if choice.identical else study.best.setup,
        reason=choice.reason,
        notes=tuple(filter(None, told)),
        pictures=(
            Picture(frontier(measured, choice).to_dict(), frontier_in_words(measured, choice)),
            Picture(heat_map(measured, choice).to_dict(), heat_map_in_words(measured, choice)),
            Picture(by_size(measured).to_dict(), by_size_in_words(measured)),
        ),
        early=ruled_out_table(study.ruled_out, str(choice.metric)) if study.ruled_out else None,
        failed=tuple(failed.reason for failed in study.failed),
    )


def progress_of(run: Run) -> str:
    """How far a study is, in words."""
    settled = f"{run.settled} of {run.planned} setups, {run.seconds:.0f} s"
    if run.leader is None:
        return settled
    figure, setup = run.leader
    highest = f"highest {run.metric} so far" if run.phase.active else f"highest {run.metric}"
    return f"{settled}, {highest} {percent(figure)} % by {setup}"


def status_of(run: Run) -> str:
    """What a study is doing, in words."""
    reused = run.final.reused if run.final is not None else 0
    kept = f"; {reused} of them were kept from before" if reused else ""
    far = f"after {run.settled} of {run.planned} setups"
    return {
        Phase.RUNNING: "The study runs." if run.settled else "The study reads the documents.",
        Phase.STOPPING: "The study stops; what is done is kept.",
        Phase.STOPPED: f"Stopped {far}; what is done is kept.",
        Phase.DONE: f"Done: {run.settled} setups in {run.seconds:.0f} s{kept}.",
        Phase.FAILED: f"Ended early, {far}; what is done is kept.",
    }[run.phase]


def settings_in_words(settings: Settings) -> str:
    """How a study measures, in words.

    >>> settings_in_words(Settings())
    'retriever hybrid, 5 results, 1,000 tokens, hit_rate'
    """
    return (
        f"retriever {settings.retriever}, {settings.k:,} results, {settings.budget:,} tokens, "
        f"{settings.metric}"
    )


def reason_against(gold: GoldSet, checked: CheckedGold | ChunkwrightError) -> str:
    """Why no study can be started on some questions, in a line; empty where one can."""
    if not len(gold):
        return _NO_GOLD
    if isinstance(checked, ChunkwrightError):
        return str(checked)
    if not checked.usable:
        problem = next((str(each) for each in checked.problems if not each.usable), "")
        return f"No question can be used. {problem}"
    return ""
