"""Markdown and HTML: headings, fences, front matter and lists as their readers see them."""

from __future__ import annotations

from pathlib import Path

import pytest

import chunkwright as cw
from chunkwright.spans import Span
from chunkwright.text.analysis import Analysis
from tests.bug_reports.tools import PACKED, chunks, texts


def headings(text: str) -> list[tuple[str, int]]:
    """Titles and where they stand."""
    sections = Analysis(cw.Document("a.md", text)).sections
    return [(section.path[-1], section.start) for section in sections if section.level]


@pytest.mark.parametrize("fence", ["```", "~~~", "~~~ ~~~", "~~~~ python"])
def test_br_115_fences_of_either_kind(fence: str) -> None:
    text = f"{fence}\n# no heading\n{fence.split()[0]}\n# Real\n"
    assert [title for title, _ in headings(text)] == ["Real"]


def test_br_116_a_fence_inside_a_fence() -> None:
    text = "````\n```\n# no heading\n```\n````\n# Real\n"
    assert [title for title, _ in headings(text)] == ["Real"]
    assert headings("# Real\n\n```\n# no heading\n\n# nor this\n") == [("Real", 0)]


def test_br_118_a_bold_line_is_no_heading() -> None:
    # Headings are those of CommonMark; a setup has no option for other patterns.
    assert headings("**Scope**\n\nText.") == []
    assert texts("**Scope**\n\nText.", "header:100c", "a.md") == ["**Scope**\n\nText."]


def test_br_119_front_matter_is_no_heading() -> None:
    text = "---\ntitle: Trip\n---\n# Day 1\nWalk.\n"
    assert headings(text) == [("Day 1", 20)]
    assert Analysis(cw.Document("a.md", text)).structure.front_matter == Span(0, 20)
    (chunk,) = chunks(text, "header:100c", "a.md")
    assert chunk.text == "# Day 1\nWalk."
    assert chunk.metadata == {"title": "Trip"}


@pytest.mark.parametrize("notation", ["fixed:200c", "sentence:200c", "recursive:200c+50c"])
def test_br_121_front_matter_is_kept_apart(notation: str) -> None:
    matter = "---\ntitle: The trip\n" + "".join(f"key{at}: value\n" for at in range(58)) + "---\n"
    body = "It was a long way to go. " * 30
    found = chunks(matter + body, notation, "a.md")
    assert found[0].start == len(matter)
    assert not any("key" in chunk.text for chunk in found)
    assert found[0].metadata["title"] == "The trip"
    assert chunks(matter + body, f"{notation}|headers", "a.md")[0].header == ("The trip",)


def test_br_122_the_path_goes_back_up() -> None:
    found = chunks("# D\n### s\nx\n## t\ny", "header:100c", "a.md")
    by_end = {chunk.text[-1]: chunk.header for chunk in found}
    assert by_end == {"x": ("D", "s"), "y": ("D", "t")}


def test_br_124_the_path_is_a_list() -> None:
    (chunk,) = chunks("# TCP/IP basics\ntext", "header:100c", "a.md")
    assert chunk.header == ("TCP/IP basics",)
    assert chunk.to_dict()["header"] == ["TCP/IP basics"]


@pytest.mark.parametrize("strategy", PACKED)
@pytest.mark.parametrize("size", ["120c", "150c", "200c", "40t"])
@pytest.mark.parametrize("overlap", ["", "+20%"])
def test_br_125_no_chunk_ends_with_a_heading(strategy: str, size: str, overlap: str) -> None:
    body = "The lamp is on the desk by the door. It blinks blue, and then it hums a bit."
    text = "".join(f"## Section {at}\n\n{body}\n\n" for at in range(3))
    for part in texts(text, f"{strategy}:{size}{overlap}", "a.md"):
        assert not part.splitlines()[-1].startswith("#")


def test_br_127_sections_are_cut_at_their_titles() -> None:
    assert texts("# One\n\nabc.\n\n# Two\n\ndef.", "header:1000c", "a.md") == [
        "# One\n\nabc.",
        "# Two\n\ndef.",
    ]


@pytest.mark.parametrize(
    "notation",
    ["header:150c", "header:150c+20%", "markdown:150c|parents=section", "header:150c|repair"],
)
def test_br_128_a_second_stage_keeps_the_sections(notation: str) -> None:
    body = "It says here what it is for and how it works. " * 4
    text = f"# Kit\n\nAll.\n\n## One\n\n{body}\n\n## Two\n\n{body}\n"
    found = chunks(text, notation, "a.md")
    one, two = text.index("## One"), text.index("## Two")
    assert len(found) >= 5
    for chunk in found:
        assert not any(chunk.start < wall < chunk.end for wall in (one, two))
        section = () if chunk.start < one else ("One" if chunk.start < two else "Two",)
        assert chunk.header == ("Kit", *section)


def read(folder: Path, html: str) -> cw.Document:
    (folder / "page.html").write_text(html, encoding="utf-8")
    (document,) = cw.Corpus.read(folder / "page.html")
    return document


def test_br_130_the_path_of_html_headings(tmp_path: Path) -> None:
    document = read(tmp_path, "<h1>X</h1><p>a</p><h2>Y</h2><p>b</p>")
    found = cw.chunk(document, "header:100c")
    by_end = {chunk.text[-1]: chunk.header for chunk in found}
    assert by_end == {"a": ("X",), "b": ("X", "Y")}


@pytest.mark.parametrize("notation", ["header:200c", "markdown:100c", "markdown:120c"])
def test_br_131_a_table_stays_with_its_heading(notation: str) -> None:
    table = "| k | v |\n|---|---|\n| a | 1 |\n| b | 2 |\n| c | 3 |"
    parts = [f"## Part {at}\n\n{table}" for at in (1, 2)]
    found = chunks("\n\n".join(parts), notation, "a.md")
    assert [chunk.text for chunk in found] == parts
    assert [chunk.embed_text for chunk in found] == parts


BULLETS = [f"- Item {at:02} ".ljust(59, "x") for at in range(12)]


@pytest.mark.parametrize("overlap", ["", "+20%"])
def test_br_133_lists_are_cut_between_items(overlap: str) -> None:
    text = "Take these:\n" + "\n".join(BULLETS)
    found = texts(text, f"markdown:300c{overlap}", "a.md")
    assert found[0].startswith("Take these:\n- Item 00")
    for part in found[1:]:
        assert part.startswith("- Item")
    for part in found:
        assert part.endswith("x")
        assert part.splitlines()[-1] in BULLETS
    assert len(found) >= 3


def test_br_133_an_item_keeps_its_own_items() -> None:
    items = [f"- Item {at}\n    - under {at} " + "y" * 60 for at in range(8)]
    for part in texts("\n".join(items), "markdown:200c", "a.md"):
        assert part.startswith("- Item")
        assert part.endswith("y")
