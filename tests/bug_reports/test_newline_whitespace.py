"""Line ends and white space: any kind of line end, one rule for trimming."""

from __future__ import annotations

from pathlib import Path

import pytest

import chunkwright as cw
from chunkwright.text.analysis import Analysis
from tests.bug_reports.tools import STRATEGIES, chunks, spans, texts


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("from_file", [False, True])
def test_br_109_headings_with_any_line_end(newline: str, from_file: bool, tmp_path: Path) -> None:
    text = newline.join(["# A", "text", "## B", "more"])
    document = cw.Document("a.md", text)
    if from_file:
        (tmp_path / "a.md").write_bytes(text.encode())
        (document,) = cw.Corpus.read(tmp_path / "a.md")
    first, second = cw.chunk(document, "header:100c")
    assert (first.header, second.header) == (("A",), ("A", "B"))
    assert first.text == f"# A{newline}text"
    assert second.text == f"## B{newline}more"
    assert second.start == text.index("## B")


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_br_110_front_matter_with_any_line_end(newline: str) -> None:
    text = newline.join(["---", "title: X", "---", "Body"])
    (chunk,) = chunks(text, "header:100c", "a.md")
    assert (chunk.text, chunk.end) == ("Body", len(text))
    assert chunk.metadata["title"] == "X"
    assert [part.level for part in Analysis(cw.Document("a.md", text)).sections] == [0]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_112_one_rule_for_trimming(strategy: str) -> None:
    text = "no incomprehensibly\ngo"
    for size in range(1, 12):
        assert all(part == part.strip() for part in texts(text, f"{strategy}:{size}c"))
        assert "".join(texts(text, f"{strategy}:{size}c|strip=no")) == text


@pytest.mark.parametrize("notation", ["sentence:1s", "recursive:4c", "header:1s", "markdown:4c"])
def test_br_113_line_breaks_are_no_sentences(notation: str) -> None:
    assert spans("One.\n\n\nTwo.", notation) == [(0, 4), (7, 11)]
    assert texts("One.\n\n\nTwo.", "sentence:1s|strip=no") == ["One.\n\n\n", "Two."]
