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
    starts, ends = cut(analysis, setup.parents_setup())
    if setup.strip:
        return starts[1:]
    # Kept white space that is longer than a parent stays with the parent before it.
    pairs = zip(starts.tolist(), ends.tolist(), strict=True)
    blank = np.array([analysis.text[start:end].isspace() for start, end in pairs], np.bool_)
    seen = np.logical_or.accumulate(~blank)
    return starts[1:][~blank[1:] & seen[:-1]]


def parents_between(analysis: Analysis, walls: Integers, *, strip: bool) -> Spans:
    """The parents: all between two walls, trimmed as the chunks are. One more than the walls."""
    edges = np.concatenate([[analysis.start], walls, [len(analysis.text)]]).astype(np.int64)
    starts, ends = edges[:-1].copy(), edges[1:].copy()
    if strip:
        starts[0] = analysis.next_visible(int(starts[0]))
        ends = np.array([analysis.trimmed_end(end) for end in ends.tolist()], np.int64)
    return Spans(starts, ends)
