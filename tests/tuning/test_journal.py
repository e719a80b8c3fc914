"""The journal: what is written comes back, and a broken end breaks nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chunkwright.errors import StudyError
from chunkwright.evaluation.ceilings import Ceiling
from chunkwright.evaluation.experiment import ChunkStatistics, Evaluation
from chunkwright.retrieval.embedders import Truncation
from chunkwright.setup import Setup
from chunkwright.tuning.journal import Failed, Journal, RuledOut, rounded, rounded_ceiling


def measured(notation: str = "sentence:9t+1s|headers") -> Evaluation:
    return Evaluation(
        setup=Setup.parse(notation),
        retriever="bm25",
        values={
            "hit_rate@5": np.array([1.0, 0.0, 1.0]),
            "recall@1000t": np.array([1 / 3, np.nan, 0.1234565]),
        },
        sent_tokens={"@5": np.array([100.0, 0.0, 250.0])},
        statistics=ChunkStatistics(
            chunks=7,
            mean_tokens=20 / 7,
            largest_tokens=9,
            stored_tokens=20,
            warnings={"orphan": 1, "starts mid-sentence": 2},
            warned=2,
            oversize=0,
            fingerprint="0a1b",
        ),
    )


def assert_same(first: Evaluation, second: Evaluation) -> None:
    assert (first.setup, first.retriever) == (second.setup, second.retriever)
    assert first.statistics == second.statistics
    for mine, other in (
        (first.values, second.values),
        (first.sent_tokens, second.sent_tokens),
    ):
        assert list(mine) == list(other)
        for name, row in mine.items():
            np.testing.assert_array_equal(row, other[name], strict=True)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "study" / "journal.jsonl")


def write(journal: Journal, *evaluations: Evaluation, key: str = "k") -> None:
    with journal.writing() as writer:
        for evaluation in evaluations:
            writer.trial(key, evaluation, 0.5)


def setups(journal: Journal, key: str = "k") -> list[str]:
    return [str(setup) for setup in journal.trials(key)[0]]


def test_a_trial_comes_back_as_it_was_kept(journal: Journal) -> None:
    kept = rounded(measured())
    write(journal, kept)
    done, failed = journal.trials("k")
    assert list(done) == [kept.setup]
    assert_same(done[kept.setup], kept)
    assert failed == {}
    # And once more, from what was read.
    write(journal, done[kept.setup])
    assert_same(journal.trials("k")[0][kept.setup], kept)


def test_rounding_is_below_what_any_table_shows() -> None:
    first, second = measured(), rounded(measured())
    for name, row in first.values.items():
        np.testing.assert_allclose(row, second.values[name], atol=1e-6)


def test_an_unusable_setup_comes_back(journal: Journal) -> None:
    failed = Failed(Setup.parse("header:9t|headers"), "no room beside “Überschrift”")
    with journal.writing() as writer:
        writer.failed("k", failed)
    assert journal.trials("k") == ({}, {failed.setup: failed})


def test_what_the_embedder_did_not_read_comes_back(journal: Journal) -> None:
    lost = Truncation(limit=9, texts=3, tokens=40, long_texts=1, lost_tokens=4, longest=13)
    write(journal, replace(measured(), truncation=lost))
    assert next(iter(journal.trials("k")[0].values())).truncation == lost


def test_what_a_race_rests_on_comes_back(journal: Journal) -> None:
    setup, leader = Setup.parse("fixed:9t"), Setup.parse("sentence:9t|headers")
    values, sent = np.array([1.0, np.nan, 1 / 3]), np.array([9.0, 0.0, 27.0])
    ceiling = rounded_ceiling(Ceiling(setup, "recall@5", values, sent))
    part = rounded(measured("fixed:9t"))
    ruled_out = RuledOut(
        setup, 1, "questions", 0.25, 40, leader, 0.75, 0.5, 0.111111, 0.0075, 0.123456
    )
    with journal.writing() as writer:
        writer.ceiling("k", ceiling, 0.01)
        writer.part("k", part, (0, 7), 0.5)
        writer.part("k", replace(part, retriever="late"), None, 0.5)
        writer.ruled_out("k", "recall@5", ruled_out)
    kept = journal.read("k")
    assert kept.known
    again = kept.ceilings[setup, "recall@5"]
    np.testing.assert_array_equal(again.values, ceiling.values)
    np.testing.assert_array_equal(again.sent_tokens, sent)
    assert kept.parts.keys() == {(setup, "bm25", (0, 7)), (setup, "late", None)}
    assert_same(kept.parts[setup, "bm25", (0, 7)], part)
    assert kept.ruled_out == {("recall@5", ruled_out)}
    assert kept.trials == {}
    assert not journal.read("other").known


def test_a_line_is_on_disk_before_the_journal_is_closed(journal: Journal) -> None:
    with journal.writing() as writer:
        writer.trial("k", measured(), 0.5)
        assert setups(journal) == ["sentence:9t+1s|headers"]


def test_trials_of_another_key_are_left_alone(journal: Journal) -> None:
    write(journal, measured("fixed:9c"), key="other")
    write(journal, measured("fixed:8c"))
    assert setups(journal) == ["fixed:8c"]
    assert setups(journal, "other") == ["fixed:9c"]
    assert setups(journal, "third") == []


def test_without_a_file_there_are_no_trials(journal: Journal) -> None:
    assert journal.trials("k") == ({}, {})
    assert not journal.path.parent.exists()


@pytest.mark.parametrize("left", [1, 40, 200])
def test_a_half_written_last_line_is_dropped(journal: Journal, left: int) -> None:
    write(journal, measured("fixed:9c"))
    whole = journal.path.read_bytes()
    write(journal, measured("fixed:8c"))
    journal.path.write_bytes(journal.path.read_bytes()[: len(whole) + left])
    assert setups(journal) == ["fixed:9c"]
    write(journal, measured("fixed:7c"))
    assert setups(journal) == ["fixed:9c", "fixed:7c"]
    data = journal.path.read_bytes()
    assert data.startswith(whole)
    assert [json.loads(line)["setup"] for line in data.splitlines()] == ["fixed:9c", "fixed:7c"]


def test_a_long_half_line_and_one_that_is_all_there_is(journal: Journal) -> None:
    write(journal, measured("fixed:9c"))
    for kept in (journal.path.read_bytes(), b""):
        journal.path.write_bytes(kept + b'{"kind": "trial", "values": [' + b"0, " * 100_000)
        write(journal, measured("fixed:8c"))
        assert setups(journal)[-1] == "fixed:8c"
        assert journal.path.read_bytes().startswith(kept)


@pytest.mark.parametrize("line", ["hello", "[1, 2]", "{}", "\ufeff{", "7", ""])
def test_what_is_no_journal_is_named_with_its_line(journal: Journal, line: str) -> None:
    write(journal, measured())
    with journal.path.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    with pytest.raises(StudyError) as caught:
        journal.trials("k")
    assert f"{journal.path}:2:" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_no_journal(journal: Journal) -> None:
    journal.path.parent.mkdir()
    journal.path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(StudyError, match=":1: not a line of a journal"):
        journal.trials("k")


def test_only_one_may_write(journal: Journal) -> None:
    pytest.importorskip("fcntl")
    with journal.writing() as writer:
        writer.trial("k", measured("fixed:9c"), 0.5)
        with pytest.raises(StudyError, match="another run is writing it"), journal.writing():
            pass
        assert setups(journal) == ["fixed:9c"]
    write(journal, measured("fixed:8c"))
    assert setups(journal) == ["fixed:9c", "fixed:8c"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    path = file / "journal.jsonl"
    with pytest.raises(StudyError, match="cannot be written") as caught, Journal(path).writing():
        pass
    assert str(path) in str(caught.value)


def test_no_figure_that_json_lacks_is_written(journal: Journal) -> None:
    write(journal, measured())
    assert "NaN" not in journal.path.read_text(encoding="utf-8")
