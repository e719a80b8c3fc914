"""Charts: every figure is in them, each setup has a place of its own, and words say the same."""

from __future__ import annotations

import numpy as np
import pytest

from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.model import Document
from chunkwright.report.charts import (
    by_size,
    by_size_in_words,
    frontier,
    frontier_in_words,
    heat_map,
    heat_map_in_words,
    histogram,
    sizes,
    sizes_in_words,
    svg,
)
from chunkwright.report.tables import percent
from chunkwright.sources.corpus import Corpus
from chunkwright.tuning.study import Study, tune

TEXT = " ".join(f"The lamp of house {at} is item {at * 7}. It is old." for at in range(20))
SPACE = [
    "fixed:{8,16}t+{0,25}%",
    "sentence:{1,2}s",
    "sentence:2s|headers",
    "sentence:9t|parents=40t",
    "recursive:40c",
]


@pytest.fixture(scope="module")
def study() -> Study:
    quotes = [f"The lamp of house {at} is item {at * 7}." for at in range(0, 20, 2)]
    gold = GoldSet(
        tuple(
            Question(quote, f"Which item is the lamp {at}?", (Reference("a.md", quote=quote),))
            for at, quote in enumerate(quotes)
        )
    )
    corpus = Corpus.of([Document("a.md", f"# Lamps\n\n{TEXT}")])
    return tune(corpus, gold, SPACE, retriever="bm25", budget=30)


class TestHeatMap:
    def test_each_setup_has_a_cell_of_its_own(self, study: Study) -> None:
        chart = heat_map(study.evaluations, study.choice).to_dict()
        rows = [row for data in chart["datasets"].values() for row in data]
        assert sorted(row["setup"] for row in rows) == sorted(
            str(each.setup) for each in study.evaluations
        )
        places = {(row["strategy"], row["size"], row["more"]) for row in rows}
        assert len(places) == len(study.evaluations)
        assert [row["setup"] for row in rows if row["best"]] == [str(study.best.setup)]

    def test_the_figures_are_those_of_the_study(self, study: Study) -> None:
        chart = heat_map(study.evaluations, study.choice).to_dict()
        shown = {row["setup"]: row["figure"] for data in chart["datasets"].values() for row in data}
        for each, standing in zip(study.evaluations, study.choice.field.standings, strict=True):
            assert shown[str(each.setup)] == percent(standing.mean)

    def test_rows_and_columns_are_in_order(self, study: Study) -> None:
        maps = heat_map(study.evaluations, study.choice).to_dict()["concat"]
        assert [each["title"] for each in maps] == ["fixed", "sentence", "recursive"]
        edges = [maps[1]["layer"][0]["encoding"][axis]["sort"] for axis in "yx"]
        assert edges == [["1s", "2s", "9t"], ["none", "|headers", "|parents=40t"]]
        fixed = maps[0]["layer"][0]["encoding"]
        assert (fixed["y"]["sort"], fixed["x"]["sort"]) == (["8t", "16t"], ["none", "+25%"])

    def test_in_words(self, study: Study) -> None:
        words = heat_map_in_words(study.evaluations, study.choice)
        assert words.startswith("hit_rate@30t by size and overlap.")
        assert words.count(" %") == 3

    def test_it_is_drawn(self, study: Study) -> None:
        drawn = svg(heat_map(study.evaluations, study.choice))
        assert drawn.startswith("<svg")
        for each in study.evaluations:
            assert f"setup: {each.setup}" in drawn


def test_the_frontier_in_words(study: Study) -> None:
    words = frontier_in_words(study.evaluations, study.choice)
    assert f"{study.best.setup} is recommended" in words
    assert f"{study.best.statistics.stored_tokens:,} tokens" in words


def test_by_size_in_words(study: Study) -> None:
    words = by_size_in_words(study.evaluations)
    assert "for hit_rate@5" in words
    assert "for hit_rate@30t" in words


def test_no_colour_depends_on_what_is_behind(study: Study) -> None:
    charts = (
        frontier(study.evaluations, study.choice),
        by_size(study.evaluations),
        sizes(np.array([1, 2]), 3),
    )
    for chart in charts:
        text = chart.to_json()
        assert "#000" not in text.replace('"#000000"', "")
        assert "white" not in text


class TestSizes:
    TOKENS = np.random.default_rng(7).integers(1, 201, 900)

    @pytest.mark.parametrize("limit", [None, 1, 200, 5000])
    def test_every_chunk_is_in_one_bar(self, limit: int | None) -> None:
        bars = histogram(self.TOKENS, limit)
        assert sum(count for _, _, count in bars) == 900
        assert len(bars) <= 32
        for low, high, count in bars:
            inside = (low < self.TOKENS) & (high >= self.TOKENS)
            assert count == np.count_nonzero(inside)

    def test_a_chunk_of_the_size_is_left_of_its_mark(self) -> None:
        assert max(high for _, high, _ in histogram(np.array([200] * 3), 200)) == 200

    def test_the_size_is_marked(self) -> None:
        for limit, marks in ((200, 1), (None, 0)):
            data = sizes(self.TOKENS, limit).to_dict()["datasets"].values()
            assert sum("limit" in row for rows in data for row in rows) == marks

    @pytest.mark.parametrize("limit", [None, 9])
    def test_no_chunks(self, limit: int | None) -> None:
        nothing = np.zeros(0, np.int64)
        assert histogram(nothing, limit) == []
        assert sizes_in_words(nothing, limit) == "There are no chunks."
        assert svg(sizes(nothing, limit)).startswith("<svg")

    def test_one_chunk_in_words(self) -> None:
        words = sizes_in_words(np.array([7]))
        assert words == "Tokens of 1 chunk: from 7 to 7, half of them up to 7."
