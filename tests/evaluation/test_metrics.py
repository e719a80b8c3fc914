"""Every metric on examples made by hand, the figures of the bug reports among them."""

from __future__ import annotations

import math
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkwright.errors import MetricError
from chunkwright.evaluation.experiment import ChunkStatistics, Evaluation, default_metrics
from chunkwright.evaluation.metrics import Metric
from chunkwright.evaluation.targets import Judged, Targets
from chunkwright.gold.goldset import GoldSet, Place, Question, Reference
from chunkwright.model import Document
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.pool import Sent
from chunkwright.setup import Setup
from chunkwright.spans import Spans

LINE = Collection([Document("a.txt", "x" * 1000)])
NAMES = [
    *("hit_rate", "all_hit", "recall", "precision", "iou", "mrr", "ndcg", "precision_omega"),
    "document_hit_rate",
]
Pairs = list[tuple[int, int]]


def reference(*places: tuple[int, int]) -> Reference:
    """A reference at its own place, and at those of its copies."""
    return Reference("a.txt", *places[0], places=tuple(Place("a.txt", *place) for place in places))


def judge(
    results: Pairs,
    *references: Reference,
    unseen: Pairs | None = None,
    tokens: list[int] | None = None,
    scores: list[float] | None = None,
    line: Collection = LINE,
) -> Judged:
    """One question: its results, best first, and chunks that were not found."""
    spans = sorted([*results, *(unseen or [])])
    size = dict(zip(results, tokens or [10] * len(results), strict=True))
    sent_tokens = np.array([size.get(span, 10) for span in spans], np.int64)
    sent = Sent(Spans.of(spans), sent_tokens, np.arange(len(spans)))
    order = np.array([[spans.index(span) for span in results]], np.int64).reshape(1, -1)
    targets = Targets.of(GoldSet((Question("q", "?", references),)), line)
    pool: Any = SimpleNamespace(sent=sent, collection=line)
    ranked = None if scores is None else np.array([scores], np.float32)
    return Judged(targets, pool, order, sent_tokens[order], ranked)


def value(metric: str, judged: Judged) -> float:
    (found,) = Metric.parse(metric).values(judged)
    return float(found)


class TestRanking:
    @pytest.mark.parametrize(
        ("rank", "hit", "reciprocal", "gain"),
        [(1, 1, 1, 1), (2, 1, 1 / 2, 1 / math.log2(3)), (3, 1, 1 / 3, 1 / 2), (4, 0, 0, 0)],
    )
    def test_one_reference_at_a_rank(
        self, rank: int, hit: float, reciprocal: float, gain: float
    ) -> None:
        results = [(100 * at, 100 * at + 50) for at in range(1, 6)]
        start = results[rank - 1][0]
        judged = judge(results, reference((start, start + 50)))
        assert value("hit_rate@3", judged) == hit
        assert value("all_hit@3", judged) == hit
        assert value("mrr@3", judged) == pytest.approx(reciprocal)
        assert value("ndcg@3", judged) == pytest.approx(gain)

    def test_one_of_two_references_is_a_hit_but_not_all(self) -> None:
        judged = judge([(0, 50), (50, 100)], reference((0, 10)), reference((200, 210)))
        assert value("hit_rate@5", judged) == 1
        assert value("all_hit@5", judged) == 0

    def test_a_reference_over_two_results_is_covered_but_no_hit(self) -> None:
        judged = judge([(0, 50), (50, 100)], reference((40, 60)))
        assert value("hit_rate@5", judged) == 0
        assert value("recall@5", judged) == 1

    def test_the_edges_of_a_result_are_inside_it(self) -> None:
        assert value("hit_rate@1", judge([(10, 20)], reference((10, 20)))) == 1
        assert value("hit_rate@1", judge([(10, 20)], reference((9, 20)))) == 0
        assert value("hit_rate@1", judge([(10, 20)], reference((10, 21)))) == 0

    def test_br_194_the_ideal_counts_what_was_not_found(self) -> None:
        judged = judge([(0, 50), (900, 950)], reference((0, 50)), reference((100, 150)))
        assert value("ndcg@5", judged) == pytest.approx(0.6131, abs=5e-5)

    def test_ndcg_is_1_for_the_best_order_and_for_one_result_with_all(self) -> None:
        wanted = reference((0, 10)), reference((20, 30))
        assert value("ndcg@5", judge([(0, 15), (15, 40)], *wanted)) == pytest.approx(1)
        assert value("ndcg@5", judge([(0, 50)], *wanted)) == pytest.approx(1)

    def test_the_first_of_several_results_with_the_reference_counts(self) -> None:
        judged = judge([(0, 5), (10, 30), (15, 35)], reference((16, 20)))
        assert value("mrr@5", judged) == pytest.approx(1 / 2)


