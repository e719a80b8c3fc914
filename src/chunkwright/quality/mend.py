"""Mending: repairs done one after another, and undone wherever they would bring a new finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from chunkwright.chunking.cut import Cut, Lead
from chunkwright.quality.repair import Repair
from chunkwright.quality.settings import Settings
from chunkwright.quality.view import View
from chunkwright.spans import Span, Spans

# By code, which chunk each finding is on, and where it starts.
_Found = Mapping[str, Sequence[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one chunk, or of several that are one now.

    Attributes:
        repairs: Names of the repairs that did it.
        index: Which chunk it is now; None if it was taken away.
        chunks: Which it was.
        before: Their spans.
        after: The span now, or None.
        embed_before: Its embed_text before, where words were added; empty elsewhere.
        embed_after: Its embed_text with them.
    """

    repairs: tuple[str, ...]
    index: int | None
    chunks: tuple[int, ...]
    before: tuple[Span, ...]
    after: Span | None
    embed_before: str = ""
    embed_after: str = ""


@dataclass(frozen=True, slots=True)
class Mended:
    """The chunks of one document after repairs.

    Attributes:
        cut: The chunks.
        changes: What was changed, in the order of the chunks; those taken away come last.
        refused: How many changes of a repair were left out because a rule, by its code, would
            find more than before.
        origins: Which chunks each one was.
    """

    cut: Cut
    changes: tuple[Change, ...] = ()
    refused: Mapping[tuple[str, str], int] = field(default_factory=dict)
    origins: tuple[tuple[int, ...], ...] = ()


def mend(cut: Cut, repairs: Sequence[Repair], settings: Settings | None = None) -> Mended:
    """Mend the chunks of one document; what a rule did not find before, it does not find after.

    After each repair the rules look again, those that need all documents at once excepted. Where
    one of them finds more than before, the changes nearest to what is new are undone, until none
    does; what then mends nothing is left out, too. All is repeated until nothing changes, so
    that mending once more changes nothing.

    Args:
        cut: The chunks.
        repairs: The repairs, in their order.
        settings: Which rules, and how strict.

    >>> from chunkwright.chunking.cut import cut as cut_by
    >>> from chunkwright.model import Document
    >>> from chunkwright.quality.repair import repair_of
    >>> from chunkwright.setup import Setup
    >>> from chunkwright.text.analysis import Analysis
    >>> text = "The lamp blinks blue as it pairs. Plus costs $3.99 a month for all of you."
    >>> made = cut_by(Analysis(Document("a.txt", text)), Setup.parse("fixed:45c"))
    >>> done = mend(made, [repair_of("move_to_sentence")])
    >>> made.spans.pairs(), done.cut.spans.pairs()
    ([(0, 44), (45, 74)], [(0, 33), (34, 74)])
    """
    looks = _Looks(cut.analysis.document.id, settings or Settings())
    state = _State(cut, [(index,) for index in range(len(cut))], [()] * len(cut), ())
    while True:
        refused: Counter[tuple[str, str]] = Counter()
        before = state.cut
        for repair in repairs:
            state = _step(state, repair, looks, refused)
        if state.cut is before:
            break
    origins = tuple(state.origins)
    return Mended(state.cut, _changes(cut, state), dict(refused), origins)


class _State(NamedTuple):
    """Where mending stands: for each chunk which ones it was, and the repairs that changed it."""

    cut: Cut
    origins: list[tuple[int, ...]]
    names: list[tuple[str, ...]]
    dropped: tuple[tuple[int, tuple[str, ...]], ...]


class _Looks:
    """The rules that look at one document."""

    def __init__(self, document_id: str, settings: Settings) -> None:
        self._rules = [
            (rule, settings.limits(rule))
            for rule in settings.chosen(document_id)
            if rule.find is not None
        ]
        self._last: tuple[Cut, _Found] | None = None

    def found(self, cut: Cut) -> _Found:
        """What they find; the last answer is kept."""
        if self._last is None or self._last[0] is not cut:
            view = View(cut)
            found = {}
            for rule, limits in self._rules:
                (hits,) = rule.hits([view], limits)
                places = zip(hits.chunks.tolist(), hits.starts.tolist(), strict=True)
                found[rule.code] = list(places)
            self._last = cut, found
        return self._last[1]


