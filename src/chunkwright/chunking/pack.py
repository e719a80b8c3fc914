"""The packer: from boundaries and sizes to spans, the same for every strategy.

It alone knows limits, overlap, minimum size and progress. Starts and ends both ascend strictly,
so every run ends and no chunk holds another.

`steps.py` applies the same rule to many starts at once; what it leaves open is decided here, chunk
by chunk.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from chunkwright.chunking.boundaries import Boundaries, Level
from chunkwright.chunking.context import Context
from chunkwright.chunking.measure import Measure
from chunkwright.chunking.steps import Steps, steps
from chunkwright.spans import Integers, Spans, drop_contained
from chunkwright.text.analysis import Analysis


def windows(units: int, size: int, overlap: int) -> Spans:
    """Windows over `units` equal units: `[k(n-o), k(n-o)+n)` for `k < ceil((N-o)/(n-o))`.

    The formula of the seeds; the last window ends with the last unit, and none holds only
    overlap.

    >>> windows(512 + 448, 512, 64).pairs()
    [(0, 512), (448, 960)]
    """
    if units <= 0:
        return Spans.of([])
    step = size - overlap
    count = max(1, -(-(units - overlap) // step))
    starts = np.arange(count, dtype=np.int64) * step
    return Spans(starts, np.minimum(starts + size, units))


@dataclass(frozen=True, slots=True)
class Limits:
    """What the packer must keep to, on one text.

    Attributes:
        size: Most that a chunk may measure.
        measure: Measures chunks.
        overlap: Most that neighbours may share.
        overlap_measure: Measures overlaps.
        minimum: Least that a chunk should measure.
        minimum_measure: Measures for the minimum.
        strip: Whether white space at the ends is left out.
        prefix: What stands before a chunk, such as its contextual header; counted inside the size.
    """

    size: int
    measure: Measure
    overlap: int
    overlap_measure: Measure
    minimum: int
    minimum_measure: Measure
    strip: bool
    prefix: Context | None = None


def pack(analysis: Analysis, boundaries: Boundaries, limits: Limits) -> Spans:
    """Spans of the chunks of one text.

    >>> from chunkwright.model import Document
    >>> from chunkwright.chunking.measure import Characters
    >>> text = Analysis(Document("a.txt", "0123456789ABC"))
    >>> six = Limits(6, Characters(13), 2, Characters(13), 0, Characters(13), strip=True)
    >>> pack(text, Boundaries(), six).pairs()
    [(0, 6), (4, 10), (8, 13)]
    """
    if not len(analysis.runs.starts):
        return Spans.of([])
    if limits.prefix is None and not len(boundaries.walls):
        found = _equal_windows(analysis, boundaries, limits)
        if found is not None:
            return found
    edges = np.r_[analysis.start, boundaries.walls, len(analysis.text)].tolist()
    known = steps(analysis, boundaries, limits)
    packed: list[tuple[int, int]] = []
    for low, high in pairwise(edges):
        packer = _Packer(analysis, boundaries, limits, low, high)
        packed.extend(packer.run(known))
    return Spans.of(packed)


def _equal_windows(analysis: Analysis, boundaries: Boundaries, limits: Limits) -> Spans | None:
    """The windows of `fixed`, by arithmetic alone; None where they need the packer."""
    start, end = analysis.start, len(analysis.text)
    if boundaries.windows is not None:
        edges = np.r_[boundaries.windows, end] if len(boundaries.windows) else np.r_[start, end]
        edges[0] = start  # what comes before the first unit belongs to it
    elif boundaries.clean or boundaries.rough or len(analysis.forbidden):
        return None
    else:
        edges = None
    units = end - start if edges is None else len(edges) - 1
    own_unit = limits.minimum_measure is limits.measure
    if edges is not None and (np.diff(edges) == 0).any():
        # A longer last window might have to start inside a character: it stays as it is.
        spans = _uneven_windows(edges, limits.size, limits.overlap)
    else:
        spans = windows(units, limits.size, limits.overlap)
        if limits.minimum and own_unit:
            spans = _lengthened_tail(spans, limits)
    if edges is None:
        starts, ends = spans.starts + start, spans.ends + start
    else:
        starts, ends = edges[spans.starts], edges[spans.ends]
    visible = np.minimum(analysis.all_next_visible(starts), ends)
    if limits.strip:
        spans = drop_contained(visible, np.maximum(analysis.all_trimmed_ends(ends), visible))
    elif (visible == ends).any():
        return None  # white space alone is no chunk
    else:
        spans = drop_contained(starts, ends)
    if limits.minimum and not own_unit:
        pairs = spans.pairs()
        _Packer(analysis, boundaries, limits, start, end).mend_tail(pairs)
        spans = Spans.of(pairs)
    return spans


def _uneven_windows(edges: Integers, size: int, overlap: int) -> Spans:
    """Windows of at most `size` units, of which several may start at one place.

    Such units are parts of one character, and are not parted. Spans count units.

    >>> _uneven_windows(np.array([0, 1, 1, 2, 3]), 2, 1).pairs()
    [(0, 1), (1, 3), (3, 4)]
    """
    apart = np.flatnonzero(np.r_[True, np.diff(edges[:-1]) > 0])
    bounds = np.r_[apart, len(edges) - 1].astype(np.int64).data
    found: list[tuple[int, int]] = []
    at = 0
    while True:
        stop = max(at + 1, bisect_right(bounds, bounds[at] + size) - 1)
        found.append((bounds[at], bounds[stop]))
        if stop == len(bounds) - 1:
            return Spans.of(found)
        shared = bisect_left(bounds, bounds[stop] - overlap)
        at = min(max(at + 1, shared), stop)


def _lengthened_tail(spans: Spans, limits: Limits) -> Spans:
    """Give a last window under the minimum more of the one before it."""
    starts, ends = spans.starts.copy(), spans.ends.copy()
    if len(starts) > 1 and ends[-1] - starts[-1] < limits.minimum:
        starts[-1] = ends[-1] - limits.minimum
        if not limits.overlap:
            ends[-2] = starts[-1]
    return Spans(starts, ends)


class _Packer:
    """Packs the text between two walls, chunk by chunk."""

    def __init__(
        self, analysis: Analysis, boundaries: Boundaries, limits: Limits, low: int, high: int
    ) -> None:
        self.analysis = analysis
        self.limits = limits
        self.measure = limits.measure
        self.tiers = tuple(
            tier for tier in (boundaries.clean, *boundaries.spare, boundaries.rough) if tier
        )
        self.clean = boundaries.clean
        self.fill = boundaries.fill
        if limits.strip:
            self.start, self.stop = analysis.next_visible(low), analysis.trimmed_end(high)
        else:
            self.start, self.stop = low, high
        # Cuts lie before visible characters, so the last one is the end of all.
        self.last = high
        self._ends: dict[int, int] = {}

    def run(self, known: Steps) -> list[tuple[int, int]]:
        if self.start >= self.stop or self.analysis.text[self.start : self.stop].isspace():
            return []
        found: list[tuple[int, int]] = []
        start, after = self.start, self.start
        while True:
            following = -1
            if rows := known.chain(start, after):
                starts, ends = known.starts[rows].tolist(), known.ends[rows].tolist()
                found.extend(zip(starts, ends, strict=True))
                start, cut = int(known.starts[rows[-1]]), int(known.cuts[rows[-1]])
                after, following = cut, int(known.nexts[rows[-1]])
            else:
                cut = self._cut(start, after)
                if cut < 0:  # no room beyond the overlap: go on without it
                    start = after
                    cut = self._cut(start, after)
                found.append((start, self._end(cut)))
                after = self._begin(cut)
            if cut >= self.last or after >= self.stop:
                break
            start = following if following >= 0 else self._next_start(start, cut, after)
        if self.limits.minimum:
            self.mend_tail(found)
        return found

    def _begin(self, cut: int) -> int:
        return self.analysis.next_visible(cut) if self.limits.strip else cut

    def _end(self, cut: int) -> int:
        if cut >= self.last:
            return self.stop
        if not self.limits.strip:
            return cut
        # Each cut is asked for several times while a chunk is being made.
        known = self._ends.get(cut)
        if known is None:
            known = self._ends[cut] = self.analysis.trimmed_end(cut)
        return known

    def _prefix(self, start: int) -> str:
        return self.limits.prefix.at(start) if self.limits.prefix else ""

    def _fits(self, start: int, cut: int) -> bool:
        size = self.measure.size(start, self._end(cut), self._prefix(start))
        return size <= self.limits.size

    def _cut(self, start: int, after: int) -> int:
        """Where the chunk that starts at `start` ends: a cut beyond `after`, or -1."""
        limits = self.limits
        beyond = after if limits.strip else self._beyond_blank(start, after)
        room = limits.size
        if limits.prefix is not None:
            taken = self.measure.size(start, start, limits.prefix.at(start))
            room -= taken - self.measure.frame
        reach = self.measure.reach(start, room)
        if reach >= self.stop and self._fits(start, self.last):
            return self.last
        most = min(self._begin(min(reach, self.stop)), self.stop - 1)
        least = start + int((most - start) * self.fill)
        if limits.minimum:
            least = max(least, limits.minimum_measure.reach(start, limits.minimum) - 1)
        for tier in self.tiers:
            cut = self._best_ranked(tier, start, max(least, beyond), most)
            if cut < 0 and least > beyond:
                cut = self._last_of_any(tier, start, beyond, most)
            if cut >= 0:
                return cut
        cut = self._hard_cut(start, after, reach)
        return beyond + 1 if after < cut <= beyond else cut

    def _beyond_blank(self, start: int, after: int) -> int:
        """`after`, or the last place that leaves the chunk white space, if more of it fits."""
        visible = self.analysis.next_visible(start)
        if not after < visible < self.stop:
            return after
        first = self.analysis.clusters.up(visible + 1)
        return first - 1 if self._fits(start, first) else after

    def _best_ranked(self, tier: tuple[Level, ...], start: int, above: int, most: int) -> int:
        """The last cut in `(above, most]` of the best level that has one, or -1."""
        for level in tier:
            cut = self._last(level, start, above, most)
            if cut >= 0:
                return cut
        return -1

    def _last_of_any(self, tier: tuple[Level, ...], start: int, above: int, most: int) -> int:
        """The last cut in `(above, most]` of any level, or -1."""
        best = -1
        for level in tier:
            best = max(best, self._last(level, start, max(above, best), most))
        return best

    def _last(self, level: Level, start: int, above: int, most: int) -> int:
        """The last cut of a level in `(above, most]` at which the chunk fits, or -1."""
        cut = level.last(above, most)
        if self.measure.exact:
            return cut
        while cut >= 0 and not self._fits(start, cut):
            cut = level.last(above, cut - 1)
        return cut

    def _hard_cut(self, start: int, after: int, reach: int) -> int:
        """A cut between graphemes; where not one fits, after the first."""
        clusters = self.analysis.clusters
        cut = clusters.down(min(reach, self.last))
        while cut > after and not self._fits(start, cut):
            # Estimates are off by a token or so: close in on the exact count.
            size = self.measure.size(start, self._end(cut), self._prefix(start))
            over = max(1, size - self.limits.size)
            cut = clusters.down(min(cut - 1, self.measure.back(cut, over)))
        if cut <= after:
            cut = min(clusters.up(after + 1), self.last)
            if after > start and not self._fits(start, cut):
                return -1
        return cut if self.limits.strip else self._with_blank(start, after, cut)

    def _with_blank(self, start: int, after: int, cut: int) -> int:
        """A cut moved back by a grapheme, if kept white space behind it would stand alone."""
        visible = self.analysis.next_visible(cut)
        clusters = self.analysis.clusters
        if visible == cut or cut >= self.last:
            return cut
        visible = min(visible, self.last)
        if visible < self.last and self._fits(cut, clusters.up(visible + 1)):
            return cut
        last = clusters.down(self.analysis.trimmed_end(cut) - 1)
        if last <= after and after > start and self._fits(after, visible):
            return -1  # without the overlap there is room
        roomy = last > after and self.analysis.next_visible(start) < last
        return last if roomy and self._fits(last, visible) else cut

    def _next_start(self, start: int, cut: int, after: int) -> int:
        """Where the next chunk starts: at most the overlap before `cut`, and with room beyond."""
        limits = self.limits
        if not limits.overlap:
            return after
        end = self._end(cut)
        following = self._following(cut, after)
        if following >= 0:
            # The next sentence still fits whole.
            roomy = self.measure.back(self._end(following), limits.size)
        else:
            # What follows must be cut anyway: leave it half of the chunk.
            roomy = self.measure.back(cut, limits.size // 2)
        shared = max(limits.overlap_measure.back(end, limits.overlap), start + 1)
        least = max(shared, roomy)
        if least >= end:
            return after
        at = self._first_shared(self.clean, least, end, following)
        if at >= 0:
            return at
        if any(level.first(cut, cut + 1) == cut for level in self.clean):
            return after  # a whole sentence ends here: start the next one clean
        for tier in self.tiers[1:] if self.clean else self.tiers:
            at = self._first_shared(tier, least, end, following)
            if at >= 0:
                return at
        if not self._inside_word(cut):
            return after
        # Inside an unbroken run only an overlap of the size's own unit means anything: a word or
        # a sentence would be the whole run.
        if limits.overlap_measure is self.measure:
            return self._hard_start(shared, end, after)
        return self._hard_start(least, end, after)

    def _shares(self, at: int, end: int) -> bool:
        return self.limits.overlap_measure.size(at, end) <= self.limits.overlap

    def _first_shared(self, tier: tuple[Level, ...], least: int, end: int, following: int) -> int:
        """The first cut in `[least, end)` that a chunk can start its overlap at, or -1."""
        found = [self._first(level, least, end, following) for level in tier]
        return min((at for at in found if at >= 0), default=-1)

    def _first(self, level: Level, least: int, end: int, following: int) -> int:
        at = level.first(least, end)
        while at >= 0:
            if self._shares(at, end) and (following < 0 or self._fits(at, following)):
                return at
            at = level.first(at + 1, end)
        return -1

    def _inside_word(self, cut: int) -> bool:
        return not self.limits.strip or self._end(cut) == cut

    def _hard_start(self, least: int, end: int, after: int) -> int:
        clusters = self.analysis.clusters
        at = clusters.up(least)
        while at < end:
            start = self._begin(at)
            if start < end and self._shares(start, end):
                return start
            at = clusters.up(at + 1)
        return after

    def _following(self, cut: int, after: int) -> int:
        """The end of the next clean piece after `cut`, if it fits a chunk whole; or -1."""
        far = min(self.stop, self.measure.reach(cut, self.limits.size) + 1)
        beyond = [level.first(cut + 1, far) for level in self.clean]
        following = min((at for at in beyond if at >= 0), default=-1)
        if following < 0 and far >= self.stop:
            following = self.last
        return following if following >= 0 and self._fits(after, following) else -1

    def mend_tail(self, found: list[tuple[int, int]]) -> None:
        """Join a last chunk under the minimum to the one before, or give it more of that one."""
        limits, size = self.limits, self.limits.minimum_measure.size
        if len(found) < 2:
            return
        (first, _), (start, stop) = found[-2:]
        if size(start, stop) >= limits.minimum:
            return
        if self.measure.size(first, stop, self._prefix(first)) <= limits.size:
            found[-2:] = [(first, stop)]
            return
        target = limits.minimum_measure.back(stop, limits.minimum)
        anywhere = (Level(lambda: np.array([self._begin(self.analysis.clusters.down(target))])),)
        for tier in self.tiers or (anywhere,):
            for level in tier:
                at = level.last(first, target)
                if at < 0 or self.measure.size(at, stop, self._prefix(at)) > limits.size:
                    continue
                if limits.overlap:
                    found[-1] = (at, stop)
                elif size(first, self._end(at)) >= limits.minimum:
                    found[-2:] = [(first, self._end(at)), (at, stop)]
                else:
                    continue
                return
