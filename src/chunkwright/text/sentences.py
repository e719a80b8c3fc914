"""Sentence starts, clause starts, and the quick stops that `recursive` cuts at.

Sentence boundaries come from sentencex, mended where it is known to go wrong: a list number is
not a sentence, and an unclosed quote or bracket does not swallow the rest of a paragraph.
"""

from __future__ import annotations

import re

import numpy as np
import sentencex

from chunkwright.spans import Integers, merged
from chunkwright.text.characters import CodePoints, Runs

# A paragraph is segmented by itself, many small ones together: the cost stays flat.
_BLOCK = 1 << 15
# A longer "sentence" that holds stops is taken as an unclosed quote or bracket.
_LONGEST = 600
_STOPS = ".!?…。！？．।॥؟۔።"
_CLOSERS = "\"'”’»›)]}*_」』）】"
_LIST_NUMBER = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxlc]{1,5})[.)]\s*", re.ASCII)
# Stops in scripts that write no space after them.
_WIDE_MARKS = "。！？．，；：、"
_WIDE_STOP = re.compile(rf"[。！？．](?:[{re.escape(_CLOSERS)}。！？．])*")
_WIDE_CLAUSE = re.compile(r"[，；：、]")
_STOP = re.compile(rf"[{re.escape(_STOPS)}][{re.escape(_CLOSERS)}]*(?=\s)")
_CLAUSE = ",;:—–"
_ABBREVIATIONS = frozenset(
    """mr mrs ms dr prof sr jr st vs etc e.g i.e al cf no nos fig figs eq eqs sec vol vols pp ed
    eds inc ltd co corp dept univ approx ca resp gen col sgt capt lt rev hon gov sen rep jan feb
    mar apr jun jul aug sep sept oct nov dec ph.d u.s u.k a.m p.m z.b d.h bzw usw vgl nr str
    ref refs chap ch sp spp var""".split()
)


def _ends_abbreviated(text: str, start: int, stop: int) -> bool:
    """Whether the full stop at `stop` belongs to an abbreviation or an initial."""
    if text[stop] != ".":
        return False
    word = text[max(start, stop - 12) : stop].rpartition(" ")[2].lstrip("([\"'“‘*_")
    if len(word) == 1 and word.isalpha() and word.isupper():
        return True
    return word.lower() in _ABBREVIATIONS


def _split_long(text: str, start: int, end: int) -> list[int]:
    """Starts of the sentences inside an overlong stretch, from its stops alone."""
    starts = []
    for found in _STOP.finditer(text, start, end):
        after = found.end()
        while after < end and text[after].isspace():
            after += 1
        if after >= end or _ends_abbreviated(text, start, found.start()):
            continue
        if not (text[after].islower() and text[found.start()] == "."):
            starts.append(after)
    return starts


def _segment(text: str, start: int, end: int, language: str) -> list[int]:
    """Sentence starts inside `text[start:end]`, which begins and ends with a visible character."""
    starts = [start]
    piece = text[start:end]
    at = 0
    for boundary in sentencex.get_sentence_boundaries(language, piece):
        low, high = boundary["start_index"], boundary["end_index"]
        while low < high and piece[low].isspace():
            low += 1
        if low >= high:
            continue
        if start + low > starts[-1]:
            # A list number alone is the head of what follows it.
            if not _LIST_NUMBER.fullmatch(piece, at, low):
                starts.append(start + low)
            at = low
    return starts


def sentence_starts(text: str, runs: Runs, paragraphs: Integers, language: str) -> Integers:
    """Where sentences start: positions of visible characters, ascending, the first included.

    White space after a sentence belongs to it. A paragraph always starts a sentence.

    >>> from chunkwright.text.characters import code_points, kinds
    >>> from chunkwright.text.characters import runs as visible
    >>> text = "See no. 7 first. 1. Then no. 8."
    >>> none = np.empty(0, np.int64)
    >>> sentence_starts(text, visible(kinds(code_points(text))), none, "en").tolist()
    [0, 17]
    """
    if not len(runs.starts):
        return np.empty(0, np.int64)
    first, last = int(runs.starts[0]), int(runs.ends[-1])
    edges = np.r_[first, paragraphs, last]
    starts: list[int] = []
    low = first
    for edge in edges[1:].tolist():
        if edge - low < _BLOCK and edge < last:
            continue
        starts.extend(_segment(text, low, edge, language))
        low = edge
    found = merged(np.array([first, *starts], np.int64), paragraphs)
    lengths = np.diff(np.r_[found, last])
    extra: list[int] = []
    for index in np.flatnonzero(lengths > _LONGEST).tolist():
        begin = int(found[index])
        extra.extend(_split_long(text, begin, begin + int(lengths[index])))
    return merged(found, np.array(extra, np.int64)) if extra else found


def clause_starts(text: str, points: CodePoints, runs: Runs) -> Integers:
    """Where clauses start: the first visible character after a comma, semicolon or dash.

    >>> from chunkwright.text.characters import code_points, kinds
    >>> from chunkwright.text.characters import runs as visible
    >>> points = code_points("one, two; 3,5")
    >>> clause_starts("one, two; 3,5", points, visible(kinds(points))).tolist()
    [5, 10]
    """
    return _after_runs_that_end_in(_CLAUSE, _WIDE_CLAUSE, text, points, runs)


def stop_starts(text: str, points: CodePoints, runs: Runs) -> Integers:
    """Where a sentence may start by its stop alone: quick, and good enough to pick from.

    Use `is_sentence_start` on the few positions that matter.

    >>> from chunkwright.text.characters import code_points, kinds
    >>> from chunkwright.text.characters import runs as visible
    >>> points = code_points("Go. Stay? Mr. X")
    >>> stop_starts("Go. Stay? Mr. X", points, visible(kinds(points))).tolist()
    [4, 10, 14]
    """
    return _after_runs_that_end_in(_STOPS + _CLOSERS, _WIDE_STOP, text, points, runs)


def _after_runs_that_end_in(
    marks: str, wide: re.Pattern[str], text: str, points: CodePoints, runs: Runs
) -> Integers:
    """Starts of the runs after one that ends in a mark, and of what follows a wide mark."""
    if not len(runs.starts):
        return np.empty(0, np.int64)
    last = points[runs.ends[:-1] - 1]
    table = np.zeros(0x10000, np.bool_)
    table[[ord(mark) for mark in marks]] = True
    ended = table[last] if last.dtype != np.uint32 else table[np.minimum(last, 0xFFFF)]
    starts = runs.starts[1:][ended]
    if text.isascii() or not any(mark in text for mark in _WIDE_MARKS):
        return starts
    after = [found.end() for found in wide.finditer(text)]
    inside = [at for at in after if at < len(text) and not text[at].isspace()]
    return merged(starts, np.array(inside, np.int64))


def is_sentence_start(text: str, position: int) -> bool:
    """Whether the stop before `position` ends a sentence, judged by what stands around it.

    >>> is_sentence_start("See Mr. Fox", 8), is_sentence_start("See it. Go", 8)
    (False, True)
    """
    before = position
    while before > 0 and text[before - 1].isspace():
        before -= 1
    stop = before - 1
    while stop > 0 and text[stop] in _CLOSERS:
        stop -= 1
    if stop < 0 or text[stop] not in _STOPS:
        return False
    if text[stop] == "." and text[position].islower():
        return False
    if _ends_abbreviated(text, 0, stop):
        return False
    line = max(text.rfind("\n", 0, stop), text.rfind(". ", 0, stop) + 1, stop - 8)
    return not _LIST_NUMBER.fullmatch(text[line + 1 : position].lstrip())
