"""The structure of a Markdown text: front matter, headings, blocks, and what must stay whole.

CommonMark with GFM tables, as markdown-it-py reads them; positions are code points of the text
as it was given, whatever its line ends.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from chunkwright.model import Section
from chunkwright.spans import Integers, Span, merged
from chunkwright.text.characters import SPACE, code_points, kinds

if TYPE_CHECKING:
    from markdown_it.token import Token

_OPENING = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*(?:\r\n|\n|\r)")
_LINE_END = re.compile(r"\r\n|\n|\r")
_CLOSING = {
    fence: re.compile(rf"(?:\r\n|\n|\r)(?:{lines})[ \t]*(?:\r\n|\n|\r|\Z)")
    for fence, lines in (("---", r"---|\.\.\."), ("+++", r"\+\+\+"))
}
# Lines of YAML that are no field: indented, a comment, an item, the end of a list.
_YAML_LINE = re.compile(r"[\s#\-\]}].*")
_FIELD = {
    "---": re.compile(r"([^\W\d][\w.-]*|\"[^\"]+\"|'[^']+')[ \t]*:(?:[ \t]+(\S.*))?"),
    "+++": re.compile(r"([\w.-]+|\"[^\"]+\"|'[^']+')[ \t]*=[ \t]*(\S.*)"),
}
_QUOTED = re.compile(r"""("[^"]*"|'[^']*')[ \t]*(?:#.*)?""")
_FOLDED = re.compile(r"[|>][-+\d]*|")
_WINDOW = 1 << 16
_EMPTY = np.empty(0, np.int64)
# A block of these kinds is not cut while it fits.
_WHOLE = {"fence", "code_block", "html_block", "list_item_open", "footnote_open", "definition"}
_VERBATIM = {"fence", "code_block", "html_block"}
# Where a window may end: after a block that no later line can lengthen, and before a block that
# begins with a line that ends any block above it.
_ENDED = {"heading_open", "hr", "table_open", *_VERBATIM}
_LISTS = {"bullet_list_open", "ordered_list_open"}
_ENDING = {"hr", "fence", "blockquote_open", "footnote_open", *_LISTS}
# Blocks that a blank line ends.
_CLOSED = {"paragraph_open", "heading_open", "hr", "blockquote_open", "table_open", "definition"}
# Blocks that are read line by line, and how many lines tell what they are.
_LINEWISE = {"fence": 1, "code_block": 1, "html_block": 1, "table_open": 2}


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

    def part(self, low: int, high: int) -> Structure:
        """What of it lies in a part of the text, counted from the part's start.

        A table's head may lie before that start.
        """

        def within(positions: Integers) -> Integers:
            first, last = np.searchsorted(positions, (low, high))
            return positions[first:last] - low

        def clipped(spans: Integers) -> Integers:
            here = spans[(spans[:, 0] < high) & (spans[:, -1] > low)]
            return np.clip(here - low, 0, high - low)

        bodies = self.tables[:, 2:]
        tables = self.tables[(bodies[:, 0] < high) & (bodies[:, 1] > low)] - low
        tables[:, 2:] = np.clip(tables[:, 2:], 0, high - low)
        return Structure(
            self.front_matter if low == 0 else None,
            self.metadata,
            _sections_within(self.sections, low, high),
            within(self.blocks),
            within(self.pieces),
            within(self.kept),
            clipped(self.tight),
            clipped(self.whole),
            tables,
        )


def _sections_within(sections: tuple[Section, ...], low: int, high: int) -> tuple[Section, ...]:
    """The sections of a part of a text; never empty."""
    first = max(0, bisect_right(sections, low, key=lambda section: section.start) - 1)
    last = max(first + 1, bisect_left(sections, high, key=lambda section: section.start))
    return tuple(
        Section(
            start=max(0, section.start - low),
            end=min(section.end, high) - low,
            path=section.path,
            level=section.level,
            body=max(0, min(section.body, high) - low),
        )
        for section in sections[first:last]
    )


