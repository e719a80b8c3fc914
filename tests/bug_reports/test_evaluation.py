"""Evaluation: what is not defined is not 0, nothing counts twice, and luck decides nothing."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import chunkwright as cw
from chunkwright.errors import GoldError
from chunkwright.evaluation.experiment import Evaluation, Experiment
from chunkwright.evaluation.metrics import Metric
from chunkwright.evaluation.targets import Judged, Targets
from chunkwright.gold.check import check
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.lexical import BM25
from chunkwright.retrieval.pool import Pool, Sent
from chunkwright.retrieval.rank import rank
from chunkwright.spans import Spans
from tests.bug_reports.reports import to_come

LINE = Collection([cw.Document("a.txt", "x" * 1000)])
Pairs = list[tuple[int, int]]


def judged(results: list[Pairs], *references: Pairs) -> Judged:
    """Each question's results, best first, a span as often as it is named, and its references."""
    spans = sorted({span for row in results for span in row} or {(990, 1000)})
    depth = max(map(len, results))
    order = np.full((len(results), depth), -1, np.int64)
    for at, row in enumerate(results):
        order[at, : len(row)] = [spans.index(span) for span in row]
    tokens = np.full(len(spans) + 1, 10, np.int64)
    pool: Any = SimpleNamespace(
        sent=Sent(Spans.of(spans), tokens[:-1], np.arange(len(spans), dtype=np.int64))
    )
    questions = tuple(
        Question(f"q{at}", "?", tuple(Reference("a.txt", *span) for span in wanted))
        for at, wanted in enumerate(references)
    )
    return Judged(Targets.of(GoldSet(questions), LINE), pool, order, tokens[order])


def value(metric: str, results: Pairs, references: Pairs) -> float:
    (found,) = Metric.parse(metric).values(judged([results], references))
    return float(found)


def test_br_173_a_result_found_twice_gains_once() -> None:
    assert value("ndcg@5", [(0, 50), (0, 50)], [(0, 50)]) == 1.0


@pytest.mark.parametrize("parents", ["", "|parents=section", "|parents=document"])
def test_br_173_no_span_is_in_the_results_twice(parents: str) -> None:
    documents = [cw.Document(f"{name}.md", "# A\n\nOne. One. One.\n\n# B\n\nOne.") for name in "ab"]
    pool = Pool(Collection(documents), cw.Setup.parse(f"sentence:1s{parents}"))
    order = rank(pool, BM25, ["one"], 99, 0).order[0].tolist()
    assert len(order) == len(set(order)) == len(pool.sent.spans.starts)


ONE = cw.Document("a.txt", "The lamp is blue and hums. The hub is red and hums too.")
LAMP = Reference("a.txt", 0, 26, "The lamp is blue and hums.")
HUB = Reference("a.txt", 27, 55, "The hub is red and hums too.")


def asked(*references: Reference, question: str = "Which lamp is blue?") -> GoldSet:
    return GoldSet((Question("q", question, references),))


@pytest.mark.parametrize("metric", ["recall@1", "hit_rate@1", "all_hit@1", "ndcg@1"])
def test_br_175_a_reference_named_twice(metric: str) -> None:
    found = cw.evaluate(
        cw.Corpus.of([ONE]), "sentence:1s", asked(LAMP, LAMP), retriever="bm25", k=1
    )
    assert found.mean(metric) == 1.0
    kinds = [problem.kind for problem in check(asked(LAMP, LAMP), cw.Corpus.of([ONE])).problems]
    assert kinds == ["repeated reference"]


@pytest.mark.parametrize("metric", ["recall@5", "hit_rate@5", "precision@5", "iou@5", "ndcg@5"])
def test_br_175_results_named_twice_raise_nothing(metric: str) -> None:
    once = value(metric, [(0, 50), (100, 150)], [(0, 50)])
    assert value(metric, [(0, 50), (0, 50), (100, 150)], [(0, 50)]) <= once <= 1


METRICS = [
    f"{name}@5" for name in ("hit_rate", "all_hit", "recall", "precision", "iou", "mrr", "ndcg")
]


