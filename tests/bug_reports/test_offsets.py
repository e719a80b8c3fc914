"""Offsets: a chunk's span says where it came from, and nothing is searched for afterwards."""

from __future__ import annotations

import pytest

import chunkwright as cw
from tests.bug_reports.tools import STRATEGIES, chunks, spans, texts


@pytest.mark.parametrize("notation", ["fixed:1w", "recursive:4c", "sentence:4c", "markdown:4c"])
def test_br_001_a_repeated_word_has_its_own_place(notation: str) -> None:
    assert spans("beta beta", notation) == [(0, 4), (5, 9)]


def test_br_002_a_repeated_sentence_has_its_own_place() -> None:
    assert spans("Stop. Wait. Stop.", "sentence:1s") == [(0, 5), (6, 11), (12, 17)]


def test_br_004_two_spaces_between_sentences() -> None:
    assert spans("Red fox ran.  It hid.", "sentence:1s") == [(0, 12), (14, 21)]
    assert texts("Red fox ran.  It hid.", "sentence:1s")[1] == "It hid."


@pytest.mark.parametrize("notation", ["sentence:1s", "recursive:9c"])
def test_br_005_the_same_line_under_two_headings(notation: str) -> None:
    found = chunks("Part A\nSee note.\nPart B\nSee note.", notation)
    notes = [(chunk.start, chunk.end) for chunk in found if chunk.text == "See note."]
    assert notes == [(7, 16), (24, 33)]


@pytest.mark.parametrize("notation", ["fixed:1w", "recursive:1w", "sentence:1w"])
def test_br_007_words_with_uneven_space_between(notation: str) -> None:
    found = spans("alpha  beta\tgamma", notation)
    assert [start for start, _ in found] == [0, 7, 12]
    assert found[-1][1] == 17


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("size", ["1t", "2t", "9t"])
def test_br_008_offsets_are_characters_not_bytes_or_tokens(strategy: str, size: str) -> None:
    found = chunks("naïve café", f"{strategy}:{size}")
    assert found[-1].end == 10
    assert "".join(chunk.text for chunk in found).replace(" ", "") == "naïvecafé"


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("options", ["", "+3c", "|headers", "|parents=document", "|repair"])
def test_br_010_offsets_are_never_missing(strategy: str, options: str) -> None:
    amount, _, rest = options.partition("|")
    notation = f"{strategy}:30c{amount}" + (f"|{rest}" if rest else "")
    for chunk in chunks("Hello there. Next note.", notation):
        assert type(chunk.start) is int
        assert type(chunk.end) is int
        assert 0 <= chunk.start < chunk.end <= 23


def test_br_010_a_strategy_that_cannot_give_offsets_raises() -> None:
    with pytest.raises(cw.SetupError, match="needs to know where tokens lie"):
        chunks("Hello there. Next note.", "fixed:9t", counter=len)


def test_br_011_a_line_break_between_sentences_stays() -> None:
    (chunk,) = chunks("First line.\nSecond line.", "sentence:2s")
    assert chunk.text == "First line.\nSecond line."
    assert (chunk.start, chunk.end) == (0, 24)


@pytest.mark.parametrize("notation", ["fixed:2w+1w", "recursive:2w+1w", "sentence:2w+1w"])
def test_br_013_the_shared_range_is_the_same_from_both_sides(notation: str) -> None:
    first, second = chunks("aa bb cc", notation)
    assert (second.start, first.end) == (3, 5)
    assert (first.overlap, second.overlap) == (0, 2)


@pytest.mark.parametrize("notation", ["sentence:1s", "recursive:5c"])
def test_br_014_code_after_an_accent(notation: str) -> None:
    found = chunks("# é\nx = 1\n", notation, name="a.py")
    assert [(chunk.start, chunk.text) for chunk in found] == [(0, "# é"), (4, "x = 1")]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_016_text_without_any_break(strategy: str) -> None:
    assert spans("z" * 25, f"{strategy}:10c+2c") == [(0, 10), (8, 18), (16, 25)]


@pytest.mark.parametrize("notation", ["sentence:2s", "recursive:4c"])
def test_br_017_lines_of_repeated_blocks(notation: str) -> None:
    found = chunks("{\n}\n{\n}\n", notation, name="a.js")
    assert [(chunk.first_line, chunk.last_line) for chunk in found] == [(1, 2), (3, 4)]


@pytest.mark.parametrize("notation", ["sentence:2s+1s", "recursive:4c+2c", "fixed:3c+2c"])
def test_br_017_no_line_is_beyond_the_last(notation: str) -> None:
    for chunk in chunks("{\n}\n{\n}\n", notation, name="a.js"):
        assert 1 <= chunk.first_line <= chunk.last_line <= 4
        assert chunk.first_line == "{\n}\n{\n}\n"[: chunk.start].count("\n") + 1


@pytest.mark.parametrize("notation", ["sentence:1s", "recursive:1c", "fixed:1c"])
def test_br_019_each_chunk_has_its_own_page(notation: str) -> None:
    found = chunks("A\fB\fC", notation)
    assert [(chunk.text, chunk.start, chunk.first_page) for chunk in found] == [
        ("A", 0, 1),
        ("B", 2, 2),
        ("C", 4, 3),
    ]
    assert [chunk.last_page for chunk in found] == [1, 2, 3]


def test_br_020_a_chunk_over_a_page_break() -> None:
    document = cw.Document("a.txt", "Prices:\f10 EUR.")
    (chunk,) = cw.chunk(document, "recursive:100c")
    assert (chunk.first_page, chunk.last_page) == (1, 2)
    assert document.page_at(document.text.index("10 EUR.")) == 2
    assert document.page_at(0) == document.page_at(7) == 1
