"""Words that lean on what came before: the files of `languages/`, read.

`languages/common.toml` says at its top what stands in them and how a phrase is written.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import numpy as np
import regex
from numpy.typing import NDArray

from chunkwright.spans import Integers

# List marks, quotes, brackets and emphasis that may stand before the first word of a sentence.
_MARKS = regex.compile(r"(?:[\s>*_~`#\"'“”„«»‹›‘’「『（(\[¿¡–—•·-]|\d{1,3}[.)](?=\s))*+")
# A word, with the vowel signs and the apostrophes that are part of it.
_LETTER = r"[\w\p{M}]"
WORD = regex.compile(rf"{_LETTER}+(?:['’-]{_LETTER}+)*")
# Where a word ends: "then-president" and "and/or" do not begin with "then" and "and".
_WORD_END = rf"(?!{_LETTER}|['’/-]{_LETTER})"
_COMMA = r"\s*[,،，、]"
_JOINED_GAP = r"[^\s\p{P}]"
# What follows a short word.
_AFTER = " .\n\u00a0"
_NEVER = regex.compile(r"(?!)")


@dataclass(frozen=True)
class Words:
    """What is known of a language.

    Attributes:
        language: ISO 639-1 code; empty for one that has no file.
        joined: Whether words follow each other without white space.
        capital_nouns: Whether nouns are written with a capital.
        openings: Matches the first word of whatever leans, to look no further elsewhere.
        pronouns: A leading word that stands for something named before.
        demonstratives: One that does so, or points at the noun that follows it.
        far: Those of them that never mean the text that they stand in.
        not_pronouns: An opening that begins with one of them and leans on nothing.
        leaning: Other openings that stand for something named before.
        presents: An opening that names its subject after a colon.
        prefixes: Words that a demonstrative may follow.
        polite: A pronoun that addresses the reader where `addressed` is found in the text.
        addressed: A word with a capital inside a sentence that addresses the reader.
        connectives: An opening that goes on from what came before.
        not_connectives: One that only looks like it.
        conditions: The opening of a condition.
        condition_ends: The end of a condition, where the language puts its word there.
        consequences: The opening of a consequence.
        pointers: A phrase, anywhere, that points at what stands before or after.
        forward: What in a pointer shows that it points ahead.
        not_pointers: What only looks like it.
        announces: A phrase that something has to follow.
        numbered: A reference such as `Table 2`, with the groups `kind` and `number`.
        captions: The same, also where it needs no word before, as over a table.
        own_text: Nouns for a text, as in "this guide".
        deictic: Nouns of a time that is the reader's own, as in "these days".
        skipped: Words between a demonstrative and its noun.
        stops: Words that end the noun's phrase; right after a demonstrative they show that it has
            no noun.
        complements: Words after the noun that go on to say what it is.
        endings: Endings that forms of one noun differ in, longest first.
        articles: What may be written at the front of a noun.
        anchors: The first letters of what `pointers` and `numbered` match.
    """

    language: str
    joined: bool
    capital_nouns: bool
    openings: regex.Pattern[str]
    pronouns: regex.Pattern[str]
    demonstratives: regex.Pattern[str]
    far: regex.Pattern[str]
    not_pronouns: regex.Pattern[str]
    leaning: regex.Pattern[str]
    presents: regex.Pattern[str]
    prefixes: regex.Pattern[str]
    polite: regex.Pattern[str]
    addressed: regex.Pattern[str]
    connectives: regex.Pattern[str]
    not_connectives: regex.Pattern[str]
    conditions: regex.Pattern[str]
    condition_ends: regex.Pattern[str]
    consequences: regex.Pattern[str]
    pointers: regex.Pattern[str]
    forward: regex.Pattern[str]
    not_pointers: regex.Pattern[str]
    announces: regex.Pattern[str]
    numbered: regex.Pattern[str]
    captions: regex.Pattern[str]
    own_text: frozenset[str]
    deictic: frozenset[str]
    skipped: frozenset[str]
    stops: frozenset[str]
    complements: frozenset[str]
    endings: tuple[str, ...]
    articles: tuple[str, ...]
    anchors: frozenset[str]

    def after_marks(self, text: str, start: int, end: int) -> int:
        """The first character of a span that is no list mark, quote or emphasis.

        >>> words_of("en").after_marks('- "It blinks."', 0, 14)
        3
        """
        found = _MARKS.match(text, start, end)
        return found.end() if found and found.end() < end else start

    def may_point(self, points: NDArray[np.uint32]) -> Integers:
        """Where `pointers` or `numbered` may match, from the code points of a text.

        The first letters of all words are looked up at once: to try a regular expression at every
        place of a text takes fifty times as long.
        """
        if not len(points) or not self.anchors:
            return np.empty(0, np.int64)
        if self.joined:
            return np.flatnonzero(np.isin(points, [ord(each[0]) for each in self.anchors]))
        letters = ((points | 32) - 97 < 26) | (points > 127) | (points - 48 < 10)
        begins = letters.copy()
        begins[1:] &= ~letters[:-1]
        places = np.flatnonzero(begins)
        # Four letters of 16 bits; those beyond are in no word of ours.
        padded = np.r_[points, 0, 0, 0].astype(np.uint64) & np.uint64(0xFFFF)
        keys = padded[places]
        for at in (1, 2, 3):
            keys |= padded[places + at] << np.uint64(16 * at)
        long = [_key(each) for each in self.anchors if len(each) == 4]
        short = [_key(each) for each in self.anchors if len(each) == 3]
        found = _among(keys, long) | _among(keys & np.uint64(0xFFFFFFFFFFFF), short)
        return places[found]

    def stem(self, noun: str) -> str:
        """A noun in small letters without its article and ending.

        >>> words_of("en").stem("Studies"), words_of("en").stem("study")
        ('stud', 'stud')
        """
        return _stem(noun.lower(), self.endings, self.articles)

    def forms(self, noun: str) -> regex.Pattern[str]:
        """Matches the forms of a noun anywhere in a text."""
        return _forms(self.stem(noun), self.endings, self.articles, joined=self.joined)


def _among(keys: NDArray[np.uint64], known: list[int]) -> NDArray[np.bool_]:
    """Which keys are known. They are far more than what is known, and need not be sorted for it."""
    if not known:
        return np.zeros(len(keys), np.bool_)
    ordered = np.array(sorted(known), np.uint64)
    at = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    return np.asarray(ordered[at] == keys)


def _stem(word: str, endings: tuple[str, ...], articles: tuple[str, ...]) -> str:
    for article in articles:
        if word.startswith(article) and len(word) > len(article) + 2:
            word = word[len(article) :]
            break
    for ending in endings:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: -len(ending)]
    return word


# The same nouns come again and again, and a pattern takes long to make.
@lru_cache(maxsize=1 << 14)
def _forms(
    stem: str, endings: tuple[str, ...], articles: tuple[str, ...], *, joined: bool
) -> regex.Pattern[str]:
    if joined:
        return regex.compile(regex.escape(stem))
    front = f"(?:{'|'.join(articles)})?" if articles else ""
    tail = f"(?:{'|'.join(map(regex.escape, endings))})?" if endings else ""
    return regex.compile(
        rf"(?<!{_LETTER}){front}{regex.escape(stem)}{tail}(?!{_LETTER})", regex.IGNORECASE
    )


@cache
def read(name: str) -> dict[str, Any]:
    """A file of `languages/`; empty where there is none."""
    file = resources.files(__package__) / "languages" / f"{name}.toml"
    return tomllib.loads(file.read_text("utf-8")) if name.isalpha() and file.is_file() else {}


def languages() -> tuple[str, ...]:
    """The languages that have a file.

    >>> "en" in languages(), "common" in languages()
    (True, False)
    """
    folder = resources.files(__package__) / "languages"
    names = (file.name.removesuffix(".toml") for file in folder.iterdir())
    return tuple(sorted(name for name in names if len(name) == 2))


@cache
def _words(language: str) -> Words:
    found = read(language)
    own = {**read("common"), **found} if found else {}
    joined = bool(own.get("joined", False))
    sets = {name: several.split() for name, several in own.get("sets", {}).items()}

    def opening(*keys: str) -> regex.Pattern[str]:
        return _any_of([phrase for key in keys for phrase in _listed(own.get(key))], sets, joined)

    def nouns(key: str) -> frozenset[str]:
        return frozenset(str(own.get(key, "")).lower().split())

    endings = tuple(sorted(nouns("endings"), key=len, reverse=True))
    articles = tuple(sorted(nouns("articles"), key=len, reverse=True))

    def stems(key: str) -> frozenset[str]:
        return frozenset(_stem(each, endings, articles) for each in nouns(key))

    leading = ("pronouns", "demonstratives", "far", "leaning", "connectives", "consequences")
    sets["demonstrative"] = [*_listed(own.get("demonstratives")), *_listed(own.get("far"))]
    first = [f"{prefix} {{demonstrative}}" for prefix in _listed(own.get("prefixes"))]
    candidates = [phrase for key in leading for phrase in _listed(own.get(key))]
    return Words(
        language=language if found else "",
        joined=joined,
        capital_nouns=bool(own.get("capital_nouns", False)),
        openings=_any_of([*(_first(phrase) for phrase in candidates), *first], sets, joined),
        pronouns=opening("pronouns"),
        demonstratives=opening("demonstratives", "far"),
        far=opening("far"),
        not_pronouns=opening("not_pronouns"),
        leaning=opening("leaning"),
        presents=opening("presents"),
        prefixes=opening("prefixes"),
        polite=opening("polite"),
        addressed=_inside(_listed(own.get("addressed"))),
        connectives=opening("connectives"),
        not_connectives=opening("not_connectives"),
        conditions=opening("conditions"),
        condition_ends=_at_end(_listed(own.get("condition_ends"))),
        consequences=opening("consequences"),
        pointers=opening("pointers"),
        forward=opening("forward"),
        not_pointers=opening("not_pointers"),
        announces=opening("announces"),
        numbered=_numbered(own, sets, joined),
        captions=_numbered(own, sets, joined, anywhere=True),
        own_text=stems("own_text"),
        deictic=stems("deictic"),
        skipped=nouns("skipped"),
        stops=nouns("stops") | nouns("complements"),
        complements=nouns("complements"),
        endings=endings,
        articles=articles,
        anchors=_anchors(
            [
                *_listed(own.get("pointers")),
                *_listed(own.get("numbered")),
                *_listed(own.get("numbered_after")),
            ],
            sets,
            joined,
        ),
    )


def words_of(language: str) -> Words:
    """What is known of a language, by its ISO 639-1 code."""
    return _words(language.partition("-")[0].lower())


def _listed(value: str | Iterable[str] | None) -> list[str]:
    """Phrases: one per item of a list; a string is one word after the other."""
    return value.split() if isinstance(value, str) else list(value or ())


def _first(phrase: str) -> str:
    """The first word of a phrase, as a phrase."""
    return phrase.split()[0].rstrip(",")


def _key(letters: str) -> int:
    """The first letters as one number."""
    return sum(ord(each) << 16 * at for at, each in enumerate(letters))


def _anchors(phrases: list[str], sets: Mapping[str, list[str]], joined: bool) -> frozenset[str]:
    """The first letters of phrases, in the cases that they are written in."""
    words = [
        word
        for phrase in phrases
        for part in _first(phrase).split("/")
        for word in (sets[part[1:-1]] if part.startswith("{") else (part,))
    ]
    if joined:
        return frozenset(word[0] for word in words)
    if any(len(word) < 2 for word in words):
        raise ValueError(f"a pointer must begin with more than a letter: {sorted(words)}")
    # A shorter word is followed by a space or a stop.
    told = [word[:4] if len(word) > 3 else word + mark for word in words for mark in _AFTER]
    return frozenset(
        form for word in told for form in (word.lower(), word.capitalize(), word.upper())
    )


def _any_of(
    phrases: Iterable[str], sets: Mapping[str, list[str]], joined: bool
) -> regex.Pattern[str]:
    """Matches any of some phrases, as whole words."""
    several = sorted(set(phrases), key=len, reverse=True)
    if not several:
        return _NEVER
    either = "|".join(_phrase(each, sets, joined) for each in several)
    return regex.compile(rf"(?:{either})", regex.IGNORECASE)


def _phrase(phrase: str, sets: Mapping[str, list[str]], joined: bool) -> str:
    """A phrase as a regular expression."""
    space, end = (r"\s*", "") if joined else (r"\s+", _WORD_END)
    gap = _JOINED_GAP if joined else rf"(?:{space}{_LETTER}[\w\p{{M}}'’-]*)"
    made = ""
    for token in phrase.split():
        glue = space if made else ""
        if token in ("..", "..."):
            most = {"..": 2, "...": 5}[token] * (2 if joined else 1)
            made += rf"{gap}{{0,{most}}}?"
            continue
        if token.startswith("!"):
            made += rf"(?!{space}{_either(token[1:], sets, end)})"
            continue
        if token == ",":
            made += _COMMA
            continue
        optional = token.endswith("?")
        word = _either(token.removesuffix("?"), sets, end)
        made += f"(?:{glue}{word})?" if optional else glue + word
    return made


def _either(token: str, sets: Mapping[str, list[str]], end: str) -> str:
    several = [
        word
        for part in token.split("/")
        for word in (sets[part[1:-1]] if part.startswith("{") else (part,))
    ]
    # The end of a word once for all of them: the files of large languages are read at each start.
    plain = "|".join(_word(word) for word in several if not _has_comma(word))
    comma = "|".join(_word(word[:-1]) for word in several if _has_comma(word))
    either = [f"(?:{plain}){end}"] if plain else []
    return f"(?:{'|'.join([*either, rf'(?:{comma}){_COMMA}'] if comma else either)})"


def _has_comma(word: str) -> bool:
    return word.endswith(",") and len(word) > 1


def _word(word: str) -> str:
    """A word: `*` for letters, `#` for a number, `_` for a space."""
    body = regex.escape(word)
    for sign, meant in ((r"\*", rf"{_LETTER}+"), (r"\#", r"\d+"), ("_", r"\s+"), ("'", "['’]")):
        body = body.replace(sign, meant)
    return body


def _inside(words: list[str]) -> regex.Pattern[str]:
    """Words as they are written, after a letter or a comma, so inside a sentence."""
    if not words:
        return _NEVER
    return regex.compile(rf"[\w\p{{M}},] (?:{'|'.join(map(regex.escape, words))}){_WORD_END}")


def _at_end(words: list[str]) -> regex.Pattern[str]:
    if not words:
        return _NEVER
    return regex.compile(rf"(?:{'|'.join(map(regex.escape, words))})[,、，]?\Z")


def _numbered(
    own: Mapping[str, Any], sets: Mapping[str, list[str]], joined: bool, *, anywhere: bool = False
) -> regex.Pattern[str]:
    """References by number: some count anywhere, others only after a word such as "see"."""
    kinds = [regex.escape(each) for each in _listed(own.get("numbered"))]
    others = [regex.escape(each) for each in _listed(own.get("numbered_after"))]
    if not kinds:
        return _NEVER
    if joined or anywhere:
        kinds, others = [*kinds, *others], []
    number = r"\.?\s?(?P<number>S?\d+(?:[.-]\d+)*|(?-i:[A-Z])(?!\w))"
    if joined:
        number = r"\s*(?P<number>\d+(?:[.-]\d+)*)"
    kind = f"(?P<kind>{'|'.join(kinds)})"
    if others:
        leads = _listed(own.get("numbered_leads"))
        lead = "|".join(_phrase(each, sets, joined) for each in leads) or "(?!)"
        kind = rf"(?:{kind}|(?<=(?:{lead})\s)(?P<kind>{'|'.join(others)}))"
    before = "" if joined else rf"(?<!{_LETTER})"
    return regex.compile(f"{before}{kind}{number}", regex.IGNORECASE)
