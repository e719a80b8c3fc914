"""An experiment from documents to figures: the same for the same input, fair to small chunks."""

from __future__ import annotations

import gc
import pickle
import weakref
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pytest

from chunkwright.errors import GoldError
from chunkwright.evaluation.experiment import Evaluation, Experiment
from chunkwright.evaluation.metrics import Metric
from chunkwright.gold.check import check
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.model import Document
from chunkwright.retrieval.fusion import HYBRID
from chunkwright.retrieval.lexical import BM25
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Retriever, Scores
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus

# Three documents of 120 facts of ten tokens: each alone is over the budget of 1000 tokens.
FACTS = [
    Document(f"{name}.txt", " ".join(f"The {name} of house {at} is item{at}." for at in range(120)))
    for name in ("lamp", "hub", "door")
]


def asked(document: Document, quote: str, question: str, name: str = "q") -> Question:
    start = document.text.index(quote)
    reference = Reference(document.id, start, start + len(quote), quote)
    return Question(name, question, (reference,))


GOLD = GoldSet(
    tuple(
        asked(document, f"house {at} is item{at}.", f"What {document.id[:-4]} has house {at}?",
              f"{document.id}-{at}")
        for document in FACTS
        for at in range(0, 120, 12)
    )
)  # fmt: skip


def run(
    notation: str,
    gold: GoldSet = GOLD,
    documents: list[Document] = FACTS,
    retriever: Retriever = BM25,
    metrics: list[Metric] | None = None,
) -> Evaluation:
    return Experiment(documents, gold, retriever, metrics).run(Setup.parse(notation))


def assert_same(first: Evaluation, second: Evaluation) -> None:
    assert first.statistics == second.statistics
    assert first.values.keys() == second.values.keys()
    for name, values in first.values.items():
        assert values.tobytes() == second.values[name].tobytes()
    for name, tokens in first.sent_tokens.items():
        assert tokens.tobytes() == second.sent_tokens[name].tobytes()


@pytest.mark.parametrize("notation", ["sentence:1s", "fixed:40t+10t|headers|parents=200t"])
def test_br_185_the_same_input_gives_the_same_figures(notation: str) -> None:
    assert_same(run(notation, retriever=HYBRID), run(notation, retriever=HYBRID))


def test_other_setups_before_change_nothing() -> None:
    experiment = Experiment(FACTS, GOLD, HYBRID)
    for notation in ("header:30t|headers", "fixed:7c"):
        experiment.run(Setup.parse(notation))
    assert_same(experiment.run(Setup.parse("sentence:1s")), run("sentence:1s", retriever=HYBRID))


class TestParts:
    """A setup measured on some of the questions, then on others."""

    @pytest.mark.parametrize("notation", ["sentence:1s", "fixed:40t+10t|headers|parents=200t"])
    @pytest.mark.parametrize("retriever", [BM25, HYBRID], ids=lambda each: each.name)
    def test_parts_give_the_figures_of_the_whole(self, notation: str, retriever: Retriever) -> None:
        gold = GoldSet((*GOLD, Question("none", "lamp", ())))
        experiment = Experiment(FACTS, gold, retriever)
        pool = experiment.pool(Setup.parse(notation))
        every = np.arange(len(gold))
        parts = [every[::3], np.delete(every, every[::3]), every[:0]]
        some = [experiment.measure(pool, part) for part in parts]
        whole = experiment.measure(pool)
        assert_same(whole, experiment.run(pool.setup))
        for part, found in zip(parts, some, strict=True):
            assert found.statistics is whole.statistics
            for name, values in whole.values.items():
                np.testing.assert_array_equal(found.values[name], values[part])
            for name, tokens in whole.sent_tokens.items():
                assert found.sent_tokens[name].tolist() == tokens[part].tolist()
        for name, ties in whole.ties.items():
            assert sum(found.ties[name] for found in some) == ties

    def test_a_pool_is_cut_and_counted_once(self) -> None:
        class Counting:
            name = key = "counting"
            asked: ClassVar[list[int]] = []

            def scores(self, pool: Pool, questions: Sequence[str]) -> Scores:
                self.asked.append(len(questions))
                return BM25.scores(pool, questions)

        experiment = Experiment(FACTS, GOLD, Counting())
        pool = experiment.pool(Setup.parse("sentence:1s"))
        experiment.measure(pool, np.arange(4))
        cuts, runs = pool.cuts, pool.runs
        experiment.measure(pool, np.arange(4, 9))
        assert Counting.asked == [4, 5]
        assert pool.cuts is cuts
        assert pool.runs is runs

    def test_a_pool_goes_as_soon_as_nobody_needs_it(self) -> None:
        experiment = Experiment(FACTS, GOLD, HYBRID)
        pool = experiment.pool(Setup.parse("sentence:1s|parents=100t"))
        gone = weakref.ref(pool)
        gc.disable()
        try:
            experiment.measure(pool)
            del pool
            assert gone() is None
        finally:
            gc.enable()

    def test_another_retriever_shares_what_is_known(self) -> None:
        experiment = Experiment(FACTS, GOLD, HYBRID)
        pool = experiment.pool(Setup.parse("sentence:1s"))
        first, other = experiment.measure(pool), experiment.with_retriever(BM25).measure(pool)
        assert (first.retriever, other.retriever) == ("hybrid", "bm25")
        assert other.statistics is first.statistics
        assert_same(other, run("sentence:1s"))
        assert experiment.retriever is HYBRID

    def test_an_experiment_that_was_used_can_be_sent(self) -> None:
        experiment = Experiment(FACTS, GOLD, HYBRID, [Metric("recall", k=3)])
        first = experiment.run(Setup.parse("sentence:1s"))
        sent = pickle.loads(pickle.dumps(experiment))
        assert_same(first, sent.run(Setup.parse("sentence:1s")))
        assert list(first.values) == ["recall@3"]


