"""`sentence`: whole sentences, as many as fit."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.dress import chunk
from chunkwright.model import Document


def spans_of(text: str, notation: str) -> list[tuple[int, int]]:
    return [(part.start, part.end) for part in chunk(Document("a.txt", text), notation)]


@pytest.mark.parametrize(
    ("text", "notation", "expected"),
    [
        ("Stop. Wait. Stop.", "sentence:1s", [(0, 5), (6, 11), (12, 17)]),  # BR-002
        ("Red fox ran.  It hid.", "sentence:1s", [(0, 12), (14, 21)]),  # BR-004
        ("First line.\nSecond line.", "sentence:2s", [(0, 24)]),  # BR-011
        ("A1.B2.C3.", "sentence:3s+1s", [(0, 9)]),  # BR-038
        ("One cat. Two dogs.", "sentence:99c", [(0, 18)]),  # BR-049
        ("Hi all. No dot at the end", "sentence:1000c", [(0, 25)]),  # BR-068
        ("Aa. Bb. Dd. Ee.", "sentence:7c+3c", [(0, 7), (4, 11), (8, 15)]),  # BR-070
        ("One.\n\n\nTwo.", "sentence:1s", [(0, 4), (7, 11)]),  # BR-113
        ("Only one.", "sentence:5s+4s", [(0, 9)]),  # BR-140
        ("z" * 25, "sentence:10c+2c", [(0, 10), (8, 18), (16, 25)]),  # BR-016
        ("0123456789ABC", "sentence:6c+2c", [(0, 6), (4, 10), (8, 13)]),  # BR-071
        ("Wait .. then go.", "sentence:99c", [(0, 16)]),  # BR-031
    ],
)
def test_spans(text: str, notation: str, expected: list[tuple[int, int]]) -> None:
    assert spans_of(text, notation) == expected


def test_sentences_of_one_word_overlap() -> None:
    """BR-070, to the letter."""
    assert spans_of("aa. bb. cc. dd.", "sentence:7c+3c") == [(0, 7), (4, 11), (8, 15)]


@given(st.lists(st.integers(1, 8), min_size=1, max_size=20), st.integers(9, 40))
def test_a_sentence_that_fits_is_never_cut(lengths: list[int], size: int) -> None:
    sentences = [" ".join(["Word", *["word"] * (length - 1)]) + "." for length in lengths]
    text = " ".join(sentences)
    starts, at = set(), 0
    for sentence in sentences:
        starts.add(at)
        at += len(sentence) + 1
    for notation in (f"sentence:{size}w", f"sentence:{size}w+1s", f"sentence:{size}w+20%"):
        found = chunk(Document("a.txt", text), notation)
        assert {part.start for part in found} <= starts
        assert all(part.text.endswith(".") for part in found)
        assert max(len(part.text.split()) for part in found) <= size


@given(st.lists(st.integers(1, 8), min_size=2, max_size=20), st.integers(9, 40))
def test_neighbours_could_not_have_been_merged(lengths: list[int], size: int) -> None:
    """BR-064: a chunk takes all that fits."""
    sentences = [" ".join(["Word", *["word"] * (length - 1)]) + "." for length in lengths]
    found = chunk(Document("a.txt", " ".join(sentences)), f"sentence:{size}w")
    counts = [[len(part) for part in map(str.split, part.text.split("."))] for part in found]
    for before, after in itertools.pairwise(counts):
        assert sum(before) + after[0] > size


@pytest.mark.parametrize("overlap", [0, 1, 2])
def test_overlap_in_sentences_is_exact(overlap: int) -> None:
    text = " ".join(f"Sentence {number} is here." for number in range(9))
    found = chunk(Document("a.txt", text), f"sentence:3s+{overlap}s")
    numbers = [[int(word) for word in part.text.split() if word.isdigit()] for part in found]
    step = 3 - overlap
    assert [row[0] for row in numbers] == [at * step for at in range(len(numbers))]
    assert [number for row in numbers[:-1] for number in row[:step]] == list(
        range(len(numbers[:-1]) * step)
    )
    assert numbers[-1][-1] == 8


def test_an_overlong_sentence_is_cut_at_clauses_then_words() -> None:
    text = "The lamp blinks, the hub hums, the door opens and everything else waits for you."
    found = [part.text for part in chunk(Document("a.txt", text), "sentence:32c")]
    assert found[0] == "The lamp blinks, the hub hums,"
    assert all(len(part) <= 32 for part in found)
    assert " ".join(found) == text


def test_every_word_of_an_overlong_sentence_is_there() -> None:
    """BR-047: nothing is lost, and no chunk is a full stop alone."""
    text = " ".join(["word"] * 600) + ". End."
    found = chunk(Document("a.txt", text), "sentence:500w")
    assert " ".join(part.text for part in found) == text
    assert all(any(map(str.isalpha, part.text)) for part in found)


def test_no_punctuation_at_all() -> None:
    """BR-053."""
    found = chunk(Document("a.txt", " ".join(["word"] * 400)), "sentence:64w")
    assert [len(part.text.split()) for part in found] == [64] * 6 + [16]
