"""A pool: all chunks that one setup makes of a collection, as arrays to search."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from chunkwright.chunking.cut import Counting, Cut, cut
from chunkwright.retrieval.collection import Collection
from chunkwright.setup import Setup
from chunkwright.spans import Integers, Spans


class Sent(NamedTuple):
    """The distinct spans that a pool can send: chunks, or their parents.

    Attributes:
        spans: On the collection's line, ascending.
        tokens: Tokens of each.
        of_chunk: Which of them is sent for each chunk. Shape `(chunks,)`.
    """

    spans: Spans
    tokens: Integers
    of_chunk: Integers


class Pool:
    """The chunks of one setup over a collection.

    Raises:
        SetupError: The setup cannot be used on one of the documents.

    >>> from chunkwright.model import Document
    >>> pool = Pool(Collection([Document("a.txt", "One. Two.")]), Setup.parse("sentence:1s"))
    >>> pool.spans.pairs()
    [(0, 4), (5, 9)]
    """

    def __init__(self, collection: Collection, setup: Setup, counter: Counting = None) -> None:
        self.collection = collection
        self.setup = setup
        self.cuts: tuple[Cut, ...] = tuple(
            cut(analysis, setup, counter) for analysis in collection.analyses
        )

    def __len__(self) -> int:
        return len(self.spans.starts)

    @cached_property
    def spans(self) -> Spans:
        """Spans on the collection's line, ascending."""
        return self._on_the_line([made.spans for made in self.cuts])

    @cached_property
    def tokens(self) -> Integers:
        """Tokens of each chunk's embed_text."""
        return np.concatenate([np.empty(0, np.int64), *(made.tokens() for made in self.cuts)])

    def _on_the_line(self, parts: list[Spans]) -> Spans:
        offsets = self.collection.offsets.tolist()
        none = np.empty(0, np.int64)
        pairs = list(zip(parts, offsets, strict=True))
        starts = np.concatenate([none, *(part.starts + offset for part, offset in pairs)])
        ends = np.concatenate([none, *(part.ends + offset for part, offset in pairs)])
        return Spans(starts, ends)

    @cached_property
    def sent(self) -> Sent:
        """What is sent for each chunk; children of one parent share it."""
        parents = [made.parents() for made in self.cuts]
        if not self.setup.parents:
            return Sent(self.spans, self.tokens, np.arange(len(self)))
        wide = self._on_the_line([part for part in parents if part is not None])
        _, first, of_chunk = np.unique(wide.starts, return_index=True, return_inverse=True)
        spans = Spans(wide.starts[first], wide.ends[first])
        tokens = [self._parent_tokens(start, end) for start, end in spans.pairs()]
        return Sent(spans, np.array(tokens, np.int64), of_chunk)

    def _parent_tokens(self, start: int, end: int) -> int:
        at = self.collection.document_at(start)
        made, offset = self.cuts[at], int(self.collection.offsets[at])
        return made.analysis.tokens(made.counter).count(start - offset, end - offset)

    def embed_texts(self) -> list[str]:
        """The embed_text of every chunk, for retrievers that read texts."""
        return [made.embed_text(index) for made in self.cuts for index in range(len(made))]

    @cached_property
    def counts(self) -> sparse.csr_array:
        """How often each term stands in each chunk's embed_text. Shape `(chunks, vocabulary)`.

        Terms wholly inside a chunk are looked up in the collection's own; only what a chunk's
        edges cut apart, headers and replaced words are read anew.
        """
        collection = self.collection
        starts, ends = self._read
        low = np.searchsorted(collection.term_starts, starts, side="left")
        high = np.searchsorted(collection.term_ends, ends, side="right")
        high = np.maximum(high, low)
        lengths = high - low
        at = np.arange(lengths.sum()) + np.repeat(low - (np.cumsum(lengths) - lengths), lengths)
        extra: list[Integers] = []
        extra_rows: list[Integers] = []
        for row, part in self._extra_terms(low, high):
            extra.append(part)
            extra_rows.append(np.full(len(part), row))
        numbers = np.concatenate([collection.term_numbers[at], *extra])
        rows = np.concatenate([np.repeat(np.arange(len(self)), lengths), *extra_rows])
        width = len(collection.vocabulary)
        counts = sparse.coo_array(
            (np.ones(len(rows), np.float32), (rows, numbers)), shape=(len(self), width)
        ).tocsr()
        counts.sum_duplicates()
        return counts

    @cached_property
    def _read(self) -> Spans:
        """The part of each chunk that stands in its embed_text: replaced words left out."""
        starts = self.spans.starts.copy()
        first = 0
        for made in self.cuts:
            for index, lead in made.leads.items():
                starts[first + index] += lead.skip
            first += len(made)
        return Spans(starts, self.spans.ends)

    def _extra_terms(self, low: Integers, high: Integers) -> Iterator[tuple[int, Integers]]:
        """Numbers of terms that are not simply inside a chunk: headers, leads, cut-off edges."""
        numbers_of = self.collection.numbers_of
        first = 0
        for made in self.cuts:
            for index in made.reworded().tolist():
                yield first + index, numbers_of(made.prefix(index))
                if lead := made.leads.get(index):
                    yield first + index, numbers_of(lead.words)
            first += len(made)
        yield from self._edges(low, high)

    def _edges(self, low: Integers, high: Integers) -> Iterator[tuple[int, Integers]]:
        """Parts of terms that the edges of chunks cut off."""
        starts, ends = self._read
        term_starts, term_ends = self.collection.term_starts, self.collection.term_ends
        count = len(term_starts)
        if not count:
            return
        before = np.maximum(low - 1, 0)
        head = (low > 0) & (term_ends[before] > starts) & (term_starts[before] < starts)
        after = np.minimum(high, count - 1)
        tail = (high < count) & (term_starts[after] < ends) & (term_ends[after] > ends)
        for rows, at in ((head, before), (tail, after)):
            for row in np.flatnonzero(rows).tolist():
                start = max(int(starts[row]), int(term_starts[at[row]]))
                end = min(int(ends[row]), int(term_ends[at[row]]))
                yield row, self.collection.numbers_of(self._part(start, end))

    def _part(self, start: int, end: int) -> str:
        at = self.collection.document_at(start)
        offset = int(self.collection.offsets[at])
        return self.collection.analyses[at].text[start - offset : end - offset]
