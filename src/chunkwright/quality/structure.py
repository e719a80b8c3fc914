"""Rules of structure: rows without head, code and lists cut apart, lines of pages and sites."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkwright.quality.rule import Hits, Rule, Severity, Thresholds
from chunkwright.quality.view import View
from chunkwright.spans import Integers
from chunkwright.text.characters import code_points

_FENCE = re.compile(r"(?:`{3}|~{3})")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")
_LINK = re.compile(r"\[[^\]\n]*\]\([^)\n]*\)")
_ADDRESS = re.compile(r"https?://\S+")
_LINE = re.compile(r"[^\n\r\f]+")
_NUMBER = re.compile(r"\d+")
_NEW_LINE = 10
_PAGE = re.compile(
    r"(?:page|seite|página|pagina|стр\.|страница|第)?\s*-?\s*\d{1,4}\s*-?"
    r"(?:\s*(?:of|von|de|di|van|из|/|页|頁|ページ)\s*\d{1,4})?",
    re.IGNORECASE,
)
# What sites put around every page. Whole lines only, so that a text about cookies is none.
_CHROME = re.compile(
    r"^[ \t*|>-]*(skip to (?:main )?content|all rights reserved\.?"
    r"|(?:©|\(c\)|copyright).{0,60}\d{4}.{0,60}"
    r"|back to top|table of contents|share (?:this|on) .{0,30}"
    r"|privacy policy|terms of (?:use|service)|cookie (?:settings|policy)"
    r"|accept (?:all )?cookies|subscribe to our newsletter"
    r"|zum inhalt springen|alle rechte vorbehalten\.?|nach oben|datenschutz|impressum"
    r"|tous droits réservés\.?|aller au contenu|haut de page|mentions légales"
    r"|todos los derechos reservados\.?|volver arriba|todos os direitos reservados\.?"
    r"|tutti i diritti riservati\.?|alle rechten voorbehouden\.?"
    r"|все права защищены\.?|版权所有.{0,30})[ \t*|>-]*\r?$",
    re.IGNORECASE | re.MULTILINE,
)


def _rows_of(spans: Integers, where: Integers) -> Integers:
    """For each position, the row of the last span that starts at or before it; -1 if none."""
    return np.searchsorted(spans[:, 0], where, side="right") - 1


def _row_without_header(view: View, _limits: Thresholds) -> Hits:
    tables = view.analysis.structure.tables
    if not len(tables) or not len(view):
        return Hits()
    at = _rows_of(tables[:, 2:], view.starts)
    inside = (at >= 0) & (view.starts < tables[np.maximum(at, 0), 3])
    chunks = np.array(
        [
            chunk
            for chunk in np.flatnonzero(inside).tolist()
            if not _has_head(view, chunk, tables[at[chunk]])
        ],
        np.int64,
    )
    ends = np.minimum(view.ends[chunks], tables[at[chunks], 3])
    return Hits(chunks, view.starts[chunks], ends)


def _has_head(view: View, chunk: int, table: Integers) -> bool:
    """Whether what stands before a chunk in its embed_text repeats the head of its table."""
    lead = view.cut.leads.get(chunk)
    prefix = view.cut.prefix(chunk) + (lead.words if lead else "")
    first = view.text[int(table[0]) : int(table[1])].split("\n", 1)[0].strip()
    shown = first.split("|")[1].strip() if first.startswith("|") else first[:10]
    return bool(prefix) and shown in prefix


ROW_WITHOUT_HEADER = Rule(
    code="S201",
    name="row-without-header",
    label="table row without its header",
    severity=Severity.WARNING,
    why="A row's figures say nothing without the names of their columns.",
    bad="| Plan | Price |\n|---|---|\n| Plus | 3.99 |\n¦| Pro | 9.99 |\n",
    good="| Plan | Price |\n|---|---|\n| Plus | 3.99 |\n| Pro | 9.99 |\n",
    find=_row_without_header,
    repair="repeat_table_head",
    safe=True,
)


def fenced(view: View) -> Integers:
    """Spans of fenced code. Shape `(n, 2)`."""
    whole = view.analysis.structure.whole
    found = [_FENCE.match(view.text, start) is not None for start in whole[:, 0].tolist()]
    return whole[np.array(found, np.bool_)] if len(whole) else whole


def _cut_code(view: View, _limits: Thresholds) -> Hits:
    fences = fenced(view)
    if not len(fences) or not len(view):
        return Hits()
    stops = view.analysis.all_trimmed_ends(fences[:, 1])
    first, last = _rows_of(fences, view.starts), _rows_of(fences, view.ends)
    low, high = np.maximum(first, 0), np.maximum(last, 0)
    starts_in = (first >= 0) & (view.starts > fences[low, 0]) & (view.starts < stops[low])
    ends_in = (last >= 0) & (view.ends > fences[high, 0]) & (view.ends < stops[high])
    chunks = np.flatnonzero(starts_in | ends_in)
    starts = np.where(starts_in, view.starts, np.maximum(fences[high, 0], view.starts))[chunks]
    ends = np.where(starts_in, np.minimum(stops[low], view.ends), view.ends)[chunks]
    return Hits(chunks, starts, ends)


CUT_CODE = Rule(
    code="S202",
    name="cut-code",
    label="cut code block",
    severity=Severity.WARNING,
    why="Half of a listing neither runs nor explains, and the rest is taken for prose.",
    bad="```\nconnect()\n¦reset()\n```\n",
    good="```\nconnect()\nreset()\n```\n",
    find=_cut_code,
    repair="keep_code_whole",
    safe=True,
)


def _items(view: View) -> tuple[Integers, Integers]:
    """Spans of list items, and the number of the list that each belongs to.

    An item follows another one of its list if nothing but white space lies between them.
    """
    whole = view.analysis.structure.whole
    found = [_ITEM.match(view.text, start) is not None for start in whole[:, 0].tolist()]
    items = whole[np.array(found, np.bool_)] if len(whole) else whole
    if not len(items):
        return items, np.empty(0, np.int64)
    stops = view.analysis.all_trimmed_ends(items[:, 1])
    first = np.r_[True, view.analysis.all_next_visible(stops[:-1]) != items[1:, 0]]
    nested = np.r_[False, items[1:, 0] < np.maximum.accumulate(stops)[:-1]]
    return items, np.cumsum(first & ~nested) - 1


def _cut_list(view: View, _limits: Thresholds) -> Hits:
    items, lists = _items(view)
    if not len(items) or not len(view):
        return Hits()
    heads = items[np.searchsorted(lists, np.arange(lists[-1] + 1)), 0]
    tails = np.zeros(lists[-1] + 1, np.int64)
    np.maximum.at(tails, lists, view.analysis.all_trimmed_ends(items[:, 1]))
    at = np.searchsorted(heads, view.starts, side="right") - 1
    low = np.maximum(at, 0)
    chunks = np.flatnonzero((at >= 0) & (view.starts > heads[low]) & (view.starts < tails[low]))
    ends = np.minimum(view.ends, tails[low])[chunks]
    return Hits(chunks, view.starts[chunks], ends)


CUT_LIST = Rule(
    code="S203",
    name="cut-list",
    label="cut list",
    severity=Severity.NOTE,
    why="Steps or options are spread over chunks, so that an answer lists only some of them.",
    bad="To reset:\n\n- Switch it off.\n¦- Switch it on.\n",
    good="To reset:\n\n- Switch it off.\n- Switch it on.\n",
    find=_cut_list,
)


def _front_matter(view: View, _limits: Thresholds) -> Hits:
    matter = view.analysis.structure.front_matter
    if matter is None or not len(view):
        return Hits()
    spans = view.cut.spans
    chunks = np.flatnonzero((spans.starts < matter.end) & (spans.ends > matter.start))
    starts = np.maximum(spans.starts[chunks], matter.start)
    return Hits(chunks, starts, np.minimum(spans.ends[chunks], matter.end))


FRONT_MATTER = Rule(
    code="S204",
    name="front-matter",
    label="front matter",
    severity=Severity.WARNING,
    why="Fields of a page's metadata are no answer; they belong beside the chunk.",
    bad="---\ntitle: Lamp\n---\n\nIt blinks blue while it pairs.",
    good="Lamps blink blue while they pair.",
    find=_front_matter,
    repair="leave_out_front_matter",
    safe=True,
)


def _edge_lines(page: str) -> list[tuple[int, int]]:
    """The first two and last two lines of a page that are not blank, as spans."""
    spans = [found.span() for found in _LINE.finditer(page) if not found[0].isspace()]
    return list(dict.fromkeys([*spans[:2], *spans[-2:]]))


def _pattern(line: str) -> str:
    """A line without its numbers: page 3 and page 4 are one header."""
    return _NUMBER.sub("#", " ".join(line.split()))


def _page_lines(view: View, limits: Thresholds) -> Integers:
    """Lines at the edges of pages that come back, and page numbers. Shape `(n, 2)`."""
    text = view.text
    bounds = [*view.analysis.page_starts.tolist(), len(text)]
    if len(bounds) <= 2:
        return np.empty((0, 2), np.int64)
    lines = [
        (low + start, low + end)
        for low, high in pairwise(bounds)
        for start, end in _edge_lines(text[low:high])
    ]
    times = Counter(_pattern(text[start:end]) for start, end in lines)
    least = max(limits["times"], limits["share"] * (len(bounds) - 1))
    found = [
        (start, end)
        for start, end in lines
        if times[_pattern(text[start:end])] >= least or _PAGE.fullmatch(text[start:end].strip())
    ]
    return np.array(sorted(found), np.int64).reshape(-1, 2)


def _holding(view: View, spans: Integers) -> Hits:
    """The chunks that hold one of some spans whole, each with the first of them."""
    if not len(spans) or not len(view):
        return Hits()
    at = np.searchsorted(spans[:, 0], view.starts)
    low = np.minimum(at, len(spans) - 1)
    chunks = np.flatnonzero((at < len(spans)) & (spans[low, 1] <= view.ends))
    return Hits(chunks, spans[low[chunks], 0], spans[low[chunks], 1])


def _repeated_page_line(view: View, limits: Thresholds) -> Hits:
    return _holding(view, _page_lines(view, limits))


REPEATED_PAGE_LINE = Rule(
    code="S205",
    name="repeated-page-line",
    label="repeated page header or footer",
    severity=Severity.NOTE,
    why="A running title in every chunk makes all of them alike, and cuts sentences apart.",
    bad="Lamp guide 1\nPress it.\n\fLamp guide 2\nHold it.\n\fLamp guide 3\nLet go.\n",
    good="Press it.\n\fHold it.\n\fLet go.\n",
    find=_repeated_page_line,
    thresholds={"times": 3, "share": 0.5},
)


def _boilerplate(views: Sequence[View], limits: Thresholds) -> list[Hits]:
    """Lines that many documents have, lines of sites, and chunks that are mostly links."""
    lines = [_lines(view.text) for view in views]
    held: Counter[int] = Counter()
    for each in lines:
        held.update(each.known)
    least = max(limits["documents"], limits["share"] * len(views))
    common = [line for line, times in held.items() if times >= least]
    return [
        _boilerplate_of(view, each, np.array(common, np.int64), limits)
        for view, each in zip(views, lines, strict=True)
    ]


class _Lines(NamedTuple):
    """The lines of a text without their numbers, as hashes: page 3 and page 4 are one.

    Attributes:
        hashes: Of each line.
        sizes: Its length, without what its numbers are made of.
        known: The hashes, each once.
    """

    hashes: Integers
    sizes: Integers
    known: list[int]


def _lines(text: str) -> _Lines:
    lines = _NUMBER.sub("#", text).split("\n")
    hashes = np.fromiter(map(hash, lines), np.int64, len(lines))
    sizes = np.fromiter(map(len, lines), np.int64, len(lines))
    return _Lines(hashes, sizes, np.unique(hashes).tolist())


def _boilerplate_of(view: View, lines: _Lines, common: Integers, limits: Thresholds) -> Hits:
    text = view.text
    spans = [found.span(1) for found in _CHROME.finditer(text)]
    held = np.isin(lines.hashes, common) & (lines.sizes >= limits["characters"])
    if held.any():
        ends = np.append(np.flatnonzero(code_points(text) == _NEW_LINE), len(text))
        starts = np.append(0, ends[:-1] + 1)
        spans += zip(starts[held].tolist(), ends[held].tolist(), strict=True)
    whole = _holding(view, np.array(sorted(spans), np.int64).reshape(-1, 2))
    links = _links(text)
    linked = _mostly(view, links, limits["links"]) if len(links) else whole.chunks[:0]
    chunks = np.union1d(whole.chunks, linked)
    starts, ends = view.starts[chunks], view.ends[chunks]
    whole_lines = np.isin(chunks, linked, invert=True)
    at = np.searchsorted(whole.chunks, chunks[whole_lines])
    starts[whole_lines], ends[whole_lines] = whole.starts[at], whole.ends[at]
    return Hits(chunks, starts, ends)


def _links(text: str) -> NDArray[np.int64]:
    """Links of Markdown and bare addresses, as rows of start and end."""
    found = [match.span() for match in _LINK.finditer(text)] if "](" in text else []
    ends = [end for _, end in found]
    for match in _ADDRESS.finditer(text):  # an expression that begins with letters is fast
        start = match.start()
        at = bisect_right(found, (start, len(text)), hi=len(ends)) - 1
        inside = at >= 0 and start < ends[at]
        if not inside and not (start and (text[start - 1].isalnum() or text[start - 1] == "_")):
            found.append(match.span())
    return np.array(sorted(found), np.int64).reshape(-1, 2)


def _mostly(view: View, links: Integers, share: float) -> Integers:
    """Chunks of which at least three links make up so much."""
    first = np.searchsorted(links[:, 0], view.starts)
    last = np.maximum(np.searchsorted(links[:, 1], view.ends, side="right"), first)
    covered = np.r_[0, np.cumsum(links[:, 1] - links[:, 0])]
    sizes = np.maximum(1, view.ends - view.starts)
    return np.flatnonzero((last - first >= 3) & (covered[last] - covered[first] >= share * sizes))


BOILERPLATE = Rule(
    code="S206",
    name="boilerplate",
    label="navigation or boilerplate",
    severity=Severity.NOTE,
    why="What stands on every page answers nothing, and fills the results with copies of itself.",
    bad="Skip to content\nPress the button for five seconds.",
    good="Press the button for five seconds.",
    find_in_all=_boilerplate,
    thresholds={"documents": 5, "share": 0.3, "characters": 12, "links": 0.7},
)
