"""The three warnings, judged against the source and not against the chunk alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.cut import Cut
from chunkwright.chunking.dress import chunk, dress
from chunkwright.model import Chunk, Document
from chunkwright.quality import rules
from chunkwright.quality.rules import LABELS, SHORTEST, check, warnings
from chunkwright.setup import Setup
from chunkwright.spans import Spans
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import cl100k_base

SHORT, MIDDLE, PRONOUN = LABELS


def at(document: Document, *pieces: str) -> list[Chunk]:
    """Chunks with exactly these texts."""
    starts = [document.text.index(piece) for piece in pieces]
    pairs = [(start, start + len(piece)) for start, piece in zip(starts, pieces, strict=True)]
    spans = Spans.of(pairs)
    setup = Setup.parse("fixed:1000c|strip=no")
    return dress(Cut(Analysis(document), setup, cl100k_base(), spans, spans.starts[:0]))


def labels_of(text: str, *pieces: str, name: str = "a.txt") -> list[list[str]]:
    document = Document(name, text)
    found = check(at(document, *pieces))
    return [[each.label for each in found if each.index == index] for index in range(len(pieces))]


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
    assert found == [rules.PRONOUN.match(text, start) is not None for start in visible]


def test_white_space_before_the_pronoun_hides_nothing() -> None:
    text = "One.  It also adds reports and schedules."
    assert labels_of(text, "  It also adds reports and schedules.") == [[PRONOUN]]


def test_several_warnings_of_one_chunk() -> None:
    assert labels_of("Then, it hums.", "it hums.") == [[SHORT, MIDDLE, PRONOUN]]


def test_a_replaced_pronoun_is_no_warning() -> None:
    document = Document("plus.txt", "It also adds energy reports.", title="Brightgrid Plus")
    assert [found.label for found in check(chunk(document, "sentence:1s"))] == [PRONOUN]
    assert check(chunk(document, "sentence:1s|repair")) == []


def test_a_finding_says_where_and_quotes() -> None:
    text = "One is here, all of it.\n\nIt also adds a very long line of reports and schedules."
    (found,) = check(chunk(Document("docs/a.md", text), "sentence:1s"))
    assert (found.document_id, found.index) == ("docs/a.md", 1)
    assert text[found.start : found.end].startswith("It also")
    assert found.message.startswith("docs/a.md:3: starts with a pronoun: 'It also adds")
    assert "…" in found.message
    assert "\n" not in found.message


def test_findings_stand_in_the_order_of_the_chunks() -> None:
    documents = [Document("b.txt", "It hums. Stop."), Document("a.txt", "They hum.")]
    found = check(chunk(documents, "sentence:1s"))
    assert [(each.document_id, each.index, each.label) for each in found] == [
        ("b.txt", 0, SHORT),
        ("b.txt", 0, PRONOUN),
        ("b.txt", 1, SHORT),
        ("a.txt", 0, SHORT),
        ("a.txt", 0, PRONOUN),
    ]


def test_nothing_has_no_warnings() -> None:
    assert check([]) == []
    assert warnings(Analysis(Document("a.txt", "")), Spans.of([])).shape == (0, 3)


def test_overlap_does_not_hide_a_cut() -> None:
    text = "The lamp blinks blue when it is ready. The hub hums when it is on."
    found = chunk(Document("a.txt", text), "fixed:40c+10c")
    table = warnings(Analysis(Document("a.txt", text)), Spans.of([(c.start, c.end) for c in found]))
    assert table[:, 1].tolist() == [False, True]