class TestRepeats:
    """What is given twice is neither found twice nor wanted twice."""

    def test_br_173_and_br_176_a_result_that_comes_twice(self) -> None:
        once = judge([(0, 50)], reference((0, 10)), unseen=[(60, 90)])
        twice = Judged(once.targets, once.pool, np.array([[0, 0]]), np.array([[10, 10]]))
        for metric in ("hit_rate", "all_hit", "recall", "mrr", "ndcg", "document_hit_rate"):
            assert value(f"{metric}@2", twice) == 1
        assert value("precision@2", twice) == 10 / 100  # paid twice

    def test_br_175_and_br_176_a_reference_that_comes_twice(self) -> None:
        judged = judge([(0, 50)], reference((0, 10)), reference((0, 10)))
        for metric in ("hit_rate", "all_hit", "recall", "mrr", "ndcg", "document_hit_rate"):
            assert value(f"{metric}@5", judged) == pytest.approx(1)
        assert judged.targets.wanted.tolist() == [10]
        assert value("precision@5", judged) == 10 / 50


class TestCoverageAndEfficiency:
    def test_br_182_a_sliver_is_not_a_find(self) -> None:
        sliver, whole = (
            judge([(0, 41)], reference((40, 60))),
            judge([(38, 62)], reference((40, 60))),
        )
        assert value("recall@1", sliver) == pytest.approx(0.05)
        assert value("iou@1", sliver) == pytest.approx(1 / 60)
        assert value("recall@1", whole) == 1
        assert value("iou@1", whole) == pytest.approx(20 / 24)

    def test_br_184_all_five_results_count_below_the_line(self) -> None:
        results = [(at, at + 50) for at in range(0, 250, 50)]
        assert value("precision@5", judge(results, reference((60, 70)))) == pytest.approx(0.04)

    def test_br_193_overlapping_references_are_15_characters_not_20(self) -> None:
        judged = judge([(0, 15)], reference((0, 10)), reference((5, 15)))
        assert judged.targets.wanted.tolist() == [15]
        assert value("recall@1", judged) == 1
        assert value("precision@1", judged) == 1
        assert value("iou@1", judged) == 1

    def test_br_193_what_two_references_share_is_covered_once(self) -> None:
        judged = judge([(5, 10)], reference((0, 10)), reference((5, 15)))
        assert value("recall@1", judged) == pytest.approx(5 / 15)
        assert value("precision@1", judged) == 1
        assert value("iou@1", judged) == pytest.approx(5 / 15)

    def test_text_that_is_sent_twice_is_covered_once_and_paid_twice(self) -> None:
        judged = judge([(0, 20), (10, 30)], reference((12, 18)))
        assert value("recall@5", judged) == 1
        assert value("precision@5", judged) == pytest.approx(6 / 40)
        assert value("iou@5", judged) == pytest.approx(6 / 40)

    def test_a_touch_is_not_an_overlap(self) -> None:
        judged = judge([(0, 10), (20, 30)], reference((10, 20)), unseen=[(10, 20)])
        assert value("recall@5", judged) == 0
        assert value("precision_omega", judged) == 1

    def test_br_197_another_chunk_of_the_right_document_covers_nothing(self) -> None:
        judged = judge([(0, 100)], reference((950, 1000)), unseen=[(900, 1000)])
        for metric in ("hit_rate@1", "recall@1", "precision@1", "mrr@1", "ndcg@1"):
            assert value(metric, judged) == 0
        assert value("document_hit_rate@1", judged) == 1

    def test_precision_omega_is_precision_with_all_that_touch(self) -> None:
        chunks = [(0, 50), (40, 90), (90, 140), (140, 190)]
        # 20 wanted characters in two chunks that cover 90 together.
        assert value("precision_omega", judge([], reference((35, 55)), unseen=chunks)) == 20 / 90
        # Two references in one chunk: it is paid once.
        pair = reference((100, 105)), reference((120, 125))
        assert value("precision_omega", judge([], *pair, unseen=chunks)) == 10 / 50
        # Five of ten wanted characters are in no chunk.
        assert value("precision_omega", judge([], reference((185, 195)), unseen=chunks)) == 5 / 55
        assert value("precision_omega", judge([], reference((500, 510)), unseen=chunks)) == 0


