"""`header`: never across a heading; sections are packed by sentences inside."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from chunkwright.chunking.boundaries import Boundaries, Level, any_overlap, fallback
from chunkwright.chunking.measure import Measure
from chunkwright.model import Section
from chunkwright.setup import Setup
from chunkwright.spans import Integers, without
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import TokenCounter


class Header:
    """A wall at every heading, except between a heading and one that follows it at once."""

    name = "header"
    units = ("characters", "words", "tokens", "sentences")

    def overlap_units(self, unit: str) -> tuple[str, ...]:
        """Any unit."""
        return any_overlap(unit)

    def boundaries(
        self, analysis: Analysis, setup: Setup, measure: Measure, counter: TokenCounter
    ) -> Boundaries:
        """Sections as walls, sentences inside; a heading stays with what follows it."""
        del setup, measure, counter
        kept = analysis.structure.kept
        return Boundaries(
            clean=(Level(lambda: without(analysis.sentences, kept)),),
            spare=(Level(lambda: analysis.sentences),),
            rough=fallback(analysis),
            walls=section_walls(analysis),
        )


def section_walls(analysis: Analysis) -> Integers:
    r"""Starts of the sections that have a text before them that is not only headings.

    >>> from chunkwright.model import Document
    >>> section_walls(Analysis(Document("a.md", "# A\n\n## B\n\ntext\n\n## C\n\nmore"))).tolist()
    [17]
    """
    sections = analysis.sections
    walls = [after.start for before, after in pairwise(sections) if _has_body(analysis, before)]
    return np.array(walls, np.int64)


def _has_body(analysis: Analysis, section: Section) -> bool:
    return analysis.next_visible(section.body) < section.end


HEADER = Header()
