"""Where the tokens of one text lie, and the exact count of any part of it.

Byte-pair encodings of tiktoken first part a text by a pattern, then encode each part alone. No
part runs from a visible character across a space, and what is matched from such a place on
depends only on what follows. So the count of `text[start:end]` is the count up to the first
such place, plus a difference of running sums, plus the count from the last such place: exact,
without encoding the middle again.
"""

from __future__ import annotations

import numpy as np

from chunkwright.spans import Integers
from chunkwright.text.characters import CodePoints, Runs
from chunkwright.text.tokens import TiktokenCounter, TokenCounter

# The text is encoded in parts of about this many characters, so that memory stays linear.
_PART = 1 << 18
_SPACE = 32


class TokenIndex:
    """The tokens of one text by one counter.

    Attributes:
        starts: Where each token starts, in code points, ascending; None if the counter cannot
            tell.
    """

    def __init__(self, text: str, counter: TokenCounter, points: CodePoints, runs: Runs) -> None:
        self.text = text
        self.counter = counter
        self._known: dict[str, int] = {}
        self._safe: Integers | None = None
        self.starts: Integers | None
        if isinstance(counter, TiktokenCounter):
            ends = runs.ends[runs.ends < len(points)]
            self._safe = ends[points[ends] == _SPACE]
            self.starts = self._in_parts(counter, self._safe)
            self._before = np.searchsorted(self.starts, self._safe)
        else:
            self.starts = counter.starts(text)

    def _in_parts(self, counter: TiktokenCounter, safe: Integers) -> Integers:
        text = self.text
        if len(text) <= _PART:
            return counter.starts(text)
        at = np.searchsorted(safe, np.arange(_PART, len(text), _PART))
        edges = np.unique(np.r_[0, safe[at[at < len(safe)]], len(text)]).tolist()
        parts = zip(edges[:-1], edges[1:], strict=True)
        return np.concatenate([counter.starts(text[low:high]) + low for low, high in parts])

    def count(self, start: int, end: int, prefix: str = "") -> int:
        """Tokens of `prefix + text[start:end]`, as the counter itself would count them."""
        safe = self._safe
        if prefix:
            # A part that ends in a line break never reaches over to a visible character.
            if safe is None or prefix[-1] != "\n" or self.text[start : start + 1].isspace():
                return self.counter.count(prefix + self.text[start:end])
            return self._short(prefix) + self.count(start, end)
        if safe is None:
            return self.counter.count(self.text[start:end])
        low = int(safe.searchsorted(start, side="right"))
        high = int(safe.searchsorted(end, side="left")) - 1
        if low > high:
            return self._short(self.text[start:end])
        middle = int(self._before[high]) - int(self._before[low])
        head = self._short(self.text[start : int(safe[low])])
        return head + middle + self._short(self.text[int(safe[high]) : end])

    def _short(self, text: str) -> int:
        if len(text) > 200:
            return self.counter.count(text)
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self.counter.count(text)
        return known
