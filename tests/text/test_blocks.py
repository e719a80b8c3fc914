"""The structure of Markdown: front matter, headings, sections, and what stays whole."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given

from chunkwright.chunking.dress import chunk
from chunkwright.model import Document
from chunkwright.spans import Span
from chunkwright.text.analysis import Analysis, is_markdown
from chunkwright.text.blocks import front_matter, line_starts, plain, read
from tests.properties.strategies import texts

Path = tuple[str, ...]


def headings_of(text: str) -> list[tuple[int, Path]]:
    return [(section.start, section.path) for section in read(text).sections if section.level]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\ntext\n## B\nmore", [(0, ("A",)), (9, ("A", "B"))]),
        ("# A\r\ntext\r\n## B\r\nmore", [(0, ("A",)), (11, ("A", "B"))]),  # BR-109
        ("# A\rtext\r## B\rmore", [(0, ("A",)), (9, ("A", "B"))]),  # BR-109
        ("\ufeff# Title\nBody", [(1, ("Title",))]),  # BR-107
        ("# D\n### s\nx\n## t\ny", [(0, ("D",)), (4, ("D", "s")), (12, ("D", "t"))]),  # BR-122
        ("# TCP/IP basics\ntext", [(0, ("TCP/IP basics",))]),  # BR-124
        ("**Scope**\n\nText.", []),  # BR-118
        ("Title\n===\nbody\n\nSub\n---\nmore", [(0, ("Title",)), (16, ("Title", "Sub"))]),
        ("# A #\n\n## B ##  \nx", [(0, ("A",)), (7, ("A", "B"))]),
        ("#\n\ntext", [(0, ())]),
        ("   ### indented\nx", [(3, ("indented",))]),
        ("#nospace\n", []),
        ("####### seven\n", []),
        ("\\# escaped\n", []),
        ("    # code\n\n# Real", [(12, ("Real",))]),
        ("- # in a list\n\n# Real", [(15, ("Real",))]),
        ("> # in a quote\n\n# Real", [(16, ("Real",))]),
        ("<div>\n# no\n</div>\n\n# Real\n", [(19, ("Real",))]),
        ("<!-- \n# no\n-->\n\n# Real\n", [(16, ("Real",))]),
        ("# A\n# A\n# A", [(0, ("A",)), (4, ("A",)), (8, ("A",))]),
        ("# # A\nx", [(0, ("# A",))]),
        ("#\tA\nx", [(0, ("A",))]),
        ("One\ntwo\n===\nx", [(0, ("One two",))]),
        ("text\n```\n# no\n", []),
        ("> quote\nlazy\n# A\n", [(13, ("A",))]),
        (f"{'- ' * 30}deep\n\n# A\n", [(66, ("A",))]),
        (f"{'> ' * 30}deep\n\n# A\n", [(66, ("A",))]),
    ],
)
def test_headings(text: str, expected: list[tuple[int, Path]]) -> None:
    assert headings_of(text) == expected


@pytest.mark.parametrize(
    "fence",
    [
        "```\n# no\n```\n",
        "```python\n# no\n```\n",
        "~~~\n# no\n~~~\n",  # BR-115
        "~~~ ~~~\n# no\n~~~\n",  # BR-115
        "````\n```\n# no heading\n```\n````\n",  # BR-116
        "~~~\n```\n# no\n~~~\n",
        "```\n\n# no\n\n```\n",
        "  ```\n  # no\n  ```\n",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_fence_holds_no_headings(fence: str, end: str) -> None:
    text = f"{fence}# Real\nx".replace("\n", end)
    assert headings_of(text) == [(text.index("# Real"), ("Real",))]
    start = text.index(fence.strip()[0])
    assert [start, len(fence.replace("\n", end))] in read(text).whole.tolist()


def test_an_open_fence_runs_to_the_end() -> None:
    """BR-116."""
    assert headings_of("# Real\n```\n# no\n\n# no") == [(0, ("Real",))]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_sections_cover_the_text_and_bodies_follow_headings(end: str) -> None:
    text = "before\n# A\n\none\n\n## B\ntwo\n".replace("\n", end)
    sections = read(text).sections
    assert [(section.level, section.path) for section in sections] == [
        (0, ()),
        (1, ("A",)),
        (2, ("A", "B")),
    ]
    assert [text[section.start : section.end] for section in sections] == [
        part.replace("\n", end) for part in ("before\n", "# A\n\none\n\n", "## B\ntwo\n")
    ]
    assert [text[section.body : section.end].strip() for section in sections] == [
        *("before", "one", "two")
    ]


@pytest.mark.parametrize("word", ["word ", "x", "e\u0301", "字"])
def test_a_long_title_ends_with_a_whole_grapheme(word: str) -> None:
    title = read(f"# {word * 200}").sections[0].path[0]
    assert 100 < len(title) <= 120
    assert title.endswith(f"{word.strip()} …")


def test_the_body_of_a_marked_text_starts_after_the_heading() -> None:
    """BR-107."""
    assert read("\ufeff# Title\nBody").sections[0].body == 9


@pytest.mark.parametrize(
    ("text", "end", "fields"),
    [
        ("---\ntitle: Trip\n---\n# Day 1\nWalk.\n", 20, {"title": "Trip"}),  # BR-119
        ("---\r\ntitle: X\r\n---\r\nBody", 20, {"title": "X"}),  # BR-110
        ("---\rtitle: X\rby: Y\r---\rBody", 23, {"title": "X", "by": "Y"}),
        ('+++\ntitle = "T"\n+++\n# D\nx', 20, {"title": "T"}),
        ("\ufeff---\ntitle: X\n---\n# D\nx", 18, {"title": "X"}),
        ("---\ntitle: 'A: b'\ntags: [x, y]\n---\n", 35, {"title": "A: b", "tags": "[x, y]"}),
        ("---\ntitle: X\n---", 16, {"title": "X"}),
        ("---  \ntitle: X\n--- \nBody", 20, {"title": "X"}),
        ("---\ntitle: X\n----\nkey: v\n---\nBody", 29, {"title": "X", "key": "v"}),
        ("---\ntitle: X\n...\nBody\n---\n", 17, {"title": "X"}),
        ("---\rtitle: X\r---\rBody\r---\rmore", 17, {"title": "X"}),
        ("---\n# by hand\n\ntítulo: X # so far\n---\n", 38, {"título": "X"}),
        ("---\ntags:\n- a\n- b\ntext: |\n  Of lines.\n---\n", 42, {}),
        ('+++\n[page]\ntitle = "A # b" # c\n+++\n', 35, {"title": "A # b"}),
        ('---\n"my key": C# notes\n---\n', 27, {"my key": "C# notes"}),
    ],
)
def test_front_matter(text: str, end: int, fields: dict[str, str]) -> None:
    span, found = front_matter(text)
    assert span == Span(0, end)
    assert found == fields
    assert all(section.start >= end for section in read(text).sections)


@pytest.mark.parametrize(
    "text",
    [
        "---\nnot: closed\n# Head\n",
        "--- \n---\nBody",
        "\n---\ntitle: X\n---\n",
        "Text\n---\ntitle: X\n---\n",
        "---\ntitle: X\n+++\nBody",
        "----\ntitle: X\n----\n",
        "---\nNote: a rule opens the page.\nIt goes on.\n\n---\n",
        "---\ntitle = X\n---\n",
        "+++\ntitle: X\n+++\n",
        "---",
        "",
    ],
)
def test_no_front_matter(text: str) -> None:
    assert front_matter(text) == (None, {})


def test_text_between_two_rules_is_text() -> None:
    """A page may open with a rule: only fields make a block front matter, or text is lost."""
    text = "---\n\nThis opens the page.\n\n---\n\nAnd this goes on.\n"
    chunks = chunk(Document("a.md", text), "fixed:99c")
    assert "opens the page" in " ".join(part.text for part in chunks)


def test_front_matter_becomes_metadata_and_title() -> None:
    """BR-121: it shares no chunk with the text, and what it says is not lost."""
    document = Document("a.md", "---\ntitle: Trip\nby: Ada\n---\n# Day 1\nWalk.\n")
    (only,) = chunk(document, "sentence:99c|headers")
    assert only.text == "# Day 1\nWalk."
    assert only.header == ("Trip", "Day 1")
    assert dict(only.metadata) == {"title": "Trip", "by": "Ada"}


def test_crlf_leaves_no_mark_in_the_title() -> None:
    text = "---\r\ntitle: X\r\n---\r\nBody"
    assert Analysis(Document("a.md", text)).title == "X"


def test_tables_rows_and_items_are_pieces() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n- one\n- two\n  - nested\n- three\n"
    structure = read(text)
    starts = [
        text.index(part) for part in ("| a", "| 1", "| 3", "- one", "- two", "- nes", "- thr")
    ]
    assert structure.pieces.tolist() == starts
    assert text.index("| 1") in structure.kept
    item = [text.index("- two"), text.index("- three")]
    assert item in structure.whole.tolist()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# **Bold** title", "Bold title"),
        ("# `code` and `a_b`", "code and a_b"),
        ("# [Guide](x.md) to <b>it</b>", "Guide to it"),
        ("# [Guide][1] of [that]\n\n[1]: /x\n\n> [THAT]: /y", "Guide of that"),
        ("# [not] defined", "[not] defined"),
        ("# C# and a_b_c and 2 * 3 * 4", "C# and a_b_c and 2 * 3 * 4"),
        (r"# \# \*no\* &amp; &copy;", "# *no* & ©"),
        ("# ![Logo](x.png) Name", "Logo Name"),
        ("# ~~Old~~ <https://a.b>", "Old https://a.b"),
        ("# Said[^1] `[^1]` [^2]\n\n[^1]: By whom.", "Said [^1] [^2]"),
        ("# NUL \0", "NUL \ufffd"),
    ],
)
def test_a_title_is_plain_words(text: str, title: str) -> None:
    assert read(text).sections[0].path == (title,)


HEAD, LAST = "| a | b |\n|---|---|", "| 3 | 4 |"


@pytest.mark.parametrize(
    ("text", "head", "body"),
    [
        (f"{HEAD}\n| 1 | 2 |\n{LAST}  \n\nx", HEAD, f"| 1 | 2 |\n{LAST}"),
        (f"x\n\n| R | S |\n{HEAD}\n{LAST}", f"| R | S |\n{HEAD}", LAST),  # BR-136
        (f"Prices:\n| R |\n{HEAD}\n{LAST}\n", f"| R |\n{HEAD}", LAST),
        ("R | S\na | b\n--|--\n1 | 2\n", "R | S\na | b\n--|--", "1 | 2"),
        ("One thing\na | b\n--|--\n1 | 2\n", "a | b\n--|--", "1 | 2"),
        (f"R | S | T\n{HEAD}\n{LAST}\n", HEAD, LAST),
        ("> | a |\n> |---|\n> | 1 |\n", "> | a |\n> |---|", "> | 1 |"),
        ("- | a |\n  |---|\n  | 1 |\n", "- | a |\n  |---|", "| 1 |"),
        (f"{HEAD}\n| `1|2` |\n", HEAD, "| `1|2` |"),
        (f"{HEAD}\n| 1 \\| 2 | 3 |\n# A\n", HEAD, "| 1 \\| 2 | 3 |"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_head_and_the_body_of_a_table(text: str, head: str, body: str, end: str) -> None:
    text, head, body = (part.replace("\n", end) for part in (text, head, body))
    structure = read(text)
    ((start, dashes, first, last),) = structure.tables.tolist()
    assert (text[start:dashes], text[first:last]) == (head, body)
    assert [start, first] in structure.tight.tolist()
    assert not [at for at in (*structure.blocks, *structure.pieces) if start < at < first]


def test_a_table_without_rows_has_no_head_to_repeat() -> None:
    assert read(HEAD).tables.shape == (0, 4)
    assert plain("text").tables.shape == (0, 4)


def test_a_run_of_link_definitions_is_a_block() -> None:
    text = "Text.\n\n[a]: /b\n[c]: /d\n  'of\n  lines'\nMore.\n"
    structure = read(text)
    starts = [text.index(part) for part in ("Text", "[a]", "[c]", "More")]
    assert structure.blocks.tolist() == [starts[0], starts[1], starts[3]]
    assert structure.pieces.tolist() == [starts[2]]
    assert [starts[1], starts[3]] in structure.whole.tolist()
    assert [starts[2], starts[3]] in structure.whole.tolist()


def test_a_footnote_is_a_block() -> None:
    text = "Text[^1].\n[^1]: A note\n    goes on.\n\n    - with, a list\n\n[^b]: More.\n\nText.\n"
    structure = read(text)
    starts = [text.index(part) for part in ("Text[", "[^1]:", "[^b]", "Text.")]
    assert structure.blocks.tolist() == starts
    assert {*structure.pieces.tolist()} - {*starts} == {text.index("- with")}
    assert [starts[1], starts[2]] in structure.whole.tolist()


@pytest.mark.parametrize("text", ["> # H\n>\n> b", "- # H\n\n  b", "# H\n\nb", "1. H\n   ==\n2. b"])
def test_nothing_starts_between_a_heading_and_what_follows(text: str) -> None:
    structure = read(text)
    (tight,) = structure.tight.tolist()
    assert tight[0] == 0
    assert tight[1] in structure.kept
    assert text[tight[1] :].lstrip(">2. ") == "b"


@pytest.mark.parametrize("item", ["- one", "* one", "1. one", "+ one\n\n  more"])
def test_a_lead_in_is_kept_with_its_list(item: str) -> None:
    text = f"Do this:\n\n{item}\n"
    assert read(text).kept.tolist() == [10]


def test_html_is_one_block() -> None:
    text = "<div>\n<p>Pay <b>now</b></p>\n</div>\n\nAfter.\n"
    structure = read(text)
    assert structure.blocks.tolist() == [0, text.index("After")]
    assert structure.whole.tolist()[0] == [0, text.index("\n\nAfter") + 1]


def test_a_very_long_title_is_shortened() -> None:
    (section,) = read("word " * 100 + "\n===\n").sections
    assert len(section.path[0]) <= 120
    assert section.path[0].endswith(" …")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", [0]), ("a\nb", [0, 2]), ("a\r\nb\rc\n", [0, 3, 5, 7]), ("\r\r\n\n", [0, 1, 3, 4])],
)
def test_lines_as_editors_count_them(text: str, expected: list[int]) -> None:
    assert line_starts(text).tolist() == expected


@given(texts())
def test_any_text_has_sections_that_cover_it(text: str) -> None:
    structure = read(text)
    origin = structure.front_matter.end if structure.front_matter else 0
    sections = structure.sections
    assert not text[origin : sections[0].start].strip("\ufeff \t\r\n\f\v")
    assert sections[-1].end == len(text)
    for before, after in itertools.pairwise(sections):
        assert before.end == after.start
    for section in sections:
        assert section.start <= section.body <= section.end
    for positions in (structure.blocks, structure.pieces, structure.kept):
        found = positions.tolist()
        assert found == sorted(set(found))
        assert all(not text[position].isspace() for position in found)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.md", True), ("a.MD", True), ("README", True), ("a.txt", False), ("a.md.txt", False)],
)
def test_markdown_is_known_by_its_suffix(name: str, expected: bool) -> None:
    assert is_markdown(name) is expected


@pytest.mark.parametrize(
    ("document", "title"),
    [
        (Document("docs/lamp.md", "# The lamp\n\nx", title="Given"), "Given"),
        (Document("docs/lamp.md", "---\ntitle: Front\n---\n# The lamp\n"), "Front"),
        (Document("docs/lamp.md", "# The lamp\n\n## Reset\n"), "The lamp"),
        (Document("docs/lamp.md", "# One\n\n# Two\n"), "lamp"),
        (Document("docs/lamp.md", "## Deep\n\n# Top\n"), "lamp"),
        (Document("docs/lamp.txt", "# The lamp\n"), "lamp"),
    ],
)
def test_the_title_of_a_document(document: Document, title: str) -> None:
    assert Analysis(document).title == title
