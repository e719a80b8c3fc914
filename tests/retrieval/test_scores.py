"""What the retrievers score: BM25 against its formula, cosines, and both fused."""

from __future__ import annotations

import gc
import math
import weakref
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.gold.goldset import GoldSet
from chunkwright.model import Document
from chunkwright.retrieval import static
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.fusion import HYBRID, Hybrid
from chunkwright.retrieval.lexical import BM25, Bm25
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Retriever, Scores
from chunkwright.retrieval.static import STATIC, Static, Vectors, term_vectors
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.text.words import terms
from tests.retrieval.test_counts import UNSPACED

WORDS = ["lamp", "hub", "blinks", "blue", "red", "reset", "the", "a"]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
CORPORA = st.lists(st.lists(SENTENCES, min_size=1, max_size=5), min_size=1, max_size=4)
QUESTIONS = st.lists(st.sampled_from([*WORDS, "zebra"]), max_size=5).map(" ".join)
SENTENCE = Setup.parse("sentence:1s")
RETRIEVERS: list[Retriever] = [BM25, STATIC, HYBRID]


def name(retriever: Retriever) -> str:
    return retriever.name


def documents(corpus: list[list[str]]) -> list[Document]:
    texts = [" ".join(f"{sentence.capitalize()}." for sentence in part) for part in corpus]
    return [Document(f"{at}.txt", text) for at, text in enumerate(texts)]


def pool_of(*texts: str) -> Pool:
    """A pool of whole documents."""
    collection = Collection([Document(f"{at}.txt", text) for at, text in enumerate(texts)])
    return Pool(collection, Setup.parse("fixed:1000c"))


def plain_bm25(texts: list[str], question: str, k1: float, b: float) -> list[float]:
    """BM25 with Lucene's idf, from its formula."""
    words = [text.lower().replace(".", "").split() for text in texts]
    mean = sum(map(len, words)) / len(words)
    scores = []
    for chunk in words:
        score = 0.0
        for term in question.split():
            held = sum(term in other for other in words)
            idf = math.log(1 + (len(words) - held + 0.5) / (held + 0.5))
            frequency = Counter(chunk)[term]
            norm = k1 * (1 - b + b * len(chunk) / mean)
            score += idf * frequency * (k1 + 1) / (frequency + norm)
        scores.append(score)
    return scores


class Plainly:
    """Scores of embed_texts that are read one by one: the straightforward path."""

    def __init__(self, pool: Pool) -> None:
        self.chunks = [terms(text).strings for text in pool.embed_texts()]
        documents = [analysis.document.text for analysis in pool.collection.analyses]
        self.shares = Counter(term for text in documents for term in terms(text).strings)

    def bm25(self, questions: list[str]) -> Scores:
        counts = [Counter(chunk) for chunk in self.chunks]
        lengths = np.array([len(chunk) for chunk in self.chunks])
        found = np.zeros((len(questions), len(self.chunks)))
        for row, question in enumerate(questions):
            for term in terms(question).strings:
                frequency = np.array([count[term] for count in counts])
                held = (frequency > 0).sum()
                idf = math.log(1 + (len(counts) - held + 0.5) / (held + 0.5))
                norm = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
                found[row] += idf * frequency * 2.2 / (frequency + norm)
        return found.astype(np.float32)

    def static(self, questions: list[str]) -> Scores:
        asked, chunks = self.vectors(map(words_of, questions)), self.vectors(self.chunks)
        return np.asarray((1 + asked @ chunks.T) / 2, np.float32)

    def vectors(self, texts: Iterable[list[str]]) -> Vectors:
        total = self.shares.total()
        rows = []
        for words in texts:
            weights = [1e-3 / (1e-3 + self.shares[word] / total) for word in words]
            row = np.array(weights, np.float64) @ term_vectors().of(words).astype(np.float64)
            rows.append(row / (np.linalg.norm(row) or 1))
        return np.array(rows, np.float32)

    def hybrid(self, questions: list[str]) -> Scores:
        first, second = self.bm25(questions), self.static(questions)
        for part in (first, second):
            part -= part.min(axis=1, keepdims=True)
            part /= np.maximum(part.max(axis=1, keepdims=True), 1e-9)
        return np.asarray(0.4 * first + 0.6 * second, np.float32)


