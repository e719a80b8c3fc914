"""Lines that start something new, and lines that an editor wrapped."""

from __future__ import annotations

import numpy as np

from chunkwright.spans import Integers, merged
from chunkwright.text.characters import Runs
from chunkwright.text.sentences.marks import CLOSERS, STOPS

# A break after a line this much shorter than the widest is meant; text is not wrapped there.
_SHORT_LINE = 0.6
# Wider lines are whole paragraphs: no editor or mailer wrapped them.
_WIDEST_WRAP = 130
# Nobody wraps at less.
_NARROWEST_WRAP = 40
_LINE_ENDS = STOPS + CLOSERS + ":;|{}，；："
_LIST_STARTS = "-*+•·–|#>‣◦▪●"


def line_sentence_starts(text: str, lines: Integers, paragraphs: Integers, runs: Runs) -> Integers:
    r"""The lines that start something new, rather than go on with a wrapped sentence.

    Where lines are wrapped at a width, a line is new if the one before it is short or ends with
    a mark, or if it starts like a list item. Elsewhere every line is.

    Args:
        text: The text.
        lines: First visible characters of the lines after one line break, ascending.
        paragraphs: Those of the lines after more than one.
        runs: The text's runs of visible characters.

    >>> from chunkwright.text.characters import code_points, kinds
    >>> from chunkwright.text.characters import runs as visible
    >>> text = "Name\nThis line was wrapped by somebody's editor and\ngoes on here."
    >>> lines, none = np.array([5, 52]), np.array([], np.int64)
    >>> line_sentence_starts(text, lines, none, visible(kinds(code_points(text)))).tolist()
    [5]
    """
    if not len(lines):
        return lines
    before = runs.ends[np.searchsorted(runs.starts, lines) - 1]
    every = merged(runs.starts[:1], lines, paragraphs)
    lengths = before - every[np.searchsorted(every, lines) - 1]
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
