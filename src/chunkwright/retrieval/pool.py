"""A pool: all chunks that one setup makes of a collection, as arrays to search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from chunkwright.chunking.cut import Counting, Cut, cut
from chunkwright.retrieval.collection import Collection, Positions
from chunkwright.setup import Setup
from chunkwright.spans import Integers, Spans, spread

# Places of terms that are looked at in one go.
_PLACES = 1 << 21


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

    Args:
        collection: The documents.
        setup: How they are cut.
        counter: Counts tokens in place of the setup's own counter.
        cuts: The cut of each document, where it is made already; no chunk lies inside another.

    Raises:
        SetupError: The setup cannot be used on one of the documents.

    >>> from chunkwright.model import Document
    >>> pool = Pool(Collection([Document("a.txt", "One. Two.")]), Setup.parse("sentence:1s"))
    >>> pool.spans.pairs()
    [(0, 4), (5, 9)]
    """

    def __init__(
        self,
        collection: Collection,
        setup: Setup,
        counter: Counting = None,
        cuts: Sequence[Cut] | None = None,
    ) -> None:
        self.collection = collection
        self.setup = setup
        self.cuts: tuple[Cut, ...] = (
            tuple(cut(analysis, setup, counter) for analysis in collection.analyses)
            if cuts is None
            else tuple(cuts)
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
    def runs(self) -> tuple[Integers, Integers]:
        """The run of the collection's terms that lie wholly inside each chunk: `[low, high)`.

        Replaced words are left out. Both ascend. Shapes `(chunks,)`.
        """
        starts, ends = self._read
        collection = self.collection
        low = np.searchsorted(collection.term_starts, _like(starts, collection.term_starts))
        high = np.searchsorted(collection.term_ends, _like(ends, collection.term_ends), "right")
        return low, np.maximum(high, low)

    @cached_property
    def added(self) -> tuple[Integers, Integers]:
        """Terms of embed_texts that are in no run: chunk and number of each, chunks ascending.

        They stand in headers, in words that replace others, and where a chunk's edge parts a
        term. Shapes `(added,)`.
        """
        rows: list[int] = []
        parts: list[Integers] = []
        for row, numbers in self._extra_terms(*self.runs):
            rows.append(row)
            parts.append(numbers)
        chunk = np.repeat(np.array(rows, np.int64), [len(part) for part in parts])
        order = np.argsort(chunk, kind="stable")
        return chunk[order], np.concatenate([np.empty(0, np.int64), *parts])[order]

    @cached_property
    def lengths(self) -> Integers:
        """Terms of each chunk's embed_text. Shape `(chunks,)`."""
        low, high = self.runs
        return high - low + np.bincount(self.added[0], minlength=len(self))

    def rows(self, first: int, last: int) -> sparse.csr_array:
        """How often each term stands in some chunks' embed_texts. Shape `(chunks, vocabulary)`.

        Each row has its terms in the order of their numbers, so that what is summed over them
        is the same for equal chunks, to the last bit.

        Args:
            first: The first chunk.
            last: One past the last.
        """
        collection = self.collection
        low, high = (part[first:last] for part in self.runs)
        lengths = high - low
        rows, numbers = self.added
        begin, end = np.searchsorted(rows, (first, last))
        shift = max(1, len(collection.vocabulary)).bit_length()
        edges: Positions = np.arange(len(low) + 1) << shift
        if edges[-1] < 2**31:  # short numbers are sorted in half the time
            edges = edges.astype(np.int32)
        keys = np.repeat(edges[:-1], lengths)
        keys |= collection.term_numbers[spread(low, lengths)]
        more = (rows[begin:end] - first) << shift | numbers[begin:end]
        keys = np.append(keys, more.astype(edges.dtype))
        keys.sort()
        new = np.flatnonzero(np.diff(keys, prepend=-1))
        counts = np.diff(new, append=len(keys)).astype(np.float32)
        keys = keys[new]
        bounds = np.searchsorted(keys, edges).astype(np.int32)
        terms = (keys & ((1 << shift) - 1)).astype(np.int32)
        shape = len(low), len(collection.vocabulary)
        return sparse.csr_array((counts, terms, bounds), shape=shape)

    def counts(self, numbers: Integers) -> sparse.csc_array:
        """How often some terms stand in each chunk's embed_text. Shape `(chunks, numbers)`.

        No text is read for it: the places of a term in the collection tell the chunks.

        Args:
            numbers: Numbers of the terms, ascending.
        """
        postings, (low, high) = self.collection.postings, self.runs
        # The chunks whose run holds a place are neighbours: from the first that ends beyond it
        # up to the last that starts at it or before.
        steps, total = np.arange(len(self) + 1, dtype=np.int32), len(self.collection.term_numbers)
        first = np.repeat(steps, np.diff(high, prepend=0, append=total))
        held = np.repeat(steps, np.diff(low, prepend=0, append=total))
        held -= first
        begin, end = np.take(postings.indptr, (numbers, numbers + 1), mode="clip").astype(np.int64)
        # Frequent terms stand in so many places that they are looked at in turns.
        turns = np.flatnonzero(np.diff(np.cumsum(end - begin) // _PLACES)) + 1
        parts = []
        for part in np.split(np.arange(len(numbers)), turns):
            places = postings.data[spread(begin[part], end[part] - begin[part])]
            column = np.repeat(np.arange(len(part)), end[part] - begin[part])
            parts.append(self._table(numbers[part], column, first[places], held[places]))
        return sparse.csc_array(sparse.hstack(parts)) if len(parts) > 1 else parts[0]

    def _table(
        self, numbers: Integers, column: Integers, first: Positions, held: Positions
    ) -> sparse.csc_array:
        """The counts of some terms, from the chunks that hold each of their places.

        Args:
            numbers: The terms.
            column: Which of them stands in each place.
            first: The first chunk that holds the place.
            held: How many chunks hold it.
        """
        # Column and chunk as one number each, so that equal pairs are counted by sorting.
        shift = max(1, len(self)).bit_length()
        layers = []
        for layer in range(held.max(initial=0)):
            inside = held > layer
            layers.append(column[inside] << shift | (first[inside] + layer))
        rows, number = self.added
        column = np.searchsorted(numbers, number)
        asked = column < len(numbers)
        asked[asked] = numbers[column[asked]] == number[asked]
        if asked.any():
            layers.append(np.sort(column[asked] << shift | rows[asked]))
        keys = np.concatenate([np.empty(0, np.int64), *layers])
        if len(layers) > 1:
            keys.sort(kind="stable")  # each layer is sorted: they are merged
        new = np.flatnonzero(np.diff(keys, prepend=-1))
        counts = np.diff(new, append=len(keys)).astype(np.float32)
        keys = keys[new]
        bounds = np.searchsorted(keys, np.arange(len(numbers) + 1) << shift).astype(np.int32)
        chunks = (keys & ((1 << shift) - 1)).astype(np.int32)
        return sparse.csc_array((counts, chunks, bounds), shape=(len(self), len(numbers)))

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


def _like(positions: Integers, others: Positions) -> Positions:
    """The positions in the type of the others: numpy would widen those to compare them."""
    return positions.astype(others.dtype, copy=False)
