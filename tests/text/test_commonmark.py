"""Markdown as its specifications see it: every example of CommonMark, and GFM by its own parser."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import cmarkgfm
import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.cut import cut
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from chunkwright.text.blocks import Structure, read

EXAMPLES: list[tuple[int, str, str, str]] = [
    (number, section, markdown, html)
    for number, section, markdown, html in json.loads(
        (Path(__file__).parent / "data/commonmark-0.31.2.json").read_text("utf-8")
    )["examples"]
]
MARKDOWN = [markdown for _, _, markdown, _ in EXAMPLES]

# As GitHub has it: tables, and what may look like one.
GFM = [
    "| foo | bar |\n| --- | --- |\n| baz | bim |\n",
    "| abc | defghi |\n:-: | -----------:\nbar | baz\n",
    "| f\\|oo  |\n| ------ |\n| b `\\|` az |\n| b **\\|** im |\n",
    "| abc | def |\n| --- | --- |\n| bar | baz |\n> bar\n",
    "| abc | def |\n| --- | --- |\n| bar | baz |\nbar\n",
    "| abc | def |\n| --- |\n| bar |\n",
    "| abc | def |\n| --- | --- |\n| bar |\n| bar | baz | boo |\n",
    "| abc | def |\n| --- | --- |\n",
    "> | a | b |\n> |---|---|\n> | 1 | 2 |\n> | 3 | 4 |\n",
    "- | a | b |\n  |---|---|\n  | 1 | 2 |\n",
    "Prices:\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "| a |\n|---|\n| `# no` |\n# Heading\n",
    "```\n| a |\n|---|\n| 1 |\n```\n",
    "    | a |\n    |---|\n    | 1 |\n",
    "# A *b* `c`\n",
    "Title\n=====\n",
    "> # quoted\n",
    "- # listed\n",
    "1. one\n2. two\n\n   more\n",
    "<div>\n# no\n</div>\n",
    "<!--\n# no\n-->\n",
    "[a]: /b 'c'\n[d]: /e\n",
    "```\n# no\n\n---\n```\n",
    "~~~ `\n```\n~~~\n",
    "text\n***\n",
    "some ~~text~~\n",
]


class Rendered(HTMLParser):
    """What a page shows: top-level headings, and how many rows the body of each table has."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.headings: list[tuple[int, str]] = []
        self.bodies: list[int] = []
        self._inside: list[str] = []
        self._title: str | None = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img" and self._title is not None:
            self._title += dict(attrs)["alt"] or ""
        if tag in ("img", "br", "hr"):
            return
        self._inside.append(tag)
        if re.fullmatch("h[1-6]", tag) and not {"li", "blockquote"} & set(self._inside):
            self._title = ""
        if tag == "tbody":
            self.bodies.append(0)
        if tag == "tr" and "tbody" in self._inside:
            self.bodies[-1] += 1

    def handle_endtag(self, tag: str) -> None:
        while tag in self._inside and self._inside.pop() != tag:
            pass
        if re.fullmatch("h[1-6]", tag) and self._title is not None:
            self.headings.append((int(tag[1]), " ".join(self._title.split())))
            self._title = None

    def handle_data(self, data: str) -> None:
        if self._title is not None:
            self._title += data


def headings(structure: Structure) -> list[tuple[int, str]]:
    return [(part.level, (part.path or ("",))[-1]) for part in structure.sections if part.level]


def bodies(structure: Structure) -> list[int]:
    pieces = structure.pieces
    return [
        int(((pieces >= start) & (pieces < end)).sum())
        for _, _, start, end in structure.tables.tolist()
    ]


@pytest.mark.parametrize(
    ("markdown", "html"),
    [(markdown, html) for _, _, markdown, html in EXAMPLES],
    ids=[f"{number} {section}" for number, section, _, _ in EXAMPLES],
)
def test_headings_are_those_of_the_specification(markdown: str, html: str) -> None:
    for end in ("\n", "\r\n", "\r"):
        assert headings(read(markdown.replace("\n", end))) == Rendered(html).headings


@given(st.lists(st.sampled_from(GFM), min_size=1, max_size=6))
def test_headings_and_rows_are_those_of_github(parts: list[str]) -> None:
    text = "\n".join(parts)
    unsafe = cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE
    page = Rendered(cmarkgfm.github_flavored_markdown_to_html(text, unsafe))
    found = read(text)
    assert bodies(found) == page.bodies
    assert headings(found) == page.headings


@pytest.mark.parametrize(
    "notation",
    [
        "fixed:20c",
        "sentence:30c",
        "recursive:25c+5c",
        "header:90c|headers",
        "markdown:40c+10%",
        "markdown:25c|repair",
        "recursive:12t",
        "markdown:3w",
        "header:2s",
    ],
)
def test_no_example_breaks_an_invariant(notation: str) -> None:
    setup = Setup.parse(notation)
    joined = ["".join(MARKDOWN[at : at + 9]) for at in range(0, len(MARKDOWN), 9)]
    for text in [*MARKDOWN, *GFM, *joined]:
        result = cut(Analysis(Document("a.md", text, title=" ")), setup)
        pairs = result.spans.pairs()
        edges = {found.end() for found in regex.finditer(r"\X", text)} | {0}
        matter = read(text).front_matter
        reached = matter.end if matter else 0
        for index, (start, end) in enumerate(pairs):
            assert not text[reached : max(reached, start)].strip()
            assert text[start:end].strip()
            assert {start, end} <= edges
            assert result.embed_text(index).endswith(text[start:end])
            if setup.unit != "sentences" and len(edges & {*range(start, end + 1)}) > 2:
                assert result.size_of(index) <= setup.size
            reached = max(reached, end)
        assert not text[reached:].strip()
        assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(pairs))


LINES = [line + "\n" for text in (*MARKDOWN, *GFM) for line in text.splitlines()]
LINES += ["\n", "\n", "\f\n", "\u2028\n", "[a]: /b\n", '"title\n', 'of it"\n', "- [a]: /b\n"]
LINES += ["[^1]: note\n", "    more of it\n", "  - deeper\n", "| a | b |\n", "|---|---|\n", ":\n"]
LINES += [f"{'> ' * 30}deep\n", f"{'- ' * 15}deep\n"]


@given(
    st.lists(st.one_of(st.sampled_from([*MARKDOWN, *GFM]), st.sampled_from(LINES)), max_size=9),
    st.sampled_from(["\n", "\n", "\r\n", "\r"]),
    st.integers(1, 60),
)
def test_a_text_is_read_the_same_in_windows(parts: list[str], end: str, window: int) -> None:
    text = "".join(parts).replace("\n", end)
    whole, pieced = read(text, len(text) + 1), read(text, window)
    assert whole.sections == pieced.sections
    for name in ("blocks", "pieces", "kept", "tight", "whole", "tables"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(pieced, name), name)
