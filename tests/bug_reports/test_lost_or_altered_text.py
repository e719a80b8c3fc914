"""Lost or altered text: a chunk is a view of the source, and all of the source is in the chunks."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers

import chunkwright as cw
from tests.bug_reports.tools import STRATEGIES, assert_covers, chunks, numbered, spans, texts

MESSY = (
    "# Kit  \n\n\tTabbed code\n\tmore of it\n\nOne line.  \nTwo lines.\n\n\n"
    "- a\n    - a1\n\t- tab\n- b  \n\n| k | v |\n|---|---|\n| 1 |  2 |\n\n```\n  x = 1\n```\n \n\n"
)
HTML_FORMS = [".html", ".htm"]


@pytest.mark.parametrize("name", ["a.py", "a.md"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_022_a_string_longer_than_the_size(strategy: str, name: str) -> None:
    found = texts(f's = "{"Q" * 300}"\nt = 2', f"{strategy}:50c", name)
    assert sum(text.count("Q") for text in found) == 300
    assert max(map(len, found)) <= 50


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("space", ["\n", ""])
def test_br_023_keys_with_empty_values(strategy: str, space: str) -> None:
    listed = [f'"key{at:02}": {{}}' for at in range(12)]
    text = f"{{{space}" + f",{space or ' '}".join(listed) + f"{space}}}"
    found = chunks(text, f"{strategy}:70c", "a.json")
    assert_covers(text, found)
    keys = set(re.findall(r"key\d\d", "\n".join(chunk.text for chunk in found)))
    if strategy != "fixed":  # windows cut where the arithmetic says
        assert len(keys) == 12
    assert len(json.loads(text)) == 12


@pytest.fixture
def lower_caser(tmp_path: Path) -> Path:
    """A tokenizer that makes text lower-case and knows few letters, as those of BERT do."""
    vocabulary = {"[UNK]": 0, "z": 1, "##urich": 2, "abc": 3, "zurich": 4}
    tokenizer = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    return path


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_025_text_is_never_decoded_tokens(strategy: str, lower_caser: Path) -> None:
    text = "Zürich 東京 ABC"
    assert texts(text, f"{strategy}:50t|tokens={lower_caser}") == [text]
    assert_covers(text, chunks(text, f"{strategy}:1t|tokens={lower_caser}"))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_026_blank_lines_stay(strategy: str) -> None:
    # A heading stays with what it heads, so the body is the end of one chunk.
    (chunk,) = chunks("# H\n\nP one.\n\nP two.", f"{strategy}:100c", "a.md")
    assert chunk.text == "# H\n\nP one.\n\nP two."


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_028_indented_code_in_a_fence(strategy: str) -> None:
    (text,) = texts("```yaml\na:\n  b: 1\n```", f"{strategy}:100c", "a.md")
    assert text.splitlines()[2] == "  b: 1"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_029_nested_list_items(strategy: str) -> None:
    (text,) = texts("- a\n    - a1\n- b", f"{strategy}:100c", "a.md")
    assert text.splitlines()[1] == "    - a1"


@pytest.mark.parametrize("notation", ["sentence:1s", "sentence:5c", "recursive:5c", "fixed:5c"])
def test_br_031_several_dots(notation: str) -> None:
    text = "Wait .. then go."
    assert "".join(texts(text, f"{notation}|strip=no")) == text
    assert_covers(text, chunks(text, notation))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_032_spaces_between_words_stay(strategy: str) -> None:
    text = "El pan es bueno y barato."
    assert texts(text, f"{strategy}:100c") == [text]
    assert "".join(texts(text, f"{strategy}:7c|strip=no")).count(" ") == 5


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("size", ["9c", "40c", "5w", "8t", "1000c"])
def test_br_034_chunks_rebuild_the_document(strategy: str, size: str, name: str) -> None:
    assert "".join(texts(MESSY, f"{strategy}:{size}|strip=no", name)) == MESSY
    found = chunks(MESSY, f"{strategy}:{size}", name)
    assert_covers(MESSY, found)
    for before, after in pairwise(found):
        assert not MESSY[before.end : after.start].strip()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_035_a_mode_that_trims_nothing(strategy: str) -> None:
    text = "Row a\n\tRow b\n\n\tRow c"
    assert "".join(texts(text, f"{strategy}:4t|strip=no")) == text


def test_br_037_a_small_tail_repeats_no_words() -> None:
    # The size is a hard limit here, so the tail reaches the minimum by a longer overlap.
    assert texts(numbered(8), "fixed:4w+1w|min=3w") == [
        "w1 w2 w3 w4",
        "w4 w5 w6 w7",
        "w6 w7 w8",
    ]


def test_br_038_no_tail_of_overlap_alone() -> None:
    assert spans("A1.B2.C3.", "sentence:3s+1s") == [(0, 9)]
    assert spans("A1 is. B2 is. C3 is.", "sentence:3s+1s") == [(0, 20)]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("amount", ["5w+4w", "5w+1w", "20c+19c", "20c+50%", "6t+5t"])
def test_br_038_no_chunk_inside_another(strategy: str, amount: str) -> None:
    text = " ".join(f"Part {at} is here." for at in range(30))
    assert_covers(text, chunks(text, f"{strategy}:{amount}"))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_040_the_end_is_reached_once(strategy: str) -> None:
    assert spans("abcdefghijk", f"{strategy}:10c+2c") == [(0, 10), (8, 11)]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("overlap", ["", "+0c", "+0%"])
def test_br_041_no_overlap_is_no_overlap(strategy: str, overlap: str) -> None:
    assert texts("m" * 12, f"{strategy}:4c{overlap}") == ["mmmm"] * 3


def read(folder: Path, html: str, suffix: str = ".html") -> cw.Document:
    (folder / f"page{suffix}").write_text(html, encoding="utf-8")
    (document,) = cw.Corpus.read(folder)
    return document


@pytest.mark.parametrize("suffix", HTML_FORMS)
def test_br_043_inline_tags_move_no_words(tmp_path: Path, suffix: str) -> None:
    document = read(tmp_path, "<p>Pay <b>now</b> please</p>", suffix)
    assert document.text.strip() == "Pay now please"
    assert [chunk.text for chunk in cw.chunk(document, "markdown:100c")] == ["Pay now please"]


@pytest.mark.parametrize("suffix", HTML_FORMS)
def test_br_044_text_outside_paragraphs(tmp_path: Path, suffix: str) -> None:
    document = read(tmp_path, "<h1>T</h1><div>loose words</div>", suffix)
    (chunk,) = cw.chunk(document, "header:100c")
    assert "loose words" in chunk.text
    assert chunk.header == ("T",)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_046_small_pieces_are_merged_not_dropped(strategy: str) -> None:
    long = "The long part goes on and on here. " * 11
    fact = "The code of the safe is nineteen eighty."
    assert len(fact) == 40
    text = f"{long.strip()}\n\n{fact}\n\n{long.strip()}"
    found = chunks(text, f"{strategy}:500c|min=350c")
    assert_covers(text, found)
    assert any(fact in chunk.text for chunk in found) or strategy == "fixed"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_047_a_sentence_longer_than_the_size(strategy: str) -> None:
    text = f"{numbered(600)}. End."
    found = texts(text, f"{strategy}:500w")
    assert " ".join(found).split() == text.split()
    assert all(re.search(r"\w", part) for part in found)


@pytest.mark.parametrize("notation", ["sentence:2s", "recursive:50c", "fixed:50c"])
def test_br_049_sentences_keep_the_space_between(notation: str) -> None:
    assert texts("One cat. Two dogs.", notation) == ["One cat. Two dogs."]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_050_nothing_is_cleaned(strategy: str) -> None:
    assert texts("p1\n\n\tp2", f"{strategy}:100c") == ["p1\n\n\tp2"]
    assert_covers("p1\n\n\tp2", chunks("p1\n\n\tp2", f"{strategy}:2c"))
