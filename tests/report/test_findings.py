from __future__ import annotations

import re

import numpy as np
import pytest

from chunkwright.chunking.cut import cut
from chunkwright.model import Document
from chunkwright.quality.checker import findings
from chunkwright.quality.settings import Settings
from chunkwright.report.findings import (
    SCHEMA,
    Checked,
    Report,
    as_github,
    as_json,
    as_sarif,
    document_table,
    left_out,
    lines,
    rule_table,
    share_of,
    summary,
)
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis

TEXTS = {
    "a b.txt": "Plus costs $3.99 a month. It also adds\nenergy reports.",
    "c.txt": "Hi there, you.",
}


def report(rows: bool = False, paths: bool = True) -> Report:
    settings = Settings(select=("C101", "C102"))
    cuts = [
        cut(Analysis(Document(name, text)), Setup.parse("fixed:30c"))
        for name, text in TEXTS.items()
    ]
    documents = tuple(
        Checked(
            each.analysis.document.id,
            len(each),
            f"docs/{each.analysis.document.id}" if paths else each.analysis.document.id,
            each.analysis.line_starts,
            np.arange(len(each)) + 7 if rows else None,
        )
        for each in cuts
    )
    return Report(
        "fixed:30c",
        documents,
        tuple(findings(cuts, settings)),
        settings.chosen(),
        "chunks.jsonl" if rows else "",
    )


def test_lines_say_where_what_and_the_row() -> None:
    shown = [str(line) for line in lines(report())]
    assert shown == [
        "docs/a b.txt:1: C102 starts mid-sentence: 'lso adds energy reports.'",
        "docs/c.txt:1: C101 very short: 'Hi there, you.'",
    ]
    assert str(next(lines(report(rows=True)))).endswith("(chunks.jsonl:8)")


def test_repeated_findings_are_limited_and_counted() -> None:
    made = report()
    assert len(list(lines(made, 0))) == 0
    assert left_out(made, 0) == {"C101 orphan": 1, "C102 starts-mid-sentence": 1}
    assert left_out(made, 1) == left_out(made, None) == {}


def test_the_summary_and_the_tables_agree() -> None:
    made = report()
    assert summary(made) == (
        "3 chunks of 2 documents: 2 findings in 2 chunks (66.7 %): "
        "1 C101 orphan, 1 C102 starts-mid-sentence"
    )
    assert [row[:4] for row in rule_table(made).rows] == [
        ("C101", "orphan", "warning", "1"),
        ("C102", "starts-mid-sentence", "error", "1"),
        ("", "any", "", "2"),
    ]
    assert document_table(made).rows[0] == ("docs/a b.txt", "2", "1", "50.0")
    nothing = Report("s", made.documents, (), made.rules)
    assert summary(nothing) == "3 chunks of 2 documents: no findings"


def test_json_names_its_schema_and_holds_spans() -> None:
    made = as_json(report(rows=True))
    assert made["schema"] == SCHEMA
    first = made["findings"][0]
    text = TEXTS[first["document_id"]]
    assert text[first["start"] : first["end"]].startswith("lso adds")
    assert (first["row"], first["chunk"], first["line"]) == (8, 1, 1)
    assert [each["findings"] for each in made["rules"]] == [1, 1]
    assert made["chunks_with_findings"] == 2


def test_sarif_points_at_lines_and_columns() -> None:
    run = as_sarif(report())["runs"][0]
    first = run["results"][0]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "docs/a%20b.txt"
    assert place["region"] == {"startLine": 1, "startColumn": 31, "endLine": 2, "endColumn": 16}
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == first["ruleId"] == "C102"
    assert first["level"] == "error"
    marks = [each["partialFingerprints"]["chunkwright/v1"] for each in run["results"]]
    assert len(set(marks)) == len(marks)


def test_a_page_has_no_lines_of_its_file() -> None:
    made = report()
    pages = tuple(Checked(each.document_id, each.chunks, each.path) for each in made.documents)
    page = Report(made.subject, pages, made.findings, made.rules)
    result = as_sarif(page)["runs"][0]["results"][0]
    assert "region" not in result["locations"][0]["physicalLocation"]
    assert next(as_github(page)).startswith("::error file=docs/a b.txt,title=C102 ")


def test_annotations_are_one_line_each_with_their_marks_escaped() -> None:
    made = report()
    shown = list(as_github(made))
    assert shown[0] == (
        "::error file=docs/a b.txt,line=1,endLine=2,title=C102 starts-mid-sentence::"
        "starts mid-sentence: 'lso adds energy reports.'"
    )
    odd = tuple(Checked(each.document_id, 2, "a,b:c%.md") for each in made.documents)
    assert "file=a%2Cb%3Ac%25.md," in next(as_github(Report("s", odd, made.findings, made.rules)))
    assert all(re.fullmatch(r"::(error|warning|notice) [^\n]+", line) for line in shown)


def test_documents_that_differ_widen_the_interval() -> None:
    chunks = np.full(40, 100)
    even = share_of(np.full(40, 10), chunks)
    uneven = share_of(np.r_[np.full(36, 0), np.full(4, 100)], chunks)
    assert even.value == uneven.value == pytest.approx(0.1)
    assert even.low < 0.1 < even.high
    assert uneven.high - uneven.low > 5 * (even.high - even.low)
    none = share_of(np.zeros(40, np.int64), chunks)
    assert none.low == 0.0 < none.high < 0.01
    assert np.isnan(share_of(np.zeros(1, np.int64), np.zeros(1, np.int64)).value)
