"""Where a quote stands in a text, from its exact words to the same words in other dress."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

import numpy as np
import regex

from chunkwright.spans import Integers, Span

# One character each, so that positions stay.
_DRESS = str.maketrans(
    "\u2018\u2019\u201a\u201b\u00b4`\u2032\u02bc" + "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033"
    "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    "'" * 8 + '"' * 7 + "-" * 7,
)
# Parts a text as `str.split` does.
_WORD = re.compile(r"\S+")
_NUMBER = regex.compile(r"\d++(?:[.,]\d++)*+")
# Marks are left out: in Thai they would make three words as long as five.
_UNSPACED = regex.compile(
    r"(?V1)[[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
    r"--\p{M}]"
)
_TELLING_WORDS, _TELLING_CHARACTERS = 5, 20
# Characters besides the numbers that a passage must share to be taken for the one meant.
_LEAST_SHARED = 8


class Found(NamedTuple):
    """A span, and what had to be overlooked to find it (empty where nothing had)."""

    span: Span
    overlooked: str


class OtherNumbers(NamedTuple):
    """A passage with the same words and other numbers."""

    span: Span
    theirs: str
    ours: str


def is_telling(quote: str) -> bool:
    """Whether a quote is long enough that another copy of it says the same.

    >>> is_telling("308"), is_telling("The lamp blinks blue twice.")
    (False, True)
    """
    if len(quote.split()) >= _TELLING_WORDS:
        return True
    return len(_UNSPACED.findall(quote)) >= _TELLING_CHARACTERS


def nearest(text: str, quote: str, position: int) -> int:
    """Where the quote starts nearest to a position; -1 where it is not.

    A place that cuts a number is none: 3 euros are not in 30 euros.

    >>> nearest("a lamp, a desk, a lamp", "lamp", 14)
    18
    """
    position = max(0, position)
    size = len(quote)
    before = text.rfind(quote, 0, position + size)
    while before >= 0 and _cuts_number(text, before, before + size):
        before = text.rfind(quote, 0, before + size - 1)
    after = text.find(quote, position)
    while after >= 0 and _cuts_number(text, after, after + size):
        after = text.find(quote, after + 1)
    if before < 0 or after < 0:
        return max(before, after)
    return before if position - before <= after - position else after


def copies(text: str, quote: str, own: Span | None = None) -> list[Span]:
    """Every place of a quote, none overlapping another or `own`, which is left out.

    >>> copies("a lamp, a desk, a lamp", "lamp", Span(2, 6))
    [Span(start=18, end=22)]
    """
    stretches = [(0, own.start), (own.end, len(text))] if own else [(0, len(text))]
    found = []
    for low, high in stretches:
        at = text.find(quote, low, high)
        while at >= 0:
            end = at + len(quote)
            if not _cuts_number(text, at, end):
                found.append(Span(at, end))
            at = text.find(quote, end, high)
    return found


def _cuts_number(text: str, start: int, end: int) -> bool:
    return any(
        0 < edge < len(text) and text[edge - 1].isdigit() and text[edge].isdigit()
        for edge in (start, end)
    )


class Searcher:
    """Finds quotes in one text; what it needs for that is made when first needed.

    >>> Searcher("The  lamp is on.").find("the lamp", 0)
    Found(span=Span(start=0, end=9), overlooked='typography and case')
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def find(self, quote: str, position: int) -> Found | None:
        """The quote's place nearest to a position, in the strictest way that finds it."""
        at = nearest(self.text, quote, position)
        if at >= 0:
            return Found(Span(at, at + len(quote)), "")
        plain = " ".join(quote.split())
        if not plain:
            return None
        near = self._to_plain(position)
        for text, wanted, overlooked in (
            (self._plain, plain, "white space"),
            (self._folded, _fold(plain), "typography and case"),
        ):
            at = nearest(text, wanted, near)
            if at >= 0:
                return Found(self._from_plain(at, at + len(wanted)), overlooked)
        return None

    def find_other_numbers(self, quote: str) -> OtherNumbers | None:
        """The first passage that reads like the quote but for its numbers."""
        wanted = _fold(" ".join(quote.split()))
        words = _NUMBER.split(wanted)
        if len(words) < 2 or sum(map(len, words)) < _LEAST_SHARED:
            return None
        pattern = rf"({_NUMBER.pattern})".join(regex.escape(part) for part in words)
        # Each number is tried from its start only, else a long row of them takes forever.
        match = regex.search(rf"(?<!\d)(?<!\d[.,]){pattern}", self._folded)
        if match is None:
            return None
        pairs = zip(_NUMBER.findall(wanted), match.groups(), strict=True)
        theirs, ours = next(pair for pair in pairs if pair[0] != pair[1])
        return OtherNumbers(self._from_plain(*match.span()), theirs, ours)

    @cached_property
    def _plain(self) -> str:
        return " ".join(self.text.split())

    @cached_property
    def _folded(self) -> str:
        return _fold(self._plain)

    @cached_property
    def _starts(self) -> tuple[Integers, Integers]:
        """Where each word starts in the text and in the plain text."""
        words = np.array([word.span() for word in _WORD.finditer(self.text)], np.int64)
        starts, ends = words.reshape(-1, 2).T
        lengths = ends - starts
        return starts, np.cumsum(lengths + 1) - lengths - 1

    def _to_plain(self, position: int) -> int:
        starts, plain = self._starts
        word = int(np.searchsorted(starts, position, side="right")) - 1
        return int(plain[word]) + position - int(starts[word]) if word >= 0 else 0

    def _from_plain(self, start: int, end: int) -> Span:
        starts, plain = self._starts
        first, last = np.searchsorted(plain, [start, end - 1], side="right") - 1
        return Span(
            int(starts[first] + start - plain[first]), int(starts[last] + end - plain[last])
        )


def _fold(text: str) -> str:
    dressed = text.translate(_DRESS)
    lowered = dressed.lower()
    if len(lowered) == len(dressed):
        return lowered
    # A few capitals grow when lowered; they are left as they are, so that positions stay.
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in dressed)
