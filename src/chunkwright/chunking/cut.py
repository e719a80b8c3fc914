"""Cutting: from documents and a setup to chunks."""

from __future__ import annotations

import textwrap
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b

import numpy as np

from chunkwright import registry
from chunkwright.chunking.boundaries import Strategy
from chunkwright.chunking.context import Context, context, header_line, header_path
from chunkwright.chunking.measure import Measure, measure, overlap_of
from chunkwright.chunking.pack import Limits, pack
from chunkwright.chunking.parents import parent_walls, parents_of
from chunkwright.errors import OversizeWarning, SetupError, SourceError, TableHeadWarning
from chunkwright.model import Chunk, Document
from chunkwright.setup import Setup
from chunkwright.spans import Integers, Span, Spans, merged, shared
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import TokenCounter, as_counter

Counting = TokenCounter | Callable[[str], int] | str | None


@dataclass(frozen=True, slots=True)
class Lead:
    """Words put in place of the first ones of a chunk, in its embed_text only."""

    skip: int
    words: str


@dataclass(frozen=True)
class Cut:
    """The chunks of one document as arrays: what sweeps work on.

    Attributes:
        analysis: The document's analysis.
        setup: The setup that was cut by.
        counter: The token counter that was used.
        spans: Spans of the chunks.
        walls: Where one parent ends and the next starts.
        leads: Replaced first words, by index of the chunk.
    """

    analysis: Analysis
    setup: Setup
    counter: TokenCounter
    spans: Spans
    walls: Integers
    leads: Mapping[int, Lead] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.spans.starts)

    @cached_property
    def context(self) -> Context:
        """What stands before the chunks in their embed_text."""
        return context_of(self.analysis, self.setup, self.counter)

    def prefix(self, index: int) -> str:
        """What stands before a chunk's text in its embed_text, often nothing."""
        return self.context.at(int(self.spans.starts[index])) if self.context else ""

    def reworded(self) -> Integers:
        """Indices of the chunks whose embed_text is not simply their text, ascending."""
        return merged(self.context.prefixed(self.spans.starts), np.array([*self.leads], np.int64))

    def embed_text(self, index: int) -> str:
        """What is embedded for a chunk."""
        start, end = int(self.spans.starts[index]), int(self.spans.ends[index])
        text = self.analysis.text
        if lead := self.leads.get(index):
            return f"{self.prefix(index)}{lead.words}{text[start + lead.skip : end]}"
        return self.prefix(index) + text[start:end]

    def tokens(self) -> Integers:
        """Tokens of each chunk's embed_text. Shape `(n,)`."""
        return self._counted

    @cached_property
    def _counted(self) -> Integers:
        index = self.analysis.tokens(self.counter)
        pairs = self.spans.pairs()
        return np.array(
            [
                self.counter.count(self.embed_text(at))
                if at in self.leads
                else index.count(start, end, self.prefix(at))
                for at, (start, end) in enumerate(pairs)
            ],
            np.int64,
        )

    @cached_property
    def unit(self) -> Measure:
        """The measure of the setup's unit."""
        return measure(self.analysis, self.setup.unit, self.counter)

    def size_of(self, index: int) -> int:
        """What a chunk's embed_text measures in the unit of the setup."""
        start, end = int(self.spans.starts[index]), int(self.spans.ends[index])
        lead = self.leads.get(index)
        if lead is None or self.setup.unit == "sentences":
            return self.unit.size(start, end, self.prefix(index))
        text = self.embed_text(index)
        if self.setup.unit == "characters":
            return len(text)
        return len(text.split()) if self.setup.unit == "words" else self.counter.count(text)

    def parents(self) -> Spans | None:
        """The parent of each chunk, or None where the setup has none."""
        if not self.setup.parents:
            return None
        return parents_of(self.analysis, self.walls, self.spans, strip=self.setup.strip)

    def oversize(self) -> Integers:
        """Indices of the chunks over the size: those whose one grapheme is wider than it.

        Windows of tokens count the document's own tokens, so they have none.
        """
        setup = self.setup
        strategy: Strategy = registry.load("strategies", setup.strategy, SetupError)
        if setup.unit == "characters" and not self.context and not self.leads:
            sizes = self.spans.ends - self.spans.starts
        elif setup.unit == "tokens":
            by_formula = strategy.windows and not setup.headers
            sizes = np.empty(0, np.int64) if by_formula else self.tokens()
        else:
            sizes = np.array([self.size_of(index) for index in range(len(self))], np.int64)
        return np.flatnonzero(sizes > setup.size)

    def cut_tables(self) -> Integers:
        """Where tables start that were cut and whose head is too wide to be repeated whole."""
        structure = self.analysis.structure
        wide = structure.tables[np.isin(structure.tables[:, 0], self.context.shortened)]
        first, last = np.searchsorted(self.spans.starts, (wide[:, 2], wide[:, 3]))
        return wide[first < last, 0]

    def notices(self) -> Iterator[OversizeWarning | TableHeadWarning]:
        """What its user should know: one warning of a kind, about the first place."""
        document, setup = self.analysis.document.id, self.setup
        oversize = self.oversize()
        if len(oversize):
            first = int(oversize[0])
            start, end = int(self.spans.starts[first]), int(self.spans.ends[first])
            quote = textwrap.shorten(self.analysis.text[start:end], 40, placeholder="…")
            yield OversizeWarning(
                f"{document}: chunks over the size of {setup.size} {setup.unit}: {len(oversize)}, "
                f"the first at character {start}, {quote!r}, as one grapheme is wider; use a "
                "larger size"
            )
        tables = self.cut_tables()
        if len(tables):
            line = int(np.searchsorted(self.analysis.line_starts, tables[0], side="right"))
            yield TableHeadWarning(
                f"{document}: tables that were cut and whose head takes more than half of "
                f"{setup.size} {setup.unit}: {len(tables)}, the first in line {line}; their rows "
                "get its first words only; use a larger size"
            )


