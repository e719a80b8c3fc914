"""Parents: the wider span that is sent in place of a chunk."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chunkwright.chunking.header import section_walls
from chunkwright.setup import Setup
from chunkwright.spans import Integers, Spans
from chunkwright.text.analysis import Analysis


def parent_walls(
    analysis: Analysis, setup: Setup, cut: Callable[[Analysis, Setup], Spans]
) -> Integers:
    r"""Where one parent ends and the next starts; chunks never cross these.

    `cut` makes the parents where they have a size of their own.

    >>> from chunkwright.model import Document
    >>> text = Analysis(Document("a.md", "# A\n\none\n\n# B\n\ntwo"))
    >>> setup = Setup.parse("sentence:50c|parents=section")
    >>> parent_walls(text, setup, lambda *_: Spans.of([])).tolist()
    [10]
    """
    if setup.parents == "section":
        return section_walls(analysis)
    if setup.parents == "document" or not setup.parents:
        return np.empty(0, np.int64)
    return cut(analysis, setup.parents_setup()).starts[1:]


def parents_of(analysis: Analysis, walls: Integers, spans: Spans) -> Spans:
    """The parent of each span: all between two walls, without white space at the ends."""
    edges = np.r_[analysis.next_visible(analysis.start), walls, len(analysis.text)]
    index = np.searchsorted(edges, spans.starts, side="right") - 1
    index = np.clip(index, 0, len(edges) - 2)
    ends = np.array([analysis.trimmed_end(edge) for edge in edges[1:].tolist()], np.int64)
    # Without stripping, a chunk may hold white space that its parent would leave out.
    return Spans(np.minimum(edges[:-1][index], spans.starts), np.maximum(ends[index], spans.ends))
