"""Repairs that add words to `embed_text`; the span and the text stay what they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from chunkwright.chunking.context import context, header_line
from chunkwright.chunking.cut import Cut, Lead
from chunkwright.quality.repair import Repair
from chunkwright.quality.rule import rule
from chunkwright.quality.view import View


def _with_words(cut: Cut, before: Mapping[int, str]) -> Cut:
    """The cut with words put before some chunks, where what is embedded keeps to the size."""
    leads = dict(cut.leads)
    for index, words in before.items():
        old = leads.get(index, Lead(0, ""))
        if old.words.startswith(words):
            continue  # done already
        lead = Lead(old.skip, words + old.words)
        if replace(cut, leads={index: lead}).size_of(index) <= cut.setup.size:
            leads[index] = lead
    return replace(cut, leads=leads) if leads != cut.leads else cut


def repeat_table_head(cut: Cut) -> Cut:
    """Put the head of a table before a chunk that starts below it."""
    found = rule("S201").hits([View(cut)], {})[0]
    heads = context(cut.analysis, replace(cut.setup, headers=False), cut.unit, tables=True)
    starts = cut.spans.starts
    return _with_words(
        cut, {index: heads.at(int(starts[index])) for index in found.chunks.tolist()}
    )


REPEAT_TABLE_HEAD = Repair(
    name="repeat_table_head",
    summary="puts the head of a table before rows that were cut off from it",
    mends=("S201",),
    apply=repeat_table_head,
    safe=True,
)


def add_header(cut: Cut) -> Cut:
    """Put the title and the section's headings before chunks that have no contextual header."""
    if cut.setup.headers:
        return cut
    starts = cut.spans.starts.tolist()
    lines = {index: header_line(cut.analysis, start) for index, start in enumerate(starts)}
    return _with_words(cut, {index: line for index, line in lines.items() if line})


ADD_HEADER = Repair(
    name="add_header",
    summary="puts the title and the headings over a chunk before it",
    mends=("C104",),
    apply=add_header,
)
