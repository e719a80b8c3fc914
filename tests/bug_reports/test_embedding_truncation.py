"""Truncation: nothing is cut off in silence between the chunk and its vector."""

from __future__ import annotations

from pathlib import Path

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers

import chunkwright as cw
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.retrieval.dense import Dense
from tests.bug_reports.tools import PACKED, chunks, numbered
from tests.cli.conftest import Command
from tests.retrieval.fakes import Words


@pytest.fixture
def truncating(tmp_path: Path) -> Path:
    """A tokenizer of words whose file says to cut off after 512."""
    tokenizer = tokenizers.Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.enable_truncation(512)
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def test_br_203_counting_cuts_nothing_off(truncating: Path) -> None:
    (chunk,) = chunks(numbered(700), f"recursive:1000t|tokens={truncating}")
    assert chunk.tokens == 700


@pytest.mark.parametrize("retriever", ["bm25", "static", "hybrid"])
def test_br_203_the_tail_of_a_long_chunk_is_found(retriever: str) -> None:
    filler = "the door is closed and nobody is at home today " * 70
    answer = "A giraffe painted the piano."
    documents = [
        cw.Document("a.txt", f"{filler}and so on. {answer}"),
        cw.Document("b.txt", f"{filler}and so on. It was late then."),
    ]
    start = documents[0].text.index(answer)
    reference = Reference("a.txt", start, start + len(answer), answer)
    gold = GoldSet((Question("q", "Who painted the piano? A giraffe?", (reference,)),))
    found = cw.evaluate(
        cw.Corpus.of(documents[::-1]), "recursive:2000t", gold, retriever=retriever, k=1
    )
    assert found.statistics.chunks == 2
    assert found.statistics.largest_tokens > 700
    assert found.mean("hit_rate@1") == 1


def test_br_203_what_the_embedder_would_cut_off_is_told() -> None:
    document = cw.Document("a.txt", numbered(700))
    quote = document.text.split(" ")[0]
    gold = GoldSet((Question("q", quote, (Reference("a.txt", 0, len(quote), quote),)),))
    with pytest.warns(cw.TruncationWarning, match=r"1 of 1 chunks .*longer \(up to 700\), 188 of"):
        found = cw.evaluate(
            cw.Corpus.of([document]), "recursive:1000w", gold, Dense(Words(limit=512))
        )
    assert found.truncation is not None
    assert (found.truncation.long_texts, found.truncation.lost_tokens) == (1, 188)
    assert found.truncation.share == 188 / 700


def test_br_205_counting_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    found = chunks("The lamp on the desk is blue. " * 3000, "recursive:1200t")
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")
    assert max(chunk.tokens for chunk in found) <= 1200


def test_br_205_the_largest_chunk_is_shown(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_text("The lamp on the desk is blue. " * 3000)
    done = command("chunk", path, "-s", "recursive:1200t", "-o", tmp_path / "out.jsonl")
    largest = int(done.out.rpartition("largest ")[2].split()[0])
    assert 1000 < largest <= 1200
    assert done.err == ""


@pytest.mark.parametrize("strategy", PACKED)
@pytest.mark.parametrize("options", ["|min=5w", "|min=15t", "|repair", "|min=5w|repair"])
def test_br_206_words_are_never_compared_with_tokens(strategy: str, options: str) -> None:
    text = "Here is it. Twelve wombats go."
    # A tail of three words is under the minimum, but the two parts together are over the size.
    found = chunks(text, f"{strategy}:20t{options}", counter=len)
    assert [chunk.text for chunk in found] == ["Here is it.", "Twelve wombats go."]
    assert max(chunk.tokens for chunk in found) <= 20
