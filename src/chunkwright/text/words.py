"""Words, for sizes in words and for counting terms.

A size in words counts runs between white space, as word processors do; in scripts that write
no spaces every character counts as one word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkwright.spans import Integers, merged, without
from chunkwright.text import characters, graphemes
from chunkwright.text.characters import UNSPACED, CodePoints, Runs, code_points, kinds, members

_TERM = r"[\p{L}\p{N}\p{M}_]"


def word_starts(
    points: CodePoints, kinds_: NDArray[np.uint8], runs: Runs, forbidden: Integers
) -> Integers:
    """Where words start, ascending; each word reaches to the next one's start.

    >>> from chunkwright.text.characters import code_points, kinds, runs
    >>> points = code_points("two words 東京")
    >>> word_starts(points, kinds(points), runs(kinds(points)), np.empty(0, np.int64)).tolist()
    [0, 4, 10, 11]
    """
    if points.dtype == np.uint8 or not len(points):
        return runs.starts
    alone = np.flatnonzero(kinds_ & UNSPACED)
    if not len(alone):
        return runs.starts
    allowed = without(merged(alone, alone + 1), forbidden)
    # A start must be visible: keep what lies inside a run.
    run = np.searchsorted(runs.starts, allowed, side="right") - 1
    allowed = allowed[(run >= 0) & (allowed < runs.ends[np.maximum(run, 0)])]
    return merged(runs.starts, allowed)


def count(text: str) -> int:
    """How many words a short text has.

    >>> count("two words 東京")
    4
    """
    if text.isascii():
        return len(text.split())
    points = code_points(text)
    found = kinds(points)
    inside = graphemes.forbidden(text, points, found)
    return len(word_starts(points, found, characters.runs(found), inside))


class Terms(NamedTuple):
    """The terms of a text that retrieval counts: spans and lower-case strings, in order."""

    starts: Integers
    ends: Integers
    strings: list[str]


def terms(text: str) -> Terms:
    """The terms of a text; both ends ascend.

    A term is a run of letters, digits, marks and underscores; where words are not spaced, each
    pair of neighbouring characters is one.

    >>> terms("The Lamp 東京都").strings
    ['the', 'lamp', '東京', '京都']
    """
    points = code_points(text)
    inside = members(points, _TERM)
    group = inside.astype(np.int8)
    if points.dtype != np.uint8:
        # Marks of an unspaced script are in its class already.
        group[(kinds(points) & UNSPACED != 0) & inside] = 2
    edges = np.flatnonzero(np.diff(group, prepend=0, append=0))
    starts, ends = edges[:-1], edges[1:]
    groups = group[starts] if len(starts) else group[:0]
    starts, ends, groups = starts[groups > 0], ends[groups > 0], groups[groups > 0]
    pairs = (groups == 2) & (ends - starts > 1)
    if pairs.any():
        counts = np.where(pairs, ends - starts - 1, 1)
        offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        starts = np.repeat(starts, counts) + offset
        ends = np.where(np.repeat(pairs, counts), starts + 2, np.repeat(ends, counts))
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters grow when lowered; keep positions exact
        strings = [text[a:b].lower() for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    else:
        strings = [lowered[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    return Terms(starts, ends, strings)


class Density(NamedTuple):
    """How much of a text is about a question: words, share that match, and whether all do."""

    words: int
    density: float
    covers: bool


def density(text: str, question_terms: list[str]) -> Density:
    """Share of a text's words that are among the terms of a question.

    Long texts dilute a match, tiny ones lose a term: the measure of the seeds' lesson.

    >>> density("Update the lamp from Device settings.", ["firmware", "update"])
    Density(words=6, density=0.16666666666666666, covers=False)
    """
    words = terms(text).strings
    wanted = {term.lower() for term in question_terms}
    hits = sum(word in wanted for word in words)
    share = hits / len(words) if words else 0.0
    return Density(len(words), share, wanted <= set(words))
