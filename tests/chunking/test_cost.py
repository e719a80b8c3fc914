"""What a setup costs, from real counts and by the lesson's formula."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.cost import cost, estimate, overlap_ratio
from chunkwright.chunking.dress import chunk
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis

PAGES = [
    Document("a.md", "# Lamp\n\nIt blinks blue when it is ready. It hums. It stops at night.\n"),
    Document("b.txt", "The hub needs power. It is blue as well, and it hums a little."),
]


@pytest.mark.parametrize(
    ("notation", "ratio"),
    [
        ("fixed:800c", 0.0),
        ("fixed:800c+160c", 0.2),
        ("sentence:200t+12.5%", 0.125),
        ("sentence:2s+1s", 0.5),
        ("sentence:200t+1s", None),
    ],
)
def test_overlap_ratio(notation: str, ratio: float | None) -> None:
    assert overlap_ratio(Setup.parse(notation)) == ratio


@pytest.mark.parametrize(
    ("characters", "size", "overlap", "chunks"),
    [(100_000, 800, 160, 156), (800, 800, 0, 1), (801, 800, 0, 2), (1, 800, 160, 1), (0, 8, 0, 1)],
)
def test_estimate(characters: int, size: int, overlap: int, chunks: int) -> None:
    found = estimate(characters, size, overlap)
    assert (found.chunks, found.stored) == (chunks, chunks * size)


@pytest.mark.parametrize(
    "notation", ["fixed:20c+5c", "sentence:8t+1s", "markdown:40c|headers", "recursive:9w|repair"]
)
def test_figures_are_those_of_the_chunks(notation: str) -> None:
    found = cost([Analysis(page) for page in PAGES], Setup.parse(notation))
    chunks = chunk(PAGES, notation)
    assert found.chunks == len(chunks)
    assert found.characters == sum(len(page.text) for page in PAGES)
    assert found.stored_characters == sum(len(part.embed_text) for part in chunks)
    assert found.stored_tokens == sum(part.tokens for part in chunks)
    assert found.largest_tokens == max(part.tokens for part in chunks)
    assert found.mean_tokens == pytest.approx(found.stored_tokens / len(chunks))
    assert found.extra == pytest.approx(found.stored_characters / found.characters - 1)
    assert (found.formula is None) != notation.startswith("fixed")


@given(st.integers(1, 500), st.integers(1, 60), st.data())
def test_the_formula_holds_for_windows_of_characters(
    characters: int, size: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    found = cost(
        [Analysis(Document("a.txt", "m" * characters))], Setup("fixed", size, overlap=overlap)
    )
    assert found.formula is not None
    assert found.chunks == found.formula.chunks
    assert found.formula.stored >= found.stored_characters
    assert found.achieved == pytest.approx(overlap * (found.chunks - 1) / found.stored_characters)


def test_a_percentage_gives_the_formula_of_its_amount() -> None:
    # 29 % of 100 are 29, whatever the last bit of 0.29 * 100 says.
    text = [Analysis(Document("a.txt", "m" * 1000))]
    percent = cost(text, Setup.parse("fixed:100c+29%"))
    plain = cost(text, Setup.parse("fixed:100c+29c"))
    assert percent.chunks == plain.chunks
    assert percent.formula == plain.formula


def test_no_documents_and_no_chunks() -> None:
    for pages in ([], [Analysis(Document("a.txt", " "))]):
        found = cost(pages, Setup.parse("sentence:20t"))
        assert (found.chunks, found.stored_tokens, found.achieved) == (0, 0, 0.0)
        assert (found.mean_tokens, found.largest_tokens) == (None, None)
