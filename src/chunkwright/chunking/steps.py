"""Steps: where chunks end and the next ones start, for all likely starts of a text at once.

What the packer does chunk by chunk, done in arrays: the same rule, which `pack.py` words in full.
A setup then costs a few passes over the cuts of a text. Where only a cut between graphemes is
left, the packer goes on alone.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from chunkwright.chunking.boundaries import Boundaries, Level
from chunkwright.chunking.measure import Scale, in_arrays
from chunkwright.spans import Integers, merged, without
from chunkwright.text.analysis import Analysis
from chunkwright.text.marks import Marks

if TYPE_CHECKING:
    from chunkwright.chunking.pack import Limits

# Fewer chunks are packed sooner one by one.
_FEW = 32
# What the starts lead to is found round by round, until that is little.
_ROUNDS, _FEW_STARTS, _SHARE = 32, 64, 64
_REACHED = 32
_LOW = (1 << _REACHED) - 1


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps from some starts, in order of their keys.

    Attributes:
        keys: The key of a step is its start; and where the chunk before reaches so far that the
            chunk must end elsewhere, what is reached stands in the bits above.
        starts: Where each chunk starts.
        cuts: Where it is cut.
        ends: Where it ends.
        nexts: Where the next one starts; -1 is unknown.
        links: Which step comes next; -1 is unknown.
    """

    keys: memoryview[int]
    starts: Integers
    cuts: Integers
    ends: Integers
    nexts: Integers
    links: list[int]

    @classmethod
    def of(cls, keys: Integers, cuts: Integers, ends: Integers, nexts: Integers) -> Steps:
        """The steps, linked to each other."""
        order = np.argsort(keys, kind="stable")
        keys, cuts, ends, nexts = keys[order], cuts[order], ends[order], nexts[order]
        links = np.full(len(keys), -1)
        if len(keys):
            for wanted in (cuts << _REACHED | nexts, nexts):
                at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
                found = (keys[at] == wanted) & (cuts[at] > cuts) & (nexts >= 0)
                links[found] = at[found]
        return cls(keys.data, keys & _LOW, cuts, ends, nexts, links.tolist())

    def chain(self, start: int, after: int) -> list[int]:
        """Numbers of the steps from `start` on, of which the first ends beyond `after`."""
        found: list[int] = []
        for key in (start, after << _REACHED | start):
            row = bisect_left(self.keys, key)
            if row < len(self.keys) and self.keys[row] == key and self.cuts[row] > after:
                while row >= 0:
                    found.append(row)
                    row = self.links[row]
                break
        return found


_NONE = np.empty(0, np.int64)
_NO_STEPS = Steps.of(*(_NONE,) * 4)


def steps(analysis: Analysis, boundaries: Boundaries, limits: Limits) -> Steps:
    """The steps from every clean cut of a text, and from wherever those lead.

    There are none where arrays cannot tell, as of white space that is kept or by a counter that
    only counts; and none where a few chunks are not worth them.
    """
    measures = (limits.measure, limits.overlap_measure, limits.minimum_measure)
    scales = [Scale(found, analysis.marks) for one in measures if (found := in_arrays(one))]
    if not limits.strip or len(scales) < len(measures):
        return _NO_STEPS
    chunks = limits.measure.size(analysis.start, len(analysis.text)) // limits.size
    clean = merged(*(level.cuts for level in boundaries.clean)) if chunks >= _FEW else _NONE
    if not len(clean):
        return _NO_STEPS
    return _Stepper(analysis, boundaries, limits, scales, clean).run()


class _Cuts:
    """Cuts of one level and their rows."""

    def __init__(self, marks: Marks, level: Level, *, known: bool) -> None:
        self._marks = marks
        self._level = level
        # Words are many, and few of them are asked for.
        self._known = known

    @property
    def positions(self) -> Integers:
        return self._level.cuts

    @cached_property
    def _rows(self) -> Integers:
        return self._marks.rows(self.positions)

    def rows(self, at: Integers) -> Integers:
        """The rows of some of the cuts."""
        return self._rows[at] if self._known else self._marks.rows(self.positions[at])


