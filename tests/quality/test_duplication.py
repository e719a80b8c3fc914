from __future__ import annotations

import random

import numpy as np
import pytest

from chunkwright.chunking.cut import cut
from chunkwright.model import Document
from chunkwright.quality.checker import findings
from chunkwright.quality.settings import Settings
from chunkwright.setup import Setup
from chunkwright.spans import Spans
from chunkwright.text.analysis import Analysis
from tests.quality.chunked import chunked, spans_of

WORDS = [f"{first}{last}" for first in "bdfgklmnprst" for last in ("al", "en", "ip", "oru", "usk")]


def passage(draw: random.Random, length: int = 40) -> list[str]:
    return [draw.choice(WORDS) for _ in range(length)]


def test_a_copy_is_found_where_it_comes_again_and_told_where_it_was() -> None:
    one = chunked("Press it.\n\n¦Hold it.\n\n¦press  IT.", "a.md")
    other = chunked("Let go.\n\n¦Hold it.", "b.md")
    found = list(findings([one, other], Settings(select=("D401",))))
    assert [(each.document_id, each.index) for each in found] == [("a.md", 2), ("b.md", 1)]
    assert found[1].message == "duplicate: 'Hold it.': as a.md:3"


@pytest.mark.parametrize(("changed", "found"), [(0, False), (2, True), (20, False)])
def test_near_duplicates_are_alike_and_not_the_same(changed: int, found: bool) -> None:
    draw = random.Random(3)
    first = passage(draw)
    second = list(first)
    for at in draw.sample(range(len(first)), changed):
        second[at] = "other"
    made = chunked(f"{' '.join(first)}.\n\n¦{' '.join(passage(draw))}.\n\n¦{' '.join(second)}.")
    assert bool(spans_of("D402", made)) is found


def test_pairs_found_are_those_that_all_pairs_give() -> None:
    draw = random.Random(5)
    texts = [passage(draw) for _ in range(60)]
    for at in range(0, 60, 3):  # a version of each third one, more or less changed
        version = list(texts[at])
        for place in draw.sample(range(40), at // 12):
            version[place] = draw.choice(WORDS)
        texts.append(version)

    def shingles(words: list[str]) -> set[tuple[str, ...]]:
        return set(zip(words, words[1:], words[2:], strict=False))

    wanted = set()
    for later, words in enumerate(texts):
        for before in texts[:later]:
            one, other = shingles(words), shingles(before)
            if words != before and len(one & other) >= 0.7 * len(one | other):
                wanted.add(later)
    made = chunked("\n\n¦".join(" ".join(words) for words in texts), "a.txt")
    found = {each.index for each in findings([made], Settings(select=("D402",)))}
    assert len(wanted) >= 5
    assert found == wanted


def test_the_overlap_of_neighbours_is_no_near_duplicate() -> None:
    text = " ".join(passage(random.Random(1), 400))
    made = cut(Analysis(Document("a.txt", text)), Setup.parse("fixed:50w+40w"))
    assert not spans_of("D402", made)


def test_very_many_alike_are_compared_with_few() -> None:
    draw = random.Random(2)
    base = passage(draw)
    several = []
    for _ in range(3000):
        several.append(list(base))
        several[-1][draw.randrange(40)] = draw.choice(WORDS)
    made = chunked("\n\n¦".join(" ".join(words) for words in several), "a.txt")
    found = sum(1 for _ in findings([made], Settings(select=("D4",))))
    assert found >= 2900


def test_a_chunk_in_another_one_is_found_but_not_two_that_overlap() -> None:
    made = chunked("Press it. Hold it. Let go.")

    def spans(*pairs: tuple[int, int]) -> list[str]:
        starts, ends = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
        return spans_of(
            "D403",
            type(made)(made.analysis, made.setup, made.counter, Spans(starts, ends), made.walls),
        )

    assert spans((0, 26), (10, 18)) == ["Hold it."]
    assert not spans((0, 18), (10, 26))
    assert not spans((0, 18), (0, 18))


def test_overlap_asked_and_achieved() -> None:
    long = " ".join(passage(random.Random(1), 30)).capitalize() + ". "
    made = cut(Analysis(Document("a.txt", long * 8)), Setup.parse("sentence:200c+20%"))
    (found,) = findings([made], Settings(select=("D404",)))
    assert found.message.endswith("0% achieved, 20% asked")
    short = "Some words here. " * 60
    made = cut(Analysis(Document("a.txt", short)), Setup.parse("sentence:200c+20%"))
    assert not spans_of("D404", made)


@pytest.mark.parametrize(("overlap", "found"), [(20, False), (40, True)])
def test_much_overlap_is_told(overlap: int, found: bool) -> None:
    text = " ".join(passage(random.Random(1), 400))
    made = cut(Analysis(Document("a.txt", text)), Setup.parse(f"fixed:100w+{overlap}w"))
    assert bool(spans_of("D405", made)) is found
