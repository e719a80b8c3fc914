"""Setups measured in one process or in several."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Sequence
from multiprocessing import parent_process
from pathlib import Path

import numpy as np
import pytest

from chunkwright.errors import TruncationWarning
from chunkwright.evaluation.experiment import Evaluation, Experiment
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.model import Document
from chunkwright.processes import WorkerError
from chunkwright.retrieval.dense import Dense
from chunkwright.retrieval.fusion import HYBRID
from chunkwright.retrieval.late import Late
from chunkwright.retrieval.lexical import BM25
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Scores
from chunkwright.setup import Setup
from chunkwright.tuning.journal import Failed
from chunkwright.tuning.trials import Bench, Task, Trial, trials
from tests.retrieval.fakes import Words

LAMPS = [
    Document(f"lamp{at}.md", f"# Lamp {at}\n\nIt blinks {at} times. It costs {3 * at} euros. Fine.")
    for at in range(1, 6)
]
SETUPS = [Setup.parse(each) for each in ("sentence:1s", "fixed:9c", "sentence:5t|headers")]


def experiment() -> Experiment:
    questions = []
    for at, lamp in enumerate(LAMPS):
        start = lamp.text.index("It blinks")
        end = lamp.text.index(" It costs")
        reference = Reference(lamp.id, start, end, lamp.text[start:end])
        questions.append(Question(f"q{at}", f"How often does lamp {at + 1} blink?", (reference,)))
    return Experiment(LAMPS, GoldSet(tuple(questions)), HYBRID)


def figures(found: list[Trial]) -> list[object]:
    return [
        str(each.result)
        if isinstance(each.result, Failed)
        else {name: values.tolist() for name, values in each.result.values.items()}
        for each in found
    ]


class Dying:
    """A retriever for which one setup takes more memory than there is."""

    name = key = "dying"

    def scores(self, pool: Pool, questions: Sequence[str]) -> Scores:
        if parent_process() is not None and pool.setup == SETUPS[1]:
            os.kill(os.getpid(), signal.SIGKILL)
        return BM25.scores(pool, questions)


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_a_killed_worker_is_one_clear_line() -> None:
    found = trials(experiment().with_retriever(Dying()), SETUPS, jobs=2)
    with pytest.raises(WorkerError, match=r"was killed by signal 9.*fewer --jobs"):
        list(found)


@pytest.mark.slow
def test_several_processes_give_the_same_in_the_same_order() -> None:
    alone = list(trials(experiment(), SETUPS, jobs=1))
    together = list(trials(experiment(), SETUPS, jobs=2))
    np.testing.assert_equal(figures(together), figures(alone))
    assert [each.result.setup for each in together] == SETUPS
    assert isinstance(alone[1].result, Evaluation)
    assert all(each.seconds > 0 for each in together)


def test_the_environment_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert len(list(trials(experiment(), SETUPS[:2], jobs=2))) == 2
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "OPENBLAS_NUM_THREADS" not in os.environ


def test_an_experiment_can_be_sent_whatever_it_has_counted() -> None:
    used = experiment()
    first = used.run(SETUPS[0])
    again = pickle.loads(pickle.dumps(used)).run(SETUPS[0])
    for name, values in first.values.items():
        np.testing.assert_equal(again.values[name], values)


@pytest.mark.slow
def test_what_other_processes_cut_off_is_told_here(tmp_path: Path) -> None:
    used = experiment().with_retriever(Dense(Words(limit=3)).kept_in(tmp_path / "vectors.sqlite"))
    with pytest.warns(TruncationWarning, match="chunks of sentence:9s are longer") as caught:
        found = list(trials(used, [Setup.parse("sentence:9s"), Setup.parse("fixed:4c")], jobs=2))
    assert len(caught) == 1
    assert isinstance(found[0].result, Evaluation)
    assert found[0].result.truncation is not None
    assert found[0].result.truncation.long_texts == len(LAMPS)


@pytest.mark.slow
def test_token_vectors_are_made_before_processes_share_them(tmp_path: Path) -> None:
    late = Late(Words(limit=16)).kept_in(tmp_path / "vectors.sqlite")
    alone = list(trials(experiment().with_retriever(Late(Words(limit=16))), SETUPS))
    together = list(trials(experiment().with_retriever(late), SETUPS, jobs=2))
    np.testing.assert_equal(figures(together), figures(alone))
    assert late.cache.misses == len(LAMPS)  # one window a document, here and nowhere else


class TestBench:
    def test_chunks_are_kept_while_more_is_asked_of_them(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cut: list[Setup] = []
        original = Experiment.pool
        monkeypatch.setattr(
            Experiment, "pool", lambda self, setup: (cut.append(setup), original(self, setup))[1]
        )
        for room, times in ((1 << 20, 2), (0, 4)):
            bench = Bench(experiment(), kept_tokens=room)
            cut.clear()
            for task in (
                Task(SETUPS[0], "spans", None, True),
                Task(SETUPS[0], "trial", (0, 2), True),
                Task(SETUPS[0], "trial", (1, 3, 4)),
                Task(SETUPS[0]),  # nothing was to come
            ):
                assert not isinstance(bench.run(task).result, Failed)
            assert len(cut) == times

    def test_an_unusable_setup_fails_at_any_level(self) -> None:
        bench = Bench(experiment(), screen=BM25)
        bad = Setup.parse("header:3t|headers")
        for by in ("spans", "screen", "trial"):
            assert isinstance(bench.run(Task(bad, by)).result, Failed)

    def test_a_screen_is_another_retriever_on_the_same_chunks(self) -> None:
        bench = Bench(experiment(), screen=BM25)
        result = bench.run(Task(SETUPS[0], "screen")).result
        assert isinstance(result, Evaluation)
        assert result.retriever == "bm25"
