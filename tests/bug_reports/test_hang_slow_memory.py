"""Hangs: every run ends, and work grows with the text alone. Work is counted in calls, not time."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import chunkwright as cw
from tests.bug_reports.tools import (
    PACKED,
    STRATEGIES,
    assert_covers,
    chunks,
    numbered,
    spans,
    texts,
    work,
    work_of_cutting,
)

# Twice the work, and what a run costs however short the text is.
TWICE, ONCE = 2.5, 2_000


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_079_any_overlap_below_the_size_ends(strategy: str) -> None:
    text = "ab\n" * 60
    for overlap in range(40):
        found = chunks(text, f"{strategy}:40c+{overlap}c")
        assert_covers(text, found)
        assert len(found) <= len(text)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("letter", ["x", "ab", "é"])
def test_br_080_one_long_word_in_tokens(strategy: str, letter: str) -> None:
    text = (letter * 3500)[:3500]
    found = chunks(text, f"{strategy}:80t+8t")
    assert_covers(text, found)
    assert all(chunk.text in text for chunk in found)
    assert len(found) < 100


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_082_one_space_near_the_start(strategy: str) -> None:
    text = "note " + "q" * 7000
    found = chunks(text, f"{strategy}:1000c+200c")
    assert_covers(text, found)
    assert len(found) <= 11


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("overlap", ["", "+10c", "+1s"])
def test_br_083_no_separator_that_matches(strategy: str, overlap: str) -> None:
    if strategy == "fixed" and overlap == "+1s":
        overlap = "+50%"
    text = "No break here" * 20
    found = chunks(text, f"{strategy}:20c{overlap}")
    assert_covers(text, found)
    assert max(len(chunk.text) for chunk in found) <= 20


def utf8_bytes(text: str) -> int:
    return len(text.encode())


@pytest.mark.parametrize("strategy", PACKED)
def test_br_085_one_character_over_the_size(strategy: str) -> None:
    document = cw.Document("a.txt", "🚀")
    with pytest.warns(cw.OversizeWarning):
        (chunk,) = cw.chunk(document, f"{strategy}:3t", counter=utf8_bytes)
    assert (chunk.text, chunk.tokens) == ("🚀", 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error", cw.OversizeWarning)
        with pytest.raises(cw.OversizeWarning):
            cw.chunk(document, f"{strategy}:3t", counter=utf8_bytes)


@pytest.mark.parametrize("strategy", PACKED)
def test_br_085_never_half_a_character(strategy: str) -> None:
    text = "a🚀한b🚀🚀c"
    found = chunks(text, f"{strategy}:3t+1t", counter=utf8_bytes)
    assert_covers(text, found)
    assert all(chunk.tokens <= 3 or len(chunk.text) == 1 for chunk in found)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("overlap", range(10))
def test_br_086_sentences_nearly_as_long_as_the_size(strategy: str, overlap: int) -> None:
    text = " ".join(f"The {at} {numbered(7)}." for at in range(10))
    found = chunks(text, f"{strategy}:10w+{overlap}w")
    assert_covers(text, found)
    assert max(len(chunk.text.split()) for chunk in found) <= 10
    if strategy != "fixed":
        # Whole sentences go first; the overlap shrinks, here to nothing.
        assert len(found) == 10


def prose(characters: int) -> str:
    """Plain prose of about a length, in paragraphs."""
    parts: list[str] = []
    length = 0
    while length < characters:
        at = len(parts)
        parts.append(f"In year {at}, the lamp was mended. Who did it? Nobody knew, or said so.")
        length += len(parts[-1]) + 2
    return "\n\n".join(" ".join(parts[at : at + 5]) for at in range(0, len(parts), 5))


# What a second brings is measured by benchmarks/, where a busy machine fails nothing.
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("amount", ["1000c+200c", "200t+20t"])
def test_br_088_work_grows_with_the_text(strategy: str, amount: str) -> None:
    notation = f"{strategy}:{amount}"
    once, twice = cw.Document("a.txt", prose(60_000)), cw.Document("a.txt", prose(120_000))
    cw.chunk(once, notation)  # tables that are made once
    assert work_of_cutting([twice], notation) <= TWICE * work_of_cutting([once], notation) + ONCE


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_089_blank_lines_cost_little(strategy: str) -> None:
    lines = [f"Line {at} of it." for at in range(3_000)]
    notation = f"{strategy}:500c"
    plain, spaced = cw.Document("a.txt", "\n".join(lines)), cw.Document("a.txt", "\n\n".join(lines))
    cw.chunk(plain, notation)
    assert work_of_cutting([spaced], notation) <= 2 * work_of_cutting([plain], notation) + ONCE


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("deep", [False, True])
def test_br_091_headings_however_deep(strategy: str, deep: bool) -> None:
    def headed(count: int) -> cw.Document:
        level = (lambda at: 1 + at % 6) if deep else (lambda at: 1)
        return cw.Document(
            "a.md",
            "".join(f"{'#' * level(at)} Part {at}\n\nText of it.\n\n" for at in range(count)),
        )

    notation = f"{strategy}:400c|headers|parents=section"
    cw.chunk(headed(50), notation)
    once = work_of_cutting([headed(250)], notation)
    assert work_of_cutting([headed(500)], notation) <= TWICE * once + ONCE


def page(sections: int, depth: int) -> str:
    """A page of sections, each in as many elements as it is deep."""
    return "".join(
        f"{'<div>' * depth}<h{1 + at % 6}>Part {at}</h{1 + at % 6}><p>Text of it.</p>"
        f"{'</div>' * depth}\n"
        for at in range(sections)
    )


def work_of_reading(folder: Path, html: str) -> int:
    path = folder / "page.html"
    path.write_text(html, encoding="utf-8")
    (document,) = cw.Corpus.read(path)
    assert "Part 0" in document.text
    assert "<" not in document.text
    return work(lambda: cw.chunk(cw.Corpus.read(path), "header:400c|headers"))


def test_br_091_html_of_any_size(tmp_path: Path) -> None:
    work_of_reading(tmp_path, page(50, 2))
    once = work_of_reading(tmp_path, page(400, 2))
    assert work_of_reading(tmp_path, page(800, 2)) <= TWICE * once + ONCE


def test_br_091_html_of_any_depth(tmp_path: Path) -> None:
    work_of_reading(tmp_path, page(2, 2))
    once = work_of_reading(tmp_path, page(1, 1_000))
    assert work_of_reading(tmp_path, page(1, 2_000)) <= TWICE * once + ONCE
    # Depth does not multiply with length.
    once = work_of_reading(tmp_path, page(200, 20))
    assert work_of_reading(tmp_path, page(400, 20)) <= TWICE * once + ONCE
    assert work_of_reading(tmp_path, page(200, 40)) <= TWICE * once + ONCE


@pytest.mark.parametrize("strategy", ["sentence", "recursive", "header", "markdown"])
def test_br_092_one_document_costs_what_its_parts_do(strategy: str) -> None:
    parts = [cw.Document(f"{at}.txt", prose(2_000)) for at in range(60)]
    whole = cw.Document("a.txt", "\n\n".join(part.text for part in parts))
    notation = f"{strategy}:500c+50c"
    cw.chunk(parts[0], notation)
    assert work_of_cutting([whole], notation) <= 2 * work_of_cutting(parts, notation)


def test_br_094_more_than_a_million_characters() -> None:
    sentence = "This is sentence 000000 of it. "
    text = "".join(f"This is sentence {at:06} of it. " for at in range(40_000))
    assert len(text) > 1_200_000
    found = spans(text, "sentence:1000c")
    length = len(sentence)
    # 32 sentences are 992 characters, the space after the last left out.
    assert found == [
        (at * length, min(len(text), (at + 32) * length) - 1) for at in range(0, 40_000, 32)
    ]


def test_br_094_a_million_characters_without_a_break() -> None:
    text = "and so on " * 120_000
    found = texts(text, "sentence:1000c")
    assert " ".join(found) == text.strip()
    assert max(map(len, found)) <= 1000
