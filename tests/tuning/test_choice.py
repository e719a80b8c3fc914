"""The choice among measured setups: the cheapest of the good ones, and words that are true."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from chunkwright.errors import StudyError
from chunkwright.evaluation.experiment import ChunkStatistics, Evaluation
from chunkwright.evaluation.metrics import Metric
from chunkwright.setup import Setup
from chunkwright.tuning.choice import Choice, choose, share

Values = NDArray[np.float64]
METRIC = Metric("hit_rate", budget=1000)


def first(hits: int, questions: int = 1000) -> Values:
    """Answers to the first so many questions."""
    return (np.arange(questions) < hits).astype(np.float64)


def measured(size: int, values: Values, stored: int, fingerprint: str = "") -> Evaluation:
    statistics = ChunkStatistics(9, 9.0, 9, stored, {}, 0, 0, fingerprint or str(size))
    setup = Setup("sentence", size, "tokens")
    return Evaluation(setup, "bm25", {str(METRIC): values}, {}, statistics)


def chosen(*evaluations: Evaluation) -> Choice:
    questions = len(evaluations[0].values[str(METRIC)])
    return choose(evaluations, METRIC, np.arange(questions))


def coins(seed: int, setups: int, questions: int = 60) -> list[Evaluation]:
    """Setups that answer equally well in truth."""
    tossed = np.random.default_rng(seed).random((setups, questions)) < 0.6
    return [measured(at + 1, row.astype(np.float64), 100) for at, row in enumerate(tossed)]


class TestTheCheapestOfTheGoodOnes:
    def test_it_is_within_a_point_of_the_leader(self) -> None:
        choice = chosen(
            measured(10, first(800), 10),  # cheapest, ten points behind
            measured(20, first(897), 200),
            measured(30, first(900), 300),  # the leader
            measured(40, first(895), 100),
        )
        assert choice.best == 3
        assert choice.field.leader == 2
        assert choice.ranked == (2, 1, 3, 0)
        assert choice.verdicts[0] == "worse"
        assert "sentence:40t" in choice.reason
        assert "The leader, sentence:30t, is 0.5 points ahead" in choice.reason

    def test_a_proven_difference_is_never_given_away(self) -> None:
        # Nine points in a thousand, but on every document alike.
        values = np.zeros((2, 5000))
        values[0, ::2] = 1
        values[1, ::2] = 1
        values[1, :90:2] = 0
        choice = chosen(measured(10, values[1], 1), measured(20, values[0], 100))
        assert choice.field.standings[0].behind == pytest.approx(0.009)
        assert choice.field.standings[0].ruled_out
        assert choice.best == 1

    def test_of_equals_the_cheapest_leads_and_is_recommended(self) -> None:
        choice = chosen(measured(10, first(9, 12), 30), measured(20, first(9, 12), 20))
        assert (choice.best, choice.field.leader, choice.ranked) == (1, 1, (1, 0))

    def test_one_far_ahead_needs_no_comparison(self) -> None:
        choice = chosen(measured(10, first(900), 900), measured(20, first(500), 1))
        assert choice.best == 0
        assert "No other setup comes within 1 % of its figure." in choice.reason
        assert "90.0 % of the questions" in choice.reason


class TestVerdicts:
    def test_each_word(self) -> None:
        far = np.roll(first(600), 150)  # as good as the leader, on other questions
        choice = chosen(
            measured(10, first(620), 1),
            measured(20, first(618), 1),
            measured(30, first(300), 1),
            measured(40, far, 1),
        )
        assert choice.verdicts == ("leads", "equivalent", "worse", "not decided yet")
        assert chosen(measured(10, first(600), 1), measured(20, first(300), 1)).verdicts == (
            "better",
            "worse",
        )

    def test_a_setup_alone_is_not_better(self) -> None:
        assert chosen(measured(10, first(600), 1)).verdicts == ("leads",)

    # The leader of a study without any difference may be called better by chance, but seldom.
    @pytest.mark.parametrize("setups", [2, 8])
    def test_no_difference_is_not_called_better(self, setups: int) -> None:
        choices = [chosen(*coins(seed, setups)) for seed in range(100)]
        assert sum("better" in choice.verdicts for choice in choices) <= 12

    def test_an_open_case_says_how_many_questions_would_decide(self) -> None:
        values = np.stack([first(30, 100), np.roll(first(28, 100), 3)])
        choice = chosen(measured(10, values[0], 1), measured(20, values[1], 1))
        assert choice.verdicts[1] == "not decided yet"
        assert any("questions like these would decide" in note for note in choice.notes)

    def test_setups_that_cut_alike_are_counted(self) -> None:
        one = measured(10, first(600), 1, "same")
        other = measured(20, first(600), 1, "same")
        third = measured(30, first(300), 1)
        assert "Setups that cut exactly as another one does: 1." in chosen(one, other, third).notes
        choice = chosen(one, other)
        assert choice.identical
        assert choice.verdicts == ("equivalent", "equivalent")
        assert choice.reason.startswith("No winner: all 2 setups give identical chunks")
        assert any("identical chunks" in note for note in choice.notes)
        assert not chosen(one, third).identical
        assert not chosen(one).identical


class TestUndefined:
    def test_a_setup_with_nothing_to_show_gets_nothing_where_another_answers(self) -> None:
        one, other = first(2, 4), first(4, 4)
        one[3], other[3] = np.nan, np.nan
        other[0] = np.nan
        choice = chosen(measured(10, one, 1), measured(20, other, 1))
        assert choice.field.n == 3
        assert [standing.mean for standing in choice.field.standings] == [2 / 3, 2 / 3]
        assert any("undefined for up to 1 of 3 questions under 1 of" in n for n in choice.notes)

    def test_for_no_question_is_an_error(self) -> None:
        with pytest.raises(StudyError, match="defined for no question"):
            chosen(measured(10, np.full(3, np.nan), 1))

    def test_nothing_measured_is_an_error(self) -> None:
        with pytest.raises(StudyError, match="nothing to choose from"):
            choose([], METRIC, np.arange(3))

    def test_shares(self) -> None:
        assert [share(1.0), share(0.8731), share(float("nan"))] == [
            "100.0 %", "87.3 %", "undefined"
        ]  # fmt: skip


def test_the_luck_of_the_search_is_told() -> None:
    choice = chosen(*coins(3, 8))
    leader = choice.field.standings[choice.field.leader].mean
    assert choice.field.held_out < leader
    assert share(choice.field.held_out) in choice.notes[0]
    assert share(leader) in choice.notes[0]
