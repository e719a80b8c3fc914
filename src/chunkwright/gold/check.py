"""The gold set's check: nothing is measured on a reference that is not in the documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache

from chunkwright.gold.goldset import GoldSet, Place, Question, Reference
from chunkwright.gold.locate import Searcher, copies, is_telling
from chunkwright.gold.problems import Problem, Reporter
from chunkwright.sources.corpus import Corpus, nearest_id
from chunkwright.spans import Span

__all__ = ["CheckedGold", "Problem", "check"]

_QUOTED = 60
# Each keeps several copies of its text.
_SEARCHERS_KEPT = 4


@dataclass(frozen=True)
class CheckedGold:
    """A gold set after its check.

    Attributes:
        questions: The questions that can be asked. Every reference has its span, the document's
            own text as its quote, and all its places.
        problems: What was found, in the order of the questions.
    """

    questions: GoldSet
    problems: tuple[Problem, ...]

    @property
    def usable(self) -> int:
        """Number of questions that can be asked."""
        return len(self.questions)

    @cached_property
    def left_out(self) -> int:
        """Number of questions that cannot be asked."""
        return len({problem.question_id for problem in self.problems if not problem.usable})

    @cached_property
    def repeated(self) -> int:
        """Number of usable references that count at several places."""
        return sum(
            len(reference.places) > 1
            for question in self.questions
            for reference in question.references
        )


def check(gold: GoldSet, corpus: Corpus) -> CheckedGold:
    """Find every reference of a gold set in the documents.

    A reference that is not at its span is looked for by its quote: as it stands, then with
    white space made even, then without regard to typographic quotes, dashes and case. What was
    found in another place than said is used and reported. A question is usable if all of its
    references are.

    >>> from chunkwright.gold.goldset import Question
    >>> from chunkwright.model import Document
    >>> corpus = Corpus.of([Document("lamp.md", "It blinks blue.")])
    >>> gold = GoldSet((Question("q1", "Colour?", (Reference("lamp.md", 0, 4, "blue"),)),))
    >>> print(check(gold, corpus).problems[0])
    question q1, reference 0: moved: the quote is at 10-14, not at 0-4; correct start and end
    """
    checker = _Checker(corpus)
    usable = [checked for question in gold if (checked := checker.question(question))]
    return CheckedGold(GoldSet(tuple(usable)), tuple(checker.problems))


class _Checker:
    def __init__(self, corpus: Corpus) -> None:
        self.problems: list[Problem] = []
        self.texts = {document.id: document.text for document in corpus}
        self.asked: dict[str, Question] = {}
        # Gold sets ask several questions about one passage, and one document after another.
        self.searcher: Callable[[str], Searcher] = lru_cache(_SEARCHERS_KEPT)(
            lambda document_id: Searcher(self.texts[document_id])
        )
        self.hint: Callable[[str], str] = cache(lambda name: nearest_id(name, self.texts))
        self.count: Callable[[str], int] = cache(self._count)

    def question(self, question: Question) -> Question | None:
        """The question with its references found, or None if it cannot be asked."""
        before = len(self.problems)
        say = Reporter(question.id, self.problems)
        if not question.question.strip():
            say.reject(None, "empty question", "there is nothing to ask; write the question")
        if not question.references:
            say.reject(None, "no references", "nothing tells the answer; add a reference")
        self._note_duplicate(question, say)
        kept: dict[frozenset[Place], tuple[int, Reference]] = {}
        for index, reference in enumerate(question.references):
            found = self._reference(reference, index, say)
            if found is None:
                continue
            first, _ = kept.setdefault(frozenset(found.places), (index, found))
            if first != index:
                message = f"the same passage as reference {first}, counted once; remove it"
                say.note(index, "repeated reference", message)
        if not all(problem.usable for problem in self.problems[before:]):
            return None
        return replace(question, references=tuple(found for _, found in kept.values()))

    def _note_duplicate(self, question: Question, say: Reporter) -> None:
        text = " ".join(question.question.split()).casefold()
        first = self.asked.setdefault(text, question)
        if not text or first is question:
            return
        if set(first.references) == set(question.references):
            how = "with the same references, so it counts twice; remove one"
        else:
            how = "with other references; if all of them answer it, make it one question"
        say.note(None, "duplicate", f"question {first.id!r} asks the same {how}")

    def _reference(self, reference: Reference, index: int, say: Reporter) -> Reference | None:
        document_id = reference.document_id
        text = self.texts.get(document_id)
        if text is None:
            message = f"no document {document_id!r} among {len(self.texts)}"
            advice = self.hint(document_id) or "; correct the document id"
            say.reject(index, "unknown document", message + advice)
            return None
        span = self._own_span(reference, text, index, say)
        if span is None:
            return None
        quote = text[span.start : span.end]
        places = [Place(document_id, *span)]
        if is_telling(quote):
            places += self._other_places(quote, places[0])
        elif (count := self.count(quote)) > 1:
            where = "its first place" if reference.start is None else "its own span"
            message = (
                f"{_short(quote)} occurs {count} times in the corpus and is too short for any copy "
                f"to count; counted at {where} only; quote more words if others answer it too"
            )
            say.note(index, "ambiguous", message)
        return Reference(document_id, span.start, span.end, quote, tuple(places))

    def _own_span(self, reference: Reference, text: str, index: int, say: Reporter) -> Span | None:
        """Where a reference stands in its document; None if it does not."""
        start, end, quote = reference.start, reference.end, reference.quote
        given = None if start is None or end is None else Span(start, end)
        at_span = text[start:end] if given and 0 <= given.start < given.end <= len(text) else ""
        if quote is None:
            if given and given.start < given.end and not at_span:
                message = (
                    f"{_shown(given)} is not inside {reference.document_id!r}, which has "
                    f"{len(text)} characters; correct start and end"
                )
                say.reject(index, "outside the document", message)
                return None
            quote = at_span
        if not quote.strip():
            say.reject(index, "empty span", "it holds no words; give the span of the passage")
            return None
        if given and at_span == quote:
            return given
        found = self.searcher(reference.document_id).find(quote, given.start if given else 0)
        if found is None:
            say.reject(index, *self._not_found(reference.document_id, quote))
            return None
        at = _shown(found.span)
        if found.overlooked:
            message = f"found at {at} with other {found.overlooked}; copy the quote from there"
            say.note(index, "located", message)
        elif given:
            message = f"the quote is at {at}, not at {_shown(given)}; correct start and end"
            say.note(index, "moved", message)
        return found.span

    def _not_found(self, document_id: str, quote: str) -> tuple[str, str]:
        """Kind and message for a quote that its document does not hold."""
        other = self.searcher(document_id).find_other_numbers(quote)
        if other is not None:
            return "numbers differ", (
                f"{document_id!r} has {other.ours} at {_shown(other.span)} where the quote has "
                f"{other.theirs}; correct the quote"
            )
        advice = "quote the text as it stands there"
        for name, text in self.texts.items():
            at = text.find(quote)
            if at >= 0:
                advice = f"it is in {name!r} at {at}-{at + len(quote)}; correct the document id"
                break
        return "quote not found", f"{_short(quote)} is not in {document_id!r}; {advice}"

    def _other_places(self, quote: str, own: Place) -> list[Place]:
        return [
            Place(name, *span)
            for name, text in self.texts.items()
            for span in copies(text, quote, Span(*own[1:]) if name == own.document_id else None)
        ]

    def _count(self, quote: str) -> int:
        return sum(text.count(quote) for text in self.texts.values())


def _shown(span: Span) -> str:
    return f"{span.start}-{span.end}"


def _short(quote: str) -> str:
    words = " ".join(quote.split())
    return repr(words if len(words) <= _QUOTED else f"{words[:_QUOTED]}…")
