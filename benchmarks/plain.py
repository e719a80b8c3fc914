"""The plain loop: for every setup, cut the texts, count and embed the chunks, ask all questions.

It is how a study is written by hand with a splitter of a library: nothing is kept from one setup
to the next but the vectors' file and the questions. The retriever is `hybrid`, computed from the
texts of the chunks in the straightforward way, with numpy and scipy; so it gives our figures when
it is fed with our chunks, which the benchmark checks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from benchmarks.tools import encoding
from chunkwright.gold.goldset import GoldSet
from chunkwright.model import Document
from chunkwright.retrieval.static import term_vectors
from chunkwright.text.words import terms

# (start, text) of each chunk of a text.
Splitter = Callable[[str], Sequence[tuple[int, str]]]
_K1, _B, _SMOOTHING, _WEIGHT, _DECIMALS = 1.2, 0.75, 1e-3, 0.4, 5


@dataclass(frozen=True, slots=True)
class Timed:
    """What one setup came to.

    Attributes:
        hit_rate: Share of questions with a whole answer within the budget.
        chunks: Number of chunks.
        cut: Seconds of cutting.
        count: Seconds of counting the chunks' tokens, for the budget.
        index: Seconds of terms, BM25 weights and vectors.
        search: Seconds of scores, ranking and judging.
    """

    hit_rate: float
    chunks: int
    cut: float
    count: float
    index: float
    search: float

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.cut + self.count + self.index + self.search


def measure(
    documents: Sequence[Document], gold: GoldSet, split: Splitter, budget: int = 1000
) -> Timed:
    """One setup, from the documents to its hit rate."""
    clock = [time.perf_counter()]
    chunks: list[tuple[int, int, int]] = []
    texts: list[str] = []
    for number, document in enumerate(documents):
        for start, text in split(document.text):
            chunks.append((number, start, start + len(text)))
            texts.append(text)
    clock.append(time.perf_counter())
    tokens = np.array([len(each) for each in encoding().encode_ordinary_batch(texts)])
    clock.append(time.perf_counter())
    vocabulary: dict[str, int] = {}
    counts = _counts([terms(text).strings for text in texts], vocabulary)
    width = len(vocabulary)
    weights = _bm25(counts)
    frequent = _counts([terms(document.text).strings for document in documents], vocabulary)
    table = term_vectors().of(list(vocabulary))
    share = np.asarray(frequent.sum(axis=0)) / frequent.sum()
    table *= (_SMOOTHING / (_SMOOTHING + share))[:, None]
    vectors = _unit(counts @ table[:width])
    clock.append(time.perf_counter())
    asked = _counts([terms(each.question).strings for each in gold], vocabulary)
    if len(vocabulary) > len(table):  # terms that only questions have
        table = np.concatenate([table, term_vectors().of(list(vocabulary)[len(table) :])])
    first = (asked[:, :width] @ weights.T).toarray()
    second = (1 + _unit(asked @ table) @ vectors.T) / 2
    scores = np.round(_WEIGHT * _scaled(first) + (1 - _WEIGHT) * _scaled(second), _DECIMALS)
    place = {document.id: number for number, document in enumerate(documents)}
    hits = 0
    for row, question in zip(scores, gold, strict=True):
        order = np.argsort(-row, kind="stable")
        sent = order[np.cumsum(tokens[order]) <= budget].tolist()
        hits += any(
            document == place[where.document_id] and start <= where.start and where.end <= end
            for document, start, end in (chunks[at] for at in sent)
            for reference in question.references
            for where in reference.places
        )
    clock.append(time.perf_counter())
    cut, count, index, search = np.diff(clock).tolist()
    return Timed(hits / len(gold), len(texts), cut, count, index, search)


def _counts(rows: Sequence[Sequence[str]], vocabulary: dict[str, int]) -> sparse.csr_array:
    """How often each term stands in each row; new terms get the next numbers."""
    numbers = [[vocabulary.setdefault(term, len(vocabulary)) for term in row] for row in rows]
    columns = np.concatenate([np.empty(0, np.int64), *map(np.array, numbers)]).astype(np.int64)
    lines = np.repeat(np.arange(len(rows)), [len(row) for row in numbers])
    shape = (len(rows), len(vocabulary))
    ones = np.ones(len(columns), np.float32)
    return sparse.coo_array((ones, (lines, columns)), shape=shape).tocsr()


def _bm25(counts: sparse.csr_array) -> sparse.csr_array:
    chunks = counts.shape[0]
    lengths = np.asarray(counts.sum(axis=1), np.float64)
    held = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log1p((chunks - held + 0.5) / (held + 0.5))
    rows = np.repeat(np.arange(chunks), np.diff(counts.indptr))
    frequency = counts.data.astype(np.float64)
    norm = _K1 * (1 - _B + _B * lengths[rows] / lengths.mean())
    data = idf[counts.indices] * frequency * (_K1 + 1) / (frequency + norm)
    return sparse.csr_array(
        (data.astype(np.float32), counts.indices, counts.indptr), shape=counts.shape
    )


def _unit(vectors: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


def _scaled(scores: np.ndarray) -> np.ndarray:
    low = scores.min(axis=1, keepdims=True)
    width = scores.max(axis=1, keepdims=True) - low
    return np.divide(scores - low, width, out=np.zeros_like(scores), where=width > 0)
