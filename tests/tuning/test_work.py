"""Figures on parts of the questions: taken from a whole, and put together again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.evaluation.experiment import ChunkStatistics, Evaluation
from chunkwright.setup import Setup
from chunkwright.tuning.journal import Failed, Kept, RuledOut
from chunkwright.tuning.trials import Task, Trial
from chunkwright.tuning.work import Work, merged, part_of

SETUP, OTHER, BAD = map(Setup.parse, ("fixed:9t", "sentence:9t", "header:9t|headers"))
QUESTIONS = 7
MADE = ChunkStatistics(9, 9.0, 9, 81, {}, 0, 0, "abc")


def measured(setup: Setup, questions: Sequence[int] = range(QUESTIONS)) -> Evaluation:
    values = np.array([np.nan if at == 3 else at / 10 for at in questions])
    sent = np.array([10.0 * at for at in questions])
    return Evaluation(setup, "bm25", {"recall@5": values}, {"@5": sent}, MADE, {"@5": len(sent)})


def assert_same(one: Evaluation, other: Evaluation) -> None:
    assert (one.setup, one.statistics, one.ties) == (other.setup, other.statistics, other.ties)
    np.testing.assert_array_equal(one.values["recall@5"], other.values["recall@5"])
    np.testing.assert_array_equal(one.sent_tokens["@5"], other.sent_tokens["@5"])


@given(st.permutations(range(QUESTIONS)), st.integers(1, QUESTIONS - 1))
def test_parts_put_together_are_the_whole(order: list[int], first: int) -> None:
    blocks = [tuple(sorted(order[:first])), tuple(sorted(order[first:]))]
    assert_same(merged([measured(SETUP, block) for block in blocks], blocks), measured(SETUP))


def test_a_part_of_a_whole_does_not_know_its_ties() -> None:
    part = part_of(measured(SETUP), (1, 3, 5))
    assert part.values["recall@5"][[0, 2]].tolist() == [0.1, 0.5]
    assert np.isnan(part.values["recall@5"][1])
    assert part.sent_tokens["@5"].tolist() == [10, 30, 50]
    assert part.ties == {}


class Asked:
    """Does tasks, and remembers them."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []

    def __call__(self, tasks: Sequence[Task]) -> Iterator[Trial]:
        for task in tasks:
            self.tasks.append(task)
            asked = range(QUESTIONS) if task.questions is None else task.questions
            bad = Failed(BAD, "no room")
            yield Trial(bad if task.setup == BAD else measured(task.setup, asked), 0.1)


def work(crew: Asked, kept: Kept | None = None) -> tuple[Work, list[tuple[Setup, int, int]]]:
    told: list[tuple[Setup, int, int]] = []
    made = Work(
        *(crew, kept or Kept(), "key", "bm25", "recall@5", QUESTIONS, 3),
        progress=lambda setup, _, number, planned: told.append((setup, number, planned)),
    )
    return made, told


def test_what_was_asked_on_a_part_is_asked_on_the_rest() -> None:
    crew = Asked()
    made, told = work(crew)
    made.ask([SETUP], (0, 4))
    assert told == []
    made.measure([SETUP], [(0, 4)])
    assert [task.questions for task in crew.tasks] == [(0, 4), (1, 2, 3, 5, 6)]
    assert [task.again for task in crew.tasks] == [True, False]
    assert_same(made.done[SETUP], measured(SETUP))
    assert told == [(SETUP, 1, 3)]


def test_nothing_that_is_kept_is_done_again_or_known_before_it_is_asked_for() -> None:
    crew = Asked()
    made, _ = work(crew, Kept(trials={SETUP: measured(SETUP)}))
    assert made.done == {}
    (part,) = made.ask([SETUP], (2, 6))
    assert part.values["recall@5"].tolist() == [0.2, 0.6]
    made.measure([SETUP, OTHER, BAD])
    assert [task.setup for task in crew.tasks] == [OTHER, BAD]
    assert (set(made.done), set(made.failed)) == ({SETUP, OTHER}, {BAD})


def test_a_setup_is_settled_once() -> None:
    made, told = work(Asked())
    made.measure([SETUP])
    made.measure([SETUP])
    made.rule_out(RuledOut(OTHER, 0, "spans", 0.1, 7, SETUP, 0.9, 0.8, 0.8, 0.009))
    made.measure([BAD])
    assert told == [(SETUP, 1, 3), (OTHER, 2, 3), (BAD, 3, 3)]