def cut(analysis: Analysis, setup: Setup, counter: Counting = None) -> Cut:
    """Cut one analysed document.

    Args:
        analysis: The document's analysis.
        setup: How to cut.
        counter: Counts tokens in place of the setup's own counter.

    Raises:
        SetupError: The size leaves no room beside a contextual header, or the counter cannot do
            what the strategy needs.

    >>> text = Analysis(Document("a.txt", "One here. Two there."))
    >>> cut(text, Setup.parse("sentence:1s")).spans.pairs()
    [(0, 9), (10, 20)]
    """
    count = as_counter(counter or setup.tokens)
    walls = parent_walls(analysis, setup, lambda text, wide: cut(text, wide, count).spans)
    result = Cut(analysis, setup, count, _spans(analysis, setup, count, walls), walls)
    return mended(result) if setup.repair else result


def context_of(analysis: Analysis, setup: Setup, counter: TokenCounter) -> Context:
    """What stands before the chunks of a document; windows cut no table with a head in mind."""
    strategy: Strategy = registry.load("strategies", setup.strategy, SetupError)
    unit = measure(analysis, setup.unit, counter)
    return context(analysis, setup, unit, tables=not strategy.windows)


def mended(result: Cut) -> Cut:
    """A cut after every registered repair, in their order."""
    for name in registry.names("repairs"):
        result = registry.load("repairs", name)(result)
    return result


def _spans(analysis: Analysis, setup: Setup, counter: TokenCounter, walls: Integers) -> Spans:
    strategy: Strategy = registry.load("strategies", setup.strategy, SetupError)
    unit = measure(analysis, setup.unit, counter)
    overlap, overlap_unit = overlap_of(setup)
    if setup.headers:
        _check_headers(analysis, setup, counter)
    put_before = context_of(analysis, setup, counter)
    limits = Limits(
        size=setup.size,
        measure=unit,
        overlap=overlap,
        overlap_measure=unit
        if overlap_unit == setup.unit
        else measure(analysis, overlap_unit, counter),
        minimum=setup.minimum,
        minimum_measure=measure(analysis, setup.minimum_unit, counter),
        strip=setup.strip,
        prefix=put_before.at if put_before else None,
    )
    boundaries = strategy.boundaries(analysis, setup, unit, counter)
    if setup.strip:
        walls = merged(walls, analysis.payload_walls)
    if len(walls):
        boundaries = replace(boundaries, walls=merged(boundaries.walls, walls))
    for level in boundaries.clean[:1]:
        level.prepare()  # while the tokens are being found beside it
    return pack(analysis, boundaries, limits)


