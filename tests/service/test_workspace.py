"""A workspace that several threads use at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from chunkwright.chunking.cut import Cut
from chunkwright.errors import SourceError
from chunkwright.model import Document
from chunkwright.service import workspace as module
from chunkwright.service.workspace import Recipe, Workspace
from chunkwright.setup import Setup
from chunkwright.sources import files
from chunkwright.text.analysis import Analysis

THREADS = 8
RECIPE = Recipe(Setup.parse("sentence:1s"))


def at_once(ask: Callable[[int], Any]) -> list[Any]:
    ready = Barrier(THREADS)

    def asked(number: int) -> Any:
        ready.wait(10)
        return ask(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(asked, range(THREADS)))


# What is added


def test_one_name_at_once_is_a_name_for_each(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*arguments: Any) -> Document | files.Failure:
        found = files.read_file(*arguments)
        time.sleep(0.05)  # so that all have read before the first is kept
        return found

    monkeypatch.setattr(module, "read_file", slow)
    sent = [f"Text {number % 4}." for number in range(THREADS)]
    kept = at_once(lambda number: workspace.add_file("new.md", sent[number].encode()))
    assert [document.text for document in kept] == sent
    names = {document.id for document in kept}
    assert len(names) == 4  # the same text is the same document
    assert "new.md" in names
    for name in names:
        assert workspace.is_added(name)
    for document in kept:
        assert workspace.document(document.id) == document


def test_a_file_again_is_the_same_document(workspace: Workspace) -> None:
    first = workspace.add_file("new.md", b"One.")
    assert workspace.add_file("new.md", b"One.") is first
    other = workspace.add_file("new.md", b"Two.")
    assert other.id.startswith("new-")
    assert other.id.endswith(".md")
    assert workspace.add_file("new.md", b"Two.") is other
    assert workspace.add_file("new.md", b"One.") is first


def test_a_name_of_the_corpus_is_taken(workspace: Workspace) -> None:
    there = workspace.document("lamp.md")
    added = workspace.add_file("lamp.md", there.text.encode())
    assert added.id != "lamp.md"
    assert workspace.document("lamp.md") is there
    assert not workspace.is_added("lamp.md")


def test_a_name_that_was_made_up_may_be_taken(workspace: Workspace) -> None:
    workspace.add_file("new.md", b"One.")
    made_up = workspace.add_file("new.md", b"Two.").id
    fresh = Workspace(workspace.corpus)
    fresh.add_file("new.md", b"One.")
    fresh.add_file(made_up, b"Something else.")
    two = fresh.add_file("new.md", b"Two.")
    assert two.text == "Two."
    assert two.id not in ("new.md", made_up)


# What is made


def test_chunks_are_made_once(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    real = module.made

    def slow(analysis: Analysis, recipe: Recipe) -> Cut:
        made.append(analysis.document.id)
        time.sleep(0.02)
        return real(analysis, recipe)

    monkeypatch.setattr(module, "made", slow)
    assert len(set(map(id, at_once(lambda _: workspace.pool(RECIPE))))) == 1
    assert sorted(made) == [document.id for document in workspace.documents]
    made.clear()
    assert len(set(map(id, at_once(lambda _: workspace.cut("lamp.md", RECIPE))))) == 1
    assert made == ["lamp.md"]
    assert len(set(map(id, at_once(lambda _: workspace.findings("lamp.md", RECIPE))))) == 1
    assert made == ["lamp.md"]


def test_questions_are_checked_once(workspace: Workspace) -> None:
    assert len(set(map(id, at_once(lambda _: workspace.usable)))) == 1


def test_what_cannot_be_made_blocks_nothing(workspace: Workspace) -> None:
    for _ in range(2):
        with pytest.raises(SourceError, match=r"gone\.md"):
            workspace.cut("gone.md", RECIPE)
    assert len(workspace.cut("lamp.md", RECIPE)) > 1
