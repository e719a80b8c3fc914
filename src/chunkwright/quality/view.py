"""A view: the chunks of one document as rules see them, each property made once."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import regex
from numpy.typing import NDArray

from chunkwright.chunking.cut import Cut
from chunkwright.quality.words import Words, words_of
from chunkwright.spans import Integers, Span, merged
from chunkwright.text.analysis import Analysis

Mask = NDArray[np.bool_]
_WORDLIKE = regex.compile(r"[^\W_]")


class View:
    """The chunks of one document, and what the source says of their edges.

    Chunks of other tools may overlap in any way or lie in each other; they ascend by start.

    Attributes:
        cut: The chunks.
        analysis: The document's analysis.
        text: Its text.

    >>> from chunkwright.chunking.cut import cut
    >>> from chunkwright.model import Document
    >>> from chunkwright.setup import Setup
    >>> lamp = Analysis(Document("a.txt", "Plus costs $3.99 a month. It also adds reports."))
    >>> view = View(cut(lamp, Setup.parse("fixed:20c")))
    >>> view.clean_starts.tolist(), view.clean_ends.tolist()
    ([True, False, False], [False, False, True])
    """

    def __init__(self, cut: Cut) -> None:
        self.cut = cut
        self.analysis: Analysis = cut.analysis
        self.text = self.analysis.text

    def __len__(self) -> int:
        return len(self.cut)

    @cached_property
    def words(self) -> Words:
        """What the document's language has of words that lean on others."""
        return words_of(self.analysis.language)

    @cached_property
    def starts(self) -> Integers:
        """First visible character of each chunk; its end if it has none. Shape `(chunks,)`."""
        found = self.analysis.all_next_visible(self.cut.spans.starts)
        return np.minimum(found, self.cut.spans.ends)

    @cached_property
    def ends(self) -> Integers:
        """One past the last visible character of each. Shape `(chunks,)`."""
        found = self.analysis.all_trimmed_ends(self.cut.spans.ends)
        return np.maximum(found, self.starts)

    @cached_property
    def clean_starts(self) -> Mask:
        """Whether each chunk starts where a sentence or a piece of structure does."""
        return np.isin(self.starts, self.analysis.sentences)

    @cached_property
    def clean_ends(self) -> Mask:
        """Whether what follows each chunk in the source starts a sentence, or nothing follows."""
        return np.isin(self.after, self.analysis.sentences) | (self.after >= len(self.text))

    @cached_property
    def after(self) -> Integers:
        """First visible character of the source after each chunk. Shape `(chunks,)`."""
        return self.analysis.all_next_visible(self.ends)

    @cached_property
    def hollow(self) -> Mask:
        """Whether each chunk holds no word: white space, or marks alone."""
        pairs = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        found = [_WORDLIKE.search(self.text, *pair) is None for pair in pairs]
        return np.array(found, np.bool_)

    @cached_property
    def filled(self) -> Integers:
        """Which chunks hold a word."""
        return np.flatnonzero(~self.hollow)

    @cached_property
    def leading(self) -> dict[int, Span]:
        """By chunk, the first sentence of those that open with a word that may lean on others.

        The document's own first sentence has nothing before it to lean on.
        """
        words, text, found = self.words, self.text, {}
        first = self.analysis.next_visible(self.analysis.start)
        for index in self.filled.tolist():
            start, stop = int(self.starts[index]), int(self.ends[index])
            at = words.after_marks(text, start, stop)
            if start > first and words.openings.match(text, at, stop):
                found[index] = Span(at, self.sentence_end(at, stop))
        return found

    @cached_property
    def addresses_reader(self) -> bool:
        """Whether the text addresses its reader by a word that might be a pronoun."""
        return self.words.addressed.search(self.text) is not None

    @cached_property
    def sections(self) -> Integers:
        """Number of the section in which each chunk starts. Shape `(chunks,)`."""
        found = np.searchsorted(self.analysis.section_starts, self.starts, side="right") - 1
        return np.maximum(found, 0)

    def sentence_end(self, position: int, stop: int) -> int:
        """Where the sentence that a position lies in ends, `stop` at most, white space left out."""
        sentences = self.analysis.sentences
        after = int(np.searchsorted(sentences, position, side="right"))
        end = int(sentences[after]) if after < len(sentences) else len(self.text)
        return self.analysis.trimmed_end(min(end, stop))

    def line_start(self, position: int) -> int:
        """Where the line of a position starts."""
        lines = self.analysis.line_starts
        return int(lines[int(lines.searchsorted(position, side="right")) - 1])

    def sentence_before(self, index: int) -> Span | None:
        """The sentence that ends before the one that a chunk starts in."""
        sentences, start = self.analysis.sentences, int(self.starts[index])
        at = int(np.searchsorted(sentences, start, side="right")) - 1
        if at < 1:
            return None
        low, high = int(sentences[at - 1]), int(sentences[at])
        return Span(self.words.after_marks(self.text, low, high), high)

    def holding(self, start: int, end: int) -> list[int]:
        """The chunks that hold a span whole."""
        high = int(np.searchsorted(self.starts, start, side="right"))
        low = int(np.searchsorted(self.starts, start - self._widest))
        return [low + at for at in np.flatnonzero(self.ends[low:high] >= end).tolist()]

    @cached_property
    def _widest(self) -> int:
        return int((self.ends - self.starts).max(initial=0))

    @cached_property
    def _block_starts(self) -> Integers:
        structure = self.analysis.structure
        lines = merged(self.analysis.paragraph_cuts, self.analysis.line_cuts)
        return merged(lines, structure.blocks, structure.pieces, self.analysis.section_starts)

    def is_block_start(self, position: int) -> bool:
        """Whether a paragraph, item, row or line of its own starts at a position."""
        at = int(np.searchsorted(self._block_starts, position))
        found = at < len(self._block_starts) and int(self._block_starts[at]) == position
        return found or position == self.analysis.next_visible(self.analysis.start)

    def is_verbatim(self, position: int) -> bool:
        """Whether a position lies in a fenced block of code."""
        whole = self.analysis.structure.whole
        at = int(np.searchsorted(whole[:, 0], position, side="right")) - 1
        if at < 0 or position >= whole[at, 1]:
            return False
        return self.text.startswith(("```", "~~~"), int(whole[at, 0]))

    def opening(self, index: int) -> tuple[int, int]:
        """The first sentence of a chunk as a span, list marks, quotes and emphasis left out."""
        start, stop = int(self.starts[index]), int(self.ends[index])
        end = self.sentence_end(start, stop)
        return self.words.after_marks(self.text, start, end), end
