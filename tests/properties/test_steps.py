"""Packing in arrays gives the spans that packing chunk by chunk gives."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking import pack, steps
from chunkwright.chunking.cut import Cut, cut
from chunkwright.chunking.steps import Steps
from chunkwright.errors import SetupError
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text import token_index
from chunkwright.text.analysis import Analysis
from tests.properties.strategies import COUNTERS, PROSE, UNBROKEN, Case, cases, markdown

STRATEGIES = ("sentence", "recursive", "header", "markdown")
# Several chunks, some of them cut inside of a sentence or a word.
_PIECES = st.sampled_from([*PROSE, *PROSE, *PROSE, "word " * 30, "\n\n", "\n", "x" * 50, *UNBROKEN])
_LONG = st.lists(_PIECES, min_size=20, max_size=150).map("".join)


def _one_by_one(*_: object) -> Steps:
    return steps._NO_STEPS


def both_ways(case: Case) -> tuple[Cut, Cut] | None:
    """A cut in arrays, whatever the size of the text, and one without; None where neither is."""
    document, counter = Document(case.name, case.text, title="T"), COUNTERS[case.counter]()
    try:
        with (
            patch.object(steps, "_FEW", 0),
            patch.object(steps, "_FEW_STARTS", 1),
            patch.object(token_index, "_SPARSE", 10_000),
        ):
            first = cut(Analysis(document), case.setup, counter)
            assert first.tokens().tolist() == [
                first.counter.count(first.embed_text(index)) for index in range(len(first))
            ]
    except SetupError:
        return None
    with patch.object(pack, "steps", _one_by_one):
        return first, cut(Analysis(document), case.setup, counter)


def check(case: Case) -> None:
    """Both ways give the same chunks."""
    if found := both_ways(case):
        in_arrays, one_by_one = found
        assert in_arrays.spans.pairs() == one_by_one.spans.pairs()
        assert in_arrays.leads == one_by_one.leads


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(data=st.data())
def test_on_hostile_texts(strategy: str, data: st.DataObject) -> None:
    check(data.draw(cases(strategy)))


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(data=st.data())
def test_on_longer_texts(strategy: str, data: st.DataObject) -> None:
    check(data.draw(cases(strategy, _LONG | markdown())))


@pytest.mark.parametrize(
    "notation",
    [
        "sentence:40t+1s",
        "sentence:40t+2s|headers",
        "recursive:30t+20%|min=10t",
        "sentence:3s+1s|min=12w",
        "header:60c+20c",
        "markdown:25w+5t|headers",
    ],
)
def test_arrays_are_used(notation: str) -> None:
    text = "# Lamp\n\n" + "".join(
        f"Line {at} is here. It has {at * at} words, so. " for at in range(200)
    )
    with patch.object(pack._Packer, "_cut", side_effect=AssertionError):
        found = cut(Analysis(Document("a.md", text)), Setup.parse(notation))
    assert len(found) > 20
