"""Where the tokens of one text lie, and the exact count of any part of it.

Byte-pair encodings of tiktoken first part a text by a pattern, then encode each part alone. No
part runs from a visible character across a space, and what is matched from such a place on
depends only on what follows. So the count of `text[start:end]` is the count up to the first
such place, plus a difference of running sums, plus the count from the last such place: exact,
without encoding the middle again.
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, cached_property
from itertools import pairwise

import numpy as np

from chunkwright.spans import Integers, merged
from chunkwright.text.characters import CodePoints, Runs
from chunkwright.text.tokens import TiktokenCounter, TokenCounter

# The text is encoded in parts of about this many characters, so that memory stays linear.
_PART = 1 << 18
_SPACE = 32
# Longer stretches without a space are seldom met twice.
_SHORT = 200
# From a place that lies further away nothing is gained.
_FAR = 1000
_NOWHERE = 1 << 62


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1), thread_name_prefix="tokens")


class TokenIndex:
    """The tokens of one text by one counter.

    A long text is encoded in parts by threads of their own, which start at once: the encoder
    lets go of the interpreter, so the rest of the analysis goes on beside them.
    """

    def __init__(self, text: str, counter: TokenCounter, points: CodePoints, runs: Runs) -> None:
        self.text = text
        self.counter = counter
        self._known: dict[str, int] = {}
        self._heads: dict[int, tuple[int, int]] = {}
        self._tails: dict[int, tuple[int, int]] = {}
        self._safe: Integers | None = None
        self._parts: list[tuple[int, Future[Integers]]] = []
        if isinstance(counter, TiktokenCounter):
            ends = runs.ends[runs.ends < len(points)]
            self._safe = ends[points[ends] == _SPACE]
            if len(text) > _PART:
                self._start(counter, self._safe)

    def _start(self, counter: TiktokenCounter, safe: Integers) -> None:
        counter.prepare()
        at = np.searchsorted(safe, np.arange(_PART, len(self.text), _PART))
        edges = merged(np.array([0, len(self.text)]), safe[at[at < len(safe)]]).tolist()
        for low, high in pairwise(edges):
            part = self.text[low:high]
            self._parts.append((low, _threads().submit(counter.starts, part)))

    @cached_property
    def starts(self) -> Integers | None:
        """Where each token starts, in code points, ascending; None if the counter can't tell."""
        if not self._parts:
            return self.counter.starts(self.text)
        return np.concatenate([part.result() + low for low, part in self._parts])

    @cached_property
    def _before(self) -> memoryview[int]:
        """Tokens before each safe place."""
        assert self.starts is not None
        return np.searchsorted(self.starts, np.asarray(self._places)).astype(np.int64).data

    @cached_property
    def _places(self) -> memoryview[int]:
        """The safe places, for halving: faster to ask one by one than an array."""
        places = np.empty(0, np.int64) if self._safe is None else self._safe
        return np.ascontiguousarray(places, np.int64).data

    def count(self, start: int, end: int, prefix: str = "") -> int:
        """Tokens of `prefix + text[start:end]`, as the counter itself would count them."""
        if prefix:
            # A part that ends in a line break never reaches over to a visible character.
            if self._safe is None or prefix[-1] != "\n" or self.text[start : start + 1].isspace():
                return self.counter.count(prefix + self.text[start:end])
            return self._short(prefix) + self.count(start, end)
        if self._safe is None:
            return self.counter.count(self.text[start:end])
        # The same starts and ends are asked for again and again while chunks are packed.
        head = self._heads.get(start) or self._head(start)
        tail = self._tails.get(end) or self._tail(end)
        if head[0] > tail[0]:
            return self._short(self.text[start:end])
        return head[1] + tail[1]

    def _head(self, start: int) -> tuple[int, int]:
        """The first safe place after `start`; tokens up to it, less those before it in all."""
        low = bisect_right(self._places, start)
        known = (_NOWHERE, 0)
        if low < len(self._places) and self._places[low] - start <= _FAR:
            head = self.text[start : self._places[low]]
            known = (low, self._short(head) - self._before[low])
        self._heads[start] = known
        return known

    def _tail(self, end: int) -> tuple[int, int]:
        """The last safe place before `end`; tokens from it on, and those before it in all."""
        high = bisect_left(self._places, end) - 1
        known = (-1, 0)
        if high >= 0 and end - self._places[high] <= _FAR:
            tail = self.text[self._places[high] : end]
            known = (high, self._short(tail) + self._before[high])
        self._tails[end] = known
        return known

    def _short(self, text: str) -> int:
        known = self._known.get(text)
        if known is None:
            known = self.counter.count(text)
            if len(text) <= _SHORT:
                self._known[text] = known
        return known
