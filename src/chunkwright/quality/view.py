"""A view: the chunks of one document as rules see them, each property made once."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunkwright.chunking.cut import Cut
from chunkwright.quality.words import Words, words_of
from chunkwright.spans import Integers
from chunkwright.text.analysis import Analysis

Mask = NDArray[np.bool_]


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
        """First visible character of each chunk. Shape `(chunks,)`."""
        return self.analysis.all_next_visible(self.cut.spans.starts)

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
        after = self.analysis.all_next_visible(self.ends)
        return np.isin(after, self.analysis.sentences) | (after >= len(self.text))

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

    def opening(self, index: int) -> tuple[int, int]:
        """The first sentence of a chunk as a span, list marks, quotes and emphasis left out."""
        start, stop = int(self.starts[index]), int(self.ends[index])
        end = self.sentence_end(start, stop)
        return self.words.after_marks(self.text, start, end), end
