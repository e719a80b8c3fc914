"""Overlap: it is there where it can be, in whole words or sentences, and told where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

import chunkwright as cw
from chunkwright.tuning.space import read_space
from tests.bug_reports.tools import PACKED, STRATEGIES, chunks, numbered, spans
from tests.cli.conftest import Command


@pytest.mark.parametrize("strategy", PACKED)
def test_br_070_overlap_of_whole_sentences(strategy: str) -> None:
    text = "aa. bb. cc. dd."
    assert spans(text, f"{strategy}:7c+3c") == [(0, 7), (4, 11), (8, 15)]
    assert [chunk.overlap for chunk in chunks(text, f"{strategy}:7c+3c")] == [0, 3, 3]


def test_br_070_overlap_that_is_not_there_is_told(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_text("One sentence of words here. " * 20)
    # No whole sentence fits the overlap, so neighbours share nothing.
    done = command("chunk", path, "-s", "sentence:60c+5c")
    assert done.status == 0
    assert "overlap" in done.err
    assert "share nothing" in done.err
    assert "share nothing" not in command("chunk", path, "-s", "sentence:60c+30c").err
    assert "overlap" not in command("chunk", path, "-s", "sentence:60c").err


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_071_overlap_where_no_separator_matches(strategy: str) -> None:
    assert spans("0123456789ABC", f"{strategy}:6c+2c") == [(0, 6), (4, 10), (8, 13)]


@pytest.mark.parametrize("strategy", PACKED)
@pytest.mark.parametrize("overlap", range(1, 11))
def test_br_073_overlap_starts_at_a_word(strategy: str, overlap: int) -> None:
    text = "alpha beta gamma delta"
    found = chunks(text, f"{strategy}:11c+{overlap}c")
    assert all(chunk.start == 0 or text[chunk.start - 1] == " " for chunk in found)


@pytest.mark.parametrize("strategy", PACKED)
def test_br_073_overlap_is_shortened_to_a_word(strategy: str) -> None:
    text = "alpha beta gamma delta " * 20
    found = chunks(text, f"{strategy}:40c+9c")
    assert all(text[chunk.start - 1] == " " for chunk in found[1:])
    # The last chunk takes what is left whole, and that leaves no room to share.
    assert {chunk.overlap for chunk in found[1:-1]} == {5}


def paragraphs(sentences: int) -> str:
    """Eight paragraphs of nine words."""
    words = iter(range(72))
    each = 9 // sentences
    return "\n\n".join(
        " ".join(
            " ".join(f"Word{next(words)}" if not at else f"word{next(words)}" for at in range(each))
            + "."
            for _ in range(sentences)
        )
        for _ in range(8)
    )


@pytest.mark.parametrize("strategy", PACKED)
def test_br_074_overlap_shrinks_to_what_fits(strategy: str) -> None:
    found = chunks(paragraphs(sentences=3), f"{strategy}:10w+4w")
    shared = [
        len(chunk.document.text[chunk.start : chunk.start + chunk.overlap].split())
        for chunk in found
    ]
    assert set(shared[1:]) == {3}
    assert max(len(chunk.text.split()) for chunk in found) <= 10


def test_br_074_overlap_that_fits_no_sentence_is_told(command: Command, tmp_path: Path) -> None:
    # One word would fit beside the next paragraph, but a chunk that starts with the last word of
    # a sentence is worse than one that starts clean: so nothing is shared here, and that is told.
    found = chunks(paragraphs(sentences=1), "sentence:10w+4w")
    assert [chunk.overlap for chunk in found] == [0] * 8
    path = tmp_path / "note.txt"
    path.write_text(paragraphs(sentences=1))
    done = command("chunk", path, "-s", "sentence:10w+4w")
    assert "share nothing" in done.err
    # Windows keep the overlap to the word.
    assert all(chunk.overlap for chunk in chunks(numbered(72), "fixed:10w+4w")[1:])


@pytest.mark.parametrize(
    ("size", "overlap", "named"),
    [("100", 20, "size"), (100, "20", "overlap"), ("100", "20", "size")],
)
def test_br_076_numbers_as_strings(size: int, overlap: int, named: str) -> None:
    # The notation is the way to give a setup as a string; a string is no number anywhere else.
    with pytest.raises(cw.SetupError, match=f"{named} must be a number, got '.*' \\(str\\)"):
        cw.Setup("fixed", size=size, overlap=overlap)
    assert cw.Setup.parse("fixed:100c+20c") == cw.Setup("fixed", size=100, overlap=20)


def test_br_077_defaults_fit_each_other() -> None:
    text = " ".join(f"Sentence {at} says this and that." for at in range(300))
    for setup in read_space():
        if setup.parents:
            found = chunks(text, str(setup))
            assert len({chunk.parent for chunk in found}) > 1


def test_br_077_overlap_is_checked_against_its_own_level() -> None:
    text = numbered(2000)
    for chunk in chunks(text, "fixed:200w+150w|parents=400w"):
        assert chunk.parent
        assert chunk.parent.start <= chunk.start < chunk.end <= chunk.parent.end
    with pytest.raises(cw.SetupError, match="overlap 200 must be smaller than size 128"):
        cw.Setup.parse("fixed:128w+200w|parents=400w")
