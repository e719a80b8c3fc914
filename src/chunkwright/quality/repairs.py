"""Repairs: orphans are merged, a leading pronoun is replaced by its subject.

Spans stay spans of the source; a replaced pronoun stands in `embed_text` only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

import numpy as np

from chunkwright.chunking.context import header_line
from chunkwright.chunking.cut import Cut, Lead, mended
from chunkwright.chunking.dress import dress
from chunkwright.model import Chunk
from chunkwright.quality.repair import Repair
from chunkwright.quality.rules import SHORTEST
from chunkwright.setup import Setup
from chunkwright.spans import Integers, Spans
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import as_counter

# A pronoun that stands for a thing named before, as the subject of a sentence. "It is" may be
# the weather and "This lamp" names its noun, so only plain verbs follow.
_SUBJECT = re.compile(
    r"(It|This|That|They)(?= (?:also|has|have|adds?|comes?|costs?|works?|needs?|takes?|supports?"
    r"|includes?|offers?|runs?|uses?|gives?|sends?|shows?|starts?|stops?|lets?|can|will|does|do"
    r"|must|may|should)\b)"
)
# Wide enough for chunks that some other tool made.
_NO_LIMIT = "recursive:1000000000c"


def merge_orphans(result: Cut) -> Cut:
    """Merge a very short chunk into the one before it, or after it, of the same section.

    Only where the two together keep to the size.
    """
    analysis, setup = result.analysis, result.setup

    def joins(first: tuple[int, int], second: tuple[int, int]) -> bool:
        if analysis.section_at(first[0]).start != analysis.section_at(second[0]).start:
            return False
        low, high = first[0], second[1]
        if setup.strip and _any_inside(analysis.payload_walls, first[1], high):
            return False
        if np.searchsorted(result.walls, low, "right") != np.searchsorted(result.walls, high):
            return False
        prefix = result.context.at(low)
        return result.unit.size(low, high, prefix) <= setup.size

    # A joined pair may count fewer tokens than its parts, and so have room for more: go on until
    # nothing changes.
    spans = result.spans.pairs()
    while True:
        merged: list[tuple[int, int]] = []
        for span in spans:
            previous = merged[-1] if merged else None
            short = _is_short(analysis, span)
            if previous and (short or _is_short(analysis, previous)) and joins(previous, span):
                merged[-1] = (previous[0], span[1])
            else:
                merged.append(span)
        if len(merged) == len(spans):
            break
        spans = merged
    return replace(result, spans=Spans.of(merged), leads={})


MERGE_ORPHANS = Repair(
    name="merge_orphans",
    summary="merges a very short chunk into its neighbour of the same section",
    mends=("C101",),
    apply=merge_orphans,
    safe=True,
    default=True,
)


def _is_short(analysis: Analysis, span: tuple[int, int]) -> bool:
    return len(analysis.text[span[0] : span[1]].strip()) < SHORTEST


def name_the_subject(result: Cut) -> Cut:
    """Replace a leading pronoun by the title over the chunk, in embed_text.

    Only where what is embedded keeps to the size.
    """
    analysis, setup = result.analysis, result.setup
    leads: dict[int, Lead] = {}
    for index, (start, end) in enumerate(result.spans.pairs()):
        found = _SUBJECT.match(analysis.text, start, end)
        path = analysis.section_at(start).path
        subject = path[-1] if path else analysis.title
        if found is None or not subject:
            continue
        lead = Lead(found.end() - start, subject)
        named = replace(result, leads={index: lead})
        if named.size_of(index) <= setup.size:
            leads[index] = lead
    return replace(result, leads=leads)


NAME_THE_SUBJECT = Repair(
    name="name_the_subject",
    summary="replaces a leading pronoun by what it stands for, in embed_text only",
    mends=("C104",),
    apply=name_the_subject,
    default=True,
)


def repair(chunks: Iterable[Chunk], setup: Setup | str | None = None) -> list[Chunk]:
    """Mended copies of chunks; spans stay exact.

    Args:
        chunks: Chunks of one or more documents, each document's together.
        setup: What they were cut by, whose size is kept to; without it there is no limit.

    >>> from chunkwright.chunking.dress import chunk
    >>> from chunkwright.model import Document
    >>> plus = Document("plus.txt", "It also adds energy reports.", title="Brightgrid Plus")
    >>> repair(chunk(plus, "sentence:1s"))[0].embed_text
    'Brightgrid Plus also adds energy reports.'
    """
    chosen = Setup.parse(setup) if isinstance(setup, str) else setup
    repaired: list[Chunk] = []
    for _, group in groupby(chunks, key=lambda chunk: id(chunk.document)):
        several = list(group)
        analysis = Analysis(several[0].document)
        limits = chosen or replace(
            Setup.parse(_NO_LIMIT),
            headers=any(_has_header(analysis, chunk) for chunk in several),
            parents="section" if any(chunk.parent for chunk in several) else "",
        )
        # A parent starts where the first of its chunks says it does.
        parents = sorted({chunk.parent.start for chunk in several if chunk.parent})
        spans = Spans.of([(chunk.start, chunk.end) for chunk in several])
        walls = np.array(parents[1:], np.int64)
        made = Cut(analysis, limits, as_counter(limits.tokens), spans, walls)
        repaired.extend(dress(mended(made)))
    return repaired


def _any_inside(positions: Integers, low: int, high: int) -> bool:
    return bool(np.searchsorted(positions, low) < np.searchsorted(positions, high))


def _has_header(analysis: Analysis, chunk: Chunk) -> bool:
    line = header_line(analysis, chunk.start)
    return bool(line) and chunk.embed_text.startswith(line)
