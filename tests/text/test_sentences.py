"""Sentences, by language and by what stands around a full stop."""

from __future__ import annotations

import itertools
from importlib import resources

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chunkwright.model import Document
from chunkwright.text.analysis import Analysis
from chunkwright.text.sentences import ended_starts, is_sentence_start
from chunkwright.text.sentences.marks import CLAUSES, WIDE_CLAUSES
from chunkwright.text.sentences.rules import read, rules
from tests.properties.strategies import texts
from tests.text.sentence_cases import UNSPACED as UNSPACED_LANGUAGES
from tests.text.sentence_cases import cases


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
    ["Bob W. Lamp spoke.", "We heard."],
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


@pytest.mark.parametrize(("language", "expected"), cases(), ids=lambda value: str(value)[:40])
def test_the_table_of_cases(language: str, expected: list[str]) -> None:
    text = ("" if language in UNSPACED_LANGUAGES else " ").join(expected)
    assert sentences_of(text, language) == expected


@pytest.mark.parametrize(("language", "expected"), cases(), ids=lambda value: str(value)[:40])
def test_a_look_at_one_place_says_the_same(language: str, expected: list[str]) -> None:
    text = ("" if language in UNSPACED_LANGUAGES else " ").join(expected)
    analysis = Analysis(Document("a.txt", text, language=language))
    found = {
        at
        for at in analysis.stops.tolist()
        if is_sentence_start(text, at, language, cased=analysis.cased)
    }
    assert found <= set(analysis.sentences.tolist())
    # The items of a list that runs on in one line are seen from afar only.
    listed = any(part[:2] in {"2)", "3)", "b."} for part in expected)
    assert listed or found == set(analysis.sentences.tolist()) - {0}


_BEFORE = st.sampled_from(
    [
        *rules("en").kinds,
        *("the", "lamp", "Btwn", "xvi", "XIV", "rhythm", "psst", "NASA", "it", "be", "a.m"),
        *("well-known", "(PA)", "2003)"),
    ]
)
_GAPS = st.sampled_from(
    [" ", " ", "\n", "\n\n", "  ", "\r\n", "\t", " (", ' "', "\u00a0", ". ", " Mr. "]
)
_AFTER = st.sampled_from(
    ["The", "the", "hall", "http://a.b", "who", "www.a.b", "iPhone", "tHE", "É", "9", "a"]
)


@given(st.lists(st.tuples(_GAPS, _BEFORE, st.sampled_from("..?"), _GAPS, _AFTER), max_size=8))
def test_what_is_told_of_many_stops_at_once_is_what_is_told_of_each(
    parts: list[tuple[str, ...]],
) -> None:
    analysis = Analysis(Document("a.txt", "".join(map("".join, parts)), language="en"))
    for cased in (True, False):
        found = ended_starts(analysis.text, analysis.points, analysis.stops, "en", cased=cased)
        assert found.tolist() == [
            at
            for at in analysis.stops.tolist()
            if is_sentence_start(analysis.text, at, "en", cased=cased)
        ]


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "xx"])
@pytest.mark.parametrize(
    "expected",
    [
        ["Dr. Brown is here.", "Ok."],
        ["Lamps, e.g. red ones.", "Ok."],
        ["Lamps etc. are here.", "Ok."],
        ["J. K. Brown is here.", "Ok."],
        ["See fig. 3 here.", "Ok."],
        ["Mr. Brown of Acme Inc. is here.", "Ok."],
    ],
    ids=lambda expected: expected[0],
)
def test_english_and_latin_abbreviations_hold_in_every_language(
    language: str, expected: list[str]
) -> None:
    assert sentences_of(" ".join(expected), language) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("el", ["Πού είναι;", "Εδώ."]),
        ("hy", ["Բարև Ձեզ:", "Ես գնում եմ:"]),
        ("bg", ["Той е от гр. София.", "Тя не е."]),
        ("cs", ["Je to např. dobré.", "Ano."]),
        ("cs", ["Dne 3. května je svátek.", "Pak ne."]),
        ("uk", ["Він живе на вул. Лесі.", "Вона ні."]),
        ("da", ["Den 5. Maj er vi fri.", "Det er godt."]),
        ("sv", ["Lampan blinkar.", "Den är klar."]),
        ("ur", ["یہ لیمپ ہے۔", "وہ تیار ہے۔"]),
        ("fa", ["این چراغ است.", "آن آماده است؟", "بله."]),
        ("he", ["המנורה מהבהבת.", "היא מוכנה?", "כן."]),
        ("ko", ["램프가 깜박인다.", "준비됐다!", "정말?"]),
        ("am", ["እንደምን አለህ፧", "ደህና።"]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_languages_without_a_table_of_their_own(language: str, expected: list[str]) -> None:
    assert sentences_of(" ".join(expected), language) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["पहला वाक्य।", "दूसरा वाक्य॥", "तीसरा।"],
        ["هل وصلت؟", "نعم."],
        ["እንደምን አለህ፧", "ደህና።"],
        ["今天下雨.", "明天晴天!", "真的?", "是的。"],
    ],
    ids=lambda expected: expected[0],
)
def test_stops_without_a_space_after_them(expected: list[str]) -> None:
    assert sentences_of("".join(expected)) == expected


