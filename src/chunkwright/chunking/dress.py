"""Dressing: from cuts to chunks, with header, parent, lines, pages and an id that lasts."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from chunkwright.chunking.context import header_path
from chunkwright.chunking.cut import Counting, Cut, cut_parts
from chunkwright.chunking.parents import parents_between
from chunkwright.errors import SourceError
from chunkwright.model import Chunk, Document
from chunkwright.setup import Setup
from chunkwright.spans import Integers, Span, shared
from chunkwright.text.analysis import Analysis
from chunkwright.text.blocks import line_starts


@dataclass(frozen=True, slots=True)
class Dressed:
    """The chunks of a part of a document, column by column; each field as in `Chunk`.

    Attributes:
        document: The document they were cut from, with the fields of its front matter.
        index: Index of the first of them.
        starts: First code points. Shape `(n,)`, as all that follow.
        ends: One past the last code points.
        texts: The source text of each chunk.
        embed_texts: What is embedded; the same list where nothing is added to any text.
        headers: Title paths.
        parents: Wider spans; None where the setup has none.
        tokens: Tokens of each embed_text.
        ids: Hashes.
        lines: Lines of the first and the last characters.
        pages: Pages of the first and the last characters.
        overlaps: Code points shared with the chunk before.
    """

    document: Document
    index: int
    starts: Integers
    ends: Integers
    texts: list[str]
    embed_texts: list[str]
    headers: list[tuple[str, ...]]
    parents: Sequence[Span | None]
    tokens: Integers
    ids: list[str]
    lines: tuple[Integers, Integers]
    pages: tuple[Integers, Integers]
    overlaps: Integers

    def __len__(self) -> int:
        return len(self.ids)

    def chunks(self) -> list[Chunk]:
        """One by one."""
        columns = zip(
            range(self.index, self.index + len(self)),
            self.starts.tolist(),
            self.ends.tolist(),
            self.embed_texts,
            self.headers,
            self.parents,
            self.tokens.tolist(),
            self.ids,
            *(column.tolist() for column in (*self.lines, *self.pages, self.overlaps)),
            strict=True,
        )
        return [Chunk(self.document, *each) for each in columns]


class Dresser:
    """Makes the chunks of one document, part by part, in order.

    Args:
        whole: The analysis of the whole document.
        setup: What it is cut by.
        walls: Where one parent ends and the next starts, in the whole document.
    """

    def __init__(self, whole: Analysis, setup: Setup, walls: Integers) -> None:
        document, fields = whole.document, whole.structure.metadata
        self._document = (
            replace(document, metadata={**fields, **document.metadata}) if fields else document
        )
        self._text = whole.text
        self._walls = walls
        wide = parents_between(whole, walls, strip=setup.strip) if setup.parents else None
        self._parents = None if wide is None else [Span(*pair) for pair in wide.pairs()]
        self._seen: Counter[str] = Counter()
        self._made = 0
        self._origin = self._lines = self._pages = 0
        self._reached = 0

    def dress(self, part: Cut) -> Dressed:
        """The chunks of the next part."""
        analysis, origin = part.analysis, part.analysis.origin
        self._move_to(origin)
        starts, ends = part.spans
        last = ends - 1
        lines, pages = analysis.line_starts, analysis.page_starts
        overlaps = shared(part.spans)
        if len(starts):
            first = max(0, self._reached - origin - int(starts[0]))
            overlaps = np.concatenate([[first], overlaps]).astype(np.int64)
            self._reached = origin + int(ends[-1])
        texts = [analysis.text[start:end] for start, end in part.spans.pairs()]
        embed_texts = texts
        if part.context or part.leads:
            embed_texts = [part.embed_text(index) for index in range(len(part))]
        made = Dressed(
            document=self._document,
            index=self._made,
            starts=starts + origin,
            ends=ends + origin,
            texts=texts,
            embed_texts=embed_texts,
            headers=_headers(analysis, starts),
            parents=self._parents_of(starts + origin),
            tokens=part.tokens(),
            ids=[self._id(text) for text in embed_texts],
            lines=(_number(lines, starts) + self._lines, _number(lines, last) + self._lines),
            pages=(_number(pages, starts) + self._pages, _number(pages, last) + self._pages),
            overlaps=overlaps,
        )
        self._made += len(made)
        return made

    def _parents_of(self, starts: Integers) -> Sequence[Span | None]:
        if self._parents is None:
            return [None] * len(starts)
        at = np.searchsorted(self._walls, starts, side="right").tolist()
        return [self._parents[each] for each in at]

    def _move_to(self, origin: int) -> None:
        """Count the lines and pages up to where the next part starts."""
        if origin > self._origin:
            self._lines += len(line_starts(self._text[self._origin : origin])) - 1
            self._pages += self._text.count("\f", self._origin, origin)
            self._origin = origin

    def _id(self, embed_text: str) -> str:
        # Texts are remembered by their first id: it is shorter than they are.
        first = chunk_id(self._document.id, embed_text, 0)
        occurrence = self._seen.get(first, 0)
        self._seen[first] = occurrence + 1
        return chunk_id(self._document.id, embed_text, occurrence) if occurrence else first


def _number(starts: Integers, positions: Integers) -> Integers:
    """Which line or page each position stands on, from 1."""
    return np.searchsorted(starts, positions, side="right").astype(np.int64, copy=False)


def _headers(analysis: Analysis, starts: Integers) -> list[tuple[str, ...]]:
    """The title path over each start; all chunks that start in a section share one."""
    sections = np.searchsorted(analysis.section_starts, starts, side="right")
    new = np.diff(sections, prepend=-1) != 0
    paths = [header_path(analysis, start) for start in starts[new].tolist()]
    return [paths[at] for at in (np.cumsum(new) - 1).tolist()]


def dress(result: Cut) -> list[Chunk]:
    """The chunks of a cut of a whole document, with everything they carry."""
    return Dresser(result.analysis, result.setup, result.walls).dress(result).chunks()


def chunk_id(document_id: str, embed_text: str, occurrence: int) -> str:
    """The id of a chunk: a hash of what it is, so that it survives edits elsewhere.

    >>> chunk_id("a.txt", "One.", 0) == chunk_id("a.txt", "One.", 0)
    True
    """
    parts = [part.encode("utf-8") for part in (document_id, embed_text, str(occurrence))]
    framed = b"".join([len(raw).to_bytes(8, "little") + raw for raw in parts])
    return blake2b(framed, digest_size=12).hexdigest()


def chunk_parts(
    document: Document, setup: Setup, counter: Counting = None
) -> Iterator[tuple[Cut, Dressed]]:
    """The chunks of one document part by part, each with the cut it was made from.

    Memory holds one part at a time, beside the document itself.

    Raises:
        SetupError: The setup cannot be used.
    """
    whole = Analysis(document)
    dresser: Dresser | None = None
    for part, walls in cut_parts(whole, setup, counter):
        dresser = dresser or Dresser(whole, setup, walls)
        yield part, dresser.dress(part)
        del part  # before the next one is made


def chunk_iter(
    documents: Document | Iterable[Document], setup: Setup | str, counter: Counting = None
) -> Iterator[Chunk]:
    """Chunks of documents, one document at a time, and a long one part by part.

    Args:
        documents: One document, or any number of them.
        setup: A setup or its notation.
        counter: Counts tokens in place of the setup's own counter: a name, a counter, or any
            function from text to a number.

    Raises:
        SetupError: The setup cannot be used.

    Warns:
        OversizeWarning: One grapheme is wider than the size.
        PayloadWarning: Files written into a text as base64 were left out.
        TableHeadWarning: The head of a table that was cut is too wide to be repeated.

    >>> [chunk.text for chunk in chunk_iter(Document("a.txt", "One. Two."), "sentence:1s")]
    ['One.', 'Two.']
    """
    return _stream(documents, setup, counter, 2)


def _stream(
    documents: Document | Iterable[Document], setup: Setup | str, counter: Counting, level: int
) -> Iterator[Chunk]:
    """The chunks; warnings name the line `level` calls up, as `warnings.warn` counts them."""
    chosen = Setup.parse(setup) if isinstance(setup, str) else setup
    for document in [documents] if isinstance(documents, Document) else documents:
        if not isinstance(document, Document):
            kind = type(document).__name__
            raise SourceError(f"a document is needed, got {kind}: wrap it, Document(id, text)")
        for made, dressed in chunk_parts(document, chosen, counter):
            for notice in made.notices():
                warnings.warn(notice, stacklevel=level)
            yield from dressed.chunks()


def chunk(
    documents: Document | Iterable[Document], setup: Setup | str, counter: Counting = None
) -> list[Chunk]:
    """The list that `chunk_iter` streams.

    >>> len(chunk([Document("a.txt", "One. Two.")], "sentence:2s"))
    1
    """
    return list(_stream(documents, setup, counter, 3))