# Both documents score the same, and only one holds the answer.
def test_br_187_the_order_of_the_documents_does_not_matter() -> None:
    first, second = Document("a.txt", "Lamp one."), Document("b.txt", "Lamp two.")
    gold = GoldSet((asked(second, "two", "lamp"),))
    metrics = [Metric("hit_rate", k=1), Metric("mrr", k=2)]
    one = run("sentence:1s", gold, [first, second], metrics=metrics)
    other = run("sentence:1s", gold, [second, first], metrics=metrics)
    assert one.mean("hit_rate@1") == other.mean("hit_rate@1")
    assert one.mean("mrr@2") == other.mean("mrr@2")
    # Whether the answer is among the first one hangs on the rule, and that is told.
    assert one.ties == other.ties == {"@1": 1, "@2": 0}


def test_br_187_ties_are_counted_by_cutoff() -> None:
    texts = [f"Lamp {word}." for word in ("one", "two", "three", "four")]
    documents = [Document(f"{at}.txt", text) for at, text in enumerate(texts)]
    gold = GoldSet(
        (
            asked(documents[1], "two", "two", "clear"),
            asked(documents[2], "three", "lamp", "tied"),
        )
    )
    metrics = [
        Metric("recall", k=2),
        Metric("ndcg", budget=5),
        Metric("recall"),
        Metric("mrr", k=4),
    ]
    found = run("sentence:1s", gold, documents, metrics=metrics)
    # "two" finds one chunk first, and the other three share a score of 0.
    assert found.ties == {"@2": 2, "@5t": 1, "@4": 0}
    assert list(found.sent_tokens) == ["@2", "@5t", "@4"]


def test_br_181_spans_survive_another_cut() -> None:
    for notation in ("fixed:100c", "fixed:50c"):
        evaluation = run(notation)
        assert evaluation.n("recall@5") == len(GOLD)
        assert evaluation.mean("recall@5") > 0.5


def test_br_181_gold_of_a_missing_document_is_reported() -> None:
    lost = Question("lost", "What is it?", (Reference("gone.txt", 0, 3, "one"),))
    checked = check(GoldSet((GOLD[0], lost)), Corpus.of(FACTS))
    assert [question.id for question in checked.questions] == [GOLD[0].id]
    lost_for = [problem.kind for problem in checked.problems if not problem.usable]
    assert lost_for == ["unknown document"]


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        (Reference("gone.txt", 0, 3), "there is no document 'gone.txt'"),
        (Reference("a.txt", 0, 300), "0-300 is no span of 'a.txt', which has 9 characters"),
        (Reference("a.txt", 4, 4), "4-4 is no span"),
        (Reference("a.txt", -1, 4), "-1-4 is no span"),
        (Reference("a.txt", quote="one"), "a reference to 'a.txt' has no span"),
    ],
)
def test_br_181_unchecked_gold_is_an_error_and_never_a_quiet_0(
    reference: Reference, reason: str
) -> None:
    gold = GoldSet((Question("old", "lamp", (reference,)),))
    with pytest.raises(GoldError, match=reason) as caught:
        run("sentence:1s", gold, [Document("a.txt", "Lamp one.")])
    assert str(caught.value).startswith("question old: ")
    assert "\n" not in str(caught.value)


