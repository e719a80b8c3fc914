"""Measures: how large a stretch of a text is, in characters, words, tokens or sentences."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from chunkwright.setup import Setup
from chunkwright.spans import Integers
from chunkwright.text import words
from chunkwright.text.analysis import Analysis
from chunkwright.text.marks import Columns, Marks
from chunkwright.text.token_index import TokenIndex
from chunkwright.text.tokens import TiktokenCounter, TokenCounter


class Measure(Protocol):
    """Sizes of stretches of one text. Positions are code points.

    Attributes:
        exact: Whether `reach` and `back` are exact, so that `size` need not be asked again.
        frame: What is counted even where there is no text, such as a start and an end token.
    """

    exact: bool
    frame: int

    def reach(self, start: int, amount: int) -> int:
        """About the furthest end so that `start` to it measures at most `amount`."""
        ...

    def back(self, end: int, amount: int) -> int:
        """About the earliest start so that it to `end` measures at most `amount`."""
        ...

    def size(self, start: int, end: int, prefix: str = "") -> int:
        """Exactly what `prefix + text[start:end]` measures."""
        ...


class ArrayMeasure(Measure, Protocol):
    """A measure of many stretches at once; what it says of each is what `Measure` says.

    A prefix that ends in a line break adds its own size to that of visible characters.

    Attributes:
        key: Tells measures of one text apart.
        slack: How many units more than asked for `reach` and `back` allow.
    """

    key: Hashable
    slack: int

    def columns(self, positions: Integers, ends: Integers) -> Columns:
        """What is known of starts and of ends, two columns each.

        The number of units before each start and each end, and what to take from a size for a
        start and to add for an end. Two more tell where that is not enough: where the one of the
        start is above that of the end, `size` must be asked.
        """
        ...

    def before(self, positions: Integers) -> Integers:
        """The number of units that start before each position."""
        ...

    def units(self, numbers: Integers) -> Integers:
        """Where some units start, by number; the text's length beyond the last."""
        ...


def in_arrays(one: Measure) -> ArrayMeasure | None:
    """The measure itself, if it measures many stretches at once.

    >>> from chunkwright.text.tokens import FunctionCounter
    >>> in_arrays(Counted("a text", FunctionCounter(len))) is None
    True
    """
    if isinstance(one, (Characters, Units)) or (isinstance(one, Tokens) and one.index.spaced):
        return one
    return None


@dataclass(frozen=True, slots=True)
class Scale:
    """A measure of the stretches between marks, which are named by their rows."""

    measure: ArrayMeasure
    marks: Marks

    def _columns(self) -> Columns:
        return self.marks.columns(self.measure.key, self.measure.columns)

    def reaches(self, starts: Integers, amounts: Integers | int) -> Integers:
        """`reach` of each start, a position."""
        before, *_ = self._columns()
        return self.measure.units(before[starts] + amounts + self.measure.slack)

    def backs(self, cuts: Integers, amount: int) -> Integers:
        """`back` of the end of each chunk that is cut there, a position."""
        if amount == 0:
            return self.marks.ends[cuts]
        _, before, *_ = self._columns()
        return self.measure.units(before[cuts] - amount - self.measure.slack)

    def backs_from(self, positions: Integers, amount: int) -> Integers:
        """`back` of each position itself."""
        if amount == 0:
            return positions
        return self.measure.units(self.measure.before(positions) - amount - self.measure.slack)

    def parts(self, starts: Integers) -> Integers:
        """What an empty stretch measures: 1 inside of a unit, of which a part counts whole."""
        before, *_ = self._columns()
        return self.measure.before(self.marks.positions[starts]) - before[starts]

    def sizes(self, starts: Integers, cuts: Integers) -> Integers:
        """`size` of each chunk, without a prefix."""
        _, _, taken, added, *unsure = self._columns()
        found = added[cuts] - taken[starts]
        if unsure:
            first, last = unsure
            positions, ends = self.marks.positions, self.marks.ends
            for row in np.flatnonzero(first[starts] > last[cuts]).tolist():
                start, end = int(positions[starts[row]]), int(ends[cuts[row]])
                found[row] = self.measure.size(start, end)
        return found


def _taken(positions: Integers, at: Integers, beyond: int) -> Integers:
    """The positions at some indices; `beyond` after the last, 0 before the second."""
    found = np.where(at > 0, beyond, 0)
    inside = (at > 0) & (at < len(positions))
    found[inside] = positions[at[inside]]
    return found


class Characters:
    """Size in code points."""

    exact = True
    frame = 0
    key: Hashable = "characters"
    slack = 0

    def __init__(self, length: int) -> None:
        self.length = length

    def reach(self, start: int, amount: int) -> int:
        return min(self.length, start + amount)

    def back(self, end: int, amount: int) -> int:
        return max(0, end - amount)

    def size(self, start: int, end: int, prefix: str = "") -> int:
        return end - start + len(prefix)

    def columns(self, positions: Integers, ends: Integers) -> Columns:
        return positions, ends, positions, ends

    def before(self, positions: Integers) -> Integers:
        return positions

    def units(self, numbers: Integers) -> Integers:
        return np.clip(numbers, 0, self.length)


