"""`fixed`: equal windows of characters, words or tokens."""

from __future__ import annotations

import itertools
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.dress import chunk
from chunkwright.chunking.pack import windows
from chunkwright.errors import SetupError
from chunkwright.model import Document
from chunkwright.text.tokens import cl100k_base


def spans_of(text: str, notation: str, name: str = "a.txt") -> list[tuple[int, int]]:
    return [(part.start, part.end) for part in chunk(Document(name, text), notation)]


@pytest.mark.parametrize(
    ("text", "notation", "expected"),
    [
        ("alpha  beta\tgamma", "fixed:1w", [(0, 5), (7, 11), (12, 17)]),  # BR-007
        ("aa bb cc", "fixed:2w+1w", [(0, 5), (3, 8)]),  # BR-013
        ("z" * 25, "fixed:10c+2c", [(0, 10), (8, 18), (16, 25)]),  # BR-016
        ("z" * 25, "fixed:10c+20%", [(0, 10), (8, 18), (16, 25)]),
        ("abcdefghijk", "fixed:10c+2c", [(0, 10), (8, 11)]),  # BR-040
        ("m" * 12, "fixed:4c", [(0, 4), (4, 8), (8, 12)]),  # BR-041
        ("0123456789ABC", "fixed:6c+2c", [(0, 6), (4, 10), (8, 13)]),  # BR-071
        ("pq🌙rs🌙t", "fixed:3c", [(0, 3), (3, 6), (6, 7)]),  # BR-097
        ("🇩🇪🇫🇷", "fixed:1c", [(0, 2), (2, 4)]),  # BR-098
        ("e\u0301e\u0301", "fixed:1c", [(0, 2), (2, 4)]),  # BR-098
        ("x👍🏽y", "fixed:1t", [(0, 1), (1, 3), (3, 4)]),  # BR-095
        ("a\r\nb", "fixed:2c|strip=no", [(0, 1), (1, 3), (3, 4)]),
        ("", "fixed:9c", []),
        (" \n", "fixed:9c", []),
        ("short", "fixed:9c+8c", [(0, 5)]),
    ],
)
def test_windows(text: str, notation: str, expected: list[tuple[int, int]]) -> None:
    assert spans_of(text, notation) == expected


@pytest.mark.parametrize("size", [9, 10])
def test_an_astronaut_stays_whole(size: int) -> None:
    """BR-098."""
    edges = {edge for span in spans_of("Ship it 👩‍🚀 today", f"fixed:{size}c") for edge in span}
    assert not edges & {9, 10}


def test_the_last_end_counts_code_points() -> None:
    """BR-008: neither bytes nor tokens."""
    assert spans_of("naïve café", "fixed:1t")[-1][1] == 10


def test_thirty_words_in_tens() -> None:
    """BR-067: the overlap is inside the size."""
    text = " ".join(f"w{number}" for number in range(30))
    found = [part.text.split() for part in chunk(Document("a.txt", text), "fixed:10w+3w")]
    edges = [(int(words[0][1:]), int(words[-1][1:]) + 1) for words in found]
    assert edges == [(0, 10), (7, 17), (14, 24), (21, 30)]


def test_a_tail_under_the_minimum_takes_more_of_the_window_before() -> None:
    """BR-037: `w7` stands in the tail because of the overlap, not twice in one chunk."""
    found = chunk(Document("a.txt", "w1 w2 w3 w4 w5 w6 w7 w8"), "fixed:4w+1w|min=3w")
    assert [part.text for part in found] == ["w1 w2 w3 w4", "w4 w5 w6 w7", "w6 w7 w8"]


def test_white_space_alone_is_no_chunk() -> None:
    """BR-143."""
    text = "Start." + " " * 9000 + "Finish."
    found = chunk(Document("a.txt", text), "fixed:2000c")
    assert [(part.index, part.text) for part in found] == [(0, "Start."), (1, "Finish.")]


@given(st.integers(1, 200), st.integers(1, 40), st.data())
def test_words_follow_the_formula(total: int, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    text = " ".join(["w"] * total)
    found = spans_of(text, f"fixed:{size}w+{overlap}w")
    assert len(found) == max(1, ceil((total - overlap) / (size - overlap)))
    expected = [(start * 2, end * 2 - 1) for start, end in windows(total, size, overlap).pairs()]
    assert found == expected


@given(st.text("ab é🚀\n", max_size=80), st.integers(2, 20), st.data())
def test_joined_windows_are_the_text(text: str, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    for unit in "cwt":
        if not text.strip():
            continue
        found = spans_of(text, f"fixed:{size}{unit}+{overlap}{unit}|strip=no")
        assert (found[0][0], found[-1][1]) == (0, len(text))
        assert all(one[1] >= other[0] for one, other in itertools.pairwise(found))


def test_token_windows_hold_the_documents_own_tokens() -> None:
    text = "The lamp blinks blue when it is ready, then open the app and press Add device. " * 5
    tokens = cl100k_base().starts(text).tolist()
    found = spans_of(text, "fixed:20t+5t|strip=no")
    assert [start for start, _ in found] == tokens[::15][: len(found)]
    inside = [sum(start <= token < end for token in tokens) for start, end in found]
    assert inside[:-1] == [20] * (len(found) - 1)
    assert 5 < inside[-1] <= 20


@pytest.mark.parametrize("notation", ["fixed:20t", "fixed:20t+5t"])
def test_a_counter_that_only_counts_cannot_make_token_windows(notation: str) -> None:
    with pytest.raises(SetupError) as caught:
        chunk(Document("a.txt", "Some text."), notation, counter=len)
    message = str(caught.value)
    assert "'fixed'" in message
    assert "'len' only counts" in message
    assert "use 'sentence' or 'recursive'" in message
    assert "\n" not in message


def test_front_matter_is_in_no_window() -> None:
    text = "---\ntitle: Trip\n---\nBody of the page."
    for notation in ("fixed:10c", "fixed:2w", "fixed:3t"):
        found = spans_of(text, notation, "a.md")
        assert found[0][0] == 20
        assert found[-1][1] == len(text)