def test_br_179_a_question_without_references_is_undefined() -> None:
    document = Document("a.txt", "Lamp one.")
    gold = GoldSet((asked(document, "Lamp one.", "lamp"), Question("none", "lamp", ())))
    experiment = Experiment([document], gold, BM25)
    evaluation = experiment.run(Setup.parse("sentence:1s"))
    assert len(experiment.clusters) == 2
    for name in evaluation.values:
        if not name.startswith("precision@"):
            assert evaluation.n(name) == 1, name


def test_br_197_the_right_document_is_not_enough() -> None:
    text = "The lamp. " + "It is nothing. " * 30 + "Press twice to reset."
    document = Document("a.txt", text)
    gold = GoldSet((asked(document, "Press twice to reset.", "lamp"),))
    metrics = [Metric("recall", k=1), Metric("document_hit_rate", k=1)]
    evaluation = run("sentence:1s", gold, [document, FACTS[0]], metrics=metrics)
    assert evaluation.mean("recall@1") == 0
    assert evaluation.mean("document_hit_rate@1") == 1


def test_whole_documents_never_win_at_a_budget() -> None:
    whole, small = run("fixed:100000c"), run("sentence:1s")
    assert whole.statistics.chunks == len(FACTS)
    for metric in ("hit_rate", "all_hit", "recall", "mrr", "ndcg"):
        # At equal k three results are everything there is.
        assert whole.mean(f"{metric}@5") >= 0.5
        assert whole.mean(f"{metric}@1000t") == 0
        assert small.mean(f"{metric}@1000t") > 0.5


def test_a_document_over_the_budget_is_not_sent_at_all() -> None:
    document = Document("a.txt", FACTS[0].text * 3)
    evaluation = run("fixed:100000c", GoldSet((asked(document, "item7", "house 7"),)), [document])
    assert evaluation.statistics.largest_tokens > 1000
    assert evaluation.sent_tokens["@1000t"].tolist() == [0]
    assert evaluation.mean("hit_rate@1000t") == 0
    assert evaluation.mean("hit_rate@5") == 1


@pytest.mark.parametrize("notation", ["sentence:1s", "fixed:30t+10t", "sentence:1s|parents=100t"])
def test_sent_tokens_stay_within_the_budget_and_use_it(notation: str) -> None:
    evaluation = run(notation, metrics=[Metric("recall", budget=400), Metric("recall", k=3)])
    sent = evaluation.sent_tokens["@400t"]
    assert (sent <= 400).all()
    assert (sent > 400 - 100 - 1).all()


def test_parents_are_what_is_counted() -> None:
    document = Document("a.md", "# A\n\nOne lamp. Two hubs.\n\n# B\n\nThree doors. Four keys.\n")
    gold = GoldSet((asked(document, "Two hubs.", "one lamp"),))
    metrics = [Metric("hit_rate", k=1)]
    assert run("sentence:1s", gold, [document], metrics=metrics).mean("hit_rate@1") == 0
    parents = run("sentence:1s|parents=section", gold, [document], metrics=metrics)
    assert parents.mean("hit_rate@1") == 1


def test_without_a_cutoff_all_results_count() -> None:
    text = " ".join(f"Word{at} is here." for at in range(200))
    document = Document("a.txt", text)
    gold = GoldSet((asked(document, "Word199 is here.", "zebra"),))
    evaluation = run("sentence:1s", gold, [document], metrics=[Metric("recall")])
    assert evaluation.mean("recall") == 1


def test_without_questions_there_is_nothing_to_measure() -> None:
    with pytest.raises(GoldError, match="no usable question"):
        Experiment(FACTS, GoldSet(()), BM25)


def test_questions_are_grouped_by_document() -> None:
    clusters = Experiment(FACTS, GOLD, BM25).clusters
    assert len(np.unique(clusters)) == 3
    assert clusters.tolist() == sorted(clusters.tolist(), key=[2, 1, 0].index)


class TestStatistics:
    def test_counts(self) -> None:
        document = Document("a.txt", "One lamp. Two big hubs.")
        statistics = run(
            "sentence:1s", GoldSet((asked(document, "One", "?"),)), [document]
        ).statistics
        assert (statistics.chunks, statistics.oversize) == (2, 0)
        assert (statistics.stored_tokens, statistics.largest_tokens) == (7, 4)
        assert statistics.mean_tokens == 3.5

    def test_equal_cuts_have_equal_fingerprints(self) -> None:
        def fingerprint(notation: str) -> str:
            return run(notation).statistics.fingerprint

        assert fingerprint("sentence:1s") == fingerprint("sentence:1s|tokens=cl100k_base")
        assert fingerprint("fixed:100000c") == fingerprint("recursive:90000c")
        assert fingerprint("fixed:40t") != fingerprint("fixed:41t")
        assert fingerprint("sentence:1s") != fingerprint("sentence:1s|parents=document")
