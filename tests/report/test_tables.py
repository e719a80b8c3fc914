"""Tables: the same figures for terminal, HTML and JSON; every text escaped."""

from __future__ import annotations

import pytest

from chunkwright.chunking.cost import cost
from chunkwright.model import Document
from chunkwright.report.html import table_html
from chunkwright.report.tables import Column, Table, cost_table, percent, whole
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis

HOSTILE = "<script>alert('x')</script> & \"quoted\""


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (1234567, "1,234,567"), (2.5, "2"), (99.9, "100"), (None, "–")]
)
def test_whole(value: float | None, shown: str) -> None:
    assert whole(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0.0"), (1.0, "100.0"), (0.12345, "12.3"), (None, "–"), (float("nan"), "–")],
)
def test_percent(value: float | None, shown: str) -> None:
    assert percent(value) == shown


@pytest.mark.parametrize("column", ["setup", "verdict"])
def test_every_text_is_escaped(column: str) -> None:
    table = Table(HOSTILE, (Column(column, HOSTILE, number=False),), ((HOSTILE,),), marked=0)
    drawn = table_html(table)
    assert "<script" not in drawn
    assert drawn.count("&lt;script&gt;") == 3  # caption, meaning, cell
    assert "&quot;quoted&quot;" in drawn


def test_a_hostile_column_is_escaped_too() -> None:
    drawn = table_html(Table("t", (Column(HOSTILE),), (("1",),)))
    assert "<script" not in drawn


def test_a_table_in_html_has_all_cells_and_marks_one_row() -> None:
    table = Table("t", (Column("a"), Column("b")), (("1", "2"), ("3", "4")), marked=1)
    drawn = table_html(table)
    assert drawn.count("<tr") == 3
    assert drawn.count('class="marked"') == 1
    assert drawn.index('class="marked"') > drawn.index("2</td>")


def test_the_cost_table_is_the_lessons() -> None:
    text = [Analysis(Document("manual.txt", "m" * 100_000))]
    setups = [Setup("fixed", 800, overlap=overlap) for overlap in (0, 80, 160, 240, 400)]
    table = cost_table([cost(text, setup) for setup in setups])
    names = [column.name for column in table.columns]
    ratio, chunks = names.index("ratio"), names.index("chunks")
    assert [(row[ratio], row[chunks], row[-2], row[-1]) for row in table.rows] == [
        ("0.00", "125", "100,000", "0"),
        ("0.10", "139", "111,200", "11"),
        ("0.20", "156", "124,800", "25"),
        ("0.30", "179", "143,200", "43"),
        ("0.50", "249", "199,200", "99"),
    ]


def test_the_formula_stands_only_where_it_holds() -> None:
    text = [Analysis(Document("a.txt", "One sentence. Another one."))]
    without = cost_table([cost(text, Setup.parse("sentence:9t+1s"))])
    assert without.rows[0][1] == "–"
    both = cost_table([cost(text, Setup.parse(n)) for n in ("sentence:9t", "fixed:9c")])
    assert len(both.columns) == len(without.columns) + 2
    assert both.rows[0][-2:] == ("–", "–")
    assert both.rows[1][-1] != "–"


def test_no_chunks_at_all() -> None:
    table = cost_table([cost([], Setup.parse("fixed:9c"))])
    assert table.rows[0][3:6] == ("0", "–", "–")
