"""Finished chunks: what is wrong with them, and mended copies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, takewhile

import numpy as np

from chunkwright.chunking.context import header_line
from chunkwright.chunking.cut import Cut, Lead, mended
from chunkwright.chunking.dress import dress
from chunkwright.model import Chunk
from chunkwright.quality.checker import findings_by_document
from chunkwright.quality.repair import repair_of
from chunkwright.quality.repair import repairs as all_repairs
from chunkwright.quality.rule import Finding
from chunkwright.quality.settings import Settings
from chunkwright.setup import Setup
from chunkwright.spans import Spans
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import as_counter

# The first puts the heads of tables before their rows, the other none.
_UNKNOWN = ("recursive:{}c", "fixed:{}c")
# Wide enough for any chunk.
_NO_LIMIT = 10**9


def check(
    chunks: Iterable[Chunk], setup: Setup | str | None = None, settings: Settings | None = None
) -> list[Finding]:
    """The findings on chunks, by document, chunk, then code.

    Args:
        chunks: Chunks of one or more documents, each document's together and in their order.
        setup: What they were cut by; without it, the largest of them is what a chunk may be.
        settings: Which rules, and how strict.

    Raises:
        RuleError: A rule that the settings name does not exist.

    >>> from chunkwright.chunking.dress import chunk
    >>> from chunkwright.model import Document
    >>> plus = Document("plus.txt", "Plus costs four euros a month. It also adds energy reports.")
    >>> [found.message for found in check(chunk(plus, "sentence:1s"))]
    ["starts with a pronoun: 'It also adds energy reports.'"]
    """
    groups = [list(group) for group in _by_document(chunks)]
    largest = max((len(chunk.embed_text) for group in groups for chunk in group), default=1)
    cuts = [_cut_of(group, setup, largest) for group in groups]
    return [
        replace(each, index=group[each.index].index)
        for group, found in zip(groups, findings_by_document(cuts, settings), strict=True)
        for each in found
    ]


def repair(
    chunks: Iterable[Chunk],
    setup: Setup | str | None = None,
    repairs: Sequence[str] | None = None,
) -> list[Chunk]:
    """Mended copies of chunks; spans stay exact.

    Args:
        chunks: Chunks of one or more documents, each document's together.
        setup: What they were cut by, whose size is kept to; without it there is no limit.
        repairs: Names of repairs, done in their registered order; by default those that the option
            `repair` of a setup does.

    Raises:
        RuleError: There is no such repair.

    >>> from chunkwright.chunking.dress import chunk
    >>> from chunkwright.model import Document
    >>> text = "Plus costs four euros a month. It also adds energy reports."
    >>> plus = Document("plus.txt", text, title="Brightgrid Plus")
    >>> repair(chunk(plus, "sentence:1s"), repairs=["name_the_subject"])[1].embed_text
    'Brightgrid Plus also adds energy reports.'
    """
    names = None if repairs is None else {repair_of(name).name for name in repairs}
    wanted = None if names is None else [each for each in all_repairs() if each.name in names]
    return [
        chunk
        for group in _by_document(chunks)
        for chunk in dress(mended(_cut_of(list(group), setup, _NO_LIMIT), wanted))
    ]


def _by_document(chunks: Iterable[Chunk]) -> Iterator[Iterator[Chunk]]:
    return (group for _, group in groupby(chunks, key=lambda chunk: id(chunk.document)))


def _cut_of(chunks: Sequence[Chunk], setup: Setup | str | None, size: int) -> Cut:
    """The chunks of one document as arrays, with what was added to their texts."""
    analysis = Analysis(chunks[0].document)
    if setup is not None:
        chosen = Setup.parse(setup) if isinstance(setup, str) else setup
        return _with_leads(_placed(analysis, chunks, chosen), chunks)
    heads, bare = (
        replace(
            Setup.parse(notation.format(max(1, size))),
            headers=any(_has_header(analysis, chunk) for chunk in chunks),
            parents="section" if any(chunk.parent for chunk in chunks) else "",
        )
        for notation in _UNKNOWN
    )
    cut = _placed(analysis, chunks, heads)
    prefixes = map(cut.prefix, range(len(chunks)))
    known = zip(prefixes, chunks, strict=True)
    if not all(chunk.embed_text.startswith(prefix) for prefix, chunk in known):
        cut = _placed(analysis, chunks, bare)
    return _with_leads(cut, chunks)


def _placed(analysis: Analysis, chunks: Sequence[Chunk], setup: Setup) -> Cut:
    # A parent starts where the first of its chunks says it does.
    parents = sorted({chunk.parent.start for chunk in chunks if chunk.parent})
    spans = Spans.of([(chunk.start, chunk.end) for chunk in chunks])
    walls = np.array(parents[1:], np.int64)
    return Cut(analysis, setup, as_counter(setup.tokens), spans, walls)


def _with_leads(cut: Cut, chunks: Sequence[Chunk]) -> Cut:
    leads = {
        index: _lead_of(cut.prefix(index), chunk)
        for index, chunk in enumerate(chunks)
        if cut.prefix(index) + chunk.text != chunk.embed_text
    }
    return replace(cut, leads=leads)


def _lead_of(prefix: str, chunk: Chunk) -> Lead:
    """What stands in place of a chunk's first words, or before them."""
    pairs = zip(reversed(chunk.embed_text), reversed(chunk.text), strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    words = chunk.embed_text[: len(chunk.embed_text) - same]
    return Lead(len(chunk.text) - same, words.removeprefix(prefix))


def _has_header(analysis: Analysis, chunk: Chunk) -> bool:
    line = header_line(analysis, chunk.start)
    return bool(line) and chunk.embed_text.startswith(line)
