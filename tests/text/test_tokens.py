"""Tokens: counters of every kind, and exact counts of any part of a text."""

from __future__ import annotations

import importlib.util
import json
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.dress import chunk
from chunkwright.errors import SetupError
from chunkwright.model import Document
from chunkwright.text import tokens
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import (
    FunctionCounter,
    KnownWords,
    TiktokenCounter,
    TokenCounter,
    TokenizerCounter,
    as_counter,
    cl100k_base,
    counter,
)
from tests.properties.strategies import texts

PIECES = [
    "a", "The", " word", "é", "e\u0301", " ", "  ", "\t", "\n", "\n\n", "\r\n", "\r", "\v", "\f",
    "\x1c", "\x1d", "\x85", "\u00a0", "\u2028", "\u3000", "\ufeff", "\x00", ". ", "! ", "...",
    "'s", "'LL", "12345", "$3.99 ", "# H\n", "```\n", "<|endoftext|>", "👩‍🚀", "🇩🇪", "각", "東京。",
    "กำลัง", "क्षि", "\u200d", "\u200b", "x" * 40, '{"a":[1]}', "\u0301", "]\n", "\n ", "   \n  ",
]  # fmt: skip
PREFIXES = ["", "[Lamp]\n", "[A > \u00a0b]\n", "[A]\r\n", "x", "p "]
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def wordllama_tokenizer() -> Path:
    """The tokenizer file that the package wordllama ships, found without importing it."""
    spec = importlib.util.find_spec("wordllama")
    assert spec is not None
    assert spec.origin is not None
    (path,) = Path(spec.origin).parent.rglob("l2_supercat_tokenizer_config.json")
    return path


@given(HOSTILE, st.sampled_from(PREFIXES), st.data())
def test_any_part_is_counted_as_the_counter_counts_it(
    text: str, prefix: str, data: st.DataObject
) -> None:
    index = Analysis(Document("a.txt", text)).tokens(cl100k_base())
    first = data.draw(st.integers(0, len(text)))
    last = data.draw(st.integers(first, len(text)))
    for start, end in [(0, len(text)), (first, last)]:
        assert index.count(start, end) == cl100k_base().count(text[start:end])
        assert index.count(start, end, prefix) == cl100k_base().count(prefix + text[start:end])


def test_long_texts_are_counted_in_parts_without_a_trace() -> None:
    piece = "The lamp costs $3.99 a month, isn't it 東京。 good?\r\n\r\n  1234567 <|endoftext|> "
    text = piece * 8000
    index = Analysis(Document("a.txt", text)).tokens(cl100k_base())
    assert index.starts is not None
    assert np.array_equal(index.starts, cl100k_base().starts(text))
    for start, end in [(0, len(text)), (5, 300_007), (262_100, 262_190), (17, 600_001)]:
        assert index.count(start, end) == cl100k_base().count(text[start:end])


@given(st.lists(HOSTILE | texts(), max_size=4).map(" ".join))
def test_word_by_word_finds_the_tokens_of_the_whole(text: str) -> None:
    whole = cl100k_base().starts(text)
    cl100k_base().words._forget()
    for _ in range(2):  # every word is new, then known
        index = Analysis(Document("a.txt", text)).tokens(cl100k_base())
        assert np.array_equal(index.starts, whole)


def test_words_that_look_alike_in_a_slot_are_told_apart() -> None:
    words = ["a", "a\0", "\0", "\0a", "é", "\u0169", "\xff", "abcdefgh", "abcdefgh\0", "abcdefghé"]
    words += ["x" * length for length in range(1, 70)]
    text = "".join(f"{word} " for word in ["", *words, *words, *reversed(words), "."])
    index = Analysis(Document("a.txt", text)).tokens(cl100k_base())
    assert np.array_equal(index.starts, cl100k_base().starts(text))


def test_a_counter_that_knows_words_can_be_copied() -> None:
    own = TiktokenCounter(cl100k_base().encoding, "own")
    assert own.words.look_up("a b ", np.frombuffer(b"a b ", np.uint8), np.array([1, 3]))
    copy = deepcopy(own)
    counts, _ = copy.words.look_up("a b ", np.frombuffer(b"a b ", np.uint8), np.array([1, 3]))
    assert counts.tolist() == [1]


def test_known_words_are_forgotten_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_MOST_KNOWN", 50)
    known = KnownWords(cl100k_base().starts)
    for _ in range(3):
        text = "".join(f" new{at}" for at in range(60)) + " "
        places = np.flatnonzero(np.frombuffer(text.encode(), np.uint8) == ord(" "))
        counts, starts = known.look_up(text, np.frombuffer(text.encode(), np.uint8), places)
        assert counts.sum() == len(starts) == cl100k_base().count(text[:-1])


@given(HOSTILE)
def test_starts_are_one_a_token_and_ascend(text: str) -> None:
    starts = cl100k_base().starts(text).tolist()
    assert len(starts) == cl100k_base().count(text)
    assert starts == sorted(starts)
    assert all(0 <= start < len(text) for start in starts)
    assert not starts or starts[0] == 0


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("", []),
        ("The lamp", [0, 3]),
        ("naïve café", [0, 2, 3, 5]),
        ("🚀", [0, 0, 0]),
    ],
)
def test_starts_are_code_points(text: str, starts: list[int]) -> None:
    assert cl100k_base().starts(text).tolist() == starts