class TestNothing:
    def test_br_178_and_br_190_nothing_found_is_0(self) -> None:
        for judged in (
            judge([], reference((0, 10))),
            judge([], reference((0, 10)), unseen=[(0, 20)]),
            judge([(0, 20)], reference((0, 10)), tokens=[2000]),
        ):
            for metric in ("hit_rate", "all_hit", "recall", "iou", "mrr", "ndcg"):
                assert value(f"{metric}@1000t", judged) == 0
            assert judged.within(None, 1000).sent_tokens.tolist() == [0]

    def test_br_178_precision_of_nothing_is_undefined(self) -> None:
        assert math.isnan(value("precision@5", judge([], reference((0, 10)), unseen=[(0, 20)])))

    @pytest.mark.parametrize(
        "metric", [*(f"{name}@5" for name in NAMES if name != "precision_omega"), "precision_omega"]
    )
    def test_br_179_without_references_it_is_undefined(self, metric: str) -> None:
        assert math.isnan(value(metric, judge([(0, 10)])))

    def test_br_179_an_undefined_value_leaves_the_mean_and_n(self) -> None:
        statistics = ChunkStatistics(1, 1, 1, 1, {}, 0, 0, "")
        values = {"recall@5": np.array([1.0, 0.5, np.nan]), "iou@5": np.full(3, np.nan)}
        evaluation = Evaluation(Setup.parse("fixed:9c"), "bm25", values, {}, statistics)
        assert (evaluation.mean("recall@5"), evaluation.n("recall@5")) == (0.75, 2)
        assert math.isnan(evaluation.mean("iou@5"))
        assert evaluation.n("iou@5") == 0


class TestCopies:
    def test_any_copy_is_a_hit(self) -> None:
        judged = judge([(200, 250), (500, 550)], reference((0, 10), (510, 520)))
        assert value("hit_rate@1", judged) == 0
        assert value("hit_rate@2", judged) == 1
        assert value("mrr@2", judged) == 1 / 2
        assert value("recall@2", judged) == 1
        assert value("precision@2", judged) == 10 / 100

    def test_the_best_covered_copy_counts_and_copies_do_not_add_up(self) -> None:
        wanted = reference((0, 10), (500, 510))
        assert value("recall@5", judge([(7, 50), (500, 506)], wanted)) == pytest.approx(0.6)
        assert value("recall@5", judge([(0, 10), (500, 510)], wanted)) == 1
        assert value("ndcg@5", judge([(0, 10), (500, 510)], wanted)) == 1

    def test_precision_omega_looks_at_the_own_place(self) -> None:
        chunks = [(0, 20), (500, 510)]
        judged = judge([], reference((0, 10), (500, 510)), unseen=chunks)
        assert value("precision_omega", judged) == 10 / 20

    # The references stand apart, but a copy of each lies in "abcdefghi", where they share "def".
    def test_copies_that_share_characters_cover_them_once(self) -> None:
        wanted = reference((0, 6), (500, 506)), reference((100, 106), (503, 509))
        judged = judge([(500, 509)], *wanted)
        assert value("precision@1", judged) <= 1
        assert value("iou@1", judged) <= 1


THREE: Pairs = [(0, 40), (40, 80), (80, 90)]


