"""What the part Tune shows of a study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chunkwright.errors import GoldError
from chunkwright.gold.check import check
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.lab.studies import Phase, Run, Settings
from chunkwright.lab.study_board import (
    board_of,
    progress_of,
    reason_against,
    settings_in_words,
    status_of,
)
from chunkwright.model import Document
from chunkwright.report.tables import leaderboard
from chunkwright.sources.corpus import Corpus
from chunkwright.tuning.journal import RuledOut
from chunkwright.tuning.space import in_turns, read_space
from chunkwright.tuning.study import Study, tune
from chunkwright.tuning.work import Progress

TEXT = " ".join(f"The lamp of house {at} is item {at * 7}. It is old." for at in range(20))
CORPUS = Corpus.of([Document("a.md", TEXT)])
QUOTES = [f"The lamp of house {at} is item {at * 7}." for at in range(0, 20, 2)]
GOLD = GoldSet(
    tuple(
        Question(quote, f"Which item is lamp {at}?", (Reference("a.md", quote=quote),))
        for at, quote in enumerate(QUOTES)
    )
)
SETTINGS = Settings(("sentence:{1,2}s", "fixed:{16,24}t"), "bm25")


@pytest.fixture(scope="module")
def run() -> Run:
    """A study that is done."""
    space = read_space(SETTINGS.patterns)
    results = []
    told: Progress = lambda setup, result, *_: results.append((setup, result))  # noqa: E731
    study = tune(CORPUS, GOLD, space, "bm25", progress=told)
    assert [setup for setup, _ in results] == in_turns(space)
    checked = check(GOLD, CORPUS)
    return Run(
        SETTINGS,
        GOLD,
        checked,
        np.zeros(len(GOLD), np.int64),
        space,
        Path("folder"),
        begun=10.0,
        ended=22.3,
        phase=Phase.DONE,
        results=tuple(results),
        final=study,
    )


def test_the_board_is_the_leaderboard_of_the_report(run: Run) -> None:
    board = board_of(run)
    assert board is not None
    assert board.table == leaderboard(run.study.evaluations, run.study.choice)
    assert board.best == run.study.best.setup
    assert board.reason == run.study.choice.reason
    assert set(run.study.choice.notes) <= set(board.notes)
    for picture in board.pictures:
        assert picture.chart["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
        assert picture.summary.endswith(".")


def test_what_is_shown_on_the_way_comes_to_the_same(run: Run) -> None:
    on_the_way = replace(run, final=None, ended=None, phase=Phase.RUNNING)
    assert board_of(on_the_way) == board_of(run)
    assert isinstance(on_the_way.study, Study)


def test_nothing_is_shown_before_anything_is_measured(run: Run) -> None:
    begun = replace(run, final=None, results=(), phase=Phase.RUNNING)
    assert board_of(begun) is None
    assert progress_of(begun).startswith("0 of 4 setups")
    assert status_of(begun) == "The study reads the documents."


def test_progress_names_the_highest_figure(run: Run) -> None:
    figure = max(each.mean("hit_rate@1000t") for each in run.study.evaluations)
    shown = f"highest hit_rate@1000t {100 * figure:.1f} % by "
    assert progress_of(run).startswith(f"4 of 4 setups, 12 s, {shown}")
    assert "so far" in progress_of(replace(run, final=None, phase=Phase.RUNNING))


def test_each_phase_in_words(run: Run) -> None:
    assert status_of(run) == "Done: 4 setups in 12 s."
    assert run.final is not None
    again = replace(run, final=replace(run.final, reused=3))
    assert status_of(again) == "Done: 4 setups in 12 s; 3 of them were kept from before."
    stopped = replace(run, final=None, results=run.results[:2], phase=Phase.STOPPED)
    assert status_of(stopped) == "Stopped after 2 of 4 setups; what is done is kept."
    for phase in Phase:
        assert status_of(replace(run, phase=phase))


def test_settings_in_words() -> None:
    assert settings_in_words(replace(SETTINGS, metric="recall")) == (
        "retriever bm25, 5 results, 1,000 tokens, recall"
    )


class TestReasonAgainst:
    def test_none(self) -> None:
        assert reason_against(GOLD, check(GOLD, CORPUS)) == ""

    def test_no_questions(self) -> None:
        assert "--gold" in reason_against(GoldSet(()), check(GoldSet(()), CORPUS))

    def test_no_usable_question(self) -> None:
        lost = GoldSet((Question("lost", "What?", (Reference("gone.md", 0, 3, "one"),)),))
        reason = reason_against(lost, check(lost, CORPUS))
        assert reason.startswith("No question can be used. question lost")
        assert "\n" not in reason

    def test_questions_that_cannot_be_checked(self) -> None:
        assert reason_against(GOLD, GoldError("broken")) == "broken"


def test_what_a_race_left_early_is_shown(run: Run) -> None:
    best, other = run.study.best.setup, run.space[-1]
    assert best != other
    early = RuledOut(other, 0, "spans", 0.25, 10, best, 0.75, 0.5, 0.5, 0.5, 0.01)
    kept = tuple(each for each in run.study.evaluations if each.setup != other)
    assert run.final is not None
    board = board_of(replace(run, final=replace(run.final, evaluations=kept, ruled_out=(early,))))
    assert board is not None
    assert board.early is not None
    assert [row[0] for row in board.early.rows] == [str(other)]
    assert board.notes[0] == "Ruled out early: 1 of 4 (1 by their spans alone)."
