"""`chunk` and `cost`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyarrow import parquet

from chunkwright.chunking.dress import chunk
from chunkwright.sources.corpus import Corpus
from tests.cli.conftest import Command, one_line

SETUP = "sentence:30c+1s|headers|parents=section"


@pytest.fixture
def expected(here: Path) -> list[dict[str, object]]:
    return [part.to_dict() for part in chunk(Corpus.read(here / "docs"), SETUP)]


@pytest.fixture
def spoiled(here: Path) -> Path:
    (here / "docs" / "broken.txt").write_bytes(b"\x00\x01\xff\xfe\x00")
    return here


def rows_of(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


class TestChunk:
    def test_to_standard_output(self, command: Command, expected: list[dict[str, object]]) -> None:
        done = command("chunk", "docs", "-s", SETUP)
        assert done.status == 0
        assert rows_of(done.out) == expected
        notice, summary = done.err.splitlines()
        assert notice.startswith("note: overlap asked: 1 sentence; achieved: mean 0 characters; ")
        assert summary.startswith(f"2 documents → {len(expected)} chunks, mean ")

    def test_to_a_file(
        self, command: Command, here: Path, expected: list[dict[str, object]]
    ) -> None:
        done = command("chunk", "docs", "-s", SETUP, "-o", "new/out.jsonl")
        assert done.status == 0
        assert "→ new/out.jsonl" in done.out + done.err
        assert rows_of((here / "new" / "out.jsonl").read_text("utf-8")) == expected
        assert [path.name for path in (here / "new").iterdir()] == ["out.jsonl"]

    def test_to_parquet(
        self, command: Command, here: Path, expected: list[dict[str, object]]
    ) -> None:
        assert command("chunk", "docs", "-s", SETUP, "-o", "out.parquet").status == 0
        rows = parquet.read_table(here / "out.parquet").to_pylist()
        for row in rows:
            row["metadata"] = json.loads(row["metadata"])
        assert rows == expected

    def test_a_file_is_written_over(self, command: Command, here: Path) -> None:
        (here / "out.jsonl").write_text("old")
        assert command("chunk", "docs", "-s", "fixed:9c", "-o", "out.jsonl").status == 0
        assert "old" not in (here / "out.jsonl").read_text()

    def test_a_wrong_suffix(self, command: Command, here: Path) -> None:
        done = command("chunk", "docs", "-s", SETUP, "-o", "out.csv")
        assert done.status == 2
        assert one_line(done) == "error: out.csv: write to a .jsonl or a .parquet file"
        assert not (here / "out.csv").exists()

    def test_a_folder_in_the_way(self, command: Command, here: Path) -> None:
        (here / "out.jsonl").mkdir()
        done = command("chunk", "docs", "-s", SETUP, "-o", "out.jsonl")
        assert done.status == 2
        assert "is a folder" in one_line(done)

    def test_a_missing_path_leaves_nothing(self, command: Command, here: Path) -> None:
        done = command("chunk", "docs", "nowhere", "-s", SETUP, "-o", "out.jsonl")
        assert done.status == 2
        assert one_line(done) == "error: nowhere: no such file or folder; check the path"
        assert not list(here.glob("out*"))

    def test_a_bad_document_stops_nothing(self, command: Command, spoiled: Path) -> None:
        done = command("chunk", "docs", "-s", SETUP)
        assert done.status == 3
        assert {row["document_id"] for row in rows_of(done.out)} == {"hub.txt", "lamp.md"}
        assert done.err.splitlines()[0] == "warning: docs/broken.txt: binary"

    def test_a_document_that_cannot_be_cut_stops_nothing(
        self, command: Command, here: Path
    ) -> None:
        (here / "docs" / "long.md").write_text(f"# {'A long title ' * 9}\n\nText.\n")
        done = command("chunk", "docs", "-s", "sentence:20t|headers")
        assert done.status == 3
        assert {row["document_id"] for row in rows_of(done.out)} == {"hub.txt", "lamp.md"}
        assert "long.md: " in done.err
        assert "leaves no room beside the header" in done.err

    def test_an_empty_folder(self, command: Command, here: Path) -> None:
        done = command("chunk", "empty", "-s", SETUP)
        assert done.status == 2
        assert "empty" in one_line(done)

    def test_only_a_bad_document(self, command: Command, here: Path) -> None:
        (here / "bad.txt").write_bytes(b"\x00\x01\xff")
        done = command("chunk", "bad.txt", "-s", SETUP, "-o", "out.jsonl")
        assert done.status == 2
        assert "bad.txt: binary" in one_line(done)
        assert not list(here.glob("out*"))

    def test_a_bad_setup(self, command: Command, here: Path) -> None:
        done = command("chunk", "docs", "-s", "sentense:9c")
        assert done.status == 2
        assert "did you mean 'sentence'?" in one_line(done)

    def test_the_summary_as_json(self, command: Command, spoiled: Path) -> None:
        done = command("chunk", "docs", "-s", "sentence:1s", "-o", "out.jsonl", "--json")
        assert done.status == 3
        summary = json.loads(done.out)
        rows = rows_of((spoiled / "out.jsonl").read_text("utf-8"))
        assert summary["setup"] == "sentence:1s"
        assert (summary["documents"], summary["chunks"]) == (2, len(rows))
        assert summary["tokens"] == sum(row["tokens"] for row in rows)  # type: ignore[misc]
        assert summary["failures"] == [{"path": "docs/broken.txt", "reason": "binary"}]

    def test_json_without_a_file_is_refused(self, command: Command, here: Path) -> None:
        # Chunks and summary must not be mixed on one stream.
        done = command("chunk", "docs", "-s", "sentence:1s", "--json")
        assert done.status == 2
        assert done.out == ""
        assert "--json needs -o FILE" in done.err

    def test_oversize_is_told(self, command: Command, here: Path) -> None:
        (here / "docs" / "flag.txt").write_text("🇩🇪 flag", encoding="utf-8")
        done = command("chunk", "docs/flag.txt", "-s", "fixed:1c")
        assert done.status == 0
        assert done.err.startswith("warning: flag.txt: chunks over the size of 1 characters: 1, ")


class TestCost:
    def test_the_lessons_table(self, command: Command, here: Path) -> None:
        (here / "manual.txt").write_text("m" * 100_000)
        done = command("cost", "manual.txt")
        assert done.status == 0
        lines = done.out.splitlines()
        assert lines[0] == "1 document, 100,000 characters"
        head = next(line for line in lines if "ratio" in line)
        for column in ("setup", "ratio", "chunks", "stored", "extra %"):
            assert column in head
        rows = [line.split() for line in lines if line.strip().startswith("fixed")]
        chunks = head.split().index("chunks")
        assert [(row[0], row[1], row[chunks], row[-2], row[-1]) for row in rows] == [
            ("fixed:800c", "0.00", "125", "100,000", "0"),
            ("fixed:800c+80c", "0.10", "139", "111,200", "11"),
            ("fixed:800c+160c", "0.20", "156", "124,800", "25"),
            ("fixed:800c+240c", "0.30", "179", "143,200", "43"),
            ("fixed:800c+400c", "0.50", "249", "199,200", "99"),
        ]

    def test_as_json(self, command: Command, here: Path) -> None:
        done = command("cost", "docs", "-s", "fixed:20c+{0,5}c", "-s", "sentence:1s", "--json")
        assert done.status == 0
        rows = json.loads(done.out)["setups"]
        assert [row["setup"] for row in rows] == ["fixed:20c", "fixed:20c+5c", "sentence:1s"]
        assert rows[2]["chunks"] == len(chunk(Corpus.read(here / "docs"), "sentence:1s"))
        assert rows[2]["formula"] is None

    def test_a_bad_document_is_named(self, command: Command, spoiled: Path) -> None:
        done = command("cost", "docs", "-s", "sentence:1s")
        assert done.status == 3
        assert done.err.endswith("warning: docs/broken.txt: binary\n")

    @pytest.mark.parametrize(("path", "word"), [("nowhere", "no such file"), ("empty", "no files")])
    def test_nothing_to_read(self, command: Command, here: Path, path: str, word: str) -> None:
        done = command("cost", path)
        assert done.status == 2
        assert word in one_line(done)

    def test_a_header_without_room(self, command: Command, here: Path) -> None:
        done = command("cost", "docs", "-s", "sentence:3t|headers")
        assert done.status == 2
        assert "leaves no room beside the header" in one_line(done)
