"""Setups measured in one process or in several."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest

from chunkwright.evaluation.experiment import Evaluation, Experiment
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.model import Document
from chunkwright.retrieval.fusion import HYBRID
from chunkwright.setup import Setup
from chunkwright.tuning.journal import Failed
from chunkwright.tuning.trials import Trial, trials

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
