"""Ceilings: what no ranking can beat, found without one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.evaluation.ceilings import ceiling, perfect_tokens
from chunkwright.evaluation.experiment import Experiment, default_metrics
from chunkwright.evaluation.metrics import Metric
from chunkwright.evaluation.targets import Judged, Targets, omega
from chunkwright.gold.goldset import GoldSet, Place, Question, Reference
from chunkwright.model import Document
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.pool import Pool
from chunkwright.setup import Setup

WORDS = ["lamp", "hub", "door", "oven", "is", "on.", "It", "hums,", "blinks.", "Then:", "why?"]
SETUPS = (
    *("sentence:1s", "sentence:12t+1s", "fixed:7t+3t", "fixed:23c+9c", "recursive:20t|headers"),
    *("sentence:8t|parents=30t", "recursive:9t|parents=document", "fixed:40t"),
)
METRICS = [
    *(Metric(m.name, k=k, budget=b) for m in default_metrics() if m.ranked
      for k, b in ((1, None), (3, None), (None, 12), (None, 40), (None, None))),
    Metric("precision_omega"),
]  # fmt: skip


@st.composite
def tasks(draw: st.DrawFn) -> tuple[list[Document], GoldSet]:
    text = st.lists(st.sampled_from(WORDS), min_size=4, max_size=40).map(" ".join)
    documents = [Document(f"{at}.md", draw(text)) for at in range(draw(st.integers(1, 3)))]

    def place() -> tuple[str, int, int]:
        document = draw(st.sampled_from(documents))
        start = draw(st.integers(0, len(document.text) - 2))
        return document.id, start, draw(st.integers(start + 1, min(len(document.text), start + 60)))

    questions = []
    for at in range(draw(st.integers(1, 4))):
        references = []
        for _ in range(draw(st.integers(0, 3))):
            places = tuple(Place(*place()) for _ in range(draw(st.integers(1, 2))))
            references.append(Reference(*places[0], "", places))
        questions.append(Question(f"q{at}", "why?", tuple(references)))
    return documents, GoldSet(tuple(questions))


@given(tasks(), st.sampled_from(SETUPS), st.integers(0, 2**32 - 1))
def test_no_ranking_beats_the_ceiling(
    task: tuple[list[Document], GoldSet], notation: str, seed: int
) -> None:
    documents, gold = task
    collection = Collection(documents)
    pool, targets = Pool(collection, Setup.parse(notation)), Targets.of(gold, collection)
    highest = {metric: ceiling(metric, targets, pool) for metric in METRICS}
    random = np.random.default_rng(seed)
    spans = len(pool.sent.tokens)
    for at in range(8):
        order = random.random((len(gold), spans)).argsort(axis=1)
        if at % 2:  # those that touch a reference come first
            useful = np.zeros((len(gold), spans))
            for question, start, end in zip(
                targets.question[targets.reference], targets.starts, targets.ends, strict=True
            ):
                sent = pool.sent.spans
                useful[question] += (sent.starts < end) & (sent.ends > start)
            order = np.lexsort((order, -useful), axis=1)
        judged = Judged(targets, pool, order, pool.sent.tokens[order])
        for metric in METRICS:
            reached = metric.values(judged)
            assert (np.isnan(highest[metric]) <= np.isnan(reached)).all(), metric
            assert not (reached > highest[metric] + 1e-9).any(), metric
            assert not (highest[metric] > 1 + 1e-9).any()


def asked(documents: list[Document], *quotes: str) -> tuple[Collection, Targets]:
    references = []
    for quote in quotes:
        document = next(each for each in documents if quote in each.text)
        start = document.text.index(quote)
        references.append(Reference(document.id, start, start + len(quote), quote))
    collection = Collection(documents)
    return collection, Targets.of(GoldSet((Question("q", "?", tuple(references)),)), collection)


LAMP = Document("lamp.txt", "It blinks blue. It hums at night. It costs nine euros. It is old.")


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("hit_rate@5", 1.0),
        ("hit_rate@5t", 1.0),  # "It blinks blue."
        ("hit_rate@4t", 0.0),
        ("mrr@5t", 1.0),
        ("all_hit@2", 1.0),
        ("all_hit@1", 0.0),  # they stand in two chunks
        ("all_hit@11t", 1.0),
        ("all_hit@10t", 0.0),
        ("recall@1", 17 / 32),
        ("ndcg@1", 1 / (1 + 1 / np.log2(3))),
        ("precision@2", 1.0),
        ("document_hit_rate@4t", 1.0),
        ("document_hit_rate@3t", 0.0),
    ],
)
def test_what_fits_and_what_does_not(metric: str, expected: float) -> None:
    collection, targets = asked([LAMP], "It blinks blue.", "It hums at night.")
    pool = Pool(collection, Setup.parse("sentence:1s"))
    assert pool.tokens.tolist() == [5, 6, 5, 4]
    found = ceiling(Metric.parse(metric), targets, pool)
    assert found[0] == pytest.approx(expected)


def test_two_references_in_one_chunk_cost_it_once() -> None:
    collection, targets = asked([LAMP], "blinks blue", "hums at")
    pool = Pool(collection, Setup.parse("sentence:2s"))
    assert ceiling(Metric("all_hit", k=1), targets, pool).tolist() == [1]
    assert ceiling(Metric("all_hit", budget=int(pool.tokens[0])), targets, pool).tolist() == [1]
    assert ceiling(Metric("all_hit", budget=int(pool.tokens[0]) - 1), targets, pool).tolist() == [0]


def test_tokens_at_perfect_retrieval_are_those_of_all_touching_spans() -> None:
    collection, targets = asked([LAMP], "blinks blue. It hums", "hums at night.")
    pool = Pool(collection, Setup.parse("sentence:1s"))
    assert perfect_tokens(targets, pool).tolist() == [11]
    np.testing.assert_array_equal(
        ceiling(Metric("precision_omega"), targets, pool), omega(targets, pool.sent.spans)
    )


def test_a_question_without_references_has_no_ceiling() -> None:
    collection = Collection([LAMP])
    targets = Targets.of(GoldSet((Question("q", "?", ()),)), collection)
    pool = Pool(collection, Setup.parse("sentence:1s"))
    assert np.isnan(ceiling(Metric("recall", k=5), targets, pool)).all()
    assert perfect_tokens(targets, pool).tolist() == [0]


def test_a_metric_of_somebody_else_may_reach_1() -> None:
    collection, targets = asked([LAMP], "blinks")
    assert ceiling(Metric("mine", k=5), targets, Pool(collection, Setup.parse("fixed:3t"))) == [1]


def test_the_oracle_reaches_the_ceiling_of_hits() -> None:
    """A retriever that knows the answers: what it hits is what the spans allow."""

    class Oracle:
        name = key = "oracle"

        def scores(self, pool: Pool, questions: object) -> np.ndarray:
            sent = pool.spans
            held = (sent.starts <= targets.starts[0]) & (sent.ends >= targets.ends[0])
            return np.where(held, 1, 0.5).astype(np.float32)[None]

    quote = "It costs nine euros."
    _, targets = asked([LAMP], quote)
    start = LAMP.text.index(quote)
    gold = GoldSet((Question("q", "?", (Reference("lamp.txt", start, start + 20, quote),)),))
    metric = Metric("hit_rate", budget=8)
    experiment = Experiment([LAMP], gold, Oracle(), [metric])
    for notation in ("sentence:1s", "sentence:2s", "fixed:3t"):
        pool = experiment.pool(Setup.parse(notation))
        reached = experiment.measure(pool).values[str(metric)]
        np.testing.assert_array_equal(reached, ceiling(metric, experiment.targets, pool))
