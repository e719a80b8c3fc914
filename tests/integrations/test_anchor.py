from __future__ import annotations

import random
import time
import unicodedata
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chunkwright.chunking.dress import chunk
from chunkwright.integrations.anchor import Method, anchor
from chunkwright.model import Document

WORDS = "lamp desk button blue hums motor rises café press cloth wipes socket ﬁve twice rails"


def document(seed: int, sentences: int = 60) -> str:
    """A text of sentences, in paragraphs, each of its own number."""
    dice = random.Random(seed)
    parts = []
    for number in range(sentences):
        words = " ".join(dice.choices(WORDS.split(), k=dice.randint(4, 12)))
        parts.append(f"{words.capitalize()} {number}." + dice.choice([" ", " ", "\n", "\n\n"]))
    return "".join(parts)


def spans_of(text: str, setup: str) -> list[tuple[int, int]]:
    return [(each.start, each.end) for each in chunk(Document("a.txt", text), setup)]


def found(text: str, chunks: list[str]) -> list[tuple[int, int]]:
    anchors = anchor(text, chunks)
    assert (anchors.methods != Method.NONE).all()
    return list(zip(anchors.starts.tolist(), anchors.ends.tolist(), strict=True))


SETUPS = st.sampled_from(["fixed:90c+20c", "sentence:2s", "sentence:3s+1s", "recursive:120c"])
CHANGES: dict[str, Callable[[str], str]] = {
    "none": lambda text: text,
    "white space collapsed": lambda text: " ".join(text.split()),
    "white space dropped": lambda text: "".join(text.split()),
    "white space doubled": lambda text: text.replace(" ", "  ").replace("\n", "\r\n"),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "decomposed": lambda text: unicodedata.normalize("NFKD", text),
    "soft hyphens": lambda text: text.replace("utt", "ut\u00adt"),
    "entities": lambda text: text.replace(".", "&#46;"),
}


@pytest.mark.parametrize("change", CHANGES)
@given(seed=st.integers(0, 10_000), setup=SETUPS)
def test_what_tools_do_to_a_text_moves_no_span(change: str, seed: int, setup: str) -> None:
    text = document(seed)
    spans = spans_of(text, setup)
    assert found(text, [CHANGES[change](text[low:high]) for low, high in spans]) == spans


@given(st.integers(0, 10_000), SETUPS, st.randoms(use_true_random=False))
def test_order_does_not_matter(seed: int, setup: str, dice: random.Random) -> None:
    text = document(seed)
    spans = spans_of(text, setup)
    dice.shuffle(spans)
    collapsed = [" ".join(text[low:high].split()) for low, high in spans]
    assert found(text, collapsed) == spans


@given(st.lists(st.integers(0, 3), min_size=2, max_size=30))
def test_repeated_paragraphs_are_told_by_their_order(numbers: list[int]) -> None:
    paragraphs = [
        *("The lamp blinks blue.", "Press the button twice.", "Wipe it with a cloth."),
        "The desk rises.  It hums.",
    ]
    text = "\n\n".join(paragraphs[number] for number in numbers)
    spans, at = [], 0
    for number in numbers:
        spans.append((at, at + len(paragraphs[number])))
        at += len(paragraphs[number]) + 2
    assert found(text, [paragraphs[number] for number in numbers]) == spans
    assert found(text, [" ".join(paragraphs[number].split()) for number in numbers]) == spans


@given(st.lists(st.integers(0, 3), min_size=2, max_size=30), st.randoms(use_true_random=False))
def test_copies_out_of_order_get_a_place_each(numbers: list[int], dice: random.Random) -> None:
    paragraphs = ["The lamp blinks.", "Press it twice.", "Wipe it well.", "The desk rises."]
    text = "\n\n".join(paragraphs[number] for number in numbers)
    chunks = [paragraphs[number] for number in numbers]
    dice.shuffle(chunks)
    spans = found(text, chunks)
    assert len(set(spans)) == len(spans)
    assert [text[low:high] for low, high in spans] == chunks


