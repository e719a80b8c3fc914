from collections import Counter

import pytest

from chunkwright.gold.check import check
from chunkwright.gold.goldset import GoldSet, Place, Question, Reference
from chunkwright.model import Document
from chunkwright.sources.corpus import Corpus

LAMP = "# Lamp\n\nIt blinks blue twice a minute. It costs 30 euros a year.\n"
DESK = "# Desk\n\nIt costs nothing. It blinks blue twice a minute. It is blue.\n"
CORPUS = Corpus.of([Document("docs/lamp.md", LAMP), Document("docs/desk.md", DESK)])
BLINKS = "It blinks blue twice a minute."


def gold(*references, question="What does it do?"):
    return GoldSet((Question("q1", question, references),))


def reference(quote, text=LAMP, document_id="docs/lamp.md"):
    start = text.index(quote)
    return Reference(document_id, start, start + len(quote), quote)


def only_problem(checked):
    (problem,) = checked.problems
    assert "\n" not in str(problem)
    return problem


def test_a_right_reference_is_left_as_it_is():
    asked = gold(reference("It costs 30 euros a year."))
    checked = check(asked, CORPUS)
    assert (checked.questions, checked.problems) == (asked, ())
    assert (checked.usable, checked.left_out, checked.repeated) == (1, 0, 0)


class TestPlaces:
    def test_a_repeated_quote_is_one_reference_with_its_own_place_first(self):
        checked = check(gold(reference(BLINKS, DESK, "docs/desk.md")), CORPUS)
        (found,) = checked.questions[0].references
        assert found.places == (Place("docs/desk.md", 26, 56), Place("docs/lamp.md", 8, 38))
        assert (checked.repeated, checked.problems) == (1, ())

    def test_a_short_quote_counts_at_its_own_span_only(self):
        asked = gold(Reference("docs/desk.md", 63, 67, "blue"))
        checked = check(asked, CORPUS)
        assert checked.questions == asked
        problem = only_problem(checked)
        assert (problem.kind, problem.usable) == ("ambiguous", True)
        assert "'blue' occurs 3 times in the corpus" in problem.message

    def test_a_short_quote_without_a_span_is_taken_at_its_first_place(self):
        checked = check(gold(Reference("docs/lamp.md", quote="It")), CORPUS)
        assert checked.questions[0].references[0].places == (Place("docs/lamp.md", 8, 10),)
        assert "counted at its first place only" in only_problem(checked).message

    def test_two_copies_of_one_passage_are_one_reference(self):
        asked = gold(reference(BLINKS), reference(BLINKS, DESK, "docs/desk.md"))
        checked = check(asked, CORPUS)
        assert len(checked.questions[0].references) == 1
        problem = only_problem(checked)
        assert (problem.kind, problem.reference_index) == ("repeated reference", 1)

    def test_checking_again_changes_nothing(self):
        once = check(gold(Reference("docs/lamp.md", quote="IT  BLINKS blue twice a")), CORPUS)
        assert check(once.questions, CORPUS).questions == once.questions


class TestLocating:
    def test_without_a_span_the_quote_tells_it(self):
        checked = check(gold(Reference("docs/lamp.md", quote="30 euros")), CORPUS)
        found = checked.questions[0].references[0]
        assert (LAMP[found.start : found.end], checked.problems) == ("30 euros", ())

    def test_without_a_quote_the_span_tells_it(self):
        checked = check(gold(Reference("docs/lamp.md", 8, 38)), CORPUS)
        assert checked.questions[0].references[0].quote == BLINKS
        assert checked.repeated == 1

    @pytest.mark.parametrize("span", [(0, 30), (9, 39), (-4, 2), (500, 530), (8, 8), (30, 8)])
    def test_a_quote_that_is_elsewhere_is_moved(self, span):
        checked = check(gold(Reference("docs/lamp.md", *span, BLINKS)), CORPUS)
        assert checked.questions[0].references[0].places[0] == ("docs/lamp.md", 8, 38)
        problem = only_problem(checked)
        assert (problem.kind, problem.usable) == ("moved", True)
        assert f"is at 8-38, not at {span[0]}-{span[1]};" in problem.message

    def test_the_nearest_place_is_taken(self):
        checked = check(gold(Reference("docs/desk.md", 50, 52, "It")), CORPUS)
        assert checked.questions[0].references[0].start == 57
        assert [problem.kind for problem in checked.problems] == ["moved", "ambiguous"]

    def test_a_quote_in_other_dress_becomes_the_documents_own_text(self):
        checked = check(gold(Reference("docs/lamp.md", 0, 6, "# LAMP It blinks")), CORPUS)
        assert checked.questions[0].references[0].quote == "# Lamp\n\nIt blinks"
        assert only_problem(checked).message.startswith(
            "found at 0-17 with other typography and case"
        )


