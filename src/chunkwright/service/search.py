"""A question asked of the workspace: what would be sent, and why it was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from chunkwright import registry
from chunkwright.errors import ServiceError
from chunkwright.retrieval.collapse import near_duplicates, shingles
from chunkwright.retrieval.named import retriever as retriever_of
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Retriever, Scores, rank
from chunkwright.service.workspace import Recipe, Workspace
from chunkwright.spans import Integers, Span

# More than anybody looks at, and more than a question has.
MAX_RESULTS = 100
MAX_QUESTION = 10_000
_DECIMALS = 5


class Term(NamedTuple):
    """A term of the question where it stands in a document, as it is written there."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Result:
    """One span that would be sent.

    Attributes:
        rank: From 1.
        score: The retriever's, of the best chunk of the span.
        document_id: The document.
        start: Where what is sent starts: the parent, where there is one, or the chunk.
        end: Where it ends.
        chunk_start: Where the best chunk starts.
        chunk_end: Where it ends.
        index: Index of that chunk in its document.
        tokens: Tokens that are sent.
        text: The text that is sent.
        embed_text: What the retriever read of the best chunk.
        terms: The places in what is sent of terms that the question has, too.
        near_duplicate_of: Rank of the better result that it says again; None where it is new.
    """

    rank: int
    score: float
    document_id: str
    start: int
    end: int
    chunk_start: int
    chunk_end: int
    index: int
    tokens: int
    text: str
    embed_text: str
    terms: tuple[Term, ...]
    near_duplicate_of: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What would be sent for a question.

    Attributes:
        results: Best first.
        sent_tokens: Tokens of all of them.
        distinct_tokens: Tokens of those that are no near-duplicates.
        chunks: Chunks that were searched.
    """

    results: tuple[Result, ...]
    sent_tokens: int
    distinct_tokens: int
    chunks: int


def search(
    workspace: Workspace,
    recipe: Recipe,
    question: str,
    retriever: str = "hybrid",
    k: int = 5,
    budget: int | None = None,
) -> Answer:
    """Rank what would be sent for a question, as `eval` ranks it.

    Args:
        workspace: Whose corpus is searched.
        recipe: How its chunks are made.
        question: The question.
        retriever: Name of a registered retriever.
        k: The most results.
        budget: The most tokens: results are taken in order until the next one would not fit.

    Raises:
        ServiceError: The question is empty or too long, or there is no such number of results.
        ChunkwrightError: There is no such retriever, or the setup cannot be used.

    >>> from chunkwright.model import Document
    >>> from chunkwright.setup import Setup
    >>> from chunkwright.sources.corpus import Corpus
    >>> hubs = Workspace(Corpus.of([Document("a.txt", "Lamps blink. Hubs hum.")]))
    >>> answer = search(hubs, Recipe(Setup.parse("sentence:1s")), "which hubs?", "bm25", k=1)
    >>> [(result.text, result.terms) for result in answer.results]
    [('Hubs hum.', (Term(text='Hubs', start=13, end=17),))]
    """
    _check(question, retriever, k, budget)
    found = retriever_of(retriever)
    pool = workspace.pool(recipe)
    # Terms are numbered as they are met, so that not even they are counted by two at a time.
    with workspace.searching:
        scores = found.scores(pool, [question])
        order, tokens, best = rank(pool, _Scored(found, scores), [question], k, budget or 0)
        count = min(k, int((order[0] >= 0).sum()))
        if budget is not None:
            fits = np.cumsum(tokens[0, :count]) <= budget
            count = int(np.logical_and.accumulate(fits).sum())
        sent = order[0, :count]
        chunks = _best_chunks(pool, scores[0], sent)
        results = [
            _result(pool, question, number, *each)
            for number, each in enumerate(
                zip(sent, chunks, tokens[0].tolist(), best[0].tolist(), strict=False), 1
            )
        ]
        again = near_duplicates(*_spans_and_shingles(pool, sent))
    ranked = tuple(
        replace(result, near_duplicate_of=None if better is None else better + 1)
        for result, better in zip(results, again, strict=True)
    )
    return Answer(
        ranked,
        sum(result.tokens for result in ranked),
        sum(result.tokens for result in ranked if result.near_duplicate_of is None),
        len(pool),
    )


def _check(question: str, retriever: str, k: int, budget: int | None) -> None:
    if not question.strip():
        raise ServiceError("the question is empty; write one")
    if not question.isascii() and question.encode("utf-8", "ignore").decode() != question:
        raise ServiceError("the question holds half of a character; write it again")
    if len(question) > MAX_QUESTION:
        raise ServiceError(
            f"the question has {len(question):,} characters, but the limit is {MAX_QUESTION:,}; "
            "shorten it"
        )
    known = registry.names("retrievers")
    if retriever not in known:  # those of a path are for who may name files: the command line
        raise ServiceError(f"retriever {retriever!r}: {registry.nearest(retriever, known)}")
    if not 1 <= k <= MAX_RESULTS:
        raise ServiceError(f"k must be from 1 to {MAX_RESULTS}, got {k}")
    if budget is not None and budget < 1:
        raise ServiceError(f"budget must be at least 1 token, got {budget}")


class _Scored(NamedTuple):
    """A retriever whose scores are known."""

    retriever: Retriever
    known: Scores

    @property
    def name(self) -> str:
        return self.retriever.name

    @property
    def key(self) -> str:
        return self.retriever.key

    def scores(self, pool: Pool, questions: Sequence[str]) -> Scores:  # noqa: ARG002
        return self.known


def _best_chunks(pool: Pool, scores: Scores, sent: Integers) -> list[int]:
    """The chunk of each span with the highest score, the first of several."""
    # The chunks of a parent are neighbours.
    first = np.searchsorted(pool.sent.of_chunk, sent)
    last = np.searchsorted(pool.sent.of_chunk, sent, side="right")
    # Rounded as `rank` does it, so that the same chunk decides.
    return [
        low + int(np.round(scores[low:high], _DECIMALS).argmax())
        for low, high in zip(first.tolist(), last.tolist(), strict=True)
    ]


def _result(
    pool: Pool, question: str, number: int, at: int, chunk: int, tokens: int, score: float
) -> Result:
    start, end = int(pool.sent.spans.starts[at]), int(pool.sent.spans.ends[at])
    place = pool.collection.document_at(start)
    offset = int(pool.collection.offsets[place])
    document = pool.collection.documents[place]
    index = chunk - int(np.searchsorted(pool.spans.starts, offset))
    return Result(
        rank=number,
        score=round(score, _DECIMALS),
        document_id=document.id,
        start=start - offset,
        end=end - offset,
        chunk_start=int(pool.spans.starts[chunk]) - offset,
        chunk_end=int(pool.spans.ends[chunk]) - offset,
        index=index,
        tokens=tokens,
        text=document.text[start - offset : end - offset],
        embed_text=pool.cuts[place].embed_text(index),
        terms=tuple(
            Term(document.text[low - offset : high - offset], low - offset, high - offset)
            for low, high in _terms_in_common(pool, question, start, end)
        ),
    )


def _run(pool: Pool, start: int, end: int) -> slice:
    """The terms of the collection that lie wholly inside a span."""
    starts, ends = pool.collection.term_starts, pool.collection.term_ends
    return slice(int(np.searchsorted(starts, start)), int(np.searchsorted(ends, end, side="right")))


def _terms_in_common(pool: Pool, question: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where terms of the question stand in a span."""
    collection, run = pool.collection, _run(pool, start, end)
    asked = collection.numbers_of(question)
    common = np.flatnonzero(np.isin(collection.term_numbers[run], asked)) + run.start
    starts, ends = collection.term_starts[common], collection.term_ends[common]
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _spans_and_shingles(pool: Pool, sent: Integers) -> tuple[list[Span], list[Integers]]:
    spans = [
        Span(int(pool.sent.spans.starts[at]), int(pool.sent.spans.ends[at])) for at in sent.tolist()
    ]
    numbers = pool.collection.term_numbers
    return spans, [shingles(numbers[_run(pool, *span)].astype(np.int64)) for span in spans]
