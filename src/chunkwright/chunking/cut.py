"""Cutting: from documents and a setup to chunks."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from chunkwright import registry
from chunkwright.chunking.boundaries import Strategy
from chunkwright.chunking.context import Context, context, header_line
from chunkwright.chunking.measure import (
    Measure,
    Scale,
    in_arrays,
    measure,
    overlap_of,
    plain_size,
)
from chunkwright.chunking.pack import Limits, pack
from chunkwright.chunking.parents import parent_walls, parents_between
from chunkwright.errors import OversizeWarning, PayloadWarning, SetupError, TableHeadWarning
from chunkwright.setup import Setup
from chunkwright.spans import Integers, Spans, merged, without
from chunkwright.text.analysis import Analysis
from chunkwright.text.blocks import line_starts
from chunkwright.text.tokens import TokenCounter, as_counter

Counting = TokenCounter | Callable[[str], int] | str | None


class Repair(Protocol):
    """What mends the chunks of a document; the room `quality` has them."""

    @property
    def default(self) -> bool:
        """Whether the option `repair` asks for it."""
        ...

    @property
    def apply(self) -> Callable[[Cut], Cut]:
        """The chunks of one document, mended."""
        ...


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

    def first(self, count: int) -> Cut:
        """The cut without the chunks after the first `count`."""
        if count == len(self):
            return self
        spans = Spans(self.spans.starts[:count], self.spans.ends[:count])
        leads = {index: lead for index, lead in self.leads.items() if index < count}
        return replace(self, spans=spans, leads=leads)

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
        starts, ends = self.spans
        # Elsewhere, and before white space, the tokens of a prefix are not simply added.
        added = index.additive and self.setup.strip
        one_by_one = np.array(sorted(self.leads), np.int64) if added else self.reworded()
        if added and self.context:
            blank = np.flatnonzero(self.analysis.all_next_visible(starts) != starts)
            one_by_one = merged(one_by_one, blank)
        counts = np.zeros(len(self), np.int64)
        rows = without(np.arange(len(self)), one_by_one)
        counts[rows] = self._plain_counts(starts[rows], ends[rows])
        if added and self.context:
            counts[rows] += self.context.sizes(starts[rows], self.counter.count)
        for at in one_by_one.tolist():
            counts[at] = self.counter.count(self.embed_text(at))
        return counts

    def _plain_counts(self, starts: Integers, ends: Integers) -> Integers:
        """Tokens of some stretches of the text."""
        analysis, marks = self.analysis, self.analysis.marks
        tokens = in_arrays(measure(analysis, "tokens", self.counter))
        if tokens is not None and self.setup.strip:
            # The packer has met most of them.
            cuts = marks.rows(analysis.all_next_visible(ends))
            if np.array_equal(marks.ends[cuts], ends):
                return Scale(tokens, marks).sizes(marks.rows(starts), cuts)
        return analysis.tokens(self.counter).counts(starts, ends)

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
        return plain_size(self.embed_text(index), self.setup.unit, self.counter)

    def parents(self) -> Spans | None:
        """The parent of each chunk, or None where the setup has none."""
        if not self.setup.parents:
            return None
        wide = parents_between(self.analysis, self.walls, strip=self.setup.strip)
        index = np.searchsorted(self.walls, self.spans.starts, side="right")
        return Spans(wide.starts[index], wide.ends[index])

    def oversize(self) -> Integers:
        """Indices of the chunks over the size: those whose one grapheme is wider than it.

        Windows of tokens count the document's own tokens, so they have none.
        """
        setup = self.setup
        strategy: Strategy = registry.load("strategies", setup.strategy, SetupError)
        if setup.unit == "characters" and not self.context and not self.leads:
            sizes = self.spans.ends - self.spans.starts
        elif setup.unit == "tokens":
            walled = len(self.walls) or (setup.strip and len(self.analysis.payload_walls))
            by_formula = strategy.windows and not setup.headers and not walled
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

    def notices(self) -> Iterator[OversizeWarning | TableHeadWarning | PayloadWarning]:
        """What its user should know: one warning of a kind, about the first place."""
        analysis, setup = self.analysis, self.setup
        document, text = analysis.document.id, analysis.document.text
        oversize = self.oversize()
        if len(oversize):
            first = int(oversize[0])
            start = analysis.origin + int(self.spans.starts[first])
            end = analysis.origin + int(self.spans.ends[first])
            quote = textwrap.shorten(text[start:end], 40, placeholder="…")
            yield OversizeWarning(
                f"{document}: chunks over the size of {setup.size} {setup.unit}: {len(oversize)}, "
                f"the first at character {start}, {quote!r}, as one grapheme is wider; use a "
                "larger size"
            )
        tables = self.cut_tables()
        if len(tables):
            line = len(line_starts(text[: analysis.origin + int(tables[0])]))
            yield TableHeadWarning(
                f"{document}: tables that were cut and whose head takes more than half of "
                f"{setup.size} {setup.unit}: {len(tables)}, the first in line {line}; their rows "
                "get its first words only; use a larger size"
            )
        payloads = analysis.payloads
        if setup.strip and len(payloads.starts):
            left_out = int((payloads.ends - payloads.starts).sum())
            yield PayloadWarning(
                f"{document}: files written into the text as base64 are left out: "
                f"{len(payloads.starts)}, {left_out:,} characters, the first at character "
                f"{analysis.origin + int(payloads.starts[0])}; 'strip=no' keeps them"
            )


# A longer text is cut part by part, so that memory stays small.
_PART = 1 << 21
# Chunks this near to the end of a part, as a share of it, might be other ones with more text.
_UNSETTLED = 1 / 16


def cut(analysis: Analysis, setup: Setup, counter: Counting = None) -> Cut:
    """Cut one analysed document.

    Args:
        analysis: The document's analysis.
        setup: How to cut.
        counter: Counts tokens in place of the setup's own counter.

    Raises:
        SetupError: The size leaves no room beside a contextual header, or the counter cannot do
            what the strategy needs.

    >>> from chunkwright.model import Document
    >>> text = Analysis(Document("a.txt", "One here. Two there."))
    >>> cut(text, Setup.parse("sentence:1s")).spans.pairs()
    [(0, 9), (10, 20)]
    """
    spans = Spans.of([])
    walls = spans.starts
    leads: dict[int, Lead] = {}
    for part, all_walls in cut_parts(analysis, setup, counter):
        if part.analysis is analysis:
            return part
        walls = all_walls
        leads |= {len(spans.starts) + index: lead for index, lead in part.leads.items()}
        spans = Spans(
            np.r_[spans.starts, part.spans.starts + part.analysis.origin],
            np.r_[spans.ends, part.spans.ends + part.analysis.origin],
        )
    return Cut(analysis, setup, as_counter(counter or setup.tokens), spans, walls, leads)


def cut_parts(
    analysis: Analysis, setup: Setup, counter: Counting = None, length: int = _PART
) -> Iterator[tuple[Cut, Integers]]:
    """The cut of a document part by part, with the walls between parents in the whole of it.

    A text of at most `length` characters is one part. In a longer one, each part starts where
    the last chunk of the one before it might have become another one with more text to see.

    Raises:
        SetupError: As `cut`.
    """
    count = as_counter(counter or setup.tokens)
    if setup.headers:
        _check_headers(analysis, setup, count)
    walls = parent_walls(analysis, setup, lambda text, wide: cut(text, wide, count).spans)
    total = len(analysis.text)
    if total <= length:
        yield _cut_part(analysis, setup, count, walls, 0), walls
        return
    low = reached = 0
    while low < total:
        width = length
        while True:
            high = min(low + width, total)
            inside = walls[(walls > low) & (walls < high)] - low
            part = _cut_part(analysis.part(low, high), setup, count, inside, reached - low)
            settled = len(part) if high == total else _settled(part)
            if settled or high == total:
                break
            width *= 2
        yield part.first(settled), walls
        if high == total:
            return
        reached = low + int(part.spans.ends[settled - 1])
        low += int(part.spans.starts[settled])
        del part  # before the next one is made


def _settled(part: Cut) -> int:
    """How many chunks would be the same if the part went on."""
    end = int(len(part.analysis.text) * (1 - _UNSETTLED))
    return max(0, min(int(np.searchsorted(part.spans.ends, end)), len(part) - 2))


def _cut_part(
    analysis: Analysis, setup: Setup, counter: TokenCounter, walls: Integers, reached: int
) -> Cut:
    """The cut of one part, whose chunks all end beyond what was reached before."""
    spans = _spans(analysis, setup, counter, walls)
    new = spans.ends > reached
    result = Cut(analysis, setup, counter, Spans(spans.starts[new], spans.ends[new]), walls)
    return mended(result) if setup.repair else result


def context_of(analysis: Analysis, setup: Setup, counter: TokenCounter) -> Context:
    """What stands before the chunks of a document; windows cut no table with a head in mind."""
    strategy: Strategy = registry.load("strategies", setup.strategy, SetupError)
    unit = measure(analysis, setup.unit, counter)
    return context(analysis, setup, unit, tables=not strategy.windows)


# One repair may make room for another one: they are done again until nothing changes.
_ROUNDS = 8


def mended(result: Cut, repairs: Sequence[Repair] | None = None) -> Cut:
    """A cut after some repairs, in their order; by default those that are on by default."""
    if repairs is None:
        known: list[Repair] = [registry.load("repairs", name) for name in registry.names("repairs")]
        repairs = [repair for repair in known if repair.default]
    for _ in range(_ROUNDS):
        before = result
        for repair in repairs:
            result = repair.apply(result)
        if result.spans.pairs() == before.spans.pairs() and result.leads == before.leads:
            break
    return result


def _spans(analysis: Analysis, setup: Setup, counter: TokenCounter, walls: Integers) -> Spans:
    strategy: Strategy = registry.load("strategies", setup.strategy, SetupError)
    unit = measure(analysis, setup.unit, counter)
    overlap, overlap_unit = overlap_of(setup)
    put_before = context_of(analysis, setup, counter)
    limits = Limits(
        size=setup.size,
        measure=unit,
        overlap=overlap,
        overlap_measure=unit
        if overlap_unit == setup.unit
        else measure(analysis, overlap_unit, counter),
        minimum=setup.minimum,
        minimum_measure=unit
        if setup.minimum_unit == setup.unit
        else measure(analysis, setup.minimum_unit, counter),
        strip=setup.strip,
        prefix=put_before or None,
    )
    boundaries = strategy.boundaries(analysis, setup, unit, counter)
    if setup.strip:
        walls = merged(walls, analysis.payload_walls)
    if len(walls):
        boundaries = replace(boundaries, walls=merged(boundaries.walls, walls))
    return pack(analysis, boundaries, limits)


def _check_headers(analysis: Analysis, setup: Setup, counter: TokenCounter) -> None:
    """A header must leave room for some text."""
    for section in analysis.sections:
        if analysis.next_visible(section.start) >= section.end:
            continue  # it gives no chunk
        line = header_line(analysis, section.start)
        size = plain_size(line, setup.unit, counter)
        if line and size >= setup.size:
            raise SetupError(
                f"{setup}: size {setup.size} {setup.unit} leaves no room beside the header "
                f"{line.strip()!r} of {analysis.document.id}, which takes {size}; "
                f"use a size over {size} or leave out 'headers'"
            )
