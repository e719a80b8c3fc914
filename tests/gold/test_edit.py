"""Edits of a gold set: each gives another one, and the one before stays as it was."""

from __future__ import annotations

import pytest

from chunkwright.errors import GoldError
from chunkwright.gold import edit
from chunkwright.gold.check import check
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.model import Document
from chunkwright.sources.corpus import Corpus
from chunkwright.spans import Span

LAMP = Document("lamp.md", "A 💡 lamp blinks blue. It is on. The lamp hums.")
CORPUS = Corpus.of([LAMP, Document("hub.md", "The hub hums low at night, 3 times.")])
BLUE = Reference("lamp.md", 4, 21, "lamp blinks blue.")
GOLD = GoldSet((Question("q1", "What blinks?", (BLUE,), "en"), Question("q2", "Is it on?", ())))


def test_a_question_is_added_with_an_id_of_its_own() -> None:
    gold = edit.added(GoldSet((Question("q002", "a", ()),)), "  Is it on? ")
    assert [(each.id, each.question) for each in gold] == [("q002", "a"), ("q003", "Is it on?")]
    assert [each.id for each in edit.added(gold, "b")] == ["q002", "q003", "q004"]


@pytest.mark.parametrize("words", ["", " \n"])
def test_a_question_without_words_is_none(words: str) -> None:
    with pytest.raises(GoldError, match="the question is empty; write it"):
        edit.added(GOLD, words)
    with pytest.raises(GoldError, match="the question is empty"):
        edit.reworded(GOLD, "q1", words)


def test_an_edit_leaves_the_rest_alone() -> None:
    gold = edit.reworded(GOLD, "q1", "What is blue?")
    assert gold.question("q1") == Question("q1", "What is blue?", (BLUE,), "en")
    assert gold.question("q2") is GOLD.question("q2")
    assert GOLD.question("q1").question == "What blinks?"
    assert [each.id for each in edit.removed(gold, "q1")] == ["q2"]


@pytest.mark.parametrize(
    "change",
    [
        lambda gold: edit.removed(gold, "q9"),
        lambda gold: edit.reworded(gold, "q9", "a"),
        lambda gold: edit.with_reference(gold, "q9", BLUE),
        lambda gold: edit.without_reference(gold, "q9", 0),
    ],
)
def test_a_question_that_is_gone_is_said(change) -> None:
    with pytest.raises(GoldError, match="no question 'q9' among 2"):
        change(GOLD)


def test_references_are_added_replaced_and_removed() -> None:
    on = edit.reference_to(LAMP, Span(22, 32))
    gold = edit.with_reference(GOLD, "q2", on)
    assert gold.question("q2").references == (on,)
    gold = edit.with_reference(gold, "q2", BLUE, instead=0)
    assert gold.question("q2").references == (BLUE,)
    gold = edit.without_reference(gold, "q2", 0)
    assert gold == GOLD


def test_a_reference_stands_once() -> None:
    with pytest.raises(GoldError, match="question q1: reference 0 is this passage already"):
        edit.with_reference(GOLD, "q1", BLUE)
    assert edit.with_reference(GOLD, "q1", BLUE, instead=0) == GOLD


@pytest.mark.parametrize("index", [-1, 1])
def test_a_reference_that_is_not_there(index: int) -> None:
    with pytest.raises(GoldError, match="question q1 has 1 references, so none has the number"):
        edit.without_reference(GOLD, "q1", index)
    with pytest.raises(GoldError, match="so none has the number"):
        edit.with_reference(GOLD, "q1", edit.reference_to(LAMP, Span(0, 3)), instead=index)


def test_a_selection_loses_the_white_space_at_its_edges() -> None:
    found = edit.reference_to(LAMP, Span(3, 22))
    assert found == BLUE
    assert LAMP.text[found.start : found.end] == found.quote
    with pytest.raises(GoldError, match=r"lamp\.md: the selection holds no words"):
        edit.reference_to(LAMP, Span(3, 4))


def test_a_quote_is_found_as_the_check_finds_it() -> None:
    assert edit.reference_by(CORPUS, "lamp.md", " LAMP  blinks\nblue. ") == BLUE


@pytest.mark.parametrize(
    ("document", "quote", "message"),
    [
        ("lamp.md", "green", "'green' is not in 'lamp.md'; quote the text as it stands there"),
        ("lamp.md", "The hub", "it is in 'hub.md' at 0-7; correct the document id"),
        ("hub.md", "low at night, 4 times", "'hub.md' has 3 at .* where the quote has 4"),
        ("gone.md", "lamp", "no document 'gone.md' among 2"),
        ("lamp.md", " ", "it holds no words"),
    ],
)
def test_a_quote_that_is_not_there_is_said(document: str, quote: str, message: str) -> None:
    with pytest.raises(GoldError, match=message):
        edit.reference_by(CORPUS, document, quote)


def test_what_the_check_found_is_adopted() -> None:
    moved = Reference("lamp.md", 0, 17, BLUE.quote)
    typed = Reference("lamp.md", quote="LAMP blinks blue.")
    gold = GoldSet(
        (
            Question("q1", "What blinks?", (moved, BLUE)),
            Question("q2", "And now?", (typed,), "en"),
            Question("q3", "Gone?", (Reference("gone.md", quote="x"),)),
        )
    )
    checked = check(gold, CORPUS)
    better = edit.corrected(gold, checked)
    assert [each.references for each in better] == [(BLUE,), (BLUE,), gold[2].references]
    assert better[1].language == "en"
    # What is left cannot be corrected by itself.
    assert {each.kind for each in check(better, CORPUS).problems} == {"unknown document"}
    assert edit.corrected(gold, checked, ["q2"])[0] == gold[0]
    assert edit.kept(checked, gold[0]) == [0]
