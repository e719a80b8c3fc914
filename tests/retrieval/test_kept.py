"""What was made for pools is kept while they live, and only so much of it."""

from __future__ import annotations

import gc

import pytest

from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.kept import Kept
from chunkwright.retrieval.pool import Pool
from chunkwright.setup import Setup


def pools(count: int) -> list[Pool]:
    return [Pool(Collection([]), Setup.parse("fixed:9c")) for _ in range(count)]


@pytest.mark.parametrize(
    ("sizes", "left"),
    [
        ([4, 4, 2], [0, 1, 2]),
        ([4, 4, 3], [1, 2]),
        ([1, 1, 99], [2]),  # more than the limit alone
        ([99, 1, 1], [1, 2]),
    ],
)
def test_the_newest_stay(sizes: list[int], left: list[int]) -> None:
    some, kept = pools(len(sizes)), Kept[int](limit=10)
    for at, (pool, size) in enumerate(zip(some, sizes, strict=True)):
        assert kept.put(pool, at, size) == at
    assert [at for at, pool in enumerate(some) if kept.get(pool) == at] == left


def test_a_value_that_is_put_again_counts_once() -> None:
    (first, second), kept = pools(2), Kept[str](limit=10)
    for value, size in (("a", 6), ("b", 6)):
        kept.put(first, value, size)
    kept.put(second, "c", 4)
    assert (kept.get(first), kept.get(second)) == ("b", "c")


def test_nothing_outlives_its_pool() -> None:
    some, kept = pools(2), Kept[str]()
    for pool in some:
        kept.put(pool, "x", 1)
    del some[0], pool
    gc.collect()
    assert len(kept._values) == 1
