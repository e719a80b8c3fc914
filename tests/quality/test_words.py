"""The files of `languages/` and the phrases in them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from importlib import resources

import numpy as np
import pytest

from chunkwright.quality import words
from chunkwright.quality.words import Words, languages, read, words_of

OTHER_KEYS = {"sets", "numbered_after", "numbered_leads"}
DERIVED = {"language", "openings", "anchors", "captions"}


def matches(phrase: str, text: str, joined: bool = False, **sets: list[str]) -> bool:
    return words._any_of([phrase], sets, joined).match(text) is not None


@pytest.mark.parametrize(
    ("phrase", "text", "expected"),
    [
        ("however", "However, the mill", True),
        ("however", "howeverly", False),
        ("then", "then-mayor Brock", False),
        ("and", "and/or", False),
        ("it", "it's", False),
        ("it's", "It’s old", True),
        ("in addition !to", "in addition, rye", True),
        ("in addition !to", "in addition to rye", False),
        ("in addition !to", "in addition tokens", True),
        ("a/b", "b", True),
        ("will_be", "will  be", True),
        ("the same? mill", "the mill", True),
        ("the same? mill", "the same mill", True),
        ("*ing", "raining", True),
        ("those *ing", "those who", False),
        ("second,", "Second, the mill", True),
        ("second,", "second mill", False),
        ("among them ,", "among them, six", True),
        ("it .. that", "it is clear that", True),
        ("it .. that", "it is quite clear that", False),
        ("it ... that", "it is quite very clear that", True),
        ("it ... that", "it is, I think, clear that", False),
        ("see #", "see 12", True),
        ("{pair} mill", "one mill", True),
        ("{pair} mill", "three mill", False),
    ],
)
def test_phrases(phrase: str, text: str, expected: bool) -> None:
    assert matches(phrase, text, pair=["one", "two"]) is expected


def test_a_phrase_of_a_script_without_spaces_needs_no_end() -> None:
    assert matches("如果", "如果蜂箱", joined=True)
    assert matches("同样 .. 的", "同样重要的", joined=True)


@pytest.mark.parametrize("language", ["common", *languages()])
def test_a_file_has_known_keys_only_and_the_common_one_explains_them(language: str) -> None:
    known = ({field.name for field in fields(Words)} - DERIVED) | OTHER_KEYS
    assert set(read(language)) <= known
    file = resources.files(words.__package__) / "languages" / "common.toml"
    told = set(re.findall(r"^# (\w+)  ", file.read_text("utf-8"), re.MULTILINE))
    assert known - {"sets"} <= told


@pytest.mark.parametrize("language", languages())
def test_every_language_has_what_the_rules_need(language: str) -> None:
    own = read(language)
    for key in ("pronouns", "demonstratives", "connectives", "conditions", "pointers", "own_text"):
        assert own[key], key
    found = words_of(language)
    assert found.language == language
    for each in own["pronouns"].split():
        assert found.openings.match(each), each


def test_all_of_the_files_can_be_read() -> None:
    assert languages() == ("ar", "de", "en", "es", "fr", "hi", "it", "ja", "nl", "pt", "ru", "zh")
    for language in languages():
        file = resources.files(words.__package__) / "languages" / f"{language}.toml"
        assert tomllib.loads(file.read_text("utf-8"))


def test_a_variant_of_a_language_is_that_language() -> None:
    assert words_of("pt-BR") is words_of("pt")
    assert words_of("xx").language == ""
    assert words_of("../en").language == ""


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "lamp", "Lamps"),
        ("en", "study", "studies"),
        ("ru", "решение", "решения"),
        ("ar", "قرار", "القرار"),
        ("hi", "निर्णय", "निर्णयों"),
    ],
)
def test_forms_of_a_noun(language: str, one: str, other: str) -> None:
    assert words_of(language).forms(other).search(f"- {one} -")
    assert words_of(language).forms(one).search(f"- {other} -")


def test_forms_are_whole_words() -> None:
    assert not words_of("en").forms("lamp").search("lampoon, clamp")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "It is (Fig. 2) or SEE ABOVE, cf. Table 3; as noted below"),
        ("ru", "как показано в таблице 4, см. выше"),
        ("zh", "数量见表4，如上所述"),
        ("de", "wie in Abb. 3, siehe oben"),
    ],
)
def test_places_that_may_point_are_all_that_do(language: str, text: str) -> None:
    found = words_of(language)
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    places = set(found.may_point(points).tolist())
    whole = [each.start() for each in found.numbered.finditer(text)]
    whole += [each.start() for each in found.pointers.finditer(text)]
    assert whole
    assert set(whole) <= places


def test_nothing_may_point_in_no_text() -> None:
    assert words_of("en").may_point(np.empty(0, np.uint32)).tolist() == []
    assert words_of("xx").may_point(np.zeros(3, np.uint32)).tolist() == []


def test_a_pointer_must_not_begin_with_a_letter() -> None:
    with pytest.raises(ValueError, match="more than a letter"):
        words._anchors(["в разделе"], {}, False)
