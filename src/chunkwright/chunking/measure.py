"""Measures: how large a stretch of a text is, in characters, words, tokens or sentences."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import Protocol

import numpy as np

from chunkwright.setup import Setup
from chunkwright.spans import Integers
from chunkwright.text import words
from chunkwright.text.analysis import Analysis
from chunkwright.text.token_index import TokenIndex
from chunkwright.text.tokens import TiktokenCounter, TokenCounter


class Measure(Protocol):
    """Sizes of stretches of one text. Positions are code points.

    Attributes:
        exact: Whether `reach` and `back` are exact, so that `size` need not be asked again.
    """

    exact: bool

    def reach(self, start: int, amount: int) -> int:
        """About the furthest end so that `start` to it measures at most `amount`."""
        ...

    def back(self, end: int, amount: int) -> int:
        """About the earliest start so that it to `end` measures at most `amount`."""
        ...

    def size(self, start: int, end: int, prefix: str = "") -> int:
        """Exactly what `prefix + text[start:end]` measures."""
        ...


class Characters:
    """Size in code points."""

    exact = True

    def __init__(self, length: int) -> None:
        self.length = length

    def reach(self, start: int, amount: int) -> int:
        return min(self.length, start + amount)

    def back(self, end: int, amount: int) -> int:
        return max(0, end - amount)

    def size(self, start: int, end: int, prefix: str = "") -> int:
        return end - start + len(prefix)


class Units:
    """Size in things that have starts: words or sentences.

    A thing of which a part lies in the stretch counts whole.
    """

    exact = True

    def __init__(self, starts: Integers, length: int, *, count_prefix: bool) -> None:
        self.starts = starts
        self.length = length
        self.count_prefix = count_prefix

    def reach(self, start: int, amount: int) -> int:
        first = max(0, int(self.starts.searchsorted(start, side="right")) - 1)
        last = first + amount
        return int(self.starts[last]) if last < len(self.starts) else self.length

    def back(self, end: int, amount: int) -> int:
        first = int(self.starts.searchsorted(end, side="left")) - amount
        if amount == 0 or first >= len(self.starts):
            return end
        return int(self.starts[first]) if first > 0 else 0

    def size(self, start: int, end: int, prefix: str = "") -> int:
        first = max(0, int(self.starts.searchsorted(start, side="right")) - 1)
        count = max(0, int(self.starts.searchsorted(end, side="left")) - first)
        return count + (words.count(prefix) if prefix and self.count_prefix else 0)


class Tokens:
    """Size in tokens of a counter that knows where its tokens lie."""

    exact = False

    def __init__(self, index: TokenIndex) -> None:
        self.index = index
        self.length = len(index.text)

    @cached_property
    def starts(self) -> memoryview[int]:
        return np.ascontiguousarray(self.index.starts, np.int64).data

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


class Counted:
    """Size in tokens of a counter that can only count: found by halving."""

    exact = False

    def __init__(self, text: str, counter: TokenCounter) -> None:
        self.text = text
        self.counter = counter

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
        return Units(analysis.words, length, count_prefix=True)
    if unit == "sentences":
        return Units(analysis.sentences, length, count_prefix=False)
    index = analysis.tokens(counter)
    if isinstance(counter, TiktokenCounter):  # its tokens are still being found by threads
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
