"""`snapshot` and `gold`: gates that say by their status what they found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command, one_line, write_gold


@pytest.fixture
def frozen(command: Command, here: Path) -> Path:
    done = command("snapshot", "create", "docs", "-o", "frozen")
    assert done.status == 0
    assert done.out.startswith("2 documents frozen in frozen: ")
    return here / "frozen"


class TestSnapshot:
    def test_an_unchanged_one(self, command: Command, frozen: Path) -> None:
        assert command("snapshot", "verify", "frozen") == (0, "unchanged\n", "")
        assert command("snapshot", "diff", "frozen", "docs") == (0, "no difference\n", "")

    def test_a_changed_file_in_it(self, command: Command, frozen: Path) -> None:
        (frozen / "documents" / "hub.txt").write_text("other")
        done = command("snapshot", "verify", "frozen")
        assert done.status == 1
        assert done.out.startswith("changed hub.txt (")
        assert len(done.out.splitlines()) == 1

    def test_newer_documents(self, command: Command, frozen: Path, here: Path) -> None:
        (here / "docs" / "new.txt").write_text("New.")
        (here / "docs" / "lamp.md").unlink()
        done = command("snapshot", "diff", "frozen", "docs")
        assert done.status == 1
        kinds = sorted(line.split()[:2] for line in done.out.splitlines())
        assert kinds == [["added", "new.txt"], ["removed", "lamp.md"]]

    def test_it_is_not_written_over(self, command: Command, frozen: Path) -> None:
        done = command("snapshot", "create", "docs", "-o", "frozen")
        assert done.status == 2
        assert one_line(done) == "error: frozen: exists and is not empty; name a new folder"

    @pytest.mark.parametrize(
        "arguments", [["verify", "docs"], ["diff", "docs", "docs"], ["verify", "nowhere"]]
    )
    def test_no_snapshot(self, command: Command, here: Path, arguments: list[str]) -> None:
        done = command("snapshot", *arguments)
        assert done.status == 2
        assert "snapshot" in one_line(done) or "no such" in one_line(done)

    def test_a_bad_document_is_left_out_and_named(self, command: Command, here: Path) -> None:
        (here / "docs" / "broken.txt").write_bytes(b"\x00\x01\xff")
        done = command("snapshot", "create", "docs", "-o", "frozen")
        assert done.status == 3
        assert "2 documents frozen" in done.out
        assert done.err == "warning: docs/broken.txt: binary\n"

    def test_a_snapshot_is_read_like_a_folder(self, command: Command, frozen: Path) -> None:
        assert command("chunk", "frozen", "-s", "sentence:1s").out == (
            command("chunk", "docs", "-s", "sentence:1s").out
        )

    def test_a_changed_snapshot_is_not_measured(self, command: Command, frozen: Path) -> None:
        (frozen / "documents" / "hub.txt").write_text("other")
        done = command("chunk", "frozen", "-s", "sentence:1s")
        assert done.status == 2
        assert "'hub.txt' was changed since the snapshot was made" in one_line(done)


class TestGoldCheck:
    def test_all_is_well(self, command: Command, here: Path) -> None:
        done = command("gold", "check", "gold.jsonl", "docs")
        assert done.status == 0
        assert done.out.splitlines()[-1].startswith("2 questions usable, 0 left out")

    def test_a_question_that_cannot_be_used(self, command: Command, here: Path) -> None:
        write_gold(here / "gold.jsonl", ("lamp.md", "It blinks red."), ("hub.txt", "The hub hums."))
        done = command("gold", "check", "gold.jsonl", "docs")
        assert done.status == 1
        assert "question q1, reference 0: quote not found" in done.out
        assert "\n1 question usable, 1 left out; 0 references count at" in done.out

    def test_many_of_one_kind_are_counted(self, command: Command, here: Path) -> None:
        lost = [("lamp.md", f"It blinks {number} times.") for number in range(40)]
        write_gold(here / "gold.jsonl", *lost, ("hub.txt", "The hub hums."), ("no.md", "x"))
        *shown, more, summary = command("gold", "check", "gold.jsonl", "docs").out.splitlines()
        assert ["unknown document" in line for line in shown] == [False] * 5 + [True]
        assert more == "… and 35 more: 35 quote not found; --json shows them all"
        assert summary.startswith("1 question usable, 41 left out; ")
        found = json.loads(command("gold", "check", "gold.jsonl", "docs", "--json").out)
        assert len(found["problems"]) == 41

    def test_as_json(self, command: Command, here: Path) -> None:
        write_gold(here / "gold.jsonl", ("none.md", "It blinks red."), ("hub.txt", "The hub hums."))
        done = command("gold", "check", "gold.jsonl", "docs", "--json")
        assert done.status == 1
        found = json.loads(done.out)
        assert (found["usable"], found["left_out"]) == (1, 1)
        assert found["problems"][0]["question_id"] == "q1"

    def test_a_bad_line(self, command: Command, here: Path) -> None:
        (here / "gold.jsonl").write_text('{"id": "q", "question": "?", "references": [{}]}\n')
        done = command("gold", "check", "gold.jsonl", "docs")
        assert done.status == 2
        assert "gold.jsonl:1: reference 0: no column 'document_id'" in one_line(done)

    def test_a_missing_path(self, command: Command, here: Path) -> None:
        assert command("gold", "check", "none.jsonl", "docs").status == 2
        done = command("gold", "check", "gold.jsonl", "nowhere")
        assert done.status == 2
        assert "nowhere: no such file or folder" in one_line(done)
