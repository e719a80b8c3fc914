"""Positions as browsers count them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.lab.units import Units


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_units_are_those_of_utf_16(text: str) -> None:
    units = Units(text)
    expected = [len(text[:at].encode("utf-16-le")) // 2 for at in range(len(text) + 1)]
    assert units.of(np.arange(len(text) + 1)).tolist() == expected
    assert [units.point(unit) for unit in expected] == list(range(len(text) + 1))


def test_inside_a_pair_it_is_the_character_itself() -> None:
    assert Units("a😀b").point(2) == 1
