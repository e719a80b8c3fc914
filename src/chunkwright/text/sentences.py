"""Sentence starts, clause starts, and the quick stops that `recursive` cuts at.

Sentence boundaries come from sentencex, mended where it is known to go wrong: a list number is
not a sentence, and an unclosed quote or bracket does not swallow the rest of a paragraph.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import sentencex
from numpy.typing import NDArray

from chunkwright.spans import Integers, merged, without
from chunkwright.text.characters import SPACE, CodePoints, Runs

# Text is segmented in blocks of about this length, between certain starts: sentencex slows down
# on longer ones (32 MB/s at 2 000 characters, 13 at 32 000, 4 on a megabyte without a break).
_BLOCK = 2000
_LONGEST_BLOCK = 8 * _BLOCK
# In a longer "sentence" every stop is looked at by itself: an unclosed quote or bracket, or text
# without capitals, has swallowed several.
_LONGEST = 300
_STOPS = ".!?…。！？．।॥؟۔።"
_CLOSERS = "\"'”’»›)]}*_」』）】"
_LIST_NUMBER = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-z]|x{0,3}(?:ix|iv|v?i{0,3}))[.)]\s*", re.ASCII)
# Stops in scripts that write no space after them.
_WIDE_MARKS = "。！？．，；：、"
_WIDE_STOP = re.compile(rf"[。！？．](?:[{re.escape(_CLOSERS)}。！？．])*")
_WIDE_CLAUSE = re.compile(r"[，；：、]")
_CLAUSE = ",;:—–"
# Words that a full stop belongs to.
_ABBREVIATED = (
    "mr mrs ms dr prof sr jr st vs etc e.g i.e al cf no nos fig figs eq eqs sec vol vols pp ed eds "
    "inc ltd co corp dept univ approx ca resp gen col sgt capt lt rev hon gov sen rep jan feb mar "
    "apr jun jul aug sep sept oct nov dec ph.d u.s u.k a.m p.m z.b d.h bzw usw vgl nr str ref refs "
    "chap ch sp spp var"
)
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())


def _ends_abbreviated(text: str, start: int, stop: int) -> bool:
    """Whether the full stop at `stop` belongs to an abbreviation or an initial."""
    if text[stop] != ".":
        return False
    word = text[max(start, stop - 12) : stop].rpartition(" ")[2].lstrip("([\"'“‘*_")
    if len(word) == 1 and word.isalpha() and word.isupper():
        return True
    return word.lower() in _ABBREVIATIONS


def _boundaries(language: str, text: str) -> list[dict[str, Any]]:
    """What sentencex says; nothing where it breaks down, and then the stops decide alone.

    A breakdown in its compiled part is no ordinary exception.
    """
    try:
        found: list[dict[str, Any]] = sentencex.get_sentence_boundaries(language, text)
    except BaseException as problem:
        if type(problem).__name__ != "PanicException":
            raise
        return []
    return found


def _segment(text: str, start: int, end: int, language: str) -> list[int]:
    """Sentence starts inside `text[start:end]`, its own start left out."""
    starts: list[int] = []
    piece = text[start:end]
    at = 0
    for boundary in _boundaries(language, piece):
        low, high = boundary["start_index"], boundary["end_index"]
        while low < high and piece[low].isspace():
            low += 1
        if not 0 < low < high:
            continue
        # A list number alone is the head of what follows it.
        if not _LIST_NUMBER.fullmatch(piece, at, low) and not _goes_on(piece, low):
            starts.append(start + low)
        at = low
    return starts


def _last_visible(text: str, position: int) -> int:
    """The last visible character before a position, or -1."""
    position -= 1
    while position >= 0 and text[position].isspace():
        position -= 1
    return position


def _goes_on(text: str, position: int) -> bool:
    """Whether a sentence goes on at `position`: after a quote, or after an abbreviation."""
    next_ = text[position]
    lower = next_.islower()
    if not lower and not next_.isdigit():
        return False
    before = _last_visible(text, position)
    if before < 0:
        return False
    if text[before] in _CLOSERS:
        return lower
    return text[before] == "." and _ends_abbreviated(text, 0, before)


def sentence_starts(text: str, runs: Runs, certain: Integers, language: str) -> Integers:
    """Where sentences start: positions of visible characters, ascending, the first included.

    White space after a sentence belongs to it.

    Args:
        text: The text, its white space of one byte each: sentencex slices by bytes beside it.
        runs: Its visible characters.
        certain: Where a sentence starts for certain, such as after a blank line.
        language: ISO 639-1 code.

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
    starts: list[int] = [first]
    low = first
    for edge in [*certain.tolist(), last]:
        if edge - low < _BLOCK and edge < last:
            continue
        while edge - low > _LONGEST_BLOCK:
            # Nothing certain for long: part it at a word, which starts no sentence by itself.
            run = int(np.searchsorted(runs.starts, low + _LONGEST_BLOCK // 2))
            seam = int(runs.starts[run]) if run < len(runs.starts) else edge
            seam = seam if seam < low + _LONGEST_BLOCK else low + _LONGEST_BLOCK // 2
            starts.extend(_segment(text, low, seam, language))
            low = seam
        starts.extend(_segment(text, low, edge, language))
        low = edge
    return merged(np.array(starts, np.int64), certain)


def narrow_space(text: str, points: CodePoints, kinds: NDArray[np.uint8]) -> str:
    r"""The text with every wide white space as a plain one, at the same positions.

    >>> from chunkwright.text.characters import code_points, kinds
    >>> points = code_points("a\u2028b")
    >>> narrow_space("a\u2028b", points, kinds(points))
    'a b'
    """
    if points.dtype == np.uint8 and text.isascii():
        return text
    wide = np.flatnonzero((points > 0x7F) & (kinds & SPACE != 0))
    if not len(wide):
        return text
    edges = [-1, *wide.tolist(), len(text)]
    return " ".join(text[low + 1 : high] for low, high in pairwise(edges))


def seams(text: str, certain: Integers, stops: Integers, *, cased: bool) -> Integers:
    """The certain starts, and in long stretches without one, a start at a stop now and then.

    >>> seams("Go. " * 2000, np.array([4000]), np.array([2000, 2004, 6000]), cased=True).tolist()
    [2000, 4000, 6000]
    """
    extra: list[int] = []
    edges = np.concatenate([[0], certain, [len(text)]])
    for at in np.flatnonzero(np.diff(edges) > 2 * _BLOCK - 1).tolist():
        low, high = int(edges[at]), int(edges[at + 1])
        inside = stops[np.searchsorted(stops, low) : np.searchsorted(stops, high)]
        for stop in inside.tolist():
            if stop - low >= _BLOCK and is_sentence_start(text, stop, cased=cased):
                extra.append(stop)
                low = stop
    return merged(certain, np.array(extra, np.int64))


def missed_starts(
    text: str, sentences: Integers, stops: Integers, end: int, *, cased: bool
) -> Integers:
    """Starts at stops inside sentences: in overlong ones, and where no quote is open.

    >>> found = "As shown (71) . However, he said “Stop. Now.” Then he left."
    >>> missed_starts(found, np.array([0]), np.array([16, 39, 46]), len(found), cased=True).tolist()
    [16, 46]
    """
    fresh = without(stops, sentences)
    inside = np.maximum(np.searchsorted(sentences, fresh, side="right") - 1, 0)
    long = np.diff(np.concatenate([sentences, [end]]))[inside] > _LONGEST
    rows = zip(fresh.tolist(), sentences[inside].tolist(), long.tolist(), strict=True)
    keep = [
        is_sentence_start(text, at, cased=cased) and (overlong or not _open_quote(text[start:at]))
        for at, start, overlong in rows
    ]
    return fresh[np.array(keep, np.bool_)]


def _open_quote(text: str) -> bool:
    return text.count('"') % 2 == 1 or text.count("“") > text.count("”")


def is_cased(text: str, stops: Integers) -> bool:
    """Whether sentences of this text start with capitals, as far as its stops tell.

    >>> is_cased("one. two. three.", np.array([5, 10])), is_cased("One. Two.", np.array([5]))
    (False, True)
    """
    sample = [text[at] for at in stops[:: max(1, len(stops) // 500)].tolist()]
    lower, upper = sum(map(str.islower, sample)), sum(map(str.isupper, sample))
    return upper >= lower


# A break after a line this much shorter than the widest is meant; text is not wrapped there.
_SHORT_LINE = 0.6
# Wider lines are whole paragraphs: no editor or mailer wrapped them.
_WIDEST_WRAP = 130
# Nobody wraps at less.
_NARROWEST_WRAP = 40
_LINE_ENDS = _STOPS + _CLOSERS + ":;|{}，；："
_LIST_STARTS = "-*+•·–|#>‣◦▪●"


def line_sentence_starts(text: str, lines: Integers, runs: Runs) -> Integers:
    r"""The lines that start something new, rather than go on with a wrapped sentence.

    Where lines are wrapped at a width, a line is new if the one before it is short or ends with
    a mark, or if it starts like a list item. Elsewhere every line is.

    >>> from chunkwright.text.characters import code_points, kinds
    >>> from chunkwright.text.characters import runs as visible
    >>> text = "Name\nThis line was wrapped by somebody's editor and\ngoes on here."
    >>> lines = np.array([5, 52])
    >>> line_sentence_starts(text, lines, visible(kinds(code_points(text)))).tolist()
    [5]
    """
    if not len(lines):
        return lines
    before = runs.ends[np.searchsorted(runs.starts, lines) - 1]
    lengths = before - np.concatenate([runs.starts[:1], lines[:-1]])
    width = float(np.percentile(lengths, 90))
    if not _NARROWEST_WRAP <= width <= _WIDEST_WRAP:
        return lines
    short = lengths < _SHORT_LINE * width
    rows = zip(lines.tolist(), before.tolist(), short.tolist(), strict=True)
    keep = [
        brief or text[end - 1] in _LINE_ENDS or text[at] in _LIST_STARTS or text[at].isdigit()
        for at, end, brief in rows
    ]
    return lines[np.array(keep)]


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


def is_sentence_start(text: str, position: int, *, cased: bool = True) -> bool:
    """Whether the stop before `position` ends a sentence, judged by what stands around it.

    Args:
        text: The text.
        position: A visible character after a stop.
        cased: Whether sentences of this text start with capitals.

    >>> is_sentence_start("See Mr. Fox", 8), is_sentence_start("See it. Go", 8)
    (False, True)
    """
    stop = _last_visible(text, position)
    while stop > 0 and text[stop] in _CLOSERS:
        stop -= 1
    if stop < 0 or text[stop] not in _STOPS:
        return False
    if text[stop] == ".":
        if cased and text[position].islower():
            return False
        if _ends_abbreviated(text, 0, stop) or _is_list_number(text, stop):
            return False
    return True


def _is_list_number(text: str, stop: int) -> bool:
    """Whether what ends at `stop` is the number of a list item, at the start of a sentence."""
    start = stop
    while start > 0 and stop - start < 6 and not text[start - 1].isspace():
        start -= 1
    if not _LIST_NUMBER.fullmatch(text, start, stop + 1):
        return False
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    return start == 0 or text[start - 1] in _STOPS + "\r\n"
