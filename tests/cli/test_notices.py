"""What `chunk` tells of the chunks on standard error, and in its JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

from chunkwright.chunking.cut import cut, cut_parts
from chunkwright.cli.seen import Seen, seen, seen_in
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from tests.cli.conftest import Command

PAYLOAD = "QUJD" * 5000
WORDS = "It blinks blue when the hub is found. "


def notes(command: Command, setup: str, *options: str) -> list[str]:
    """The notices of `chunk docs`."""
    done = command("chunk", "docs", "-s", setup, "-o", "out.jsonl", *options)
    assert done.status == 0
    found = [line[6:] for line in done.err.splitlines() if line.startswith("note: ")]
    if "--json" not in options:
        assert told(command, setup)["notices"] == found
    return found


def told(command: Command, setup: str) -> dict[str, Any]:
    done = command("chunk", "docs", "-s", setup, "-o", "out.jsonl", "--json")
    assert done.status == 0
    found: dict[str, Any] = json.loads(done.out)
    return found


@pytest.fixture
def docs(here: Path) -> Path:
    for path in (here / "docs").iterdir():
        path.unlink()
    return here / "docs"


class TestNothingToSay:
    @pytest.mark.parametrize("setup", ["sentence:200t", "fixed:8w+2w", "sentence:200t+1s"])
    def test_where_all_is_well(self, command: Command, docs: Path, setup: str) -> None:
        (docs / "a.txt").write_text(WORDS * 9)
        (docs / "b.txt").write_text(WORDS)
        assert notes(command, setup) == []


class TestSmall:
    """BR-062."""

    def test_short_sections(self, command: Command, docs: Path) -> None:
        (docs / "a.md").write_text("\n\n".join(f"# H{n}\n\nshort {n}." for n in range(200)))
        assert notes(command, "header:500c") == [
            "chunks are small: mean 17 characters, 3 % of the size, as sections are short: 199 of "
            "200 end where one does; use 'recursive' or 'sentence' to join them, or a smaller size"
        ]
        assert notes(command, "recursive:500c") == []
        assert told(command, "header:500c")["mean_size"] == pytest.approx(16.9)

    def test_short_parents(self, command: Command, docs: Path) -> None:
        (docs / "a.md").write_text("\n\n".join(f"# H{n}\n\nshort {n}." for n in range(200)))
        (note,) = notes(command, "sentence:500t|parents=section")
        assert "as parents are short" in note

    @pytest.mark.parametrize("count", [1, 300])
    def test_short_documents_are_no_matter(self, command: Command, docs: Path, count: int) -> None:
        for number in range(count):
            (docs / f"{number}.md").write_text(f"# A\n\nshort {number}.\n\n# B\n\nshort.\n")
        assert notes(command, "header:500c") == []
        assert told(command, "header:500c")["mean_size"] is None

    def test_one_long_document_among_short_ones(self, command: Command, docs: Path) -> None:
        for number in range(99):
            (docs / f"{number}.md").write_text("short")
        (docs / "long.md").write_text(WORDS * 99)
        assert notes(command, "header:500c") == []

    @pytest.mark.parametrize("unit", "cwt")
    def test_many_short_lines_are_joined(self, command: Command, docs: Path, unit: str) -> None:
        (docs / "a.txt").write_text("\n".join(f"line {n}" for n in range(1000)))
        for strategy in ("sentence", "recursive", "markdown"):
            assert notes(command, f"{strategy}:500{unit}") == []


class TestOverlap:
    """BR-070, BR-074."""

    def test_where_no_sentence_starts_within_it(self, command: Command, docs: Path) -> None:
        (docs / "a.txt").write_text("A long one stands here. " * 3 + "Short. Some more of it here.")
        assert notes(command, "sentence:32c+8c") == [
            "overlap asked: 8 characters; achieved: mean 2 characters; 2 of 3 neighbours share "
            "nothing: 2 where no sentence starts within the overlap, or none has room"
        ]
        assert told(command, "sentence:32c+8c")["overlap"] == {
            "asked": "8 characters",
            "mean_characters": 2,
            "neighbours": 3,
            "apart_at_walls": 0,
            "apart": 2,
        }

    def test_where_sections_end(self, command: Command, docs: Path) -> None:
        (docs / "a.md").write_text(f"# A\n\n{WORDS * 4}\n\n# B\n\n{WORDS * 4}\n")
        (note,) = notes(command, "header:80c+60%")
        assert "60 % of the size; achieved: mean " in note
        assert note.endswith(": 1 where a section or a parent ends, or text was left out")

    def test_nothing_asked(self, command: Command, docs: Path) -> None:
        (docs / "a.txt").write_text(WORDS * 9)
        assert notes(command, "sentence:80c") == []
        assert told(command, "sentence:80c")["overlap"]["asked"] is None


class TestControls:
    """BR-106."""

    TEXT = "Keep calm\tand\r\ncarry\fon.\n" + "plain " * 40 + "a\x00b. c\x07d \x85 \u2028\x9b."

    def test_count_and_first_place(self, command: Command, docs: Path) -> None:
        (docs / "a.txt").write_text(WORDS)
        (docs / "b.txt").write_text(self.TEXT, newline="")
        assert notes(command, "sentence:80c+40c")[-1] == (
            "control characters: 3, the first U+0000 at 266 of b.txt; some stores refuse them: "
            "--replace-controls writes spaces instead, offsets stay"
        )
        assert self.TEXT[266] == "\0"
        assert told(command, "sentence:80c")["control_characters"] == 3

    @pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
    def test_they_are_written_as_they_are(self, command: Command, docs: Path, suffix: str) -> None:
        rows = self.rows(command, docs, suffix)
        for row in rows:
            assert row["text"] == self.TEXT[row["start"] : row["end"]]
        assert any("\0" in row["text"] for row in rows)

    @pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
    def test_or_replaced(self, command: Command, docs: Path, suffix: str) -> None:
        kept = self.rows(command, docs, suffix)
        rows = self.rows(command, docs, suffix, "--replace-controls")
        spaced = self.TEXT.translate({0: " ", 7: " ", 0x9B: " "})
        for row in rows:
            assert row["text"] == row["embed_text"] == spaced[row["start"] : row["end"]]
        assert [row["id"] for row in rows] == [row["id"] for row in kept]

    def test_in_front_matter_and_titles_too(self, command: Command, docs: Path) -> None:
        (docs / "a.md").write_text(f"---\nname: a\x01b\n---\n# Ti\x02tle\n\n{WORDS * 9}")
        (row, *_) = self.read(command, "jsonl", "--replace-controls", setup="sentence:80t|headers")
        assert row["metadata"] == {"name": "a b"}
        assert row["header"] == ["Ti tle"]
        assert row["embed_text"].startswith("[Ti tle]\n# Ti tle")

    def rows(self, command: Command, docs: Path, suffix: str, *options: str) -> list[Any]:
        (docs / "b.txt").write_text(self.TEXT, newline="")
        return self.read(command, suffix, *options)

    def read(
        self, command: Command, suffix: str, *options: str, setup: str = "sentence:80c"
    ) -> list[Any]:
        out = Path(f"out.{suffix}")
        assert command("chunk", "docs", "-s", setup, "-o", out, *options).status == 0
        if suffix == "parquet":
            return parquet.read_table(out).to_pylist()
        return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


class TestPayloads:
    """BR-148."""

    def test_what_is_left_out(self, command: Command, docs: Path) -> None:
        (docs / "a.md").write_text(f"Before ![](data:image/png;base64,{PAYLOAD}) after")
        assert notes(command, "sentence:200t") == [
            "left out of the chunks: 1 file written into the text as base64, 20,001 characters"
        ]
        assert told(command, "sentence:200t")["payloads"] == {"count": 1, "characters": 20_001}

    def test_nothing_is_left_out_where_all_is_kept(self, command: Command, docs: Path) -> None:
        (docs / "a.md").write_text(f"Before ![](data:image/png;base64,{PAYLOAD}) after")
        assert notes(command, "fixed:200c|strip=no") == []


class TestGuessedEncodings:
    TEXT = "Le café était fermé à cause de la grève. Nous avons dû chercher un autre endroit."

    def test_they_are_told(self, command: Command, docs: Path) -> None:
        (docs / "new.txt").write_text(self.TEXT, encoding="utf-8")
        for number in range(5):
            (docs / f"old{number}.txt").write_bytes(self.TEXT.encode("latin-1"))
        line = (
            "note: read by a guessed encoding: 5 documents (old0.txt as cp1252, old1.txt as "
            "cp1252, old2.txt as cp1252, …); convert to UTF-8 what is read wrong"
        )
        for arguments in (("chunk", "docs", "-s", "sentence:99t"), ("cost", "docs")):
            assert line in command(*arguments).err.splitlines()
        encodings = {f"old{number}.txt": "cp1252" for number in range(5)}
        assert told(command, "sentence:99t")["guessed_encodings"] == encodings
        assert json.loads(command("cost", "docs", "--json").out)["guessed_encodings"] == encodings

    def test_where_all_are_known(self, command: Command, docs: Path) -> None:
        (docs / "new.txt").write_text(self.TEXT, encoding="utf-8")
        assert "guessed" not in command("chunk", "docs", "-s", "sentence:99t").err
        assert told(command, "sentence:99t")["guessed_encodings"] == {}


@pytest.mark.parametrize("notation", ["sentence:90c+40c", "header:99c+20c"])
def test_parts_add_up_to_the_whole(notation: str) -> None:
    text = "".join(f"# H{n}\n\n{WORDS * (n % 5)}x\x00y {n}.\n\n" for n in range(60))
    setup, document = Setup.parse(notation), Document("a.md", text)
    whole = seen(cut(Analysis(document), setup))
    total, reached = Seen(), 0
    for part, _ in cut_parts(Analysis(document), setup, length=2000):
        total += seen(part, reached)
        reached = part.analysis.origin + int(part.spans.ends[-1])
    assert whole.controls == 60
    assert whole.first_control == total.first_control == f"U+0000 at {text.index(chr(0))} of a.md"
    for name in ("chunks", "tokens", "controls"):
        assert getattr(total, name) == getattr(whole, name), name


def test_nothing_in_nothing() -> None:
    setup = Setup.parse("sentence:9c")
    made = cut(Analysis(Document("a.txt", " \n")), setup)
    assert np.array_equal(made.spans.starts, [])
    assert seen(made) == seen_in(made.analysis.document, setup) == Seen()
