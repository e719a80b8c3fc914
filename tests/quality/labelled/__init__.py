"""Starts and ends of chunks with the codes that are true of them: short and invented.

One file to a language. An item has the text before the chunk, the chunk and the text after it, as
they follow each other in a document, and the `codes` of the completeness rules that should find
something. `seen` was looked at while the rules were written; `held_out` was written before the
rules were tried on it. Where they found something else at that first try, `first` says what: the
rules have been mended since, so only the first try tells how they do on what they do not know.
`setup` and `name` (of the document) are optional.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from chunkwright.chunking.cut import Cut
from chunkwright.model import Document
from chunkwright.quality.rule import rules
from chunkwright.quality.view import View
from chunkwright.setup import Setup
from chunkwright.spans import Spans
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import as_counter

PARTS = ("seen", "held_out")
CODES = tuple(f"C{number}" for number in range(101, 111))
_SPACES = {"zh": "", "ja": ""}


@dataclass(frozen=True)
class Item:
    """A chunk with its true codes."""

    language: str
    part: str
    before: str
    chunk: str
    after: str
    codes: frozenset[str]
    name: str
    setup: str
    first: frozenset[str] | None


@dataclass(frozen=True)
class Score:
    """How often a rule was right."""

    true: int = 0
    false: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return self.true / (self.true + self.false) if self.true + self.false else float("nan")

    @property
    def recall(self) -> float:
        return self.true / (self.true + self.missed) if self.true + self.missed else float("nan")


def items() -> Iterator[Item]:
    """All items of all languages."""
    for path in sorted(Path(__file__).parent.glob("*.toml")):
        read = tomllib.loads(path.read_text("utf-8"))
        for part in PARTS:
            for each in read.get(part, ()):
                yield Item(
                    language=path.stem,
                    part=part,
                    before=each["before"],
                    chunk=each["chunk"],
                    after=each["after"],
                    codes=frozenset(each["codes"]),
                    name=each.get("name", "a.md"),
                    setup=each.get("setup", "recursive:400c"),
                    first=frozenset(each["first"]) if "first" in each else None,
                )


def view_of(item: Item) -> tuple[View, int]:
    """The document of an item as three chunks, and which of them is meant."""
    space = _SPACES.get(item.language, " ")
    text, spans = "", []
    for piece in (item.before, item.chunk, item.after):
        if not piece:
            continue
        joint = "" if not text or text[-1].isspace() or piece[0].isspace() else space
        start = len(text) + len(joint)
        text += joint + piece
        spans.append((start, len(text)))
    setup = Setup.parse(item.setup)
    analysis = Analysis(Document(item.name, text, language=item.language))
    made = Cut(analysis, setup, as_counter(setup.tokens), Spans.of(spans), np.empty(0, np.int64))
    return View(made), 1 if item.before else 0


def found_in(item: Item) -> frozenset[str]:
    """The codes that the rules find."""
    view, at = view_of(item)
    return frozenset(
        rule.code
        for rule in rules()
        if rule.code in CODES and at in rule.hits([view], {})[0].chunks.tolist()
    )


@cache
def scores(part: str, *, first: bool = False) -> dict[tuple[str, str], Score]:
    """By language and code, and over all languages but English as `other`.

    Args:
        part: One of `PARTS`.
        first: As it was when the rules were first tried on it.
    """
    made: dict[tuple[str, str], Score] = {}
    for item in (each for each in items() if each.part == part):
        found = item.first if first and item.first is not None else found_in(item)
        groups = (item.language,) if item.language == "en" else (item.language, "other")
        for code in CODES:
            for group in groups:
                old = made.get((group, code), Score())
                made[group, code] = Score(
                    old.true + (code in found & item.codes),
                    old.false + (code in found - item.codes),
                    old.missed + (code in item.codes - found),
                )
    return made
