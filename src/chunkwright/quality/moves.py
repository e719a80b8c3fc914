"""Repairs that move the ends of spans: to a sentence, out of code, to where a thought begins.

What two chunks share, if anything, stays shared; a cut that is moved is moved for both. No move
leaves the section or parent, goes over the size, loses a visible character or leaves a crumb.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from chunkwright.chunking.cut import Cut
from chunkwright.chunking.measure import measure, overlap_of
from chunkwright.quality.repair import Repair, with_spans, words_before
from chunkwright.quality.rule import rule
from chunkwright.quality.structure import fenced
from chunkwright.quality.view import View
from chunkwright.quality.warnings import SHORTEST
from chunkwright.spans import Integers
from chunkwright.text.analysis import Analysis

# For a cut at a position, where else it might lie, the best place first.
Candidates = Callable[[int], Iterator[int]]


class Moves:
    """The spans of a cut while their ends are being moved.

    Args:
        cut: The chunks.
        least: Fewest characters that a chunk may be left with.
    """

    def __init__(self, cut: Cut, least: int) -> None:
        self.cut = cut
        self.least = least
        self.before = words_before(cut)
        self.most, unit = overlap_of(cut.setup)
        self.overlap = measure(cut.analysis, unit, cut.counter)
        self.spans = [list(pair) for pair in cut.spans.pairs()]
        analysis = cut.analysis
        walls = [cut.walls, *([analysis.payload_walls] if cut.setup.strip else [])]
        self.walls = np.unique(np.concatenate(walls))
        self.sections = analysis.section_starts

    def move(self, candidates: Candidates) -> Cut:
        """Move every start for which there is a better place, until nothing changes.

        A start is only moved to a place that has no better one itself, so this ends.
        """
        changed = True
        while changed:
            changed = False
            for index in range(1, len(self.spans)):
                start = self.cut.analysis.next_visible(self.spans[index][0])
                for place in candidates(start):
                    if place != start and self._moved(index, start, place):
                        changed = True
                        break
        return self.cut_of()

    def shorten(self, places: Integers) -> None:
        """Let chunks that share text with the next one end at the last of some places before."""
        for index in range(len(self.spans) - 1):
            start, end = self.spans[index]
            following = self.spans[index + 1][0]
            before = self.spans[index - 1][1] if index else -1
            after = self.cut.analysis.next_visible(end)
            if end <= following or after in places[places.searchsorted(after) :][:1]:
                continue
            for place in _before(places, end):
                cut = self._trimmed(place)
                if place >= following and cut > max(before, start) and cut - start >= self.least:
                    self.spans[index][1] = cut

    def cut_of(self) -> Cut:
        """The cut with the spans as they are now."""
        return with_spans(self.cut, [(start, end) for start, end in self.spans])

    def _moved(self, index: int, start: int, place: int) -> bool:
        """Let a chunk start elsewhere, and the one before it end there, if that is allowed."""
        first, end = self.spans[index - 1]
        old, stop = self.spans[index]
        low, high = sorted((start, place))
        if _any_inside(self.sections, low + 1, high + 1):
            return False
        reach = (place, stop) if place < start else (first, place)
        if _any_inside(self.walls, reach[0] + 1, reach[1]):
            return False
        if index + 1 < len(self.spans) and place >= self.spans[index + 1][0]:
            return False  # chunks start one after the other
        shares = old < end
        if shares and place > end:
            return False  # no gap
        cut = end if shares else self._trimmed(place)
        before = self.spans[index - 2][1] if index > 1 else -1
        if cut <= before or place <= first or stop - place < min(self.least, stop - old):
            return False
        if cut < end and cut - first < self.least:
            return False
        # Measured last: by now the place is known to lie in one of the two chunks.
        if shares and not self._may_share(place, end):
            return False  # no more overlap than was asked for
        if not self._fits(place, stop) or (cut > end and not self._fits(first, cut)):
            return False
        self.spans[index - 1][1] = cut
        self.spans[index][0] = place
        return True

    def _trimmed(self, place: int) -> int:
        return self.cut.analysis.trimmed_end(place) if self.cut.setup.strip else place

    def _may_share(self, start: int, end: int) -> bool:
        return self.overlap.size(start, end) <= self.most

    def _fits(self, start: int, end: int) -> bool:
        made = self.cut
        return made.unit.size(start, end, self.before(start)) <= made.setup.size


def _before(positions: Integers, position: int) -> Iterator[int]:
    """The last of some positions before one, if there is any."""
    at = int(positions.searchsorted(position, side="left")) - 1
    if at >= 0:
        yield int(positions[at])


def _after(positions: Integers, position: int) -> Iterator[int]:
    """The first of some positions after one, if there is any."""
    at = int(positions.searchsorted(position, side="right"))
    if at < len(positions):
        yield int(positions[at])


def _shortest_move(positions: Integers, position: int) -> Iterator[int]:
    places = [*_before(positions, position), *_after(positions, position)]
    yield from sorted(places, key=lambda place: abs(place - position))


def move_to_sentence(cut: Cut) -> Cut:
    """Let a chunk that starts inside a sentence start with it, or with the next one."""
    if not len(cut):
        return cut
    sentences = cut.analysis.sentences

    def candidates(start: int) -> Iterator[int]:
        at = int(sentences.searchsorted(start))
        if at == len(sentences) or sentences[at] != start:
            yield from _shortest_move(sentences, start)

    while True:
        moves = Moves(cut, SHORTEST)
        moves.move(candidates)
        moves.shorten(sentences)
        moved = moves.cut_of()
        if moved is cut:
            return cut
        cut = moved  # a chunk that ends sooner may leave room for a start


MOVE_TO_SENTENCE = Repair(
    name="move_to_sentence",
    summary="moves a cut inside a sentence to its start or its end",
    mends=("C102", "C103"),
    apply=move_to_sentence,
    safe=True,
    default=True,
)


def keep_code_whole(cut: Cut) -> Cut:
    """Move a cut inside a fenced block of code to where the block starts or ends."""
    if not len(cut):
        return cut
    fences = fenced(View(cut))
    stops = cut.analysis.all_next_visible(cut.analysis.all_trimmed_ends(fences[:, 1]))

    def candidates(start: int) -> Iterator[int]:
        at = int(fences[:, 0].searchsorted(start, side="left")) - 1
        if at >= 0 and start < stops[at]:
            yield int(fences[at, 0])
            yield int(stops[at])

    return Moves(cut, SHORTEST).move(candidates) if len(fences) else cut


KEEP_CODE_WHOLE = Repair(
    name="keep_code_whole",
    summary="moves a cut inside a block of code to where the block starts or ends",
    mends=("S202",),
    apply=keep_code_whole,
    safe=True,
    default=True,
)


def keep_with_previous(cut: Cut) -> Cut:
    """Give a chunk that leans on the sentence before it that sentence, too."""
    sentences = cut.analysis.sentences
    leaning = [rule(code) for code in KEEP_WITH_PREVIOUS.mends]
    while len(cut):
        view = View(cut)
        chunks = [each.hits([view], {})[0].chunks for each in leaning]
        starts = set(view.starts[np.concatenate(chunks)].tolist())

        def candidates(start: int, starts: set[int] = starts) -> Iterator[int]:
            if start in starts:
                yield from _before(sentences, start)

        moved = Moves(cut, SHORTEST).move(candidates)
        if moved is cut:
            break
        cut = moved  # the sentence before may lean on its own
    return cut


KEEP_WITH_PREVIOUS = Repair(
    name="keep_with_previous",
    summary="lets a chunk that leans on the sentence before it start with that sentence",
    mends=("C104", "C105"),
    apply=keep_with_previous,
    safe=True,
    default=True,
)


def leave_out_front_matter(cut: Cut) -> Cut:
    """Let chunks start after the front matter, which is metadata."""
    begin = cut.analysis.start
    spans = cut.spans
    if not begin or not len(cut) or int(spans.starts[0]) >= begin:
        return cut
    first = cut.analysis.next_visible(begin)
    pairs = [(max(start, first), end) for start, end in spans.pairs() if end > first]
    return with_spans(cut, pairs)


LEAVE_OUT_FRONT_MATTER = Repair(
    name="leave_out_front_matter",
    summary="lets chunks start after a page's metadata",
    mends=("S204",),
    apply=leave_out_front_matter,
    safe=True,
    default=True,
)


def merge_orphans(result: Cut) -> Cut:
    """Merge a very short chunk into the one before it, or after it, of the same section.

    Only where the two together keep to the size.
    """
    analysis, setup = result.analysis, result.setup
    blank = [analysis.text[start:end].isspace() for start, end in result.spans.pairs()]
    if setup.strip and any(blank):  # what another tool may have made
        pairs = zip(result.spans.pairs(), blank, strict=True)
        return merge_orphans(with_spans(result, [span for span, gone in pairs if not gone]))

    before = words_before(result)

    def joins(first: tuple[int, int], second: tuple[int, int]) -> bool:
        if analysis.section_at(first[0]).start != analysis.section_at(second[0]).start:
            return False
        low, high = first[0], max(first[1], second[1])
        if setup.strip and _any_inside(analysis.payload_walls, first[1], high):
            return False
        if np.searchsorted(result.walls, low, "right") != np.searchsorted(result.walls, high):
            return False
        return result.unit.size(low, high, before(low)) <= setup.size

    # A joined pair may count fewer tokens than its parts, and so have room for more: go on until
    # nothing changes.
    spans = result.spans.pairs()
    while True:
        merged: list[tuple[int, int]] = []
        for span in spans:
            previous = merged[-1] if merged else None
            short = _is_short(analysis, span)
            if previous and (short or _is_short(analysis, previous)) and joins(previous, span):
                # Chunks of other tools may lie in each other.
                merged[-1] = (previous[0], max(previous[1], span[1]))
            else:
                merged.append(span)
        if len(merged) == len(spans):
            break
        spans = merged
    return with_spans(result, merged)


MERGE_ORPHANS = Repair(
    name="merge_orphans",
    summary="merges a very short chunk into its neighbour of the same section",
    mends=("C101",),
    apply=merge_orphans,
    safe=True,
    default=True,
)


def _is_short(analysis: Analysis, span: tuple[int, int]) -> bool:
    return len(analysis.text[span[0] : span[1]].strip()) < SHORTEST


def _any_inside(positions: Integers, low: int, high: int) -> bool:
    return bool(np.searchsorted(positions, low) < np.searchsorted(positions, high))
