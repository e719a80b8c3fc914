"""What is shown: the numbers are the real ones, and overlaps belong to both chunks."""

from __future__ import annotations

import pytest

import chunkwright as cw
from tests.bug_reports.reports import to_come
from tests.bug_reports.tools import chunks


@to_come("the lab")
def test_br_199_a_large_text_leaves_the_page_responsive() -> None:
    from chunkwright.lab.app import paste

    # Work is done in steps on the server, each of which can be the last.
    steps = paste("The lamp is blue. " * 300_000, "recursive:1000c")
    assert next(steps).done < 1
    steps.cancel()
    assert list(steps) == []


def test_br_200_numbers_are_those_of_the_document() -> None:
    text = " ".join(f"Sentence {at} is here, and here it ends." for at in range(20))
    found = chunks(text, "sentence:1s")
    shown = [
        chunk for chunk in found if "Sentence 7 " in chunk.text or "Sentence 12 " in chunk.text
    ]
    assert [chunk.index for chunk in shown] == [7, 12]
    halves = [chunk for chunk in chunks(text, "fixed:20c") if chunk.index in (7, 12)]
    assert {finding.index for finding in cw.check(halves)} == {7, 12}


@to_come("'chunkwright search'")
def test_br_200_a_search_shows_numbers_of_the_document() -> None:
    from chunkwright.retrieval.search import search

    text = " ".join(f"Sentence {at} is here." for at in range(20))
    found = search([cw.Document("a.txt", text)], "sentence:1s", "sentence 7 or 12", k=2)
    assert sorted(result.index for result in found) == [7, 12]


@pytest.mark.parametrize("strategy", ["fixed", "recursive", "sentence"])
def test_br_202_an_overlap_belongs_to_both(strategy: str) -> None:
    first, second = chunks("abcdefghijklmnopqr", f"{strategy}:10c+2c")
    assert (first.start, first.end, second.start, second.end) == (0, 10, 8, 18)
    assert second.overlap == 2
    assert first.text[-second.overlap :] == second.text[: second.overlap] == "ij"


@to_come("the lab")
def test_br_202_an_overlap_is_painted_once_for_both() -> None:
    from chunkwright.lab.paint import stretches

    painted = stretches("abcdefghijklmnopqr", [(0, 10), (8, 18)])
    assert painted == [("abcdefgh", (0,)), ("ij", (0, 1)), ("klmnopqr", (1,))]
    assert "".join(text for text, _ in painted) == "abcdefghijklmnopqr"
