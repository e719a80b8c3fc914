"""Rules of completeness that hang on words: a chunk that leans on text outside of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

import numpy as np
import regex

from chunkwright.chunking.context import header_line
from chunkwright.quality.rule import Hits, Rule, Severity, Thresholds
from chunkwright.quality.view import View
from chunkwright.quality.words import WORD
from chunkwright.spans import Span

_COMMA = regex.compile(r"[,،，、]")
# What is announced, in the sentence itself.
_COLON = regex.compile(r"[:：]\s*\S|(?<!\w)\(?(?:1|a|i)\)")
# A colon that announces: after a word, a bracket or emphasis; no operator, no time of day.
_ENDS_IN_COLON = regex.compile(r"[\w\p{M})\]\"”»*_`] ?[:：][*_]*\Z")
_CODE = regex.compile(
    r"(?:\A|\n)\s*(?:(?:else|try|default)|(?:def|class|if|elif|for|while|with|match|case)\b"
    r"[^\n]*[()=\[\]\"'][^\n]*):\Z"
)
# What may stand before a caption, and what follows its number.
# Texts that were pages once have captions inside of their lines.
_BEGINS = regex.compile(r"(?:(?:\A|\n)[\s#>*_|\[(-]*|[.!?]\s*)\Z")
_CAPTION = regex.compile(r"[*_\])]*\s*(?:[.:|–—-]|\n|\Z)|[*_]*\s+\p{Lu}")
_CITATION = regex.compile(
    r"\s*(?:\[\s*\d|\d+\s?[.,]|\(\s*\p{Lu}[\p{L}-]+(?:\s+(?:et|and|&)\s[^)]*)?,?\s*\d{4})"
)
_HAN = regex.compile(r"[\p{Katakana}ー]{2,}|\p{Han}{2}")
_NOUN_REACH = 5
_ROW_BEFORE = regex.compile(r"\|[^\n]*\n[^\n]*\|")
_BLOCK_AHEAD = regex.compile(r"\n\s*(?:\||```|~~~|[-*+•]\s|\d{1,3}[.)]\s)")


def _rows(rows: Iterable[tuple[int, int, int]]) -> Hits:
    """Hits from chunk, start and end of each."""
    found = np.array(sorted(rows), np.int64).reshape(-1, 3)
    return Hits(found[:, 0], found[:, 1], found[:, 2])


def _connects(view: View, at: int, end: int) -> Span | None:
    """The connective that a sentence opens with."""
    words = view.words
    found = words.connectives.match(view.text, at, end)
    if found is None or words.not_connectives.match(view.text, at, end):
        return None
    return Span(at, found.end())


def _follows(view: View, index: int, at: int, end: int) -> Span | None:
    """The word that a sentence opens with that is the consequence of a condition outside."""
    words, text = view.words, view.text
    found = words.consequences.match(text, at, end)
    if found is None or words.not_connectives.match(text, at, end):
        return None
    if words.connectives.match(text, at, end):
        # "Then" is one only where a condition stands before.
        before = view.sentence_before(index)
        if before is None or not words.conditions.match(text, before.start, before.end):
            return None
    return Span(at, found.end())


def _starts_with_pronoun(view: View, _limits: Thresholds) -> Hits:
    rows = []
    for index, (at, end) in view.leading.items():
        lead = view.cut.leads.get(index)
        if lead is not None and lead.skip:
            continue
        found = _leans(view, index, at, end)
        if found is not None:
            rows.append((index, found.start, found.end))
    return _rows(rows)


def _leans(view: View, index: int, at: int, end: int) -> Span | None:
    """The words that a sentence opens with that stand for something outside of the chunk."""
    found = _stands_for(view, index, at, end)
    if found is None or view.words.not_pronouns.match(view.text, at, end):
        return None
    if view.clean_starts[index] and (_connects(view, at, end) or _follows(view, index, at, end)):
        return None
    return found


def _stands_for(view: View, index: int, at: int, end: int) -> Span | None:
    """The same, not knowing of openings that only look so."""
    words, text = view.words, view.text
    if at and not words.joined and text[at - 1].isalnum():
        return None  # the end of a word that was cut: "t|he"
    if found := words.pronouns.match(text, at, end):
        spared = _is_acronym(text, at, found.end()) or _is_polite(view, at, end)
        return None if spared else Span(at, found.end())
    # Inside a sentence, "that" is mostly a conjunction.
    if not view.clean_starts[index]:
        return None
    if found := words.leaning.match(text, at, end):
        return Span(at, found.end())
    noun = at
    if prefix := words.prefixes.match(text, at, end):
        noun = view.analysis.next_visible(prefix.end())
    found = words.demonstratives.match(text, noun, end)
    if found is None or (prefix and words.not_pronouns.match(text, noun, end)):
        return None
    if words.presents.match(text, noun, end) and _COLON.search(text, noun, view.ends[index]):
        return None
    near = words.far.match(text, noun, end) is None
    if _has_known_noun(view, index, found.end(), end, near=near):
        return None
    return Span(at, found.end())


def _is_acronym(text: str, at: int, end: int) -> bool:
    """Whether a word is IT, the trade, and not a shouted pronoun."""
    if end - at != 2 or not text[at:end].isupper():
        return False
    following = WORD.search(text, end, end + 40)
    return following is None or not following[0].isupper()


def _is_polite(view: View, at: int, end: int) -> bool:
    """Whether a pronoun addresses the reader, as other words of the text do."""
    found = view.words.polite.match(view.text, at, end)
    return found is not None and view.addresses_reader


def _has_known_noun(view: View, index: int, at: int, end: int, *, near: bool) -> bool:
    """Whether a demonstrative has a noun that the chunk names too, or that means the text."""
    words, text, stop = view.words, view.text, int(view.ends[index])
    nouns = list(_joined_nouns(view, at, end) if words.joined else _nouns(view, at, end))
    if not nouns:
        return False
    if near and any(words.stem(noun) in words.own_text for noun, _ in nouns):
        return True
    if near and words.stem(nouns[0][0]) in words.deictic:
        return True
    following = WORD.search(text, nouns[-1][1], nouns[-1][1] + 30)
    if following is not None and following[0].lower() in words.complements:
        return True
    header = header_line(view.analysis, int(view.starts[index])) if view.cut.setup.headers else ""
    for noun, after in nouns:
        forms = words.forms(noun)
        if forms.search(text, after, stop) or (header and forms.search(header)):
            return True
    return False


def _nouns(view: View, at: int, end: int) -> Iterator[tuple[str, int]]:
    """The words after a demonstrative that may be its noun, with where each ends."""
    words, text = view.words, view.text
    for _ in range(_NOUN_REACH):
        while at < end and text[at].isspace():
            at += 1
        found = WORD.match(text, at, end)
        if found is None:
            return
        word, at = found[0], found.end()
        small = word.lower()
        if small in words.stops:
            return
        if small not in words.skipped and (not words.capital_nouns or word[0].isupper()):
            yield word, at


def _joined_nouns(view: View, at: int, end: int) -> Iterator[tuple[str, int]]:
    """The same where words follow each other without white space: a measure word may come first."""
    words, text = view.words, view.text
    if text.startswith(tuple(words.stops), at, end):
        return
    for known in (*words.own_text, *words.deictic):
        if any(text.startswith(skipped + known, at, end) for skipped in ("", *words.skipped)):
            yield known, end
            return
    measure = next((each for each in words.skipped if text.startswith(each, at, end)), "")
    if found := _HAN.match(text, at + len(measure), end):
        yield found[0], found.end()


STARTS_WITH_PRONOUN = Rule(
    code="C104",
    name="starts-with-pronoun",
    label="starts with a pronoun",
    severity=Severity.WARNING,
    why="Read alone, nobody knows what it speaks of, and a search for that name misses it.",
    bad="Brightgrid Plus costs $3.99 a month. | It also adds energy reports.",
    good="Brightgrid Plus costs $3.99 a month. | Brightgrid Plus also adds energy reports.",
    find=_starts_with_pronoun,
    repair="name_the_subject",
)


def _starts_with_connective(view: View, _limits: Thresholds) -> Hits:
    rows = []
    for index, (at, end) in view.leading.items():
        if not view.clean_starts[index] or _follows(view, index, at, end):
            continue
        found = _connects(view, at, end)
        if found is not None:
            rows.append((index, found.start, found.end))
    return _rows(rows)


STARTS_WITH_CONNECTIVE = Rule(
    code="C105",
    name="starts-with-connective",
    label="starts with a connective",
    severity=Severity.NOTE,
    why="It goes on from a sentence that is not there: half of an argument, or its other side.",
    bad="Plus costs $3.99 a month. | However, the first month of Plus is free.",
    good="Plus costs $3.99 a month. However, the first month of Plus is free.",
    find=_starts_with_connective,
    repair="keep_with_previous",
    safe=True,
)


def _points_elsewhere(view: View, limits: Thresholds) -> Hits:
    """The first pointer of each chunk whose target is not in it."""
    rows: dict[int, tuple[int, int]] = {}
    reach = int(limits["reach"])
    places = view.words.may_point(view.analysis.points).tolist()
    for at in places:
        found = view.words.pointers.match(view.text, at)
        if found is None or view.words.not_pointers.match(view.text, at):
            continue
        if _CITATION.match(view.text, found.end()):
            continue  # "as described elsewhere [4]" points out of the document
        start, end = found.span()
        ahead = view.words.forward.search(view.text, start, end) is not None
        for index in view.holding(start, end):
            low, high = int(view.starts[index]), int(view.ends[index])
            # With so much of the chunk on that side, the target may well be in it.
            room = high - end if ahead else start - low
            if room > reach:
                continue
            # The table, list or code that is meant.
            if ahead and _BLOCK_AHEAD.search(view.text, end, high):
                continue
            if not ahead and _ROW_BEFORE.search(view.text, low, start):
                continue
            _keep_first(rows, index, start, end)
    for index, start, end in _references(view, places):
        _keep_first(rows, index, start, end)
    for index, start, end in _announcements(view):
        _keep_first(rows, index, start, end)
    return _rows((index, *where) for index, where in rows.items())


def _keep_first(rows: dict[int, tuple[int, int]], index: int, start: int, end: int) -> None:
    if index not in rows or start < rows[index][0]:
        rows[index] = (start, end)


def _references(view: View, places: list[int]) -> Iterator[tuple[int, int, int]]:
    """References by number to what has no caption in the chunk: chunk, start, end."""
    text = view.text
    captions: dict[str, list[int]] = {}
    references: list[tuple[str, int, int]] = []
    for place in places:
        found = view.words.captions.match(text, place)
        if found is None:
            continue
        # "Fig." and "Figures" are one kind.
        label = f"{found['kind'][:3].lower()} {found['number']}"
        start, end = found.span()
        begins = _BEGINS.search(text[max(0, start - 12) : start])
        if begins and _CAPTION.match(text, end):
            captions.setdefault(label, []).append(start)
        elif view.words.numbered.match(text, place) and not view.words.not_pointers.match(
            text, start
        ):
            references.append((label, start, end))
    for label, start, end in references:
        known = captions.get(label, [])
        for index in view.holding(start, end):
            at = bisect_right(known, int(view.ends[index])) - 1
            if at < 0 or known[at] < view.starts[index]:
                yield index, start, end


def _announcements(view: View) -> Iterator[tuple[int, int, int]]:
    """Chunks that end in a sentence that something has to follow: chunk, start, end."""
    text, sentences = view.text, view.analysis.sentences
    firsts = np.searchsorted(sentences, view.ends, side="left") - 1
    for index in view.filled.tolist():
        end = int(view.ends[index])
        first = int(firsts[index])
        start = max(int(view.starts[index]), int(sentences[first]) if first >= 0 else 0)
        last = text[end - 1]
        if last in ":：*_" and _ENDS_IN_COLON.search(text, max(start, end - 8), end):
            line = text[max(start, end - 200) : end]
            if not _CODE.search(line) and not view.is_verbatim(end - 1):
                yield index, start, end
        elif view.clean_ends[index] and (found := view.words.announces.search(text, start, end)):
            told = _COLON.search(text, found.end(), end)
            if told is None and not view.words.not_pointers.match(text, found.start(), end):
                yield index, found.start(), found.end()


POINTS_ELSEWHERE = Rule(
    code="C106",
    name="points-elsewhere",
    label="points elsewhere",
    severity=Severity.NOTE,
    why="What it points at is in another chunk, and is not sent along with it.",
    bad="The prices are listed in Table 2.",
    good="The prices are listed in Table 2.\n\nTable 2. Prices a month.",
    find=_points_elsewhere,
    thresholds={"reach": 1000},
)


def _condition_alone(view: View, _limits: Thresholds) -> Hits:
    rows = {}
    words, text, sentences = view.words, view.text, view.analysis.sentences
    for index, (at, end) in view.leading.items():
        if view.clean_starts[index] and (found := _follows(view, index, at, end)):
            rows[index] = found
    for index in np.flatnonzero(~view.clean_starts | ~view.clean_ends).tolist():
        start, end = int(view.starts[index]), int(view.ends[index])
        if start >= end:
            continue
        if index not in rows and not view.clean_starts[index]:
            at = int(np.searchsorted(sentences, start, side="right")) - 1
            if at >= 0 and _is_consequence(view, int(sentences[at]), start):
                rows[index] = Span(start, view.sentence_end(start, end))
        if index not in rows and not view.clean_ends[index]:
            at = int(np.searchsorted(sentences, end, side="left")) - 1
            first = int(sentences[at]) if at >= 0 else 0
            if first >= start and _is_condition(view, first, end):
                rows[index] = Span(first, end)
    for index in np.flatnonzero(view.clean_ends).tolist():
        end = int(view.ends[index])
        if end > view.starts[index] and text[end - 1] in ":：":
            at = int(np.searchsorted(sentences, end, side="left")) - 1
            first = max(int(sentences[at]) if at >= 0 else 0, int(view.starts[index]))
            start = words.after_marks(text, first, end)
            if index not in rows and words.conditions.match(text, start, end):
                rows[index] = Span(start, end)
    return _rows((index, found.start, found.end) for index, found in rows.items())


def _is_condition(view: View, start: int, end: int) -> bool:
    """Whether part of a sentence, from its start, is a condition and no more."""
    words, text = view.words, view.text
    start = words.after_marks(text, start, end)
    if words.condition_ends.search(text, max(start, end - 12), end):
        return True
    if words.conditions.match(text, start, end) is None:
        return False
    comma = _COMMA.search(text, start, end)
    return comma is None or comma.end() == end


def _is_consequence(view: View, start: int, at: int) -> bool:
    """Whether what stands before a place in a sentence is a condition, comma and all."""
    before = view.analysis.trimmed_end(at)
    if before <= start:
        return False
    if _COMMA.match(view.text, before - 1):
        return _is_condition(view, start, before)
    words = view.words
    begun = words.after_marks(view.text, start, before)
    return (
        words.conditions.match(view.text, begun, before) is not None
        and words.consequences.match(view.text, at) is not None
    )


CONDITION_WITHOUT_CONSEQUENCE = Rule(
    code="C107",
    name="condition-without-consequence",
    label="condition parted from its consequence",
    severity=Severity.WARNING,
    why="Half of a rule reads like a whole one: what to do without when, or when without what.",
    bad="If the hub blinks red, | hold the button for ten seconds.",
    good="If the hub blinks red, hold the button for ten seconds.",
    find=_condition_alone,
)