@given(st.integers(0, 10_000), st.sampled_from(["sentence:2s", "sentence:3s+1s"]))
def test_a_header_that_is_not_in_the_source_is_left_out(seed: int, setup: str) -> None:
    text = document(seed)
    spans = spans_of(text, setup)
    assert found(text, [f"[Guide > Part {low}]\n{text[low:high]}" for low, high in spans]) == spans


@example(1176)  # the first words would be strewn over like ones before them
@given(st.integers(0, 10_000))
def test_an_altered_chunk_is_found_where_it_was(seed: int) -> None:
    text = document(seed, 200)
    spans = spans_of(text, "sentence:5s")
    dice = random.Random(seed)

    def altered(part: str) -> str:
        letters = list(part)
        for at in dice.sample(range(8, len(part) - 8), 3):
            letters[at] = "x"
        return "".join(letters)

    anchors = anchor(text, [altered(text[low:high]) for low, high in spans])
    assert set(anchors.methods.tolist()) <= {Method.FUZZY, Method.EXACT}
    for (low, high), start, end in zip(
        spans, anchors.starts.tolist(), anchors.ends.tolist(), strict=True
    ):
        # Words at its ends may be lost, where they are what was altered.
        assert abs(low - start) + abs(high - end) <= 30


def test_a_long_altered_chunk_is_found_by_its_ends() -> None:
    text = document(3, 1000)
    low, high = text.index("300."), text.index("700.")
    low, high = text.index(" ", low) + 1, high + 4
    part = text[low:high]
    assert len(part) > 10_000
    altered = "[Guide > Part]\n" + part[:2000] + "x" + part[2001:9000] + part[9003:]
    anchors = anchor(text, [altered])
    assert anchors.methods.tolist() == [Method.FUZZY]
    assert abs(anchors.starts[0] - low) + abs(anchors.ends[0] - high) <= 12


def test_what_is_said_is_checked() -> None:
    text = "The lamp. The lamp. The lamp."
    right = anchor(text, ["The lamp."], np.array([10]))
    assert (right.starts[0], right.methods[0]) == (10, Method.OFFSETS)
    wrong = anchor(text, ["The lamp."], np.array([13]))
    assert (wrong.starts[0], wrong.methods[0]) == (0, Method.EXACT)
    far = anchor(text, ["The lamp."], np.array([1 << 40]))
    assert (far.starts[0], far.methods[0]) == (0, Method.EXACT)
    dressed = anchor(text, ["The  lamp."], np.array([20]))
    assert (dressed.starts[0], dressed.methods[0]) == (20, Method.WHITE_SPACE)


def test_a_short_chunk_is_not_taken_from_inside_the_one_before() -> None:
    text = "It is on. Yes. It blinks twice. Yes."
    assert found(text, ["It is on. Yes. It blinks twice.", "Yes."]) == [(0, 31), (32, 36)]


def test_a_chunk_twice_in_the_file_has_one_place() -> None:
    assert found("The lamp hums.", ["The lamp hums.", "The lamp hums."]) == [(0, 14), (0, 14)]


@pytest.mark.parametrize("text", ["", " \n ", "The lamp."])
def test_what_is_not_there_is_not_found(text: str) -> None:
    chunks = ["Completely other words stand in here, as anyone can see.", "", " ", "\u00ad"]
    assert anchor(text, chunks).methods.tolist() == [Method.NONE] * 4
    assert len(anchor(text, []).starts) == 0


def test_a_text_of_other_words_is_not_like() -> None:
    text = document(1, 300)
    other = "Quite another matter was told by somebody else in a foreign country long ago. " * 3
    assert anchor(text, [other]).methods.tolist() == [Method.NONE]


def test_time_grows_with_the_text_on_bad_shapes() -> None:
    def seconds(size: int) -> float:
        begun = time.process_time()
        text = "a" * size
        anchor(text, ["a" * 500 + "b"] * (size // 500))
        anchor("the lamp. " * (size // 10), ["the lamp.the lamp. " * 20] * (size // 500))
        return time.process_time() - begun

    small = max(0.05, min(seconds(100_000) for _ in range(2)))
    assert seconds(400_000) < 10 * small
