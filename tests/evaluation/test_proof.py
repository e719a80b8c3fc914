"""Proof on examples that can be worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from chunkwright.chunking.cut import Cut
from chunkwright.evaluation.experiment import Experiment
from chunkwright.evaluation.metrics import Metric
from chunkwright.evaluation.proof import (
    RepairProof,
    RuleProof,
    Tally,
    prove_repairs,
    prove_rules,
    tally_rules,
    unread,
)
from chunkwright.gold.goldset import GoldSet, Place, Question, Reference
from chunkwright.quality.repair import repair_of
from chunkwright.quality.rule import Finding, Severity
from chunkwright.quality.settings import Settings
from chunkwright.retrieval.named import retriever
from chunkwright.retrieval.pool import Pool
from chunkwright.spans import Spans
from tests.quality.chunked import chunked

METRIC = Metric.parse("hit_rate@3")
LIMIT = "fixed:80c"
ONLY = Settings(select=("C102",))


def lamps(cut: int, whole: int) -> tuple[Experiment, Pool]:
    """Some documents whose first sentence is cut in two, and some that are cut between sentences.

    Of a cut one both sentences are asked for, of a whole one the first.
    """
    cuts: list[Cut] = []
    questions: list[Question] = []
    for number in range(cut + whole):
        lamp = f"Lamp{number:02} blinks very blue."
        hub = f"Hub{number:02} hums low all the day long."
        marked = f"{lamp} ¦{hub}"
        if number < cut:
            marked = f"{lamp[:14]}¦{lamp[14:]} {hub}"
        cuts.append(chunked(marked, f"d{number:02}.txt", LIMIT))
        sentences = (lamp, hub)[: 2 if number < cut else 1]
        questions.extend(asked(cuts[-1], sentence) for sentence in sentences)
    documents = [made.analysis.document for made in cuts]
    experiment = Experiment(documents, GoldSet(tuple(questions)), retriever("bm25"), (METRIC,))
    return experiment, Pool(experiment.collection, cuts[0].setup, None, cuts)


def asked(made: Cut, sentence: str, name: str = "") -> Question:
    start = made.analysis.text.index(sentence)
    document_id, end = made.analysis.document.id, start + len(sentence)
    return Question(name or sentence, sentence, (Reference(document_id, start, end, sentence),))


def test_a_rule_costs_what_its_chunks_miss_beyond_the_others() -> None:
    # Each cut document misses its first question and finds its second; the whole ones find all.
    experiment, pool = lamps(cut=12, whole=12)
    (proof,) = prove_rules(experiment, pool, METRIC, ONLY)
    assert (proof.code, proof.chunks) == ("C102", 12)
    assert (proof.flagged, proof.unflagged) == (24, 12)
    assert (proof.missed_flagged, proof.missed_unflagged) == (0.5, 0.0)
    # Documents are drawn: half of a cut document's questions are missed in every draw.
    assert (proof.low, proof.high) == (0.5, 0.5)
    assert proof.costs
    assert proof.lost == 12


def test_a_repair_wins_the_questions_that_were_cut_in_two() -> None:
    experiment, pool = lamps(cut=12, whole=12)
    mend, header = repair_of("move_to_sentence"), repair_of("leave_out_front_matter")
    moved, nothing, both = prove_repairs(
        experiment, pool, METRIC, [[mend], [header], [header, mend]]
    )
    assert moved.repairs == ("move_to_sentence",)
    assert (moved.changed, moved.questions, moved.won, moved.lost) == (24, 36, 12, 0)
    assert moved.before == pytest.approx(24 / 36)
    assert moved.after == 1
    assert 0 < moved.low < 1 / 3 < moved.high
    assert abs(moved.stored) < 0.05
    assert (nothing.changed, nothing.won, nothing.low, nothing.stored) == (0, 0, 0, 0)
    assert both.repairs == ("leave_out_front_matter", "move_to_sentence")
    assert (both.won, both.low) == (moved.won, moved.low)


def test_few_questions_say_nothing() -> None:
    experiment, pool = lamps(cut=12, whole=9)
    (proof,) = prove_rules(experiment, pool, METRIC, ONLY)
    assert proof.unflagged == 9
    assert math.isnan(proof.low)
    assert not proof.costs
    experiment, pool = lamps(cut=4, whole=1)
    (repaired,) = prove_repairs(experiment, pool, METRIC, [[repair_of("move_to_sentence")]])
    assert repaired.won == 4
    assert math.isnan(repaired.low)


def test_rules_that_cost_answers_go_first() -> None:
    experiment, pool = lamps(cut=12, whole=12)
    proofs = prove_rules(experiment, pool, METRIC, Settings(select=("C",)))
    assert proofs[0].costs
    assert [each.costs for each in proofs] == sorted((each.costs for each in proofs), reverse=True)
    silent = next(each for each in proofs if each.code == "C110")
    assert silent.lost == 0
    assert math.isnan(silent.missed_flagged)


def test_setups_add_up_and_collections_stand_side_by_side() -> None:
    experiment, pool = lamps(cut=12, whole=12)
    (tally,) = tally_rules(experiment, pool, METRIC, ONLY).values()
    one = RuleProof.of("C102", "", tally)
    twice, beside = (
        RuleProof.of("C102", "", tally + tally),
        RuleProof.of("C102", "", tally.beside(tally)),
    )
    for both in (twice, beside):
        assert (both.chunks, both.flagged, both.lost) == (24, 48, 24)
        assert both.missed_flagged == one.missed_flagged
    assert len(np.unique(tally.beside(tally).clusters)) == 2 * len(np.unique(tally.clusters))
    # Asked twice, ten questions are still ten.
    rows = np.array([[0.0] * 9, [1.0] * 9, [0] * 9, [0] * 9, [1.0] * 9])
    nine = Tally(rows, np.arange(9), 9, (100, 110))
    assert math.isnan(RepairProof.of(("x",), nine + nine).low)
    assert RepairProof.of(("x",), nine + nine).stored == pytest.approx(0.1)


def test_questions_without_a_value_are_left_out() -> None:
    experiment, pool = lamps(cut=12, whole=12)
    bare = Question("none", "Is there anything?", ())
    several = GoldSet((*experiment.gold, bare))
    wider = Experiment(experiment.collection.documents, several, experiment.retriever, (METRIC,))
    (proof,) = prove_rules(wider, pool, METRIC, ONLY)
    assert proof.flagged + proof.unflagged == 36


def over(document_id: str, chunk: int, start: int, end: int) -> Finding:
    return Finding("Z302", "", Severity.ERROR, document_id, chunk, start, end, 1, "")


def test_a_reference_in_the_lost_tail_is_named() -> None:
    made = chunked("The lamp blinks blue. The hub hums. It needs power.¦ The end is near.", "a.txt")
    lost = [over("a.txt", 0, 25, 51)]
    questions = [
        asked(made, "The lamp blinks blue.", "read"),
        asked(made, "The hub hums.", "cut off in it"),
        asked(made, "It needs power.", "beyond"),
        asked(made, "The end is near.", "elsewhere"),
    ]
    found = unread(GoldSet(tuple(questions)), [made], lost)
    assert [(each.question, each.chunk) for each in found] == [("cut off in it", 0), ("beyond", 0)]
    assert found[1].document_id == "a.txt"
    assert made.analysis.text[found[1].start : found[1].end] == "It needs power."


def test_a_reference_that_is_read_anywhere_is_not_lost() -> None:
    text = "The lamp blinks blue. The hub hums. The hub hums."
    bare = chunked(text, "a.txt")
    overlapping = Cut(
        bare.analysis, bare.setup, bare.counter, Spans.of([(0, 36), (22, 49)]), bare.walls
    )
    first = asked(overlapping, "The hub hums.", "q")
    lost = [over("a.txt", 0, 25, 36)]
    # The second chunk holds it whole.
    assert not unread(GoldSet((first,)), [overlapping], lost)
    # Nor where another copy is read.
    tail = [over("a.txt", 0, 30, 49)]
    places = (Place("a.txt", 36, 49), Place("a.txt", 0, 10))
    copied = Question("q", "?", (Reference("a.txt", 36, 49, "The hub hums.", places),))
    assert not unread(GoldSet((copied,)), [bare], tail)
    assert unread(GoldSet((first,)), [bare], tail)
