"""Races: the winner of the full grid for less work, and every decision with its evidence."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.evaluation.experiment import Evaluation
from chunkwright.evaluation.statistics import CLOSE, compare
from chunkwright.gold.goldset import GoldSet
from chunkwright.retrieval.dense import Dense
from chunkwright.retrieval.embedders import Vectors
from chunkwright.retrieval.static import term_vectors
from chunkwright.retrieval.wordllama import wordllama
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.spans import Integers
from chunkwright.tuning.journal import FILE_NAME, RuledOut
from chunkwright.tuning.race import Race, _stray, drawn
from chunkwright.tuning.study import Study, tune
from tests.retrieval.fakes import Words

EXAMPLES = Path(__file__).parents[2] / "examples"
CORPUS = Corpus.read(EXAMPLES / "docs")
GOLD = GoldSet.read(EXAMPLES / "gold.jsonl")
QUESTIONS = 160
SPACE = ("sentence:{60,200,400}t", "recursive:{60,200}t+20%", "fixed:{100,400}t", "header:200t")
SETUPS = 8


def study(folder: Path | None = None, **changed: Any) -> Study:
    settings = {"space": SPACE, "retriever": "hybrid", "race": True, **changed}
    return tune(CORPUS, settings.pop("gold", GOLD), folder=folder, **settings)


@cache
def grid() -> Study:
    return study(race=False)


@cache
def raced() -> Study:
    return study()


class Limited(Words):
    """Static vectors of words, of which it reads the first 200 of a text."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        return wordllama().embed([" ".join(text.split()[: self.limit]) for text in texts])

    def token_vectors(self, windows: Sequence[Integers]) -> list[Vectors]:
        return [
            term_vectors().of([self.strings[number] for number in window.tolist()])
            for window in windows
        ]


def embedded() -> Dense:
    return Dense(Limited(limit=200, dimensions=256))


def texts_embedded(retriever: Dense) -> int:
    return sum(map(len, retriever.embedder.asked))  # type: ignore[attr-defined]


@cache
def embedded_grid() -> tuple[Study, int]:
    retriever = embedded()
    return study(retriever=retriever, race=False), texts_embedded(retriever)


@cache
def embedded_race() -> tuple[Study, int]:
    retriever = embedded()
    return study(retriever=retriever, race=None), texts_embedded(retriever)


pytestmark = pytest.mark.filterwarnings("ignore::chunkwright.errors.TruncationWarning")


def lines(folder: Path, kind: str) -> list[dict[str, Any]]:
    text = (folder / FILE_NAME).read_text(encoding="utf-8")
    return [line for line in map(json.loads, text.splitlines()) if line["kind"] == kind]


def assert_same_figures(one: Evaluation, other: Evaluation) -> None:
    assert (one.setup, one.statistics, one.ties) == (other.setup, other.statistics, other.ties)
    assert one.truncation == other.truncation
    for name, row in one.values.items():
        np.testing.assert_array_equal(row, other.values[name], err_msg=name)
    for name, row in one.sent_tokens.items():
        np.testing.assert_array_equal(row, other.sent_tokens[name])


def assert_same(one: Study, other: Study) -> None:
    assert one.ruled_out == other.ruled_out
    assert one.choice == other.choice
    for mine, theirs in zip(one.evaluations, other.evaluations, strict=True):
        assert_same_figures(mine, theirs)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=80), st.integers(0, 99), st.floats(0, 1))
def test_any_first_part_of_the_questions_is_fair_to_every_document(
    documents: list[int], seed: int, share: float
) -> None:
    clusters = np.array(documents)
    order = drawn(clusters, seed)
    assert sorted(order.tolist()) == list(range(len(documents)))
    np.testing.assert_array_equal(order, drawn(clusters, seed))
    part = clusters[order[: round(share * len(order))]]
    for document in set(documents):
        fair = documents.count(document) * len(part) / len(documents)
        assert abs((part == document).sum() - fair) < 1 + len(set(documents)) / 2


def test_another_seed_is_another_order() -> None:
    clusters = np.zeros(40, np.int64)
    assert drawn(clusters, 1).tolist() != drawn(clusters, 2).tolist()