def words_of(text: str) -> list[str]:
    return terms(text).strings


# Where scripts are not spaced, the edges of chunks part terms: see `test_counts`.
EXAMPLES = [each for each in Corpus.read("examples/docs") if not UNSPACED.search(each.text)]
ASKED = [question.question for question in GoldSet.read("examples/gold.jsonl")][::9]
SETUPS = [
    "fixed:40t+20t",  # cuts words, and overlaps
    "fixed:150c+50%|headers",
    "sentence:60t+1s|repair",
    "sentence:2s|parents=section|headers|repair",
    "recursive:200t+20%",
    "markdown:400c+100c|headers|repair",
    "header:100t|headers|parents=document",
]


@pytest.mark.parametrize("notation", SETUPS)
def test_scores_are_those_of_the_straightforward_path(notation: str) -> None:
    pool = Pool(Collection(EXAMPLES), Setup.parse(notation))
    plain = Plainly(pool)
    second = Static()
    for found, expected in (
        (BM25.scores(pool, ASKED), plain.bm25(ASKED)),
        (second.scores(pool, ASKED), plain.static(ASKED)),
        (Hybrid(second=second).scores(pool, ASKED), plain.hybrid(ASKED)),
    ):
        np.testing.assert_allclose(found, expected, atol=1e-5, rtol=1e-6)


def test_sums_of_vectors_do_not_depend_on_how_many_are_made_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for text in ("", "a lamp", "The lamp is blue and new. " * 40):
        pool = Pool(Collection([Document("a.txt", text)]), Setup.parse("fixed:30c+11c"))
        expected = static.TermTable(pool.collection, 1e-3).chunks(pool)
        monkeypatch.setattr(static, "_BLOCK", 7)
        monkeypatch.setattr(static, "_TERMS", 2)
        found = static.TermTable(pool.collection, 1e-3).chunks(pool)
        assert found.tobytes() == expected.tobytes()
        monkeypatch.undo()


def test_chunks_of_the_same_terms_have_the_same_scores_to_the_last_bit() -> None:
    words = [f"word{at}" for at in range(300)]
    texts = [
        f"{' '.join(words[: at * 7])}. The lamp is blue, {words[5]} and new! {words[at]}."
        for at in range(1, 30)
    ]
    pool = Pool(Collection(documents([[]]) + [
        Document(f"x{at}.txt", text) for at, text in enumerate(texts)
    ]), SENTENCE)  # fmt: skip
    same = [at for at, text in enumerate(pool.embed_texts()) if text.startswith("The lamp")]
    assert len(same) == len(texts)
    for retriever in (BM25, Static(), Hybrid(second=Static())):
        scores = np.round(retriever.scores(pool, ["a blue lamp", "word5 is new"]), 5)
        assert (scores[:, same] == scores[:, same[:1]]).all()
    vectors = static.TermTable(pool.collection, 1e-3).chunks(pool)
    assert (vectors[same] == vectors[same[0]]).all()


@given(CORPORA, QUESTIONS, st.floats(0.1, 3), st.floats(0, 1))
def test_bm25_is_its_formula(corpus: list[list[str]], question: str, k1: float, b: float) -> None:
    pool = Pool(Collection(documents(corpus)), SENTENCE)
    (found,) = Bm25(k1, b).scores(pool, [question])
    expected = plain_bm25(pool.embed_texts(), question, k1, b)
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_bm25_of_a_worked_example() -> None:
    # Two chunks of three terms: idf of a term in one of two is ln 2, and tf 1 at the mean
    # length weighs 2.2 / 2.2 = 1.
    (scores,) = BM25.scores(pool_of("blue lamp blinks", "red hub hums"), ["blue"])
    np.testing.assert_allclose(scores, [math.log(2), 0], atol=1e-6)


@given(SENTENCES, SENTENCES)
def test_cosine_is_symmetric(first: str, second: str) -> None:
    scores = Static().scores(pool_of(first, second), [first, second])
    np.testing.assert_allclose(scores, scores.T, atol=1e-6)
    np.testing.assert_allclose(np.diag(scores), 1, atol=1e-6)


