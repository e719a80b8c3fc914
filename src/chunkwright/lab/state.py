"""What the page shows, as the address holds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlencode

from chunkwright import registry
from chunkwright.errors import ChunkwrightError
from chunkwright.quality.repair import repair_of
from chunkwright.service.workspace import Recipe
from chunkwright.setup import Setup

PARTS = ("chunker", "compare", "ask", "gold", "tune", "share")
RETRIEVERS = ("hybrid", "bm25", "static")
DEFAULT_SETUP = Setup.parse("sentence:200t+1s")
DEFAULT_OTHER = Setup.parse("fixed:200t")
_MOST_RESULTS = 100
# Which questions of the gold set are listed.
OUTCOMES = ("all", "hit", "miss", "problem", "note")


@dataclass(frozen=True, slots=True)
class State:
    """All that an address holds.

    Attributes:
        part: The part of the page that is open.
        document: Id of the document; empty for the first.
        setup: The setup.
        repairs: Names of repairs that are done on its chunks.
        other: The setup that it is compared with.
        other_repairs: Names of repairs that are done on the chunks of that one.
        question: What is asked; empty for nothing.
        retriever: Name of the retriever.
        k: Results that are shown.
        gold: Id of the question whose references are shown; empty for none.
        alone: Whether a document that was added is searched alone.
        listed: Which questions of the gold set are listed: one of `OUTCOMES`.
        find: Words that the listed questions hold; empty for any.
    """

    part: str = PARTS[0]
    document: str = ""
    setup: Setup = DEFAULT_SETUP
    repairs: tuple[str, ...] = ()
    other: Setup = DEFAULT_OTHER
    other_repairs: tuple[str, ...] = ()
    question: str = ""
    retriever: str = RETRIEVERS[0]
    k: int = 5
    gold: str = ""
    alone: bool = False
    listed: str = OUTCOMES[0]
    find: str = ""

    @property
    def recipe(self) -> Recipe:
        """How its chunks are made."""
        return Recipe(self.setup, self.repairs)

    @property
    def other_recipe(self) -> Recipe:
        """How the chunks are made that its own are compared with."""
        return Recipe(self.other, self.other_repairs)

    @property
    def query(self) -> str:
        """It as a query of an address, without what is as it is by default.

        >>> State(document="a b.md", setup=Setup.parse("fixed:9t+10%")).query
        'document=a+b.md&setup=fixed%3A9t%2B10%25'
        """
        start = State()
        shown = {
            each.name: _written(getattr(self, each.name))
            for each in fields(self)
            if getattr(self, each.name) != getattr(start, each.name)
        }
        return urlencode(shown)

    @classmethod
    def of(cls, query: Mapping[str, str]) -> tuple[State, list[str]]:
        """The state that a query holds, and a line about each part of it that cannot be used.

        >>> State.of({"setup": "sentence:0t", "k": "9"})[1]
        ["setup 'sentence:0t': size must be at least 1, got 0 tokens"]
        """
        problems: list[str] = []
        return cls(**dict(_read(query, problems))), problems


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _read(query: Mapping[str, str], problems: list[str]) -> Iterator[tuple[str, Any]]:
    for name, text in query.items():
        try:
            if name in ("setup", "other"):
                yield name, Setup.parse(text)
            elif name in ("repairs", "other_repairs"):
                yield name, tuple(repair_of(each).name for each in text.split(",") if each)
            elif name == "k":
                yield name, _count(text)
            elif name == "part":
                yield name, _one_of(text, PARTS)
            elif name == "retriever":
                yield name, _one_of(text, registry.names("retrievers"))
            elif name == "alone":
                yield name, _one_of(text, ("no", "yes")) == "yes"
            elif name == "listed":
                yield name, _one_of(text, OUTCOMES)
            elif name in ("document", "question", "gold", "find"):
                yield name, text
        except ChunkwrightError as problem:
            problems.append(f"{name} {text!r}: {problem}")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= _MOST_RESULTS):
        raise ChunkwrightError(f"a number from 1 to {_MOST_RESULTS} is needed")
    return int(text)


def _one_of(text: str, known: tuple[str, ...]) -> str:
    if text not in known:
        raise ChunkwrightError(registry.nearest(text, known))
    return text