# There is no average precision; what there is stays in 0..1, whatever is named twice.
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("references", [[(0, 50)], [(0, 50), (0, 50)], [(0, 50), (40, 60)]])
def test_br_176_no_figure_is_above_1(metric: str, references: Pairs) -> None:
    spans = [(0, 50), (30, 80), (200, 250)]
    for results in itertools.product(spans, repeat=3):
        assert 0 <= value(metric, list(results), references) <= 1


def test_br_176_a_perfect_result_is_1() -> None:
    assert value("mrr@5", [(0, 50), (0, 50)], [(0, 50)]) == 1.0
    # The check names a reference once; two that are the same passage are both found by it.
    assert value("ndcg@5", [(0, 50)], [(0, 50), (0, 50)]) == pytest.approx(1.0)


def test_br_178_nothing_was_retrieved() -> None:
    for metric in ("hit_rate@5", "all_hit@5", "recall@5", "mrr@5", "ndcg@5"):
        assert value(metric, [], [(0, 50)]) == 0.0
    assert math.isnan(value("precision@5", [], [(0, 50)]))


def test_br_179_undefined_is_not_0() -> None:
    made = judged([[(0, 50)], [(0, 50)], [(0, 50)]], [(0, 50)], [(40, 60)], [])
    metrics = [Metric.parse(name) for name in METRICS]
    values = {str(metric): metric.values(made) for metric in metrics}
    assert values["recall@5"].tolist()[:2] == [1.0, 0.5]
    found = Evaluation(cw.Setup.parse("fixed:9c"), "given", values, {}, None)  # type: ignore[arg-type]
    for metric in METRICS:
        assert math.isnan(found.values[metric][2])
        assert found.n(metric) == 2
    assert found.mean("recall@5") == 0.75


def test_br_179_a_question_without_references_is_left_out() -> None:
    gold = GoldSet((Question("q1", "Which lamp?", (LAMP,)), Question("q2", "Which fan?", ())))
    checked = check(gold, cw.Corpus.of([ONE]))
    assert [problem.kind for problem in checked.problems] == ["no references"]
    found = cw.evaluate(cw.Corpus.of([ONE]), "sentence:1s", gold, k=5)
    assert {found.n(metric) for metric in METRICS} == {1}


def test_br_181_references_survive_another_cut() -> None:
    corpus = cw.Corpus.of([ONE])
    for size in (100, 50, 30):
        found = cw.evaluate(corpus, f"sentence:{size}c", asked(LAMP), k=5)
        assert (found.mean("recall@5"), found.n("recall@5")) == (1.0, 1)


def test_br_181_what_cannot_be_found_is_told() -> None:
    gold = GoldSet(
        (
            Question("q1", "Which lamp?", (LAMP,)),
            Question("q2", "Which door?", (Reference("a.txt", quote="The door is green."),)),
            Question("q3", "Which fan?", (Reference("b.txt", 0, 9),)),
        )
    )
    checked = check(gold, cw.Corpus.of([ONE]))
    assert (checked.usable, checked.left_out) == (1, 2)
    assert {problem.question_id for problem in checked.problems} == {"q2", "q3"}
    with pytest.raises(GoldError, match="no usable question"):
        cw.evaluate(cw.Corpus.of([ONE]), "sentence:1s", GoldSet(gold.questions[1:]))


