"""Studies beside the page: the figures of the command line, stopped and gone on with at will."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from chunkwright.errors import ChunkwrightError, GoldError, StudyError
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.lab.studies import (
    MOST_SETUPS,
    REPORT_NAME,
    Phase,
    Run,
    Settings,
    Studies,
    default_folder,
    keep_studies_in,
    studies_of,
    typed_space,
)
from chunkwright.model import Document
from chunkwright.service.workspace import Workspace
from chunkwright.sources.corpus import Corpus
from chunkwright.tuning.journal import FILE_NAME, Failed
from chunkwright.tuning.study import tune

NAMES = ["lamp", "hub", "door"]
CORPUS = Corpus.of(
    Document(
        f"{name}.md",
        f"# The {name}\n\n"
        + " ".join(f"The {name} of house {at} is item {at * 7}. It is old." for at in range(60)),
    )
    for name in NAMES
)
GOLD = GoldSet(
    tuple(
        Question(
            f"{name}-{at}",
            f"Which item is the {name} of house {at}?",
            (Reference(f"{name}.md", quote=f"The {name} of house {at} is item {at * 7}."),),
        )
        for name in NAMES
        for at in range(0, 60, 4)
    )
)
FEW = ("sentence:{1,2}s", "fixed:16t+25%", "header:3t|headers")
MANY = ("fixed:{16,20,24,28,32,36,40,44,48,52}t+{0,10,20,30,40}%", "sentence:{1,2,3,4,5,6}s")


def waited(studies: Studies, until: Callable[[Run], bool]) -> Run:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        run = studies.now
        if run is not None and until(run):
            return run
        time.sleep(0.01)
    raise AssertionError(studies.now)


def is_over(run: Run) -> bool:
    return not run.phase.active


def settings(patterns: tuple[str, ...]) -> Settings:
    return Settings(patterns, "bm25", budget=60)


def journal(folder: Path, kind: str) -> list[str]:
    text = (folder / FILE_NAME).read_text(encoding="utf-8")
    return [line["setup"] for line in map(json.loads, text.splitlines()) if line["kind"] == kind]


class TestTypedSpace:
    def test_lines(self) -> None:
        typed = typed_space("\n# all sizes\n sentence:{1,2}s \n\nfixed:9t\n")
        assert typed.patterns == ("sentence:{1,2}s", "fixed:9t")
        assert [str(setup) for setup in typed.setups] == ["sentence:1s", "sentence:2s", "fixed:9t"]

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("", "the space is empty"),
            ("sentences:9t", "sentences"),
            ("@/etc/passwd", "no files are read from here"),
            ("fixed:9t\n  @x", "no files are read from here"),
            ("fixed:9t" + "{,a}" * 40, f"over {MOST_SETUPS:,} setups"),
            ("fixed:" + "{9" * 1000, "over 400 characters"),
        ],
    )
    def test_what_cannot_be_tried(self, text: str, reason: str) -> None:
        with pytest.raises(ChunkwrightError, match=reason) as problem:
            typed_space(text)
        assert "root:" not in str(problem.value)
        assert "\n" not in str(problem.value)


def test_a_study_gives_what_the_command_line_gives(tmp_path: Path) -> None:
    studies, workspace = Studies(tmp_path / "page"), Workspace(CORPUS, GOLD)
    studies.start(workspace, settings(FEW))
    with pytest.raises(StudyError, match="a study is running already"):
        studies.start(workspace, settings(FEW))
    run = waited(studies, is_over)
    assert (run.phase, run.problem, run.settled, run.planned) == (Phase.DONE, "", 4, 4)
    whole = tune(CORPUS, GOLD, FEW, "bm25", budget=60)
    assert run.final is not None
    assert run.study.choice == whole.choice
    assert run.study.facts == whole.facts
    assert run.study.failed == whole.failed
    # What is shown on the way, from what was told of each setup, comes to the same.
    told = Run(run.settings, run.gold, run.checked, run.clusters, run.space, run.folder, run.begun)
    assert told.study.evaluations == ()
    on_the_way = Run(
        run.settings,
        run.gold,
        run.checked,
        run.clusters,
        run.space,
        run.folder,
        run.begun,
        results=run.results,
    )
    assert on_the_way.study.choice == whole.choice
    assert on_the_way.study.failed == whole.failed
    assert [type(result) for _, result in run.results].count(Failed) == 1
    assert run.leader is not None
    assert run.leader[0] == max(each.mean(run.metric) for each in whole.evaluations)
    run = waited(studies, lambda run: run.report is not None)
    assert run.report == tmp_path / "page" / REPORT_NAME
    assert run.report.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_it_is_stopped_and_goes_on_where_it_was(tmp_path: Path, jobs: int) -> None:
    studies, workspace = Studies(tmp_path), Workspace(CORPUS, GOLD)
    asked = Settings(MANY, "bm25", budget=60, jobs=jobs)
    studies.start(workspace, asked)
    waited(studies, lambda run: run.settled >= 3)
    begun = time.monotonic()
    studies.stop()
    run = waited(studies, is_over)
    assert time.monotonic() - begun < 5
    assert run.phase is Phase.STOPPED
    assert 3 <= run.settled < run.planned
    assert run.study.evaluations
    assert len(journal(tmp_path, "trial")) >= run.settled
    kept = set(journal(tmp_path, "trial"))
    studies.stop()  # there is nothing to stop, and nothing happens
    studies.start(workspace, asked)
    run = waited(studies, is_over)
    assert run.phase is Phase.DONE
    assert run.final is not None
    assert run.final.reused == len(kept)
    assert len(journal(tmp_path, "trial")) == len(set(journal(tmp_path, "trial"))) == run.planned
    assert run.final.choice == tune(CORPUS, GOLD, MANY, "bm25", budget=60).choice


@pytest.mark.slow
def test_it_is_stopped_before_it_has_begun(tmp_path: Path) -> None:
    studies = Studies(tmp_path)
    studies.start(Workspace(CORPUS, GOLD), settings(MANY))
    studies.stop()
    run = waited(studies, is_over)
    assert (run.phase, run.problem) == (Phase.STOPPED, "")


@pytest.mark.slow
def test_a_killed_study_says_so_and_goes_on(tmp_path: Path) -> None:
    studies, workspace = Studies(tmp_path), Workspace(CORPUS, GOLD)
    studies.start(workspace, settings(MANY))
    waited(studies, lambda run: run.settled >= 2)
    process = studies._process
    assert process is not None
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    run = waited(studies, is_over)
    assert run.phase is Phase.FAILED
    assert "what is done is kept" in run.problem
    assert run.study.evaluations  # what was told stays in sight
    studies.start(workspace, settings(FEW))
    assert waited(studies, is_over).phase is Phase.DONE


@pytest.mark.slow
def test_a_folder_with_something_else_in_it_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("my diary\n", encoding="utf-8")
    studies = Studies(tmp_path)
    studies.start(Workspace(CORPUS, GOLD), settings(FEW))
    run = waited(studies, is_over)
    assert run.phase is Phase.FAILED
    assert "not a line of a journal" in run.problem
    assert "\n" not in run.problem
    assert (tmp_path / FILE_NAME).read_text(encoding="utf-8") == "my diary\n"


def test_no_question_that_can_be_used(tmp_path: Path) -> None:
    lost = GoldSet((Question("lost", "What?", (Reference("gone.md", 0, 3, "one"),)),))
    for gold in (None, lost):
        studies = Studies(tmp_path)
        with pytest.raises(GoldError):
            studies.start(Workspace(CORPUS, gold), settings(FEW))
        assert studies.now is None


def test_all_tabs_see_the_same_studies(tmp_path: Path) -> None:
    one, other = Workspace(CORPUS, GOLD), Workspace(CORPUS, GOLD)
    assert studies_of(one) is studies_of(one)
    assert studies_of(one) is not studies_of(other)
    keep_studies_in(one, tmp_path)
    assert studies_of(one).folder == tmp_path


def test_the_folder_is_that_of_the_documents_and_the_questions() -> None:
    folder = default_folder(CORPUS, GOLD)
    assert folder == default_folder(Corpus.of(list(CORPUS)[::-1]), GOLD)
    assert folder != default_folder(CORPUS, GoldSet(GOLD.questions[1:]))
    assert folder != default_folder(Corpus.of(list(CORPUS)[1:]), GOLD)
