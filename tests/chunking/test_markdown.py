"""`markdown`: blocks, and what fits is never torn apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.dress import chunk
from chunkwright.model import Document

Span = tuple[int, int]


def texts_of(text: str, notation: str) -> list[str]:
    return [part.text for part in chunk(Document("a.md", text), notation)]


def lines(count: int, word: str) -> list[str]:
    return [f"{word} line {number}" for number in range(count)]


@st.composite
def blocks(draw: st.DrawFn) -> tuple[str, int, str]:
    """A block, how many lines, and its kind."""
    kind = draw(st.sampled_from(["heading", "prose", "fence", "tildes", "table", "items"]))
    count = draw(st.integers(1, 5))
    if kind == "heading":
        return f"{'#' * draw(st.integers(1, 4))} Title", 1, kind
    if kind == "prose":
        return " ".join(f"Sentence {number} stands here." for number in range(count)), 1, kind
    if kind in ("fence", "tildes"):
        fence = "```" if kind == "fence" else "~~~"
        return "\n".join([fence, *lines(count, "# code,"), fence]), count, kind
    if kind == "table":
        rows = [f"| row {number} | value, of it |" for number in range(count)]
        return "\n".join(["| k | v |", "|---|---|", *rows]), count, kind
    return (
        "\n".join(f"- item {number}, with a clause. And more." for number in range(count)),
        count,
        kind,
    )


def wholes(
    parts: list[tuple[str, int, str]],
) -> tuple[str, list[tuple[int, int, int]], list[Span]]:
    """The document; what must stay whole, and from where it has to fit; each heading with all up
    to the end of what follows."""
    text: str = ""
    whole: list[tuple[int, int, int]] = []
    headed: list[Span] = []
    heading: int | None = None
    for block, _, kind in parts:
        start = len(text)
        # The first lines of a block stay with its heading, where that fits as well.
        origin = start if heading is None else heading
        if kind in ("fence", "tildes"):
            whole.append((origin, start, start + len(block)))
        if kind in ("table", "items"):
            at = start
            for number, line in enumerate(block.split("\n")):
                first = number < (3 if kind == "table" else 1)
                whole.append((origin if first else at, at, at + len(line)))
                at += len(line) + 1
        if kind == "heading":
            heading = start if heading is None else heading
        elif heading is not None:
            headed.append((heading, start + len(block)))
            heading = None
        text += block + "\n\n"
    return text, whole, headed


@given(st.lists(blocks(), min_size=1, max_size=12), st.integers(40, 200), st.sampled_from([0, 20]))
def test_what_fits_is_never_cut(parts: list[tuple[str, int, str]], size: int, overlap: int) -> None:
    text, whole, _ = wholes(parts)
    edges = [
        edge
        for part in chunk(Document("a.md", text), f"markdown:{size}c+{overlap}%")
        for edge in (part.start, part.end)
    ]
    for origin, start, end in whole:
        if end - origin <= size:
            assert not [edge for edge in edges if start < edge < end], text[start:end]


@given(st.lists(blocks(), min_size=1, max_size=12), st.integers(40, 200))
def test_a_heading_stays_with_what_follows(parts: list[tuple[str, int, str]], size: int) -> None:
    """BR-125: a heading never ends a chunk while what it is over still fits beside it."""
    text, _, headed = wholes(parts)
    found = chunk(Document("a.md", text), f"markdown:{size}c")
    ends = {part.end for part in found}
    for start, end in headed:
        if end - start <= size:
            heading_ends = {at for at in ends if start < at < end and text[at:].startswith("\n\n")}
            last_lines = {text[:at].rsplit("\n", 1)[-1] for at in heading_ends}
            assert not any(line.startswith("#") for line in last_lines)


@pytest.mark.parametrize("size", range(32, 80, 7))
@pytest.mark.parametrize("heading", ["# Title", "Title\n=====", "# A\n\n## B"])
def test_no_chunk_ends_with_a_heading(size: int, heading: str) -> None:
    """BR-125: a heading and the sentence after it fit together, whatever comes before."""
    section = f"{heading}\n\n{'A sentence is here. ' * 3}".strip()
    for part in texts_of("\n\n".join(["Some text.", *[section] * 4]), f"markdown:{size}c"):
        assert part.rsplit("\n", 1)[-1].startswith(("A sentence", "Some text"))


def test_a_fence_that_fits_alone_is_whole_without_its_heading() -> None:
    code = "```\n# code, line 0\n# code, line 1\n```"
    assert texts_of(f"# Title\n\n{code}\n", "markdown:40c") == ["# Title", code]


FENCE = "```python\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n```"


@pytest.mark.parametrize("size", [80, 100, 150])
def test_a_fence_that_fits_is_one_piece(size: int) -> None:
    text = f"Some prose stands before the code. It is long enough.\n\n{FENCE}\n\nAnd after it.\n"
    assert any(FENCE in part for part in texts_of(text, f"markdown:{size}c"))


def test_a_fence_that_does_not_fit_is_cut_between_lines() -> None:
    """BR-028: indentation stays."""
    found = texts_of(FENCE, "markdown:40c")
    assert len(found) > 1
    rows = {row.strip() for row in FENCE.split("\n")}
    assert all(row.strip() in rows for part in found for row in part.split("\n"))
    assert "def f():\n    return 1" in found[0]


TABLE = "| k | v |\n|---|---|\n" + "".join(f"| {n} | {n}{n} |\n" for n in range(9))


@pytest.mark.parametrize("size", [35, 40, 50, 70])
def test_a_table_is_cut_between_rows_only(size: int) -> None:
    """BR-134."""
    rows = set(TABLE.strip().split("\n"))
    found = texts_of(TABLE, f"markdown:{size}c")
    assert all(row in rows for part in found for row in part.split("\n"))


@pytest.mark.parametrize("lead", [10, 20, 25, 30, 35])
def test_the_head_of_a_table_keeps_its_dashes_and_first_row(lead: int) -> None:
    """BR-136: head, dashes and a row are 31 characters, so they always fit together."""
    text = f"{'Lead ' * (lead // 5)}\n\n{TABLE}"
    head = "| k | v |\n|---|---|\n| 0 | 00 |"
    assert any(head in part for part in texts_of(text, "markdown:45c"))


@pytest.mark.parametrize("size", [100, 110])
def test_all_lines_of_a_head_are_repeated(size: int) -> None:
    """BR-136."""
    head = "| Region | Sales |\n| (name) | (EUR) |\n|---|---|\n"
    rows = "".join(f"| N{number} | {number} |\n" for number in range(30))
    found = chunk(Document("a.md", f"Text.\n\n{head}{rows}"), f"markdown:{size}c")
    assert len(found) > 2
    assert all(head in part.embed_text for part in found if "| N" in part.text)


@pytest.mark.parametrize("strategy", ["markdown", "sentence", "recursive"])
def test_a_footnote_stays_whole_while_it_fits(strategy: str) -> None:
    note = "[^1]: This is said there.\n    And it goes on, at length."
    text = f"A claim stands here.[^1] And one more of them.\n\n{note}\n\n[^2]: Another.\n"
    found = texts_of(text, f"{strategy}:60c")
    assert any(note in part for part in found)


def test_link_definitions_are_covered_and_not_torn() -> None:
    definitions = [f"[label {number}]: https://example.org/{number}" for number in range(9)]
    text = "See [label 1].\n\n" + "\n".join(definitions) + "\n"
    found = texts_of(text, "markdown:90c")
    assert [line for part in found for line in part.split("\n") if "]: " in line] == definitions


@pytest.mark.parametrize("strategy", ["markdown", "header", "sentence", "recursive"])
@pytest.mark.parametrize("size", range(45, 100, 9))
@pytest.mark.parametrize(
    "heading", ["> # Title\n>\n> ", "- # Title\n\n  ", "# Title\n\n", "T\n=\n"]
)
def test_no_chunk_of_any_strategy_ends_with_a_heading(
    strategy: str, size: int, heading: str
) -> None:
    """BR-125: also in quotes and lists."""
    text = "\n\n".join(["Some text.", *[f"{heading}A sentence is here."] * 5])
    for part in texts_of(text, f"{strategy}:{size}c"):
        assert part.endswith(("A sentence is here.", "Some text."))


def test_two_tables_keep_their_headings() -> None:
    """BR-131."""
    section = "## H{}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |"
    text = f"{section.format(0)}\n\n{section.format(1)}\n"
    for strategy in ("markdown", "header"):
        assert texts_of(text, f"{strategy}:100c") == [section.format(0), section.format(1)]


def test_a_list_is_cut_between_items_and_keeps_its_lead_in() -> None:
    """BR-133, BR-029."""
    items = [f"- item {number:02} {'x' * 40} and, some more" for number in range(12)]
    items[3] += "\n    - nested, one\n    - nested, two"
    text = "Do this:\n\n" + "\n".join(items) + "\n"
    found = texts_of(text, "markdown:300c")
    assert found[0].startswith("Do this:\n\n- item 00")
    assert any(items[3] in part for part in found)
    assert all(part.startswith("- item") for part in found[1:])


def test_a_chunk_fills_up_before_a_heading_is_worth_a_cut() -> None:
    text = "# A\n\nShort.\n\n# B\n\nShort too.\n\n# C\n\nThe last one.\n"
    assert texts_of(text, "markdown:200c") == [text.strip()]


def test_three_sections_are_three_chunks() -> None:
    """BR-125."""
    sections = [f"## S{number}\n\n{'x' * 84}" for number in range(3)]
    assert texts_of("\n\n".join(sections), "markdown:120c") == sections


def test_plain_text_is_not_read_as_markdown() -> None:
    found = chunk(Document("a.txt", "# A\n\none\n\n# B\n\ntwo"), "markdown:99c|headers")
    assert [part.header for part in found] == [("a",)]
