"""Marks: positions keep their rows, and nothing is asked of them twice."""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.spans import Integers
from chunkwright.text.marks import Marks


@given(st.lists(st.lists(st.integers(0, 40), max_size=12), max_size=8))
def test_rows_are_stable_and_columns_are_asked_once(groups: list[list[int]]) -> None:
    marks = Marks(lambda positions: positions - 1)
    asked: list[int] = []

    def doubled(positions: Integers, ends: Integers) -> tuple[Integers, Integers]:
        asked.extend(positions.tolist())
        return 2 * positions, 3 * ends

    known: dict[int, int] = {}
    for group in groups:
        rows = marks.rows(np.array(group, np.int64))
        for position, row in zip(group, rows.tolist(), strict=True):
            assert known.setdefault(position, row) == row
        twice, thrice = marks.columns("doubled", doubled)
        assert marks.positions[rows].tolist() == group
        assert twice[rows].tolist() == [2 * position for position in group]
        assert thrice[rows].tolist() == [3 * position - 3 for position in group]
    assert sorted(asked) == sorted(known)


def test_threads_share_them() -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            marks = Marks(lambda positions: positions - 1)
            groups = [np.arange(at, 4000, 7 + at) for at in range(8)]
            with ThreadPoolExecutor(8) as threads:
                found = list(threads.map(marks.rows, groups))
            for group, rows in zip(groups, found, strict=True):
                np.testing.assert_equal(marks.positions[rows], group)
            assert len(marks) == len(np.unique(np.concatenate(groups)))
    finally:
        sys.setswitchinterval(interval)


def test_a_copy_starts_with_nothing() -> None:
    marks = Marks(abs)
    marks.rows(np.array([3]))
    assert len(pickle.loads(pickle.dumps(marks))) == 0