def _step(
    state: _State, repair: Repair, looks: _Looks, refused: Counter[tuple[str, str]]
) -> _State:
    """Do one repair, as far as it brings nothing new and mends something."""
    old = state.cut
    parts = _parts(old, repair.apply(old))
    if not parts.units:
        return state
    known = looks.found(old)
    kept = parts.units
    if isinstance(parts, _Runs) and parts.only_words:  # each run is one chunk
        kept &= {chunk for code in repair.mends for chunk, _ in known.get(code, ())}
    while kept:
        kept, made = parts.made(kept)
        if not kept:
            break
        found = looks.found(made.cut)
        grown = [code for code in found if len(found[code]) > len(known[code])]
        if not grown:
            mends = sum(map(len, found.values())) < sum(map(len, known.values()))
            return _adopted(state, repair, made) if mends else state
        undone: set[int] = set()
        for code in grown:
            blamed = _at_new_ones(made, known[code], found[code]) & kept - undone
            if blamed:
                refused[repair.name, code] += len(blamed)
            undone |= blamed
        if not undone:  # what is new is about the document as a whole
            refused[repair.name, grown[0]] += len(kept)
            break
        kept -= undone
    return state


def _at_new_ones(
    made: _Made, known: Sequence[tuple[int, int]], found: Sequence[tuple[int, int]]
) -> set[int]:
    """The changes nearest to findings that were not there before."""
    starts = Counter(start for _, start in known)
    near: set[int] = set()
    for chunk, start in found:
        starts[start] -= 1
        if starts[start] < 0:
            near |= set(made.owners[chunk])
    return near


class _Made(NamedTuple):
    """Chunks of which some changes were left out.

    Attributes:
        cut: The chunks.
        owners: For each chunk, the changes that may have touched it.
        heirs: For each chunk, which old ones it comes from.
        dropped: Old chunks that none comes from.
    """

    cut: Cut
    owners: Sequence[tuple[int, ...]]
    heirs: Sequence[tuple[int, ...]]
    dropped: Sequence[int] = ()


def _parts(old: Cut, new: Cut) -> _Edges | _Runs:
    """What a repair changed, in parts that can be undone alone."""
    moved = new.spans.pairs() != old.spans.pairs()
    return _Edges(old, new) if moved and len(old) == len(new) else _Runs(old, new)


class _Edges:
    """Moved edges of as many chunks as before; edge `n` lies between chunk `n - 1` and `n`."""

    def __init__(self, old: Cut, new: Cut) -> None:
        self.old, self.new = old, new
        moved = np.zeros(len(old) + 1, np.bool_)
        moved[:-1] |= old.spans.starts != new.spans.starts
        moved[1:] |= old.spans.ends != new.spans.ends
        self.units = frozenset(np.flatnonzero(moved).tolist())
        self._fitting: dict[tuple[int, int], bool] = dict.fromkeys(old.spans.pairs(), True)
        self._fitting |= dict.fromkeys(new.spans.pairs(), True)

    def made(self, kept: frozenset[int]) -> tuple[frozenset[int], _Made]:
        """The chunks with some of the edges moved, and which: others may fit only with those."""
        old, new = self.old.spans, self.new.spans
        while True:
            moved = np.zeros(len(self.old) + 1, np.bool_)
            moved[list(kept)] = True
            starts = np.where(moved[:-1], new.starts, old.starts)
            ends = np.where(moved[1:], new.ends, old.ends)
            wrong = self._wrong(starts.tolist(), ends.tolist()) & kept
            if not wrong:
                break
            kept -= wrong
        cut = replace(self.old, spans=Spans(starts, ends), leads={}) if kept else self.old
        chunks = range(len(self.old))
        return kept, _Made(cut, [(n, n + 1) for n in chunks], [(n,) for n in chunks])

    def _wrong(self, starts: list[int], ends: list[int]) -> frozenset[int]:
        """Edges of chunks that are too large now, or out of order."""
        wrong: set[int] = set()
        for index, pair in enumerate(zip(starts, ends, strict=True)):
            if not self._fits(pair):
                wrong |= {index, index + 1}
            if index and not (starts[index - 1] < pair[0] and ends[index - 1] < pair[1]):
                wrong |= {index - 1, index, index + 1}
        return frozenset(wrong)

    def _fits(self, pair: tuple[int, int]) -> bool:
        if pair not in self._fitting:
            cut, (start, end) = self.old, pair
            fits = start < end and cut.unit.size(start, end, cut.context.at(start)) <= (
                cut.setup.size
            )
            self._fitting[pair] = fits
        return self._fitting[pair]