@pytest.mark.parametrize("special", ["<|endoftext|>", "<|fim_prefix|>", "<|endofprompt|>"])
@pytest.mark.parametrize("notation", ["fixed:20t", "sentence:20t", "recursive:20t", "markdown:20t"])
def test_special_tokens_in_a_text_are_text(special: str, notation: str) -> None:
    """BR-104."""
    text = f"The token {special} ends a text."
    assert cl100k_base().count(special) > 1
    assert [part.text for part in chunk(Document("a.txt", text), notation)] == [text]


def test_counting_many_is_counting_each() -> None:
    some = ["", "one", "two words", "🚀 <|endoftext|>", "\u0301"]
    for known in (cl100k_base(), counter(str(wordllama_tokenizer())), FunctionCounter(len)):
        assert known.count_many(some) == [known.count(text) for text in some]


class TestTokenizersFile:
    def test_its_name_is_its_path(self) -> None:
        path = str(wordllama_tokenizer())
        found = counter(path)
        assert isinstance(found, TokenizerCounter)
        assert isinstance(found, TokenCounter)
        assert found.name == path
        assert counter(path) is found

    def test_nothing_is_added_or_cut_off(self) -> None:
        found = counter(str(wordllama_tokenizer()))
        assert found.count("") == 0
        assert found.count("lamp") == found.count_many(["lamp"])[0] <= 2
        assert found.count("lamp " * 3000) >= 3000
        assert found.count_many(["lamp", "lamp " * 50])[0] == found.count("lamp")

    @given(texts(20))
    def test_starts_ascend_and_are_one_a_token(self, text: str) -> None:
        found = counter(str(wordllama_tokenizer()))
        starts = found.starts(text)
        assert starts is not None
        assert len(starts) == found.count(text)
        assert starts.tolist() == sorted(starts.tolist())

    @pytest.mark.parametrize("strategy", ["fixed", "sentence", "recursive", "header", "markdown"])
    def test_it_sizes_every_strategy(self, strategy: str) -> None:
        path = wordllama_tokenizer()
        text = "Zürich 東京 ABC. " * 30  # BR-025: a slice of the source, never decoded ids
        chunks = chunk(Document("a.txt", text), f"{strategy}:24t|tokens={path}")
        assert len(chunks) > 3
        assert all(part.text == text[part.start : part.end] for part in chunks)
        found = counter(str(path))
        assert [part.tokens for part in chunks] == [found.count(part.text) for part in chunks]
        if strategy != "fixed":
            assert max(part.tokens for part in chunks) <= 24

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(SetupError, match=r"none\.json: no such file; give the path of a"):
            counter(str(tmp_path / "none.json"))

    @pytest.mark.parametrize("content", ["", "{", "[]", '{"a": 1}', "no json", "\x00"])
    def test_another_file_is_no_tokenizer(self, tmp_path: Path, content: str) -> None:
        path = tmp_path / "other.json"
        path.write_text(content)
        with pytest.raises(SetupError, match=r"other\.json: not a tokenizers JSON file") as caught:
            counter(str(path))
        assert "\n" not in str(caught.value)

    def test_truncation_and_padding_in_the_file_are_ignored(self, tmp_path: Path) -> None:
        values = json.loads(wordllama_tokenizer().read_text("utf-8"))
        values["truncation"] = {
            "direction": "Right",
            "max_length": 4,
            "strategy": "LongestFirst",
            "stride": 0,
        }
        path = tmp_path / "short.json"
        path.write_text(json.dumps(values), encoding="utf-8")
        found = counter(str(path))
        assert found.count("lamp " * 50) > 4
        assert found.count_many(["lamp " * 50])[0] > 4


class TestFunctions:
    def test_any_function_counts(self) -> None:
        assert as_counter(len).count("four") == 4
        assert as_counter(lambda text: len(text.split())).count("two words") == 2
        assert as_counter(len).name == "len"
        assert as_counter(len).starts("four") is None

    def test_a_counter_or_a_name_is_itself(self) -> None:
        assert as_counter("cl100k_base") is cl100k_base() is as_counter(cl100k_base())

    def test_an_object_that_can_be_called_counts_too(self) -> None:
        class Halves:
            def __call__(self, text: str) -> int:
                return len(text) // 2

        assert as_counter(Halves()).count("four") == 2
        assert as_counter(Halves()).name == "Halves"

    def test_an_unknown_name_shows_the_nearest(self) -> None:
        with pytest.raises(SetupError, match="did you mean 'cl100k_base'"):
            as_counter("cl100k-base")


@pytest.mark.parametrize("space", [" ", "\n", "\u2003"])
def test_white_space_without_end_is_counted(space: str) -> None:
    """tiktoken breaks down on a million of them in one piece."""
    text = f"a{space * 1_200_000}b"
    counter = cl100k_base()
    starts = counter.starts(text)
    assert counter.count(text) == len(starts)
    assert starts[-1] >= len(text) - 2
    (first, last) = chunk(Document("a.txt", text), "sentence:5t")
    assert (first.text, last.text) == ("a", "b")
