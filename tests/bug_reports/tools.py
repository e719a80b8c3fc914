"""What the tests on bug reports share: every strategy, spans, the work done."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from types import FrameType
from typing import Any

import chunkwright as cw
from chunkwright import registry
from chunkwright.chunking.cut import Counting

STRATEGIES = registry.names("strategies")
# `fixed` cuts windows by arithmetic; these know what a sentence is.
PACKED = tuple(name for name in STRATEGIES if name != "fixed")


def chunks(
    text: str, notation: str, name: str = "note.txt", counter: Counting = None
) -> list[cw.Chunk]:
    """The chunks of a text. A warning that a grapheme is over the size is let pass."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return cw.chunk(cw.Document(name, text), notation, counter)


def texts(text: str, notation: str, name: str = "note.txt", counter: Counting = None) -> list[str]:
    """The texts of the chunks."""
    return [chunk.text for chunk in chunks(text, notation, name, counter)]


def spans(
    text: str, notation: str, name: str = "note.txt", counter: Counting = None
) -> list[tuple[int, int]]:
    """The spans of the chunks."""
    return [(chunk.start, chunk.end) for chunk in chunks(text, notation, name, counter)]


def assert_covers(text: str, found: Sequence[cw.Chunk]) -> None:
    """Every visible character is in a chunk, each chunk's text is the source's, none in another."""
    reached = 0
    for chunk in found:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text.strip()
        assert not text[reached : max(reached, chunk.start)].strip()
        reached = max(reached, chunk.end)
    assert not text[reached:].strip()
    for before, after in pairwise(found):
        assert before.start < after.start
        assert before.end < after.end


def numbered(count: int, letter: str = "w") -> str:
    """Words with numbers: `w1 w2 w3`."""
    return " ".join(f"{letter}{at}" for at in range(1, count + 1))


def work(task: Callable[[], Any]) -> int:
    """How many calls, of Python and of C, a task takes: on a busy machine as on an idle one."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        task()
    finally:
        sys.setprofile(before)
    return calls


def work_of_cutting(documents: Iterable[cw.Document], notation: str) -> int:
    """How many calls cutting documents takes."""
    given = list(documents)
    return work(lambda: cw.chunk(given, notation))
