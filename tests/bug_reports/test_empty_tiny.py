"""Empty and tiny: no chunk without text, none needlessly small, and nothing to do is no error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import chunkwright as cw
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.retrieval.pool import Pool
from tests.bug_reports.tools import PACKED, STRATEGIES, assert_covers, chunks, numbered, texts


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("text", ["", " \n\t\r\n ", "\u3000\u2028"])
@pytest.mark.parametrize("amount", ["5c", "5t+2t", "50c|headers|parents=section|repair|min=2c"])
def test_br_139_nothing_gives_nothing(strategy: str, text: str, amount: str) -> None:
    assert chunks(text, f"{strategy}:{amount}") == []
    assert chunks("", f"{strategy}:{amount}|strip=no") == []


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("amount", ["99c", "99c+20c", "99t+1t", "99w+50%"])
def test_br_140_one_sentence(strategy: str, amount: str) -> None:
    assert texts("Only one.", f"{strategy}:{amount}") == ["Only one."]


class Short:
    """A retriever that gives one score too few."""

    name = key = "short"

    def scores(self, pool: Pool, questions: Sequence[str]) -> np.ndarray:
        return np.ones((len(questions), len(pool) - 1), np.float32)


def test_br_140_too_few_scores_are_told() -> None:
    corpus = cw.Corpus.of([cw.Document("a.txt", "One lamp. Two hubs. Three doors.")])
    gold = GoldSet((Question("q", "Which hubs?", (Reference("a.txt", 10, 19, "Two hubs."),)),))
    with pytest.raises(cw.ChunkwrightError, match=r"2.*3|3.*2"):
        cw.evaluate(corpus, "sentence:1s", gold, retriever=Short())


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("size", ["1c", "3c", "8c", "2w", "2t", "20c+19c"])
def test_br_142_every_chunk_has_text(strategy: str, size: str) -> None:
    text = "One line.  \nTwo.  \n\n\n   \n\tThree  words here.  \n\n \n"
    assert_covers(text, chunks(text, f"{strategy}:{size}"))
    assert_covers(text, chunks(text, f"{strategy}:{size}|repair", "a.md"))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("amount", ["2000c", "2000c+500c"])
def test_br_143_thousands_of_spaces(strategy: str, amount: str) -> None:
    found = chunks("Start." + " " * 9000 + "Finish.", f"{strategy}:{amount}")
    assert [(chunk.index, chunk.text) for chunk in found] == [(0, "Start."), (1, "Finish.")]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("size", ["1c", "20c", "30c", "7w"])
@pytest.mark.parametrize("between", ["\n", "\n\n", "\r\n\r\n\r\n"])
def test_br_145_no_chunk_is_a_line_break(strategy: str, size: str, between: str) -> None:
    count = 60 if size == "1c" else 1000
    text = between.join(f"def f{at}(): return {at}" for at in range(count))
    assert all(part.strip() for part in texts(text, f"{strategy}:{size}", "a.py"))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("overlap", ["", "+2w"])
def test_br_146_no_undersized_tail(strategy: str, overlap: str) -> None:
    found = chunks(numbered(31), f"{strategy}:10w{overlap}|min=5w")
    assert_covers(numbered(31), found)
    sizes = [len(chunk.text.split()) for chunk in found]
    assert min(sizes) >= 5
    assert max(sizes) <= 10


@pytest.mark.parametrize("strategy", PACKED)
def test_br_146_small_sentences_are_joined(strategy: str) -> None:
    text = " ".join(f"Short {at}." for at in range(31))
    sizes = [len(part.split()) for part in texts(text, f"{strategy}:10w|min=5w")]
    assert min(sizes) >= 5


def test_br_146_what_stays_too_small_is_reported() -> None:
    # Sections are never joined, so a section of a word stays one; the check tells of it.
    text = f"# One\n\n{numbered(20)}\n\n# Two\n\nEnd.\n"
    found = chunks(text, "header:10w|min=5w", "a.md")
    assert found[-1].text == "# Two\n\nEnd."
    labels = [(finding.label, finding.index) for finding in cw.check(found)]
    assert ("very short", found[-1].index) in labels
