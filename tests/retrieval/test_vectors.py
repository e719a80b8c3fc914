"""The vector cache: every text embedded once, nothing lost, nothing wrong."""

from __future__ import annotations

import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.errors import ChunkwrightError, TruncationWarning
from chunkwright.retrieval import vectors
from chunkwright.retrieval.vectors import VectorCache, room, user_cache
from tests.retrieval.fakes import Words

REPOSITORY = Path(__file__).resolve().parents[2]
TEXTS = [f"text number {number}" for number in range(40)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "study" / "vectors.sqlite"


@given(st.lists(st.lists(st.text(max_size=12), max_size=8), max_size=4))
def test_every_text_is_embedded_once_and_gets_its_own_vector(calls: list[list[str]]) -> None:
    words, cache = Words(), VectorCache()
    for texts in calls:
        found = cache.embed(words, texts)
        np.testing.assert_array_equal(found.vectors, Words().embed(texts))
        assert found.tokens.tolist() == words.count(texts).tolist()
    asked = [text for texts in words.asked for text in texts]
    assert sorted(asked) == sorted({text for texts in calls for text in texts})
    assert cache.misses == len(asked)
    assert cache.hits + cache.misses == sum(map(len, calls))
    cache.close()


def test_vectors_outlive_the_run(path: Path) -> None:
    first = VectorCache(path)
    expected = first.embed(Words(), TEXTS)
    first.close()
    assert [entry.name for entry in path.parent.iterdir()] == ["vectors.sqlite"]  # one file
    words = Words()
    again = VectorCache(path)
    found = again.embed(words, TEXTS[::-1])
    np.testing.assert_array_equal(found.vectors, expected.vectors[::-1])
    np.testing.assert_array_equal(found.tokens, expected.tokens[::-1])
    assert (again.hits, again.misses, again.tokens, words.asked) == (len(TEXTS), 0, 0, [])


def test_embedders_never_share_vectors(path: Path) -> None:
    cache = VectorCache(path)
    for words in (Words(limit=16), Words(limit=2), Words(dimensions=4)):
        found = cache.embed(words, TEXTS)
        np.testing.assert_array_equal(found.vectors, words.embed(TEXTS))
    assert cache.misses == 3 * len(TEXTS)


def test_only_tokens_that_were_read_are_counted() -> None:
    cache = VectorCache()
    cache.embed(Words(limit=4), ["one two three four five", "one two", "one two"])
    assert cache.tokens == 6


def test_a_pickled_cache_is_the_same_file(path: Path) -> None:
    cache = VectorCache(path)
    cache.embed(Words(), TEXTS)
    copy = pickle.loads(pickle.dumps(cache))
    copy.embed(Words(), TEXTS)
    assert copy.misses == 0


def test_the_longest_come_first_and_are_saved_a_few_at_a_time(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_SAVED_TOKENS", 6)
    words = Words()
    VectorCache(path).embed(words, ["a", "a b c", "a b", "a b c d e f g"])
    assert words.asked == [["a b c d e f g"], ["a b c", "a b"], ["a"]]


def test_what_was_finished_before_a_failure_is_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_SAVED_TOKENS", 3)

    class Failing(Words):
        def embed(self, texts: list[str]) -> vectors.Vectors:  # type: ignore[override]
            if len(self.asked) == 5:
                raise MemoryError
            return super().embed(texts)

    with pytest.raises(MemoryError):
        VectorCache(path).embed(Failing(), TEXTS)
    again = VectorCache(path)
    again.embed(Words(), TEXTS)
    assert again.hits == 5


SLOWLY = """
import sys, time
from pathlib import Path
from chunkwright.retrieval import vectors
from tests.retrieval.fakes import Words
from tests.retrieval.test_vectors import TEXTS

class Slow(Words):
    def embed(self, texts):
        found = super().embed(texts)
        if len(self.asked) > 5:
            print("five", flush=True)
            time.sleep(60)
        return found

vectors._SAVED_TOKENS = 3
vectors.VectorCache(Path(sys.argv[1])).embed(Slow(), TEXTS)
"""


def run(script: str, path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, str(path)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )


def test_a_killed_process_loses_nothing_that_was_finished(path: Path) -> None:
    with run(SLOWLY, path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "five\n"
        process.send_signal(signal.SIGKILL)
    again = VectorCache(path)
    found = again.embed(Words(), TEXTS)
    assert again.hits == 5
    np.testing.assert_array_equal(found.vectors, Words().embed(TEXTS))


TOGETHER = """
import sys
from pathlib import Path
from chunkwright.retrieval import vectors
from tests.retrieval.fakes import Words
from tests.retrieval.test_vectors import TEXTS

vectors._SAVED_TOKENS = 3
found = vectors.VectorCache(Path(sys.argv[1])).embed(Words(), TEXTS)
assert (found.vectors == Words().embed(TEXTS)).all()
"""


def test_processes_share_a_file_that_all_of_them_make(path: Path) -> None:
    running = [run(TOGETHER, path) for _ in range(3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    for process in running:
        assert process.stdout is not None
        process.stdout.close()
    again = VectorCache(path)
    again.embed(Words(), TEXTS)
    assert again.misses == 0


def test_threads_share_a_cache(path: Path) -> None:
    cache = VectorCache(path)
    with ThreadPoolExecutor(4) as threads:
        parts = [TEXTS[at : at + 20] for at in range(0, 40, 5)]
        made = threads.map(lambda part: cache.embed(Words(), part), parts)
        for part, found in zip(parts, made, strict=True):
            np.testing.assert_array_equal(found.vectors, Words().embed(part))


def filled(path: Path) -> None:
    cache = VectorCache(path)
    cache.embed(Words(), TEXTS)
    cache.close()


def test_a_flipped_bit_is_seen_and_the_text_embedded_again(path: Path) -> None:
    filled(path)
    raw = bytearray(path.read_bytes())
    at = raw.index(Words().embed(TEXTS[7:8]).tobytes())
    raw[at + 2] ^= 1
    path.write_bytes(raw)
    cache = VectorCache(path)
    found = cache.embed(Words(), TEXTS)
    np.testing.assert_array_equal(found.vectors, Words().embed(TEXTS))
    assert cache.misses == 1
    again = VectorCache(path)
    again.embed(Words(), TEXTS)
    assert again.misses == 0


def read_or_refused(path: Path) -> None:
    """Either the file is refused in one line, or its vectors are right."""
    refused = ""
    try:
        found = VectorCache(path).embed(Words(), TEXTS)
    except ChunkwrightError as problem:
        refused = str(problem)
    else:
        np.testing.assert_array_equal(found.vectors, Words().embed(TEXTS))
    if refused:
        assert refused.startswith(f"vector cache {path}: ")
        assert "\n" not in refused


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.8, 0.99])
def test_a_file_cut_short_is_refused_or_gives_right_vectors(path: Path, share: float) -> None:
    filled(path)
    raw = path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * share)])
    read_or_refused(path)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 10, 300]))
