"""Repairs that add words to `embed_text`; the span and the text stay what they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from chunkwright.chunking.context import context, header_line
from chunkwright.chunking.cut import Cut, Lead
from chunkwright.quality.repair import Repair
from chunkwright.quality.rule import rule
from chunkwright.quality.view import View
from chunkwright.text.analysis import Analysis


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
    default=True,
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


# A pronoun that stands for a thing named before, as the subject of a sentence. "It is" may be
# the weather and "This lamp" names its noun, so only plain verbs follow.
_SUBJECT = re.compile(
    r"(It|This|That|They)(?= (?:also|has|have|adds?|comes?|costs?|works?|needs?|takes?|supports?"
    r"|includes?|offers?|runs?|uses?|gives?|sends?|shows?|starts?|stops?|lets?|can|will|does|do"
    r"|must|may|should)\b)"
)


# The subject of a sentence: a few words before a verb that tells one thing from many.
_NAMES = {
    many: re.compile(
        r"(?!(?:It|This|That|They|These|Those|There|Here|He|She|We|You|I|What|Who|If|When|While|As"
        r"|In|On|At|For|To|With|By|From|After|Before|No|Not|But|And|Or|So)\b)"
        r"((?:[A-Z][\w’'-]*)(?: [\w’'-]+){0,4}?) "
        rf"(?:also )?(?:{verbs})\b"
    )
    for many, verbs in (
        (
            False,
            "is|was|has|does|adds|comes|costs|works|needs|takes|supports|includes|offers|runs|uses"
            "|gives|sends|shows|starts|stops|lets",
        ),
        (True, "are|were|have|do"),
    )
}


_ARTICLE = re.compile(r"(?:The|An?|Our|Your) ")


def _subject_of(analysis: Analysis, start: int, *, many: bool) -> str:
    """What a sentence before a chunk speaks of, or the title over it, if that says more."""
    section = analysis.section_at(start)
    title = section.path[-1] if section.path else analysis.title
    sentences = analysis.sentences
    at = int(sentences.searchsorted(start)) - 1
    if at < 0 or sentences[at] < section.body:
        return title
    found = _NAMES[many].match(analysis.text, int(sentences[at]), start)
    named = found[1] if found else ""
    bare = _ARTICLE.sub("", named)
    known = re.search(rf"\b{re.escape(bare)}\b", title, re.IGNORECASE)
    return named if bare and not known else title


def name_the_subject(result: Cut) -> Cut:
    """Replace a leading pronoun by what it stands for, in embed_text.

    That is the subject of the sentence before, where it is plain, or the title over the chunk. Only
    where what is embedded keeps to the size.
    """
    analysis, setup = result.analysis, result.setup
    leads = dict(result.leads)
    for index, (start, end) in enumerate(result.spans.pairs()):
        if index in leads:
            continue
        found = _SUBJECT.match(analysis.text, start, end)
        if found is None:
            continue
        subject = _subject_of(analysis, start, many=found[1] == "They")
        if not subject:
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
)
