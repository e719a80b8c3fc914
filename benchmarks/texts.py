"""Texts of any size to cut: English prose and Markdown."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import ROOT, shared

_EXAMPLES = ROOT / "examples" / "docs"
# Numbers in running text: those that start a line (lists, headings) keep their order.
_NUMBER = re.compile(r"(?<=[a-zA-Z] )\d+(?=[ ,;])")


@dataclass(frozen=True, slots=True)
class Text:
    """A text and where it comes from."""

    name: str
    source: str
    content: str


def prose(megabytes: float) -> Text:
    """Real English prose where the shared data is there, else the example documents."""
    folder = shared() / "chroma" / "docs"
    if not folder.is_dir():
        return Text("prose", "examples/docs", _sized(_examples(), megabytes, _shuffled))
    documents = [_read(path) for path in sorted(folder.glob("*.md"))]
    return Text("prose", "shared data: chroma/docs", _sized(documents, megabytes, _shuffled))


def markdown(megabytes: float) -> Text:
    """The example documents: headings, lists, tables and code."""
    return Text("markdown", "examples/docs", _sized(_examples(), megabytes, _in_order))


MAKERS: dict[str, Callable[[float], Text]] = {"prose": prose, "markdown": markdown}


def _examples() -> list[str]:
    paths = sorted(path for path in _EXAMPLES.rglob("*.md") if path.parent.name != "i18n")
    return [_read(path) for path in paths]


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def _sized(
    documents: list[str], megabytes: float, order: Callable[[list[str], int], list[str]]
) -> str:
    """Paragraphs of the documents, over and over, until they make so many bytes of UTF-8.

    Every round but the first has other numbers and, in prose, another order, so that a tool
    that remembers what it counted gains little from the repetition.
    """
    target = round(megabytes * 1e6)
    pieces: list[bytes] = []
    size = 0
    for piece in _rounds(documents, order):
        pieces.append(piece.encode())
        size += len(pieces[-1]) + 2
        if size >= target:
            break
    return b"\n\n".join(pieces)[:target].decode(errors="ignore")


def _rounds(documents: list[str], order: Callable[[list[str], int], list[str]]) -> Iterator[str]:
    pieces = [piece for document in documents for piece in document.strip().split("\n\n")]
    count = 0
    while True:
        for piece in order(pieces, count):
            yield _varied(piece, count)
        count += 1


def _shuffled(pieces: list[str], count: int) -> list[str]:
    """Another order each time: a small text is a sample of all the documents."""
    return random.Random(count).sample(pieces, len(pieces))


def _in_order(pieces: list[str], count: int) -> list[str]:
    del count
    return pieces


def _varied(piece: str, count: int) -> str:
    if not count:
        return piece
    return _NUMBER.sub(lambda found: str(int(found[0]) + count), piece)
