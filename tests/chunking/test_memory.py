"""Memory stays linear on hostile shapes: twice the text, at most twice the peak."""

from __future__ import annotations

import tracemalloc
from unittest.mock import patch

import pytest

from chunkwright.chunking import steps
from chunkwright.chunking.cut import cut
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import cl100k_base
from tests.properties.shapes import ALL, MORE, NOTATIONS, SHAPES


def peak_of(name: str, size: int, notation: str) -> int:
    """The most bytes held at once while a shape is cut."""
    document, setup = Document("a.md", ALL[name](size), title="T"), Setup.parse(notation)
    vars(cl100k_base()).pop("words", None)  # what other texts had in common with this one
    tracemalloc.start()
    try:
        # A few chunks are packed one by one, which takes less.
        with patch.object(steps, "_FEW", 0):
            cut(Analysis(document), setup)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def memory_is_linear(name: str, notation: str) -> None:
    peak_of(name, 500, notation)  # tables that are made once
    # Lists and tables grow in steps.
    assert peak_of(name, 20_000, notation) <= 2.2 * peak_of(name, 10_000, notation) + 300_000


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("notation", ["sentence:200t+1s", "markdown:400c+10%|parents=section"])
def test_twice_the_text_takes_at_most_twice_the_memory(name: str, notation: str) -> None:
    memory_is_linear(name, notation)


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE)
@pytest.mark.parametrize("notation", NOTATIONS[1::2])
def test_more_shapes_take_at_most_twice_the_memory(name: str, notation: str) -> None:
    memory_is_linear(name, notation)
