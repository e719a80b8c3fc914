"""Code points as arrays, runs of visible characters, and the line breaks between them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from chunkwright.spans import Integers

CodePoints = NDArray[Any]

# What the arrays of a text need to know of each character, as bits.
SPACE, NEWLINE, JOINING, UNSPACED = 1, 2, 4, 8
_NEWLINES = "\n\v\f\r\x85\u2028\u2029"
# What may join a neighbour into one grapheme. Controls and line breaks never do; CR LF and flags
# do by rules of their own.
_ALONE = r"\p{GCB=Control}\p{GCB=CR}\p{GCB=LF}\p{GCB=Regional_Indicator}"
_JOINING = rf"[[^\p{{GCB=Other}}]--[{_ALONE}]]"
# Scripts without spaces between words.
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"


def code_points(text: str) -> CodePoints:
    """The text as an array, one number per code point, as narrow as it can be.

    >>> code_points("aé").tolist()
    [97, 233]
    """
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    narrow = text.encode("utf-16-le", "surrogatepass")
    if len(narrow) == 2 * len(text):
        return np.frombuffer(narrow, np.uint16)
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)


@cache
def _members(character_class: str, plane: int) -> NDArray[np.bool_]:
    """Which code points of a plane belong to a class. Shape `(65536,)`."""
    first = plane << 16
    surrogates = range(0xD800, 0xE000)
    text = "".join(
        "\0" if point in surrogates else chr(point) for point in range(first, first + 0x10000)
    )
    table = np.zeros(0x10000, np.bool_)
    for found in regex.finditer(f"(?V1){character_class}+", text):
        table[found.start() : found.end()] = True
    return table


@cache
def _kinds(plane: int) -> NDArray[np.uint8]:
    """The bits of each code point of a plane. Shape `(65536,)`."""
    table = np.zeros(0x10000, np.uint8)
    table[_members(_JOINING, plane)] |= JOINING
    table[_members(_UNSPACED, plane)] |= UNSPACED
    if plane == 0:  # all white space lies here; it is what `str.strip` says it is
        for point in map(chr, range(0x10000)):
            if point.isspace():
                table[ord(point)] |= SPACE | (NEWLINE if point in _NEWLINES else 0)
    return table


def kinds(points: CodePoints) -> NDArray[np.uint8]:
    r"""What each character is: the bits `SPACE`, `NEWLINE`, `JOINING`, `UNSPACED`.

    >>> kinds(code_points("a \n東")).tolist()
    [0, 1, 3, 8]
    """
    return _look_up(points, _kinds)


def _look_up(points: CodePoints, table: Callable[[int], NDArray[Any]]) -> NDArray[Any]:
    """Each character's entry in the table of its plane. Shape as `points`."""
    if points.dtype != np.uint32:
        return table(0)[points]
    result = table(0)[points & 0xFFFF]
    high = np.flatnonzero(points > 0xFFFF)
    for plane in np.unique(points[high] >> 16).tolist():
        here = high[points[high] >> 16 == plane]
        result[here] = table(plane)[points[here] & 0xFFFF]
    return result


def members(points: CodePoints, character_class: str) -> NDArray[np.bool_]:
    r"""Which code points belong to a character class of the `regex` package.

    >>> members(code_points("a1 b"), r"\p{L}").tolist()
    [True, False, False, True]
    """
    return _look_up(points, partial(_members, character_class))


class Runs(NamedTuple):
    """Runs of characters that are not white space: starts and ends. Shapes `(n,)`, `(n,)`.

    Between two runs lies white space only; a text of white space has none.
    """

    starts: Integers
    ends: Integers


def runs(kinds_: NDArray[np.uint8]) -> Runs:
    """The runs of visible characters.

    >>> runs(kinds(code_points(" two  words "))).ends.tolist()
    [4, 11]
    """
    visible = (kinds_ & SPACE) == 0
    if not len(visible):
        return Runs(np.empty(0, np.int64), np.empty(0, np.int64))
    turns = np.flatnonzero(visible[1:] != visible[:-1]) + 1
    if visible[0]:
        turns = np.r_[0, turns]
    if visible[-1]:
        turns = np.r_[turns, len(visible)]
    return Runs(np.ascontiguousarray(turns[::2]), np.ascontiguousarray(turns[1::2]))


def newlines(points: CodePoints, kinds_: NDArray[np.uint8]) -> Integers:
    r"""Positions just after every line break; a CR LF pair is one break.

    Besides LF, CR LF and CR these are vertical tab, form feed, NEL, U+2028 and U+2029.

    >>> points = code_points("a\r\nb\n\nc")
    >>> newlines(points, kinds(points)).tolist()
    [3, 5, 6]
    """
    after = np.flatnonzero((kinds_ & NEWLINE) != 0) + 1  # of flags: much faster than of numbers
    if len(after) < 2:
        return after
    # Drop a CR whose LF follows: the break ends after the LF.
    pair = (points[after[:-1] - 1] == 13) & (points[after[1:] - 1] == 10)
    pair &= after[1:] == after[:-1] + 1
    return after[np.r_[~pair, True]]


def breaks(runs_: Runs, after_newline: Integers) -> tuple[Integers, Integers]:
    r"""Where lines and where paragraphs start: positions of the first visible character.

    A line starts after one line break, a paragraph after two or more. The first line of the
    text is in neither.

    >>> points = code_points("a\nb\n\nc")
    >>> lines = newlines(points, kinds(points))
    >>> [part.tolist() for part in breaks(runs(kinds(points)), lines)]
    [[2], [5]]
    """
    gap = np.searchsorted(runs_.starts, after_newline, side="left")
    gap = gap[(gap > 0) & (gap < len(runs_.starts))]
    if not len(gap):
        return gap, gap
    new = np.flatnonzero(np.r_[True, gap[1:] != gap[:-1]])
    count = np.diff(np.r_[new, len(gap)])
    starts = runs_.starts[gap[new]]
    return starts[count == 1], starts[count > 1]
