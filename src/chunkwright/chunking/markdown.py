"""`markdown`: at blocks; code, table rows and list items stay whole while they fit."""

from __future__ import annotations

import numpy as np

from chunkwright.chunking.boundaries import Boundaries, Level, any_overlap, fallback
from chunkwright.chunking.measure import Measure
from chunkwright.setup import Setup
from chunkwright.spans import Integers, merged, without
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import TokenCounter


class Markdown:
    """Headings, then blocks, items and rows, sentences, clauses, words."""

    name = "markdown"
    units = ("characters", "words", "tokens")

    def overlap_units(self, unit: str) -> tuple[str, ...]:
        """Any unit."""
        return any_overlap(unit)

    def boundaries(
        self, analysis: Analysis, setup: Setup, measure: Measure, counter: TokenCounter
    ) -> Boundaries:
        """Four clean levels without the cuts that would part what belongs together."""
        del counter
        structure = analysis.structure
        headings = np.array([part.start for part in analysis.sections if part.level], np.int64)
        whole = _that_fit(analysis, structure.whole, setup, measure)

        def together(cuts: Integers) -> Integers:
            return _outside(without(cuts, structure.kept), whole)

        levels = (
            lambda: headings,
            lambda: merged(structure.blocks, analysis.paragraph_cuts),
            lambda: structure.pieces,
            lambda: analysis.sentences,
        )
        return Boundaries(
            clean=tuple(Level(lambda make=make: together(make())) for make in levels),  # type: ignore[misc]
            spare=tuple(Level(make) for make in levels),
            rough=fallback(analysis),
            fill=0.5,
        )


def _that_fit(analysis: Analysis, whole: Integers, setup: Setup, measure: Measure) -> Integers:
    """The outermost of the spans that fit the size. Shape `(n, 2)`, disjoint, ascending."""
    fitting: list[tuple[int, int]] = []
    reached = -1
    # Wider spans come first, so that an item that fits hides the items inside it.
    for start, end in sorted(whole.tolist(), key=lambda span: (span[0], -span[1])):
        if start < reached:
            continue
        visible_end = analysis.trimmed_end(end)
        if measure.size(start, visible_end) <= setup.size:
            fitting.append((start, visible_end))
            reached = visible_end
    return np.array(fitting, np.int64).reshape(-1, 2)


def _outside(cuts: Integers, whole: Integers) -> Integers:
    """The cuts that fall strictly inside none of the spans."""
    if not len(whole) or not len(cuts):
        return cuts
    span = np.searchsorted(whole[:, 0], cuts, side="left") - 1
    inside = (span >= 0) & (cuts < whole[np.maximum(span, 0), 1])
    return cuts[~inside]


MARKDOWN = Markdown()
