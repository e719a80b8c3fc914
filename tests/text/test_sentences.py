"""Sentences, by language and by what stands around a full stop."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given

from chunkwright.model import Document
from chunkwright.text.analysis import Analysis
from tests.properties.strategies import texts


def sentences_of(text: str, language: str | None = None, name: str = "a.txt") -> list[str]:
    starts = Analysis(Document(name, text, language=language)).sentences.tolist()
    edges = [*starts, len(text)]
    return [text[low:high].rstrip() for low, high in itertools.pairwise(edges)]


ENGLISH = [
    ["Use caches, e.g. Redis, first.", "Then scale."],  # BR-149
    ["Smith et al. found it.", "Fine."],
    ["et al. (2020) say so.", "Fine."],
    ["See no. 7 first.", "Then no. 8."],  # BR-151
    ["1) Wash hands.", "2) Dry hands."],  # BR-152
    ["1. First item.", "2. Second item."],
    ["a) One thing.", "b) Two things."],
    ["Section 7.2.", "Limits apply."],  # BR-154
    ["The team is called ORCA.", "Members meet weekly."],  # BR-155
    ["Update to v2.4.1 at example.org today.", "Done."],  # BR-157
    ["J. K. went home.", "It rained."],  # BR-160
    ["George W. Bush spoke.", "We heard."],
    ["Go on.", "Stay.", "Rest."],  # BR-158
    ["Stop.", "Wait.", "Stop."],  # BR-002
    ["Dr. Smith met Mr. Jones.", "They talked."],
    ["I have a Ph.D. in physics.", "You don't."],
    ["He works at Acme Inc. and Foo Ltd. in London.", "Nice."],
    ["The U.S. government acted.", "It was late."],
    ["He left at 5 p.m. on Monday.", "She stayed."],
    ["It was 5 a.m.", "The sun rose."],
    ["Jan. 5 is good.", "Feb. 6 too."],
    ["It costs $3.99 a month.", "Pay now."],
    ["Pi is 3.14159.", "It never ends."],
    ["Version 2.0 is out.", "Get it."],
    ["See https://example.org/a.b?c=d.", "Then go."],
    ["Mail a.b@c.de.", "Thanks."],
    ["Visit example.com.", "It is good."],
    ['He said "Stop."', "Then he left."],
    ["He said “Stop.”", "Then he left."],
    ["Wait... what happened?", "Nothing."],
    ["What?", "Yes!", "No..."],
    ["The answer is no.", "Then we left."],
    ["Is it a fig.", "Yes it is."],
]


@pytest.mark.parametrize("expected", ENGLISH, ids=lambda expected: expected[0])
def test_english(expected: list[str]) -> None:
    assert sentences_of(" ".join(expected), "en") == expected


OTHERS = [
    ("de", ["Das ist z.B. gut.", "Ja, d.h. sehr gut."]),
    ("de", ["Dr. Müller kam um 8 Uhr.", "Er blieb bzw. schlief."]),
    ("de", ["Es kostet 3,50 Euro.", "Mehr nicht!"]),
    ("fr", ["M. Dupont est là.", "Il parle."]),
    ("fr", ["Où est-il ?", "Il est parti !", "Bien."]),
    ("es", ["El Sr. García llegó.", "¿Qué dijo?", "¡Nada!"]),
    ("ru", ["Привет!", "Как дела?", "Хорошо."]),
    ("ru", ["Цена 5 руб. за штуку.", "Дорого."]),
    ("ar", ["هل وصلت؟", "نعم."]),
    ("ar", ["مرحبا.", "كيف حالك؟", "بخير."]),
    ("hi", ["पहला वाक्य।", "दूसरा वाक्य।"]),
    ("hi", ["आप कैसे हैं?", "मैं ठीक हूँ।", "धन्यवाद!"]),
]


@pytest.mark.parametrize(("language", "expected"), OTHERS, ids=lambda value: str(value))
def test_other_languages(language: str, expected: list[str]) -> None:
    assert sentences_of(" ".join(expected), language) == expected


UNSPACED = [
    ["今日は晴れ。", "明日は雨！", "本当？"],  # BR-101
    ["「はい。」", "と彼は言った。", "次の日。"],
    ["他说：“你好。”", "然后走了。", "真的吗？", "是的！"],
    ["版本3.14很好。", "价格是3.99元。"],
]


@pytest.mark.parametrize("expected", UNSPACED, ids=lambda expected: expected[0])
def test_languages_without_spaces(expected: list[str]) -> None:
    assert sentences_of("".join(expected)) == expected


@pytest.mark.parametrize(
    ("text", "ends"),
    [  # BR-101, to the character
        ("今日は晴れ。明日は雨！本当？", [6, 11, 14]),
        ("पहला वाक्य। दूसरा वाक्य।", [11, 24]),
        ("هل وصلت؟ نعم.", [8, 13]),
    ],
)
def test_ends_in_other_scripts(text: str, ends: list[int]) -> None:
    starts = Analysis(Document("a.txt", text)).sentences.tolist()
    edges = [*starts[1:], len(text)]
    assert [len(text[:edge].rstrip()) for edge in edges] == ends


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one thing. another thing. third thing.", 3),
        ("hello there! how are you? fine.", 3),
        ("Red fox ran.  It hid.", 2),  # BR-004
        ("One.\n\n\nTwo.", 2),  # BR-113
        ("First line.\nSecond line.", 2),  # BR-011
        ("- apples\n- pears\n- plums", 3),
        ("Only one.", 1),  # BR-140
        ("no stop at all", 1),
        ("", 0),
        (" \n\t ", 0),
    ],
)
def test_how_many(text: str, expected: int) -> None:
    assert len(sentences_of(text)) == expected


def test_white_space_goes_to_the_sentence_before() -> None:
    assert Analysis(Document("a.txt", "Red fox ran.  It hid.")).sentences.tolist() == [0, 14]
    assert Analysis(Document("a.txt", "  One.\n\n\nTwo.")).sentences.tolist() == [2, 9]


WRAPPED = (
    "This line is wrapped by an editor that breaks at\n"
    "eighty columns, so the sentence goes on here and\n"
    "ends. A new one starts in the middle of the line\n"
    "and goes on."
)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_wrapped_line_goes_on(end: str) -> None:
    starts = Analysis(Document("a.txt", WRAPPED.replace("\n", end))).sentences.tolist()
    assert starts == [0, WRAPPED.replace("\n", end).index("A new one")]


def test_a_short_line_between_wrapped_ones_is_meant() -> None:
    text = f"Name of the thing\n{WRAPPED}"
    assert sentences_of(text)[:2] == ["Name of the thing", WRAPPED[: WRAPPED.index(" A new")]]


def test_long_lines_are_whole_paragraphs() -> None:
    line = "This is a paragraph that nobody wrapped and that has no full stop " * 4
    assert sentences_of(f"{line.strip()}\n{line.strip()}") == [line.strip()] * 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Title\nBody text here.", ["# Title", "Body text here."]),
        ("- one\n- two\n  - nested\n", ["- one", "- two", "- nested"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", ["| a | b |\n|---|---|", "| 1 | 2 |"]),
        ("Intro:\n\n```\nx = 1\ny = 2\n```\n", ["Intro:", "```", "x = 1", "y = 2", "```"]),
    ],
)
def test_parts_of_markdown_start_sentences(text: str, expected: list[str]) -> None:
    assert sentences_of(text, "en", "a.md") == expected


@given(texts())
def test_sentences_are_positions_of_visible_characters_and_lose_nothing(text: str) -> None:
    analysis = Analysis(Document("a.txt", text))
    starts = analysis.sentences.tolist()
    assert starts == sorted(set(starts))
    assert all(not text[start].isspace() for start in starts)
    assert not text[: starts[0] if starts else len(text)].strip()
    # A mark after white space joins to it.
    inside = set(analysis.forbidden.tolist())
    assert all(start not in inside or start == len(text) - len(text.lstrip()) for start in starts)


def test_the_seam_of_long_texts_shows_no_trace() -> None:
    """BR-094: what is found does not depend on where a long text is parted for the library."""
    sentence = "The lamp blinks blue when it is ready, e.g. at night. "
    text = sentence * 3000 + "\n\n" + sentence * 3000
    starts = Analysis(Document("a.txt", text)).sentences.tolist()
    first = [at * len(sentence) for at in range(3000)]
    second = [3000 * len(sentence) + 2 + at for at in first]
    assert starts == first + second