class TestBudget:
    def test_counting_stops_at_the_first_result_that_does_not_fit(self) -> None:
        judged = judge(THREE, reference((80, 90)), tokens=[400, 700, 100])
        assert judged.within(None, 1000).counts.tolist() == [1]
        assert judged.within(None, 1000).sent_tokens.tolist() == [400]
        assert value("hit_rate@1000t", judged) == 0
        assert value("hit_rate@1200t", judged) == 1

    def test_a_budget_that_is_met_exactly_is_enough(self) -> None:
        judged = judge(THREE, reference((40, 80)), tokens=[400, 600, 1])
        assert value("hit_rate@1000t", judged) == 1
        assert value("hit_rate@999t", judged) == 0

    def test_fewer_results_than_k_are_all_that_count(self) -> None:
        judged = judge(THREE, reference((80, 90)))
        assert judged.within(50, None).counts.tolist() == [3]
        assert judged.within(None, 10**9).counts.tolist() == [3]
        assert judged.within(2, None).sent_tokens.tolist() == [20]


class TestTies:
    """Questions in which the rule for equal scores decides which results count (BR-187)."""

    @pytest.mark.parametrize(
        ("scores", "k", "tied"),
        [
            ([3, 2, 1], 1, False),
            ([2, 2, 1], 1, True),
            ([2, 2, 1], 2, False),
            ([3, 1, 1], 1, False),
            ([1, 1, 1], 2, True),
            ([1, 1, 1], 3, False),
            ([1, 1, 1], 9, False),
        ],
    )
    def test_the_edge_of_the_first_k(self, scores: list[float], k: int, tied: bool) -> None:
        judged = judge(THREE, reference((0, 9)), scores=scores)
        assert judged.within(k, None).ties.tolist() == [tied]

    @pytest.mark.parametrize(
        ("scores", "budget", "tied"),
        [
            ([3, 2, 1], 1000, False),
            ([2, 2, 1], 1000, True),  # only one of the two fits
            ([2, 2, 1], 1100, False),  # both fit, and the edge lies behind them
            ([3, 2, 2], 1000, True),  # the third would fit, were it taken first
            ([3, 2, 2], 450, False),  # neither would
            ([2, 2, 1], 399, False),  # nor does either of the best
            ([2, 2, 2], 399, True),  # but the third does
            ([2, 2, 2], 1200, False),
        ],
    )
    def test_the_edge_of_a_budget(self, scores: list[float], budget: int, tied: bool) -> None:
        judged = judge(THREE, reference((0, 9)), tokens=[400, 700, 100], scores=scores)
        assert judged.within(None, budget).ties.tolist() == [tied]

    def test_without_a_cutoff_or_without_scores_there_is_none(self) -> None:
        assert not judge(THREE, reference((0, 9)), scores=[1, 1, 1]).within(None, None).ties.any()
        assert not judge(THREE, reference((0, 9))).within(1, None).ties.any()
        assert not judge([], reference((0, 9)), scores=[]).within(1, None).ties.any()

    @given(
        st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3)), min_size=1, max_size=5),
        st.integers(1, 12),
        st.booleans(),
    )
    def test_it_is_whether_another_order_of_equals_lets_in_another_result(
        self, results: list[tuple[int, int]], limit: int, tokens: bool
    ) -> None:
        results.sort(key=lambda result: -result[1])
        spans = [(10 * at, 10 * at + 9) for at in range(len(results))]
        judged = judge(
            spans,
            reference((0, 9)),
            tokens=[cost for cost, _ in results],
            scores=[score for _, score in results],
        )
        found = judged.within(None, limit) if tokens else judged.within(limit, None)
        counted = set()
        for order in permutations(range(len(results))):
            if sorted(order, key=lambda at: -results[at][1]) != list(order):
                continue
            room, inside = limit, set()
            for at in order:
                room -= results[at][0] if tokens else 1
                if room < 0:
                    break
                inside.add(at)
            counted.add(frozenset(inside))
        assert found.ties.tolist() == [len(counted) > 1]


@st.composite
def chunk_spans(draw: st.DrawFn) -> Pairs:
    """Spans as a pool has them: both ends ascend."""
    starts = sorted(draw(st.sets(st.integers(0, 60), min_size=1, max_size=12)))
    spans: Pairs = []
    for start in starts:
        least = spans[-1][1] + 1 if spans else 0
        spans.append((start, max(start + draw(st.integers(1, 15)), least)))
    return spans