def _check_headers(analysis: Analysis, setup: Setup, counter: TokenCounter) -> None:
    """A header must leave room for some text."""
    unit = measure(analysis, setup.unit, counter)
    for section in analysis.sections:
        line = header_line(analysis, section.start)
        size = unit.size(section.start, section.start, line)
        if line and size >= setup.size:
            raise SetupError(
                f"{setup}: size {setup.size} {setup.unit} leaves no room beside the header "
                f"{line.strip()!r} of {analysis.document.id}, which takes {size}; "
                f"use a size over {size} or leave out 'headers'"
            )


def dress(result: Cut) -> list[Chunk]:
    """The chunks of a cut, with everything they carry."""
    analysis = result.analysis
    fields = analysis.structure.metadata
    document = analysis.document
    if fields:
        document = replace(document, metadata={**fields, **document.metadata})
    starts, ends = result.spans
    parents = result.parents()
    tokens = result.tokens().tolist()
    first_lines = np.searchsorted(analysis.line_starts, starts, side="right").tolist()
    last_lines = np.searchsorted(analysis.line_starts, ends - 1, side="right").tolist()
    first_pages = np.searchsorted(analysis.page_starts, starts, side="right").tolist()
    last_pages = np.searchsorted(analysis.page_starts, ends - 1, side="right").tolist()
    overlaps = [0, *shared(result.spans).tolist()]
    seen: Counter[str] = Counter()
    chunks: list[Chunk] = []
    for index, (start, end) in enumerate(result.spans.pairs()):
        text = result.embed_text(index)
        chunks.append(
            Chunk(
                document=document,
                index=index,
                start=start,
                end=end,
                embed_text=text,
                header=header_path(analysis, start),
                parent=Span(int(parents.starts[index]), int(parents.ends[index]))
                if parents
                else None,
                tokens=tokens[index],
                id=chunk_id(document.id, text, seen[text]),
                first_line=first_lines[index],
                last_line=last_lines[index],
                first_page=first_pages[index],
                last_page=last_pages[index],
                overlap=overlaps[index],
            )
        )
        seen[text] += 1
    return chunks


def chunk_id(document_id: str, embed_text: str, occurrence: int) -> str:
    """The id of a chunk: a hash of what it is, so that it survives edits elsewhere.

    >>> chunk_id("a.txt", "One.", 0) == chunk_id("a.txt", "One.", 0)
    True
    """
    parts = (document_id, embed_text, str(occurrence))
    digest = blake2b(digest_size=12)
    for part in parts:
        raw = part.encode("utf-8")
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.hexdigest()


def chunk_iter(
    documents: Document | Iterable[Document], setup: Setup | str, counter: Counting = None
) -> Iterator[Chunk]:
    """Chunks of documents, one document at a time.

    Args:
        documents: One document, or any number of them.
        setup: A setup or its notation.
        counter: Counts tokens in place of the setup's own counter: a name, a counter, or any
            function from text to a number.

    Raises:
        SetupError: The setup cannot be used.

    Warns:
        OversizeWarning: One grapheme is wider than the size.
        TableHeadWarning: The head of a table that was cut is too wide to be repeated.

    >>> [chunk.text for chunk in chunk_iter(Document("a.txt", "One. Two."), "sentence:1s")]
    ['One.', 'Two.']
    """
    chosen = Setup.parse(setup) if isinstance(setup, str) else setup
    for document in [documents] if isinstance(documents, Document) else documents:
        if not isinstance(document, Document):
            kind = type(document).__name__
            raise SourceError(f"a document is needed, got {kind}: wrap it, Document(id, text)")
        made = cut(Analysis(document), chosen, counter)
        for notice in made.notices():
            warnings.warn(notice, stacklevel=2)
        yield from dress(made)


def chunk(
    documents: Document | Iterable[Document], setup: Setup | str, counter: Counting = None
) -> list[Chunk]:
    """The list that `chunk_iter` streams.

    >>> len(chunk([Document("a.txt", "One. Two.")], "sentence:2s"))
    1
    """
    return list(chunk_iter(documents, setup, counter))
