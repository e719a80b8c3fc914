"""A batch with everything that can be wrong with a file: each is named with its reason."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from chunkwright.chunking import cost as costs
from chunkwright.chunking import dress
from chunkwright.model import Document
from chunkwright.text.analysis import Analysis
from tests.cli.conftest import Command

FRENCH = "Le café était fermé à cause de la grève. Nous avons dû chercher un autre endroit.\n"
GERMAN = "Die Gerätetür öffnet sich nicht. Bitte prüfen Sie die Stromversorgung.\n"
LIMIT = "0.05"
REASONS = {
    "docs/binary.txt": "binary",
    "docs/empty.md": "empty",
    "docs/huge.txt": "50,000 MB, but the limit is 50,000 bytes; split it, or raise the limit",
    "docs/latin-1-short.txt": "not UTF-8 (byte 3); convert it",
    "docs/lies.txt": "not UTF-8 as its byte order mark says (byte 4); convert it to UTF-8",
    "docs/loop-a.md": "broken or circular link",
    "docs/loop-b.md": "broken or circular link",
    "docs/no-mark.txt": "binary, or UTF-16 without a byte order mark; convert it to UTF-8",
    "docs/out.md": "link that leaves the folder; name its target to read it",
    "docs/outside": "link that leaves the folder; name its target to read it",
    "docs/page.html": "empty: a page without text",
    "docs/pipe.md": "not a regular file",
    "docs/round": "link to a folder above it",
    "docs/space.txt": "empty",
}
GOOD = {"hub.txt", "lamp.md", "latin-1.txt", "utf-16.txt", "utf-8-mark.txt"}
ANSWERS = ["-g", "gold.jsonl"]
COMMANDS = {
    "chunk": ["chunk", "docs", "-s", "sentence:1s", "-o", "out.jsonl"],
    "cost": ["cost", "docs", "-s", "sentence:1s"],
    "eval": ["eval", "docs", *ANSWERS, "-s", "sentence:{1,2}s", "--retriever", "bm25"],
    "tune": ["tune", "docs", *ANSWERS, "--space", "sentence:{1,2}s", "--retriever", "bm25"],
    "snapshot": ["snapshot", "create", "docs", "-o", "frozen"],
    "gold": ["gold", "check", "gold.jsonl", "docs"],
}

posix_only = pytest.mark.skipif(os.name == "nt", reason="needs links, pipes and sparse files")


@pytest.fixture
def spoiled(here: Path) -> Path:
    """`here` with a file of every kind that cannot be read, and of every kind that can."""
    docs = here / "docs"
    (docs / "binary.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xd8\xff")
    (docs / "empty.md").touch()
    (docs / "space.txt").write_text(" \n\t\n")
    (docs / "page.html").write_text("<script>let x = 1</script>")
    with (docs / "huge.txt").open("wb") as file:
        file.truncate(50_000_000_000)
    (docs / "latin-1.txt").write_bytes(FRENCH.encode("latin-1"))
    (docs / "latin-1-short.txt").write_bytes("café".encode("latin-1"))
    (docs / "utf-16.txt").write_bytes(GERMAN.encode("utf-16"))
    (docs / "utf-8-mark.txt").write_bytes(GERMAN.encode("utf-8-sig"))
    (docs / "no-mark.txt").write_bytes(GERMAN.encode("utf-16-le"))
    (docs / "lies.txt").write_bytes(b"\xef\xbb\xbfa\xff")
    (docs / "loop-a.md").symlink_to("loop-b.md")
    (docs / "loop-b.md").symlink_to("loop-a.md")
    (docs / "round").symlink_to(docs)
    (here / "secret").mkdir()
    (here / "secret" / "secret.md").write_text("secret")
    (docs / "out.md").symlink_to("../secret/secret.md")
    (docs / "outside").symlink_to("../secret")
    os.mkfifo(docs / "pipe.md")
    (docs / "photo.png").write_bytes(b"\x89PNG")
    if os.geteuid():  # root may read anything
        (docs / "locked.txt").write_text("locked")
        (docs / "locked.txt").chmod(0)
    return here


def expected() -> dict[str, str]:
    locked = {"docs/locked.txt": "cannot be read: Permission denied"} if os.geteuid() else {}
    return {**REASONS, **locked}


@posix_only
@pytest.mark.parametrize("name", COMMANDS)
class TestBatch:
    def test_each_bad_file_is_named_and_the_rest_is_done(
        self, command: Command, spoiled: Path, name: str
    ) -> None:
        done = command(*COMMANDS[name], "--max-file-size", LIMIT, "--json")
        assert done.status == 3
        found = {each["path"]: each["reason"] for each in json.loads(done.out)["failures"]}
        assert found.keys() == expected().keys()
        for path, reason in expected().items():
            assert found[path].startswith(reason), path
        assert json.loads(done.out)["skipped"] == ["docs/photo.png"]

    def test_the_first_are_shown_and_the_others_counted(
        self, command: Command, spoiled: Path, name: str
    ) -> None:
        done = command(*COMMANDS[name], "--max-file-size", LIMIT)
        assert done.status == 3
        assert "Traceback" not in done.err
        lines = [line for line in done.err.splitlines() if line.startswith("warning: ")]
        first = list(expected().items())[:5]
        for line, (path, reason) in zip(lines, first, strict=False):
            assert line.startswith(f"warning: {path}: {reason}")
        rest = len(expected()) - 5
        assert lines[5].startswith(f"warning: {rest} more failed (--json lists all): ")
        assert "2 link that leaves the folder" in lines[5]
        assert len(lines) == 6
        assert "skipped, as their type is not read yet: 1 .png\n" in done.err


@posix_only
class TestWhatIsDone:
    def test_good_files_are_read_right(self, command: Command, spoiled: Path) -> None:
        command(*COMMANDS["chunk"], "--max-file-size", LIMIT)
        rows = [json.loads(line) for line in (spoiled / "out.jsonl").read_text().splitlines()]
        assert {row["document_id"] for row in rows} == GOOD
        texts = {
            document: " ".join(row["text"] for row in rows if row["document_id"] == document)
            for document in GOOD
        }
        assert texts["latin-1.txt"] == FRENCH.strip()
        assert texts["utf-16.txt"].strip("\ufeff") == GERMAN.strip()
        assert texts["utf-8-mark.txt"].strip("\ufeff") == GERMAN.strip()

    def test_a_snapshot_holds_the_good_files(self, command: Command, spoiled: Path) -> None:
        command(*COMMANDS["snapshot"], "--max-file-size", LIMIT)
        assert {path.name for path in (spoiled / "frozen" / "documents").iterdir()} == GOOD
        assert command("snapshot", "verify", "frozen").status == 0

    def test_the_limit_can_be_set_for_all_commands(
        self, command: Command, here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CHUNKWRIGHT_MAX_FILE_SIZE", "0.00003")
        done = command("chunk", "docs", "-s", "sentence:1s")
        assert done.status == 3
        assert "docs/lamp.md: 42 bytes, but the limit is 30 bytes" in done.err

    def test_a_question_about_an_unreadable_document_says_both(
        self, command: Command, here: Path
    ) -> None:
        (here / "docs" / "lamp.md").write_bytes(b"\x00\xff")
        done = command("gold", "check", "gold.jsonl", "docs")
        assert done.status == 1
        assert "warning: docs/lamp.md: binary" in done.err

    def test_a_document_that_became_unreadable_is_a_difference_with_its_reason(
        self, command: Command, here: Path
    ) -> None:
        command("snapshot", "create", "docs", "-o", "frozen")
        (here / "docs" / "lamp.md").write_bytes(b"\x00\xff")
        done = command("snapshot", "diff", "frozen", "docs")
        assert done.status == 1
        assert "removed lamp.md" in done.out
        assert "warning: docs/lamp.md: binary" in done.err


class Panic(BaseException):
    """As compiled parts raise it: no `Exception`."""


def fail(kind: type[BaseException]) -> NoReturn:
    raise kind("out of\nluck")


@pytest.fixture(params=[RecursionError, MemoryError, KeyError, Panic])
def faulty(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[BaseException]:
    """Makes the cutting of one document end in an error that nobody foresaw."""
    kind: type[BaseException] = request.param

    def broken(original: Any) -> Any:
        def cuts(analysis: Analysis, *others: Any) -> Any:
            document: Document = analysis.document
            return fail(kind) if document.id == "hub.txt" else original(analysis, *others)

        return cuts

    monkeypatch.setattr(dress, "cut_parts", broken(dress.cut_parts))
    monkeypatch.setattr(costs, "cut", broken(costs.cut))
    return kind


class TestFaults:
    """Invariant 9: one bad document never kills a batch."""

    def test_chunk(self, command: Command, here: Path, faulty: type[BaseException]) -> None:
        done = command("chunk", "docs", "-s", "sentence:1s")
        assert done.status == 3
        assert {json.loads(line)["document_id"] for line in done.out.splitlines()} == {"lamp.md"}
        assert done.err.startswith(f"warning: hub.txt: fault in chunkwright ({faulty.__name__}: ")
        assert "luck" in done.err.splitlines()[0]
        assert "Traceback" not in done.err

    def test_cost(self, command: Command, here: Path, faulty: type[BaseException]) -> None:
        done = command("cost", "docs", "-s", "sentence:{1,2}s", "--json")
        assert done.status == 3
        found = json.loads(done.out)
        assert [row["characters"] for row in found["setups"]] == [42, 42]
        assert [each["path"] for each in found["failures"]] == ["hub.txt"]

    def test_all_of_them(self, command: Command, here: Path, faulty: type[BaseException]) -> None:
        for name in ("chunk", "cost"):
            done = command(name, "docs/hub.txt", "-s", "sentence:1s")
            assert done.status == 2
            assert "hub.txt: fault in chunkwright" in done.err
            assert "Traceback" not in done.err

    def test_debug_shows_where(
        self, here: Path, faulty: type[BaseException], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from chunkwright.cli.app import run

        monkeypatch.setenv("CHUNKWRIGHT_DEBUG", "1")
        monkeypatch.setattr(sys, "argv", ["chunkwright", "chunk", "docs", "-s", "sentence:1s"])
        with pytest.raises(faulty):
            run()

    @pytest.mark.parametrize(("kind", "status"), [(KeyboardInterrupt, 130), (OSError, 2)])
    def test_what_is_not_the_documents_fault_ends_the_run(
        self,
        command: Command,
        here: Path,
        monkeypatch: pytest.MonkeyPatch,
        kind: type[BaseException],
        status: int,
    ) -> None:
        monkeypatch.setattr(dress, "cut_parts", lambda *_: fail(kind))
        assert command("chunk", "docs", "-s", "sentence:1s", "-o", "out.jsonl").status == status
        assert not [path for path in here.iterdir() if "out" in path.name]

    def test_a_fault_beside_the_documents_is_one_line(
        self, command: Command, here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from chunkwright.cli import documents

        monkeypatch.setattr(documents, "facts", lambda *_: fail(KeyError))
        done = command("chunk", "docs", "-s", "sentence:1s", "-o", "out.jsonl", "--json")
        assert done.status == 2
        assert done.err.startswith("error: fault in chunkwright (KeyError: ")
        assert len(done.err.splitlines()) == 1


def test_hundreds_of_failures_stay_readable_and_can_all_be_found(
    command: Command, here: Path
) -> None:
    for number in range(300):
        (here / "docs" / f"{number:03}.md").write_text("" if number % 3 else "a\0")
    done = command("chunk", "docs", "-s", "sentence:1s", "-o", "out.jsonl")
    assert done.status == 3
    assert len(done.err.splitlines()) == 6
    assert done.err.splitlines()[5] == (
        "warning: 295 more failed (--json lists all): 197 empty, 98 binary, or UTF-16 without a "
        "byte order mark"
    )
    done = command("chunk", "docs", "-s", "sentence:1s", "-o", "out.jsonl", "--json")
    assert len(json.loads(done.out)["failures"]) == 300
