"""Rules of completeness: does a chunk say by itself what it says?"""

from __future__ import annotations

import numpy as np

from chunkwright.quality.rule import Hits, Rule, Severity, Thresholds
from chunkwright.quality.view import Mask, View


def _at_starts(view: View, found: Mask, width: int = 0) -> Hits:
    """Hits at the starts of chunks: `width` characters, or the chunk whole."""
    chunks = np.flatnonzero(found)
    starts, ends = view.starts[chunks], view.ends[chunks]
    return Hits(chunks, starts, np.minimum(ends, starts + width) if width else ends)


def _orphan(view: View, limits: Thresholds) -> Hits:
    sizes = view.ends - view.starts
    return _at_starts(view, sizes < limits["characters"])


ORPHAN = Rule(
    code="C101",
    name="orphan",
    label="very short",
    severity=Severity.WARNING,
    why="A leftover of a word or two matches almost no question, and misleads where it does.",
    bad="Plus costs $3.99 | a month.",
    good="Plus costs $3.99 a month.",
    find=_orphan,
    repair="merge_orphans",
    safe=True,
    thresholds={"characters": 20},
)


def _starts_mid_sentence(view: View, _limits: Thresholds) -> Hits:
    return _at_starts(view, ~view.clean_starts)


STARTS_MID_SENTENCE = Rule(
    code="C102",
    name="starts-mid-sentence",
    label="starts mid-sentence",
    severity=Severity.ERROR,
    why="The fact is cut in two, and neither half answers the question.",
    bad="Plus costs | $3.99 a month.",
    good="Plus costs $3.99 a month.",
    find=_starts_mid_sentence,
)


def _starts_with_pronoun(view: View, _limits: Thresholds) -> Hits:
    pronouns = view.words.pronouns
    found = np.zeros(len(view), np.bool_)
    if pronouns is not None:
        for index in range(len(view)):
            start, end = view.opening(index)
            found[index] = pronouns.match(view.text, start, end) is not None
        found[list(view.cut.leads)] = False
    return _at_starts(view, found)


STARTS_WITH_PRONOUN = Rule(
    code="C104",
    name="starts-with-pronoun",
    label="starts with a pronoun",
    severity=Severity.WARNING,
    why="Read alone, nobody knows what it speaks of, and a search for that name misses it.",
    bad="It also adds energy reports.",
    good="Brightgrid Plus also adds energy reports.",
    find=_starts_with_pronoun,
    repair="name_the_subject",
)
