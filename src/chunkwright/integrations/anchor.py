"""Anchoring: the span of a document that each chunk of another tool was cut from.

Four ways, each tried on what the ones before left: at the offsets that the tool gives, if its
text stands there; the same text next after the chunk before; the same skeleton there or anywhere,
so that white space and Unicode forms do not matter; and, near the chunk before or where rare pieces
of the chunk are found, the passage that is most like it. All are linear in the document and the
chunks: windows are bounded, and what has to be looked for everywhere is looked for all at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkwright.integrations.skeleton import (
    Skeleton,
    Wanted,
    batches,
    occurrences,
    skeleton,
    skeletons,
    windows,
)
from chunkwright.spans import Integers
from chunkwright.text.characters import code_points

# Share of a chunk's characters that stand in a passage, in order, and share of the passage that
# they are: below, the passage is taken to be another one.
LIKENESS = 0.6
# How far behind the chunk before the next one is looked for, besides what was skipped since.
_NEAR = 10_000
_FARTHEST = 20_000
# Pieces of a chunk that are looked for everywhere, and how long they are.
_PIECES = 8
WIDTHS = (16, 8, 4)
# Of places that a piece has, those next to the expected one are tried.
_TRIED = 64
# A piece with more places tells little.
_RARE = 16
# Of a longer chunk, its two ends are compared.
_LONG = 4_000
# A header of so many lines may stand before the text, which itself has at least so many characters.
_HEADER_LINES = 3
_LEAST = 12
# What ends in so many characters as the document does there ends in its text.
_TELLING = 3
# From the middle of a word one goes back no farther, and not at all in scripts without spaces.
_LONGEST_WORD = 30
_UNSPACED = 0x2E80


class Method(IntEnum):
    """How a chunk was anchored."""

    NONE = 0
    OFFSETS = 1
    EXACT = 2
    WHITE_SPACE = 3
    FUZZY = 4

    @property
    def label(self) -> str:
        """For reports."""
        return ("not anchored", "by offsets", "exact", "white space", "fuzzy")[self]


_NONE = int(Method.NONE)
_Place = tuple[int, int, Method]


class Anchors(NamedTuple):
    """Spans of chunks, in their order; (0, 0) for those that were not found.

    Attributes:
        starts: First code points. Shape `(n,)`.
        ends: One past the last. Shape `(n,)`.
        methods: A `Method` each. Shape `(n,)`.
    """

    starts: Integers
    ends: Integers
    methods: NDArray[np.int8]


def anchor(
    text: str,
    chunks: Sequence[str],
    starts: Integers | None = None,
    likeness: float = LIKENESS,
) -> Anchors:
    r"""Find the spans of chunks in their document.

    Args:
        text: The document's text.
        chunks: Texts of the chunks, best in the order of the document.
        starts: Where each is said to start; -1 where nothing is said. What is said is checked.
        likeness: Share of characters that a chunk and a passage must have in common, 0 to 1.

    >>> found = anchor("One lamp.\n\nTwo  desks.", ["One lamp.", "Two desks.", "No."])
    >>> found.starts.tolist(), found.ends.tolist(), found.methods.tolist()
    ([0, 11, 0], [9, 22, 0], [2, 3, 0])
    """
    search = _Search(text, chunks, starts, likeness)
    search.near()
    for step in (search.anywhere, search.most_like):
        if search.left():
            step()
    return Anchors(
        np.array(search.starts, np.int64),
        np.array(search.ends, np.int64),
        np.array(search.methods, np.int8),
    )


class _Search:
    """What is known so far of the places of some chunks in a text."""

    def __init__(
        self, text: str, chunks: Sequence[str], said: Integers | None, likeness: float
    ) -> None:
        self.text, self.chunks, self.likeness = text, chunks, likeness
        self.said: list[int] = [-1] * len(chunks)
        if said is not None:
            self.said = np.where(said < len(text), said, -1).tolist()
        # Lists: they are read and written one by one.
        self.starts = [0] * len(chunks)
        self.ends = [0] * len(chunks)
        self.methods: list[int] = [_NONE] * len(chunks)

    def left(self) -> list[int]:
        """Chunks that are not found yet."""
        return [index for index, method in enumerate(self.methods) if method == _NONE]

    def near(self) -> None:
        """At its offsets, or next after the chunk before: as it stands, else by its skeleton."""
        cursor, taken = _Cursor(), set[tuple[int, int]]()
        for index, chunk in enumerate(self.chunks):
            if not chunk.strip():
                continue
            found = self._as_it_stands(index, chunk, cursor) or self._alike_near(index, cursor)
            # A place that another chunk has is taken only when there is no other.
            if found is None or (found[2] != Method.OFFSETS and found[:2] in taken):
                cursor = cursor.skip(len(chunk))
                continue
            self._put(index, *found)
            taken.add(found[:2])
            cursor = _Cursor(*found[:2])

    def _as_it_stands(self, index: int, chunk: str, cursor: _Cursor) -> _Place | None:
        said = self.said[index]
        if said >= 0 and self.text.startswith(chunk, said):
            return said, said + len(chunk), Method.OFFSETS
        at = -1 if cursor.lost else self.text.find(chunk, *cursor.window(len(chunk)))
        return (at, at + len(chunk), Method.EXACT) if at >= 0 else None

    def _alike_near(self, index: int, cursor: _Cursor) -> _Place | None:
        wanted, said = self._wanted[index], self.said[index]
        if not wanted:
            return None
        if said >= 0:
            start = self._whole.place(said)
            if self._points.startswith(wanted, start):
                return self._in_text(index, start, start + len(wanted))
        if cursor.lost:
            return None
        low = self._whole.place(cursor.start) if cursor.start >= 0 else -1
        here = _Cursor(low, self._whole.place(cursor.end), cursor.skipped)
        start = self._points.find(wanted, *here.window(len(wanted)))
        return None if start < 0 else self._in_text(index, start, start + len(wanted))

    def anywhere(self) -> None:
        """The skeleton, wherever it is: a place that no chunk has, next after the one before."""
        left = self.left()
        looked_for = _look_for(self._whole, [self._wanted[index] for index in left])
        self._pieces = dict(zip(left, looked_for, strict=True))
        taken = set(zip(self._from, self._to, strict=True))
        first_places: dict[str, int] = {}
        # Those with one place first: they tell where the others are to be expected.
        for alone in (True, False):
            for index, wanted, cursor in self._in_order():
                low = cursor.window(len(wanted))[0]
                places = [
                    at
                    for at in self._pieces[index].places(low)
                    if self._points.startswith(wanted, at)
                ]
                if len(wanted) < WIDTHS[-1]:
                    if wanted not in first_places:
                        first_places[wanted] = self._points.find(wanted)
                    places = [first_places[wanted]] if first_places[wanted] >= 0 else []
                elif alone and len(places) > 1:
                    continue
                if not places:
                    continue
                free = [at for at in places if (at, at + len(wanted)) not in taken] or places
                at = next((at for at in free if at >= low), free[0])
                taken.add((at, at + len(wanted)))
                self._found(index, at, at + len(wanted))

    def most_like(self) -> None:
        """The passage most like the chunk, near the one before or where rare pieces are."""
        for index, wanted, cursor in self._in_order():
            below = self._below_header(index, cursor)
            span = below
            if below is None or not self._is_header(wanted, below):
                # A header may be most of a short chunk: then nothing is like all of it.
                span = self._alike(wanted, cursor, self._pieces[index]) or below
            if span is not None:
                self._found(index, *span, fuzzy=True)

    def _below_header(self, index: int, cursor: _Cursor) -> tuple[int, int] | None:
        """The chunk without its first lines, next after the chunk before."""
        for wanted in self._headless[index]:
            at = self._points.find(wanted, *cursor.window(len(wanted)))
            if at >= 0:
                return at, at + len(wanted)
        return None

    def _is_header(self, wanted: str, below: tuple[int, int]) -> bool:
        """Whether the first lines of a chunk are none that stand over the rest of it."""
        from rapidfuzz.distance import Indel

        header = wanted[: len(wanted) - (below[1] - below[0])]
        before = self._points[max(0, below[0] - len(header)) : below[0]]
        if before and header.endswith(before[-_TELLING:]):
            return False
        return Indel.normalized_similarity(header, before) < self.likeness

    def _alike(self, wanted: str, cursor: _Cursor, pieces: _Piece) -> tuple[int, int] | None:
        size = len(wanted)
        places = pieces.diagonals(cursor.end)
        if places is None:
            if size > _LONG:
                return None
            low = max(0, cursor.window(size)[0])
            high = cursor.end + min(cursor.skipped, 2 * size) + 2 * size + _LEAST
            found = _aligned(wanted, self._points[low:high])
            return self._like_enough(found, low, size)
        first, last = places
        pad = 2 * _LEAST + min(size, _LONG) // 8
        if size <= _LONG:
            low, high = max(0, min(first, last) - pad), max(first, last) + size + pad
            return self._like_enough(_aligned(wanted, self._points[low:high]), low, size)
        half = _LONG // 2
        low = max(0, first - pad)
        head = _aligned(wanted[:half], self._points[low : first + half + pad])
        end = last + size
        tail_low = max(0, end - half - pad)
        tail = _aligned(wanted[-half:], self._points[tail_low : end + pad])
        ends = self._like_enough(head, low, half), self._like_enough(tail, tail_low, half)
        if ends[0] is None or ends[1] is None or ends[1][1] <= ends[0][0]:
            return None
        return ends[0][0], ends[1][1]

    def _like_enough(self, found: _Alignment | None, low: int, size: int) -> tuple[int, int] | None:
        if found is None or found.same < self.likeness * max(size, found.end - found.start):
            return None
        start, end = low + found.start, low + found.end
        if found.head:
            start = self._word_edge(start, found.head, -1)
        if found.tail:
            end = self._word_edge(end, found.tail, 1)
        return (start, end) if start < end else None

    def _word_edge(self, position: int, missing: int, step: int) -> int:
        """The edge of the word that a passage starts (step -1) or ends (1) in, white space between.

        Its own where few characters of the chunk are missing there: they are altered. Where many
        are, they are no part of the document, and the few that fit before it stray ones.
        """
        text, at = self.text, self._whole.at
        if not 0 < position < len(at):
            return position
        place = int(at[position]) if step < 0 else int(at[position - 1]) + 1
        if text[place - 1].isspace() or text[place].isspace():
            return position
        outwards = missing < _LEAST
        way = step if outwards else -step
        for moved in range(1, _LONGEST_WORD):
            beyond = place + way * moved
            if not 0 < beyond < len(text) or ord(text[beyond]) >= _UNSPACED:
                break
            if text[beyond - 1].isspace() or text[beyond].isspace():
                return self._whole.place(beyond)
        return position

    def _in_order(self) -> Iterator[tuple[int, str, _Cursor]]:
        """Chunks that are left, with their skeletons and where the one before them ends."""
        cursor = _Cursor()
        for index, wanted in enumerate(self._wanted):
            if wanted and self.methods[index] == _NONE:
                yield index, wanted, cursor
            if self.methods[index] == _NONE:
                cursor = cursor.skip(len(wanted or ""))
            else:
                cursor = _Cursor(self._from[index], self._to[index])

    @cached_property
    def _whole(self) -> Skeleton:
        return skeleton(self.text)

    @cached_property
    def _points(self) -> str:
        return self._whole.text()

    @cached_property
    def _wanted(self) -> list[str]:
        """The skeletons of the chunks that were left; nothing for the others."""
        left = self.left()
        made: list[str] = [""] * len(self.chunks)
        for index, part in zip(left, skeletons([self.chunks[at] for at in left]), strict=True):
            made[index] = part
        return made

    @cached_property
    def _headless(self) -> dict[int, list[str]]:
        """Skeletons of chunks without their first lines."""
        numbers: list[int] = []
        texts: list[str] = []
        left = self.left()
        for index in left:
            rest = self.chunks[index]
            for _ in range(_HEADER_LINES):
                rest = rest.partition("\n")[2].lstrip()
                if not rest:
                    break
                numbers.append(index)
                texts.append(rest)
        made: dict[int, list[str]] = {index: [] for index in left}
        for index, part in zip(numbers, skeletons(texts), strict=True):
            if len(part) >= _LEAST:
                made[index].append(part)
        return made

    @cached_property
    def _from(self) -> list[int]:
        """Starts of what is found, in the skeleton."""
        return self._whole.places(self.starts)

    @cached_property
    def _to(self) -> list[int]:
        return self._whole.places(self.ends)

    def _found(self, index: int, start: int, end: int, *, fuzzy: bool = False) -> None:
        """Keep a span of the skeleton."""
        self._from[index], self._to[index] = start, end
        low, high, method = self._in_text(index, start, end)
        self._put(index, low, high, Method.FUZZY if fuzzy else method)

    def _in_text(self, index: int, start: int, end: int) -> _Place:
        """A span of the skeleton in the text, and whether the chunk stands there as it is."""
        low, high = int(self._whole.at[start]), int(self._whole.at[end - 1]) + 1
        # White space at the edges of a chunk has no place in a skeleton.
        chunk = self.chunks[index]
        first = low - (len(chunk) - len(chunk.lstrip()))
        if first >= 0 and self.text.startswith(chunk, first):
            return first, first + len(chunk), Method.EXACT
        return low, high, Method.WHITE_SPACE

    def _put(self, index: int, start: int, end: int, method: Method) -> None:
        self.starts[index], self.ends[index], self.methods[index] = start, end, method


class _Cursor(NamedTuple):
    """The span of the last chunk that was found, and characters of chunks missed since."""

    start: int = -1
    end: int = 0
    skipped: int = 0

    @property
    def lost(self) -> bool:
        """Whether so much was missed that copies of other text may be near."""
        return self.skipped > _FARTHEST

    def window(self, size: int) -> tuple[int, int]:
        """Where the next chunk is looked for: it starts later and ends later."""
        low = max(self.start + 1, self.end - size + 1)
        return low, self.end + size + min(self.skipped, _FARTHEST) + _NEAR

    def skip(self, size: int) -> _Cursor:
        return _Cursor(self.start, self.end, self.skipped + size)


class _Piece(NamedTuple):
    """Where some pieces of one chunk are in a document: offsets, and the places of each."""

    offsets: list[int]
    positions: list[Integers]

    def places(self, expected: int) -> list[int]:
        """Where the chunk may start, if all of it is there: by its rarest piece."""
        if not self.positions or not all(map(len, self.positions)):
            return []
        rarest = min(range(len(self.positions)), key=lambda at: len(self.positions[at]))
        starts = self.positions[rarest] - self.offsets[rarest]
        middle = int(np.searchsorted(starts, expected))
        near = starts[max(0, middle - _TRIED // 2) : middle + _TRIED // 2]
        first = starts[: _TRIED // 2]
        return sorted({at for at in (*near.tolist(), *first.tolist()) if at >= 0})

    def diagonals(self, expected: int) -> tuple[int, int] | None:
        """Where the chunk would start by its first and by its last piece that agree most."""
        points = sorted(
            (int(position) - offset, offset)
            for offset, positions in zip(self.offsets, self.positions, strict=True)
            if 0 < len(positions) <= _RARE
            for position in positions
        )
        if not points:
            return None
        span = max(_LEAST, self.offsets[-1] // 4)
        best: tuple[int, int] = (0, 0)
        chosen: list[tuple[int, int]] = []
        low = 0
        for high in range(len(points)):
            while points[high][0] - points[low][0] > span:
                low += 1
            group = points[low : high + 1]
            # Most pieces, then next to where it is expected.
            score = len({offset for _, offset in group}), -abs(group[0][0] - expected)
            if not chosen or score > best:
                best, chosen = score, group
        by_offset = sorted(chosen, key=lambda point: point[1])
        return by_offset[0][0], by_offset[-1][0]


def _look_for(whole: Skeleton, chunks: Sequence[str]) -> list[_Piece]:
    """Where pieces of chunks are in a document: all are looked for at once."""
    made = [_Piece([], [])] * len(chunks)
    widths = np.array([width_of(len(chunk)) for chunk in chunks], np.int64)
    for width in WIDTHS:
        members = np.flatnonzero(widths == width).tolist()
        if not members:
            continue
        owners, offsets, hashes = pieces([chunks[at] for at in members], width)
        wanted, number = np.unique(hashes, return_inverse=True)
        index, position = occurrences(whole.points, width, Wanted.of(wanted))
        low = np.searchsorted(index, number).tolist()
        high = np.searchsorted(index, number, side="right").tolist()
        bounds = np.searchsorted(owners, np.arange(len(members) + 1)).tolist()
        for at, first, last in zip(members, bounds, bounds[1:], strict=False):
            places = [position[low[one] : high[one]] for one in range(first, last)]
            made[at] = _Piece(offsets[first:last].tolist(), places)
    return made


def width_of(size: int) -> int:
    """How wide the pieces of a chunk are; 0 where it is too short for any."""
    return next((width for width in WIDTHS[:-1] if size >= width * 3 // 2), 0) or (
        WIDTHS[-1] if size >= WIDTHS[-1] else 0
    )


def pieces(chunks: Sequence[str], width: int) -> tuple[Integers, Integers, NDArray[np.uint64]]:
    """Pieces of skeletons, spread over each: the number of the skeleton, offset and hash."""
    sizes = np.array([len(chunk) for chunk in chunks], np.int64)
    spread = np.linspace(0, 1, _PIECES)
    offsets = (spread[None, :] * (sizes - width)[:, None]).astype(np.int64)
    owners = np.repeat(np.arange(len(chunks)), _PIECES).reshape(offsets.shape)
    hashes = np.empty(offsets.shape, np.uint64)
    for low, high in batches(sizes.tolist()):
        bases = np.cumsum(sizes[low:high]) - sizes[low:high]
        hashed = windows(code_points("".join(chunks[low:high])), width)
        hashes[low:high] = hashed[bases[:, None] + offsets[low:high]]
    first = np.c_[np.ones(len(chunks), np.bool_), offsets[:, 1:] > offsets[:, :-1]]
    return owners[first], offsets[first], hashes[first]


class _Alignment(NamedTuple):
    """A part of a passage: its span, and what it has of the chunk.

    Attributes:
        start: First character, in the passage.
        end: One past the last.
        same: Characters that it shares with the chunk.
        head: Characters of the chunk that come before what it has.
        tail: Those that come after.
    """

    start: int
    end: int
    same: int
    head: int
    tail: int


def _aligned(wanted: str, passage: str) -> _Alignment | None:
    """The part of a passage that is most like a chunk."""
    found = _aligned_once(wanted, passage)
    if found is None or not (found.head or found.tail):
        return found
    # Of equally cheap edits some strew the first words over others farther out: look again, only
    # where they would stand.
    low = max(0, found.start - found.head - _LEAST)
    high = found.end + found.tail + _LEAST
    closer = _aligned_once(wanted, passage[low:high])
    if closer is None or closer.same <= found.same:
        return found
    return closer._replace(start=closer.start + low, end=closer.end + low)


def _aligned_once(wanted: str, passage: str) -> _Alignment | None:
    """The same by one look at the whole passage.

    The cheapest edits that make one of the other are parted into runs; the run with the most
    equal characters, less those edited, is it (Kadane's maximal sum over the edits).
    """
    from rapidfuzz.distance import Levenshtein

    best = (0, 0, 0)  # sum, first, last edit
    total = first = 0
    edits = list(Levenshtein.opcodes(wanted, passage))
    for at, edit in enumerate(edits):
        size = max(edit.src_end - edit.src_start, edit.dest_end - edit.dest_start)
        if total <= 0:
            total, first = 0, at
        total += size if edit.tag == "equal" else -size
        if total > best[0]:
            best = (total, first, at)
    if not best[0]:
        return None
    run = edits[best[1] : best[2] + 1]
    same = sum(edit.src_end - edit.src_start for edit in run if edit.tag == "equal")
    low, high = run[0].src_start, run[-1].src_end
    start, end = run[0].dest_start, run[-1].dest_end
    # Of equally cheap edits some leave the last characters to stray ones farther out.
    while low and start and wanted[low - 1] == passage[start - 1]:
        low, start, same = low - 1, start - 1, same + 1
    while high < len(wanted) and end < len(passage) and wanted[high] == passage[end]:
        high, end, same = high + 1, end + 1, same + 1
    return _Alignment(start, end, same, low, len(wanted) - high)
