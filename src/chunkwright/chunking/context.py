"""Context: what is put before a chunk's text for embedding, and counts inside its size.

The contextual header, where the setup asks for it; and the head of a table, where a chunk starts
below it. Neither is ever part of the span.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from chunkwright.chunking.measure import Measure
from chunkwright.setup import Setup
from chunkwright.spans import Integers
from chunkwright.text.analysis import Analysis

_NONE = np.empty(0, np.int64)


def header_path(analysis: Analysis, position: int) -> tuple[str, ...]:
    """The titles over a position, the document's own first."""
    path = analysis.path_at(position)
    title = " ".join(analysis.title.split())
    return path if path[:1] == (title,) or not title else (title, *path)


def header_line(analysis: Analysis, position: int) -> str:
    r"""The contextual header at a position, as a line of its own.

    >>> from chunkwright.model import Document
    >>> text = Analysis(Document("guide.md", "# Lamp\n\n## Reset\n\nSwitch it off."))
    >>> header_line(text, 20)
    '[Lamp > Reset]\n'
    """
    path = header_path(analysis, position)
    return f"[{' > '.join(path)}]\n" if path else ""


@dataclass(frozen=True)
class Context:
    """What stands before the chunks of one document.

    Attributes:
        analysis: The document's analysis.
        headers: Whether chunks have a contextual header.
        bodies: Start and end of the rows of each table whose head is repeated, ascending by
            start. Shape `(n, 2)`.
        heads: The lines repeated for each of them.
        shortened: Starts of the tables whose head is too wide to be repeated whole.
        bare: Rows that fit the size, but not below the head: they go without. Shape `(n, 2)`.
    """

    analysis: Analysis
    headers: bool
    bodies: Integers = field(default_factory=lambda: _NONE.reshape(0, 2))
    heads: tuple[str, ...] = ()
    shortened: Integers = field(default_factory=lambda: _NONE)
    bare: Integers = field(default_factory=lambda: _NONE.reshape(0, 2))
    _known: dict[int, str] = field(default_factory=dict, repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.headers or bool(self.heads)

    def at(self, position: int) -> str:
        """The lines before a chunk that starts at a position; empty where there are none."""
        known = self._known.get(position)
        if known is None:
            line = header_line(self.analysis, position) if self.headers else ""
            known = self._known[position] = line + self._head(position)
        return known

    def sizes(self, positions: Integers, size: Callable[[str], int]) -> Integers:
        """What the lines before chunks that start at some positions measure, by `size`."""
        if not len(positions):
            return positions
        _, first, of = np.unique(self._alike(positions), return_index=True, return_inverse=True)
        found = [size(self.at(position)) for position in positions[first].tolist()]
        return np.array(found, np.int64)[of]

    def _alike(self, positions: Integers) -> Integers:
        """A number for each position; where it is the same, so is what stands before a chunk."""
        section = np.searchsorted(self.analysis.section_starts, positions, side="right")
        body, row = _all_holding(self.bodies, positions), _all_holding(self.bare, positions)
        table = np.where(row < 0, body + 1, 0)
        return (section if self.headers else 0) * (len(self.heads) + 1) + table

    def _head(self, position: int) -> str:
        at = _holding(self.bodies, position)
        return self.heads[at] if at >= 0 and _holding(self.bare, position) < 0 else ""

    def prefixed(self, starts: Integers) -> Integers:
        """Indices of the chunks, by their starts, that may have anything before them."""
        if self.headers:
            return np.arange(len(starts))
        if not self.heads:
            return _NONE
        table = np.searchsorted(self.bodies[:, 0], starts, side="right") - 1
        return np.flatnonzero((table >= 0) & (starts < self.bodies[np.maximum(table, 0), 1]))


def _holding(spans: Integers, position: int) -> int:
    """The one of some disjoint spans that holds a position, or -1."""
    at = int(spans[:, 0].searchsorted(position, side="right")) - 1
    return at if at >= 0 and position < spans[at, 1] else -1


def _all_holding(spans: Integers, positions: Integers) -> Integers:
    """`_holding` of each position."""
    if not len(spans):
        return np.full(len(positions), -1)
    at = np.searchsorted(spans[:, 0], positions, side="right") - 1
    return np.where((at >= 0) & (positions < spans[at, 1]), at, -1)


def context(analysis: Analysis, setup: Setup, unit: Measure, *, tables: bool) -> Context:
    r"""What stands before the chunks of a document under a setup.

    The head of a table is repeated where it and the contextual header take at most half of the
    size; a wider one gives its first words, up to a quarter of the size.

    Args:
        analysis: The document's analysis.
        setup: How it is cut.
        unit: The measure of the setup's unit.
        tables: Whether heads of tables are repeated.

    >>> from chunkwright.chunking.measure import Characters
    >>> from chunkwright.model import Document
    >>> text = Analysis(Document("a.md", "| k | v |\n|---|---|\n| a | 1 |\n| b | 2 |\n"))
    >>> made = context(text, Setup.parse("markdown:40c"), Characters(40), tables=True)
    >>> made.at(30), made.at(0)
    ('| k | v |\n|---|---|\n', '')
    """
    found = analysis.structure.tables if tables else _NONE
    if not len(found):
        return Context(analysis, setup.headers)
    bodies: list[tuple[int, int]] = []
    heads: list[str] = []
    shortened: list[int] = []
    bare: list[tuple[int, int]] = []
    whole = analysis.structure.whole

    def rows_between(low: int, high: int) -> list[tuple[int, int]]:
        # Nothing but rows stays whole inside a table.
        first, last = np.searchsorted(whole[:, 0], (low, high))
        rows = whole[first:last].tolist()
        return [(start, analysis.trimmed_end(end)) for start, end in rows]

    for start, end, body, stop in found.tolist():
        line = header_line(analysis, body) if setup.headers else ""

        def takes(head: str, line: str = line, body: int = body) -> int:
            return unit.size(body, body, line + head)

        head = _lines(analysis, start, end)
        if 2 * takes(head) > setup.size:
            shortened.append(start)
            head = _first_words(head.splitlines()[0], lambda some: 4 * takes(some) <= setup.size)
        if head:
            bare.extend(
                (low, high)
                for low, high in rows_between(body, stop)
                if unit.size(low, high, line) <= setup.size < unit.size(low, high, line + head)
            )
            bodies.append((body, stop))
            heads.append(head)
    return Context(
        analysis,
        setup.headers,
        np.array(bodies, np.int64).reshape(-1, 2),
        tuple(heads),
        np.array(shortened, np.int64),
        np.array(bare, np.int64).reshape(-1, 2),
    )


def _lines(analysis: Analysis, start: int, end: int) -> str:
    """The lines of a table's head, without the indent that the first of them has left behind."""
    # The head of a table that goes on in this part of a text may lie in the part before.
    text, origin = analysis.document.text, analysis.origin
    start, end = origin + start, origin + end
    before = text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1 : start]
    first, *others = text[start:end].splitlines(keepends=True)
    if before.isspace():
        indent = re.compile(rf"[ \t]{{0,{len(before)}}}")
        others = [indent.sub("", line, count=1) for line in others]
    return "".join((first, *others, "\n"))


def _first_words(row: str, fits: Callable[[str], bool]) -> str:
    """As many words of a row as fit, as a line of its own; empty where not one does."""
    words = row.split()
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(" ".join(words[:middle]) + " …\n"):
            low = middle
        else:
            high = middle - 1
    found = " ".join(words[:low])
    return f"{found} …\n" if any(map(str.isalnum, found)) else ""