@pytest.mark.parametrize("text", ["Node.Js", "a.B.c", "end.Next", "e.g.Word", "3.Helado", "no!Yes"])
def test_a_narrow_stop_needs_a_space(text: str) -> None:
    assert sentences_of(f"Use {text} here.") == [f"Use {text} here."]


LONG = "A quote goes on here. " * 20


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('He said "One. Two. Three." Then he left.', 2),
        ("He said “One. Two. Three.” Then he left.", 2),
        ("Sie sagte „Eins. Zwei.“ Dann ging sie.", 2),
        ("He said (One. Two.) and left. Then it rained.", 2),
        # Nobody closed these, or they are too long to stand undivided.
        ('He said "One. Two. Three. Then he left.', 4),
        ("He said (One. Two. Three. Then he left.", 4),
        (f'He said "{LONG.strip()}" Then he left.', 21),
    ],
    ids=lambda value: str(value)[:30],
)
def test_short_quotes_and_brackets_stay_whole(text: str, expected: int) -> None:
    assert len(sentences_of(text)) == expected


def test_tokenised_text_keeps_its_quotes_whole() -> None:
    expected = ['He said , " It is late . "', "Then he left ."]
    assert sentences_of(" ".join(expected)) == expected


def test_text_without_capitals() -> None:
    assert len(sentences_of("one thing. another thing, e.g. this. mr. brown came. he left.")) == 4


def test_a_stop_looks_the_same_wherever_it_stands() -> None:
    before = "Nobody knew. Nothing else was said. " * 50
    for language, expected in cases():
        if language == "en" and expected[0][0].isupper():
            assert sentences_of(before + " ".join(expected), "en")[100:] == expected


@pytest.mark.parametrize("language", ["en", "fr", "de", "xx"])
def test_plain_ends_are_judged_alike(language: str) -> None:
    """Long words in front of a full stop are passed without a look; a look says the same."""
    words = ["approximately", "messrs", "notwithstanding", "Kingdom", "it's-wonderful", "strasse"]
    text = " ".join(f"The {word}. The {word} e.g. “Seen {word}. Then {word}.”" for word in words)
    analysis = Analysis(Document("a.txt", text, language=language))
    found = [at for at in analysis.stops.tolist() if is_sentence_start(text, at, language)]
    assert [0, *found] == analysis.sentences.tolist()


@given(texts(), st.sampled_from(["en", "de", "el", "ja", "th", "xx"]), st.booleans())
def test_any_place_of_any_text_can_be_judged(text: str, language: str, cased: bool) -> None:
    for at, character in enumerate(text):
        if not character.isspace():
            assert is_sentence_start(text, at, language, cased=cased) in {True, False}


@pytest.mark.parametrize(
    "text", ["Inc. He", "Acme Inc. She", "J. I", "(. Go", "·. A", "[1] A", "’. ’"]
)
def test_the_ends_of_a_text_are_no_trap(text: str) -> None:
    assert sentences_of(text)


FILES = sorted(
    file.name.removesuffix(".toml")
    for file in (resources.files("chunkwright.text.sentences") / "languages").iterdir()
)


@pytest.mark.parametrize("name", FILES)
def test_the_files_of_languages_are_well_formed(name: str) -> None:
    keys = "inside number either last words starts ordinals stops after_quotes speech finals joins"
    table = read(name)
    assert set(table) <= {*keys.split(), "leads", "complete"}
    words = [word for value in table.values() if isinstance(value, str) for word in value.split()]
    assert words == [word.lower() for word in words]
    assert not [word for word in words if word.endswith(".") or "’" in word]
    for key in ("inside", "number", "either", "last", "starts"):
        found = str(table.get(key, "")).split()
        assert len(found) == len(set(found)), f"{name}: twice in {key}"


