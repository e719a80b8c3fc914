"""Parents: each is sent once, in the order of its best chunk, and never beside its own child."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

import chunkwright as cw
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.lexical import BM25
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import rank


class Given:
    """A retriever with scores made up by hand, in the order of the chunks."""

    name = key = "given"

    def __init__(self, *scores: float) -> None:
        self.given = scores

    def scores(self, pool: Pool, questions: Sequence[str]) -> np.ndarray:
        assert len(self.given) == len(pool)
        return np.array([self.given] * len(questions), np.float32)


def pool_of(text: str, notation: str) -> Pool:
    return Pool(Collection([cw.Document("a.md", text)]), cw.Setup.parse(notation))


def sent(pool: Pool, retriever: Given, k: int) -> list[int]:
    """Numbers of the spans that are sent, best first."""
    order = rank(pool, retriever, ["?"], k, 0).order[0, :k]
    return [int(at) for at in order if at >= 0]


def test_br_169_children_are_grouped_before_the_top_k() -> None:
    text = "# P1\n\nOne. Two. Three. Four. Five.\n\n# P2\n\nSix.\n\n# P3\n\nSeven."
    pool = pool_of(text, "sentence:1s|parents=section")
    # The third section starts at the eleventh chunk: each heading is one.
    assert pool.sent.of_chunk.tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 2, 2]
    assert sent(pool, Given(0, 9, 8, 7, 6, 5, 0, 4, 0, 3), 3) == [0, 1, 2]
    # The best child decides the order.
    assert sent(pool, Given(0, 9, 8, 7, 6, 5, 0, 4, 0, 10), 3) == [2, 0, 1]


LEAVES = "# D\n\nAll.\n\n## A\n\nOne here. Two there.\n\n## B\n\nThree here. Four there."


@pytest.mark.parametrize("parents", ["section", "document", "200c"])
def test_br_170_no_parent_beside_its_child(parents: str) -> None:
    # There is one level of parents, and it is always sent; a hit on every leaf gives each once.
    pool = pool_of(LEAVES, f"sentence:1s|parents={parents}")
    found = sent(pool, Given(*[1.0] * len(pool)), 99)
    spans = [pool.sent.spans.pairs()[at] for at in found]
    assert len(spans) == len(set(spans)) == {"section": 3, "document": 1, "200c": 1}[parents]
    for before, after in pairwise(sorted(spans)):
        assert before[1] <= after[0]


def test_br_170_every_leaf_hit_gives_the_root() -> None:
    pool = pool_of(LEAVES, "sentence:1s|parents=document")
    assert len(pool) >= 5
    assert sent(pool, Given(*[1.0] * len(pool)), 5) == [0]
    assert pool.sent.spans.pairs() == [(0, len(LEAVES))]


def test_br_172_the_section_that_answers_is_sent_not_the_document() -> None:
    text = "\n\n".join(
        [
            "# Lamp\n\nThe lamp is blue. It hums.",
            "# Hub\n\nThe hub is red. The reset button of the hub is below.",
            "# Door\n\nThe door has a button. It is green.",
        ]
    )
    pool = pool_of(text, "sentence:1s|parents=section")
    ranking = rank(pool, BM25, ["Where is the reset button of the hub lamp door?"], 3, 0)
    spans = [pool.sent.spans.pairs()[at] for at in ranking.order[0].tolist()]
    assert text[slice(*spans[0])].startswith("# Hub")
    assert all(end - start < len(text) / 2 for start, end in spans)
    for before, after in pairwise(sorted(spans)):
        assert before[1] <= after[0]
