"""Size limit: no chunk is over the size, as it is embedded, and none is needlessly small."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

import chunkwright as cw
from tests.bug_reports.tools import PACKED, STRATEGIES, assert_covers, chunks, numbered, texts
from tests.cli.conftest import Command

PARAGRAPH = (
    "The lamp on the desk was left on all night and in the morning it was " + "still warm " * 5
)


def words_of(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("text", [PARAGRAPH[:120], "x" * 120])
def test_br_052_what_has_no_separator_is_cut_finer(text: str, strategy: str, name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cw.chunk(cw.Document(name, text), f"{strategy}:50c")
    assert_covers(text, found)
    assert max(len(chunk.text) for chunk in found) <= 50


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("made", [cw.chunk, lambda *given: list(cw.chunk_iter(*given))])
def test_br_052_what_cannot_be_cut_warns_or_raises(
    strategy: str, made: Callable[..., list[cw.Chunk]]
) -> None:
    document = cw.Document("a.txt", "Go 👩‍🚀 go")
    with pytest.warns(cw.OversizeWarning):
        assert "👩‍🚀" in [chunk.text for chunk in made(document, f"{strategy}:2c")]
    with warnings.catch_warnings():
        warnings.simplefilter("error", cw.OversizeWarning)
        with pytest.raises(cw.OversizeWarning):
            made(document, f"{strategy}:2c")


def test_br_052_one_warning_a_document() -> None:
    documents = [cw.Document(name, "👩‍🚀 go " * 50) for name in ("a.txt", "b.txt")]
    with pytest.warns(cw.OversizeWarning) as told:
        cw.chunk(documents, "recursive:2c")
    assert len(told) == 2
    assert "50" in str(told[0].message)
    assert "a.txt" in str(told[0].message)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_053_no_punctuation_at_all(strategy: str) -> None:
    found = texts(numbered(400), f"{strategy}:64w")
    assert len(found) >= 7
    assert max(map(words_of, found)) <= 64


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("options", ["", "|parents=900c", "|parents=900c|headers|repair"])
def test_br_055_the_size_holds_inside_every_strategy(strategy: str, options: str) -> None:
    text = "\n".join(f"key{at}: value{at}" for at in range(200))
    found = chunks(text, f"{strategy}:300c{options}")
    assert_covers(text, found)
    assert max(len(chunk.embed_text) for chunk in found) <= 300
    for chunk in found:
        # Two stages keep offsets into the document: a parent is a wider span of the same text.
        if chunk.parent:
            assert text[chunk.parent.start : chunk.parent.end].count(chunk.text) == 1
            assert chunk.parent.end - chunk.parent.start <= 900


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("body", range(5, 40))
def test_br_056_the_header_is_counted(strategy: str, body: int) -> None:
    text = f"# One two three four five\n\n{numbered(body)}."
    found = chunks(text, f"{strategy}:20w|headers", "a.md")
    assert all(chunk.embed_text.startswith("[One two three four five]") for chunk in found)
    assert max(words_of(chunk.embed_text) for chunk in found) <= 20


@pytest.mark.parametrize("strategy", PACKED)
@pytest.mark.parametrize("body", range(1, 30))
def test_br_056_the_header_is_counted_in_tokens(strategy: str, body: int) -> None:
    text = f"# Heading of five tokens\n\n{numbered(body)}."
    found = chunks(text, f"{strategy}:30t|headers", "a.md")
    assert max(chunk.tokens for chunk in found) <= 30


def spaced_words(text: str) -> int:
    """A word costs one, and the first one more without a space before it."""
    return len(text.split()) + (not text.startswith(" "))


@pytest.mark.parametrize("strategy", PACKED)
@pytest.mark.parametrize("text", [" q w e r", " q w e r t y u i o p", "q w e r t y u"])
def test_br_058_size_is_measured_after_trimming(strategy: str, text: str) -> None:
    found = chunks(text, f"{strategy}:4t", counter=spaced_words)
    assert_covers(text, found)
    assert max(spaced_words(chunk.embed_text) for chunk in found) <= 4


def words_and_breaks(text: str) -> int:
    return len(text.split()) + text.count("\n")


@pytest.mark.parametrize("strategy", PACKED)
def test_br_059_the_whole_counts_more_than_its_parts(strategy: str) -> None:
    text = "a b c d\ne f g h"
    assert texts(text, f"{strategy}:8t", counter=words_and_breaks) == ["a b c d", "e f g h"]
    assert texts(text, f"{strategy}:9t", counter=words_and_breaks) == [text]


def lines_of(characters: int, count: int) -> str:
    """Lines of a length, each a sentence."""
    return "\n".join(f"Line {at:03} ".ljust(characters - 1, "x") + "." for at in range(count))


@pytest.mark.parametrize("strategy", PACKED)
def test_br_061_the_limit_is_looked_at_before_adding(strategy: str) -> None:
    text = lines_of(30, 10)
    found = texts(text, f"{strategy}:100c")
    assert [len(part.splitlines()) for part in found] == [3, 3, 3, 1]
    assert max(map(len, found)) <= 100


@pytest.mark.parametrize("strategy", PACKED)
def test_br_062_short_lines_are_merged(strategy: str) -> None:
    text = "\n".join(f"line {at}" for at in range(1000))
    found = texts(text, f"{strategy}:500c")
    assert sum(map(len, found)) / len(found) > 250


def test_br_062_a_mean_far_below_the_size_is_told(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "short.md"
    path.write_text("".join(f"# Part {at}\n\nShort.\n\n" for at in range(50)))
    done = command("chunk", path, "-s", "header:500c", "-o", tmp_path / "out.jsonl")
    assert done.status == 0
    assert "3 % of the size" in done.err
    path.write_text("This is a sentence of some words. " * 50)
    assert "of the size" not in command("chunk", path, "-s", "header:500c").err


@pytest.mark.parametrize("strategy", PACKED)
def test_br_064_no_two_neighbours_fit_together(strategy: str) -> None:
    found = chunks(lines_of(20, 50), f"{strategy}:500c")
    assert len(found) == 3  # 23 lines with their breaks are 482 characters
    for before, after in pairwise(found):
        assert after.end - before.start > 500


NESTED = '{"aaaa":{"bbbb":{"cccc":"dddddddddddddddd"}}}'


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("notation", ["20c", "20c+5c", "30c|headers"])
def test_br_065_nested_data_keeps_to_the_size(strategy: str, notation: str) -> None:
    # A chunk is a span, so no path is added to it but the header, and that is counted.
    found = chunks(NESTED, f"{strategy}:{notation}", "data.json")
    assert_covers(NESTED, found)
    assert max(len(chunk.embed_text) for chunk in found) <= int(notation[:2])


def test_br_065_a_header_that_cannot_fit_is_named() -> None:
    document = cw.Document("data.json", NESTED, title="aaaa bbbb cccc")
    with pytest.raises(cw.SetupError, match=re.escape("'[aaaa bbbb cccc]' of data.json")):
        cw.chunk(document, "recursive:10c|headers")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_067_overlap_is_inside_the_size(strategy: str) -> None:
    found = chunks(numbered(30), f"{strategy}:10w+3w")
    words = [[int(word[1:]) - 1 for word in chunk.text.split()] for chunk in found]
    assert [(part[0], part[-1] + 1) for part in words] == [(0, 10), (7, 17), (14, 24), (21, 30)]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", ["a.md", "a.txt"])
def test_br_068_what_fits_is_not_cut(strategy: str, name: str) -> None:
    text = "Hi all. No dot at the end"
    assert texts(text, f"{strategy}:1000c", name) == [text]
    assert texts(text, f"{strategy}:1000c+200c", name) == [text]
