"""The Markdown parser: CommonMark by markdown-it-py, with GFM tables and footnotes, blocks only.

What differs from markdown-it-py: rows of tables make no tokens, so that a table costs little;
link definitions and footnotes are blocks; and below `_DEEPEST` levels of lists and quotes all is a
paragraph, where markdown-it-py drops the rest of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from functools import cache
from itertools import takewhile

import regex
from markdown_it import MarkdownIt, rules_block
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

_DEEPEST = 20
_FOOTNOTE = re.compile(r"\[(\^[^\s\[\]]+)\]:")
_NOTED = re.compile(r"\[(\^[^\s\[\]]+)\]")
_PIPE = re.compile(r"(?<!\\)\|")
_MARKUP = re.compile(r"[\\`*_~\[\]<&\n]")
# A title is words for people: what is longer is no title, and is not worth parsing.
_LONGEST_HEADING = 20_000
_LONGEST_TITLE = 120


def parse(text: str) -> list[Token]:
    r"""The block tokens of a text.

    >>> [token.type for token in parse("# A\n\nb") if token.level == 0]
    ['heading_open', 'heading_close', 'paragraph_open', 'paragraph_close']
    """
    return _blocks().parse(text)


@cache
def _blocks() -> MarkdownIt:
    # Inline markup never moves a cut.
    options = {"inline_definitions": True, "maxNesting": _DEEPEST + 10}
    parser = MarkdownIt("commonmark", options).enable("table").disable(["inline", "text_join"])
    ruler = parser.block.ruler
    everywhere = ["paragraph", "reference", "blockquote", "list"]
    ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    ruler.before("table", "deep", _deep)
    ruler.before("reference", "footnote", _footnote, {"alt": everywhere})
    parser.block.ruler = _ByFirst(ruler)
    return parser


class _ByFirst(Ruler[RuleFuncBlockType]):
    """Rules that are asked only about lines that begin as theirs do: most lines are plain."""

    def __init__(self, ruler: Ruler[RuleFuncBlockType]) -> None:
        self._active = ruler.get_active_rules()
        self._chains = {
            chain: [_chosen(ruler.getRules(chain))]
            for chain in ("", "paragraph", "reference", "blockquote", "list")
        }

    def getRules(self, chainName: str = "") -> list[RuleFuncBlockType]:  # noqa: N802, N803
        return self._chains[chainName]

    def get_active_rules(self) -> list[str]:
        return self._active


def _chosen(rules: list[RuleFuncBlockType]) -> RuleFuncBlockType:
    """One rule for several, tried in their order."""
    first = {
        character: [rule for rule in rules if character in _FIRST.get(rule, character)]
        for character in "".join(_FIRST.values())
    }
    others = [rule for rule in rules if rule not in _FIRST]

    def chosen(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        at = state.bMarks[line] + state.tShift[line]
        asked = first.get(state.src[at : at + 1], others)
        for rule in asked:  # noqa: SIM110 - a generator for every line would take a third longer
            if rule(state, line, end, silent):
                return True
        return False

    return chosen


def _deep(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Too many levels: what is left is a paragraph."""
    if state.level < _DEEPEST or silent:
        return False
    return rules_block.paragraph(state, first, end, False)


