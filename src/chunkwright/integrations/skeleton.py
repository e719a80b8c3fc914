"""A text without what tools change in it: white space, Unicode forms, invisible characters.

Two texts with the same skeleton say the same in the same order.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkwright.spans import Integers
from chunkwright.text.characters import CodePoints, code_points

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
# Other marks that editors and readers put for these.
_DRESS = str.maketrans(
    "\u2018\u2019\u201a\u201b\u00b4`\u2032" + "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033"
    "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    "'" * 7 + '"' * 7 + "-" * 7,
)
_SPACE = re.compile(r"\s")
# So many characters are worked on at a time.
_STRIP = 1 << 20
# Odd numbers at random: a window's hash is that of its first half times one of these, plus that of
# its second half.
_FACTORS = tuple(
    int(each) | 1 for each in np.random.default_rng(7).integers(1 << 63, size=8, dtype=np.uint64)
)
_FEW_BITS = 20
Hashes = NDArray[np.uint64]


class Skeleton(NamedTuple):
    """A text's characters that count, and where each comes from.

    Attributes:
        points: Code points. Shape `(n,)`.
        at: Position of each in the text, ascending. Shape `(n,)`.
    """

    points: CodePoints
    at: NDArray[Any]

    def place(self, position: int) -> int:
        """The first character of the skeleton at or after a position of the text."""
        # In the type of the array: numpy would widen all of it.
        return int(self.at.searchsorted(self.at.dtype.type(position)))

    def places(self, positions: Sequence[int]) -> list[int]:
        """The same of several positions."""
        return self.at.searchsorted(np.array(positions, self.at.dtype)).tolist()

    def text(self) -> str:
        """The characters as a string."""
        return self.points.astype("<u4").tobytes().decode("utf-32-le")


@cache
def _dressed(point: int) -> str:
    """What a code point comes to: nothing, itself, or its parts."""
    letter = chr(point)
    if letter.isspace() or unicodedata.category(letter) in ("Cc", "Cf", "Cs"):
        return ""
    parts = unicodedata.normalize("NFKD", letter).translate(_DRESS)
    return "".join(part for part in parts if not part.isspace())


def skeleton(text: str) -> Skeleton:
    r"""The skeleton of a text.

    Decomposed character by character (NFKD), so that all forms of Unicode come to the same; HTML
    entities stand for their characters.

    >>> skeleton("Caf\u00e9 &amp;\n bar\u00ad").text() == skeleton("Cafe\u0301&bar").text()
    True
    """
    made = [_skeleton(text[low:high], low) for low, high in _strips(text)]
    return Skeleton(
        np.concatenate([part.points for part in made]), np.concatenate([part.at for part in made])
    )


def _strips(text: str) -> Iterator[tuple[int, int]]:
    """Parts of a text, so that what is made on the way stays small; none ends in an entity."""
    low = 0
    while len(text) - low > _STRIP:
        found = _SPACE.search(text, low + _STRIP, low + 2 * _STRIP)
        high = found.start() if found else low + _STRIP
        yield low, high
        low = high
    yield low, len(text)


def _skeleton(text: str, origin: int) -> Skeleton:
    """The skeleton of a part of a text that starts at `origin`."""
    points = code_points(text)
    at: Integers | None = None
    if "&" in text:
        points, at = _without_entities(text, points)
    present = np.zeros(int(points.max(initial=0)) + 1, np.bool_)
    present[points] = True
    met = np.flatnonzero(present)
    parts = {int(point): _dressed(int(point)) for point in met}
    wide = any(ord(letter) > 0xFFFF for part in parts.values() for letter in part)
    first = np.zeros(len(present), np.uint32 if wide else np.uint16)
    lengths = np.zeros(len(present), np.uint8)
    for point, part in parts.items():
        lengths[point] = len(part)
        first[point] = ord(part[0]) if part else 0
    length = lengths[points]
    kept = np.flatnonzero(length)
    out = first[points[kept]]
    extra = length[kept] - np.uint8(1)
    long = np.flatnonzero(extra)
    if len(long):
        # Behind the first part of a character come its others; `repeat` takes far longer.
        place = np.arange(len(kept)) + np.cumsum(extra, dtype=np.int64) - extra
        total = int(place[-1]) + 1 + int(extra[-1])
        widened, spread = np.empty(total, out.dtype), np.empty(total, np.int64)
        widened[place], spread[place] = out, kept
        for step in range(1, int(extra.max()) + 1):
            rows = long[extra[long] >= step]
            others = "".join(parts[point][step] for point in points[kept[rows]].tolist())
            widened[place[rows] + step] = code_points(others)
            spread[place[rows] + step] = kept[rows]
        out, kept = widened, spread
    where = kept if at is None else at[kept]
    small = origin + len(text) < 1 << 31
    return Skeleton(out, (where + origin).astype(np.int32 if small else np.int64))


def _without_entities(text: str, points: CodePoints) -> tuple[CodePoints, Integers | None]:
    """Code points with entities replaced, and where each comes from, if any was."""
    meanings = [(found, html.unescape(found[0])) for found in _ENTITY.finditer(text)]
    if not meanings:
        return points, None
    points = points.astype(np.uint32)
    kept = np.ones(len(points), np.bool_)
    for found, meant in meanings:
        if len(meant) == 1 and not 0xD800 <= ord(meant) < 0xE000:
            points[found.start()] = ord(meant)
            kept[found.start() + 1 : found.end()] = False
    at = np.flatnonzero(kept)
    return points[at], at


def skeletons(texts: Sequence[str]) -> list[str]:
    """The skeletons of several texts, as strings.

    >>> skeletons(["a b", "", "c d"])
    ['ab', '', 'cd']
    """
    made: list[str] = []
    for low, high in batches([len(text) for text in texts]):
        several = texts[low:high]
        # A line break ends what might be an entity, and is dropped.
        whole = skeleton("\n".join(several))
        together = whole.text()
        ends = np.cumsum([len(text) + 1 for text in several]) - 1
        stops = whole.places(ends.tolist())
        pairs = zip([0, *stops], stops, strict=False)
        made.extend(together[start:stop] for start, stop in pairs)
    return made


def batches(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Runs of things whose sizes add up to about as much as is worked on at a time.

    >>> list(batches([600_000, 600_000, 5]))
    [(0, 2), (2, 3)]
    """
    low = total = 0
    for at, size in enumerate(sizes):
        total += size
        if total >= _STRIP:
            yield low, at + 1
            low, total = at + 1, 0
    if low < len(sizes):
        yield low, len(sizes)