def plain(text: str) -> Structure:
    """The structure of a text without markup: one section."""
    return Structure(None, {}, (Section(0, len(text), (), 0, 0),))


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
    r"""The metadata block at the top of a text, YAML or TOML, and its plain fields.

    >>> front_matter("---\ntitle: Trip\n---\nBody")
    (Span(start=0, end=20), {'title': 'Trip'})
    """
    opening = _OPENING.match(text)
    if opening is None or not _is_field(text, opening):
        return None, {}
    # The line break before the body may be the one before its end, too.
    closing = _CLOSING[opening[1]].search(text, opening.end() - 1)
    if closing is None:
        return None, {}
    lines = _LINE_END.split(text[opening.end() : max(opening.end(), closing.start())])
    fields = [_field(line, opening[1]) for line in lines]
    if opening[1] == "---":
        # Text between two rules is no metadata.
        for line, field_ in zip(lines, fields, strict=True):
            if field_ is None and line and not _YAML_LINE.fullmatch(line):
                return None, {}
    return Span(0, closing.end()), {found[0]: found[1] for found in fields if found and found[1]}


def _is_field(text: str, opening: re.Match[str]) -> bool:
    """Whether the first visible line of a metadata block is a field, or a comment on one."""
    at = opening.end()
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    end = _LINE_END.search(text, at)
    line = text[at : end.start() if end else len(text)]
    return (
        line[:1] == "#"
        or _field(line, opening[1]) is not None
        or (opening[1] == "+++" and line[:1] == "[")
    )


def _field(line: str, fence: str) -> tuple[str, str] | None:
    """Name and value of a field on a line; a value of several lines is left out."""
    found = _FIELD[fence].fullmatch(line.rstrip(" \t"))
    if found is None:
        return None
    value = found[2] or ""
    if quoted := _QUOTED.fullmatch(value):
        value = quoted[1][1:-1]
    elif _FOLDED.fullmatch(value := _without_comment(value)):
        value = ""
    return found[1].strip("\"'"), value


def _without_comment(value: str) -> str:
    at = value.find("#")
    while at > 0 and value[at - 1] not in " \t":
        at = value.find("#", at + 1)
    return value if at < 0 else value[:at].rstrip(" \t")


def read(text: str, window: int = _WINDOW) -> Structure:
    r"""Read the structure of a Markdown text.

    Headings inside lists and block quotes begin no section: they are part of what holds them.

    Args:
        text: The whole text.
        window: About how many characters are parsed at once. It changes what memory is taken,
            never the result.

    >>> [section.path for section in read("# D\n### s\nx\n## t\ny").sections]
    [('D',), ('D', 's'), ('D', 't')]
    """
    matter, metadata = front_matter(text)
    reader = _Reader(text)
    reader.run(matter.end if matter else int(text.startswith("\ufeff")), window)
    reader.close()
    return Structure(
        matter,
        metadata,
        _sections(text, matter.end if matter else 0, reader),
        reader.blocks.array(),
        reader.pieces.array(),
        reader.kept.array(),
        reader.tight.array(),
        reader.whole.array(),
        reader.tables.array(),
    )


