"""How the questions of the workspace fare: the figures that the parts ask and gold show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chunkwright.errors import ChunkwrightError
from chunkwright.evaluation.experiment import DEFAULT_BUDGET
from chunkwright.evaluation.targets import Judged, Targets
from chunkwright.evaluation.verdicts import Verdicts
from chunkwright.gold.check import CheckedGold
from chunkwright.gold.edit import kept
from chunkwright.gold.goldset import GoldSet, Question
from chunkwright.gold.problems import Problem
from chunkwright.report.tables import percent
from chunkwright.retrieval.named import retriever as retriever_of
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import rank
from chunkwright.service.workspace import Recipe, Workspace
from chunkwright.spans import Span, touching
from chunkwright.text.words import terms

# How deep all questions are ranked; the one that is looked at is ranked to the end.
RANKED = 100
# How many references are told of in a line.
_TOLD = 3
# What a term weighs at least that is marked, as a part of the heaviest; half of the chunks hold
# one of the weight ln 2, and nothing hangs on the last bit of it.
_OF_HEAVIEST, _ROUNDING = 3, 1e-9
Row = dict[str, Any]
# Which rows each filter of the list lets through.
FILTERS: dict[str, Callable[[Row], bool]] = {
    "all": lambda _: True,
    "hit": lambda row: bool(row["outcome"] == "hit"),
    "miss": lambda row: bool(row["outcome"] == "miss"),
    # What is left out; what is worth knowing of a question that is asked all the same is a note.
    "problem": lambda row: bool(row["outcome"] == "problem"),
    "note": lambda row: bool(row["notes"]),
}


@dataclass(frozen=True)
class Fares:
    """How each question of a gold set fares under one recipe and retriever.

    Attributes:
        gold: The questions as they are.
        checked: Their check.
        k: How many results count.
        verdicts: Those of the questions that can be asked; None where there is none.
    """

    gold: GoldSet
    checked: CheckedGold
    k: int
    verdicts: Verdicts | None

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number of each question that can be asked, by id."""
        return {question.id: number for number, question in enumerate(self.checked.questions)}

    @cached_property
    def problems(self) -> dict[str, list[Problem]]:
        """What the check found about each question, by id."""
        found: dict[str, list[Problem]] = defaultdict(list)
        for problem in self.checked.problems:
            found[problem.question_id].append(problem)
        return found

    def outcome(self, question_id: str) -> str:
        """`hit` or `miss` at k; `problem` where it cannot be asked."""
        number = self.numbers.get(question_id)
        if number is None or self.verdicts is None:
            return "problem"
        return "hit" if self.verdicts.at_k[number] else "miss"

    def rank(self, question_id: str) -> str:
        """The best rank of its references in a word or two."""
        number = self.numbers.get(question_id)
        if number is None or self.verdicts is None:
            return "–"
        best = int(self.verdicts.best[number])
        if best:
            return str(best)
        references = self.verdicts.references(number)
        depth = int(self.verdicts.depth[number])
        return f"over {depth}" if self.verdicts.held[references].any() else "never whole"

    def reference_ranks(self, question: Question) -> dict[int, str]:
        """The rank of each reference that the check kept, by its number."""
        number = self.numbers.get(question.id)
        if number is None or self.verdicts is None:
            return {}
        found = {}
        for index, row in zip(
            kept(self.checked, question), self.verdicts.references(number).tolist(), strict=True
        ):
            at = int(self.verdicts.ranks[row])
            depth = int(self.verdicts.depth[number])
            whole = f"ranked below {depth}" if self.verdicts.held[row] else "whole in no result"
            found[index] = f"rank {at}" if at else whole
        return found

    @property
    def summary(self) -> str:
        """The figures of all questions in a line: those that `eval` prints."""
        if self.verdicts is None:
            return "No question can be asked yet."
        figures = " · ".join(
            f"{name} {percent(float(hits.mean()))} %"
            for name, hits in (
                (f"hit_rate@{self.k}", self.verdicts.at_k),
                (f"hit_rate@{self.verdicts.budget}t", self.verdicts.at_budget),
            )
        )
        out = self.checked.left_out
        return f"{figures} · n={self.checked.usable:,}" + (f", {out:,} left out" if out else "")


