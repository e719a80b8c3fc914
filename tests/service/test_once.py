"""One result a key, however many threads ask at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from chunkwright.service.once import Once


def at_once(count: int, ask: Callable[[int], object]) -> list[object]:
    """What is given to some threads that ask at the same time: a result, or what was raised."""
    ready = Barrier(count)

    def asked(number: int) -> object:
        ready.wait(10)
        try:
            return ask(number)
        except Exception as problem:
            return problem

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(asked, range(count)))


def test_a_key_is_made_once() -> None:
    made: list[str] = []

    def make(name: str) -> object:
        time.sleep(0.05)
        made.append(name)
        return object()

    once = Once(make, 4)
    found = at_once(16, lambda number: once("ab"[number % 2]))
    assert sorted(made) == ["a", "b"]
    assert len(set(map(id, found))) == 2
    assert once("a") is found[0]


def test_a_slow_key_holds_no_other_one_back() -> None:
    begun, go_on = Event(), Event()

    def make(name: str) -> str:
        if name == "slow":
            begun.set()
            assert go_on.wait(10)
        return name

    once = Once(make, 4)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(once, "slow")
        assert begun.wait(10)
        assert once("fast") == "fast"
        assert not slow.done()
        go_on.set()
        assert slow.result(10) == "slow"


def test_what_was_asked_for_last_is_kept() -> None:
    made: list[int] = []

    def make(number: int) -> int:
        made.append(number)
        return number

    once = Once(make, 2)
    for number in (1, 2, 1, 3, 1, 2):
        assert once(number) == number
    assert made == [1, 2, 3, 2]


def test_a_failure_is_told_to_all_who_wait_and_is_not_kept() -> None:
    tried: list[int] = []
    working = Event()

    def make(number: int) -> int:
        tried.append(number)
        time.sleep(0.1)
        if not working.is_set():
            raise ValueError("not yet")
        return number

    once = Once(make, 2)
    found = at_once(6, lambda _: once(7))
    assert [str(each) for each in found] == ["not yet"] * 6
    assert len(tried) < 6
    with pytest.raises(ValueError, match="not yet"):
        once(7)
    working.set()
    assert at_once(6, lambda _: once(7)) == [7] * 6
    assert once(8) == 8
