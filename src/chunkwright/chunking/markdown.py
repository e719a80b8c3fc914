"""`markdown`: at blocks; code, table rows and list items stay whole while they fit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from chunkwright.chunking.boundaries import Boundaries, Level, Strategy, fallback
from chunkwright.chunking.measure import Measure
from chunkwright.setup import Setup
from chunkwright.spans import Integers, merged, outside, without
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import TokenCounter


def boundaries(
    analysis: Analysis, setup: Setup, measure: Measure, _counter: TokenCounter
) -> Boundaries:
    """Headings, then blocks, items and rows, sentences, clauses, words.

    Cuts that would part what belongs together are used only where nothing else fits.
    """
    structure = analysis.structure
    headings = np.array([part.start for part in analysis.sections if part.level], np.int64)
    whole = _that_fit(analysis, structure.whole, setup, measure)

    def unparted(cuts: Integers) -> Integers:
        return outside(cuts, whole)

    def together(cuts: Integers) -> Integers:
        return unparted(without(cuts, structure.kept))

    levels: tuple[Callable[[], Integers], ...] = (
        lambda: headings,
        lambda: merged(structure.blocks, analysis.paragraph_cuts),
        lambda: structure.pieces,
        lambda: analysis.sentences,
    )
    return Boundaries(
        clean=tuple(Level(partial(_made, make, together)) for make in levels),
        spare=(
            tuple(Level(partial(_made, make, unparted)) for make in levels),
            tuple(Level(make) for make in levels),
        ),
        rough=fallback(analysis),
        fill=0.5,
    )


def _made(make: Callable[[], Integers], keep: Callable[[Integers], Integers]) -> Integers:
    return keep(make())


def _that_fit(analysis: Analysis, whole: Integers, setup: Setup, measure: Measure) -> Integers:
    """The outermost of the spans that fit the size. Shape `(n, 2)`, disjoint, ascending."""
    fitting: list[tuple[int, int]] = []
    reached = -1
    # Wider spans come first, so that an item that fits hides the items inside it.
    order = np.lexsort((-whole[:, 1], whole[:, 0]))
    for start, end in zip(whole[order, 0].data, whole[order, 1].data, strict=True):
        if start < reached:
            continue
        visible_end = analysis.trimmed_end(end)
        if measure.size(start, visible_end) <= setup.size:
            fitting.append((start, visible_end))
            reached = visible_end
    return np.array(fitting, np.int64).reshape(-1, 2)


MARKDOWN = Strategy("markdown", ("characters", "words", "tokens"), boundaries)
