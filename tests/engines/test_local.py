"""Documents cut in this process or in several: the same events in the same order."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

from chunkwright.chunking import cut as cuts
from chunkwright.chunking.dress import chunk
from chunkwright.engines.columns import json_lines
from chunkwright.engines.faults import reason
from chunkwright.engines.local import Done, Handled, Part, chunk_documents
from chunkwright.errors import SetupError, SourceError
from chunkwright.model import Document
from chunkwright.processes import WorkerError
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus, iter_sources
from chunkwright.sources.files import Failure
from chunkwright.sources.snapshot import create

SETUP = Setup.parse("sentence:20t+1s|headers|parents=section")
FRENCH = "Le café était fermé à cause de la grève. Nous avons dû chercher un autre endroit.\n"


def lines(part: Part) -> bytes:
    return json_lines(part.dressed)


def places(part: Part) -> tuple[int, int, bool]:
    return part.dressed.index, part.reached, part.first


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for at in range(12):
        text = f"# Lamp {at}\n\n" + f"It blinks {at} times. It costs {at} euros.\n\n" * (at * at)
        (folder / f"{at:02}.md").write_text(text)
    (folder / "03.md").write_bytes(b"\x00\xff")
    (folder / "05.md").write_text(f"# {'A long title ' * 9}\n\nText.\n")
    (folder / "07.txt").write_bytes(FRENCH.encode("latin-1"))
    (folder / "09.png").touch()
    return folder


def events(source: Any, jobs: int, handle: Any = lines) -> list[Any]:
    return list(chunk_documents(iter_sources(source), SETUP, handle, jobs))


def test_the_events_of_two_jobs_are_those_of_one(docs: Path) -> None:
    alone = events(docs, 1)
    assert events(docs, 2) == alone
    kinds = [type(each) for each in alone]
    assert kinds.count(Failure) == 3
    assert kinds.count(Done) == kinds.count(Handled) == 11
    failures = [each.path.rsplit("/")[-1] for each in alone if isinstance(each, Failure)]
    assert failures == ["03.md", "05.md", "09.png"]
    assert [each.encoding for each in alone if isinstance(each, Done)].count("cp1252") == 1


def test_the_chunks_are_those_of_the_library(docs: Path) -> None:
    found = b"".join(each.value for each in events(docs, 1) if isinstance(each, Handled))
    documents = [each for each in Corpus.read(docs) if each.id != "05.md"]
    ids = [each.id for each in chunk(documents, SETUP)]
    assert [line.split(b'"')[3].decode() for line in found.splitlines()] == ids


def test_a_snapshot(docs: Path, tmp_path: Path) -> None:
    create(Corpus.read(docs), tmp_path / "frozen")
    assert events(tmp_path / "frozen", 2) == events(tmp_path / "frozen", 1)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_problem_of_the_sources_comes_in_its_turn(docs: Path, tmp_path: Path, jobs: int) -> None:
    (tmp_path / "00.md").write_text("Another one.")
    found: list[Any] = []
    sources = iter_sources([docs, tmp_path / "00.md"])
    with pytest.raises(SourceError, match=r"are both document '00\.md'"):
        found.extend(chunk_documents(sources, SETUP, lines, jobs))
    assert found == events(docs, 1)


def test_a_long_document_comes_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuts.cut_parts, "__defaults__", (None, 4000))
    document = Document("a.txt", "A sentence is here. " * 900)
    *parts, done = chunk_documents([document], Setup.parse("sentence:100c"), places)
    assert done == Done("a.txt", "")
    assert len(parts) > 3
    indices, reached, firsts = zip(*(part.value for part in parts), strict=True)
    assert firsts == (True, *[False] * (len(parts) - 1))
    assert reached[0] == 0
    assert list(indices) == sorted(set(indices))
    assert list(reached) == sorted(set(reached))


@pytest.mark.parametrize(
    "notation", ["sentence:20t+1s|headers|parents=section", "recursive:90c|repair"]
)
def test_memory_holds_one_part(monkeypatch: pytest.MonkeyPatch, notation: str) -> None:
    monkeypatch.setattr(cuts.cut_parts, "__defaults__", (None, 4000))
    seen: list[weakref.ref[Any]] = []
    living = []

    def watch(part: Part) -> None:
        analysis = part.cut.analysis
        part.cut.tokens()
        living.append(sum(each() is not None for each in seen))
        seen.append(weakref.ref(analysis))

    text = "# Part\n\n" + "It is here. A sentence follows, too. " * 900
    documents = [Document(name, text) for name in ("a.md", "b.md")]
    gc.collect()
    gc.disable()  # what holds itself would wait for it, with all its arrays
    try:
        list(chunk_documents(documents, Setup.parse(notation), watch))
    finally:
        gc.enable()
    assert len(living) > 6
    assert not any(living)


def test_a_fault_tells_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuts.cut_parts, "__defaults__", (None, 4000))

    def fails_late(part: Part) -> None:
        if part.reached > 5000:
            raise SetupError("no\nmore")

    document = Document("a.txt", "A sentence is here. " * 900)
    *parts, failure = chunk_documents([document], Setup.parse("sentence:100c"), fails_late)
    assert all(isinstance(part, Handled) for part in parts)
    assert isinstance(failure, Failure)
    assert failure.reason.startswith("no more [its chunks up to character ")


@pytest.mark.parametrize("kind", [OSError, KeyboardInterrupt, WorkerError])
def test_what_is_no_documents_fault_is_raised(kind: type[BaseException]) -> None:
    with pytest.raises(kind):
        reason(kind())