def test_a_file_with_noise_in_it_is_refused_or_gives_right_vectors(seed: int, noise: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.sqlite"
        filled(path)
        raw = np.frombuffer(path.read_bytes(), np.uint8).copy()
        random = np.random.default_rng(seed)
        raw[random.integers(100, len(raw), noise)] = random.integers(0, 256, noise)
        path.write_bytes(raw.tobytes())
        read_or_refused(path)


def test_a_refused_file_says_what_to_do(path: Path) -> None:
    filled(path)
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(ChunkwrightError) as caught:
        VectorCache(path).embed(Words(), TEXTS)
    assert str(caught.value) == (
        f"vector cache {path}: damaged (database disk image is malformed); delete it, and it is "
        "made anew"
    )
    path.unlink()
    VectorCache(path).embed(Words(), TEXTS)


def test_what_is_no_cache_is_left_as_it_is(path: Path) -> None:
    path.parent.mkdir()
    notes = b"my notes, not a database, but long enough to be one " * 20
    path.write_bytes(notes)
    with pytest.raises(ChunkwrightError, match=r"damaged \(file is not a database\)"):
        VectorCache(path).embed(Words(), TEXTS)
    assert path.read_bytes() == notes


def test_somebody_elses_database_is_left_as_it_is(path: Path) -> None:
    path.parent.mkdir()
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE lamps (colour TEXT)")
    database.commit()
    database.close()
    before = path.read_bytes()
    with pytest.raises(ChunkwrightError, match=r"is no vector cache: name another file"):
        VectorCache(path).embed(Words(), TEXTS)
    assert path.read_bytes() == before


def test_another_layout_is_refused(path: Path) -> None:
    filled(path)
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(ChunkwrightError, match=r"of another version of chunkwright"):
        VectorCache(path).embed(Words(), TEXTS)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ChunkwrightError, match=r"vector cache .*: cannot be made \("):
        VectorCache(tmp_path / "file" / "vectors.sqlite").embed(Words(), TEXTS)
    with pytest.raises(ChunkwrightError, match=r"vector cache .*: cannot be used \("):
        VectorCache(tmp_path).embed(Words(), TEXTS)


def test_the_user_is_warned_before_anything_is_embedded() -> None:
    words, cache = Words(limit=2), VectorCache()

    class Late(Words):
        def embed(self, texts: list[str]) -> vectors.Vectors:  # type: ignore[override]
            assert len(seen) == 1
            return super().embed(texts)

    words = Late(limit=2)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        cache.embed(words, ["one two three", "one"], "chunks")
    with pytest.warns(TruncationWarning, match=r"1 of 2 chunks"):  # from the cache, too
        cache.embed(words, ["one two three", "one"], "chunks")
    assert cache.misses == 2


@pytest.mark.parametrize("memory", [0, 1 << 20])
def test_room_past_a_limit_is_a_file(memory: int) -> None:
    made = room((100, 8), memory)
    assert isinstance(made, np.memmap) == (memory == 0)
    assert made.shape == (100, 8)
    assert not made.any()
    made[3] = 1
    assert made.sum() == 8
    assert room((0, 8), 0).shape == (0, 8)


def test_the_default_file_is_in_the_users_cache() -> None:
    assert user_cache().name == "vectors.sqlite"
    assert "chunkwright" in user_cache().parts
