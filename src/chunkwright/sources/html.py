"""HTML pages as Markdown: what a reader sees, in order, with headings, lists, tables and code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from typing import TYPE_CHECKING, NamedTuple

from chunkwright.errors import SourceError

if TYPE_CHECKING:
    from html_to_markdown import ConversionOptions
    from markdown_it import MarkdownIt

# What browsers read to find the encoding, and where a page keeps its title.
_HEAD = 4096
_CHARSET = re.compile(
    rb"""<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]+)""", re.I
)
_TITLE = re.compile(r"<title\b", re.I)
_TITLE_END = re.compile(r"</title\b[^>]*>", re.I)
# Their marks would be embedded, and stand between a quote and the page's words.
_EMPHASIS = re.compile(r"</?(?:b|strong|i|em|cite|dfn|var)(?:\s[^<>]*)?/?>", re.I)
# Links to headings themselves, such as `¶`, would stand in their titles.
_HEADING = re.compile(r"<h[1-6]\b[^<]*(?:<(?!/?h[1-6]\b)[^<]*)*</h[1-6]\b", re.I)
_ANCHOR = re.compile(r"<a\b[^<>]*>([^<]*(?:<(?!/?a\b)[^<]*)*)</a\s*>", re.I)
_ANY_TAG = re.compile("<[^<>]*>")
_LETTER = re.compile(r"[^\W_]")
# The converter follows a page's tree this deep and leaves out what lies deeper.
_DEEPEST = 256
_KEPT_DEPTH = 30
# Pages are converted in pieces of so many characters, with the blocks that a piece may start with.
_PIECE = 4_000_000
_STARTING = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "p", "table"])
_TAG = re.compile(r"<!--|<(/?)([A-Za-z][^\s/>]*)")
_NESTING = frozenset(
    ["ul", "ol", "dl", "table", "pre", "blockquote", "svg", "math", "select", "details"]
)
_FLAT = frozenset(
    [
        "html",
        "head",
        "body",
        "title",
        "base",
        "link",
        "meta",
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "br",
        "hr",
        "img",
        "li",
        "dt",
        "dd",
        "tr",
        "td",
        "th",
        "thead",
        "tbody",
        "tfoot",
        "caption",
        "colgroup",
        "col",
        "option",
        "optgroup",
        "summary",
        "input",
    ]
)
_INLINE = frozenset(
    [
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "code",
        "del",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "label",
        "mark",
        "nobr",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
    ]
)
_RAW = frozenset(
    ["script", "style", "template", "textarea", "noscript", "iframe", "xmp", "noframes", "noembed"]
)
# Words of the page that Markdown would read as HTML, up to an end that may never come.
_OPENING = re.compile(
    r"^[ \t>*+\-\d.)]*?(?=<(?:!|\?|(?:script|pre|style|textarea)(?:[\s>]|$)))", re.I | re.M
)


# Elements that blocks stand in, and that a cut would take apart.
_HOLDING = _NESTING | {"head", "a", "button", "label", "span"}


class Page(NamedTuple):
    """The text of a page, and its title where it has one."""

    text: str
    title: str | None


def declared_encoding(data: bytes) -> str:
    """The encoding that a page names at its top; empty if none.

    >>> declared_encoding(b'<html><meta charset="windows-1251">')
    'windows-1251'
    """
    found = _CHARSET.search(data[:_HEAD])
    return found[1].decode("ascii") if found else ""


def as_markdown(html: str) -> Page:
    r"""A page as Markdown. Scripts, styles and emphasis are left out; text is not.

    Raises:
        SourceError: The page cannot be converted. The message is the reason only.

    >>> as_markdown("<title>Lamps</title><h1>Lamp</h1><div>It <b>blinks</b> blue.</div>")
    Page(text='# Lamp\n\nIt blinks blue.\n', title='Lamps')
    """
    title = _title(html)
    texts = [_literal(_text_of(piece)) for piece in _pieces(html)]
    del html  # large pages weigh on memory
    if len(texts) == 1:
        return Page(texts[0], title)
    return Page("\n\n".join(filter(None, (text.strip("\n") for text in texts))) + "\n", title)


@cache
def _options() -> ConversionOptions:
    from html_to_markdown import ConversionOptions, PreprocessingOptions

    return ConversionOptions(
        extract_metadata=False,
        # A page's navigation and forms are also its text: whole pages are made of forms.
        preprocessing=PreprocessingOptions(enabled=False),
        hidden_content="reachable",
        inline_data_media="alt_text_only",
        highlight_style="none",
        expand_abbreviations=False,
        compact_tables=True,
        max_depth=_DEEPEST,
    )


def _pieces(html: str) -> Iterator[str]:
    """A large page in several pieces, cut where a block starts that stands in no other.

    The converter takes some ten times as much memory as what it is given is large.
    """
    start = at = depth = 0
    while len(html) - start > _PIECE and (found := _TAG.search(html, at)):
        name, closes = (found[2] or "").lower(), bool(found[1])
        if name in _STARTING and not closes and not depth and found.start() - start >= _PIECE:
            yield html[start : found.start()]
            start = found.start()
        at = _end_of(html, found)
        if name in _HOLDING and html[at - 2] != "/":
            depth = max(0, depth - 1) if closes else depth + 1
    yield html[start:]


def _text_of(piece: str) -> str:
    text, deep = _converted(piece)
    if deep:
        text, deep = _converted(_flattened(piece))
    if deep:
        raise SourceError("its elements are nested too deeply; convert it to Markdown")
    return text


def _without_anchors(heading: re.Match[str]) -> str:
    """A heading without the links that say nothing."""

    def kept(anchor: re.Match[str]) -> str:
        said = "<img" in anchor[1].lower() or _LETTER.search(unescape(_ANY_TAG.sub("", anchor[1])))
        return anchor[0] if said else ""

    return _ANCHOR.sub(kept, heading[0])


def _converted(html: str) -> tuple[str, bool]:
    """Markdown, and whether something was left out for lying too deep."""
    from html_to_markdown import convert

    try:
        result = convert(_HEADING.sub(_without_anchors, _EMPHASIS.sub("", html)), _options())
    except Exception as problem:
        raise SourceError(f"HTML that cannot be converted to Markdown ({problem})") from problem
    return result.content or "", any("depth" in warning.message for warning in result.warnings)


def _title(html: str) -> str | None:
    from html_to_markdown import convert

    start = _TITLE.search(html)
    end = _TITLE_END.search(html, start.end()) if start else None
    if end is None:
        return None
    metadata = convert(html[: end.end()]).metadata
    title = metadata.document.title if metadata and metadata.document else None
    return " ".join(title.split()) or None if title else None


def _end_of(html: str, tag: re.Match[str]) -> int:
    """Where a tag ends, or a comment; a script and its like end with their last tag."""
    name = (tag[2] or "").lower()
    if name in _RAW and not tag[1]:
        end = re.compile(rf"</{name}\b[^>]*>", re.I).search(html, tag.end())
        return end.end() if end else len(html)
    mark = ">" if name else "-->"
    close = html.find(mark, tag.end())
    return close + len(mark) if close >= 0 else len(html)


def _flattened(html: str) -> str:
    """A page without its deep nesting: wrappers go, lists and tables stay down to some depth.

    A tag that is left open a thousand times, such as `<font>`, nests all that follows it.
    """
    parts: list[str] = []
    at = depth = dropped = 0
    while found := _TAG.search(html, at):
        parts.append(html[at : found.start()])
        name = (found[2] or "").lower()
        at = _end_of(html, found)
        tag = html[found.start() : at]
        if name in _FLAT or (name in _RAW and not found[1]):
            parts.append(tag)
        elif name in _NESTING:
            if not found[1]:
                keep = depth < _KEPT_DEPTH
                depth, dropped = depth + keep, dropped + (not keep)
            else:
                keep = not dropped
                depth, dropped = max(0, depth - keep), dropped - (not keep)
            parts.append(tag if keep else "<p>")
        elif name and name not in _INLINE:
            parts.append("<p>")
    parts.append(html[at:])
    return "".join(parts)


@cache
def _without_html() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable(["html_block", "inline", "text_join"])


def _literal(text: str) -> str:
    """Markdown in which the page's own words start no HTML: in it, headings would be hidden."""
    if not _OPENING.search(text):
        return text
    code: set[int] = set()
    for token in _without_html().parse(text):
        if token.type in ("fence", "code_block") and token.map:
            code.update(range(*token.map))
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if number not in code:
            lines[number] = _OPENING.sub(lambda found: found[0] + "\\", line)
    return "\n".join(lines)