@st.composite
def rankings(draw: st.DrawFn, apart: bool = False) -> Judged:
    """A question over random chunks, some of them found; with `apart`, plain references."""
    spans = draw(chunk_spans())
    found = draw(st.permutations(spans))[: draw(st.integers(0, len(spans)))]
    unseen = [span for span in spans if span not in found]
    tokens = draw(st.lists(st.integers(1, 9), min_size=len(found), max_size=len(found)))
    if apart:
        edges = sorted(draw(st.sets(st.integers(0, 80), min_size=2, max_size=8)))
        pairs = zip(edges[::2], edges[1::2], strict=False)
        references = [reference(pair) for pair in pairs]
    else:
        references = []
        for _ in range(draw(st.integers(1, 4))):
            length = draw(st.integers(1, 15))
            places = draw(st.lists(st.integers(0, 60), min_size=1, max_size=3, unique=True))
            references.append(reference(*((place, place + length) for place in places)))
    return judge(found, *references, unseen=unseen, tokens=tokens)


CUTOFFS = st.one_of(st.integers(1, 14).map(str), st.integers(1, 40).map("{}t".format))


@pytest.mark.parametrize("name", NAMES)
@given(judged=rankings(), cutoff=CUTOFFS)
@settings(max_examples=150)
def test_every_metric_lies_in_0_to_1(name: str, judged: Judged, cutoff: str) -> None:
    found = value(f"{name}@{cutoff}", judged)
    assert math.isnan(found) or 0 <= found <= 1 + 1e-12


@given(judged=rankings(apart=True), k=st.integers(1, 14))
def test_metrics_are_what_sets_of_characters_give(judged: Judged, k: int) -> None:
    spans = judged.pool.sent.spans.pairs()
    counted = [spans[at] for at in judged.order[0, :k].tolist()]
    wanted = list(zip(judged.targets.starts.tolist(), judged.targets.ends.tolist(), strict=True))
    characters = {at for start, end in wanted for at in range(start, end)}
    sent = {at for start, end in counted for at in range(start, end)}
    paid = sum(end - start for start, end in counted)
    covered = len(characters & sent)
    assert value(f"recall@{k}", judged) == pytest.approx(covered / len(characters))
    if paid:
        assert value(f"precision@{k}", judged) == pytest.approx(covered / paid)
    expected = covered / (paid + len(characters - sent))
    assert value(f"iou@{k}", judged) == pytest.approx(expected)

    inside = [
        [rank for rank, (a, b) in enumerate(counted, 1) if a <= start and end <= b]
        for start, end in wanted
    ]
    ranks = sorted(found[0] for found in inside if found)
    assert value(f"hit_rate@{k}", judged) == bool(ranks)
    assert value(f"all_hit@{k}", judged) == all(inside)
    assert value(f"mrr@{k}", judged) == pytest.approx(1 / ranks[0] if ranks else 0)
    gain = sum(1 / math.log2(max(rank, at) + 1) for at, rank in enumerate(ranks, 1))
    ideal = sum(1 / math.log2(at + 1) for at in range(1, len(wanted) + 1))
    assert value(f"ndcg@{k}", judged) == pytest.approx(gain / ideal)

    touching = [
        span for span in spans if any(span[0] < end and start < span[1] for start, end in wanted)
    ]
    pieces = {at for start, end in touching for at in range(start, end)}
    omega = len(characters & pieces) / len(characters | pieces)
    assert value("precision_omega", judged) == pytest.approx(omega)


