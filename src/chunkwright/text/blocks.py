"""The structure of a Markdown text: front matter, headings, blocks, and what must stay whole.

CommonMark with GFM tables, as markdown-it-py reads them; positions are code points of the text
as it was given, whatever its line ends.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from chunkwright.model import Section
from chunkwright.spans import Integers, Span, merged
from chunkwright.text.characters import code_points

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(
    r"\ufeff?(?P<fence>---|\+\+\+)[ \t]*(?:\r\n|\n|\r)"
    r"(?P<body>(?:(?!(?P=fence)[ \t]*(?:\r\n|\n|\r|\Z)).*(?:\r\n|\n|\r))*?)"
    r"(?P=fence)[ \t]*(?:\r\n|\n|\r|\Z)"
)
_FIELD = re.compile(r"([A-Za-z_][\w-]*)[ \t]*[:=](?:[ \t]+(\S.*?))?[ \t]*")
_HEADING_MARKS = re.compile(r"^\s*#{1,6}[ \t]+|[ \t]+#+[ \t]*$")
_PIPE = re.compile(r"(?<!\\)\|")
_LONGEST_TITLE = 120
_EMPTY = np.empty(0, np.int64)
# A block of these kinds is not cut while it fits.
_WHOLE = ("fence", "code_block", "tr_open", "list_item_open", "html_block")


@dataclass(frozen=True, slots=True)
class Structure:
    """Where the parts of a Markdown text lie. All positions are of visible characters.

    Attributes:
        front_matter: The metadata block at the top, or None.
        metadata: Its plain `key: value` lines.
        sections: The text cut at every heading, front matter left out; never empty.
        blocks: Starts of top-level blocks.
        pieces: Starts of list items, table rows and lines of code.
        kept: Cuts that part a heading or a lead-in from what follows it.
        tight: Spans that nothing starts inside of: headings, heads of tables. Shape `(n, 2)`.
        whole: Spans that are not cut while they fit: code, rows, items. Shape `(n, 2)`.
        tables: Start and end of the head of each table that has rows, then start and end of its
            rows. The head is all lines down to the dashes. Shape `(n, 4)`.
    """

    front_matter: Span | None
    metadata: Mapping[str, str]
    sections: tuple[Section, ...]
    blocks: Integers = field(default_factory=lambda: _EMPTY)
    pieces: Integers = field(default_factory=lambda: _EMPTY)
    kept: Integers = field(default_factory=lambda: _EMPTY)
    tight: Integers = field(default_factory=lambda: _EMPTY.reshape(0, 2))
    whole: Integers = field(default_factory=lambda: _EMPTY.reshape(0, 2))
    tables: Integers = field(default_factory=lambda: _EMPTY.reshape(0, 4))


def plain(text: str) -> Structure:
    """The structure of a text without markup: one section."""
    return Structure(None, {}, (Section(0, len(text), (), 0, 0),))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Only blocks are needed; inline markup never moves a cut.
    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


def line_starts(text: str) -> Integers:
    r"""Where lines start, as editors count them: after LF, CR LF and CR.

    >>> line_starts("a\r\nb\n").tolist()
    [0, 3, 5]
    """
    points = code_points(text)
    after = np.flatnonzero(points == 10) + 1
    returns = np.flatnonzero(points == 13) + 1
    if len(returns):
        following = points[np.minimum(returns, len(points) - 1)]
        alone = returns[(following != 10) | (returns == len(points))]
        after = merged(after, alone)
    return np.concatenate([np.zeros(1, np.int64), after])


def front_matter(text: str) -> tuple[Span | None, Mapping[str, str]]:
    r"""The metadata block at the top of a text, and its plain fields.

    >>> front_matter("---\ntitle: Trip\n---\nBody")
    (Span(start=0, end=20), {'title': 'Trip'})
    """
    found = _FRONT_MATTER.match(text)
    if found is None:
        return None, {}
    lines = [line for line in found["body"].splitlines() if line.strip()]
    # Text between two rules is no metadata: that begins with a field, or a comment on one.
    if not lines or not (lines[0].startswith("#") or _FIELD.fullmatch(lines[0])):
        return None, {}
    fields = [field for line in lines if (field := _FIELD.fullmatch(line)) and field[2]]
    return Span(0, found.end()), {field[1]: field[2].strip("\"'") for field in fields}


def read(text: str) -> Structure:
    r"""Read the structure of a Markdown text.

    >>> [section.path for section in read("# D\n### s\nx\n## t\ny").sections]
    [('D',), ('D', 's'), ('D', 't')]
    """
    matter, metadata = front_matter(text)
    skipped = matter.end if matter else int(text.startswith("\ufeff"))
    body = text[skipped:]
    lines = line_starts(body) + skipped
    lines = np.r_[lines, len(text)]
    tokens = _parser().parse(body)
    reader = _Reader(text, lines.tolist())
    reader.walk(tokens)
    origin = matter.end if matter else 0
    return Structure(
        matter,
        metadata,
        _sections(text, origin, reader.headings),
        _positions(reader.blocks),
        _positions(reader.pieces),
        _positions(reader.kept),
        np.array(sorted(set(reader.tight)), np.int64).reshape(-1, 2),
        np.array(sorted(set(reader.whole)), np.int64).reshape(-1, 2),
        np.array(reader.tables, np.int64).reshape(-1, 4),
    )


def _shortened(title: str) -> str:
    """A title on one line; one that is a whole paragraph (a setext slip) is cut to its start."""
    return textwrap.shorten(title, _LONGEST_TITLE, placeholder=" …")


def _is_row(line: str, columns: int) -> bool:
    """Whether a line above a table is one of it: by its first pipe, or by its number of cells."""
    line = line.strip()
    if line.startswith("|"):
        return True
    pipes = len(_PIPE.findall(line.removesuffix("|")))
    return pipes > 0 and pipes + 1 == columns


def _positions(found: list[int]) -> Integers:
    return np.array(sorted(set(found)), np.int64)


@dataclass(slots=True)
class _Reader:
    """Collects positions from block tokens in one pass."""

    text: str
    lines: list[int]
    headings: list[tuple[int, int, int, str]] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    pieces: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    tight: list[tuple[int, int]] = field(default_factory=list)
    whole: list[tuple[int, int]] = field(default_factory=list)
    tables: list[tuple[int, int, int, int]] = field(default_factory=list)

    def walk(self, tokens: list[Token]) -> None:
        after_heading = lead_in = False
        in_head = False
        table = 0
        for index, token in enumerate(tokens):
            if token.type in ("thead_open", "thead_close"):
                in_head = token.type == "thead_open"
            if token.map is None or token.nesting < 0 or token.type == "inline":
                continue
            first, last = token.map
            start, end = self._visible(first), self.lines[min(last, len(self.lines) - 1)]
            if start >= end:
                continue
            if token.level == 0:
                self.blocks.append(start)
                if after_heading or lead_in:
                    self.kept.append(start)
                after_heading = token.type == "heading_open"
                lead_in = token.type == "paragraph_open" and self._text_before(end).endswith(":")
            if token.type == "heading_open":
                title = _HEADING_MARKS.sub("", tokens[index + 1].content)
                self.tight.append((start, end))
                if token.level == 0:
                    self.headings.append((start, end, int(token.tag[1]), _shortened(title)))
            elif token.type == "table_open":
                table = self._head(tokens, index)
            elif token.type == "tr_open":
                self.pieces.append(start)
                # The head and the first row stay together.
                if not in_head and tokens[index - 1].type == "tbody_open":
                    rows = tokens[index - 1].map or token.map
                    dashes, stop = self._trimmed(first), self._trimmed(rows[1])
                    self.tables.append((table, dashes, start, stop))
                    self.tight.append((table, start))
                    self.kept.append(start)
            elif token.type == "list_item_open":
                self.pieces.append(start)
            elif token.type in ("fence", "code_block", "html_block"):
                inner = range(first + 1, last)
                found = map(self._visible, inner)
                self.pieces.extend(at for at in found if at < len(self.text))
            if token.type in _WHOLE:
                self.whole.append((start, end))

    def _head(self, tokens: list[Token], index: int) -> int:
        """Where the head of a table starts: GFM takes lines of it above the last for a paragraph."""
        first = (tokens[index].map or [0])[0]
        if index > 2 and tokens[index - 1].type == "paragraph_close":
            above = tokens[index - 2]
            columns = next(
                at for at, token in enumerate(tokens[index + 3 :]) if token.type == "tr_close"
            ) // 3
            if above.map and above.map[1] == first:
                for line in reversed(above.content.split("\n")):
                    if not _is_row(line, columns):
                        break
                    first -= 1
        return self._visible(first)

    def _trimmed(self, line: int) -> int:
        """One past the last visible character before a line."""
        at = self.lines[min(line, len(self.lines) - 1)]
        while at and self.text[at - 1].isspace():
            at -= 1
        return at

    def _text_before(self, end: int) -> str:
        return self.text[max(0, end - 200) : end].rstrip().rstrip("*_")

    def _visible(self, line: int) -> int:
        """First visible character of a line, or of what follows it."""
        at = self.lines[min(line, len(self.lines) - 1)]
        text, end = self.text, len(self.text)
        while at < end and text[at].isspace():
            at += 1
        return at


def _sections(
    text: str, origin: int, headings: list[tuple[int, int, int, str]]
) -> tuple[Section, ...]:
    edges = [heading[0] for heading in headings] + [len(text)]
    sections: list[Section] = []
    if not headings or text[origin : edges[0]].strip("\ufeff \t\r\n\f\v"):
        sections.append(Section(origin, edges[0], (), 0, origin))
    path: list[tuple[int, str]] = []
    for (start, body, level, title), end in zip(headings, edges[1:], strict=True):
        while path and path[-1][0] >= level:
            path.pop()
        path.append((level, title))
        titles = tuple(name for _, name in path if name)
        sections.append(Section(start, end, titles, level, min(body, end)))
    return tuple(sections)
