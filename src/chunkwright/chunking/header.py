"""`header`: never across a heading; sections are packed by sentences inside."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from chunkwright.chunking.boundaries import ALL_UNITS, Boundaries, Level, Strategy, fallback
from chunkwright.chunking.measure import Measure
from chunkwright.model import Section
from chunkwright.setup import Setup
from chunkwright.spans import Integers, without
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import TokenCounter


def boundaries(
    analysis: Analysis, _setup: Setup, _measure: Measure, _counter: TokenCounter
) -> Boundaries:
    """Sections as walls, sentences inside; a heading stays with what follows it."""
    kept = analysis.structure.kept
    return Boundaries(
        clean=(Level(lambda: without(analysis.sentences, kept)),),
        spare=((Level(lambda: analysis.sentences),),),
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
    return analysis.allowed(np.array(walls, np.int64))


def _has_body(analysis: Analysis, section: Section) -> bool:
    return analysis.next_visible(section.body) < section.end


HEADER = Strategy("header", ALL_UNITS, boundaries)