def rows(gold: GoldSet, known: Fares | None) -> list[Row]:
    """Each question as a row of the list; one that was not measured as it is says nothing yet.

    >>> rows(GoldSet((Question("q1", "What?", ()),)), None)[0]["rank"]
    '…'
    """
    measured = {} if known is None else {question.id: question for question in known.gold}
    found: list[Row] = []
    for question in gold:
        row: Row = {
            "id": question.id,
            "question": question.question or "(no words)",
            "outcome": "",
            "rank": "…",
            "notes": 0,
        }
        if known is not None and measured.get(question.id) == question:
            row["outcome"] = known.outcome(question.id)
            row["rank"] = known.rank(question.id)
            row["notes"] = sum(each.usable for each in known.problems.get(question.id, ()))
        found.append(row)
    return found


def fares(workspace: Workspace, recipe: Recipe, retriever: str, k: int) -> Fares:
    """How the questions of a workspace fare, ranked as `eval` ranks them.

    Args:
        workspace: The documents and the questions.
        recipe: How the chunks are made.
        retriever: Name of the retriever.
        k: How many results count.

    Raises:
        ChunkwrightError: There is no such retriever, or the setup cannot be used.

    >>> from chunkwright.gold.goldset import Reference
    >>> from chunkwright.model import Document
    >>> from chunkwright.setup import Setup
    >>> from chunkwright.sources.corpus import Corpus
    >>> gold = GoldSet((Question("q1", "What hums?", (Reference("a.txt", 13, 22),)),))
    >>> hubs = Workspace(Corpus.of([Document("a.txt", "Lamps blink. Hubs hum.")]), gold)
    >>> fares(hubs, Recipe(Setup.parse("sentence:1s")), "static", 1).summary
    'hit_rate@1 100.0 % · hit_rate@1000t 100.0 % · n=1'
    """
    gold = workspace.gold
    checked = workspace.checked(gold)
    verdicts = None
    if checked.usable:
        verdicts = _ranked(workspace, recipe, retriever, k, checked.questions, max(RANKED, k))
    return Fares(gold, checked, k, verdicts)


def fate(
    workspace: Workspace, recipe: Recipe, retriever: str, k: int, question: Question
) -> Verdicts:
    """How one checked question fares, with every result ranked.

    Raises:
        ChunkwrightError: There is no such retriever, or the setup cannot be used.
    """
    return _ranked(workspace, recipe, retriever, k, GoldSet((question,)), None)


def _ranked(
    workspace: Workspace,
    recipe: Recipe,
    retriever: str,
    k: int,
    questions: GoldSet,
    depth: int | None,
) -> Verdicts:
    found = retriever_of(retriever)
    pool = workspace.pool(recipe)
    targets = Targets.of(questions, workspace.collection)
    with workspace.searching:
        asked = [question.question for question in questions]
        least = len(pool.sent.tokens) if depth is None else depth
        ranking = rank(pool, found, asked, least, DEFAULT_BUDGET)
    return Verdicts(Judged(targets, pool, *ranking), k, DEFAULT_BUDGET)


def asked_as(checked: CheckedGold, question: str) -> Question | None:
    """The question of a gold set that asks the same words; None where there is none.

    >>> from chunkwright.gold.check import CheckedGold
    >>> gold = GoldSet((Question("q1", "What hums?", ()),))
    >>> asked_as(CheckedGold(gold, ()), " what  hums?").id
    'q1'
    """
    wanted = _words(question)
    return next((each for each in checked.questions if _words(each.question) == wanted), None)


def _words(text: str) -> str:
    return " ".join(text.split()).casefold()


def said(verdicts: Verdicts) -> str:
    """In words how the first question of a ranking fares.

    Args:
        verdicts: From `fate`.
    """
    references = verdicts.references(0).tolist()
    best, k = int(verdicts.best[0]), verdicts.k
    which = "its reference" if len(references) == 1 else f"one of its {len(references)} references"
    if best and best <= k:
        return f"Hit: {which} is whole in result {best}."
    if best:
        return f"Miss: the first result with {which} whole is number {best}, and {k} are looked at."
    return f"Miss: no result holds {which} whole, whatever its rank."


def why_missed(verdicts: Verdicts) -> str:
    """What is known of why the first question of a ranking is missed; empty where it is hit.

    Args:
        verdicts: From `fate`.
    """
    references = verdicts.references(0).tolist()
    best = int(verdicts.best[0])
    if best and best <= verdicts.k:
        return ""
    noun = "parent" if verdicts.judged.pool.setup.parents else "chunk"
    if best:
        return (
            f"Ranked {_ordinal(best)}: {_counted(best - 1, noun)} beat{'s' * (best == 2)} it, "
            f"and {_counted(verdicts.k, 'result')} count{'s' * (verdicts.k == 1)}."
        )
    which = "Its reference is" if len(references) == 1 else f"Its {len(references)} references are"
    cuts = [_cut_by(verdicts, row, noun) for row in references[:_TOLD]]
    if len(references) > _TOLD:
        cuts.append("…")
    return f"{which} whole in no {noun}: {'; '.join(cuts)}."


