"""What was made for a pool, kept while the pool lives and the memory suffices."""

from __future__ import annotations

from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from chunkwright.retrieval.pool import Pool

Value = TypeVar("Value")
_LIMIT = 1 << 29


class Kept(Generic[Value]):
    """Values by pool. Of all that take more than the limit together, the newest stay.

    Args:
        limit: Bytes; a single value may take more.

    >>> from chunkwright.retrieval.collection import Collection
    >>> from chunkwright.setup import Setup
    >>> pools = [Pool(Collection([]), Setup.parse("fixed:9c")) for _ in range(3)]
    >>> kept = Kept[str](limit=2)
    >>> for pool, name in zip(pools, "abc"):
    ...     _ = kept.put(pool, name, 1)
    >>> [kept.get(pool) for pool in pools]
    [None, 'b', 'c']
    """

    def __init__(self, limit: int = _LIMIT) -> None:
        self.limit = limit
        self._values: WeakKeyDictionary[Pool, tuple[Value, int]] = WeakKeyDictionary()

    def get(self, pool: Pool) -> Value | None:
        """The value of a pool, if it is still there."""
        found = self._values.get(pool)
        return None if found is None else found[0]

    def put(self, pool: Pool, value: Value, size: int) -> Value:
        """Keep a value that takes `size` bytes, and give it."""
        self._values.pop(pool, None)
        self.make_room(size)
        self._values[pool] = value, size
        return value

    def make_room(self, size: int) -> None:
        """Let go of the oldest values until `size` bytes more are within the limit."""
        total = size + sum(taken for _, taken in self._values.values())
        for other, (_, taken) in list(self._values.items()):
            if total <= self.limit:
                break
            del self._values[other]
            total -= taken
