"""Embedders by name, what one cuts off, and texts put together to be embedded."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.errors import ChunkwrightError, TruncationWarning
from chunkwright.retrieval.embedders import (
    Truncation,
    batches,
    checked,
    embedder,
    is_embedder,
    truncated,
)
from chunkwright.retrieval.wordllama import wordllama
from tests.retrieval.fakes import Words

COUNTS = st.lists(st.integers(0, 300), max_size=60).map(lambda some: np.array(some, np.int64))


@given(COUNTS, st.integers(1, 500))
def test_batches_hold_every_text_once_the_longest_first_and_are_never_too_large(
    lengths: np.ndarray, tokens: int
) -> None:
    made = list(batches(lengths, tokens))
    order = np.concatenate([np.empty(0, np.int64), *made])
    assert sorted(order.tolist()) == list(range(len(lengths)))
    assert (np.diff(lengths[order]) <= 0).all()
    for batch in made:
        assert len(batch) == 1 or len(batch) * max(1, lengths[batch].max()) <= tokens


@given(COUNTS, st.none() | st.integers(1, 300))
def test_truncation_counts_texts_and_tokens_over_the_limit(
    counts: np.ndarray, limit: int | None
) -> None:
    found = Truncation.of(counts, limit)
    over = [count - limit for count in counts.tolist() if limit is not None and count > limit]
    assert (found.long_texts, found.lost_tokens) == (len(over), sum(over))
    assert (found.texts, found.tokens) == (len(counts), sum(counts.tolist()))
    assert 0 <= found.share < 1
    assert (found.warning("words") is None) == (not over)


def test_br_203_what_is_cut_off_is_counted() -> None:
    words = Words(limit=512)
    long, short = "word " * 700, "word " * 512
    found = truncated(words, [long, short])
    assert (found.long_texts, found.lost_tokens, found.longest) == (1, 188, 700)
    assert words.asked == []  # nothing was embedded for it
    warning = found.warning("words", "chunks of recursive:1000w")
    assert isinstance(warning, TruncationWarning)
    assert str(warning) == (
        "words reads 512 of its tokens of a text: 1 of 2 chunks of recursive:1000w are longer "
        "(up to 700), 188 of 1,212 tokens (15.5%) are not seen; use a smaller size or the "
        "retriever 'late'"
    )


def test_a_prompt_takes_room_too() -> None:
    assert truncated(Words(limit=3, prompts=("text: ", "")), ["one two three"]).lost_tokens == 1


@pytest.mark.parametrize("vectors", [np.zeros((1, 8)), np.zeros((2, 7)), np.full((2, 8), np.nan)])
def test_vectors_of_a_wrong_shape_or_that_are_no_numbers_are_refused(vectors: np.ndarray) -> None:
    with pytest.raises(ChunkwrightError, match=r"embedder 'words' gave .*vector"):
        checked(vectors, 2, Words())


def test_an_unknown_embedder_gets_a_hint() -> None:
    assert not is_embedder("minilmm")
    with pytest.raises(ChunkwrightError, match=r"unknown embedder 'minilmm': .*'minilm'"):
        embedder("minilmm")


def test_a_missing_extra_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from chunkwright.retrieval import transformer

    monkeypatch.setattr(transformer, "find_spec", lambda name: None)
    transformer.minilm.cache_clear()
    with pytest.raises(ChunkwrightError) as caught:
        embedder("minilm")
    assert str(caught.value) == (
        "minilm needs packages that are not installed: "
        "pip install 'chunkwright[sentence-transformers]'"
    )


def test_static_vectors_of_whole_texts() -> None:
    static = wordllama()
    texts = ["A cat sleeps on the sofa.", "A kitten naps on a couch.", "Interest rates rose.", ""]
    vectors = static.embed(texts)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 1, 1, 0], atol=1e-6)
    likeness = vectors @ vectors.T
    assert likeness[0, 1] > likeness[0, 2] + 0.1
    assert static.count(texts).tolist()[-1] == 0
    assert truncated(static, texts).long_texts == 0


def test_strict_users_make_it_an_error() -> None:
    from chunkwright.retrieval.vectors import VectorCache

    words = Words(limit=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TruncationWarning)
        with pytest.raises(TruncationWarning, match=r"1 of 1 chunks .* 1 of 3 tokens"):
            VectorCache().embed(words, ["one two three"], "chunks")
    assert words.asked == []
