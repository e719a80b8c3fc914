"""A collection: documents laid end to end on one line, with their terms counted once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chunkwright.model import Document
from chunkwright.spans import Integers
from chunkwright.text.analysis import Analysis
from chunkwright.text.words import terms


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

    Attributes:
        analyses: One analysis a document.
        offsets: Where each document starts on the line.
        vocabulary: Terms by number.

    >>> pair = Collection([Document("a.txt", "one two"), Document("b.txt", "two")])
    >>> pair.term_numbers.tolist(), pair.term_starts.tolist()
    ([0, 1, 1], [0, 4, 8])
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        # In the order of their ids, so that ties never depend on how files were listed.
        ordered = sorted(documents, key=lambda document: document.id)
        self.analyses = tuple(Analysis(document) for document in ordered)
        lengths = [len(analysis.text) + 1 for analysis in self.analyses]
        self.offsets = np.cumsum([0, *lengths])[:-1].astype(np.int64)
        self.vocabulary = Vocabulary()
        self._short: dict[str, Integers] = {}
        self._place = {analysis.document.id: at for at, analysis in enumerate(self.analyses)}

    def __reduce__(self) -> tuple[type[Collection], tuple[list[Document]]]:
        # What is counted already is counted again: that is faster than to send it.
        return Collection, ([analysis.document for analysis in self.analyses],)

    def offset(self, document_id: str) -> int:
        """Where a document starts on the line."""
        return int(self.offsets[self._place[document_id]])

    def document_at(self, position: int) -> int:
        """Which document a position on the line belongs to."""
        return int(np.searchsorted(self.offsets, position, side="right")) - 1

    @cached_property
    def _terms(self) -> tuple[Integers, Integers, Integers]:
        starts, ends, numbers = [], [], []
        for analysis, offset in zip(self.analyses, self.offsets.tolist(), strict=True):
            found = terms(analysis.text)
            starts.append(found.starts + offset)
            ends.append(found.ends + offset)
            numbers.append(self.vocabulary.numbers(found.strings))
        if not starts:
            empty = np.empty(0, np.int64)
            return empty, empty, empty
        return np.concatenate(starts), np.concatenate(ends), np.concatenate(numbers)

    @property
    def term_starts(self) -> Integers:
        """Start of each term on the line, ascending."""
        return self._terms[0]

    @property
    def term_ends(self) -> Integers:
        """End of each term on the line, ascending."""
        return self._terms[1]

    @property
    def term_numbers(self) -> Integers:
        """Number of each term."""
        return self._terms[2]

    def question_counts(self, questions: Sequence[str]) -> sparse.csr_array:
        """How often each term stands in each question. Shape `(questions, vocabulary)`."""
        _ = self._terms  # documents first, so that numbers do not depend on the questions
        rows = [self.numbers_of(question) for question in questions]
        return count_rows(rows, len(self.vocabulary))

    def numbers_of(self, text: str) -> Integers:
        """Numbers of the terms of a short text, such as a question or a header."""
        known = self._short.get(text)
        if known is None:
            known = self._short[text] = self.vocabulary.numbers(terms(text).strings)
        return known


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
