"""`recursive`: at the coarsest break that still fills the chunk."""

from __future__ import annotations

import itertools

import pytest

from chunkwright.chunking.dress import chunk
from chunkwright.model import Document


def texts_of(text: str, notation: str) -> list[str]:
    return [part.text for part in chunk(Document("a.txt", text), notation)]


@pytest.mark.parametrize(
    ("text", "notation", "expected"),
    [
        ("beta beta", "recursive:4c", [(0, 4), (5, 9)]),  # BR-001
        ("Part A\nSee note.\nPart B\nSee note.", "recursive:9c",
         [(0, 6), (7, 16), (17, 23), (24, 33)]),  # BR-005
        ("z" * 25, "recursive:10c+2c", [(0, 10), (8, 18), (16, 25)]),  # BR-016
        ("abcdefghijk", "recursive:10c+2c", [(0, 10), (8, 11)]),  # BR-040
        ("m" * 12, "recursive:4c", [(0, 4), (4, 8), (8, 12)]),  # BR-041
        ("0123456789ABC", "recursive:6c+2c", [(0, 6), (4, 10), (8, 13)]),  # BR-071
        ("Hi all. No dot at the end", "recursive:1000c", [(0, 25)]),  # BR-068
        ("p1\n\n\tp2", "recursive:99c", [(0, 7)]),  # BR-050
        ("a\x00b", "recursive:9c", [(0, 3)]),  # BR-106
    ],
)  # fmt: skip
def test_spans(text: str, notation: str, expected: list[tuple[int, int]]) -> None:
    found = chunk(Document("a.txt", text), notation)
    assert [(part.start, part.end) for part in found] == expected


FIRST = "One paragraph here. It has two sentences."
SECOND = "Another paragraph, with a clause. It ends."


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (100, [f"{FIRST}\n\n{SECOND}"]),
        (70, [FIRST, SECOND]),  # a paragraph break, though a sentence would fill more
        (45, [FIRST, SECOND]),
        (40, ["One paragraph here.", "It has two sentences.",
              "Another paragraph, with a clause.", "It ends."]),
        (33, ["One paragraph here.", "It has two sentences.",
              "Another paragraph, with a clause.", "It ends."]),
    ],
)  # fmt: skip
def test_the_coarsest_break_wins(size: int, expected: list[str]) -> None:
    assert texts_of(f"{FIRST}\n\n{SECOND}", f"recursive:{size}c") == expected


def test_a_coarse_break_too_early_is_not_worth_it() -> None:
    text = f"Hi.\n\n{FIRST} {FIRST} {FIRST}"
    first = texts_of(text, "recursive:60c")[0]
    assert first == f"Hi.\n\n{FIRST}"


def test_lines_before_sentences() -> None:
    lines = [f"Line {number} stands here. It is long enough to be one." for number in range(4)]
    wide = [f"{line} {'More words follow on this line so that none is wrapped. ' * 2}".strip()
            for line in lines]  # fmt: skip
    text = "\n".join(wide)
    assert texts_of(text, f"recursive:{len(wide[0]) + 20}c") == wide


def test_clauses_before_words_before_characters() -> None:
    assert texts_of("aaa bbb, ccc ddd eee", "recursive:14c") == ["aaa bbb,", "ccc ddd eee"]
    assert texts_of("aaa bbb ccc ddd", "recursive:9c") == ["aaa bbb", "ccc ddd"]
    assert texts_of("abcdefgh", "recursive:3c") == ["abc", "def", "gh"]


def test_ten_lines_in_hundreds() -> None:
    """BR-061."""
    text = "\n".join(f"{number}{'y' * 29}" for number in range(10))
    for strategy in ("recursive", "sentence", "markdown", "header"):
        found = texts_of(text, f"{strategy}:100c")
        assert [len(part.split("\n")) for part in found] == [3, 3, 3, 1]


def test_fifty_lines_fill_their_chunks() -> None:
    """BR-064: no two neighbours could have been merged."""
    text = "\n".join(f"{number:02}{'y' * 18}" for number in range(50))
    found = texts_of(text, "recursive:500c")
    pairs = itertools.pairwise(found)
    assert all(len(before) + 1 + len(after) > 500 for before, after in pairs)


def test_a_long_literal_loses_nothing() -> None:
    """BR-022."""
    found = texts_of('s = "' + "Q" * 300 + '"\nt = 2', "recursive:50c")
    assert sum(part.count("Q") for part in found) == 300
    assert max(map(len, found)) <= 50


def test_one_trimming_rule_for_all() -> None:
    """BR-112."""
    found = texts_of("no incomprehensibly\ngo", "recursive:4c")
    assert found == [part.strip() for part in found]
    assert found == ["no", "inco", "mpre", "hens", "ibly", "go"]


def test_no_separator_but_words() -> None:
    """BR-083: a hard cut, never a recursion without end."""
    found = texts_of("No break here" * 20, "recursive:20c")
    assert max(map(len, found)) <= 20
    assert "".join(found).replace(" ", "") == ("No break here" * 20).replace(" ", "")


@pytest.mark.parametrize("overlap", range(0, 40, 3))
def test_any_overlap_below_the_size_ends(overlap: int) -> None:
    """BR-079."""
    found = chunk(Document("a.txt", "ab\n" * 60), f"recursive:40c+{overlap}c")
    starts = [part.start for part in found]
    assert starts == sorted(set(starts))


def test_white_space_alone_is_no_chunk() -> None:
    """BR-143, BR-145."""
    assert texts_of("Start." + " " * 9000 + "Finish.", "recursive:2000c") == ["Start.", "Finish."]
    assert all(part.strip() for part in texts_of("def f(): pass\n" * 1000, "recursive:13c"))
