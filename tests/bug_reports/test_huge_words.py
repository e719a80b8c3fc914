"""Huge words: a file written into the text says nothing, and is not embedded."""

from __future__ import annotations

from pathlib import Path

import pytest

import chunkwright as cw
from tests.bug_reports.tools import STRATEGIES, chunks, texts
from tests.cli.conftest import Command

START = "Before ![](data:image/png;base64,"
IMAGE = START + "iVBORw0KGgoAAAAN" * 3125 + ") after"


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("amount", ["1000c", "1000c+200c", "100t", "100w", "100000c"])
def test_br_148_a_picture_in_the_text_is_left_out(strategy: str, amount: str, name: str) -> None:
    found = chunks(IMAGE, f"{strategy}:{amount}", name)
    assert len(found) == 2
    first, last = found
    assert first.text.startswith("Before")
    assert (first.start, last.end) == (0, len(IMAGE))
    assert last.text == "after"
    assert IMAGE[last.start : last.end] == last.text
    assert "iVBORw0KGgo" not in "".join(chunk.embed_text for chunk in found)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_148_it_stays_where_it_is_asked_for(strategy: str) -> None:
    found = texts(IMAGE, f"{strategy}:1000c|strip=no", "a.md")
    assert "".join(found) == IMAGE
    assert max(map(len, found)) <= 1000


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_148_other_long_words_are_kept(strategy: str) -> None:
    word = "iVBORw0KGgoAAAAN" * 100
    assert sum(map(len, texts(f"Key {word} end", f"{strategy}:200c"))) >= len(word)
    short = "See data:image/png;base64,iVBORw0KGgo= there"
    assert texts(short, f"{strategy}:200c") == [short]


def test_br_148_what_is_left_out_is_told(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text(IMAGE)
    done = command("chunk", path, "-s", "recursive:1000c")
    assert done.status == 0
    assert "left out" in done.err
    assert "base64" in done.err
    assert "base64" not in command("chunk", path, "-s", "recursive:1000c|strip=no").err
    assert len(cw.Corpus.read(path).documents[0].text) == len(IMAGE)