@pytest.mark.parametrize("retriever", [STATIC, HYBRID], ids=name)
@given(CORPORA, st.lists(QUESTIONS, min_size=1, max_size=3))
def test_scores_lie_between_0_and_1(
    retriever: Retriever, corpus: list[list[str]], questions: list[str]
) -> None:
    pool = Pool(Collection(documents(corpus)), SENTENCE)
    scores = retriever.scores(pool, questions)
    assert scores.shape == (len(questions), len(pool))
    assert scores.min() >= -1e-6
    assert scores.max() <= 1 + 1e-6


@given(CORPORA, QUESTIONS)
def test_bm25_is_never_negative(corpus: list[list[str]], question: str) -> None:
    pool = Pool(Collection(documents(corpus)), SENTENCE)
    assert BM25.scores(pool, [question]).min() >= 0


def test_related_words_are_nearer_than_unrelated_ones() -> None:
    pool = pool_of("The cat sleeps on the sofa.", "Interest rates rose by a percent.")
    (scores,) = Static().scores(pool, ["a kitten naps on a couch"])
    assert scores[0] > scores[1] + 0.05


@pytest.mark.parametrize("retriever", [BM25, Static(), Hybrid(second=Static())], ids=name)
def test_scores_do_not_depend_on_what_was_asked_before(retriever: Retriever) -> None:
    texts = ("A red fox.", "A blue car.", "An old house by the sea.")
    alone = retriever.scores(pool_of(*texts), ["red house"])
    used = pool_of(*texts)
    retriever.scores(used, ["zebras and cars", "the sea"])
    np.testing.assert_allclose(retriever.scores(used, ["red house"]), alone, atol=1e-5)
    batch = retriever.scores(used, ["the sea", "red house"])
    np.testing.assert_allclose(batch[1:], alone, atol=1e-5)


# Short-lived collections are often made where one was just thrown away.
@pytest.mark.parametrize("retriever", [BM25, Static(), Hybrid(second=Static())], ids=name)
def test_scores_do_not_depend_on_other_collections(retriever: Retriever) -> None:
    def scores(*texts: str) -> Scores:
        return retriever.scores(pool_of(*texts), ["a red fox"])

    texts = ("A red fox.", "A blue car.", "An old house by the sea.")
    expected = scores(*texts)
    for _ in range(300):
        scores("one two three four five six seven eight nine ten eleven twelve")
        np.testing.assert_allclose(scores(*texts), expected, atol=1e-5)


@pytest.mark.parametrize("retriever", RETRIEVERS, ids=name)
def test_a_collection_and_its_pools_live_no_longer_than_they_are_used(retriever: Retriever) -> None:
    pool = pool_of("A red fox.", "A blue car.")
    retriever.scores(pool, ["a red car"])
    gone = weakref.ref(pool), weakref.ref(pool.collection)
    del pool
    gc.collect()
    assert [each() for each in gone] == [None, None]


@pytest.mark.parametrize("retriever", RETRIEVERS, ids=name)
def test_nothing_to_search_and_nothing_asked(retriever: Retriever) -> None:
    assert retriever.scores(pool_of(), ["lamp"]).shape == (1, 0)
    assert retriever.scores(pool_of(""), ["lamp"]).shape == (1, 0)
    assert retriever.scores(pool_of("A lamp."), []).shape == (0, 1)


def test_hybrid_of_one_retriever_is_that_retriever_scaled() -> None:
    pool = pool_of("A red fox.", "A blue car.", "A red car.")
    (bm25,) = BM25.scores(pool, ["red car"])
    (alone,) = Hybrid(weight=1).scores(pool, ["red car"])
    np.testing.assert_allclose(alone, (bm25 - bm25.min()) / np.ptp(bm25), atol=1e-6)


def test_hybrid_is_1_where_both_agree_on_the_best_and_0_where_on_the_worst() -> None:
    (scores,) = HYBRID.scores(pool_of("A red fox runs.", "Interest rates."), ["A red fox runs."])
    np.testing.assert_allclose(scores, [1, 0], atol=1e-6)


def test_hybrid_without_any_difference_is_0() -> None:
    (scores,) = HYBRID.scores(pool_of("Same words.", "Same words."), ["same"])
    assert scores.tolist() == [0, 0]