class TestUnusable:
    @pytest.mark.parametrize(
        ("given", "kind", "message"),
        [
            (Reference("lamp.md", 0, 4, "Lamp"), "unknown document", "mean 'docs/lamp.md'?"),
            (Reference("zebra", 0, 4), "unknown document", "; correct the document id"),
            (Reference("docs/lamp.md", 5, 5), "empty span", "give the span"),
            (Reference("docs/lamp.md", 6, 8), "empty span", "it holds no words"),
            (Reference("docs/lamp.md", 9, 2), "empty span", "give the span"),
            (Reference("docs/lamp.md", 0, 4, " "), "empty span", "it holds no words"),
            (Reference("docs/lamp.md", 0, 999), "outside the document", "has 65 characters"),
            (Reference("docs/lamp.md", -3, 9), "outside the document", "-3-9 is not inside"),
            (
                Reference("docs/lamp.md", 0, 9, "It is green."),
                "quote not found",
                "'It is green.' is not in 'docs/lamp.md'; quote the text",
            ),
            (
                Reference("docs/lamp.md", 0, 9, "It costs nothing."),
                "quote not found",
                "it is in 'docs/desk.md' at 8-25; correct the document id",
            ),
            (
                Reference("docs/lamp.md", 0, 9, "It costs 40 euros a year."),
                "numbers differ",
                "has 30 at 39-64 where the quote has 40; correct the quote",
            ),
        ],
    )
    def test_a_reference_that_is_not_there(self, given, kind, message):
        checked = check(gold(reference(BLINKS), given), CORPUS)
        problem = only_problem(checked)
        assert (problem.kind, problem.reference_index, problem.usable) == (kind, 1, False)
        assert message in problem.message
        assert (checked.usable, checked.left_out) == (0, 1)

    def test_nothing_to_ask(self):
        assert only_problem(check(gold(reference(BLINKS), question=" "), CORPUS)).kind == (
            "empty question"
        )

    def test_nothing_to_find(self):
        assert only_problem(check(gold(), CORPUS)).kind == "no references"

    def test_questions_are_left_out_once(self):
        checked = check(gold(Reference("x", 0, 1), Reference("y", 0, 1), question=""), CORPUS)
        assert (len(checked.problems), checked.left_out) == (3, 1)

    def test_the_others_are_asked(self):
        good = Question("good", "Fine?", (reference(BLINKS),))
        bad = Question("bad", "Not fine?", (Reference("nowhere", 0, 1),))
        checked = check(GoldSet((bad, good)), CORPUS)
        assert [question.id for question in checked.questions] == ["good"]


@pytest.mark.parametrize(("other", "how"), [(BLINKS, "the same references"), ("# Lamp", "other")])
def test_a_question_asked_twice_is_said(other, how):
    twice = GoldSet(
        (
            Question("q1", "What does it do?", (reference(BLINKS),)),
            Question("q2", " what DOES it  do?", (reference(other),)),
        )
    )
    checked = check(twice, CORPUS)
    problem = only_problem(checked)
    assert (problem.question_id, problem.kind, checked.usable) == ("q2", "duplicate", 2)
    assert f"question 'q1' asks the same with {how}" in problem.message


class TestRealData:
    FOLDERS = ("chroma", "code", "covidqa", "qmsum", "xquad-en", "xquad-th", "xquad-zh")

    @pytest.mark.parametrize("name", FOLDERS)
    def test_every_question_is_usable(self, shared_data, name):
        corpus = Corpus.read(shared_data / name / "docs")
        asked = GoldSet.read(shared_data / name / "gold.jsonl")
        checked = check(asked, corpus)
        assert (checked.usable, checked.left_out) == (len(asked), 0)
        for question in checked.questions:
            for found in question.references:
                texts = {
                    corpus.document(document_id).text[start:end]
                    for document_id, start, end in found.places
                }
                assert texts == {found.quote}

    def test_finance_repeats_itself(self, shared_data):
        corpus = Corpus.read(shared_data / "chroma" / "docs")
        checked = check(GoldSet.read(shared_data / "chroma" / "gold.jsonl"), corpus)
        finance = [
            [len(found.places) for found in question.references]
            for question in checked.questions
            if question.references[0].document_id == "finance.md"
        ]
        assert len(finance) == 97
        assert sum(max(copies) > 1 for copies in finance) == 67
        counts = Counter(count for copies in finance for count in copies)
        assert counts == {1: 47, 2: 65, 3: 15, 4: 13, 6: 3}


def test_the_example_gold_set_is_right():
    from tests.conftest import REPOSITORY

    corpus = Corpus.read(REPOSITORY / "examples" / "docs")
    checked = check(GoldSet.read(REPOSITORY / "examples" / "gold.jsonl"), corpus)
    assert (checked.left_out, checked.problems) == (0, ())