class Units:
    """Size in things that have starts: words or sentences.

    A thing of which a part lies in the stretch counts whole.
    """

    exact = True
    frame = 0
    slack = 0

    def __init__(self, starts: Integers, length: int, unit: str) -> None:
        self.key: Hashable = unit
        self.all_starts = np.ascontiguousarray(starts, np.int64)
        self.starts = self.all_starts.data  # faster to halve one by one
        self.length = length

    def reach(self, start: int, amount: int) -> int:
        first = max(0, bisect_right(self.starts, start) - 1)
        last = first + amount
        return self.starts[last] if last < len(self.starts) else self.length

    def back(self, end: int, amount: int) -> int:
        first = bisect_left(self.starts, end) - amount
        if amount == 0 or first >= len(self.starts):
            return end
        return self.starts[first] if first > 0 else 0

    def size(self, start: int, end: int, prefix: str = "") -> int:
        first = max(0, bisect_right(self.starts, start) - 1)
        count = max(0, bisect_left(self.starts, end) - first)
        return count + (words.count(prefix) if prefix and self.key == "words" else 0)

    def columns(self, positions: Integers, ends: Integers) -> Columns:
        first = np.maximum(0, np.searchsorted(self.all_starts, positions, side="right") - 1)
        last = self.before(ends)
        return first, last, first, last

    def before(self, positions: Integers) -> Integers:
        return np.searchsorted(self.all_starts, positions, side="left")

    def units(self, numbers: Integers) -> Integers:
        return _taken(self.all_starts, numbers, self.length)


class Tokens:
    """Size in tokens of a counter that knows where its tokens lie."""

    exact = False
    frame = 0
    slack = 1

    def __init__(self, index: TokenIndex) -> None:
        self.index = index
        self.key: Hashable = id(index)
        self.length = len(index.text)

    @cached_property
    def all_starts(self) -> Integers:
        return np.ascontiguousarray(self.index.starts, np.int64)

    @cached_property
    def starts(self) -> memoryview[int]:
        return self.all_starts.data

    # The estimates allow one token more, since a chunk's first word has lost its space; the
    # packer checks the exact size of what it picks.
    def reach(self, start: int, amount: int) -> int:
        last = bisect_left(self.starts, start) + amount + 1
        return self.starts[last] if last < len(self.starts) else self.length

    def back(self, end: int, amount: int) -> int:
        if amount == 0:
            return end
        first = bisect_left(self.starts, end) - amount - 1
        return self.starts[first] if first > 0 else 0

    def size(self, start: int, end: int, prefix: str = "") -> int:
        return self.index.count(start, end, prefix)

    def columns(self, positions: Integers, ends: Integers) -> Columns:
        place, head = self.index.heads(positions)
        last, tail = self.index.tails(ends)
        return self.before(positions), self.before(ends), -head, tail, place, last

    def before(self, positions: Integers) -> Integers:
        return np.searchsorted(self.all_starts, positions, side="left")

    def units(self, numbers: Integers) -> Integers:
        return _taken(self.all_starts, numbers, self.length)


class Counted:
    """Size in tokens of a counter that can only count: found by halving."""

    exact = False

    def __init__(self, text: str, counter: TokenCounter) -> None:
        self.text = text
        self.counter = counter
        self.frame = counter.count("")

    def reach(self, start: int, amount: int) -> int:
        length = len(self.text)
        step = max(16, 4 * amount)
        low, high = start, start + step
        while high < length and self.size(start, high) <= amount:
            step *= 2
            low, high = high, start + step
        high = min(high, length)
        if self.size(start, high) <= amount:
            return high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.size(start, middle) <= amount else (low, middle)
        return low

    def back(self, end: int, amount: int) -> int:
        step = max(16, 4 * amount)
        low, high = max(0, end - step), end
        while low > 0 and self.size(low, end) <= amount:
            step *= 2
            low, high = max(0, end - step), low
        if self.size(low, end) <= amount:
            return low
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.size(middle, end) <= amount else (middle, high)
        return high

    def size(self, start: int, end: int, prefix: str = "") -> int:
        return self.counter.count(prefix + self.text[start:end])


def measure(analysis: Analysis, unit: str, counter: TokenCounter) -> Measure:
    """The measure of a unit on one text.

    >>> from chunkwright.model import Document
    >>> from chunkwright.text.tokens import FunctionCounter
    >>> text = Analysis(Document("a.txt", "one two three"))
    >>> measure(text, "words", FunctionCounter(len)).size(0, 7)
    2
    """
    length = len(analysis.text)
    if unit == "characters":
        return Characters(length)
    if unit == "words":
        return Units(analysis.words, length, unit)
    if unit == "sentences":
        return Units(analysis.sentences, length, unit)
    index = analysis.tokens(counter)
    if isinstance(counter, TiktokenCounter):  # it can tell, and need not be asked already
        return Tokens(index)
    return Counted(analysis.text, counter) if index.starts is None else Tokens(index)


def plain_size(text: str, unit: str, counter: TokenCounter) -> int:
    """What a text by itself measures; nothing in sentences, which only a document has.

    >>> from chunkwright.text.tokens import FunctionCounter
    >>> plain_size("[Lamp > Reset]", "words", FunctionCounter(len))
    3
    """
    if unit == "characters":
        return len(text)
    if unit == "words":
        return words.count(text)
    return counter.count(text) if unit == "tokens" else 0


def overlap_of(setup: Setup) -> tuple[int, str]:
    """The overlap as a whole amount and its unit; a percentage is of the size, rounded down.

    >>> overlap_of(Setup.parse("markdown:405t+10%"))
    (40, 'tokens')
    """
    if setup.overlap_unit == "percent":
        return int(np.floor(setup.size * setup.overlap / 100)), setup.unit
    return int(setup.overlap), setup.overlap_unit
