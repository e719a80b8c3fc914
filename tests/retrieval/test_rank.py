"""Rankings: ties, parents, depth, and the same order every time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.model import Document
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.fusion import HYBRID, Hybrid
from chunkwright.retrieval.lexical import BM25
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Ranking, Retriever, Scores, _best, rank
from chunkwright.retrieval.static import STATIC
from chunkwright.setup import Setup
from tests.properties.strategies import setups, texts
from tests.retrieval.test_counts import pool_or_skip

RETRIEVERS: list[Retriever] = [BM25, STATIC, HYBRID]
GUIDE = "# Lamp\n\nIt blinks. It is blue.\n\n# Hub\n\nIt hums. It is red. It is old.\n"


def name(retriever: Retriever) -> str:
    return retriever.name


def pool_of(notation: str, *parts: str) -> Pool:
    documents = [Document(f"{at}.md", text) for at, text in enumerate(parts)]
    return Pool(Collection(documents), Setup.parse(notation))


def results(ranking: Ranking) -> list[list[int]]:
    return [[at for at in row if at >= 0] for row in ranking.order.tolist()]


@pytest.mark.parametrize("retriever", RETRIEVERS, ids=name)
def test_equal_chunks_rank_by_document_then_start(retriever: Retriever) -> None:
    pool = pool_of("sentence:1s", "A lamp. Hubs hum. A lamp.", "A lamp. A lamp.", "No lamp.")
    (order,) = results(rank(pool, retriever, ["a lamp"], len(pool), 0))
    assert order[:4] == [0, 2, 3, 4]


@pytest.mark.parametrize("retriever", RETRIEVERS, ids=name)
def test_where_nothing_matches_the_order_is_that_of_the_documents(retriever: Retriever) -> None:
    pool = pool_of("sentence:1s", "A lamp. Hubs hum.", "Red. Blue.")
    assert results(rank(pool, retriever, ["?"], 4, 0)) == [[0, 1, 2, 3]]


@pytest.mark.parametrize("parents", ["", "|parents=section"])
def test_scores_descend_and_equal_ones_ascend_by_place(parents: str) -> None:
    parts = [f"# Lamp\n\nLamp {at % 3} blinks. It hums.\n" for at in range(9)]
    pool = pool_of(f"sentence:1s{parents}", *parts, "")
    ranking = rank(pool, BM25, ["lamp 1 hums", "lamp"], len(pool), 0)
    for order, scores in zip(results(ranking), ranking.scores.tolist(), strict=True):
        pairs = [(-score, at) for score, at in zip(scores, order, strict=True)]
        assert pairs == sorted(pairs)
        assert len(set(scores)) < len(scores)


def test_the_result_behind_the_last_is_ranked_too() -> None:
    # As many chunks as the first look takes: whether the next one ties must still be known.
    pool = pool_of("sentence:1s", "A lamp. " * 200)
    assert len(results(rank(pool, BM25, ["a lamp"], 64, 0))[0]) > 64


def test_past_the_end_there_is_no_score() -> None:
    pool = pool_of("sentence:1s|parents=section", f"{GUIDE}\n# Door\n\nIt opens.\n")
    ranking = rank(pool, BM25, ["lamp", "hub"], 9, 0)
    assert np.isnan(ranking.scores).tolist() == (ranking.order < 0).tolist()


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=60), st.integers(1, 70), st.floats(0.01, 10)
)
def test_the_best_are_those_of_a_full_stable_sort(
    levels: list[int], depth: int, scale: float
) -> None:
    table = np.array([levels, levels[::-1]], np.float32) * np.float32(scale)
    row, best, found = _best(table, depth)
    for at, line in enumerate(np.round(table, 5).tolist()):
        expected = sorted(range(len(line)), key=lambda chunk: -line[chunk])[:depth]
        assert best[row == at].tolist() == expected
        assert found[row == at].tolist() == [line[chunk] for chunk in expected]


# With so many chunks, groups of them are compared first.
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.sampled_from([1e-5, 1e-3, 1, 90]))
def test_the_best_of_many_are_those_of_a_full_stable_sort(
    seed: int, depth: int, scale: float
) -> None:
    random = np.random.default_rng(seed)
    table = np.asarray(random.random((3, 400)) * scale, np.float32)
    table[:, random.integers(0, 400, 40)] = table[:, :1]
    row, best, _ = _best(table, depth)
    for at, line in enumerate(np.round(table, 5).tolist()):
        expected = sorted(range(len(line)), key=lambda chunk: -line[chunk])[:depth]
        assert best[row == at].tolist() == expected


class Given:
    """A retriever whose scores are given."""

    name = key = "given"

    def __init__(self, scores: list[float]) -> None:
        self.given = np.array(scores, np.float32)

    def scores(self, pool: Pool, questions: Sequence[str]) -> Scores:
        return np.repeat(self.given[None], len(questions), axis=0)


def test_scores_within_a_rounding_of_each_other_are_a_tie() -> None:
    pool = pool_of("sentence:1s", "A lamp. " * 400)
    scores = np.zeros(400)
    scores[[399, 200, 7]] = 0.5000049, 0.4999951, 0.500001
    ranking = rank(pool, Given(scores.tolist()), ["?"], 2, 0)
    assert ranking.order[0, :3].tolist() == [7, 200, 399]
    assert np.unique(ranking.scores[0, :3]).tolist() == [np.float32(0.5)]


def test_results_that_tie_with_the_edge_are_ranked_as_far_as_a_first_look_goes() -> None:
    # Two results count; the third ties with the next ones, whether few or many.
    pool = pool_of("sentence:1s", "A lamp. " * 400)
    for level, known in ((20, 64), (2, 10)):
        scores = np.linspace(0.2, 0.1, 400)
        scores[:2], scores[2 : 2 + level] = 0.9, 0.5
        ranking = rank(pool, Given(scores.tolist()), ["?"], 2, 0)
        found = ranking.order[0].tolist()
        assert found[: 2 + level][: len(found)] == list(range(2 + level))[: len(found)]
        assert len(found) >= min(known, 3 + level)


def test_given_scores_are_left_as_they_are() -> None:
    retriever = Given([0.123456789, 0.3])
    before = retriever.given.copy()
    pool = pool_of("sentence:1s", "A lamp. Hubs hum.")
    for used in (retriever, Hybrid(first=retriever, second=retriever)):
        rank(pool, used, ["?"], 1, 0)
        assert retriever.given.tolist() == before.tolist()


@pytest.mark.parametrize("many", [1, 400, 1 << 20])
def test_the_ranking_does_not_depend_on_how_many_scores_are_worked_on(
    many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = pool_of("sentence:1s", *[f"Lamp {at % 7} blinks. It is blue." for at in range(30)])
    questions = [f"lamp {at % 9} blue" for at in range(70)]
    expected = rank(pool, HYBRID, questions, 10, 0)
    for limit in ("_NEAR", "_MANY"):
        monkeypatch.setattr(f"chunkwright.retrieval.rank.{limit}", many)
    assert rank(pool, HYBRID, questions, 10, 0).order.tolist() == expected.order.tolist()


@pytest.mark.parametrize("retriever", RETRIEVERS, ids=name)
def test_br_188_the_same_ranking_five_times(retriever: Retriever) -> None:
    parts = [f"Lamp {at % 3} blinks. Hub {at % 2} hums. It is blue." for at in range(40)]
    questions = ["Which lamp blinks?", "hub 1", "nothing of it", "lamp 2 hub 0"]
    used = pool_of("sentence:1s", *parts)
    first = rank(used, retriever, questions, 100, 500)
    for _ in range(2):
        fresh = pool_of("sentence:1s", *parts)
        for again in (rank(used, retriever, questions, 100, 500),
                      rank(fresh, retriever, questions, 100, 500)):  # fmt: skip
            assert again.order.tobytes() == first.order.tobytes()
            assert again.tokens.tobytes() == first.tokens.tobytes()


def test_a_question_ranks_alike_alone_and_among_many() -> None:
    pool = pool_of("sentence:1s", *[f"Lamp {at % 7} blinks. It is blue." for at in range(30)])
    questions = [f"lamp {at % 9}" for at in range(600)]  # more than a batch holds
    together = results(rank(pool, HYBRID, questions, 10, 0))
    for at in (0, 255, 256, 599):
        assert results(rank(pool, HYBRID, questions[at : at + 1], 10, 0))[0] == together[at]


class TestParents:
    @pytest.mark.parametrize("strip", ["", "|strip=no"])
    def test_children_of_one_section_send_it_once(self, strip: str) -> None:
        pool = pool_of(f"sentence:1s|parents=section{strip}", GUIDE)
        assert len(pool.sent.tokens) == 2
        assert results(rank(pool, BM25, ["it is red"], 5, 0)) == [[1, 0]]

    # White space at the ends of the text belongs to a chunk with strip=no.
    @pytest.mark.parametrize("strip", ["", "|strip=no"])
    def test_a_document_is_sent_once(self, strip: str) -> None:
        notation = f"sentence:1s|parents=document{strip}"
        pool = pool_of(notation, "  One here. Two there. Three.  ")
        assert results(rank(pool, BM25, ["one two"], 5, 0)) == [[0]]

    @given(texts(), texts(20), setups())
    def test_every_chunk_lies_in_what_is_sent_for_it(
        self, first: str, second: str, setup: Setup
    ) -> None:
        pool = pool_or_skip([Document("a.md", first), Document("b.txt", second)], setup)
        spans, tokens, of_chunk = pool.sent
        assert len(tokens) == len(spans.starts) == len(set(spans.pairs()))
        assert (np.diff(spans.starts) > 0).all()
        assert (np.diff(spans.ends) >= 0).all()
        assert (spans.starts[of_chunk] <= pool.spans.starts).all()
        assert (spans.ends[of_chunk] >= pool.spans.ends).all()


@given(texts(), texts(20), setups(), st.integers(0, 200), st.integers(0, 400))
def test_results_are_distinct_and_suffice(
    first: str, second: str, setup: Setup, least: int, budget: int
) -> None:
    pool = pool_or_skip([Document("a.md", first), Document("b.txt", second)], setup)
    ranking = rank(pool, BM25, ["word sentence", "?"], least, budget)
    for order, tokens in zip(results(ranking), ranking.tokens.tolist(), strict=True):
        assert len(set(order)) == len(order)
        assert tokens[: len(order)] == pool.sent.tokens[order].tolist()
        assert not any(tokens[len(order) :])
        if len(order) < len(pool.sent.tokens):
            assert len(order) >= least
            assert sum(tokens) > budget


def test_many_children_of_few_parents_still_give_enough() -> None:
    # The first section alone fills the first 64 places of the ranking.
    long = "# A\n\n" + "A lamp. " * 300
    pool = pool_of("sentence:1s|parents=section", f"{long}\n\n# B\n\nHubs hum.\n\n# C\n\nEnd.\n")
    assert results(rank(pool, BM25, ["a lamp"], 3, 0)) == [[0, 1, 2]]
    pool = pool_of("sentence:1s", "A lamp. " * 300)
    assert len(results(rank(pool, BM25, ["a lamp"], 200, 0))[0]) >= 200
    budget = int(pool.tokens.sum()) - 1
    assert len(results(rank(pool, BM25, ["a lamp"], 1, budget))[0]) == 300


@pytest.mark.parametrize("retriever", RETRIEVERS, ids=name)
def test_an_empty_collection_has_no_results(retriever: Retriever) -> None:
    for parts in ([], [""], [" \n"]):
        ranking = rank(pool_of("fixed:5c", *parts), retriever, ["lamp"], 5, 100)
        assert ranking.order.shape == (1, 0)