@pytest.mark.parametrize("name", FILES)
def test_no_word_of_a_language_hides_another(name: str) -> None:
    table = {key: value.split() for key, value in read(name).items() if isinstance(value, str)}

    def have(key: str) -> list[str]:
        return table.get(key, [])

    kinds = {key: have(key) for key in ("inside", "number", "either", "last")}
    endings = [(key, word[1:]) for key, words in kinds.items() for word in words if word[0] == "-"]
    found = [word for key, end in endings for word in kinds[key] if word.endswith(end)]
    hidden = [word for word in found if word[0] != "-"]
    # What a sentence goes on with and who speaks match the beginnings of words.
    for key in ("after_quotes", "speech"):
        pairs = itertools.permutations(have(key), 2)
        hidden += [word for word, other in pairs if word.startswith(other)]
        hidden += [word for word in have("speech") if any(map(word[1:].startswith, have("speech")))]
    # So do these, the longest first; these match the ends.
    assert not set(have("starts")) & set(have("joins"))
    for word in have("joins"):
        shorter = [other for other in have("joins") + have("starts") if word.startswith(other)]
        nearest = max((other for other in shorter if other != word), key=len, default="")
        hidden += [word] * (nearest in have("joins"))
    for word in have("leads") + have("finals"):
        others = have("leads") + (have("finals") if word in have("finals") else [])
        hidden += [word for other in others if other != word and word.endswith(other)]
    assert not hidden


SPACED = [name for name in FILES if name not in {"common", "th"}]


@pytest.mark.parametrize("name", SPACED)
def test_every_word_of_a_language_does_what_its_kind_says(name: str) -> None:
    """None is written so that it never matches, in one piece or with spaces after its stops."""
    ends = {"inside": (False, False), "either": (True, False), "last": (True, True)}
    table = read(name)
    wrong = []
    for key, expected in ends.items():
        for word in str(table.get(key, "")).split():
            whole = f"Zz {word}. ".replace("Zz -", "Zz")
            for text in {whole, whole.strip().replace(".", ". ")}:
                follows = (f"{text}The lamp", f"{text}Lampo lamp")
                found = tuple(is_sentence_start(full, len(text), name) for full in follows)
                wrong += [text] * (found != expected and ". -" not in text)
    for word in str(table.get("starts", "")).split():
        first = word[0].upper() + word[1:] + "x" * word.endswith("'")
        wrong += [word] * (not is_sentence_start(f"Zz ltd. {first} lamp", 8, name))
    assert not wrong


def test_every_word_that_starts_thai_sentences_does() -> None:
    table = read("th")
    before, after = "ถนนหลายสาย", "ถนน"
    for word in table["starts"].split():
        assert sentences_of(f"{before} {word}{after}", "th") == [before, word + after]
        assert len(sentences_of(f"{word} {before}", "th")) == 1
    for word in table["joins"].split():
        assert len(sentences_of(f"{before}ครับ {word}{after}", "th")) == 1
    for word in table["finals"].split():
        assert len(sentences_of(f"{before}{word} {before}", "th")) == 2
    for word in table["leads"].split():
        assert len(sentences_of(f"{before}{word} เขา{after}", "th")) == 1


@pytest.mark.parametrize("mark", [*CLAUSES, *WIDE_CLAUSES, "|"])
@pytest.mark.parametrize("before", ["“Go.”", "Go.", "「はい。」", "好。"])
@pytest.mark.parametrize("gap", ["", " "])
def test_no_sentence_starts_with_the_mark_of_a_clause(mark: str, before: str, gap: str) -> None:
    text = f"{before}{gap}{mark} 好Go。"
    assert sentences_of(text) == [text]


def test_no_word_is_of_two_kinds() -> None:
    for name in FILES:
        table = read(name)
        kinds = [str(table.get(key, "")).split() for key in ("inside", "number", "either", "last")]
        words = [word for kind in kinds for word in kind]
        assert sorted(words) == sorted(set(words)), name


@pytest.mark.parametrize("language", ["", "../en", "EN", "pt-BR", "zh-Hant", "xx"])
def test_any_name_of_a_language_will_do(language: str) -> None:
    assert rules(language).kind("dr") is not None


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
    ["「はい。」と彼は言った。", "次の日。"],
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


def test_wrapped_paragraphs_of_two_lines_are_seen_as_wrapped() -> None:
    paragraph = "This line is wrapped by an editor that breaks at\neighty columns, so it goes on."
    text = "\n\n".join([paragraph] * 5)
    assert sentences_of(text) == [paragraph] * 5


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


@example(" \u0301")
@example("  \u0301\n\nb")
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
