"""What several threads ask for at once is made once, and kept for a while."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar, TypeVarTuple

T = TypeVar("T")
Key = TypeVarTuple("Key")


class Once(Generic[*Key, T]):
    """A function whose last results are kept, and which is never called twice for one key at once.

    Whoever asks for what another thread is making waits for it. What was raised is raised to those
    who waited, and is not kept: the next one who asks has it tried again.

    Args:
        make: The function; its arguments are the key.
        most: Results kept; those that were asked for last.

    >>> squares = Once(lambda number: print("made") or number**2, most=2)
    >>> squares(3), squares(3)
    made
    (9, 9)
    """

    def __init__(self, make: Callable[[*Key], T], most: int) -> None:
        self._make = make
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[tuple[*Key], T] = OrderedDict()
        self._making: dict[tuple[*Key], Future[T]] = {}

    def __call__(self, *key: *Key) -> T:
        """The result for a key."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            awaited = self._making.get(key)
            if awaited is None:
                mine = self._making[key] = Future()
        return self._made(key, mine) if awaited is None else awaited.result()

    def _made(self, key: tuple[*Key], told: Future[T]) -> T:
        try:
            result = self._make(*key)
        except BaseException as problem:
            with self._lock:
                del self._making[key]
            told.set_exception(problem)
            raise
        with self._lock:
            del self._making[key]
            self._kept[key] = result
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        told.set_result(result)
        return result
