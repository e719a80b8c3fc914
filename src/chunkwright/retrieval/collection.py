"""A collection: documents laid end to end on one line, with their terms counted once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chunkwright.model import Document
from chunkwright.spans import Integers
from chunkwright.text.analysis import Analysis
from chunkwright.text.store import Store
from chunkwright.text.words import terms

# What there are as many of as terms: four bytes each, where they suffice.
Positions = NDArray[np.int32 | np.int64]
# Longer texts are read part by part, so that the strings of all their terms never lie in memory.
_PART = 1 << 20
# Every setup of a study is asked the same questions, in a few batches.
_BATCHES = 64
# Short texts whose terms are kept. A server is asked new questions for as long as it runs.
_SHORT = 100_000
_GAP = re.compile(r"\s")


class Vocabulary:
    """Terms by number, in the order they were first met.

    >>> words = Vocabulary()
    >>> words.numbers(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterable[str]:
        return iter(self._numbers)

    def numbers(self, strings: Sequence[str]) -> Integers:
        """The number of each term; new terms get the next ones."""
        known = self._numbers
        return np.fromiter(
            (known.setdefault(string, len(known)) for string in strings), np.int64, len(strings)
        )

    def strings(self, first: int = 0) -> list[str]:
        """The terms from number `first` on."""
        return list(self._numbers)[first:]


class Collection:
    """Documents to search, each analysed once.

    Positions on the line are the document's offset plus the position in its text, so that all
    spans of all documents can be compared as plain numbers.

    Args:
        documents: The documents.
        store: Where their analyses are kept; nowhere if left out.

    Attributes:
        documents: The documents, in the order of their ids.
        offsets: Where each document starts on the line.
        vocabulary: Terms by number.

    >>> pair = Collection([Document("a.txt", "one two"), Document("b.txt", "two")])
    >>> pair.term_numbers.tolist(), pair.term_starts.tolist()
    ([0, 1, 1], [0, 4, 8])
    """

    def __init__(self, documents: Iterable[Document], store: Store | None = None) -> None:
        # In the order of their ids, so that ties never depend on how files were listed.
        self.documents = tuple(sorted(documents, key=lambda document: document.id))
        self.store = store
        lengths = [len(document.text) + 1 for document in self.documents]
        self.offsets = np.cumsum([0, *lengths])[:-1].astype(np.int64)
        self._length = sum(lengths)
        self.vocabulary = Vocabulary()
        self._asked: dict[tuple[str, ...], sparse.csr_array] = {}
        self._short: dict[str, Integers] = {}
        self._place = {document.id: at for at, document in enumerate(self.documents)}

    def __reduce__(self) -> tuple[type[Collection], tuple[tuple[Document, ...], Store | None]]:
        # What is counted already is counted again: that is faster than to send it.
        return Collection, (self.documents, self.store)

    @cached_property
    def analyses(self) -> tuple[Analysis, ...]:
        """One analysis a document."""
        analysis = Analysis if self.store is None else self.store.analysis
        return tuple(analysis(document) for document in self.documents)

    def prepare(self, jobs: int) -> None:
        """Have what the store lacks found by several processes, for others to read it there."""
        if self.store is not None:
            self.store.fill(self.documents, jobs)

    def offset(self, document_id: str) -> int:
        """Where a document starts on the line."""
        return int(self.offsets[self._place[document_id]])

    def document_at(self, position: int) -> int:
        """Which document a position on the line belongs to."""
        return int(np.searchsorted(self.offsets, position, side="right")) - 1

    @cached_property
    def _terms(self) -> tuple[Positions, Positions, Positions]:
        starts, ends, numbers = [], [], []
        kind: type[np.int32] | type[np.int64] = np.int32 if self._length < 2**31 else np.int64
        for analysis, offset in zip(self.analyses, self.offsets.tolist(), strict=True):
            for low, part in _parts(analysis.text):
                found = terms(part)
                starts.append((found.starts + (offset + low)).astype(kind))
                ends.append((found.ends + (offset + low)).astype(kind))
                numbers.append(self.vocabulary.numbers(found.strings).astype(np.int32))
        if not starts:
            return np.empty(0, kind), np.empty(0, kind), np.empty(0, np.int32)
        return np.concatenate(starts), np.concatenate(ends), np.concatenate(numbers)

    @property
    def term_starts(self) -> Positions:
        """Start of each term on the line, ascending."""
        return self._terms[0]

    @property
    def term_ends(self) -> Positions:
        """End of each term on the line, ascending."""
        return self._terms[1]

    @property
    def term_numbers(self) -> Positions:
        """Number of each term."""
        return self._terms[2]

    @cached_property
    def term_counts(self) -> Integers:
        """How often each term of the documents stands in them."""
        return np.bincount(self.term_numbers)

    @cached_property
    def postings(self) -> sparse.csc_array:
        """Where each term stands: column by number, the places of its terms, ascending.

        Shape `(1, terms)`; the data are places in `term_numbers`.
        """
        numbers = self.term_numbers
        places = np.arange(len(numbers), dtype=np.int32)
        shape = 1, max(1, len(self.term_counts))
        row = sparse.csr_array((places, numbers, np.array([0, len(numbers)], np.int32)), shape)
        return row.tocsc()  # a counting sort: linear, and stable

    def question_counts(self, questions: Sequence[str]) -> sparse.csr_array:
        """How often each term stands in each question. Shape `(questions, terms)`."""
        asked = tuple(questions)
        known = self._asked.get(asked)
        if known is None:
            _ = self._terms  # documents first, so that numbers do not depend on the questions
            rows = [self.numbers_of(question) for question in questions]
            known = count_rows(rows, len(self.vocabulary))
            if len(self._asked) == _BATCHES:
                self._asked.clear()
            self._asked[asked] = known
        return known

    def numbers_of(self, text: str) -> Integers:
        """Numbers of the terms of a short text, such as a question or a header."""
        known = self._short.get(text)
        if known is None:
            known = self.vocabulary.numbers(terms(text).strings)
            if len(self._short) >= _SHORT:
                self._short.clear()
            self._short[text] = known
        return known


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """A text in parts that end at white space, and where each starts: they part no term."""
    low = 0
    while len(text) - low > _PART:
        gap = _GAP.search(text, low + _PART)
        if gap is None:
            break
        yield low, text[low : gap.end()]
        low = gap.end()
    yield low, text[low:]


def count_rows(rows: Sequence[NDArray[np.int64]], width: int) -> sparse.csr_array:
    """A matrix of counts from the numbers in each row. Shape `(rows, width)`.

    >>> count_rows([np.array([1, 1, 0]), np.array([2])], 3).toarray().astype(int).tolist()
    [[1, 2, 0], [0, 0, 1]]
    """
    lengths = np.array([len(row) for row in rows], np.int64)
    columns = np.concatenate(rows) if len(rows) else np.empty(0, np.int64)
    bounds = np.r_[0, np.cumsum(lengths)]
    counts = sparse.csr_array(
        (np.ones(len(columns), np.float32), columns.astype(np.int32), bounds.astype(np.int32)),
        shape=(len(lengths), width),
    )
    counts.sum_duplicates()
    return counts
