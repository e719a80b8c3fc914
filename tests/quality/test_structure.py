from __future__ import annotations

import pytest

from chunkwright.chunking.cut import cut
from chunkwright.model import Document
from chunkwright.quality.checker import findings
from chunkwright.quality.settings import Settings
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from tests.quality.chunked import chunked, spans_of

TABLE = "| Plan | Price |\n|---|---|\n| Plus | 3.99 |\n| Pro | 9.99 |\n"


def test_a_row_without_its_header_is_found_up_to_the_end_of_its_table() -> None:
    marked = TABLE.replace("| Pro", "¦| Pro") + "\nOrder it online.\n"
    assert spans_of("S201", chunked(marked)) == ["| Pro | 9.99 |"]


@pytest.mark.parametrize(
    "marked", [TABLE, f"Prices:\n\n¦{TABLE}", f"{TABLE}¦\nOrder it online.", "¦".join("a|b\nc|d")]
)
def test_a_table_that_has_its_header_is_none(marked: str) -> None:
    assert not spans_of("S201", chunked(marked))


@pytest.mark.parametrize(("setup", "found"), [("markdown:18t", False), ("fixed:18t", True)])
def test_rows_whose_head_is_repeated_before_them_are_none(setup: str, found: bool) -> None:
    rows = "".join(f"| Plan {number} | {number}.99 |\n" for number in range(9))
    made = cut(Analysis(Document("a.md", TABLE + rows)), Setup.parse(setup))
    assert len(made) > 2
    assert bool(spans_of("S201", made)) is found


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_code_that_is_cut_is_found_on_both_sides(fence: str) -> None:
    marked = f"Run:\n\n{fence}python\nconnect()\n¦reset()\n{fence}\n\nDone.\n"
    assert spans_of("S202", chunked(marked)) == [
        f"{fence}python\nconnect()",
        f"reset()\n{fence}",
    ]


def test_whole_code_is_not_cut_code() -> None:
    assert not spans_of("S202", chunked("Run:\n\n¦```\nconnect()\n```\n¦\nThen `reset()`.\n"))


@pytest.mark.parametrize("mark", ["- ", "* ", "1. ", "3) "])
def test_a_list_that_goes_on_in_the_next_chunk_is_found_there(mark: str) -> None:
    marked = f"To reset:\n\n{mark}Switch it off.\n¦{mark}Switch it on.\n\nThen wait.\n"
    assert spans_of("S203", chunked(marked)) == [f"{mark}Switch it on."]


def test_two_lists_are_not_one_cut_list() -> None:
    marked = "Indoors:\n\n- Lamp\n- Hub\n\n¦Outdoors:\n\n¦- Gate\n- Bell\n"
    assert not spans_of("S203", chunked(marked))


def test_a_nested_list_belongs_to_the_list_that_it_stands_in() -> None:
    marked = "- Lamp\n  - red\n  - blue\n¦- Hub\n"
    assert spans_of("S203", chunked(marked)) == ["- Hub"]


def test_front_matter_in_a_chunk_is_found() -> None:
    matter = "---\ntitle: Lamp\n---"
    assert spans_of("S204", chunked(f"{matter}\n\nIt blinks."))[0].strip() == matter
    assert not spans_of("S204", chunked("Above\n\n---\n\ntitle: Lamp\n\n---\n"))
    ours = cut(Analysis(Document("a.md", f"{matter}\n\nIt blinks.")), Setup.parse("fixed:99c"))
    assert not spans_of("S204", ours)


def test_running_titles_and_page_numbers_are_found_whatever_their_number() -> None:
    marked = "Lamp guide\nPress it.\n1\n\f¦Lamp guide\nHold it.\n2\n\f¦Lamp guide\nLet go.\n3\n"
    assert spans_of("S205", chunked(marked, "a.txt")) == ["Lamp guide"] * 3


def test_lines_that_do_not_come_back_are_no_page_lines() -> None:
    marked = "Press it.\n\fHold it.\n\fLet go.\n\fWait.\n"
    assert not spans_of("S205", chunked(marked, "a.txt"))
    assert not spans_of("S205", chunked("Press it.\nPress it.\nPress it.\n", "a.txt"))


def test_a_line_of_many_documents_is_boilerplate() -> None:
    footer = "Call us on weekdays from nine to five."
    several = [
        chunked(f"About part {'abcdefgh'[at]}, in some words.\n\n{footer}\n", f"{at}.txt")
        for at in range(8)
    ]
    assert spans_of("S206", *several) == [footer] * 8
    assert not spans_of("S206", *several[:3])


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Skip to content", True),
        ("© 2024 Lamp Works. All rights reserved.", True),
        ("Alle Rechte vorbehalten.", True),
        ("The privacy policy says who reads your notes.", False),
        ("# Terms of service", False),
    ],
)
def test_lines_that_sites_put_around_pages(line: str, found: bool) -> None:
    marked = f"{line}\nPress the button for five seconds.\n"
    assert bool(spans_of("S206", chunked(marked))) is found


def test_a_chunk_of_links_is_navigation() -> None:
    links = "".join(f"- [Part {at}](https://example.org/manual/part-{at})\n" for at in range(5))
    text = "The button is at the back. See [the map](https://example.org/map).\n"
    assert spans_of("S206", chunked(f"{links}¦{text}")) == [links.strip()]


def test_findings_say_where_and_what() -> None:
    found = list(findings([chunked("Run:\n\n```\na()\n¦b()\n```\n")], Settings(select=("S202",))))
    assert [(each.line, each.index, each.message) for each in found] == [
        (3, 0, "cut code block: '``` a()'"),
        (5, 1, "cut code block: 'b() ```'"),
    ]
