"""Edits of a gold set: each gives another one, and the one before stays as it was."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import count

from chunkwright.errors import GoldError
from chunkwright.gold.check import CheckedGold, check
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.model import Document
from chunkwright.sources.corpus import Corpus
from chunkwright.spans import Span

# What the check finds out by itself: a corrected question holds it.
CORRECTABLE = frozenset({"moved", "located", "repeated reference"})


def free_id(gold: GoldSet) -> str:
    """An id that no question has.

    >>> free_id(GoldSet((Question("q002", "Is it on?", ()),)))
    'q003'
    """
    taken = {question.id for question in gold}
    return next(name for at in count(len(gold) + 1) if (name := f"q{at:03d}") not in taken)


def added(gold: GoldSet, question: str) -> GoldSet:
    """With a new question at the end, without references yet.

    Raises:
        GoldError: It is empty.

    >>> [each.id for each in added(GoldSet(()), "Is it on?")]
    ['q001']
    """
    return GoldSet((*gold.questions, Question(free_id(gold), _worded(question), ())))


def removed(gold: GoldSet, question_id: str) -> GoldSet:
    """Without a question.

    Raises:
        GoldError: There is no such question.
    """
    gold.question(question_id)
    return GoldSet(tuple(each for each in gold if each.id != question_id))


def reworded(gold: GoldSet, question_id: str, question: str) -> GoldSet:
    """With other words for a question.

    Raises:
        GoldError: There is no such question, or there are no words.
    """
    return _with(gold, replace(gold.question(question_id), question=_worded(question)))


def with_reference(
    gold: GoldSet, question_id: str, reference: Reference, instead: int | None = None
) -> GoldSet:
    """With one more reference of a question, or another one in place of one that it has.

    Args:
        gold: The gold set.
        question_id: The question.
        reference: The reference.
        instead: Number of the reference that it replaces; None to add it.

    Raises:
        GoldError: There is no such question or reference, or it has this reference already.
    """
    question = gold.question(question_id)
    places = [(each.document_id, each.start, each.end) for each in question.references]
    own = (reference.document_id, reference.start, reference.end)
    if own in places and places.index(own) != instead:
        raise GoldError(
            f"question {question_id}: reference {places.index(own)} is this passage already; "
            "choose another one"
        )
    references = list(question.references)
    if instead is None:
        references.append(reference)
    else:
        _at(question, instead)
        references[instead] = reference
    return _with(gold, replace(question, references=tuple(references)))


def without_reference(gold: GoldSet, question_id: str, index: int) -> GoldSet:
    """Without one of the references of a question.

    Raises:
        GoldError: There is no such question or reference.
    """
    question = gold.question(question_id)
    _at(question, index)
    left = question.references[:index] + question.references[index + 1 :]
    return _with(gold, replace(question, references=left))


def corrected(
    gold: GoldSet, checked: CheckedGold, question_ids: Collection[str] | None = None
) -> GoldSet:
    """With the references of usable questions as the check found them.

    Spans and quotes become those of the documents, and what is said twice is left out.

    Args:
        gold: The gold set.
        checked: Its check.
        question_ids: The questions to correct; all with something to correct if left out.

    >>> corpus = Corpus.of([Document("a.md", "A lamp.")])
    >>> gold = GoldSet((Question("q1", "What?", (Reference("a.md", 0, 4, "lamp"),)),))
    >>> corrected(gold, check(gold, corpus)).question("q1").references[0].start
    2
    """
    wanted = {
        problem.question_id
        for problem in checked.problems
        if problem.kind in CORRECTABLE
        and (question_ids is None or problem.question_id in question_ids)
    }
    found = {question.id: question for question in checked.questions if question.id in wanted}
    return GoldSet(
        tuple(
            replace(
                question,
                references=tuple(
                    Reference(each.document_id, each.start, each.end, each.quote)
                    for each in found[question.id].references
                ),
            )
            if question.id in found
            else question
            for question in gold
        )
    )


def kept(checked: CheckedGold, question: Question) -> list[int]:
    """Which references of a usable question its check kept, in order: repeated ones are left out.

    >>> lamp = Reference("a.md", 2, 6)
    >>> gold = GoldSet((Question("q1", "What?", (lamp, lamp)),))
    >>> kept(check(gold, Corpus.of([Document("a.md", "A lamp.")])), gold[0])
    [0]
    """
    repeated = {
        problem.reference_index
        for problem in checked.problems
        if problem.question_id == question.id and problem.kind == "repeated reference"
    }
    return [index for index in range(len(question.references)) if index not in repeated]


def reference_to(document: Document, span: Span) -> Reference:
    """A reference to a span of a document, without the white space at its edges.

    Raises:
        GoldError: The span holds no words.

    >>> reference_to(Document("a.md", "A lamp. "), Span(1, 8)).quote
    'lamp.'
    """
    part = document.text[span.start : span.end]
    quote = part.strip()
    if not quote:
        raise GoldError(f"{document.id}: the selection holds no words; select the passage")
    start = span.start + part.index(quote)
    return Reference(document.id, start, start + len(quote), quote)


def reference_by(corpus: Corpus, document_id: str, quote: str) -> Reference:
    """A reference to a quote, found in its document as the check finds it.

    Raises:
        GoldError: The document does not hold it; the message says what was found instead.

    >>> reference_by(Corpus.of([Document("a.md", "A  Lamp.")]), "a.md", "a lamp").quote
    'A  Lamp'
    """
    asked = Question("", "?", (Reference(document_id, quote=quote.strip()),))
    checked = check(GoldSet((asked,)), corpus)
    if not checked.usable:
        raise GoldError(checked.problems[0].message)
    found = checked.questions[0].references[0]
    return Reference(found.document_id, found.start, found.end, found.quote)


def _with(gold: GoldSet, changed: Question) -> GoldSet:
    return GoldSet(tuple(changed if each.id == changed.id else each for each in gold))


def _worded(question: str) -> str:
    if not question.strip():
        raise GoldError("the question is empty; write it")
    return question.strip()


def _at(question: Question, index: int) -> None:
    if not 0 <= index < len(question.references):
        raise GoldError(
            f"question {question.id} has {len(question.references)} references, so none has the "
            f"number {index}; choose another one"
        )