class _Runs:
    """Changed runs of chunks, between places where old and new chunks part alike."""

    def __init__(self, old: Cut, new: Cut) -> None:
        self.old, self.new = old, new
        self._runs = _aligned(old.spans, new.spans)
        self.units = frozenset(n for n, run in enumerate(self._runs) if self._differs(*run))
        self.only_words = old.spans.pairs() == new.spans.pairs()

    def _differs(self, low: int, high: int, first: int, last: int) -> bool:
        return _rows(self.old, low, high) != _rows(self.new, first, last)

    def made(self, kept: frozenset[int]) -> tuple[frozenset[int], _Made]:
        """The chunks with some of the runs as they are new, and which."""
        rows: list[tuple[int, int, Lead | None]] = []
        owners: list[int] = []
        heirs: list[tuple[int, ...]] = []
        dropped: list[int] = []
        for number, (low, high, first, last) in enumerate(self._runs):
            if number in kept:
                part = _rows(self.new, first, last)
                own, gone = _heirs(_rows(self.old, low, high), part, low)
                dropped += gone
            else:
                part = _rows(self.old, low, high)
                own = [(index,) for index in range(low, high)]
            rows += part
            heirs += own
            owners += [number] * len(part)
        near = [
            tuple(dict.fromkeys(owners[max(0, at - 1) : at + 2])) if own not in kept else (own,)
            for at, own in enumerate(owners)
        ]
        spans = Spans.of([(start, end) for start, end, _ in rows])
        leads = {at: lead for at, (_, _, lead) in enumerate(rows) if lead is not None}
        cut = replace(self.old, spans=spans, leads=leads)
        return kept, _Made(cut, near, heirs, dropped)


def _rows(cut: Cut, first: int, last: int) -> list[tuple[int, int, Lead | None]]:
    starts, ends = cut.spans.starts[first:last].tolist(), cut.spans.ends[first:last].tolist()
    leads = [cut.leads.get(index) for index in range(first, last)]
    return list(zip(starts, ends, leads, strict=True))


def _aligned(old: Spans, new: Spans) -> list[tuple[int, int, int, int]]:
    """Runs of old and of new chunks, parted wherever both have one end and the next start."""
    parted = [
        list(zip(each.starts[1:].tolist(), each.ends[:-1].tolist(), strict=True))
        for each in (old, new)
    ]
    runs = []
    low = first = here = there = 0
    while here < len(parted[0]) and there < len(parted[1]):
        one, other = parted[0][here], parted[1][there]
        here += one <= other
        there += other <= one
        if one == other:
            runs.append((low, here, first, there))
            low, first = here, there
    runs.append((low, len(old.starts), first, len(new.starts)))
    return runs


def _heirs(
    old: Sequence[tuple[int, int, Lead | None]],
    new: Sequence[tuple[int, int, Lead | None]],
    low: int,
) -> tuple[list[tuple[int, ...]], list[int]]:
    """For each new chunk of a run the old ones that mostly became it, and those that are gone."""
    heirs: list[list[int]] = [[] for _ in new]
    dropped = []
    for index, (start, end, _) in enumerate(old, low):
        # Where several have as much of it, as they lie in each other, the shortest one.
        common = [(min(end, stop) - max(start, begin), begin - stop) for begin, stop, _ in new]
        most = max(common, default=(0, 0))
        if most[0] > 0:
            heirs[common.index(most)].append(index)
        else:
            dropped.append(index)
    for own, (start, end, _) in zip(heirs, new, strict=True):
        if not own and old:  # a part of one that mostly became another
            held = [min(end, stop) - max(start, begin) for begin, stop, _ in old]
            own.append(low + held.index(max(held)))
    return [tuple(each) for each in heirs], dropped


def _adopted(state: _State, repair: Repair, made: _Made) -> _State:
    old = state.cut
    known = _rows(old, 0, len(old))
    origins: list[tuple[int, ...]] = []
    names: list[tuple[str, ...]] = []
    for row, heirs in zip(_rows(made.cut, 0, len(made.cut)), made.heirs, strict=True):
        own = dict.fromkeys(name for heir in heirs for name in state.names[heir])
        if len(heirs) != 1 or known[heirs[0]] != row:
            own[repair.name] = None
        names.append(tuple(own))
        origins.append(tuple(each for heir in heirs for each in state.origins[heir]))
    dropped = [
        (each, (*state.names[index], repair.name))
        for index in made.dropped
        for each in state.origins[index]
    ]
    return _State(made.cut, origins, names, (*state.dropped, *dropped))


def _changes(first: Cut, state: _State) -> tuple[Change, ...]:
    made = state.cut
    before, after = _rows(first, 0, len(first)), _rows(made, 0, len(made))
    changes = []
    for index, (row, chunks) in enumerate(zip(after, state.origins, strict=True)):
        if len(chunks) == 1 and before[chunks[0]] == row:
            continue
        spans = tuple(Span(*before[chunk][:2]) for chunk in chunks)
        worded = row[2] is not None and (len(chunks) != 1 or before[chunks[0]][2] != row[2])
        embed_before = made.prefix(index) + made.analysis.text[row[0] : row[1]] if worded else ""
        embed_after = made.embed_text(index) if worded else ""
        own = Span(*row[:2])
        changes.append(
            Change(state.names[index], index, chunks, spans, own, embed_before, embed_after)
        )
    for chunk, names in state.dropped:
        changes.append(Change(names, None, (chunk,), (Span(*before[chunk][:2]),), None))
    return tuple(changes)
