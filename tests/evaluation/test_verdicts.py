"""Verdicts are read off the ranking: they agree with the metrics, question by question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from chunkwright.evaluation.metrics import Metric
from chunkwright.evaluation.targets import Judged, Targets
from chunkwright.evaluation.verdicts import Verdicts
from chunkwright.gold.goldset import GoldSet, Place, Question, Reference
from chunkwright.model import Document
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.lexical import BM25
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import rank
from chunkwright.setup import Setup

TEXT = "The lamp blinks blue. The hub hums low. The door has a lamp. The lamp is off."
OTHER = "A lamp is here. The hub hums low. The end."
DOCUMENTS = [Document("a.txt", TEXT), Document("b.txt", OTHER)]


def to(quote: str, document: Document = DOCUMENTS[0]) -> Reference:
    start = document.text.index(quote)
    return Reference(document.id, start, start + len(quote), quote)


def verdicts(
    questions: Sequence[Question],
    notation: str = "sentence:1s",
    k: int = 1,
    budget: int = 1000,
    depth: int = 100,
) -> Verdicts:
    collection = Collection(DOCUMENTS)
    pool = Pool(collection, Setup.parse(notation))
    gold = GoldSet(tuple(questions))
    ranking = rank(pool, BM25, [each.question for each in gold], depth, budget)
    return Verdicts(Judged(Targets.of(gold, collection), pool, *ranking), k, budget)


def test_a_hit_and_a_miss_with_their_ranks() -> None:
    found = verdicts(
        [
            Question("q1", "what blinks blue", (to("lamp blinks"),)),
            Question("q2", "what blinks blue", (to("The hub hums low."),)),
        ]
    )
    assert found.at_k.tolist() == [True, False]
    assert found.best[0] == 1
    assert found.best[1] > 1
    assert len(found.above(1)) == found.best[1] - 1
    assert found.above(0).tolist() == []


def test_the_best_of_several_references_counts() -> None:
    asked = Question("q1", "what blinks blue", (to("The hub hums low."), to("lamp blinks")))
    found = verdicts([asked])
    assert found.ranks.tolist()[1] == 1
    assert found.ranks.tolist()[0] > 1
    assert (found.best.tolist(), found.at_k.tolist()) == ([1], [True])
    assert found.references(0).tolist() == [0, 1]


def test_a_reference_counts_at_each_of_its_places() -> None:
    low = "The hub hums low."
    own = to(low)
    assert own.start is not None
    assert own.end is not None
    copy = OTHER.index(low)
    places = (Place("a.txt", own.start, own.end), Place("b.txt", copy, copy + len(low)))
    reference = Reference("a.txt", own.start, own.end, low, places)
    found = verdicts([Question("q1", "hub hums", (reference,))])
    held = [found.passage(0, each) for each in found.holding(0).tolist()]
    assert [(each.document_id, each.rank, each.text) for each in held] == [
        ("a.txt", 1, low),
        ("b.txt", 2, low),
    ]


def test_a_reference_that_is_cut_apart_is_held_by_nothing() -> None:
    found = verdicts([Question("q1", "what blinks blue", (to("blue. The hub"),))])
    assert (found.held.tolist(), found.best.tolist(), found.at_k.tolist()) == (
        [False],
        [0],
        [False],
    )
    assert found.holding(0).tolist() == []
    assert [found.passage(0, each).text for each in found.touching(0).tolist()] == [
        "The lamp blinks blue.",
        "The hub hums low.",
    ]
    # Whatever was found is above what was not.
    assert len(found.above(0)) == found.depth[0] == 7


def test_what_the_ranking_does_not_reach_has_no_rank() -> None:
    found = verdicts([Question("q1", "lamp", (to("The hub hums low."),))], depth=1, budget=1)
    shallow = Verdicts(
        Judged(
            found.judged.targets,
            found.judged.pool,
            found.judged.order[:, :1],
            found.judged.tokens[:, :1],
            found.judged.scores[:, :1] if found.judged.scores is not None else None,
        ),
        1,
        1000,
    )
    assert (shallow.ranks.tolist(), shallow.held.tolist()) == ([0], [True])
    (held,) = [shallow.passage(0, each) for each in shallow.holding(0).tolist()]
    assert held.rank == 0
    assert np.isnan(held.score)
    assert held.text == "The hub hums low."


@pytest.mark.parametrize(
    "notation", ["sentence:1s", "sentence:1s|parents=document", "fixed:20c+5c"]
)
def test_verdicts_are_the_metrics(notation: str) -> None:
    asked = [
        Question("q1", "what blinks blue", (to("lamp blinks"),)),
        Question("q2", "door", (to("hub"), to("door"))),
        Question("q3", "hums", (to("A lamp is here.", DOCUMENTS[1]),)),
    ]
    for k, budget in ((1, 5), (2, 12), (50, 1000)):
        found = verdicts(asked, notation, k, budget)
        hit = Metric("hit_rate", k=k).values(found.judged)
        at_budget = Metric("hit_rate", budget=budget).values(found.judged)
        reciprocal = Metric("mrr").values(found.judged)
        assert found.at_k.tolist() == (hit == 1).tolist()
        assert found.at_budget.tolist() == (at_budget == 1).tolist()
        ranks = [1 / best if best else 0 for best in found.best.tolist()]
        assert reciprocal.tolist() == pytest.approx(ranks)


def test_what_is_sent_is_judged() -> None:
    asked = Question("q1", "what blinks blue", (to("blue. The hub"),))
    found = verdicts([asked], "sentence:1s|parents=document")
    assert found.at_k.tolist() == [True]
    (held,) = found.holding(0).tolist()
    passage = found.passage(0, held)
    assert (passage.text, passage.start, passage.end) == (TEXT, 0, len(TEXT))


def test_no_question_gives_no_verdict() -> None:
    found = verdicts([])
    assert (len(found.at_k), len(found.best), len(found.ranks)) == (0, 0, 0)
