"""Analysis: the arrays of one document, each made once and shared by every setup."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property, partial
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from chunkwright.model import Document, Section
from chunkwright.spans import Integers, Spans, merged, outside, without
from chunkwright.text import (
    blocks,
    characters,
    graphemes,
    language,
    payloads,
    sentences,
    tokens,
    words,
)
from chunkwright.text.marks import Marks
from chunkwright.text.token_index import TokenIndex

_VISIBLE = re.compile(r"\S")
# White space longer than this is looked up.
_NEAR = 16
MARKDOWN_SUFFIXES = frozenset({".md", ".markdown", ".mdown", ".mdx", ".qmd", ".rmd"})
# Pages of HTML are turned into Markdown when they are read.
_MARKDOWN = MARKDOWN_SUFFIXES | {"", ".html", ".htm"}


def is_markdown(document_id: str) -> bool:
    """Whether a document is read as Markdown: by its suffix; without one it is.

    >>> is_markdown("guide.md"), is_markdown("notes.txt")
    (True, False)
    """
    return PurePosixPath(document_id).suffix.lower() in _MARKDOWN


class Analysis:
    """What is known of one document's text. Each property is computed when first asked for.

    Attributes:
        document: The document.
        text: Its text, or a part of it. All positions count from its start.
        origin: Where that start lies in the document.

    >>> Analysis(Document("a.txt", "One. Two.")).sentences.tolist()
    [0, 5]
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text = document.text
        self.origin = 0
        self._tokens: dict[int, TokenIndex] = {}

    def part(self, low: int, high: int) -> Analysis:
        r"""The analysis of a part of the text, which knows what only the whole can tell.

        >>> part = Analysis(Document("a.md", "# Lamp\n\nOne. Two.")).part(13, 17)
        >>> part.text, part.section_at(0).path
        ('Two.', ('Lamp',))
        """
        part = Analysis(self.document)
        part.text = self.text[low:high]
        part.origin = self.origin + low
        # These are cached properties: given here, they are never computed.
        part.start = max(0, self.start - low)
        part.language = self.language
        part.title = self.title
        part.structure = self.structure.part(low, high)
        return part

    @cached_property
    def points(self) -> characters.CodePoints:
        """Code points."""
        return characters.code_points(self.text)

    @cached_property
    def _kinds(self) -> NDArray[np.uint8]:
        found = characters.kinds(self.points)
        for start, end in self.payloads.pairs():
            found[start:end] = characters.SPACE
        return found

    @cached_property
    def payloads(self) -> Spans:
        """Files written into the text as base64. Like white space, they are no part of a run."""
        return payloads.payloads(self.text)

    @cached_property
    def payload_walls(self) -> Integers:
        """First visible characters after a payload: no chunk holds one in its middle."""
        after = [self.next_visible(end) for end in self.payloads.ends.tolist()]
        return np.array([at for at in after if self.start < at < len(self.text)], np.int64)

    @cached_property
    def runs(self) -> characters.Runs:
        """Runs of visible characters, front matter left out."""
        runs = characters.runs(self._kinds)
        if not self.start:
            return runs
        first = int(np.searchsorted(runs.starts, self.start))
        return characters.Runs(runs.starts[first:], runs.ends[first:])

    @cached_property
    def start(self) -> int:
        """Where the text to cut starts: after the front matter."""
        # Found without reading all of the Markdown, which not every strategy needs.
        matter = blocks.front_matter(self.text)[0] if is_markdown(self.document.id) else None
        return matter.end if matter else 0

    @cached_property
    def _breaks(self) -> tuple[Integers, Integers]:
        found = characters.breaks(self.runs, characters.newlines(self.points, self._kinds))
        return self.allowed(found[0]), self.allowed(found[1])

    @cached_property
    def line_cuts(self) -> Integers:
        """First visible characters of lines that start something new, after one line break."""
        found = sentences.line_sentence_starts(self.text, *self._breaks, self.runs)
        return outside(found, self.structure.tight)

    @property
    def paragraph_cuts(self) -> Integers:
        """First visible characters after a blank line."""
        return self._breaks[1]

    @cached_property
    def line_starts(self) -> Integers:
        """Where lines start, as editors count them."""
        return blocks.line_starts(self.text)

    @cached_property
    def page_starts(self) -> Integers:
        """Where pages start: at the start, and after every form feed."""
        return np.r_[0, np.flatnonzero(self.points == 12) + 1]

    @cached_property
    def forbidden(self) -> Integers:
        """Positions inside grapheme clusters."""
        return graphemes.forbidden(self.text, self.points, self._kinds)

    @cached_property
    def clusters(self) -> graphemes.Clusters:
        """Grapheme clusters of more than one character."""
        return graphemes.Clusters(self.forbidden)

    @cached_property
    def words(self) -> Integers:
        """Where words start."""
        found = words.word_starts(self.points, self._kinds, self.runs, self.forbidden)
        return self.allowed(found)

    @cached_property
    def language(self) -> str:
        """ISO 639-1 code."""
        return self.document.language or language.detect(
            self.text[self.start : self.start + language.SAMPLE]
        )

    @cached_property
    def sentences(self) -> Integers:
        """Where sentences start; a heading, list item, table row or line of code starts one."""
        certain = merged(self.paragraph_cuts, self.line_cuts)
        found = sentences.sentence_starts(self.text, self.points, self.runs, self.ended, certain)
        structure = self.structure
        headings = [section.start for section in structure.sections if section.level]
        extra = (structure.blocks, structure.pieces, np.array(headings, np.int64))
        starts = outside(merged(found, *extra), structure.tight)
        starts = self.allowed(outside(starts, self._rows))
        # A mark that joins to the white space before it starts the text all the same.
        first = self.next_visible(0)
        at = int(np.searchsorted(self.forbidden, first))
        if at < len(self.forbidden) and self.forbidden[at] == first:
            starts = merged(np.array([first], np.int64), starts)
        return starts

    @cached_property
    def stops(self) -> Integers:
        """Where a sentence may start by its stop alone."""
        found = sentences.stop_starts(self.text, self.points, self.runs, self.language)
        return self.allowed(outside(found, self._rows))

    @cached_property
    def ended(self) -> Integers:
        """The stops at which a sentence ends."""
        return sentences.ended_starts(
            self.text, self.points, self.stops, self.language, cased=self.cased
        )

    @cached_property
    def _rows(self) -> Integers:
        """Rows of tables: no sentence starts inside of one. Shape `(n, 2)`."""
        whole, bodies = self.structure.whole, self.structure.tables[:, 2:]
        if not len(bodies):
            return whole[:0]
        # Nothing but rows stays whole inside a table.
        table = np.searchsorted(bodies[:, 0], whole[:, 0], side="right") - 1
        return whole[(table >= 0) & (whole[:, 0] < bodies[np.maximum(table, 0), 1])]

    @cached_property
    def cased(self) -> bool:
        """Whether sentences start with capitals."""
        return sentences.is_cased(self.text, self.stops, self.language)

    @cached_property
    def clauses(self) -> Integers:
        """Where clauses start."""
        return self.allowed(sentences.clause_starts(self.text, self.points, self.runs))

    @cached_property
    def structure(self) -> blocks.Structure:
        """Headings and blocks; one section where the text is not Markdown."""
        if is_markdown(self.document.id):
            found = blocks.read(self.text)
            # A line may begin with a mark that joins the white space before it.
            return replace(
                found,
                blocks=self.allowed(found.blocks),
                pieces=self.allowed(found.pieces),
                kept=self.allowed(found.kept),
            )
        return blocks.plain(self.text)

    @cached_property
    def marks(self) -> Marks:
        """The positions that chunks were started or cut at."""
        # Not a method of its own: holding each other, both would stay in memory.
        return Marks(partial(_trimmed_ends, self.runs, self.start))

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections, in order."""
        return self.structure.sections

    @cached_property
    def section_starts(self) -> Integers:
        """Where sections start."""
        return np.array([section.start for section in self.sections], np.int64)

    def section_at(self, position: int) -> Section:
        """The section that holds a position."""
        return self.sections[self._section_index(position)]

    def _section_index(self, position: int) -> int:
        return max(0, int(np.searchsorted(self.section_starts, position, side="right")) - 1)

    def path_at(self, position: int) -> tuple[str, ...]:
        r"""The titles over what is read from a position on: a heading alone says nothing yet.

        >>> Analysis(Document("a.md", "# Lamp\n\n## Reset\n\nSwitch it off.")).path_at(0)
        ('Lamp', 'Reset')
        """
        return self.sections[self._bodied[self._section_index(position)]].path

    @cached_property
    def _bodied(self) -> list[int]:
        """For each section, the first from it on with more than a heading; itself if none has."""
        found = list(range(len(self.sections)))
        following = -1
        for index in reversed(found):
            section = self.sections[index]
            if self.next_visible(section.body) < section.end:
                following = index
            found[index] = following if following >= 0 else index
        return found

    @cached_property
    def title(self) -> str:
        """The document's title: given, from front matter, or its first heading if outermost."""
        if self.document.title is not None:
            return self.document.title
        if title := self.structure.metadata.get("title"):
            return title
        headed = [section for section in self.sections if section.level]
        if headed and headed[0].level == min(section.level for section in headed):
            alone = sum(section.level == headed[0].level for section in headed) == 1
            if alone and headed[0].path:
                return headed[0].path[0]
        return PurePosixPath(self.document.id).stem

    def tokens(self, counter: tokens.TokenCounter) -> TokenIndex:
        """Where the tokens of a counter lie."""
        key = id(counter)
        if key not in self._tokens:
            self._tokens[key] = TokenIndex(self.text, counter, self.points, self.runs)
        return self._tokens[key]

    def allowed(self, cuts: Integers) -> Integers:
        """Cuts that fall inside no grapheme cluster."""
        return without(cuts, self.forbidden)

    @cached_property
    def _plain(self) -> bool:
        """Whether the text itself tells what is visible. The runs, which always do, are slower."""
        return not len(self.payloads.starts)

    def next_visible(self, position: int) -> int:
        """The first visible character at or after a position; the text's length if none."""
        # Nearly every position asked for is visible.
        if self._plain and position < len(self.text) and not self.text[position].isspace():
            return max(position, self.start)
        if self._plain:  # white space is mostly short: the runs of a long text are many
            found = _VISIBLE.search(self.text, max(position, self.start), position + _NEAR)
            if found is not None:
                return found.start()
        run = int(self.runs.ends.searchsorted(position, side="right"))
        if run == len(self.runs.ends):
            return len(self.text)
        return max(position, int(self.runs.starts[run]))

    def all_next_visible(self, positions: Integers) -> Integers:
        """`next_visible` of every position."""
        runs = self.runs
        if not len(runs.starts):
            return np.full(len(positions), len(self.text))
        at = np.searchsorted(runs.ends, positions, side="right")
        found = np.maximum(positions, runs.starts[np.minimum(at, len(runs.starts) - 1)])
        return np.where(at < len(runs.ends), found, len(self.text))

    def all_trimmed_ends(self, positions: Integers) -> Integers:
        """`trimmed_end` of every position."""
        return _trimmed_ends(self.runs, self.start, positions)

    def trimmed_end(self, position: int) -> int:
        """One past the last visible character before a position; the start if none."""
        if self._plain:  # white space is mostly one character wide
            for at in range(position, max(position - _NEAR, self.start), -1):
                if not self.text[at - 1].isspace():
                    return at
        run = int(self.runs.starts.searchsorted(position, side="left")) - 1
        return min(position, int(self.runs.ends[run])) if run >= 0 else self.start


def _trimmed_ends(runs: characters.Runs, start: int, positions: Integers) -> Integers:
    if not len(runs.starts):
        return np.full(len(positions), start)
    at = np.searchsorted(runs.starts, positions, side="left") - 1
    found = np.minimum(positions, runs.ends[np.maximum(at, 0)])
    return np.where(at >= 0, found, start)
