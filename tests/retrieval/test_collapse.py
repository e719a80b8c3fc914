"""Near-duplicates among results, by their spans and by their words."""

from __future__ import annotations

import numpy as np

from chunkwright.retrieval.collapse import near_duplicates, shingles
from chunkwright.spans import Span


def words(*numbers: int) -> np.ndarray:
    return shingles(np.array(numbers, np.int64))


def own(count: int) -> list[np.ndarray]:
    """Shingles that no two results share."""
    return [words(3 * at, 3 * at + 1, 3 * at + 2) for at in range(count)]


def test_half_of_the_shorter_span_is_enough() -> None:
    assert near_duplicates([Span(0, 100), Span(95, 105)], own(2)) == [None, 0]
    assert near_duplicates([Span(0, 100), Span(96, 106)], own(2)) == [None, None]


def test_spans_that_only_touch_are_apart() -> None:
    assert near_duplicates([Span(0, 10), Span(10, 20)], own(2)) == [None, None]


def test_a_chain_of_neighbours_does_not_end_up_as_one() -> None:
    spans = [Span(0, 10), Span(5, 15), Span(10, 20), Span(15, 25)]
    assert near_duplicates(spans, own(4)) == [None, 0, None, 2]


def test_the_best_of_several_is_named() -> None:
    spans = [Span(0, 10), Span(20, 30), Span(0, 30)]
    assert near_duplicates(spans, own(3)) == [None, None, 0]


def test_nearly_the_same_words_in_other_places() -> None:
    text = list(range(30))
    changed = [*text[:-1], 99]  # one of 28 shingles differs: 27 of 29 are common
    other = [*text[:15], *range(50, 65)]
    spans = [Span(100 * at, 100 * at + 90) for at in range(3)]
    assert near_duplicates(spans, [words(*text), words(*changed), words(*other)]) == [
        None,
        0,
        None,
    ]


def test_the_same_words_in_another_order_are_another_text() -> None:
    spans = [Span(0, 10), Span(20, 30)]
    assert near_duplicates(spans, [words(1, 2, 3, 4), words(4, 3, 2, 1)]) == [None, None]


def test_texts_without_words_are_no_copies_of_each_other() -> None:
    assert near_duplicates([Span(0, 3), Span(5, 8)], [words(), words()]) == [None, None]


def test_texts_of_one_word_are_compared_by_it() -> None:
    spans = [Span(0, 3), Span(5, 8), Span(10, 13)]
    assert near_duplicates(spans, [words(7), words(7), words(8)]) == [None, 0, None]


def test_nothing_is_no_error() -> None:
    assert near_duplicates([], []) == []


def test_many_shingles_do_not_fall_together() -> None:
    numbers = np.random.default_rng(1).integers(0, 50, 200_000)
    distinct = len({tuple(numbers[at : at + 3].tolist()) for at in range(len(numbers) - 2)})
    assert len(shingles(numbers)) == distinct
