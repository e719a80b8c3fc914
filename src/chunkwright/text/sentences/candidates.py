"""Where sentences and clauses may start, for whole texts at once."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from chunkwright.spans import Integers, merged, without
from chunkwright.text.characters import CodePoints, Runs
from chunkwright.text.sentences.judgement import LONGEST_QUOTE, PAIRS, judged
from chunkwright.text.sentences.marks import (
    BULLETS,
    CLAUSES,
    CLOSERS,
    COLONS,
    EMOJI,
    FIRST_EMOJI,
    FIRST_THAI,
    LAST_EMOJI,
    LAST_THAI,
    STOPS,
    SUPERSCRIPTS,
    TWO_FACED,
    WIDE_CLAUSES,
    WIDE_STOPS,
)
from chunkwright.text.sentences.rules import Rules, rules

_LABEL = re.compile(r"(\d{1,2}|[a-z])(\.\)|\)|\.)", re.ASCII)
_LONGEST_LABEL = 4
# The first letter of a text is looked for so far.
_HEAD = 200
# So many stops tell whether a text has capitals.
_SAMPLES = 150


def _table(marks: str) -> NDArray[np.bool_]:
    table = np.zeros(0x10000, np.bool_)
    table[[ord(mark) for mark in marks]] = True
    return table


def _among(points: CodePoints, table: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return table[np.minimum(points, 0xFFFF)] if points.dtype == np.uint32 else table[points]


_ENDS = _table(STOPS + CLOSERS + TWO_FACED + SUPERSCRIPTS + EMOJI)
_WIDE_ENDS = _table(WIDE_STOPS + "".join(mark for mark in CLOSERS if ord(mark) > 0x7F))
_CLAUSE_ENDS = _table(CLAUSES + "—–")
_WIDE_CLAUSE_ENDS = _table(WIDE_CLAUSES)
_BULLETS = _table(BULLETS)
_PAIRED = _table("".join(opener + closer for opener, closer in PAIRS))
_NARROW_STOPS = _table(".!?")
_FIRST_UNSPACED = 0x2E80
# By the number of a letter; the last one stands for none.
_LETTERS = 26
_VOWELS = np.array([letter in "aeiouy" for letter in "abcdefghijklmnopqrstuvwxyz "])
_NUMERALS = np.array([letter in "ivxlc " for letter in "abcdefghijklmnopqrstuvwxyz "])
_FIRST_WIDE = min(map(ord, WIDE_STOPS + WIDE_CLAUSES))


def sentence_starts(
    text: str,
    points: CodePoints,
    runs: Runs,
    ended: Integers,
    certain: Integers,
) -> Integers:
    """Where sentences start: positions of visible characters, ascending, the first included.

    White space after a sentence belongs to it.

    Args:
        text: The text.
        points: Its code points.
        runs: Its visible characters.
        ended: Where a sentence starts by its stop, by `ended_starts`.
        certain: Where a sentence starts for certain, such as after a blank line.

    >>> from chunkwright.text.characters import code_points, kinds
    >>> from chunkwright.text.characters import runs as visible
    >>> text = "See no. 7 first. 1. Then no. 8."
    >>> points = code_points(text)
    >>> runs = visible(kinds(points))
    >>> ended = ended_starts(text, points, stop_starts(text, points, runs), "en", cased=True)
    >>> sentence_starts(text, points, runs, ended, np.empty(0, np.int64)).tolist()
    [0, 17]
    """
    if not len(runs.starts):
        return np.empty(0, np.int64)
    items, after_labels = _list_items(text, points, runs, certain)
    return merged(runs.starts[:1], without(ended, after_labels), items, certain)


def ended_starts(
    text: str, points: CodePoints, stops: Integers, language: str, *, cased: bool
) -> Integers:
    """The stops at which a sentence ends, as `is_sentence_start` says of each.

    Args:
        text: The text.
        points: Its code points.
        stops: Where a sentence may start, by `stop_starts`.
        language: ISO 639-1 code.
        cased: Whether sentences of this text start with capitals.

    >>> from chunkwright.text.characters import code_points
    >>> text = "See Mr. Fox. Go"
    >>> ended_starts(text, code_points(text), np.array([8, 13]), "en", cased=True).tolist()
    [13]
    """
    if not len(stops):
        return stops
    known = rules(language)
    quoted = _may_be_quoted(text, points, stops)
    found = ~quoted & _ends_plainly(points, stops, known)
    unsure = np.flatnonzero(~found & ~(cased & _goes_on_plainly(points, stops)))
    rows = zip(stops[unsure].tolist(), quoted[unsure].tolist(), strict=True)
    found[unsure] = [judged(text, at, known, cased, enclosed=inside) for at, inside in rows]
    return stops[found]


def _goes_on_plainly(points: CodePoints, stops: Integers) -> NDArray[np.bool_]:
    """For each stop, whether what follows can start no sentence of a text that has capitals.

    It is a small letter, and neither a name such as iPhone nor an address.
    """
    inside = stops < len(points) - 2
    at = stops[inside]
    first = points[at]
    second = points[at + 1]
    address = (first == ord("h")) & (second == ord("t")) | (first == ord("w")) & (
        second == ord("w")
    )
    goes_on = _within(first, "a", "z") & ~address
    for ahead in (1, 2):
        after = points[at + ahead]
        goes_on &= (after < 0x80) & ~_within(after, "A", "Z")
    inside[inside] = goes_on
    return inside


def _ends_plainly(points: CodePoints, stops: Integers, known: Rules) -> NDArray[np.bool_]:
    """For each stop, whether it ends a sentence beyond doubt, as most of them do.

    After it stand a space or a line break or two, and a capital; before it an ordinary word: one
    that is longer than any abbreviation, or stands alone, has a vowel, and is neither listed nor
    a numeral. `judged` says the same of these places, one by one.
    """
    found = np.zeros(len(stops), np.bool_)
    most = known.longest + 1
    if not known.complete or known.endings:
        return found
    rows = np.flatnonzero(stops >= most + len(" x") + len(".\n\n"))
    rows = rows[_within(points[stops[rows]], "A", "Z")]
    at = stops[rows]
    line_ends = points[at - 1] == ord("\n")
    at = at - 1 - (line_ends & (points[at - 2] == ord("\n")))
    plain = ((points[at] == ord(" ")) | (points[at] == ord("\n"))) & (points[at - 1] == ord("."))
    rows, at = rows[plain], at[plain] - 1
    # Letters are numbers from 1 to 26; 0 is no letter, or before one that is none.
    code, length = np.zeros(len(at), np.int64), np.zeros(len(at), np.int64)
    going = np.ones(len(at), np.bool_)
    voiced, numeral = np.zeros(len(at), np.bool_), np.ones(len(at), np.bool_)
    for back in range(1, most + 1):
        letter = (points[at - back] | 0x20) - points.dtype.type(ord("a"))  # wraps around
        going &= letter < _LETTERS
        letter = np.where(going, letter, _LETTERS)
        code = np.where(going, code << 5 | (letter + 1), code)
        length += going
        voiced |= _VOWELS[letter]
        numeral &= _NUMERALS[letter]
    before, last = points[at - length - 1], points[at - length - 2]
    alone = (before == ord(" ")) | (before == ord("\n"))
    alone &= _within(last, "!", "~") & (last != ord("."))
    nearest = np.minimum(np.searchsorted(known.codes, code), len(known.codes) - 1)
    listed = known.codes[nearest] == code
    ordinary = (length > 1) & alone & voiced & ~numeral & ~listed
    found[rows] = (length == most) | ordinary
    return found


def _may_be_quoted(text: str, points: CodePoints, stops: Integers) -> NDArray[np.bool_]:
    """For each stop, whether a quote or bracket that opens before it may not have closed."""
    found = np.zeros(len(stops), np.bool_)
    pairs = [(opener, closer) for opener, closer in PAIRS if opener in text]
    if not pairs:
        return found
    marks = np.flatnonzero(_among(points, _PAIRED))
    which = points[marks]
    nearest = np.maximum(stops - LONGEST_QUOTE, 0)
    for opener, closer in pairs:
        opened = _last_before(marks[which == ord(opener)], stops)
        near = opened >= nearest
        if closer != opener:
            near &= _last_before(marks[which == ord(closer)], stops) < opened
        found |= near
    return found


def _last_before(marks: Integers, positions: Integers) -> Integers:
    """The last of some places before each position, or -1."""
    places = np.concatenate([[-1], marks])
    return places[np.searchsorted(places, positions, side="left") - 1]


def _list_items(
    text: str, points: CodePoints, runs: Runs, certain: Integers
) -> tuple[Integers, Integers]:
    """Where the items of a list start that runs on in one line, and what follows their labels.

    A list starts with 1 or a where a sentence starts or after a colon, and counts on. After a
    colon its items are sentences only if they end like them: not in "two: a) this and b) that".
    """
    last = points[runs.ends - 1]
    rows = np.flatnonzero((last == ord(")")) | (last == ord(".")))
    length = runs.ends[rows] - runs.starts[rows]
    first = points[runs.starts[rows]]
    # A letter, or a number.
    labelled = (length == len("a.")) | ((first >= ord("0")) & (first <= ord("9")))
    rows = rows[labelled & (length <= _LONGEST_LABEL)]
    items: list[int] = []
    after: list[int] = []
    value, style, line, told = 0, "", -1, False
    lines = np.searchsorted(certain, runs.starts[rows], side="right")
    for row, at in zip(rows.tolist(), lines.tolist(), strict=True):
        start, end = int(runs.starts[row]), int(runs.ends[row])
        label = _LABEL.fullmatch(text, start, end)
        if not label:
            continue
        number = int(label[1]) if label[1].isdigit() else ord(label[1]) - ord("a") + 1
        kind = label[2] + str(label[1].isdigit())
        before = text[max(0, int(runs.ends[row - 1]) - 1)] if row else ""
        opens = not before or before in STOPS or before in COLONS
        if number == 1 and (opens or (at and start == certain[at - 1])):
            value, style, line, told = 1, kind, at, bool(before) and before in COLONS
        elif (number, kind, at) == (value + 1, style, line) and before not in ",;:":
            value = number
            if told and before not in STOPS:
                continue
            items.append(start)
            if row + 1 < len(runs.starts):
                after.append(int(runs.starts[row + 1]))
    if points.dtype != np.uint8:
        items += _bullets(points, runs, certain)
    return np.unique(np.array(items, np.int64)), np.array(after, np.int64)


def _bullets(points: CodePoints, runs: Runs, certain: Integers) -> list[int]:
    """The further bullets of lines that start with the same one."""
    rows = np.flatnonzero(_among(points[runs.starts], _BULLETS))
    lines = np.searchsorted(certain, runs.starts[rows], side="right")
    found: list[int] = []
    bullet, line = 0, -1
    for start, at in zip(runs.starts[rows].tolist(), lines.tolist(), strict=True):
        first = int(certain[at - 1]) if at else int(runs.starts[0])
        if start == first:
            bullet, line = points[start], at
        elif (points[start], at) == (bullet, line):
            found.append(start)
    return found


def is_cased(text: str, stops: Integers, language: str = "en") -> bool:
    """Whether sentences of this text start with capitals, as far as its stops tell.

    >>> is_cased("one. two. three.", np.array([5, 10])), is_cased("One. Two.", np.array([5]))
    (False, True)
    """
    known = rules(language)
    first = next(filter(str.isalpha, text[:_HEAD]), "")
    upper, lower = int(first.isupper()), int(first.islower())
    for at in stops[:: max(1, len(stops) // _SAMPLES)].tolist():
        upper += text[at].isupper()
        # A small letter tells where a stop ends a sentence: not after an ellipsis, a closed
        # quote or an abbreviation.
        if text[at].islower() and text[at - 2] in STOPS and text[at - 3 : at - 2] not in STOPS:
            lower += judged(text, at, known, cased=False)
    return upper >= lower


def clause_starts(text: str, points: CodePoints, runs: Runs) -> Integers:
    """Where clauses start: the first visible character after a comma, semicolon or dash.

    >>> from chunkwright.text.characters import code_points, kinds
    >>> from chunkwright.text.characters import runs as visible
    >>> points = code_points("one, two; 3,5")
    >>> clause_starts("one, two; 3,5", points, visible(kinds(points))).tolist()
    [5, 10]
    """
    if not len(runs.starts):
        return np.empty(0, np.int64)
    ended = _among(points[runs.ends[:-1] - 1], _CLAUSE_ENDS)
    starts = runs.starts[1:][ended]
    if points.dtype == np.uint8:
        return starts
    high = np.flatnonzero(points >= _FIRST_WIDE)
    return merged(starts, _after(_WIDE_CLAUSE_ENDS, text, points, high))


def stop_starts(text: str, points: CodePoints, runs: Runs, language: str = "en") -> Integers:
    """Where a sentence may start by its stop alone: quick, and good enough to pick from.

    `ended_starts` judges them.

    >>> from chunkwright.text.characters import code_points, kinds
    >>> from chunkwright.text.characters import runs as visible
    >>> points = code_points("Go. Stay? Mr. X")
    >>> stop_starts("Go. Stay? Mr. X", points, visible(kinds(points))).tolist()
    [4, 10, 14]
    """
    if not len(runs.starts):
        return np.empty(0, np.int64)
    ends = runs.ends[:-1]
    last = points[ends - 1]
    ended = _among(last, _ENDS)
    # A bracket closes around a stop, if at all, right before it.
    closed = np.flatnonzero(ended & (last == ord(")")))
    ended[closed] = _among(points[ends[closed] - 2], _ENDS)
    for mark in rules(language).stops[len(STOPS) :]:
        ended |= last == ord(mark)
    if points.dtype == np.uint8:
        return runs.starts[1:][ended]
    # In most texts few characters are in question for the rest.
    high = np.flatnonzero(points >= _FIRST_WIDE)
    if np.any(_within(points[high], FIRST_THAI, LAST_THAI)):
        # Thai parts sentences by white space alone.
        first = points[runs.starts[1:]]
        ended |= _within(last, FIRST_THAI, LAST_THAI) & _within(first, FIRST_THAI, LAST_THAI)
    ended |= _within(last, FIRST_EMOJI, LAST_EMOJI)
    unspaced = _visible(_in_unspaced(points, high), text)
    return merged(runs.starts[1:][ended], _after(_WIDE_ENDS, text, points, high), unspaced)


def _within(points: CodePoints, low: str, high: str) -> NDArray[np.bool_]:
    return (points >= ord(low)) & (points <= ord(high))


def _in_unspaced(points: CodePoints, high: Integers) -> Integers:
    """In a script without spaces, what follows a narrow stop, or an emoji after any stop."""
    wide = high[points[high] >= _FIRST_UNSPACED]
    after_stop = wide[1:][np.diff(wide) == 2]
    after_stop = after_stop[_among(points[after_stop - 1], _NARROW_STOPS)]
    emoji = _within(points[wide], FIRST_EMOJI, LAST_EMOJI)
    after_emoji = wide[1:][(np.diff(wide) == 1) & emoji[:-1] & ~emoji[1:]]
    return merged(after_stop, after_emoji)


def _after(table: NDArray[np.bool_], text: str, points: CodePoints, high: Integers) -> Integers:
    """The visible characters that follow a mark of a script that needs no space after it."""
    after = high[_among(points[high], table)] + 1
    after = after[after < len(points)]
    return _visible(after[~_among(points[after], table)], text)


def _visible(positions: Integers, text: str) -> Integers:
    return np.array([at for at in positions.tolist() if not text[at].isspace()], np.int64)
