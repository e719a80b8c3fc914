"""The three warnings of the seeds: very short, starts mid-sentence, starts with a pronoun."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from chunkwright.chunking.cut import Cut
from chunkwright.model import Chunk
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


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect at a span.

    Attributes:
        label: One of `LABELS`.
        document_id: Where.
        index: Which of the document's chunks.
        start: First code point of the chunk.
        end: One past its last.
        message: One line that quotes the text.
    """

    label: str
    document_id: str
    index: int
    start: int
    end: int
    message: str


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
    return warnings(result.analysis, result.spans, result.leads)


def check(chunks: Iterable[Chunk]) -> list[Finding]:
    """The findings on chunks, in their order.

    >>> from chunkwright.chunking.dress import chunk
    >>> from chunkwright.model import Document
    >>> [found.label for found in check(chunk(Document("a.txt", "It also blinks. "), "fixed:99c"))]
    ['very short', 'starts with a pronoun']
    """
    findings: list[Finding] = []
    for _, group in groupby(chunks, key=lambda chunk: id(chunk.document)):
        several = list(group)
        document = several[0].document
        spans = Spans.of([(chunk.start, chunk.end) for chunk in several])
        named = [
            at for at, chunk in enumerate(several) if not chunk.embed_text.endswith(chunk.text)
        ]
        table = warnings(Analysis(document), spans, named)
        for at, column in zip(*np.nonzero(table), strict=True):
            chunk = several[at]
            quote = " ".join(chunk.text.split())
            shown = quote if len(quote) <= 40 else f"{quote[:39]}…"
            findings.append(
                Finding(
                    label=LABELS[column],
                    document_id=document.id,
                    index=chunk.index,
                    start=chunk.start,
                    end=chunk.end,
                    message=f"{document.id}:{chunk.first_line}: {LABELS[column]}: {shown!r}",
                )
            )
    return findings
