"""The size: never passed, measured by the counter on what is embedded; and the minimum."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.cut import cut
from chunkwright.chunking.dress import chunk
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from tests.properties.strategies import blanked, texts

PACKING = ["sentence", "recursive", "header", "markdown"]


def one_more_without_a_space(text: str) -> int:
    """BR-058: words, and one more where no space stands before the first."""
    return len(text.split()) + (not text.startswith(" "))


def words_and_line_breaks(text: str) -> int:
    """BR-059: what is joined counts more than its parts."""
    return len(text.split()) + text.count("\n")


def utf8_bytes(text: str) -> int:
    """BR-085: one character is several."""
    return len(text.encode("utf-8"))


COUNTERS = [one_more_without_a_space, words_and_line_breaks, utf8_bytes, len]


@pytest.mark.parametrize("strategy", PACKING)
def test_stripping_does_not_make_a_chunk_larger(strategy: str) -> None:
    """BR-058."""
    found = chunk(
        Document("a.txt", "q w e r q w e r q w e r"), f"{strategy}:4t", one_more_without_a_space
    )
    assert [one_more_without_a_space(part.text) for part in found] == [4, 4, 4, 4]
    assert [part.tokens for part in found] == [4, 4, 4, 4]


@pytest.mark.parametrize("strategy", PACKING)
def test_size_is_counted_on_the_joined_text(strategy: str) -> None:
    """BR-059."""
    found = chunk(Document("a.txt", "a b c d\ne f g h"), f"{strategy}:8t", words_and_line_breaks)
    assert len(found) == 2
    assert max(words_and_line_breaks(part.text) for part in found) <= 8
    (only,) = chunk(Document("a.txt", "a b c d\ne f g h"), f"{strategy}:9t", words_and_line_breaks)
    assert only.tokens == 9


def framed_words(text: str) -> int:
    """Words between a start and an end token, as the counters of models give."""
    return len(text.split()) + 2


@pytest.mark.parametrize("strategy", PACKING)
def test_a_frame_is_counted_once_beside_a_header(strategy: str) -> None:
    found = chunk(Document("note.md", "q w e r q w e r"), f"{strategy}:7t|headers", framed_words)
    assert [part.embed_text for part in found] == ["[note]\nq w e r", "[note]\nq w e r"]
    assert [part.tokens for part in found] == [7, 7]


@pytest.mark.parametrize("strategy", PACKING)
def test_the_tail_is_not_merged_by_another_unit(strategy: str) -> None:
    """BR-206: 28 characters are over 20, however few words they are."""
    found = chunk(
        Document("a.txt", "Ten chars. Aaaa bbbbbb cccccc."), f"{strategy}:20t|min=3w", len
    )
    assert max(len(part.text) for part in found) <= 20


@pytest.mark.parametrize("strategy", PACKING)
@pytest.mark.parametrize("counter", COUNTERS)
@given(text=texts(30), size=st.integers(4, 30), overlap=st.sampled_from(["", "+20%", "+2w"]))
def test_any_counter_is_kept_to(
    strategy: str, counter: Callable[[str], int], text: str, size: int, overlap: str
) -> None:
    setup = Setup.parse(f"{strategy}:{size}t{overlap}")
    made = cut(Analysis(Document("a.txt", text)), setup, counter)
    over = [at for at in range(len(made)) if counter(made.embed_text(at)) > size]
    assert made.oversize().tolist() == over
    forbidden = set(Analysis(Document("a.txt", text)).forbidden.tolist())
    for start, end in [made.spans.pairs()[at] for at in over]:
        # Only one grapheme, with the white space that joins to it, may be over.
        inner = {at for at in range(start + 1, end) if not text[at - 1].isspace()}
        assert inner <= forbidden


@pytest.mark.parametrize("strategy", PACKING)
def test_a_character_wider_than_the_size_is_one_chunk_and_reported(strategy: str) -> None:
    """BR-085."""
    setup = Setup.parse(f"{strategy}:3t")
    made = cut(Analysis(Document("a.txt", "a🚀b")), setup, utf8_bytes)
    assert made.spans.pairs() == [(0, 1), (1, 2), (2, 3)]
    assert made.oversize().tolist() == [1]
    assert chunk(Document("a.txt", "🚀"), setup, utf8_bytes)[0].text == "🚀"


def test_nothing_else_is_reported_as_oversize() -> None:
    text = "One sentence here. Another one follows it. And a third."
    for notation in ("sentence:5t", "recursive:9c", "fixed:4t+1t", "header:2w|headers"):
        document = Document("a.txt", text, title="T")
        assert not len(cut(Analysis(document), Setup.parse(notation)).oversize())


def test_one_long_paragraph() -> None:
    """BR-052."""
    text = "x" * 60 + " " + "y" * 59
    for strategy in (*PACKING, "fixed"):
        found = chunk(Document("a.txt", text), f"{strategy}:50c")
        assert max(len(part.text) for part in found) <= 50
        assert "".join(part.text for part in found).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize("strategy", [*PACKING, "fixed"])
def test_the_last_chunk_reaches_the_minimum(strategy: str) -> None:
    """BR-146."""
    text = " ".join(f"w{number}" for number in range(31))
    found = chunk(Document("a.txt", text), f"{strategy}:10w|min=5w")
    counts = [len(part.text.split()) for part in found]
    assert sum(counts) == 31
    assert min(counts) >= 5
    assert max(counts) <= 10


@pytest.mark.parametrize("strategy", PACKING)
def test_a_tail_that_fits_is_merged(strategy: str) -> None:
    text = "Seven words stand in this first sentence. Two more."
    alone = chunk(Document("a.txt", text), f"{strategy}:8w")
    assert [len(part.text.split()) for part in alone] == [7, 2]
    merged = chunk(Document("a.txt", text), f"{strategy}:9w|min=3w")
    assert [len(part.text.split()) for part in merged] == [9]


def test_a_small_paragraph_between_large_ones_is_not_lost() -> None:
    """BR-046."""
    large = "A large paragraph is made of many words. " * 10
    small = "A small fact that must not be lost."
    text = f"{large.strip()}\n\n{small}\n\n{large.strip()}"
    for strategy in PACKING:
        found = chunk(Document("a.txt", text), f"{strategy}:450c|min=350c")
        assert any(small in part.text for part in found)
        assert sum(len(part.text.split()) for part in found) == len(text.split())


@given(texts(40), st.sampled_from(PACKING), st.integers(1, 30))
def test_a_minimum_loses_nothing_and_passes_no_limit(text: str, strategy: str, least: int) -> None:
    found = chunk(Document("a.txt", text), f"{strategy}:30c|min={least}c")
    seen = blanked(text)
    reached = 0
    for part in found:
        assert not seen[reached : part.start].strip()
        assert part.start >= reached
        reached = part.end
    assert not seen[reached:].strip()
