"""A study from documents to a recommendation: stopped, resumed, and always the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunkwright.errors import ChunkwrightError, GoldError, StudyError
from chunkwright.evaluation.experiment import Evaluation, default_metrics
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.model import Document
from chunkwright.retrieval.dense import Dense
from chunkwright.retrieval.late import Late
from chunkwright.retrieval.lexical import BM25, Bm25
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.tuning.journal import FILE_NAME, Writer
from chunkwright.tuning.study import Study, evaluate, facts_of, key_of, retriever_of, tune
from chunkwright.tuning.work import Progress
from tests.retrieval.fakes import Words

NAMES = ["lamp", "hub", "door", "oven", "fan", "lock"]
CORPUS = Corpus.of(
    Document(
        f"{name}.md",
        f"# The {name}\n\n"
        + " ".join(f"The {name} of house {at} is item {at * 7}. It is old." for at in range(9)),
    )
    for name in NAMES
)
SPACE = ["sentence:{1,2,3}s", "fixed:{8,16}t+25%", "header:40t|headers"]
SETUPS = 6


def asked(document: Document, quote: str, question: str, name: str) -> Question:
    start = document.text.index(quote)
    return Question(name, question, (Reference(document.id, start, start + len(quote), quote),))


GOLD = GoldSet(
    tuple(
        asked(document, f"The {name} of house {at} is item {at * 7}. It is old.",
              f"How old is the {name} of house {at}?", f"{name}-{at}")
        for document, name in zip(CORPUS, NAMES, strict=True)
        for at in range(0, 9, 2)
    )
)  # fmt: skip


def study(folder: Path | None = None, progress: Progress | None = None, **changed: Any) -> Study:
    settings: dict[str, Any] = {"space": SPACE, "retriever": "bm25", "budget": 60, **changed}
    return tune(CORPUS, settings.pop("gold", GOLD), folder=folder, progress=progress, **settings)


def stop_after(trials: int) -> Progress:
    def progress(setup: Setup, result: object, number: int, planned: int) -> None:
        if number == trials:
            raise KeyboardInterrupt

    return progress


def lines(folder: Path, kind: str) -> list[dict[str, Any]]:
    text = (folder / FILE_NAME).read_text(encoding="utf-8")
    return [line for line in map(json.loads, text.splitlines()) if line["kind"] == kind]


def assert_same(first: Study, second: Study) -> None:
    assert first.choice == second.choice
    assert first.failed == second.failed
    assert first.facts == second.facts
    assert notations(first.evaluations) == notations(second.evaluations)
    for one, other in zip(first.evaluations, second.evaluations, strict=True):
        assert one.statistics == other.statistics
        assert list(one.values) == list(other.values)
        for name, row in one.values.items():
            np.testing.assert_array_equal(row, other.values[name])
        for name, row in one.sent_tokens.items():
            np.testing.assert_array_equal(row, other.sent_tokens[name])


def notations(evaluations: Sequence[Evaluation]) -> list[str]:
    return [str(evaluation.setup) for evaluation in evaluations]


def test_every_setup_is_measured_and_one_recommended() -> None:
    found = study()
    assert (found.planned, len(found.evaluations), found.complete) == (SETUPS, SETUPS, True)
    assert found.best is found.evaluations[found.choice.best]
    assert str(found.metric) == "hit_rate@60t"
    # Each answer is two sentences, and no other setup has them in one chunk.
    assert found.best.setup in (Setup.parse("sentence:2s"), Setup.parse("sentence:3s"),
                                Setup.parse("header:40t|headers"))  # fmt: skip
    assert found.evaluations[0].mean("hit_rate@60t") == 0


def test_evaluate_gives_the_figures_of_the_study() -> None:
    alone = evaluate(CORPUS, "sentence:2s", GOLD, retriever="bm25", budget=60)
    for name, row in study().evaluations[1].values.items():
        np.testing.assert_allclose(alone.values[name], row, atol=1e-6)


def test_any_metric_may_decide() -> None:
    assert str(study(metric="recall").metric) == "recall@60t"
    assert str(study(metric="ndcg@3").metric) == "ndcg@3"


def test_setups_may_be_given_as_such() -> None:
    found = study(space=[Setup.parse("sentence:2s"), "sentence:{2,3}s"])
    assert notations(found.evaluations) == ["sentence:2s", "sentence:3s"]


@pytest.mark.parametrize("name", ["k", "budget", "jobs"])
def test_numbers_below_one_are_refused(name: str) -> None:
    with pytest.raises(StudyError, match=f"^{name} is 1 or more, but got 0$"):
        study(**{name: 0})


def test_progress_is_told_of_every_trial() -> None:
    told: list[tuple[str, int, int]] = []
    study(progress=lambda setup, _, number, planned: told.append((str(setup), number, planned)))
    assert [entry[1:] for entry in told] == [(at, SETUPS) for at in range(1, SETUPS + 1)]
    assert told[0][0] == "sentence:1s"


class TestResuming:
    def test_the_journal_changes_no_figure(self, tmp_path: Path) -> None:
        assert_same(study(tmp_path), study())

    def test_a_finished_study_is_read_and_not_run(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = study(tmp_path)
        data = (tmp_path / FILE_NAME).read_bytes()
        monkeypatch.setattr("chunkwright.tuning.study.Experiment.run", None)
        assert_same(study(tmp_path), before)
        assert (tmp_path / FILE_NAME).read_bytes() == data

    @pytest.mark.parametrize("trials", [1, 3, SETUPS])
    def test_ctrl_c_returns_what_is_done_and_the_next_run_completes(
        self, tmp_path: Path, trials: int
    ) -> None:
        part = study(tmp_path, stop_after(trials))
        assert len(part.evaluations) == trials
        assert part.complete == (trials == SETUPS)
        assert part.choice.best < trials
        assert_same(study(tmp_path), study())
        written = [line["setup"] for line in lines(tmp_path, "trial")]
        assert len(written) == len(set(written)) == SETUPS
        assert len(lines(tmp_path, "study")) == 1

    def test_ctrl_c_while_a_trial_is_written_shows_no_more_than_the_journal(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write = Writer.trial

        def interrupted(writer: Writer, *arguments: Any) -> None:
            if len(lines(tmp_path, "trial")) == 2:
                raise KeyboardInterrupt
            write(writer, *arguments)

        monkeypatch.setattr(Writer, "trial", interrupted)
        part = study(tmp_path)
        assert set(notations(part.evaluations)) == {
            line["setup"] for line in lines(tmp_path, "trial")
        }
        monkeypatch.undo()
        assert_same(study(tmp_path), study())

    def test_ctrl_c_without_a_journal(self) -> None:
        part = study(None, stop_after(2))
        assert (len(part.evaluations), part.complete, part.planned) == (2, False, SETUPS)

    def test_a_killed_process_loses_the_trial_it_was_writing_and_no_more(
        self, tmp_path: Path
    ) -> None:
        whole = study(tmp_path)
        path = tmp_path / FILE_NAME
        data = path.read_bytes()
        for cut in (len(data) - 1, data.index(b"\n") + 1, 40, 0):
            path.write_bytes(data[:cut])
            assert_same(study(tmp_path), whole)

    def test_a_wider_space_keeps_what_was_measured(self, tmp_path: Path) -> None:
        study(tmp_path, space=SPACE[:1])
        assert_same(study(tmp_path), study())
        assert len(lines(tmp_path, "trial")) == SETUPS

    def test_trials_on_other_questions_are_not_used(self, tmp_path: Path) -> None:
        other = GoldSet(GOLD.questions[:7])
        first = study(tmp_path, gold=other)
        assert_same(study(tmp_path), study())
        assert len(lines(tmp_path, "trial")) == 2 * SETUPS
        assert_same(study(tmp_path, gold=other), first)

    def test_another_writer_is_not_disturbed(self, tmp_path: Path) -> None:
        pytest.importorskip("fcntl")

        def second_run(setup: Setup, result: Any, number: int, planned: int) -> None:
            with pytest.raises(StudyError, match="another run is writing it"):
                study(tmp_path)

        assert study(tmp_path, second_run).complete

    def test_a_folder_with_something_else_in_it(self, tmp_path: Path) -> None:
        (tmp_path / FILE_NAME).write_text("my diary\n", encoding="utf-8")
        with pytest.raises(StudyError, match=rf"{FILE_NAME}:1: not a line of a journal"):
            study(tmp_path)
        assert (tmp_path / FILE_NAME).read_text(encoding="utf-8") == "my diary\n"

    def test_something_else_without_a_last_line_end_is_not_deleted(self, tmp_path: Path) -> None:
        (tmp_path / FILE_NAME).write_text("my diary", encoding="utf-8")
        with pytest.raises(StudyError, match="not a line of a journal"):
            study(tmp_path)
        assert (tmp_path / FILE_NAME).read_text(encoding="utf-8") == "my diary"


class TestFailedSetups:
    SPACE = ("header:3t|headers", "sentence:2s")

    def test_one_is_reported_and_the_others_are_measured(self) -> None:
        found = study(space=self.SPACE)
        (failed,) = found.failed
        assert str(failed.setup) == "header:3t|headers"
        assert "leaves no room beside the header" in failed.reason
        assert notations(found.evaluations) == ["sentence:2s"]
        assert found.complete

    def test_it_is_remembered(self, tmp_path: Path) -> None:
        assert_same(study(tmp_path, space=self.SPACE), study(tmp_path, space=self.SPACE))
        assert len(lines(tmp_path, "failed")) == 1

    def test_if_all_fail_nothing_is_chosen(self) -> None:
        found = study(space=self.SPACE[:1])
        with pytest.raises(StudyError, match="no setup could be measured"):
            _ = found.choice


class TestFacts:
    def test_br_185_what_the_figures_depend_on_is_written_down(self, tmp_path: Path) -> None:
        found = study(tmp_path)
        (line,) = lines(tmp_path, "study")
        facts = dict(found.facts)
        assert line["key"] == facts.pop("key")
        assert facts.items() <= line.items()
        assert facts["corpus"] == CORPUS.fingerprint
        assert facts["retriever"] == "bm25"
        assert facts["metrics"] == [str(metric) for metric in default_metrics(5, 60)]
        assert {"numpy", "tiktoken", "sentencex"} <= facts["packages"].keys()
        assert line["questions"] == [question.id for question in GOLD]
        assert line["document_of_question"] == found.clusters.tolist()

    def test_other_data_or_settings_are_another_study(self) -> None:
        def key(corpus: Corpus = CORPUS, gold: GoldSet = GOLD, retriever: Any = BM25,
                budget: int = 60) -> str:  # fmt: skip
            return key_of(facts_of(corpus, gold, retriever, default_metrics(5, budget), ()))

        edited = Document(CORPUS[0].id, CORPUS[0].text + " More.")
        assert key() == key()
        assert key(corpus=Corpus.of([edited, *CORPUS[1:]])) != key()
        assert key(gold=GoldSet(GOLD.questions[1:])) != key()
        assert key(budget=70) != key()

    def test_a_retriever_with_other_settings_is_another_study(self, tmp_path: Path) -> None:
        study(tmp_path, retriever=Bm25(k1=1.2))
        other = study(tmp_path, retriever=Bm25(k1=0.01, b=0))
        assert_same(other, study(retriever=Bm25(k1=0.01, b=0)))
        assert len(lines(tmp_path, "trial")) == 2 * SETUPS


def test_br_187_the_order_of_the_documents_does_not_matter() -> None:
    # Every document says the same of house 1, so that chunks tie.
    gold = GoldSet((*GOLD, asked(CORPUS[4], "The fan of house 1 is item 7.", "house 1", "tie")))
    turned = Corpus.of(list(CORPUS)[::-1])
    one = evaluate(CORPUS, "sentence:1s", gold, retriever="bm25", k=2, budget=30)
    other = evaluate(turned, "sentence:1s", gold, retriever="bm25", k=2, budget=30)
    for name, row in one.values.items():
        np.testing.assert_array_equal(row, other.values[name], err_msg=name)


def test_br_191_identical_chunks_name_no_winner() -> None:
    documents = [
        Document(f"{at}.txt", " ".join(f"word{at}x{word}" for word in range(69)) + " end.")
        for at in range(20)
    ]
    gold = GoldSet(
        tuple(asked(document, f"word{at}x5", f"word{at}x9", str(at))
              for at, document in enumerate(documents))
    )  # fmt: skip
    found = tune(Corpus.of(documents), gold, ["recursive:{256,512}w"], retriever="bm25")
    assert any("identical chunks" in note for note in found.choice.notes)
    assert "better" not in found.choice.verdicts
    assert "worse" not in found.choice.verdicts


def test_unusable_questions_are_left_out_and_counted() -> None:
    lost = Question("lost", "What?", (Reference("gone.md", 0, 3, "one"),))
    found = study(gold=GoldSet((*GOLD, lost)))
    assert found.gold.left_out == 1
    assert found.choice.field.n == len(GOLD)
    with pytest.raises(GoldError):
        study(gold=GoldSet((lost,)))


class TestRetrievers:
    def test_one_that_is_given_is_left_as_it_is(self, tmp_path: Path) -> None:
        for given in (BM25, Dense(Words())):
            assert retriever_of(given, tmp_path) is given

    @pytest.mark.parametrize("name", ["wordllama", "late:wordllama", "minilm", "late"])
    def test_vectors_are_kept_in_the_folder_or_in_the_users_cache(
        self, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("chunkwright.tuning.study.user_cache", lambda: tmp_path / "user")
        for folder, path in ((tmp_path, tmp_path / "vectors.sqlite"), (None, tmp_path / "user")):
            found = retriever_of(name, folder)
            assert isinstance(found, Dense | Late)
            assert (found.name, found.cache.path) == (name, path)
        assert not any(tmp_path.iterdir())  # nothing is made before it is needed

    def test_a_name_that_needs_no_vectors(self) -> None:
        assert retriever_of("bm25") is BM25

    def test_an_unknown_name(self) -> None:
        with pytest.raises(ChunkwrightError, match="did you mean 'minilm'"):
            retriever_of("minilmm")

    def test_the_model_is_in_the_facts(self) -> None:
        facts = facts_of(CORPUS, GOLD, Dense(Words()), default_metrics(5, 60), ())
        assert facts["embedder"] == {"name": "words", "key": Words().key}
        assert facts["retriever_key"] == f"dense({Words().key})"
        assert "embedder" not in facts_of(CORPUS, GOLD, BM25, default_metrics(5, 60), ())
