"""Tables: never cut inside a row; the head is repeated for the embedder, not in the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bug_reports.tools import PACKED, assert_covers, chunks
from tests.cli.conftest import Command

HEAD = "| k | v |\n|---|---|\n"
ROWS = ["| a | 1 |", "| b | 2 |", "| c | 3 |", "| d | 4 |"]


@pytest.mark.parametrize("strategy", PACKED)
def test_br_134_the_head_is_repeated(strategy: str) -> None:
    text = HEAD + "\n".join(ROWS) + "\n"
    first, second = chunks(text, f"{strategy}:40c", "a.md")
    assert first.text == first.embed_text == HEAD + "\n".join(ROWS[:2])
    assert second.text == "\n".join(ROWS[2:])
    assert (second.start, second.end) == (40, 59)
    assert second.embed_text == HEAD + second.text


@pytest.mark.parametrize("strategy", PACKED)
@pytest.mark.parametrize("notation", ["40c", "60c+20%", "60c|headers", "30t", "30t|headers|repair"])
def test_br_134_no_row_is_cut(strategy: str, notation: str) -> None:
    rows = [f"| name{at} | {at} | yes |" for at in range(30)]
    head = "| name | n | ok |\n|---|---|---|\n"
    text = f"# T\n\nAll of them:\n\n{head}" + "\n".join(rows) + "\n\nThat is all."
    found = chunks(text, f"{strategy}:{notation}", "a.md")
    assert_covers(text, found)
    size = int(notation[:2])
    for chunk in found:
        assert (chunk.tokens if "t" in notation[:3] else len(chunk.embed_text)) <= size
        for line in chunk.text.splitlines():
            assert line in text.splitlines()


@pytest.mark.parametrize("notation", ["markdown:100c", "recursive:100c", "sentence:70t"])
def test_br_136_a_head_of_two_lines(notation: str) -> None:
    head = "| Part | | |\n| a | b | c |\n|---|---|---|\n"
    text = head + "\n".join(f"| {at:02} | {at:02} | x |" for at in range(12))
    found = chunks(text, notation, "a.md")
    assert len(found) > 2
    assert all(chunk.embed_text.startswith(head) for chunk in found)
    assert not any("---" in chunk.text for chunk in found[1:])


def words_of(text: str) -> int:
    return len(text.split())


def wide_table() -> str:
    """A table with a head of 90 words, its line of dashes included, and 30 rows of 40 words."""
    head = "|" + " ".join(f"name{at}" for at in range(86)) + " | b |"
    rows = ["| " + " ".join(f"r{row}c{at}" for at in range(37)) + " | x" for row in range(30)]
    return f"{head}\n|---|---|\n" + "\n".join(rows)


@pytest.mark.parametrize("strategy", ["markdown", "recursive", "sentence"])
def test_br_137_a_wide_head_is_not_repeated(strategy: str) -> None:
    text = wide_table()
    head, dashes, *rows = text.splitlines()
    assert words_of(f"{head} {dashes}") == 90
    assert {words_of(row) for row in rows} == {40}
    found = chunks(text, f"{strategy}:100t", "a.md", counter=words_of)
    assert max(words_of(chunk.embed_text) for chunk in found) <= 100
    assert sum(head in chunk.embed_text for chunk in found) == 1
    # No slivers: a row or more a chunk, beside what the head needs.
    assert len(found) <= 31
    for chunk in found[1:]:
        assert all(line in rows for line in chunk.text.splitlines())
        # The rows keep some context, the first words of the head.
        assert chunk.embed_text.startswith("|name0 name1")


def test_br_137_a_head_that_is_not_repeated_is_told(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "wide.md"
    path.write_text(wide_table())
    done = command("chunk", path, "-s", "markdown:100w")
    assert done.status == 0
    assert "table" in done.err
    assert "table" not in command("chunk", path, "-s", "markdown:1000w").err
