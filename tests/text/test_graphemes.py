"""Grapheme clusters: no cut inside one, judged by `regex`'s own reading of UAX 29."""

from __future__ import annotations

import numpy as np
import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from chunkwright.text.characters import code_points, kinds
from chunkwright.text.graphemes import Clusters, forbidden
from tests.properties.strategies import texts

HOSTILE = [
    "a", " ", "\r", "\n", "\r\n", "\u0301", "\u0308", "\u200d", "\u200c", "\ufe0f", "\u20e3", "1",
    "🚀", "👩", "👍", "🏽", "🇩", "🇪", "🏴", "\U000e0067", "\U000e007f", "\u1100", "\u1161",
    "\u11a8", "각", "가", "क", "\u094d", "\u093f", "ष", "ก", "\u0e33", "\u0e31", "\u0600", "\u070f",
    "\x00", "\u00ad", "\u200b", "\ufeff", "\u2028", "é", "東", "\u0903", "\U0001f1e6",
]  # fmt: skip


def found_in(text: str) -> list[int]:
    points = code_points(text)
    return forbidden(text, points, kinds(points)).tolist()


def inside_of(text: str) -> list[int]:
    return [
        position
        for cluster in regex.finditer(r"\X", text)
        for position in range(cluster.start() + 1, cluster.end())
    ]


@given(st.lists(st.sampled_from(HOSTILE), max_size=40).map("".join))
@example("\r\n\r\r\n")
@example("🇩🇪🇫🇷🇩")
@example("क्षि\u200d🚀")
def test_forbidden_positions_are_those_inside_clusters(text: str) -> None:
    assert found_in(text) == inside_of(text)


@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    assert found_in(text) == inside_of(text)


@given(texts())
def test_texts_of_the_invariants(text: str) -> None:
    assert found_in(text) == inside_of(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("plain", []),
        ("a\r\nb", [2]),
        ("e\u0301", [1]),
        ("🇩🇪🇫🇷", [1, 3]),
        ("Ship it 👩‍🚀 today", [9, 10]),  # BR-098
        ("x👍🏽y", [2]),  # BR-095
        ("각", []),
        ("\u1100\u1161\u11a8", [1, 2]),
        ("กำ", [1]),
    ],
)
def test_known_clusters(text: str, expected: list[int]) -> None:
    assert found_in(text) == expected


@given(
    st.lists(st.integers(1, 30), max_size=20).map(lambda found: sorted(set(found))),
    st.lists(st.integers(0, 31), max_size=10),
)
def test_snapping_goes_to_the_start_of_the_cluster(inside: list[int], wanted: list[int]) -> None:
    def stepped(position: int, step: int) -> int:
        while position in inside:
            position += step
        return position

    clusters = Clusters(np.array(inside, np.int64))
    down = [stepped(position, -1) for position in wanted]
    assert [clusters.down(position) for position in wanted] == down
    assert [clusters.up(position) for position in wanted] == [stepped(at, 1) for at in wanted]
    positions = np.array(wanted, np.int64)
    assert clusters.all_down(positions).tolist() == down
    assert positions.tolist() == wanted
