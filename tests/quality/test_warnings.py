"""The three warnings, judged against the source and not against the chunk alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.cut import cut
from chunkwright.chunking.dress import chunk
from chunkwright.model import Document
from chunkwright.quality.additions import name_the_subject
from chunkwright.quality.warnings import LABELS, SHORTEST, warnings, warnings_of
from chunkwright.quality.warnings import PRONOUN as PRONOUNS
from chunkwright.setup import Setup
from chunkwright.spans import Spans
from chunkwright.text.analysis import Analysis

SHORT, MIDDLE, PRONOUN = LABELS


def labels_of(text: str, *pieces: str, name: str = "a.txt") -> list[list[str]]:
    """The warnings of chunks with exactly these texts."""
    starts = [text.index(piece) for piece in pieces]
    pairs = [(start, start + len(piece)) for start, piece in zip(starts, pieces, strict=True)]
    table = warnings(Analysis(Document(name, text)), Spans.of(pairs))
    return [[label for label, found in zip(LABELS, row, strict=True) if found] for row in table]


def test_the_labels_are_the_lessons() -> None:
    assert LABELS == ("very short", "starts mid-sentence", "starts with a pronoun")


@pytest.mark.parametrize(
    ("text", "short"),
    [("a minute.", True), ("x" * (SHORTEST - 1), True), ("x" * SHORTEST, False)],
)
def test_very_short(text: str, short: bool) -> None:
    assert labels_of(text, text) == [[SHORT] if short else []]


def test_white_space_does_not_make_a_chunk_longer() -> None:
    text = "Stop." + " " * 40 + "The rest of it follows here."
    assert labels_of(text, "Stop." + " " * 30)[0] == [SHORT]


@pytest.mark.parametrize(
    ("text", "piece", "expected"),
    [
        # A small letter, a digit or a bracket at the start is no defect where a sentence starts.
        ("One. iPhones are sold here, and much more.", "iPhones are sold here, and", False),
        ("It was late. 3 lamps were on, all of them.", "3 lamps were on, all of them.", False),
        ("One. (Then it was quite dark in here.)", "(Then it was quite dark in here.)", False),
        ("one is here. another one follows right after.", "another one follows right", False),
        # A capital does not make a sentence.
        ("The team of Ada Lampwell was here at night.", "Ada Lampwell was here at night.", True),
        ("See Mr. Fox, who lives in the old town.", "Fox, who lives in the old town.", True),
        ("It costs 3.99 dollars a month, or more.", "99 dollars a month, or more.", True),
        ("A first part, and then a second part here.", "and then a second part here.", True),
    ],
)
def test_starts_mid_sentence(text: str, piece: str, expected: bool) -> None:
    assert (MIDDLE in labels_of(text, piece)[0]) is expected


@pytest.mark.parametrize("piece", ["# A heading of it", "- an item of a list, long enough"])
def test_headings_and_items_start_sentences(piece: str) -> None:
    text = f"Some prose stands here\n\n{piece}\n\nmore prose."
    assert MIDDLE not in labels_of(text, piece, name="a.md")[0]


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        *((word, True) for word in ("It", "This", "That", "They", "These", "Those", "He", "She")),
        ("it", True),
        ("THEY", True),
        ("Its", False),
        ("Item", False),
        ("Thistle", False),
        ("Theyre", False),
        ("The", False),
        ("It's", False),
        ("Here", False),
    ],
)
def test_starts_with_a_pronoun(start: str, expected: bool) -> None:
    text = f"{start} also adds reports and schedules."
    assert labels_of(text, text) == [[PRONOUN] if expected else []]


@given(st.text(alphabet="iIİıtThHeEsSſaAyY' .東😀", min_size=1, max_size=12))
def test_a_pronoun_is_found_wherever_a_chunk_starts(text: str) -> None:
    analysis = Analysis(Document("a.txt", text))
    spans = Spans.of([(start, start + 1) for start in range(len(text))])
    found = warnings(analysis, spans)[:, 2].tolist()
    visible = [analysis.next_visible(start) for start in range(len(text))]
    assert found == [PRONOUNS.match(text, start) is not None for start in visible]


def test_white_space_before_the_pronoun_hides_nothing() -> None:
    text = "One.  It also adds reports and schedules."
    assert labels_of(text, "  It also adds reports and schedules.") == [[PRONOUN]]


def test_several_warnings_of_one_chunk() -> None:
    assert labels_of("Then, it hums.", "it hums.") == [[SHORT, MIDDLE, PRONOUN]]


def test_a_replaced_pronoun_is_no_warning() -> None:
    plus = Document("plus.txt", "It also adds energy reports.", title="Brightgrid Plus")
    made = cut(Analysis(plus), Setup.parse("sentence:1s"))
    assert warnings_of(made)[:, 2].tolist() == [True]
    assert warnings_of(name_the_subject(made))[:, 2].tolist() == [False]


def test_nothing_has_no_warnings() -> None:
    assert warnings(Analysis(Document("a.txt", "")), Spans.of([])).shape == (0, 3)


def test_overlap_does_not_hide_a_cut() -> None:
    text = "The lamp blinks blue when it is ready. The hub hums when it is on."
    found = chunk(Document("a.txt", text), "fixed:40c+10c")
    table = warnings(Analysis(Document("a.txt", text)), Spans.of([(c.start, c.end) for c in found]))
    assert table[:, 1].tolist() == [False, True]
