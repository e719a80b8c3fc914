"""Dense retrieval: cosines of embedded chunks and questions."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from chunkwright.errors import ChunkwrightError, TruncationWarning
from chunkwright.model import Document
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.dense import Dense
from chunkwright.retrieval.late import Late
from chunkwright.retrieval.named import retriever
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import rank
from chunkwright.retrieval.vectors import VectorCache
from chunkwright.setup import Setup
from tests.retrieval.fakes import Words

DOCUMENTS = [
    Document("a.md", "# Lamp\n\nIt blinks blue. It hums at night."),
    Document("b.md", "# Hub\n\nIt blinks red. It sleeps."),
]


def pool(setup: str) -> Pool:
    return Pool(Collection(DOCUMENTS), Setup.parse(setup))


def test_scores_are_cosines_of_what_is_embedded() -> None:
    words = Words(prompts=("text: ", "question: "))
    made = pool("sentence:20t|headers")
    questions = ["what blinks?", "what sleeps?"]
    scores = Dense(words).scores(made, questions)
    texts = words.embed(["text: " + text for text in made.embed_texts()])
    asked = words.embed(["question: " + question for question in questions])
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, (1 + asked @ texts.T) / 2, atol=1e-6)


def test_what_is_written_in_a_chunk_is_found() -> None:
    found = rank(pool("sentence:1s"), retriever("wordllama"), ["it hums at night"], 1, 0)
    assert found.order[0, 0] == 2  # "# Lamp", "It blinks blue.", "It hums at night."


def test_setups_and_questions_share_what_was_embedded() -> None:
    dense = Dense(Words())
    for setup in ("sentence:1s", "sentence:1s+0s", "sentence:10t", "sentence:1s"):
        dense.scores(pool(setup), ["what blinks?"])
    asked = [text for texts in dense.embedder.asked for text in texts]  # type: ignore[attr-defined]
    assert len(asked) == len(set(asked))
    assert dense.cache.hits > dense.cache.misses


def test_br_203_cut_off_chunks_are_told_and_counted() -> None:
    dense, made = Dense(Words(limit=3)), pool("sentence:20t")
    with pytest.warns(TruncationWarning, match=r"2 of 2 chunks of sentence:20t are longer"):
        dense.vectors(made)
    found = dense.truncation(made)
    assert (found.long_texts, found.lost_tokens) == (2, 10)


@pytest.mark.parametrize("kind", [Dense, Late])
def test_nothing_to_search_and_nothing_asked(kind: type[Dense | Late]) -> None:
    none = Pool(Collection([Document("a.txt", "")]), Setup.parse("sentence:1s"))
    assert kind(Words()).scores(none, ["lamp"]).shape == (1, 0)
    assert kind(Words()).scores(pool("sentence:1s"), []).shape == (0, 6)


@pytest.mark.parametrize("name", ["wordllama", "late:wordllama"])
def test_a_pickled_retriever_is_the_same_with_the_same_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    made = pickle.loads(pickle.dumps(retriever(name, path)))
    assert isinstance(made, Dense | Late)
    assert (made.name, made.cache.path) == (name, path)


def test_names() -> None:
    assert retriever("minilm").name == "minilm"
    assert retriever("late").name == "late"
    assert retriever("late:minilm").name == "late"
    assert retriever("sentence-transformers:models/one").name == "sentence-transformers:models/one"
    with pytest.raises(ChunkwrightError, match=r"unknown retriever 'mini': did you mean 'minilm'"):
        retriever("mini")


def test_a_folder_without_a_model_is_told_in_one_line(tmp_path: Path) -> None:
    made = retriever(f"sentence-transformers:{tmp_path}")
    with pytest.raises(ChunkwrightError) as caught:
        _ = made.key
    assert "\n" not in str(caught.value)
    assert "holds no model of sentence-transformers (no modules.json)" in str(caught.value)


def test_an_embedder_without_token_vectors_cannot_be_late() -> None:
    with pytest.raises(ChunkwrightError, match=r"late vectors need .*; wordllama has none"):
        retriever("late:wordllama").scores(pool("sentence:1s"), ["lamp"])


def test_keys_hold_what_the_vectors_depend_on(tmp_path: Path) -> None:
    words = Words(limit=16)
    keys = {Dense(words).key, Late(words).key, Dense(Words(limit=8)).key}
    assert len(keys) == 3
    assert Dense(words, VectorCache(tmp_path / "v.sqlite")).key == Dense(words).key
