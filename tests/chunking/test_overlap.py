"""Overlap: there where it was asked for, inside the size, never more than asked for."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.cut import cut
from chunkwright.chunking.dress import chunk
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.spans import shared
from chunkwright.text.analysis import Analysis
from tests.properties.strategies import texts

PACKING = ["sentence", "recursive", "header", "markdown"]


def spans_of(text: str, notation: str) -> list[tuple[int, int]]:
    return [(part.start, part.end) for part in chunk(Document("a.txt", text), notation)]


@pytest.mark.parametrize("strategy", PACKING)
@pytest.mark.parametrize(
    ("text", "amounts", "expected"),
    [
        ("z" * 25, "10c+2c", [(0, 10), (8, 18), (16, 25)]),  # BR-016
        ("abcdefghijk", "10c+2c", [(0, 10), (8, 11)]),  # BR-040
        ("m" * 12, "4c", [(0, 4), (4, 8), (8, 12)]),  # BR-041
        ("0123456789ABC", "6c+2c", [(0, 6), (4, 10), (8, 13)]),  # BR-071
        ("Aa. Bb. Dd. Ee.", "7c+3c", [(0, 7), (4, 11), (8, 15)]),  # BR-070
    ],
)
def test_exact_spans(
    strategy: str, text: str, amounts: str, expected: list[tuple[int, int]]
) -> None:
    assert spans_of(text, f"{strategy}:{amounts}") == expected


@pytest.mark.parametrize("strategy", PACKING)
def test_the_overlap_is_inside_the_size(strategy: str) -> None:
    """BR-067."""
    text = " ".join(f"w{number}" for number in range(30))
    found = [part.text.split() for part in chunk(Document("a.txt", text), f"{strategy}:10w+3w")]
    edges = [(int(words[0][1:]), int(words[-1][1:]) + 1) for words in found]
    assert edges == [(0, 10), (7, 17), (14, 24), (21, 30)]


@pytest.mark.parametrize("strategy", PACKING)
@pytest.mark.parametrize("words", [7, 13, 30])
def test_a_cut_inside_a_sentence_is_overlapped(strategy: str, words: int) -> None:
    text = " ".join(f"w{number}" for number in range(words))
    spans = spans_of(text, f"{strategy}:4w+1w")
    assert all(one[1] > other[0] for one, other in itertools.pairwise(spans))


def test_the_last_cut_inside_a_sentence_is_overlapped_too() -> None:
    """BR-013: also where the rest would fit one chunk without any overlap."""
    found = {strategy: spans_of("aa bb cc", f"{strategy}:2w+1w") for strategy in PACKING}
    assert found == {key: [(0, 5), (3, 8)] for key in PACKING}


@pytest.mark.parametrize("strategy", PACKING)
def test_overlap_starts_at_a_word(strategy: str) -> None:
    """BR-073."""
    text = "alpha beta gamma delta epsilon zeta eta theta"
    for part in chunk(Document("a.txt", text), f"{strategy}:16c+7c"):
        assert part.start == 0 or text[part.start - 1] == " "
        assert part.end == len(text) or text[part.end] == " "


@given(
    texts(40),
    st.sampled_from(PACKING),
    st.sampled_from(["20c+5c", "20c+19c", "9w+3w", "9t+4t", "30c+2w", "9w+1s", "20c+30%"]),
)
def test_overlap_is_never_more_than_asked_for(text: str, strategy: str, amounts: str) -> None:
    setup = Setup.parse(f"{strategy}:{amounts}")
    analysis = Analysis(Document("a.txt", text))
    made = cut(analysis, setup)
    for (_, end), (start, _) in zip(made.spans.pairs(), made.spans.pairs()[1:], strict=False):
        common = text[start:end]
        if setup.overlap_unit == "characters":
            assert len(common) <= setup.overlap
        elif setup.overlap_unit == "percent":
            assert len(common) <= setup.size * setup.overlap / 100
        elif setup.overlap_unit == "tokens":
            assert made.counter.count(common) <= setup.overlap
        elif setup.overlap_unit == "words" and text.isascii():
            assert len(common.split()) <= setup.overlap


def test_sentences_that_leave_no_room_for_overlap_end() -> None:
    """BR-086: nine words of ten, three of them overlap."""
    text = " ".join("One two three four five six seven eight nine." for _ in range(6))
    for strategy in PACKING:
        found = chunk(Document("a.txt", text), f"{strategy}:10w+3w")
        assert max(len(part.text.split()) for part in found) <= 10
        assert len(found) < 12


def test_a_long_word_is_overlapped_without_end() -> None:
    """BR-080, BR-082: it ends, and nothing is put in."""
    for strategy in PACKING:
        found = chunk(Document("a.txt", "note " + "q" * 7000), f"{strategy}:1000c+200c")
        assert len(found) <= 11
        assert all(part.text in "note " + "q" * 7000 for part in found)


@pytest.mark.parametrize("overlap", [0, 1, 5, 9])
def test_windows_share_the_overlap(overlap: int) -> None:
    made = cut(Analysis(Document("a.txt", "x" * 100)), Setup("fixed", 10, overlap=overlap))
    assert set(shared(made.spans).tolist()) == {overlap}


@pytest.mark.parametrize("strategy", PACKING)
@pytest.mark.parametrize("overlap", [0, 1, 4, 5])
def test_hard_cuts_share_the_overlap_as_well(strategy: str, overlap: int) -> None:
    made = cut(Analysis(Document("a.txt", "x" * 100)), Setup(strategy, 10, overlap=overlap))
    assert set(shared(made.spans).tolist()[:-1]) == {overlap}
