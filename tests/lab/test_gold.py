"""The gold part without a browser: what is highlighted, and where texts are marked."""

from __future__ import annotations

import random

import pytest

from chunkwright.gold.check import check
from chunkwright.gold.goldset import GoldSet, Place, Question, Reference
from chunkwright.lab.gold import found_question, highlights
from chunkwright.lab.views.marked_text import excerpt, pieces
from chunkwright.model import Document
from chunkwright.service.workspace import Workspace
from chunkwright.sources.corpus import Corpus
from chunkwright.spans import Span

TEXT = "💡 The lamp blinks blue. The hub hums low. The door is shut. It is the end."
DOCUMENTS = [
    Document("lamp.md", TEXT),
    Document("copy.md", "Here the hub hums low. The door is shut and dry at night."),
]


def to(quote: str, document: Document = DOCUMENTS[0]) -> Reference:
    start = document.text.index(quote)
    return Reference(document.id, start, start + len(quote), quote)


GOLD = GoldSet(
    (
        Question("hit", "what blinks blue", (to("lamp blinks blue."), to("The door is shut."))),
        Question("gone", "what", (Reference("gone.md", quote="x"),)),
        Question("moved", "the door", (Reference("lamp.md", 0, 17, "The door is shut."),)),
    )
)


@pytest.fixture
def workspace() -> Workspace:
    return Workspace(Corpus.of(DOCUMENTS), GOLD)


def test_references_are_highlighted_the_chosen_one_first(workspace: Workspace) -> None:
    lamp, door = (
        Span(reference.start or 0, reference.end or 0) for reference in GOLD[0].references
    )
    checked = workspace.usable
    assert highlights(GOLD[0], 1, checked, "lamp.md") == [
        (door, "chosen"),
        (lamp, "reference"),
        (door, "reference"),
    ]
    # What the check has found elsewhere is shown where it is.
    assert highlights(GOLD[2], 0, checked, "lamp.md") == [(door, "chosen"), (door, "reference")]
    assert highlights(GOLD[2], 7, checked, "lamp.md") == [(door, "reference")]
    assert highlights(GOLD[1], 0, checked, "lamp.md") == []
    assert highlights(None, 0, checked, "lamp.md") == []


def test_every_copy_that_counts_is_highlighted() -> None:
    passage = "The long passage of seven whole words."
    documents = [Document("a.md", f"{passage} And. {passage}"), Document("b.md", passage)]
    gold = GoldSet((Question("q", "passage", (Reference("b.md", quote=passage),)),))
    checked = check(gold, Corpus.of(documents))
    assert len(highlights(gold[0], 0, checked, "a.md")) == 2
    assert checked.questions[0].references[0].places[0] == Place("b.md", 0, len(passage))


def test_a_question_or_none() -> None:
    assert found_question(GOLD, "hit") is GOLD[0]
    assert found_question(GOLD, "") is None


def test_pieces_are_the_text() -> None:
    chance = random.Random(7)
    text = "a💡שלום<b>\n"
    for _ in range(300):
        marks = [
            (Span(chance.randint(-2, 11), chance.randint(-2, 11)), chance.choice("abc"))
            for _ in range(chance.randint(0, 5))
        ]
        found = pieces(text, marks)
        assert "".join(part[0] for part in found) == text
        at = 0
        for part, *kinds in found:
            middle = {
                kind
                for span, kind in marks
                if span.start <= at and at + len(part) <= span.end and span.start < span.end
            }
            assert set(kinds) == middle
            at += len(part)


def test_an_excerpt_holds_what_matters() -> None:
    text = "x" * 1000
    for start in range(0, 1000, 37):
        part = excerpt(text, Span(start, min(1000, start + 50)), most=200)
        assert part.end - part.start == 200
        assert 0 <= part.start <= start
        assert min(1000, start + 50) <= part.end <= 1000
