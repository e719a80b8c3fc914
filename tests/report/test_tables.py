"""Tables: the same figures for terminal, HTML and JSON; every text escaped."""

from __future__ import annotations

import numpy as np
import pytest

from chunkwright.chunking.cost import cost
from chunkwright.evaluation.experiment import ChunkStatistics, Evaluation
from chunkwright.model import Document
from chunkwright.report.html import table_html
from chunkwright.report.tables import (
    Column,
    Table,
    cost_table,
    metrics_table,
    percent,
    ruled_out_table,
    ties_note,
    unread,
    whole,
)
from chunkwright.retrieval.embedders import Truncation
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from chunkwright.tuning.journal import RuledOut

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


def measured(ties: dict[str, int]) -> Evaluation:
    statistics = ChunkStatistics(9, 9.0, 9, 81, {}, 0, 0, "")
    values = {"hit_rate@5": np.array([1.0, 0.0]), "document_hit_rate@5": np.array([1.0, np.nan])}
    return Evaluation(Setup.parse("fixed:9t"), "bm25", values, {}, statistics, ties)


def test_the_table_of_all_metrics_shows_ties_beside_them() -> None:
    table = metrics_table([measured({"@1000t": 1200, "@5": 0}), measured({"@1000t": 0, "@5": 7})])
    assert [column.name for column in table.columns] == [
        *("setup", "hit_rate@5 %", "document_hit_rate@5 %", "ties@1000t", "ties@5")
    ]
    assert [row[1:] for row in table.rows] == [
        ("50.0", "100.0 (n=1)", "1,200", "0"),
        ("50.0", "100.0 (n=1)", "0", "7"),
    ]


@pytest.mark.parametrize("ties", [{}, {"@1000t": 0, "@5": 0}])
def test_without_ties_there_is_no_note(ties: dict[str, int]) -> None:
    assert ties_note(measured(ties)) == ""


def test_the_note_names_every_cutoff_with_ties() -> None:
    note = ties_note(measured({"@1000t": 1200, "@5": 7}))
    assert "1,200 questions @1000t, 7 questions @5:" in note


def test_no_chunks_at_all() -> None:
    table = cost_table([cost([], Setup.parse("fixed:9c"))])
    assert table.rows[0][3:6] == ("0", "–", "–")


def test_what_was_ruled_out_stands_with_its_evidence_the_nearest_first() -> None:
    leader = Setup.parse("header:200t")
    far = RuledOut(
        Setup.parse("fixed:9t"), 1, "late", 0.25, 160, leader, 0.75, 0.5, 0.31, 0.0075, 0.05
    )
    near = RuledOut(Setup.parse("sentence:9t"), 0, "spans", 0.6, 40, leader, 0.8, 0.2, 0.2, 0.008)
    table = ruled_out_table([far, near], "hit_rate@1000t")
    assert table.title == "2 setups ruled out early"
    assert table.rows == (
        ("sentence:9t", "by their spans alone", "60.0", "40", "header:200t", "80.0", "20.0",
         "20.0", "0.8"),
        ("fixed:9t", "by late vectors", "25.0", "160", "header:200t", "75.0", "50.0", "31.0",
         "0.8"),
    )  # fmt: skip
    assert len(table.columns) == len(table.rows[0])


def test_what_the_embedder_did_not_read_is_a_share_of_tokens() -> None:
    made = ChunkStatistics(9, 9.0, 9, 81, {}, 0, 0, "")
    lost = Truncation.of(np.array([700, 100]), 512)
    evaluation = Evaluation(Setup.parse("fixed:9t"), "words", {}, {}, made, {}, lost)
    assert unread(evaluation) == "23.5"
    assert unread(Evaluation(Setup.parse("fixed:9t"), "bm25", {}, {}, made)) == "–"
