"""What is visible, payloads, pages, and parts of a text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.model import Document
from chunkwright.text.analysis import Analysis
from tests.properties.strategies import blanked, texts

PAYLOAD = f"data:image/png;base64,{'QUJD' * 30}"


@given(texts())
def test_what_is_visible_is_told_of_one_and_of_many(text: str) -> None:
    text = blanked(text)
    analysis = Analysis(Document("a.txt", text))
    positions = np.arange(len(text) + 1)
    found = analysis.all_next_visible(positions).tolist()
    assert found == [analysis.next_visible(at) for at in positions.tolist()]
    ends = analysis.all_trimmed_ends(positions).tolist()
    assert ends == [analysis.trimmed_end(at) for at in positions.tolist()]
    for at, (start, end) in enumerate(zip(found, ends, strict=True)):
        assert start == at + len(text[at:]) - len(text[at:].lstrip())
        assert end == len(text[:at].rstrip())


@pytest.mark.parametrize("close", ["", ")", '"', "'>", '")'])
def test_a_payload_is_like_white_space(close: str) -> None:
    text = f"Before ![]({PAYLOAD}{close} after."
    analysis = Analysis(Document("a.md", text))
    ((start, end),) = analysis.payloads.pairs()
    assert text[:start].endswith(";base64,")
    assert text[end:] == " after."
    assert analysis.next_visible(start) == text.index("after")
    assert analysis.trimmed_end(end + 1) == start
    assert analysis.payload_walls.tolist() == [text.index("after")]


@pytest.mark.parametrize(
    "text",
    [
        "data:image/png;base64,QUJD",  # short ones do no harm
        f"data:image/png,{'QUJD' * 30}",
        f"base64,{'QUJD' * 30}",
        "QUJD" * 300,
    ],
)
def test_what_is_no_payload(text: str) -> None:
    assert not len(Analysis(Document("a.md", text)).payloads.starts)


@given(texts(), st.integers(0, 60), st.integers(0, 60))
def test_a_part_knows_what_the_whole_knows(text: str, low: int, width: int) -> None:
    whole = Analysis(Document("a.md", text))
    low = min(low, len(text))
    high = min(low + width, len(text))
    part = whole.part(low, high)
    assert part.text == text[low:high]
    assert (part.title, part.language) == (whole.title, whole.language)
    for at in range(max(low, whole.start), high):
        assert part.section_at(at - low).path == whole.section_at(at).path
    for name in ("blocks", "pieces", "kept"):
        inside = [at - low for at in getattr(whole.structure, name).tolist() if low <= at < high]
        assert getattr(part.structure, name).tolist() == inside


def test_pages_start_after_form_feeds() -> None:
    assert Analysis(Document("a.txt", "A\fB\f\fC")).page_starts.tolist() == [0, 2, 4, 5]