def _cut_by(verdicts: Verdicts, reference: int, noun: str) -> str:
    """Which of the spans that are sent hold a part of a reference, at its own place."""
    targets, pool = verdicts.judged.targets, verdicts.judged.pool
    spans, row = pool.sent.spans, int(targets.own[reference])
    low, high = touching(spans, int(targets.starts[row]), int(targets.ends[row]))
    place = pool.collection.document_at(int(targets.starts[row]))
    # Counted in their document from 1, as the lab does everywhere.
    before = int(np.searchsorted(spans.starts, pool.collection.offsets[place]))
    first, last = low - before + 1, high - before
    name = pool.collection.documents[place].id
    if last < first:
        return f"no {noun} of {name} holds any of it"
    if last == first:
        return f"{noun} {first} of {name} holds only a part of it"
    if last == first + 1:
        return f"cut in two by {noun}s {first} and {last} of {name}"
    return f"cut by {noun}s {first} to {last} of {name}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{'th' if 10 < number % 100 < 14 else ending}"


def telling_terms(pool: Pool, question: str) -> frozenset[str]:
    """The terms of a question that tell chunks apart; those that most chunks hold do not.

    Told by the weight that BM25 gives to terms: one counts if it weighs at least a third of the
    heaviest, and at most half of the chunks hold it. Where no term does that, the heaviest are
    all there is to tell by.

    Args:
        pool: The chunks. Whoever asks holds the lock for searching: terms are numbered here.
        question: The question.

    >>> from chunkwright.model import Document
    >>> from chunkwright.retrieval.collection import Collection
    >>> from chunkwright.setup import Setup
    >>> lamps = Collection([Document("a.md", "The lamp. The hub. The door.")])
    >>> sorted(telling_terms(Pool(lamps, Setup.parse("sentence:1s")), "where is the lamp?"))
    ['lamp']
    """
    strings = terms(question).strings
    numbers = pool.collection.numbers_of(question)
    distinct = np.unique(numbers)
    held = np.diff(pool.counts(distinct).indptr)
    weights = np.log1p((len(pool) - held + 0.5) / (held + 0.5))
    heaviest = float(weights[held > 0].max(initial=0.0))
    least = max(heaviest / _OF_HEAVIEST, min(heaviest, float(np.log(2)))) - _ROUNDING
    telling = distinct[(held > 0) & (weights >= least)]
    return frozenset(
        string
        for string, each in zip(strings, np.isin(numbers, telling).tolist(), strict=True)
        if each
    )


def common_terms(text: str, wanted: Collection[str]) -> list[Span]:
    """Where some terms stand in a text.

    >>> common_terms("Hubs hum.", {"hubs"})
    [Span(start=0, end=4)]
    """
    found = terms(text)
    return [
        Span(start, end)
        for start, end, string in zip(
            found.starts.tolist(), found.ends.tolist(), found.strings, strict=True
        )
        if string in wanted
    ]


def places(question: Question, document_id: str) -> list[Span]:
    """The spans of a document where the references of a question count.

    >>> from chunkwright.gold.goldset import Reference
    >>> places(Question("q1", "What?", (Reference("a.md", 2, 6),)), "a.md")
    [Span(start=2, end=6)]
    """
    return [
        Span(place.start, place.end)
        for reference in question.references
        for place in reference.places
        if place.document_id == document_id
    ]


def within(spans: list[Span], start: int, end: int) -> list[Span]:
    """Spans of a document as spans of a part of it; those outside are left out.

    >>> within([Span(2, 6), Span(9, 12)], 4, 8)
    [Span(start=0, end=2)]
    """
    return [
        Span(max(low, start) - start, min(high, end) - start)
        for low, high in spans
        if max(low, start) < min(high, end)
    ]


def usable_retriever(name: str) -> bool:
    """Whether all that a retriever needs is installed.

    >>> usable_retriever("bm25")
    True
    """
    from importlib.util import find_spec

    from chunkwright.retrieval.transformer import SentenceTransformers

    try:
        made_by = getattr(retriever_of(name), "embedder", None)
    except (ChunkwrightError, ImportError):
        return False
    return not isinstance(made_by, SentenceTransformers) or bool(find_spec("sentence_transformers"))
