"""Comparing setups: what is luck must be called luck, and what is real must be found."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from chunkwright.evaluation.statistics import Field, Sample, _lead, _range, compare

Values = NDArray[np.float64]


def answers(setups: int, questions: int, seed: int, share: float = 0.6) -> Values:
    """Setups that answer equally well; each question is easy or hard for all of them."""
    random = np.random.default_rng(seed)
    alike = random.random(questions) < share
    own = random.random((setups, questions)) < share
    return np.where(random.random((setups, questions)) < 0.5, own, alike).astype(np.float64)


def alone(values: Values, seed: int = 0) -> Field:
    """Compared as if every question had a document of its own."""
    return compare(values, np.arange(values.shape[1]), seed=seed)


def test_the_means_and_the_leader() -> None:
    field = alone(np.array([[0, 1, 0, 1.0], [1, 1, 1, 0.0], [1, 0, 1, 1.0]]))
    assert [standing.mean for standing in field.standings] == [0.5, 0.75, 0.75]
    assert [standing.behind for standing in field.standings] == [0.25, 0, 0]
    assert (field.leader, field.n, field.unit) == (1, 4, "questions")


def test_of_equal_means_the_cheapest_leads() -> None:
    values = np.array([[0, 1, 1, 1.0], [1, 1, 1, 0.0], [1, 0, 1, 1.0], [0, 0, 0, 0]])
    assert compare(values, np.arange(4), cost=[30, 10, 20, 1]).leader == 1


def test_a_clear_difference_is_found() -> None:
    values = answers(8, 120, seed=1)
    values[5] = np.maximum(values[5], np.random.default_rng(2).random(120) < 0.9)
    field = alone(values)
    assert field.leader == 5
    assert field.standings[5].best > 0.99
    assert all(standing.ruled_out for at, standing in enumerate(field.standings) if at != 5)
    assert field.held_out == pytest.approx(field.standings[5].mean)


def test_no_difference_among_eight_is_not_called_sure() -> None:
    fields = [alone(answers(8, 60, seed), seed) for seed in range(30)]
    assert sum(field.standings[field.leader].best >= 0.9 for field in fields) <= 3


# The bounds hold for all setups at once in 95 % of studies; the true difference here is 0.
@pytest.mark.parametrize("setups", [2, 16])
def test_no_difference_rules_nobody_out(setups: int) -> None:
    fields = [alone(answers(setups, 150, seed), seed) for seed in range(40)]
    wrong = sum(any(standing.ruled_out for standing in field.standings) for field in fields)
    assert wrong <= 5


def test_the_bounds_hold_the_difference_and_widen_with_the_field() -> None:
    values = answers(16, 100, seed=3)
    field = alone(values)
    for standing in field.standings:
        assert standing.behind_low <= standing.behind <= standing.behind_high
        assert standing.low <= standing.mean <= standing.high
    first = values.mean(axis=1).argsort()[::-1]
    two = alone(values[first[:2]])
    width = two.standings[1].behind_high - two.standings[1].behind_low
    other = field.standings[int(first[1])]
    assert other.behind_high - other.behind_low > 1.2 * width


def test_setups_that_answer_alike_share_the_lead() -> None:
    one = answers(1, 50, seed=4)[0]
    field = alone(np.stack([one, one, one, np.zeros(50)]))
    assert [standing.best for standing in field.standings] == pytest.approx([1 / 3] * 3 + [0])
    for standing in field.standings[:3]:
        assert (standing.behind_low, standing.behind, standing.behind_high) == (0, 0, 0)
        assert standing.needed is None
    assert field.leader == 0


def test_the_shares_of_best_add_up_to_1() -> None:
    field = alone(answers(9, 40, seed=5))
    assert sum(standing.best for standing in field.standings) == pytest.approx(1)


def test_the_interval_is_the_usual_one() -> None:
    values = np.r_[np.ones(240), np.zeros(160)][None, :]
    (standing,) = alone(values).standings
    half = 1.96 * np.sqrt(0.6 * 0.4 / 400)
    assert standing.low == pytest.approx(0.6 - half, abs=0.1 * half)
    assert standing.high == pytest.approx(0.6 + half, abs=0.1 * half)


class TestDocuments:
    def test_twenty_are_drawn_whole_and_fewer_are_not(self) -> None:
        values = answers(2, 200, seed=6)
        assert compare(values, np.arange(200) % 20).unit == "documents"
        assert compare(values, np.arange(200) % 19).unit == "questions"

    def test_questions_that_agree_within_a_document_tell_less(self) -> None:
        documents = np.repeat(np.arange(25), 8)
        values = np.repeat(answers(2, 25, seed=7), 8, axis=1)
        (whole, _), (single, _) = compare(values, documents).standings, alone(values).standings
        assert whole.mean == single.mean
        assert whole.high - whole.low > 2 * (single.high - single.low)

    def test_the_names_of_documents_do_not_matter(self) -> None:
        values, documents = answers(3, 90, seed=8), np.arange(90) % 30
        assert compare(values, documents) == compare(values, 7 * documents + 1000)


class TestHeldOut:
    def test_the_luck_of_the_search_is_taken_off(self) -> None:
        fields = [alone(answers(12, 50, seed), seed) for seed in range(30)]
        luck = [field.standings[field.leader].mean - field.held_out for field in fields]
        assert np.mean(luck) > 0.03
        # All setups answer 60 % in truth.
        assert np.mean([field.held_out for field in fields]) == pytest.approx(0.6, abs=0.03)

    def test_documents_are_kept_together(self) -> None:
        # Each document is answered by a setup of its own and no other: what wins on the others
        # says nothing about it.
        documents = np.repeat(np.arange(20), 5)
        values = (documents == np.arange(20)[:, None]).astype(np.float64)
        assert compare(values, documents).held_out == 0

    def test_one_question_cannot_be_split(self) -> None:
        assert np.isnan(alone(np.ones((2, 1))).held_out)


def test_the_seed_decides_the_draws_and_nothing_else() -> None:
    values = answers(4, 60, seed=9)
    assert alone(values, 1) == alone(values.copy(), 1)
    other = alone(values, 2)
    assert other != alone(values, 1)
    assert [s.mean for s in other.standings] == [s.mean for s in alone(values, 1).standings]


class TestNeeded:
    def test_an_open_case_needs_more_questions(self) -> None:
        values = np.zeros((2, 100))
        values[0, :30] = 1
        values[1, 2:29] = 1
        values[1, 40:42] = 1
        field = alone(values)
        assert not field.standings[1].ruled_out
        needed = field.standings[1].needed
        assert needed is not None
        assert needed > 100
        # With so many questions of the same kind it is decided, and with half of them it is not.
        assert alone(np.tile(values, (1, 2 * needed // 100))).standings[1].ruled_out
        assert not alone(np.tile(values, (1, max(1, needed // 200)))).standings[1].ruled_out

    def test_a_decided_case_needs_none(self) -> None:
        field = alone(np.stack([np.ones(60), np.zeros(60)]))
        assert [standing.needed for standing in field.standings] == [None, None]


def test_setups_without_values_count_among_the_comparisons() -> None:
    values = answers(6, 200, seed=3)
    alone, among = compare(values, np.arange(200)), compare(values, np.arange(200), others=58)
    widths = []
    for field in (alone, among):
        last = field.standings[(field.leader + 1) % 6]
        widths.append(last.behind - last.behind_low)
    # By as much as the range of 64 normal values is wider than that of 6: 5.81 / 4.03.
    assert widths[1] / widths[0] == pytest.approx(5.81 / 4.03, abs=0.01)
    assert [s.mean for s in alone.standings] == [s.mean for s in among.standings]
    assert [s.low for s in alone.standings] == [s.low for s in among.standings]


@pytest.mark.parametrize(("count", "confidence", "range_"), [(3, 0.95, 3.31), (10, 0.99, 5.16)])
def test_the_range_of_normal_values_is_that_of_the_tables(
    count: int, confidence: float, range_: float
) -> None:
    assert _range(count, confidence) == pytest.approx(range_, abs=0.005)


def test_more_confidence_is_wider() -> None:
    values = answers(6, 200, seed=3)
    usual = Sample.of(values, np.arange(200))
    sure = Sample.of(values, np.arange(200), confidence=0.99)
    assert sure.critical > usual.critical
    np.testing.assert_array_equal(sure.error(0), usual.error(0))
    assert usual.behind(int(usual.means.argmax())).min() == 0


# Of setups that are equally good, the one that would have been picked must not be left.
@pytest.mark.parametrize("setups", [2, 16])
def test_what_is_best_is_hardly_ever_left(setups: int) -> None:
    left = 0
    for seed in range(60):
        sample = Sample.of(answers(setups, 150, seed), np.arange(150), seed, best_only=True)
        leader = int(sample.means.argmax())
        low = sample.behind(leader) - sample.critical * sample.error(leader)
        left += bool(low[0] > 0)  # any one of them may be the best
    assert left <= 6


def test_to_leave_what_is_not_the_best_takes_less_than_to_tell_any_two_apart() -> None:
    values = answers(16, 150, seed=5)
    alike = Sample.of(values, np.arange(150), best_only=True)
    assert 2 < alike.critical < Sample.of(values, np.arange(150)).critical
    more = Sample.of(values, np.arange(150), others=48, best_only=True)
    assert more.critical / alike.critical == pytest.approx(_lead(64, 0.95) / _lead(16, 0.95))
    one = Sample.of(values[:1], np.arange(150), best_only=True, others=9)
    assert one.critical == 0