class TestDocuments:
    """`document_hit_rate`: a result from the right document, wherever it lies in it."""

    # On the line: a.txt 0-10, b.txt 11-21 (empty.txt between b and c), c.txt 23-33.
    LINE = Collection(
        [
            Document("a.txt", "x" * 10),
            Document("b.txt", "x" * 10),
            Document("bb-empty.txt", ""),
            Document("c.txt", "x" * 10),
        ]
    )

    def judged(self, results: Pairs, *places: tuple[str, int, int]) -> Judged:
        chunks = [(0, 5), (5, 10), (11, 16), (16, 21), (23, 28), (28, 33)]
        unseen = [span for span in chunks if span not in results]
        found = tuple(Place(*place) for place in places)
        wanted = [Reference(*places[0], places=found)] if places else []
        return judge(results, *wanted, unseen=unseen, line=self.LINE)

    @pytest.mark.parametrize(
        ("results", "hits"),
        [
            ([(11, 16)], [1, 1]),
            ([(16, 21)], [1, 1]),
            ([(5, 10), (16, 21)], [0, 1]),
            ([(5, 10), (23, 28)], [0, 0]),
            ([], [0, 0]),
        ],
    )
    def test_any_result_of_the_document_counts(self, results: Pairs, hits: list[int]) -> None:
        judged = self.judged(results, ("b.txt", 0, 5))
        found = [value(f"document_hit_rate@{k}", judged) for k in (1, 2)]
        assert found == hits
        assert value("hit_rate@1", judged) == ((11, 16) in results)

    def test_the_document_of_a_copy_is_right_too(self) -> None:
        judged = self.judged([(28, 33)], ("a.txt", 0, 5), ("c.txt", 0, 5))
        assert value("document_hit_rate@1", judged) == 1
        assert value("hit_rate@1", judged) == 0

    def test_it_is_undefined_without_references(self) -> None:
        assert math.isnan(value("document_hit_rate@1", self.judged([(0, 5)])))

    @given(judged=rankings(), cutoff=CUTOFFS)
    def test_it_is_never_below_the_hit_rate(self, judged: Judged, cutoff: str) -> None:
        for name in ("hit_rate", "all_hit"):
            least = value(f"{name}@{cutoff}", judged)
            assert value(f"document_hit_rate@{cutoff}", judged) >= least


class TestNotation:
    @given(st.sampled_from(NAMES), st.one_of(st.just(""), CUTOFFS.map("@{}".format)))
    def test_it_reads_back(self, name: str, cutoff: str) -> None:
        assert str(Metric.parse(name + cutoff)) == name + cutoff

    def test_its_parts(self) -> None:
        assert Metric.parse(" recall@1000t ") == Metric("recall", budget=1000)
        assert Metric.parse("hit_rate@5") == Metric("hit_rate", k=5)
        assert Metric.parse("precision_omega") == Metric("precision_omega")

    @pytest.mark.parametrize(
        "notation",
        ["", "@5", "recall@", "recall@5x", "recall@-1", "recall@1.5", "recall@t", "Recall@5",
         "recall@5t@5", "recall@０", "recall@0", "recall@0t", "no_such@5", "hit@5"],
    )  # fmt: skip
    def test_what_cannot_be_read(self, notation: str) -> None:
        with pytest.raises(MetricError) as caught:
            Metric.parse(notation)
        assert "\n" not in str(caught.value)

    def test_a_misspelt_name_is_corrected(self) -> None:
        with pytest.raises(MetricError, match="recall"):
            Metric.parse("recal@5")

    def test_the_default_ones_are_distinct_and_parse(self) -> None:
        metrics = default_metrics(3, 500)
        assert len(set(metrics)) == len(metrics) == 17
        assert [Metric.parse(str(metric)) for metric in metrics] == list(metrics)


def test_targets_of_some_questions_are_those_of_a_gold_set_of_them() -> None:
    gold = GoldSet(
        (
            Question("a", "?", (reference((0, 9)), reference((20, 30), (50, 60), (70, 80)))),
            Question("b", "?", ()),
            Question("c", "?", (reference((5, 9), (40, 44)),)),
            Question("d", "?", (reference((900, 999)),)),
        )
    )
    whole = Targets.of(gold, LINE)
    for numbers in ([], [0], [1], [2, 3], [0, 3], [0, 1, 2, 3]):
        found = whole.part(np.array(numbers, np.int64))
        expected = Targets.of(GoldSet(tuple(gold[at] for at in numbers)), LINE)
        assert found.questions == expected.questions
        for name in ("starts", "ends", "reference", "question", "own", "wanted"):
            assert getattr(found, name).tolist() == getattr(expected, name).tolist(), name
