"""Hostile shapes that made other chunkers hang: each ends quickly, and time stays linear."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from chunkwright.chunking.cut import cut
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis

# Generous, since a test machine may be busy: what is not linear takes minutes.
LONGEST = 30.0
SHAPES: dict[str, Callable[[int], str]] = {
    "one word": lambda size: "x" * (10 * size),
    "blank lines": lambda size: "\n" * size + "end",
    "text and blank lines": lambda size: "some text\n\n" * (size // 2),
    "headings": lambda size: "# Heading\n" * size,
    "deeper headings": lambda size: "".join(f"{'#' * (1 + at % 6)} H\n" for at in range(size)),
    "stops": lambda size: ". " * size,
    "open quote": lambda size: '"' + "A sentence is here. " * (size // 4),
    "marks": lambda size: "e" + "\u0301" * size,
    "table rows": lambda size: "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * (size // 4),
    "list items": lambda size: "- item\n" * (size // 2),
    "open fence": lambda size: "```\n" + "code\n" * size,
    "spaces": lambda size: "Start." + " " * (5 * size) + "Finish.",
}
NOTATIONS = [
    *("fixed:200c+50c", "fixed:200t+50t", "sentence:200t+1s", "recursive:200c+20%"),
    *("header:400c|headers", "markdown:400c+10%|parents=section"),
]


def seconds_of(name: str, size: int, notation: str) -> float:
    document = Document("a.md", SHAPES[name](size))
    begun = time.perf_counter()
    cut(Analysis(document), Setup.parse(notation))
    return time.perf_counter() - begun


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_hostile_shape_ends_quickly(name: str, notation: str) -> None:
    assert seconds_of(name, 2_000, notation) < LONGEST


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one word", "blank lines", "headings"])
@pytest.mark.parametrize("notation", NOTATIONS[2:])
def test_a_large_hostile_shape_ends_quickly(name: str, notation: str) -> None:
    """A word of 1 MB, 100 000 blank lines, 100 000 headings (BR-080, BR-089, BR-091)."""
    assert seconds_of(name, 100_000, notation) < LONGEST


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one word", "text and blank lines", "open quote"])
def test_twice_the_text_takes_about_twice_the_time(name: str) -> None:
    def best(size: int) -> float:
        return min(seconds_of(name, size, "markdown:400c+10%") for _ in range(3))

    assert best(60_000) < 3 * best(30_000) + 0.05
