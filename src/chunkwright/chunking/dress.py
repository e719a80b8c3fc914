"""Dressing: from cuts to chunks, with header, parent, lines, pages and an id that lasts."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
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
        self._parents = (
            parents_between(whole, walls, strip=setup.strip).pairs() if setup.parents else None
        )
        self._seen: Counter[str] = Counter()
        self._made = 0
        self._origin = self._lines = self._pages = 0
        self._reached = 0

    def dress(self, part: Cut) -> list[Chunk]:
        """The chunks of the next part."""
        analysis, origin = part.analysis, part.analysis.origin
        self._move_to(origin)
        starts, ends = part.spans
        last = ends - 1
        first_lines = np.searchsorted(analysis.line_starts, starts, side="right") + self._lines
        last_lines = np.searchsorted(analysis.line_starts, last, side="right") + self._lines
        first_pages = np.searchsorted(analysis.page_starts, starts, side="right") + self._pages
        last_pages = np.searchsorted(analysis.page_starts, last, side="right") + self._pages
        parents = np.searchsorted(self._walls, starts + origin, side="right").tolist()
        overlaps = shared(part.spans).tolist()
        if len(starts):
            overlaps.insert(0, max(0, self._reached - origin - int(starts[0])))
            self._reached = origin + int(ends[-1])
        tokens = part.tokens().tolist()
        chunks: list[Chunk] = []
        for index, (start, end) in enumerate(part.spans.pairs()):
            text = part.embed_text(index)
            chunks.append(
                Chunk(
                    document=self._document,
                    index=self._made + index,
                    start=origin + start,
                    end=origin + end,
                    embed_text=text,
                    header=header_path(analysis, start),
                    parent=Span(*self._parents[parents[index]]) if self._parents else None,
                    tokens=tokens[index],
                    id=self._id(text),
                    first_line=int(first_lines[index]),
                    last_line=int(last_lines[index]),
                    first_page=int(first_pages[index]),
                    last_page=int(last_pages[index]),
                    overlap=overlaps[index],
                )
            )
        self._made += len(chunks)
        return chunks

    def _move_to(self, origin: int) -> None:
        """Count the lines and pages up to where the next part starts."""
        if origin > self._origin:
            self._lines += len(line_starts(self._text[self._origin : origin])) - 1
            self._pages += self._text.count("\f", self._origin, origin)
            self._origin = origin

    def _id(self, embed_text: str) -> str:
        # Texts are remembered by their first id: it is shorter than they are.
        first = chunk_id(self._document.id, embed_text, 0)
        occurrence = self._seen[first]
        self._seen[first] += 1
        return chunk_id(self._document.id, embed_text, occurrence) if occurrence else first


def dress(result: Cut) -> list[Chunk]:
    """The chunks of a cut of a whole document, with everything they carry."""
    return Dresser(result.analysis, result.setup, result.walls).dress(result)


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


def chunk_parts(
    document: Document, setup: Setup, counter: Counting = None
) -> Iterator[tuple[Cut, list[Chunk]]]:
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
        for made, chunks in chunk_parts(document, chosen, counter):
            for notice in made.notices():
                warnings.warn(notice, stacklevel=level)
            yield from chunks


def chunk(
    documents: Document | Iterable[Document], setup: Setup | str, counter: Counting = None
) -> list[Chunk]:
    """The list that `chunk_iter` streams.

    >>> len(chunk([Document("a.txt", "One. Two.")], "sentence:2s"))
    1
    """
    return list(_stream(documents, setup, counter, 3))