def windows(points: CodePoints, width: int) -> Hashes:
    """The hash of every window of a width, a power of two. Shape `(n - width + 1,)`."""
    hashed = points.astype(np.uint64) * np.uint64(_FACTORS[-1])
    for level in range(width.bit_length() - 1):
        half = 1 << level
        if len(hashed) <= half:
            return hashed[:0]
        hashed = hashed[:-half] * np.uint64(_FACTORS[level]) + hashed[half:]
    return hashed


class Wanted(NamedTuple):
    """Windows to look for.

    Attributes:
        hashes: Their hashes, ascending, each once.
        some: Which first bits of a hash any of them has: nearly no window of a text is wanted.
    """

    hashes: Hashes
    some: NDArray[np.bool_]

    @classmethod
    def of(cls, hashes: Hashes) -> Wanted:
        """Those with some hashes, ascending and each once."""
        some = np.zeros(1 << _FEW_BITS, np.bool_)
        some[_first_bits(hashes)] = True
        return cls(hashes, some)


def _first_bits(hashes: Hashes) -> Integers:
    return (hashes >> np.uint64(64 - _FEW_BITS)).astype(np.int64)


def occurrences(points: CodePoints, width: int, wanted: Wanted) -> tuple[Integers, Integers]:
    """Where windows with one of the wanted hashes are: which of them, and where.

    Args:
        points: Of a skeleton.
        width: Of the windows.
        wanted: What is looked for.

    Returns:
        Indices of the hashes and positions, ascending by index, then position.
    """
    which: list[Integers] = []
    where: list[Integers] = []
    for low in range(0, max(0, len(points) - width + 1), _STRIP):
        hashed = windows(points[low : low + _STRIP + width - 1], width)
        maybe = np.flatnonzero(wanted.some[_first_bits(hashed)])
        index = np.searchsorted(wanted.hashes, hashed[maybe])
        index = np.minimum(index, len(wanted.hashes) - 1)
        found = wanted.hashes[index] == hashed[maybe]
        which.append(index[found])
        where.append(maybe[found] + low)
    none = np.empty(0, np.int64)
    index, position = np.concatenate([none, *which]), np.concatenate([none, *where])
    order = np.argsort(index, kind="stable")
    return index[order], position[order]
