"""Words and terms, in scripts with and without spaces."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.model import Document
from chunkwright.text.analysis import Analysis
from chunkwright.text.words import density, terms
from tests.properties.strategies import texts


def words_of(text: str) -> list[str]:
    starts = Analysis(Document("a.txt", text)).words.tolist()
    edges = [*starts, len(text)]
    return [text[low:high].rstrip() for low, high in itertools.pairwise(edges)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("alpha  beta\tgamma", ["alpha", "beta", "gamma"]),  # BR-007
        ("don't re-use $3.99!", ["don't", "re-use", "$3.99!"]),
        ("東京 tower", ["東", "京", "tower"]),
        ("東京tower", ["東", "京", "tower"]),
        ("tower東京", ["tower", "東", "京"]),
        ("今日は晴れ。", ["今", "日", "は", "晴", "れ", "。"]),
        ("カタカナ", ["カ", "タ", "カ", "ナ"]),
        ("กำลังไป", ["กำ", "ลั", "ง", "ไ", "ป"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("मैं ठीक हूँ", ["मैं", "ठीक", "हूँ"]),
        ("привет мир", ["привет", "мир"]),
        ("مرحبا بك", ["مرحبا", "بك"]),
        ("a\u00a0b\u3000c", ["a", "b", "c"]),
        ("😀 😀", ["😀", "😀"]),
    ],
)
def test_words_of(text: str, expected: list[str]) -> None:
    assert words_of(text) == expected


@given(texts())
def test_every_visible_character_is_in_a_word_and_clusters_stay_whole(text: str) -> None:
    analysis = Analysis(Document("a.txt", text))
    starts = analysis.words.tolist()
    assert starts == sorted(set(starts))
    assert not text[: starts[0] if starts else len(text)].strip()
    assert all(not text[start].isspace() for start in starts)
    # A mark after white space joins to it, yet it is visible and starts a word.
    inside = set(analysis.forbidden.tolist())
    assert all(start not in inside or text[start - 1].isspace() for start in starts)


@given(st.text(alphabet="abc XYZ.,\t\n\u00a0é", max_size=60))
def test_with_spaces_words_are_what_split_finds(text: str) -> None:
    assert words_of(text) == text.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Lamp, it's on.", ["the", "lamp", "it", "s", "on"]),
        ("snake_case 2.4 GHz", ["snake_case", "2", "4", "ghz"]),
        ("東京都", ["東京", "京都"]),
        ("京", ["京"]),
        ("v東京", ["v", "東京"]),
        ("e\u0301t\u00e9", ["e\u0301t\u00e9"]),
        ("İstanbul", ["i̇stanbul"]),
        ("—…!", []),
    ],
)
def test_terms_of(text: str, expected: list[str]) -> None:
    assert terms(text).strings == expected


@given(st.one_of(texts(), st.text(max_size=60)))
def test_terms_are_lower_case_slices_in_order(text: str) -> None:
    found = terms(text)
    starts, ends = found.starts.tolist(), found.ends.tolist()
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    for start, end, string in zip(starts, ends, found.strings, strict=True):
        # A final sigma depends on what follows it, so it is compared as any sigma.
        same = text[start:end].lower().replace("ς", "σ")
        assert string.replace("ς", "σ") == same


def test_density_is_undefined_for_nothing_but_not_an_error() -> None:
    assert density("", ["lamp"]) == (0, 0.0, False)
    assert density("A lamp.", []) == (2, 0.0, True)
