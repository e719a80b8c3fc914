from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chunkwright.chunking.dress import chunk
from chunkwright.gold.goldset import GoldSet
from chunkwright.integrations.chunk_files import ChunkFile
from chunkwright.integrations.evaluation import evaluate_chunks
from chunkwright.integrations.foreign import anchored
from chunkwright.retrieval.named import retriever
from chunkwright.sources.corpus import Corpus
from chunkwright.tuning.study import evaluate

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def file_of(spans: list[tuple[str, int, int]], corpus: Corpus) -> ChunkFile:
    return ChunkFile(
        path="chunks.jsonl",
        format="plain",
        rows=np.arange(1, len(spans) + 1),
        texts=tuple(corpus.document(name).text[start:end] for name, start, end in spans),
        sources=tuple(name for name, _, _ in spans),
        starts=np.array([start for _, start, _ in spans]),
        ends=np.array([end for _, _, end in spans]),
    )


@pytest.mark.parametrize("name", ["bm25", "hybrid"])
def test_figures_are_those_of_the_setup_that_made_them(name: str) -> None:
    corpus, gold = Corpus.read(EXAMPLES / "docs"), GoldSet.read(EXAMPLES / "gold.jsonl")
    # Windows: no head of a table is put before them.
    setup = "fixed:60t+10t"
    ours = evaluate(corpus, setup, gold, name)
    spans = [(each.document_id, each.start, each.end) for each in chunk(corpus, setup)]
    found = anchored(file_of(spans, corpus), corpus)
    theirs, nested = evaluate_chunks(found, corpus, gold, retriever(name))
    assert nested == 0
    assert theirs.values.keys() == ours.values.keys()
    for metric, values in ours.values.items():
        np.testing.assert_array_equal(theirs.values[metric], values)


def test_a_chunk_inside_another_is_left_out_and_counted() -> None:
    corpus, gold = Corpus.read(EXAMPLES / "docs"), GoldSet.read(EXAMPLES / "gold.jsonl")
    spans = [(each.document_id, each.start, each.end) for each in chunk(corpus, "sentence:60t")]
    name, start, end = spans[3]
    both = [*spans, (name, start + 5, end - 5)]
    alone, _ = evaluate_chunks(
        anchored(file_of(spans, corpus), corpus), corpus, gold, retriever("bm25")
    )
    result, nested = evaluate_chunks(
        anchored(file_of(both, corpus), corpus), corpus, gold, retriever("bm25")
    )
    assert nested == 1
    assert result.mean("hit_rate@5") == alone.mean("hit_rate@5")
