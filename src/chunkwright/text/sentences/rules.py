"""What a language abbreviates and how its sentences start: the files of `languages/`, read."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import numpy as np
import sentencex
from numpy.typing import NDArray

from chunkwright.text.sentences.marks import STOPS


class Kind(Enum):
    """What the full stop after a word says. `languages/common.toml` tells more of each."""

    INSIDE = auto()
    NUMBER = auto()
    EITHER = auto()
    LAST = auto()
    WORD = auto()


_KINDS = {
    "words": Kind.WORD,
    "inside": Kind.INSIDE,
    "number": Kind.NUMBER,
    "either": Kind.EITHER,
    "last": Kind.LAST,
}
# sentencex is asked about words no longer than this; longer ones are spelled out.
_LONGEST_ABBREVIATION = 8


@dataclass(frozen=True, slots=True)
class Rules:
    """What is known of a language."""

    language: str
    kinds: dict[str, Kind]
    endings: tuple[tuple[str, Kind], ...]
    # The length of the longest word of letters alone among them.
    longest: int
    # Its words of letters alone, as numbers: see `_code`.
    codes: NDArray[np.int64]
    starts: frozenset[str]
    # Whether a number with a full stop is an ordinal.
    ordinals: bool
    # Whether its file lists what matters; else sentencex knows more than we do.
    complete: bool
    # What ends a sentence.
    stops: str
    # What goes on with a sentence after a quote, and what says who spoke.
    after_quotes: tuple[str, ...]
    speech: tuple[str, ...]
    # How phrases start and end, where no stop tells sentences from phrases.
    joins: frozenset[str]
    finals: tuple[str, ...]
    leads: tuple[str, ...]

    def kind(self, word: str) -> Kind | None:
        """What is known of a word in small letters.

        >>> rules("de").kind("hauptstr"), rules("de").kind("lampe")
        (<Kind.EITHER: 3>, None)
        """
        found = self.kinds.get(word)
        if found is None:
            for ending, kind in self.endings:
                if word.endswith(ending):
                    return kind
        return found

    def is_abbreviated(self, word: str) -> bool:
        """Whether sentencex takes a word that our own files do not list for an abbreviation."""
        return len(word) <= _LONGEST_ABBREVIATION and _is_abbreviated(self.language, word)


_PLAIN = re.compile("[a-z]{1,12}")


def _code(word: str) -> int:
    """Five bits a letter, the last letter first.

    >>> _code("ab") == 2 << 5 | 1
    True
    """
    code = 0
    for letter in reversed(word):
        code = code << 5 | (ord(letter) - ord("a") + 1)
    return code


@lru_cache(maxsize=20_000)
def _is_abbreviated(language: str, word: str) -> bool:
    # A breakdown in its compiled part is no ordinary exception.
    try:
        return len(sentencex.get_sentence_boundaries(language, f"Aa {word}. Bb")) == 1
    except BaseException as problem:
        if type(problem).__name__ != "PanicException":
            raise
        return False


@cache
def read(name: str) -> dict[str, Any]:
    """A file of `languages/`; empty where there is none.

    >>> read("zh")["speech"][:5], read("none")
    ('说 說 问', {})
    """
    if not name.isalpha():
        return {}
    file = resources.files(__package__) / "languages" / f"{name}.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}


@cache
def _rules(language: str) -> Rules:
    common, own = read("common"), read(language)
    kinds: dict[str, Kind] = {}
    for table in (common, own):
        for key, kind in _KINDS.items():
            kinds.update(dict.fromkeys(table.get(key, "").split(), kind))
    endings = tuple((word[1:], kind) for word, kind in kinds.items() if word.startswith("-"))
    return Rules(
        language,
        {word: kind for word, kind in kinds.items() if not word.startswith("-")},
        endings,
        max(len(word) for word in kinds if word.isalpha()),
        np.array(sorted(_code(word) for word in kinds if _PLAIN.fullmatch(word)), np.int64),
        frozenset(common["starts"].split()) | frozenset(own.get("starts", "").split()),
        language in common["ordinals"].split(),
        own.get("complete", False),
        STOPS + own.get("stops", ""),
        tuple(own.get("after_quotes", "").split()),
        tuple(own.get("speech", "").split()),
        frozenset(own.get("joins", "").split()),
        tuple(own.get("finals", "").split()),
        tuple(own.get("leads", "").split()),
    )


def rules(language: str) -> Rules:
    """What is known of a language, by its ISO 639-1 code.

    >>> rules("en").kind("dr"), rules("xx").complete
    (<Kind.INSIDE: 1>, False)
    """
    return _rules(language.partition("-")[0].lower())