def _table(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """A table as one token; its head is the first two lines, every other line is a row."""
    before = len(state.tokens)
    if not rules_block.table(state, first, min(end, first + 2), silent):
        return False
    if silent:
        return True
    stops = state.md.block.ruler.getRules("blockquote")
    outer, state.parentType = state.parentType, "table"
    last = first + 2
    while last < end and state.sCount[last] >= state.blkIndent and not state.isEmpty(last):
        if state.is_code_block(last) or any(stop(state, last, end, True) for stop in stops):
            break
        last += 1
    state.parentType, state.line = outer, last
    opened = state.tokens[before]
    opened.map = [first, last]
    columns = sum(token.type == "th_open" for token in state.tokens[before:])
    opened.meta["above"] = _rows_above(state.tokens[max(0, before - 3) : before], first, columns)
    del state.tokens[before + 1 : -1]
    return True


def _rows_above(tokens: list[Token], first: int, columns: int) -> int:
    """How many lines above a table belong to its head: GFM takes all but the last for text."""
    if [token.type for token in tokens] != ["paragraph_open", "inline", "paragraph_close"]:
        return 0
    if not tokens[0].map or tokens[0].map[1] != first:
        return 0
    lines = reversed(tokens[1].content.split("\n"))
    return sum(1 for _ in takewhile(lambda line: _is_row(line, columns), lines))


def _is_row(line: str, columns: int) -> bool:
    """Whether a line is one of a table: by its first pipe, or by its number of cells."""
    line = line.strip()
    if line.startswith("|"):
        return True
    pipes = len(_PIPE.findall(line.removesuffix("|")))
    return pipes > 0 and pipes + 1 == columns


def _footnote(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """A footnote: its label, and blocks that are indented by four."""
    if state.is_code_block(first):
        return False
    start = state.bMarks[first] + state.tShift[first]
    label = _FOOTNOTE.match(state.src, start, state.eMarks[first])
    if label is None or silent:
        return label is not None
    opened = state.push("footnote_open", "aside", 1)
    opened.meta["id"] = label[1]
    outer = state.tShift[first], state.sCount[first], state.blkIndent, state.parentType
    state.blkIndent += 4
    state.tShift[first] = state.skipSpaces(label.end()) - state.bMarks[first]
    state.sCount[first] = state.blkIndent
    state.parentType = "footnote"
    state.md.block.tokenize(state, first, end)
    state.tShift[first], state.sCount[first], state.blkIndent, state.parentType = outer
    opened.map = [first, state.line]
    state.push("footnote_close", "aside", -1)
    return True


_FIRST = {
    rules_block.fence: "`~",
    rules_block.blockquote: ">",
    rules_block.hr: "*-_",
    rules_block.list_block: "*+-0123456789",
    rules_block.reference: "[",
    rules_block.html_block: "<",
    rules_block.heading: "#",
    _footnote: "[",
}


def titles(contents: Iterable[str], labels: Set[str]) -> Iterator[str]:
    r"""The plain words of headings, each on one line.

    Args:
        contents: What stands in the headings.
        labels: Labels of the link definitions and footnotes of the text.

    >>> list(titles(["**Bold** `a_b`[^1]", r"C\# [see](x.md)"], {"^1"}))
    ['Bold a_b', 'C# see']
    """
    notes = {label for label in labels if label.startswith("^")}
    defined = {label: {"href": "", "title": ""} for label in labels - notes}
    for content in contents:
        content = content[:_LONGEST_HEADING]
        if _MARKUP.search(content):
            (inline,) = _inlines().parseInline(content, {"references": defined})
            content = "".join(_words(inline.children or [], notes))
        yield _shortened(" ".join(content.split()))


@cache
def _inlines() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("strikethrough")


def _words(tokens: list[Token], notes: Set[str]) -> Iterator[str]:
    for token in tokens:
        if token.type == "text":
            yield _NOTED.sub(lambda at: "" if at[1] in notes else at[0], token.content)
        elif token.type == "code_inline":
            yield token.content
        elif token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.type == "image":
            yield from _words(token.children or [], notes)


def _shortened(title: str) -> str:
    """A title that is a whole paragraph (a setext slip) is cut to its start."""
    if len(title) <= _LONGEST_TITLE:
        return title
    most = _LONGEST_TITLE - 2
    cut = title.rfind(" ", 0, most + 1)
    if cut < 0:
        cut = max(
            at.end() for at in regex.finditer(r"\X|^", title[: most + 40]) if at.end() <= most
        )
    return title[:cut] + " …"
