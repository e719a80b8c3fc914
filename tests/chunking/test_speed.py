"""Hostile shapes that made other chunkers hang: each ends, and the work stays linear.

Work is counted in calls, not in seconds, so that a busy machine fails nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from chunkwright.chunking.cut import cut
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis

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


def work_of(name: str, size: int, notation: str) -> int:
    """How many calls, of Python and of C, cutting a shape takes."""
    analysis = Analysis(Document("a.md", SHAPES[name](size)))
    setup = Setup.parse(notation)
    calls = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        cut(analysis, setup)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("notation", NOTATIONS[1:])
def test_twice_the_text_takes_at_most_twice_the_work(name: str, notation: str) -> None:
    work_of(name, 100, notation)  # tables that are made once
    assert work_of(name, 5_000, notation) <= 2.5 * work_of(name, 2_500, notation) + 2_000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one word", "blank lines", "headings"])
@pytest.mark.parametrize("notation", NOTATIONS[2:])
def test_a_large_hostile_shape_ends(name: str, notation: str) -> None:
    """A word of 1 MB, 100 000 blank lines, 100 000 headings (BR-080, BR-089, BR-091)."""
    analysis = Analysis(Document("a.md", SHAPES[name](100_000)))
    spans = cut(analysis, Setup.parse(notation)).spans
    assert spans.ends[-1] == analysis.trimmed_end(len(analysis.text))
