"""The three warnings of the seeds, for whole studies: very short, mid-sentence, a pronoun.

They are the warnings rate. The rules C101, C102 and C104 look closer and say more, at a price that
sixty setups need not pay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from chunkwright.chunking.cut import Cut
from chunkwright.spans import Spans
from chunkwright.text.analysis import Analysis

# The seeds' limit: a leftover such as "a minute." is shorter than this.
SHORTEST = 20
PRONOUN = re.compile(r"(it|this|that|they|these|those|he|she)\b(?!')", re.IGNORECASE)
# Which characters a pronoun may start with, and which may be its second; the last entry is for
# all beyond ASCII, some of which are other cases of a letter.
_LEADS, _SECOND = (
    np.array([chr(point).lower() in letters for point in range(128)] + [True])
    for letters in ("iths", "the")
)
LABELS = ("very short", "starts mid-sentence", "starts with a pronoun")


def warnings(analysis: Analysis, spans: Spans, named: Iterable[int] = ()) -> NDArray[np.bool_]:
    """Which chunks have which of the three warnings. Shape `(chunks, 3)`.

    Args:
        analysis: The document; a chunk starts mid-sentence when its start is no sentence start.
        spans: The chunks.
        named: Chunks whose leading pronoun has been replaced.

    >>> from chunkwright.model import Document
    >>> text = Analysis(Document("a.txt", "Plus costs $3.99 a month. It also adds reports."))
    >>> warnings(text, Spans.of([(0, 25), (26, 47), (29, 47)])).astype(int).tolist()
    [[0, 0, 0], [0, 0, 1], [1, 1, 0]]
    """
    text = analysis.text
    found = np.zeros((len(spans.starts), 3), np.bool_)
    if not len(found):
        return found
    starts = analysis.all_next_visible(spans.starts)
    ends = analysis.all_trimmed_ends(spans.ends)
    found[:, 0] = ends - starts < SHORTEST
    sentences = analysis.sentences
    found[:, 1] = True
    if len(sentences):
        at = np.minimum(np.searchsorted(sentences, starts), len(sentences) - 1)
        found[:, 1] = sentences[at] != starts
    # Few chunks start with two letters that a pronoun starts with.
    points = analysis.points
    likely = _LEADS[np.minimum(points[np.minimum(starts, len(points) - 1)], 128)]
    likely &= starts < len(points) - 1
    likely[likely] = _SECOND[np.minimum(points[starts[likely] + 1], 128)]
    for row in np.flatnonzero(likely).tolist():
        found[row, 2] = PRONOUN.match(text, int(starts[row])) is not None
    found[list(named), 2] = False
    return found


def warnings_of(result: Cut) -> NDArray[np.bool_]:
    """Which chunks of a cut have which of the three warnings. Shape `(chunks, 3)`."""
    named = [index for index, lead in result.leads.items() if lead.skip]
    return warnings(result.analysis, result.spans, named)