class _Stepper:
    """The packer's rule for many starts. Starts and cuts are rows of the text's marks."""

    def __init__(
        self,
        analysis: Analysis,
        boundaries: Boundaries,
        limits: Limits,
        scales: list[Scale],
        clean: Integers,
    ) -> None:
        self.analysis, self.marks = analysis, analysis.marks
        self.limits, self.fill = limits, boundaries.fill
        self.measure, self.overlap, self.minimum = scales
        self.clean = _Cuts(self.marks, Level(lambda: clean), known=True)
        tiers = [(tier, True) for tier in (boundaries.clean, *boundaries.spare)]
        self.tiers = [
            [_Cuts(self.marks, level, known=known) for level in tier]
            for tier, known in (*tiers, (boundaries.rough, False))
            if tier
        ]
        edges = np.r_[analysis.start, boundaries.walls, len(analysis.text)]
        self.walls = boundaries.walls
        self.lasts = self.marks.rows(edges[1:])
        firsts = analysis.all_next_visible(edges[:-1])
        self.firsts = firsts[firsts < self.marks.ends[self.lasts]]
        # By row, as far as it was asked for.
        self._rooms = np.empty(0, np.int64)

    def run(self) -> Steps:
        """All steps that are found."""
        keys = merged(self.firsts, self.clean.positions)
        new = reached = self.marks.rows(keys)
        done = np.empty(0, np.int64)
        few = max(_FEW_STARTS, len(keys) // _SHARE)
        found: list[tuple[Integers, Integers, Integers, Integers]] = []
        # By the row of a start: where its chunk is cut if nothing is reached before; -2 not yet.
        known = np.full(0, -2)
        waiting = np.empty((0, 2), np.int64)
        for _ in range(_ROUNDS):
            cuts = self.cut(new, reached)
            nexts = self.next(new, cuts)
            found.append((keys, new, cuts, nexts))
            known = np.concatenate([known, np.full(len(self.marks) - len(known), -2)])
            positions = self.marks.positions
            alone = new == reached
            known[new[alone]] = np.where(cuts[alone] < 0, -1, positions[cuts[alone]])
            led = np.flatnonzero(nexts >= 0)
            pairs = np.concatenate([waiting, np.stack([nexts[led], cuts[led]], axis=1)])
            state = known[pairs[:, 0]]
            pairs, state = pairs[state != -1], state[state != -1]
            waiting = pairs[state == -2]
            fresh = merged(waiting[:, 0])
            stuck = pairs[(state >= 0) & (state <= positions[pairs[:, 1]])]
            stuck = without(merged(stuck[:, 1] << _REACHED | stuck[:, 0]), done)
            if len(fresh) + len(stuck) < few:
                break
            done = merged(done, stuck)
            starts, afters = stuck & _LOW, stuck >> _REACHED
            new, reached = np.concatenate([fresh, starts]), np.concatenate([fresh, afters])
            beyond = np.concatenate([np.zeros_like(fresh), positions[afters]])
            keys = beyond << _REACHED | positions[new]
        keys, _, cuts, nexts = (np.concatenate(part) for part in zip(*found, strict=True))
        sure = cuts >= 0
        keys, cuts, nexts = keys[sure], cuts[sure], nexts[sure]
        positions, ends = self.marks.positions, self.marks.ends
        nexts = np.where(nexts >= 0, positions[nexts], -1)
        return Steps.of(keys, positions[cuts], ends[cuts], nexts)

    def _room(self, starts: Integers) -> Integers:
        """What is left of the size behind the prefix of each start."""
        prefix = self.limits.prefix
        if prefix is None:
            return np.broadcast_to(self.limits.size, len(starts))
        unknown = np.full(len(self.marks) - len(self._rooms), -1)
        self._rooms = np.concatenate([self._rooms, unknown])
        new = starts[self._rooms[starts] < 0]
        size, at = self.limits.measure.size, int(self.firsts[0])
        taken = prefix.sizes(self.marks.positions[new], lambda text: size(at, at, text))
        self._rooms[new] = np.maximum(0, self.limits.size - taken)
        return self._rooms[starts]

    def _lasts(self, starts: Integers) -> Integers:
        """The end of all for each start: the next wall."""
        if not len(self.walls):
            return np.broadcast_to(self.lasts, len(starts))
        at = np.searchsorted(self.walls, self.marks.positions[starts], side="right")
        return self.lasts[at]

    def cut(self, starts: Integers, reached: Integers) -> Integers:
        """`_cut` of each start, beyond what is reached before; -1 is unknown."""
        limits, lasts = self.limits, self._lasts(starts)
        begins, stops = self.marks.positions[starts], self.marks.ends[lasts]
        room = amount = self._room(starts)
        if limits.prefix is not None:
            amount = room - self.measure.parts(starts)
        reach = self.measure.reaches(starts, amount)
        cuts = np.full(len(starts), -1)
        whole = np.flatnonzero((reach >= stops) & (amount > 0))
        whole = whole[self.measure.sizes(starts[whole], lasts[whole]) <= room[whole]]
        cuts[whole] = lasts[whole]
        rows = np.flatnonzero((cuts < 0) & (amount > 0))
        reach, begins, stops = reach[rows], begins[rows], stops[rows]
        most = np.minimum(self.analysis.all_next_visible(np.minimum(reach, stops)), stops - 1)
        beyond = self.marks.positions[reached[rows]]
        least = begins
        if self.fill:
            least = begins + ((most - begins) * self.fill).astype(np.int64)
        if limits.minimum:
            least = np.maximum(least, self.minimum.reaches(starts[rows], limits.minimum) - 1)
        bounds = [np.maximum(least, beyond), beyond]
        for tier in self.tiers:
            for best in (False, True):
                if best and least is begins:
                    continue
                highest = np.full(len(rows), -1)
                above = bounds[best].copy()
                for level in tier:
                    open_ = np.arange(len(rows)) if best else np.flatnonzero(highest < 0)
                    found = self._last(
                        level, starts[rows[open_]], above[open_], most[open_], room[rows[open_]]
                    )
                    some = found >= 0
                    highest[open_[some]] = found[some]
                    above[open_[some]] = self.marks.positions[found[some]]
                cuts[rows] = highest
                left = highest < 0
                rows, most = rows[left], most[left]
                bounds = [bound[left] for bound in bounds]
            if not len(rows):
                break
        return cuts

    def _last(
        self, level: _Cuts, starts: Integers, above: Integers, most: Integers, room: Integers
    ) -> Integers:
        """The last cut in each `(above, most]` at which the chunk fits, or -1."""
        found = np.full(len(starts), -1)
        at = np.searchsorted(level.positions, most, side="right") - 1
        open_ = np.arange(len(starts))
        while True:
            open_ = open_[at[open_] >= 0]
            open_ = open_[level.positions[at[open_]] > above[open_]]
            if not len(open_):
                return found
            cuts = level.rows(at[open_])
            if self.limits.measure.exact:
                found[open_] = cuts
                return found
            fits = self.measure.sizes(starts[open_], cuts) <= room[open_]
            found[open_[fits]] = cuts[fits]
            open_ = open_[~fits]
            at[open_] -= 1

    def next(self, starts: Integers, cuts: Integers) -> Integers:
        """`_next_start` of each start and its cut; -1 is unknown, or there is none."""
        limits, lasts = self.limits, self._lasts(starts)
        nexts = np.where(cuts == lasts, -1, cuts)
        if not limits.overlap:
            return nexts
        rows = np.flatnonzero(nexts >= 0)
        cuts, lasts = nexts[rows], lasts[rows]
        ends = self.marks.ends[cuts]
        following = self._following(cuts, lasts)
        roomy = self.measure.backs(following, limits.size)
        cut_anyway = np.flatnonzero(following < 0)
        after = self.marks.positions[cuts]
        roomy[cut_anyway] = self.measure.backs_from(after[cut_anyway], limits.size // 2)
        shared = self.overlap.backs(cuts, limits.overlap)
        least = np.maximum(shared, self.marks.positions[starts[rows]] + 1)
        least = np.maximum(least, roomy)
        open_ = np.flatnonzero(least < ends)
        for tier in ([self.clean], *self.tiers[1:]):
            found = self._first(tier, least[open_], cuts[open_], following[open_])
            nexts[rows[open_]] = np.where(found >= 0, found, cuts[open_])
            open_ = open_[found < 0]
            if tier[0] is self.clean:  # where a whole sentence ends, the next one starts clean
                open_ = open_[~self._is_clean(after[open_])]
            if not len(open_):
                return nexts
        inside_word = ends[open_] == after[open_]
        nexts[rows[open_[inside_word]]] = -1
        return nexts

    def _is_clean(self, positions: Integers) -> Integers:
        clean = self.clean.positions
        at = np.minimum(np.searchsorted(clean, positions), len(clean) - 1)
        return clean[at] == positions

    def _following(self, cuts: Integers, lasts: Integers) -> Integers:
        """`_following` of each cut, or -1."""
        clean, stops = self.clean.positions, self.marks.ends[lasts]
        far = np.minimum(stops, self.measure.reaches(cuts, self.limits.size) + 1)
        at = np.searchsorted(clean, self.marks.positions[cuts], side="right")
        near = np.minimum(at, len(clean) - 1)
        inside = (at < len(clean)) & (clean[near] < far)
        following = np.where(far >= stops, lasts, -1)
        following[inside] = self.clean.rows(near[inside])
        rows = np.flatnonzero(following >= 0)
        fits = self.measure.sizes(cuts[rows], following[rows]) <= self._room(cuts[rows])
        following[rows[~fits]] = -1
        return following

    def _first(
        self, tier: list[_Cuts], least: Integers, cuts: Integers, following: Integers
    ) -> Integers:
        """`_first_shared` of each cut: the first start in `[least, end)`, or -1."""
        best = np.full(len(least), -1)
        below = self.marks.ends[cuts].copy()
        for level in tier:
            at = np.searchsorted(level.positions, least, side="left")
            open_ = np.arange(len(least))
            while True:
                open_ = open_[at[open_] < len(level.positions)]
                open_ = open_[level.positions[at[open_]] < below[open_]]
                if not len(open_):
                    break
                found = level.rows(at[open_])
                fits = self.overlap.sizes(found, cuts[open_]) <= self.limits.overlap
                whole = np.flatnonzero(fits & (following[open_] >= 0))
                sizes = self.measure.sizes(found[whole], following[open_[whole]])
                fits[whole] = sizes <= self._room(found[whole])
                best[open_[fits]] = found[fits]
                below[open_[fits]] = level.positions[at[open_[fits]]]
                open_ = open_[~fits]
                at[open_] += 1
        return best