def test_br_181_chunk_ids_are_no_references(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    row = {"id": "q", "question": "?", "references": [{"document_id": "a.txt", "chunk_id": "c3"}]}
    path.write_text(json.dumps(row))
    with pytest.raises(GoldError, match="neither 'quote' nor 'start' and 'end'"):
        GoldSet.read(path)


@to_come("'chunkwright gold remap'")
def test_br_181_old_chunk_ids_become_spans() -> None:
    from chunkwright.gold.remap import remap

    old = cw.chunk(ONE, "sentence:1s")
    assert remap({"q": [old[1].id]}, old).question("q").references == (HUB,)


def test_br_182_a_touch_is_not_a_find() -> None:
    sliver, whole = [(0, 41)], [(38, 62)]
    assert value("recall@1", sliver, [(40, 60)]) == pytest.approx(0.05)
    assert value("recall@1", whole, [(40, 60)]) == 1.0
    assert value("iou@1", sliver, [(40, 60)]) == pytest.approx(1 / 60)
    assert value("iou@1", whole, [(40, 60)]) == pytest.approx(20 / 24)


def test_br_184_all_results_count() -> None:
    results = [(at, at + 50) for at in range(0, 250, 50)]
    assert value("precision@5", results, [(110, 120)]) == pytest.approx(0.04)
    # Without a retriever it is another figure, with another name.
    assert value("precision_omega", results, [(110, 120)]) == pytest.approx(0.2)


TOPICS = ["lamp", "hub", "door", "oven", "fan"]
MANUALS = cw.Corpus.of(
    cw.Document(
        f"{name}.txt",
        " ".join(f"The {name} of house {at} is item {at * 7}. It is old." for at in range(9)),
    )
    for name in TOPICS
)
MANUAL_GOLD = GoldSet(
    tuple(
        Question(
            f"{name}-{at}",
            f"What item is the {name} of house {at}?",
            (Reference(f"{name}.txt", quote=f"The {name} of house {at} is item {at * 7}."),),
        )
        for name in TOPICS
        for at in range(9)
    )
)


def test_br_185_figures_can_be_had_again() -> None:
    first, second = (
        cw.tune(MANUALS, MANUAL_GOLD, ["sentence:{1,2}s"], budget=60) for _ in range(2)
    )
    assert first.facts == second.facts
    assert first.choice == second.choice
    for one, other in zip(first.evaluations, second.evaluations, strict=True):
        assert one.statistics == other.statistics
        for name, row in one.values.items():
            assert row.tobytes() == other.values[name].tobytes()
    for fact in ("chunkwright", "code", "corpus", "gold", "retriever_key", "packages", "python"):
        assert first.facts[fact]
    assert {"numpy", "tiktoken", "wordllama"} <= set(first.facts["packages"])


def test_br_185_the_report_tells_what_it_was_made_with(tmp_path: Path) -> None:
    study = cw.tune(MANUALS, MANUAL_GOLD, ["sentence:{1,2}s"], budget=60)
    page = study.report(tmp_path / "out.html").read_text(encoding="utf-8")
    for fact in ("chunkwright", "corpus", "gold"):
        assert study.facts[fact][:12] in page
    assert study.facts["packages"]["numpy"] in page
    assert "sentence:2s" in page


class Equal:
    """A retriever that finds all chunks equally good."""

    name = key = "equal"

    def scores(self, pool: Pool, questions: Sequence[str]) -> np.ndarray:
        return np.ones((len(questions), len(pool)), np.float32)


TIED = [cw.Document("a.txt", "Lamp one."), cw.Document("b.txt", "Lamp two.")]
TIED_GOLD = GoldSet((Question("q", "Lamp?", (Reference("b.txt", 0, 9, "Lamp two."),)),))


def test_br_187_ties_do_not_depend_on_the_order_given() -> None:
    found = [
        cw.evaluate(cw.Corpus.of(order), "sentence:1s", TIED_GOLD, retriever=Equal(), k=1)
        for order in (TIED, TIED[::-1])
    ]
    for name, row in found[0].values.items():
        assert row.tobytes() == found[1].values[name].tobytes()
    # The rule: by document id, then by start.
    assert found[0].mean("hit_rate@1") == 0
    pool = Pool(Collection(TIED[::-1]), cw.Setup.parse("sentence:1s"))
    assert rank(pool, Equal(), ["Lamp?"], 2, 0).order.tolist() == [[0, 1]]


def test_br_187_ties_at_the_edge_are_counted() -> None:
    corpus = cw.Corpus.of(TIED)
    tied = cw.evaluate(corpus, "sentence:1s", TIED_GOLD, retriever=Equal(), k=1)
    assert tied.ties["@1"] == 1
    clear = cw.evaluate(corpus, "sentence:1s", TIED_GOLD, retriever=Equal(), k=2)
    assert clear.ties["@2"] == 0


@pytest.mark.parametrize("retriever", ["bm25", "static", "hybrid"])
def test_br_188_the_same_ranking_every_time(retriever: str) -> None:
    from chunkwright import registry

    documents = [cw.Document(f"{at}.txt", "The lamp is blue. The lamp is blue.") for at in range(9)]
    rankings = set()
    for turn in range(5):
        collection = Collection(documents[turn:] + documents[:turn])
        pool = Pool(collection, cw.Setup.parse("sentence:1s"))
        found = rank(pool, registry.load("retrievers", retriever), ["blue lamp"], 5, 100)
        rankings.add((found.order.tobytes(), found.tokens.tobytes()))
    assert len(rankings) == 1


def test_br_190_nothing_retrieved_is_no_recall() -> None:
    for _ in range(2):
        assert value("recall@5", [], [(0, 1)]) == 0.0
    # A budget that nothing fits is the same.
    found = cw.evaluate(cw.Corpus.of([ONE]), "sentence:1s", asked(LAMP), budget=1)
    assert found.mean("recall@1t") == 0.0


def test_br_190_the_same_question_has_the_same_recall() -> None:
    gold = GoldSet(tuple(Question(f"q{at}", "Which lamp is blue?", (LAMP,)) for at in range(3)))
    found = cw.evaluate(cw.Corpus.of([ONE]), "fixed:20c", gold, k=1)
    assert len(set(found.values["recall@1"].tolist())) == 1


def test_br_191_documents_shorter_than_a_chunk() -> None:
    documents = [
        cw.Document(f"{at}.txt", " ".join(f"w{at}x{word}" for word in range(70)) + ".")
        for at in range(20)
    ]
    gold = GoldSet(
        tuple(
            Question(f"q{at}", f"Where is w{at}x3?", (Reference(f"{at}.txt", quote=f"w{at}x3"),))
            for at in range(20)
        )
    )
    study = cw.tune(cw.Corpus.of(documents), gold, ["{fixed,recursive}:{256,512}w"])
    assert study.choice.identical
    assert "all 4 setups give identical chunks" in study.choice.reason
    assert any("Strategies give identical chunks" in note for note in study.choice.notes)
    assert set(study.choice.verdicts) == {"equivalent"}


def test_br_193_references_that_overlap() -> None:
    made = judged([[(0, 15)]], [(0, 10), (5, 15)])
    assert made.targets.wanted.tolist() == [15]
    assert value("recall@5", [(0, 10)], [(0, 10), (5, 15)]) == pytest.approx(10 / 15)


def test_br_194_the_ideal_counts_what_was_not_found() -> None:
    found = value("ndcg@5", [(0, 50), (900, 950)], [(0, 50), (100, 150)])
    assert found == pytest.approx(0.6131, abs=5e-5)


def test_br_196_references_are_spans_whatever_the_chunks() -> None:
    # The same gold set is asked of every setup; nothing in it knows of chunks.
    questions = check(MANUAL_GOLD, MANUALS).questions
    for notation in ("sentence:1s", "fixed:60w", "recursive:500c"):
        experiment = Experiment(MANUALS, questions, BM25)
        assert experiment.run(cw.Setup.parse(notation)).n("recall@5") == len(MANUAL_GOLD)
    for question in questions:
        (reference,) = question.references
        text = MANUALS.document(reference.document_id).text
        assert text[reference.start : reference.end] == reference.quote


@to_come("'chunkwright gold generate'")
def test_br_196_questions_are_made_from_spans() -> None:
    from chunkwright.gold.generate import generate

    document = cw.Document("a.txt", " ".join(f"word{at}" for at in range(30 * 60)))
    gold = generate(cw.Corpus.of([document]), questions=5, seed=1)
    assert len(gold) == 5
    for question in gold:
        (reference,) = question.references
        assert document.text[reference.start : reference.end] == reference.quote


def test_br_197_the_right_document_is_not_the_right_chunk() -> None:
    text = "The lamp is here. " + "Nothing is said. " * 30 + "Press twice to reset it now."
    start = text.index("Press twice")
    gold = asked(Reference("a.txt", start, len(text)), question="lamp")
    corpus = cw.Corpus.of([cw.Document("a.txt", text)])
    found = cw.evaluate(corpus, "sentence:1s", gold, retriever="bm25", k=1)
    assert found.mean("document_hit_rate@1") == 1
    assert found.mean("recall@1") == 0
