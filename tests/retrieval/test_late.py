"""Late vectors: any span's is the mean of its token vectors, from one pass over the documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.cut import cut
from chunkwright.model import Document
from chunkwright.quality.additions import name_the_subject
from chunkwright.retrieval import late
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.embedders import Vectors
from chunkwright.retrieval.late import Late, RunningSums, TokenSums, token_sums, windows
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.vectors import VectorCache
from chunkwright.setup import Setup
from tests.retrieval.fakes import WORD, Words

TEXT = " ".join(f"w{number % 37}" for number in range(1500))


def pairs(low: np.ndarray, high: np.ndarray) -> list[tuple[int, int]]:
    return list(zip(low.tolist(), high.tolist(), strict=True))


@given(st.integers(0, 2000), st.integers(1, 300), st.data())
def test_windows_use_every_token_once_with_context_around(
    tokens: int, width: int, data: st.DataObject
) -> None:
    margin = data.draw(st.integers(0, (width - 1) // 2))
    made = list(windows(tokens, width, margin))
    used = [at for window in made for at in range(window.low, window.high)]
    assert used == list(range(tokens))
    for window in made:
        assert window.start <= window.low < window.high <= window.end
        assert window.end - window.start <= width
        assert window.low - window.start >= margin or window.low == 0
        assert window.end - window.high >= margin or window.high == tokens


def test_windows_cost_a_third_more_than_the_text() -> None:
    width = 254
    for tokens in (255, 400, 1200, 100_000):
        read = sum(window.end - window.start for window in windows(tokens, width, width // 8))
        assert read <= 4 / 3 * tokens


@given(
    st.lists(st.integers(0, 700), max_size=5),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0, 1 << 28]),
)
def test_running_sums_are_the_sums(parts: list[int], seed: int, memory: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(sum(parts), 3)).astype(np.float32)
    sums = RunningSums(len(rows), 3, memory)
    first = 0
    for part in parts:
        sums.append(rows[first : first + part])
        first += part
    low = random.integers(0, len(rows) + 1, 50)
    high = low + random.integers(0, len(rows) + 1, 50) * (len(rows) - low) // max(1, len(rows))
    expected = [rows[start:end].sum(axis=0, dtype=np.float64) for start, end in pairs(low, high)]
    np.testing.assert_allclose(sums.over(low, high), expected, atol=1e-4)


def test_means_stay_exact_however_long_the_text() -> None:
    # Vectors with a common part, as those of a real model have: a plain sum in float32 would
    # grow without end and lose the third digit of a short span's mean.
    random = np.random.default_rng(0)
    rows = (random.normal(size=(1 << 20, 2)) + 1).astype(np.float32)
    sums = RunningSums(len(rows), 2)
    sums.append(rows)
    for length in (1, 20, 300, 5000):
        low = random.integers(0, len(rows) - length, 200)
        found = sums.over(low, low + length) / length
        expected = [rows[at : at + length].mean(axis=0, dtype=np.float64) for at in low]
        np.testing.assert_allclose(found, expected, atol=1e-5)


def direct(words: Words, text: str) -> tuple[np.ndarray, Vectors]:
    """Where each token starts and its vector, by the plain way: window after window."""
    tokens = words.tokens(text)
    width = words.limit or len(tokens.ids)
    vectors = [
        words.token_vectors([tokens.ids[window.start : window.end]])[0][
            window.low - window.start : window.high - window.start
        ]
        for window in windows(len(tokens.ids), width, width // 8)
    ]
    return tokens.starts, np.concatenate(vectors)


@pytest.mark.parametrize("memory", [0, 1 << 28])
@pytest.mark.parametrize("limit", [16, 24, 4000])
def test_pooled_spans_are_direct_means(limit: int, memory: int) -> None:
    words = Words(limit=limit)
    offset = 1000
    sums = token_sums(words, VectorCache(), ["", TEXT], np.array([offset - 1, offset]), memory)
    starts, vectors = direct(words, TEXT)
    random = np.random.default_rng(limit)
    low = random.integers(0, len(starts), 100)
    high = np.minimum(low + random.integers(1, 200, 100), len(starts))
    ends = np.append(starts, len(TEXT))[high]
    found = sums.over(starts[low] + offset, ends + offset) / (high - low)[:, None]
    expected = [vectors[a:b].mean(axis=0) for a, b in pairs(low, high)]
    np.testing.assert_allclose(found, expected, atol=1e-3)  # float16 in between
    rounded = vectors.astype(np.float16).astype(np.float64)
    expected = [rounded[a:b].mean(axis=0) for a, b in pairs(low, high)]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_span_inside_a_token_gets_that_token_and_one_outside_gets_none() -> None:
    sums = RunningSums(2, 1)
    sums.append(np.array([[1], [10]], np.float32))
    tokens = TokenSums(np.array([2, 10]), np.array([8, 12]), sums)
    starts, ends = np.array([0, 2, 4, 6, 8, 0, 11, 13]), np.array([2, 8, 6, 11, 10, 20, 12, 14])
    assert tokens.over(starts, ends).ravel().tolist() == [0, 1, 1, 10, 0, 11, 10, 0]


def vectors_of(setup: str, documents: list[Document], made: Late) -> tuple[Pool, Vectors]:
    pool = Pool(Collection(documents), Setup.parse(setup))
    return pool, made.vectors(pool)


@pytest.mark.parametrize("setup", ["fixed:100c", "sentence:30t", "fixed:40t+10t", "recursive:9w"])
def test_a_chunk_is_the_mean_of_its_tokens(setup: str) -> None:
    words = Words()
    text = TEXT.replace("w7 ", "w7. ")
    pool, found = vectors_of(setup, [Document("a.txt", text)], Late(words))
    starts, vectors = direct(words, text)
    for (start, end), vector in zip(pool.spans.pairs(), found, strict=True):
        inside = (starts >= start) & (starts < end)
        mean = vectors[inside].mean(axis=0)
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=1e-3)


def test_a_document_that_fits_is_read_whole_and_a_chunk_knows_its_context() -> None:
    words = Words(limit=None)
    text = "The lamp is old. It blinks."
    pool, found = vectors_of("sentence:1s", [Document("a.txt", text)], Late(words))
    assert words.windows == [6]
    alone = words.embed(["It blinks."])
    assert len(pool) == 2
    assert np.linalg.norm(found[1] - alone[0]) > 0.01


def test_one_pass_serves_every_setup() -> None:
    words = Words()
    collection = Collection([Document("a.txt", TEXT), Document("b.txt", TEXT[::-1])])
    made = Late(words)
    made.scores(Pool(collection, Setup.parse("fixed:100c")), ["w1?"])
    once = len(words.windows)
    for setup in ("fixed:300c+20c", "sentence:50t", "recursive:80t+20%"):
        made.scores(Pool(collection, Setup.parse(setup)), ["w1?"])
    assert len(words.windows) == once
    assert sum(words.windows) <= 1.5 * 2 * 1500


def test_windows_outlive_the_run(tmp_path: Path) -> None:
    documents = [Document("a.txt", TEXT)]
    path = tmp_path / "vectors.sqlite"
    _, first = vectors_of("fixed:100c", documents, Late(Words(), VectorCache(path)))
    words = Words()
    _, again = vectors_of("fixed:100c", documents, Late(words, VectorCache(path)))
    np.testing.assert_array_equal(first, again)
    assert words.windows == []


def test_windows_are_saved_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late, "_SAVED_TOKENS", 40)
    path = tmp_path / "vectors.sqlite"

    class Failing(Words):
        def token_vectors(self, windows: list[np.ndarray]) -> list[Vectors]:  # type: ignore[override]
            if len(self.windows) > 20:
                raise MemoryError
            return super().token_vectors(windows)

    failing = Failing()
    with pytest.raises(MemoryError):
        vectors_of("fixed:100c", [Document("a.txt", TEXT)], Late(failing, VectorCache(path)))
    words, whole = Words(), Words()
    _, found = vectors_of("fixed:100c", [Document("a.txt", TEXT)], Late(words, VectorCache(path)))
    _, expected = vectors_of("fixed:100c", [Document("a.txt", TEXT)], Late(whole))
    np.testing.assert_array_equal(found, expected)
    assert len(words.windows) < len(whole.windows)


def test_a_header_counts_in_the_mean() -> None:
    words = Words(limit=64)
    documents = [Document("a.md", "# Lamp\n\nIt blinks blue.\n\n## Care\n\nIt needs none.")]
    pool, found = vectors_of("header:20t|headers", documents, Late(words))
    bare_pool, bare = vectors_of("header:20t", documents, Late(words))
    assert pool.spans.pairs() == bare_pool.spans.pairs()
    starts, vectors = direct(words, documents[0].text)
    for index, text in enumerate(pool.embed_texts()):
        start, end = pool.spans.pairs()[index]
        header = text[: len(text) - (end - start)]
        total = vectors[(starts >= start) & (starts < end)].sum(axis=0)
        if header:
            total = total + direct(words, header)[1].sum(axis=0)
        np.testing.assert_allclose(found[index], total / np.linalg.norm(total), atol=1e-3)
        assert bool(header) == (not np.allclose(found[index], bare[index], atol=1e-3))


def test_a_replaced_pronoun_counts_in_place_of_the_word() -> None:
    words = Words(limit=64)
    text = "# Hub\n\nAn opening sentence stands here. It also adds reports."
    searched, setup = Collection([Document("a.md", text)]), Setup.parse("sentence:1s")
    cuts = [name_the_subject(cut(analysis, setup)) for analysis in searched.analyses]
    pool = Pool(searched, setup, cuts=cuts)
    found = Late(words).vectors(pool)
    leads = {at: lead for made in pool.cuts for at, lead in made.leads.items()}
    assert leads
    starts, vectors = direct(words, text)
    for at, lead in leads.items():
        start, end = pool.spans.pairs()[at]
        total = vectors[(starts >= start + lead.skip) & (starts < end)].sum(axis=0)
        total = total + direct(words, lead.words)[1].sum(axis=0)
        np.testing.assert_allclose(found[at], total / np.linalg.norm(total), atol=1e-3)


def test_a_prompt_stands_before_every_window() -> None:
    words = Words(limit=16, prompts=("passage: ", "query: "))
    sums = token_sums(words, VectorCache(), [TEXT], np.array([0]))
    assert max(words.windows) == 16
    assert len(sums.starts) == len(list(WORD.finditer(TEXT)))


def test_a_text_without_tokens_scores_in_the_middle() -> None:
    class Deaf(Words):
        def tokens(self, text: str) -> late.Tokens:
            return super().tokens("")

    made = Late(Deaf())
    pool = Pool(Collection([Document("a.txt", "One. Two.")]), Setup.parse("sentence:1s"))
    assert made.scores(pool, ["one"]).tolist() == [[0.5, 0.5]]
