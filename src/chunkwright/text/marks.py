"""Marks: the positions of one text that chunks start or are cut at, and what is known of each."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import RLock

import numpy as np

from chunkwright.spans import Integers, merged

Columns = tuple[Integers, ...]


class Marks:
    """Positions, numbered as they are met: every setup meets much the same ones.

    Args:
        trim: One past the last visible character before each of some positions.

    Attributes:
        positions: The positions, by row.
        ends: Where a chunk ends that is cut there, by row.

    >>> marks = Marks(lambda positions: positions - 1)
    >>> marks.rows(np.array([9, 4])).tolist(), marks.rows(np.array([4, 6])).tolist()
    ([1, 0], [0, 2])
    >>> marks.positions.tolist(), marks.ends.tolist()
    ([4, 9, 6], [3, 8, 5])
    """

    def __init__(self, trim: Callable[[Integers], Integers]) -> None:
        self._trim = trim
        self.positions = self.ends = np.empty(0, np.int64)
        # The positions in order, and the row of each.
        self._sorted = self._rows = np.empty(0, np.int64)
        self._columns: dict[Hashable, Columns] = {}
        # Threads that share a text may all meet new positions; rows that were told stay.
        self._lock = RLock()

    def __reduce__(self) -> tuple[type[Marks], tuple[Callable[[Integers], Integers]]]:
        """A copy starts with nothing: a lock cannot be copied."""
        return Marks, (self._trim,)

    def __len__(self) -> int:
        return len(self.positions)

    def rows(self, positions: Integers) -> Integers:
        """The row of each position; new ones get the next rows."""
        with self._lock:
            at = np.searchsorted(self._sorted, positions)
            if len(self):
                found = self._sorted[np.minimum(at, len(self) - 1)]
                new = merged(positions[found != positions])
            else:
                new = merged(positions)
            if len(new):
                rows = np.arange(len(self), len(self) + len(new))
                self.positions = np.concatenate([self.positions, new])
                self.ends = np.concatenate([self.ends, self._trim(new)])
                where = np.searchsorted(self._sorted, new)
                self._sorted = np.insert(self._sorted, where, new)
                self._rows = np.insert(self._rows, where, rows)
                at = np.searchsorted(self._sorted, positions)
            return self._rows[at]

    def columns(self, key: Hashable, make: Callable[[Integers, Integers], Columns]) -> Columns:
        """What `make` says of the positions and their ends, each asked for once. By row."""
        with self._lock:
            known = self._columns.get(key)
            done = len(known[0]) if known else 0
            if known is None or done < len(self):
                new = make(self.positions[done:], self.ends[done:])
                pairs = zip(known, new, strict=True) if known else ()
                known = self._columns[key] = tuple(map(np.concatenate, pairs)) if known else new
            return known
