"""Hostile shapes that made other chunkers hang: each ends, and the work stays linear.

Work is counted in calls, not in seconds, so that a busy machine fails nothing.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any
from unittest.mock import patch

import pytest

from chunkwright.chunking import steps
from chunkwright.chunking.cut import cut
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import cl100k_base
from tests.properties.shapes import ALL, MORE, MORE_NOTATIONS, NOTATIONS, SHAPES


def work_of(name: str, size: int, notation: str) -> int:
    """How many calls, of Python and of C, cutting a shape takes."""
    analysis = Analysis(Document("a.md", ALL[name](size), title="T"))
    setup = Setup.parse(notation)
    calls = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    vars(cl100k_base()).pop("words", None)  # what other texts had in common with this one
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        # A few chunks are packed one by one, which takes less.
        with patch.object(steps, "_FEW", 0):
            cut(analysis, setup)
    finally:
        sys.setprofile(before)
    return calls


def work_is_linear(name: str, notation: str) -> None:
    work_of(name, 500, notation)  # tables that are made once
    assert work_of(name, 10_000, notation) <= 2.5 * work_of(name, 5_000, notation) + 2_000


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("notation", NOTATIONS)
def test_twice_the_text_takes_at_most_twice_the_work(name: str, notation: str) -> None:
    work_is_linear(name, notation)


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE)
@pytest.mark.parametrize("notation", [*NOTATIONS, *MORE_NOTATIONS])
def test_more_shapes_take_at_most_twice_the_work(name: str, notation: str) -> None:
    work_is_linear(name, notation)
