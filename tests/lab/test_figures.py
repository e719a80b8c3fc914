"""The figures beside the text are those of the command line."""

from __future__ import annotations

import pytest

from chunkwright.chunking.cost import cost
from chunkwright.chunking.cut import cut
from chunkwright.chunking.dress import chunk
from chunkwright.lab.figures import facts, overlap_costs
from chunkwright.model import Document
from chunkwright.quality.chunks import check
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis

TEXT = "# Plans\n\n" + "Plus costs four euros a month. It also adds energy reports.\n\n" * 40
NOTATIONS = ["sentence:30t+1s", "fixed:90c+20%", "markdown:40t|headers|parents=section", "fixed:9w"]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_they_are_the_costs_and_the_warnings(notation: str) -> None:
    document, setup = Document("plans.md", TEXT), Setup.parse(notation)
    found = facts(cut(Analysis(document), setup))
    assert found.cost == cost([document], setup)
    kinds = {"C101", "C102", "C104"}
    chunks = chunk(document, setup)
    warned = {each.index for each in check(chunks, setup) if each.code in kinds}
    assert found.warned == len(warned)


def test_no_chunk_has_no_figures() -> None:
    rows = dict(facts(cut(Analysis(Document("a.md", " \n")), Setup.parse("fixed:9c"))).rows())
    assert rows["chunks"] == "0"
    assert {rows["tokens, mean"], rows["tokens, median"], rows["warnings rate"]} == {"–"}


@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_setup_itself_is_marked_among_overlaps(notation: str) -> None:
    analysis, setup = Analysis(Document("plans.md", TEXT)), Setup.parse(notation)
    table = overlap_costs(analysis, setup)
    assert table.marked is not None
    chunks = table.rows[table.marked][[c.name for c in table.columns].index("chunks")]
    assert chunks == str(cost([analysis], setup).chunks)