class _Rows:
    """Rows of integers, ascending and each once in the end. Held as arrays: there may be many."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.parts: list[Integers] = []
        self.fresh: list[int | tuple[int, ...]] = []
        self.append = self.fresh.append
        self.extend = self.fresh.extend

    def settle(self) -> None:
        if self.fresh:
            self.parts.append(np.array(self.fresh, np.int64).reshape(-1, self.width))
            self.fresh.clear()

    def array(self) -> Integers:
        rows = np.concatenate(self.parts or [_EMPTY.reshape(0, self.width)])
        self.parts.clear()
        rows = rows[np.lexsort(rows.T[::-1])]
        new = np.r_[True, (rows[1:] != rows[:-1]).any(axis=1)][: len(rows)]
        rows = rows[new]
        return rows[:, 0] if self.width == 1 else rows


class _Window:
    """Some lines of a text, parsed; positions are the text's own.

    Where a block goes on that an earlier window began, its first lines are read again before the
    others, so that the parser knows what it is in.

    Attributes:
        tokens: The block tokens; they count lines from 0.
        starts: Where each line starts, and where the last one ends.
        visible: First visible character of each line or of what follows it.
        trimmed: One past the last visible character before each start.
        at_end: Whether the text ends here.
    """

    def __init__(self, text: str, head: Span, start: int, size: int) -> None:
        stop = _line_end(text, start + size)
        from chunkwright.text.commonmark import parse  # heavy, and not for plain text

        shown = text[head.start : head.end] + text[start:stop]
        lines = np.r_[line_starts(shown), len(shown)]
        visible = np.r_[np.flatnonzero((kinds(code_points(shown)) & SPACE) == 0), len(shown)]
        at = np.searchsorted(visible, lines)
        repeated = head.end - head.start

        def own(positions: Integers) -> list[int]:
            moved = np.where(positions < repeated, head.start, start - repeated)
            return (positions + moved).tolist()

        self.text = text
        self.start = start
        self.at_end = stop == len(text)
        self.starts = own(lines)
        self.visible = own(visible[at])
        self.trimmed = own(visible[np.maximum(at - 1, 0)] + 1)
        self.tokens = parse(shown)

    def rest(self) -> tuple[int, int]:
        """What is better read again with what follows: from which token, and from which line.

        The token is the first if only lines of it can be taken; the line is 0 if nothing can.
        """
        tops = [
            at
            for at, token in enumerate(self.tokens)
            if token.level == 0 and token.map and token.nesting >= 0
        ]
        for before, at in zip(tops[-2::-1], tops[:0:-1], strict=True):
            if self._parted(before, at):
                return at, _lines(self.tokens[at])[0]
        if not tops:
            return len(self.tokens), len(self.starts) - 1
        if len(tops) > 1:
            return 0, 0
        only = self.tokens[tops[0]]
        line = _lines(only)[1]
        if only.type in _CLOSED and line + 1 < len(self.starts) and self._is_blank(line):
            return len(self.tokens), len(self.starts) - 1
        if only.type in _LISTS:
            for at in range(len(self.tokens) - 1, tops[0], -1):
                token = self.tokens[at]
                if token.type == "list_item_open" and token.level == 1:
                    return at, _lines(token)[0]
        if only.type in _LINEWISE:
            # The last line may be the one that ends the block.
            return 0, _lines(only)[1] - 1
        return 0, 0

    def _parted(self, before: int, at: int) -> bool:
        """Whether what follows a window cannot change where one block ends and the next begins.

        It could where the first ends in a link definition whose title is still open.
        """
        above, block = self.tokens[before], self.tokens[at]
        line = _lines(block)[0]
        if above.type in _ENDED or block.type in _ENDING or block.markup.startswith("#"):
            return True
        if block.type == "table_open" and above.type == "paragraph_open":
            return not block.meta["above"]
        return self._is_blank(line - 1)

    def _is_blank(self, line: int) -> bool:
        return self.text[self.starts[line] : self.starts[line + 1]].isspace()


def _line_end(text: str, position: int) -> int:
    """The end of the line that a position lies in."""
    if position >= len(text):
        return len(text)
    found = _LINE_END.search(text, position - 1)
    return found.end() if found else len(text)


class _Reader:
    """Reads a text window by window.

    All blocks of a window are taken but the last, which may go on; the next window starts with
    that one. Where a window is one block, a list is taken up to its last item, and code, HTML and
    tables up to their last line; anything else needs a wider window.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.headings: list[tuple[int, int, int, str]] = []
        self.labels: set[str] = set()
        self.blocks, self.pieces, self.kept = _Rows(1), _Rows(1), _Rows(1)
        self.tight, self.whole, self.tables = _Rows(2), _Rows(2), _Rows(4)
        self._heading: Span | None = None
        self._lead_in = False
        self._first_row = -1

    def run(self, start: int, size: int) -> None:
        head, width, in_list = Span(0, 0), size, False
        while start < len(self.text):
            window = _Window(self.text, head, start, width)
            tokens = window.tokens
            if window.at_end:
                self._walk(window, tokens, in_list)
                return
            at, line = window.rest()
            if window.starts[line] <= start:
                width *= 2
                continue
            if at or not tokens:
                self._walk(window, tokens[:at], in_list)
                head = Span(0, 0)
                in_list = at < len(tokens) and tokens[at].type == "list_item_open"
            else:
                first, repeated = _lines(tokens[0])[0], _LINEWISE[tokens[0].type]
                if line < first + repeated:
                    width *= 2
                    continue
                self._walk(window, tokens[:1], in_list, open_at=line)
                if not head.end:
                    head = Span(window.starts[first], window.starts[first + repeated])
                in_list = False
            start, width = window.starts[line], size

    def close(self) -> None:
        if self._heading:
            self.tight.append(self._heading)
        self.tight.settle()

    def _walk(
        self, window: _Window, tokens: list[Token], in_list: bool, open_at: int | None = None
    ) -> None:
        """Collect the positions of some tokens.

        Args:
            window: What they were read from.
            tokens: They and all that they hold.
            in_list: Whether the first is a list that has begun before the window.
            open_at: Line up to which the only token is known; it goes on.
        """
        visible, starts = window.visible, window.starts
        for index, token in enumerate(tokens):
            if token.map is None or token.nesting < 0 or token.type == "inline":
                continue
            first, last = _lines(token)
            last = min(last, len(starts) - 1) if open_at is None else open_at
            start, end = visible[first], starts[last]
            if start >= end or (in_list and index == 0):
                continue
            if above := token.meta.get("above"):  # lines of a table's head
                paragraph, start = visible[_lines(tokens[index - 3])[0]], visible[first - above]
                self._lead_in = paragraph < start and self._is_lead_in(start)
            in_run = index > 0 and _is_next_definition(tokens, index)
            self._begin(token, start, in_run=in_run)
            if token.type == "definition" and not in_run:
                self.whole.append((start, starts[_end_of_run(tokens, index)]))
            if token.type in _WHOLE and open_at is None:
                self.whole.append((start, end))
            if token.type == "heading_open":
                self._heading = Span(start, end)
                if token.level == 0:
                    content = tokens[index + 1].content
                    self.headings.append((start, end, int(token.tag[1]), content))
            elif token.type == "paragraph_open":
                self._lead_in = token.level == 0 and self._is_lead_in(end)
            elif token.type == "table_open":
                self._table(window, start, range(first + 2, last), ended=open_at is None)
            elif token.type in _VERBATIM:
                inner = range(first + 1, last)
                self.pieces.extend(visible[at] for at in inner if visible[at] < starts[at + 1])
        for rows in (self.blocks, self.pieces, self.kept, self.tight, self.whole, self.tables):
            rows.settle()

    def _begin(self, token: Token, start: int, *, in_run: bool) -> None:
        """A block starts; a run of link definitions is one block."""
        top = token.level == 0
        (self.blocks if top and not in_run else self.pieces).append(start)
        if self._heading and self._heading.start < start:
            # Down to what follows: the marks of a block quote on empty lines start nothing.
            self.tight.append((self._heading.start, start))
            self.kept.append(start)
            self._heading = None
        if top and self._lead_in:
            self.kept.append(start)
        if top:
            self._lead_in = False
        if token.type in ("definition", "footnote_open"):
            self.labels.add(token.meta["id"])

    def _table(self, window: _Window, start: int, rows: range, *, ended: bool) -> None:
        visible, starts = window.visible, window.starts
        found = [row for row in rows if visible[row] < starts[row + 1]]
        self.pieces.append(start)
        self.pieces.extend(visible[row] for row in found)
        self.whole.extend((visible[row], starts[row + 1]) for row in found)
        if found and self._first_row < 0:
            self._first_row = visible[found[0]]
        if not ended:
            return
        dashes = window.trimmed[rows.start]
        self.whole.append((start, dashes))
        if self._first_row >= 0:
            # The head and the first row stay together.
            self.tables.append((start, dashes, self._first_row, window.trimmed[rows.stop]))
            self.tight.append((start, self._first_row))
            self.kept.append(self._first_row)
        self._first_row = -1

    def _is_lead_in(self, end: int) -> bool:
        return self.text[max(0, end - 200) : end].rstrip().rstrip("*_").endswith(":")