class TestByQuestions:
    def test_the_grid_and_the_race_name_the_same_winner(self) -> None:
        found = raced()
        assert found.best.setup == grid().best.setup
        assert found.complete
        assert len(found.evaluations) + len(found.ruled_out) == SETUPS
        assert {each.by for each in found.ruled_out} == {"spans", "questions"}

    def test_over_ten_seeds_too(self, tmp_path: Path) -> None:
        study(tmp_path, race=False)  # so that nothing is measured twice
        for seed in range(10):
            found = study(tmp_path, race=Race(seed))
            assert found.best.setup == grid().best.setup, seed
            assert len(found.ruled_out) >= 3

    def test_what_is_measured_in_full_has_the_figures_of_the_grid(self) -> None:
        known = {each.setup: each for each in grid().evaluations}
        for each in raced().evaluations:
            assert_same_figures(each, known[each.setup])

    def test_what_is_ruled_out_is_nothing_the_choice_could_pick(self) -> None:
        known = {each.setup: each.mean("hit_rate@1000t") for each in grid().evaluations}
        best = max(known.values())
        for each in raced().ruled_out:
            assert known[each.setup] < best * (1 - CLOSE)
            assert each.behind_low > each.margin == pytest.approx(CLOSE * each.leader_figure)
            assert each.behind == pytest.approx(each.leader_figure - each.figure)
            if each.by == "spans":
                assert each.level == 0
                assert known[each.setup] <= each.figure
                assert (each.questions, each.error) == (QUESTIONS, 0)
            else:
                assert each.level == 1
                assert each.questions in (QUESTIONS // 4, QUESTIONS // 2)
                assert each.error > 0

    def test_by_default_cheap_retrievers_do_not_race(self) -> None:
        found = study(space=SPACE[:1], race=None)
        assert (found.ruled_out, len(found.evaluations)) == ((), 3)

    def test_few_questions_rule_out_by_spans_alone(self) -> None:
        found = study(gold=GoldSet(GOLD.questions[:50]))
        assert {each.by for each in found.ruled_out} <= {"spans"}

    def test_a_metric_that_is_often_undefined(self) -> None:
        found = study(metric="precision", budget=150)
        assert found.best.setup == study(metric="precision", budget=150, race=False).best.setup

    def test_an_unusable_setup_is_told(self) -> None:
        found = study(space=("header:3t|headers", "sentence:200t", "sentence:60t"))
        assert [str(each.setup) for each in found.failed] == ["header:3t|headers"]
        assert found.complete

    def test_if_all_fail_nothing_is_raced(self) -> None:
        found = study(space=("header:{3,4}t|headers",))
        assert (len(found.failed), found.evaluations, found.complete) == (2, (), True)

    @pytest.mark.slow
    def test_several_processes_decide_alike(self, tmp_path: Path) -> None:
        assert_same(study(tmp_path, jobs=2), raced())

    def test_all_setups_count_among_the_comparisons(self) -> None:
        found = raced()
        metric = "hit_rate@1000t"
        values = np.stack([each.values[metric] for each in found.evaluations])
        alone = compare(
            values, found.clusters, [e.statistics.stored_tokens for e in found.evaluations]
        )
        for at, standing in enumerate(found.choice.field.standings):
            assert standing.mean == alone.standings[at].mean
            assert standing.low == alone.standings[at].low
            if at != alone.leader:
                assert standing.behind_low < alone.standings[at].behind_low


class TestByAScreen:
    def test_the_grid_and_the_race_name_the_same_winner_for_less(self) -> None:
        (full, all_texts), (found, texts) = embedded_grid(), embedded_race()
        assert found.best.setup == full.best.setup
        assert {each.by for each in found.ruled_out} == {"spans", "late:words"}
        assert texts < all_texts

    def test_what_is_measured_in_full_has_the_figures_of_the_grid(self) -> None:
        known = {each.setup: each for each in embedded_grid()[0].evaluations}
        for each in embedded_race()[0].evaluations:
            assert_same_figures(each, known[each.setup])
            assert each.truncation is not None
            assert each.retriever == "words"

    def test_the_error_of_the_screen_starts_safe_and_is_learnt(self) -> None:
        def spread(*errors: float) -> float:
            return _stray(np.array(errors)).spread

        assert spread(0.0) > 0.04
        assert spread(*[0.01] * 20) < 0.025  # it proved good
        assert spread(*[0.1, -0.1] * 10) > 0.09  # it proved bad
        assert _stray(np.array([0.03, 0.05])).shift == pytest.approx(0.04)
        # Those with high cheap figures are measured first: that theirs are too high is no rule.
        assert _stray(np.array([-0.03, -0.05])).shift == 0

    def test_without_a_race_all_are_embedded(self) -> None:
        assert len(embedded_grid()[0].evaluations) == SETUPS

    def test_an_embedder_without_token_vectors_has_no_screen(self) -> None:
        assert embedded().screen is not None
        assert Dense("wordllama").screen is None

    @pytest.mark.slow
    def test_several_processes_decide_alike(self, tmp_path: Path) -> None:
        retriever = embedded().kept_in(tmp_path / "vectors.sqlite")
        assert_same(study(retriever=retriever, race=None, jobs=2), embedded_race()[0])


RACES: dict[str, Callable[[], dict[str, Any]]] = {
    "questions": dict,
    "screen": lambda: {"retriever": embedded()},
}


class TestResuming:
    @pytest.mark.parametrize("kind", RACES)
    @pytest.mark.parametrize("settled", [1, 4, 7])
    def test_a_stopped_race_decides_as_one_in_one_go(
        self, tmp_path: Path, kind: str, settled: int
    ) -> None:
        whole = raced() if kind == "questions" else embedded_race()[0]

        def stop(setup: Setup, result: object, number: int, planned: int) -> None:
            if number == settled:
                raise KeyboardInterrupt

        part = study(tmp_path, progress=stop, **RACES[kind]())
        assert not part.complete
        assert len(part.evaluations) + len(part.ruled_out) == settled
        assert f"Stopped after {settled} of {SETUPS} setups" in part.progress
        assert_same(study(tmp_path, **RACES[kind]()), whole)
        decided = [
            (line["setup"], line["level"], line["behind"]) for line in lines(tmp_path, "ruled_out")
        ]
        assert len(decided) == len(set(decided)) == len(whole.ruled_out)
        assert len(lines(tmp_path, "trial")) == len(whole.evaluations)

    @pytest.mark.parametrize("kind", RACES)
    def test_a_finished_race_is_read_and_not_run(
        self, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = study(tmp_path, **RACES[kind]())
        data = (tmp_path / FILE_NAME).read_bytes()
        monkeypatch.setattr("chunkwright.tuning.trials.Bench.run", None)
        assert_same(study(tmp_path, **RACES[kind]()), before)
        assert (tmp_path / FILE_NAME).read_bytes() == data

    def test_every_decision_is_in_the_journal_with_its_evidence(self, tmp_path: Path) -> None:
        found = study(tmp_path)
        written = {
            RuledOut(
                **{
                    **{name: line[name] for name in RuledOut.__slots__},
                    "setup": Setup.parse(line["setup"]),
                    "leader": Setup.parse(line["leader"]),
                }
            )
            for line in lines(tmp_path, "ruled_out")
        }
        assert written == set(found.ruled_out)
        # And what it rests on: the figure can be computed again.
        asked = {(line["setup"], len(line["questions"])): line for line in lines(tmp_path, "part")}
        spans = {line["setup"]: line for line in lines(tmp_path, "ceiling")}
        for each in found.ruled_out:
            if each.by == "spans":
                values = spans[str(each.setup)]["values"]
            elif each.questions == QUESTIONS // 4:
                values = asked[str(each.setup), each.questions]["values"]["hit_rate@1000t"]
            else:
                continue
            assert each.figure == pytest.approx(np.mean(values), abs=1e-6)

    def test_the_grid_after_a_race_measures_what_is_missing(self, tmp_path: Path) -> None:
        early = study(tmp_path)
        full = study(tmp_path, race=False)
        assert full.reused == len(early.evaluations)
        assert full.choice == grid().choice


def test_progress_is_told_of_every_setup_once() -> None:
    told: list[tuple[Setup, int]] = []
    study(progress=lambda setup, _, number, __: told.append((setup, number)))
    assert [number for _, number in told] == list(range(1, SETUPS + 1))
    assert len({setup for setup, _ in told}) == SETUPS


def test_a_sentence_says_what_was_ruled_out_and_how() -> None:
    found = raced()
    spans = sum(each.by == "spans" for each in found.ruled_out)
    assert found.early == (
        f"Ruled out early: {len(found.ruled_out)} of {SETUPS} ({spans} by their spans alone, "
        f"{len(found.ruled_out) - spans} on a part of the questions)."
    )
    assert grid().early == ""
