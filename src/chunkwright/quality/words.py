"""Words that lean on what came before: the files of `languages/`, read."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import regex

# List marks, quotes, brackets and emphasis that may stand before the first word of a sentence.
_MARKS = regex.compile(r"(?:[\s>*_~`#\"'“”„«»‹›‘’「『（(\[¿¡–—•·-]|\d{1,3}[.)](?=\s))*+")


@dataclass(frozen=True)
class Words:
    """What is known of a language.

    Attributes:
        language: ISO 639-1 code; empty for one that has no file.
        pronouns: Matches a leading word that stands for something named before.
    """

    language: str
    pronouns: regex.Pattern[str] | None

    def after_marks(self, text: str, start: int, end: int) -> int:
        """The first character of a span that is no list mark, quote or emphasis.

        >>> words_of("en").after_marks('- "It blinks."', 0, 14)
        3
        """
        found = _MARKS.match(text, start, end)
        return found.end() if found and found.end() < end else start


@cache
def read(name: str) -> dict[str, Any]:
    """A file of `languages/`; empty where there is none."""
    file = resources.files(__package__) / "languages" / f"{name}.toml"
    return tomllib.loads(file.read_text("utf-8")) if name.isalpha() and file.is_file() else {}


@cache
def _words(language: str) -> Words:
    own = read(language)
    return Words(language if own else "", _any_of(own.get("pronouns", "")))


def words_of(language: str) -> Words:
    """What is known of a language, by its ISO 639-1 code."""
    return _words(language.partition("-")[0].lower())


def _any_of(listed: str) -> regex.Pattern[str] | None:
    """Matches any of some words, as whole words; `_` stands for a space inside one."""
    several = sorted(listed.split(), key=len, reverse=True)
    if not several:
        return None
    either = "|".join(regex.escape(each).replace("_", r"\s+") for each in several)
    return regex.compile(rf"(?:{either})(?![\w'’])", regex.IGNORECASE)