def _lines(token: Token) -> tuple[int, int]:
    """The lines of a block: first, and one past the last."""
    first, last = token.map or (0, 0)
    return first, last


def _is_next_definition(tokens: list[Token], index: int) -> bool:
    """Whether a token is a link definition right below another one."""
    before, token = tokens[index - 1], tokens[index]
    both = token.type == before.type == "definition"
    return both and _lines(before)[1] == _lines(token)[0]


def _end_of_run(tokens: list[Token], index: int) -> int:
    """The line after the link definitions that stand right below one another."""
    while index + 1 < len(tokens) and _is_next_definition(tokens, index + 1):
        index += 1
    return _lines(tokens[index])[1]


def _sections(text: str, origin: int, reader: _Reader) -> tuple[Section, ...]:
    from chunkwright.text.commonmark import titles

    headings = reader.headings
    edges = [heading[0] for heading in headings] + [len(text)]
    sections: list[Section] = []
    if not headings or text[origin : edges[0]].strip("\ufeff \t\r\n\f\v"):
        sections.append(Section(origin, edges[0], (), 0, origin))
    path: list[tuple[int, str]] = []
    named = titles((content for *_, content in headings), reader.labels)
    for (start, body, level, _), title, end in zip(headings, named, edges[1:], strict=True):
        while path and path[-1][0] >= level:
            path.pop()
        path.append((level, title))
        names = tuple(name for _, name in path if name)
        sections.append(Section(start, end, names, level, min(body, end)))
    return tuple(sections)
