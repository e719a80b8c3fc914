"""Asking without a browser: what is found is what `search` finds, and the verdict fits it."""

from __future__ import annotations

import pytest

from chunkwright.errors import ServiceError
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.lab.ask import ask, by_first
from chunkwright.lab.asking import count, retrievers
from chunkwright.model import Document
from chunkwright.service.search import Result, search
from chunkwright.service.workspace import Recipe, Workspace
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus

SENTENCES = Recipe(Setup.parse("sentence:1s"))
TEXT = "The lamp blinks blue. The hub hums low. The door is shut. It is the end."
GOLD = GoldSet((Question("q1", "What blinks blue?", (Reference("lamp.md", 22, 39),)),))


@pytest.fixture
def workspace() -> Workspace:
    documents = [Document("lamp.md", TEXT), Document("door.md", "The door is dry.")]
    return Workspace(Corpus.of(documents), GOLD)


def test_it_finds_what_search_finds(workspace: Workspace) -> None:
    found = ask(workspace, SENTENCES, "which door", "bm25", 3)
    assert found.answer == search(workspace, SENTENCES, "which door", "bm25", 3)
    assert (found.question, found.verdict) == (None, "")


@pytest.mark.parametrize("question", ["What blinks blue?", " what  BLINKS blue?"])
def test_a_question_of_the_gold_set_has_its_verdict(workspace: Workspace, question: str) -> None:
    found = ask(workspace, SENTENCES, question, "bm25", 1)
    assert found.question is not None
    assert found.verdict.startswith("Miss: the first result with its reference whole is number ")
    rank = int(found.verdict.split(" is number ")[1].split(",")[0])
    all_of_them = ask(workspace, SENTENCES, question, "bm25", 5).answer.results
    assert all_of_them[rank - 1].text == "The hub hums low."


def test_a_question_that_cannot_be_asked_is_none_of_the_gold_set(workspace: Workspace) -> None:
    workspace.set_gold(GoldSet((Question("q1", "which door", (Reference("x.md", quote="x"),)),)))
    assert ask(workspace, SENTENCES, "which door", "bm25", 3).question is None


def test_only_a_document_that_was_added(workspace: Workspace) -> None:
    added = workspace.add_text("The lamp is new. So is the door.")
    found = ask(workspace, SENTENCES, "What blinks blue?", "bm25", 9, alone=added.id)
    assert {each.document_id for each in found.answer.results} == {added.id}
    assert (found.answer.chunks, found.question) == (2, None)
    assert not workspace.searching.locked()
    assert found.telling == frozenset()
    assert ask(workspace, SENTENCES, "is it new", "bm25", 9, added.id).telling == {"new"}


@pytest.mark.parametrize("question", ["", "x" * 20_000])
def test_what_cannot_be_asked_is_said(workspace: Workspace, question: str) -> None:
    with pytest.raises(ServiceError, match="the question"):
        ask(workspace, SENTENCES, question, "bm25", 3)


def test_near_duplicates_are_under_the_better_one(workspace: Workspace) -> None:
    def result(rank: int, again: int | None) -> Result:
        return Result(rank, 1.0, "a", 0, 1, 0, 1, 0, 1, "x", "x", (), again)

    results = (result(1, None), result(2, 1), result(3, None), result(4, 1))
    shown = [(first.rank, [each.rank for each in again]) for first, again in by_first(results)]
    assert shown == [(1, [2, 4]), (3, [])]
    overlapping = ask(workspace, Recipe(Setup.parse("fixed:20c+15c")), "lamp", "bm25", 20).answer
    groups = by_first(overlapping.results)
    assert sum(1 + len(again) for _, again in groups) == len(overlapping.results)


def test_only_what_is_installed_is_offered() -> None:
    offered = retrievers("hybrid")
    assert offered[:3] == ["hybrid", "bm25", "static"]
    assert len(set(offered)) == len(offered)
    assert "late" in retrievers("late")


@pytest.mark.parametrize("value", [None, 0, -3, 1000, 2.5, float("nan"), float("inf")])
def test_a_number_of_results_that_does_not_count(value: float | None) -> None:
    assert count(value) == 0


def test_a_number_of_results() -> None:
    assert [count(value) for value in (1, 20.0, 100)] == [1, 20, 100]
