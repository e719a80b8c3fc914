"""Where the tokens of one text lie, and the exact count of any part of it.

Byte-pair encodings of tiktoken first part a text by a pattern, then encode each part alone. No
part runs from a visible character across a space, and what is matched from such a place on
depends only on what follows. So a text is encoded word by word, each word once; and the count of
`text[start:end]` is the count up to the first such place, plus a difference of running sums, plus
the count from the last such place: exact, without encoding the middle again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property

import numpy as np

from chunkwright.spans import Integers
from chunkwright.text.characters import CodePoints, Runs
from chunkwright.text.tokens import TiktokenCounter, TokenCounter

_SPACE = 32
# With fewer places, one in so many characters, most sentences have none.
_SPARSE = 25
# Longer stretches without a space are seldom met twice.
_SHORT = 200
# From a place that lies further away nothing is gained.
_FAR = 1000
_NOWHERE = 1 << 62


class TokenIndex:
    """The tokens of one text by one counter.

    Attributes:
        additive: Whether there are places to add up counts from; else each part is encoded.
        spaced: Whether there are so many that hardly a part is encoded.
    """

    def __init__(self, text: str, counter: TokenCounter, points: CodePoints, runs: Runs) -> None:
        self.text = text
        self._points = points
        self.counter = counter
        self.additive = isinstance(counter, TiktokenCounter)
        self._known: dict[str, int] = {}
        self._heads: dict[int, tuple[int, int]] = {}
        self._tails: dict[int, tuple[int, int]] = {}
        # The places where a space follows a visible character.
        self._spaces = np.empty(0, np.int64)
        if self.additive:
            ends = runs.ends[runs.ends < len(points)]
            self._spaces = ends[points[ends] == _SPACE]
        self.spaced = len(self._spaces) * _SPARSE > len(text)

    @cached_property
    def starts(self) -> Integers | None:
        """Where each token starts, in code points, ascending; None if the counter can't tell."""
        return self._encoded[0]

    @cached_property
    def _encoded(self) -> tuple[Integers | None, Integers]:
        """The starts, and how many tokens stand before each place."""
        text, counter, places = self.text, self.counter, self._spaces
        if not len(places) or not isinstance(counter, TiktokenCounter):
            return counter.starts(text), places
        first, last = int(places[0]), int(places[-1])
        before, after = counter.starts(text[:first]), counter.starts(text[last:]) + last
        counts, inside = counter.words.look_up(text, self._points, places)
        starts = np.concatenate([before, inside, after])
        return starts, len(before) + np.concatenate([[0], np.cumsum(counts)])

    def found(self) -> dict[str, Integers]:
        """What encoding the text found, for a store to keep; nothing where there is nothing."""
        starts, before = self._encoded
        return {} if starts is None else {"starts": starts, "before": before}

    def give(self, starts: Integers, before: Integers) -> None:
        """Take what `found` told before: the text is not encoded."""
        self._encoded = starts, before

    @cached_property
    def _before(self) -> memoryview[int]:
        """Tokens before each place."""
        return self._encoded[1].data

    @cached_property
    def _places(self) -> memoryview[int]:
        """The places, for halving: faster to ask one by one than an array."""
        return np.ascontiguousarray(self._spaces, np.int64).data

    def count(self, start: int, end: int, prefix: str = "") -> int:
        """Tokens of `prefix + text[start:end]`, as the counter itself would count them."""
        if prefix:
            # A part that ends in a line break never reaches over to a visible character.
            if not self.additive or prefix[-1] != "\n" or self.text[start : start + 1].isspace():
                return self.counter.count(prefix + self.text[start:end])
            return self._short(prefix) + self.count(start, end)
        if not self.additive:
            return self.counter.count(self.text[start:end])
        # The same starts and ends are asked for again and again while chunks are packed.
        head = self._heads.get(start) or self._head(start)
        tail = self._tails.get(end) or self._tail(end)
        if head[0] > tail[0]:
            return self._short(self.text[start:end])
        return head[1] + tail[1]

    def _head(self, start: int) -> tuple[int, int]:
        """The first place after `start`; tokens up to it, less those before it in all."""
        low = bisect_right(self._places, start)
        known = (_NOWHERE, 0)
        if low < len(self._places) and self._places[low] - start <= _FAR:
            place = self._places[low]
            known = (place, self._short(self.text[start:place]) - self._before[low])
        self._heads[start] = known
        return known

    def _tail(self, end: int) -> tuple[int, int]:
        """The last place before `end`; tokens from it on, and those before it in all."""
        high = bisect_left(self._places, end) - 1
        known = (-1, 0)
        if high >= 0 and end - self._places[high] <= _FAR:
            place = self._places[high]
            known = (place, self._short(self.text[place:end]) + self._before[high])
        self._tails[end] = known
        return known

    def counts(self, starts: Integers, ends: Integers) -> Integers:
        """`count` of many parts at once. Shape `(n,)`."""
        pairs = zip(starts.tolist(), ends.tolist(), strict=True)
        if not self.additive:
            return np.array([self.count(*pair) for pair in pairs], np.int64)
        place, head = self.heads(starts)
        last, tail = self.tails(ends)
        found = head + tail
        for row in np.flatnonzero(place > last).tolist():
            found[row] = self._short(self.text[starts[row] : ends[row]])
        return found

    def heads(self, starts: Integers) -> tuple[Integers, Integers]:
        """The first place after each start; tokens up to it, less those before it in all."""
        at = np.searchsorted(self._spaces, starts, side="right")
        near = np.flatnonzero(at < len(self._spaces))
        near = near[self._spaces[at[near]] - starts[near] <= _FAR]
        places, found = np.full(len(starts), _NOWHERE), np.zeros(len(starts), np.int64)
        places[near] = self._spaces[at[near]]
        found[near] = self._all_short(starts[near], places[near]) - self._encoded[1][at[near]]
        return places, found

    def tails(self, ends: Integers) -> tuple[Integers, Integers]:
        """The last place before each end; tokens from it on, and those before it in all."""
        spaces, before = self._spaces, self._encoded[1]
        at = np.searchsorted(spaces, ends, side="left") - 1
        near = np.flatnonzero(at >= 0)
        near = near[ends[near] - spaces[at[near]] <= _FAR]
        places, found = np.full(len(ends), -1), np.zeros(len(ends), np.int64)
        places[near] = spaces[at[near]]
        # Most ends are the next place.
        following = np.minimum(at[near] + 1, len(spaces) - 1)
        whole = spaces[following] == ends[near]
        found[near[whole]] = before[following[whole]]
        near = near[~whole]
        found[near] = self._all_short(places[near], ends[near]) + before[at[near]]
        return places, found

    def _all_short(self, starts: Integers, ends: Integers) -> Integers:
        pairs = zip(starts.tolist(), ends.tolist(), strict=True)
        texts = [self.text[start:end] for start, end in pairs]
        found = list(map(self._known.get, texts))
        counts = [
            self._short(text) if known is None else known
            for text, known in zip(texts, found, strict=True)
        ]
        return np.array(counts, np.int64)

    def _short(self, text: str) -> int:
        known = self._known.get(text)
        if known is None:
            known = self.counter.count(text)
            if len(text) <= _SHORT:
                self._known[text] = known
        return known
