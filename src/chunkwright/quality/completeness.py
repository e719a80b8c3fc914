"""Rules of completeness that the structure decides: is a chunk all of what it is a part of?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import regex

from chunkwright.quality.rule import Hits, Rule, Severity, Thresholds
from chunkwright.quality.view import Mask, View

_WORD = regex.compile(r"[^\W_]")
# What a line of a list begins with.
_ITEM = regex.compile(r"[ \t>]*(?:[-*+•◦▪–]|\(?(?:\d{1,3}|[A-Za-z])[.)])[ \t]+(?=[^\s|])")
_LEADS_IN = regex.compile(r"[:：][*_]*\s*\Z")
_LINE = regex.compile(r"[^\n]*")
_QUESTION = regex.compile(r"[\w\p{M}\"”»’)\]*_` ][?？؟][\"”»’)\]*_]*\Z")
_CALL = regex.compile(r"\(\)\?\Z")
# "Q:", or the name of who speaks.
_LABEL = regex.compile(r"[\W_]*(?:[\w\p{M}][\w\p{M} .'’()-]{0,60}[:：])?[\s*_]*")
_SPEAKER = regex.compile(r"\s*[\w\p{M}][\w\p{M} .'’()-]{0,60}[:：]\s")
# Most characters that stand before an item in its line.
_LONGEST_MARK = 200
# Lines that an item may go on for without an indent.
_LONGEST_ITEM = 20
# Roughly the fewest characters to a token, and the most to a word: what to count at all.
_WIDEST = 12


def _orphan(view: View, limits: Thresholds) -> Hits:
    sizes = view.ends - view.starts
    found = (sizes < limits["characters"]) | view.hollow
    for index in np.flatnonzero(~found & _may_be_leftover(view, limits["share"])).tolist():
        start, end = int(view.starts[index]), int(view.ends[index])
        size = view.cut.unit.size(start, end, "")
        found[index] = size < limits["share"] * view.cut.setup.size
    chunks = np.flatnonzero(found)
    # What shows nothing has no visible start.
    spans, shown = view.cut.spans, view.ends[chunks] > view.starts[chunks]
    starts = np.where(shown, view.starts[chunks], spans.starts[chunks])
    ends = np.where(shown, view.ends[chunks], spans.ends[chunks])
    return Hits(chunks, starts, ends)


def _may_be_leftover(view: View, share: float) -> Mask:
    """Chunks so short that they may be under a share of the size, and parts of a longer section."""
    setup = view.cut.setup
    if setup.unit == "sentences" or not share:
        return np.zeros(len(view), np.bool_)
    widest = share * setup.size * (1 if setup.unit == "characters" else _WIDEST)
    short = view.ends - view.starts < widest
    sections = view.sections
    alone = np.ones(len(view), np.bool_)
    alone[1:] &= sections[1:] != sections[:-1]
    alone[:-1] &= sections[1:] != sections[:-1]
    return short & ~alone


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
    thresholds={"characters": 20, "share": 0.05},
)


def _starts_mid_sentence(view: View, _limits: Thresholds) -> Hits:
    chunks = np.flatnonzero(~view.clean_starts & ~view.hollow)
    return Hits(chunks, view.starts[chunks], view.ends[chunks])


STARTS_MID_SENTENCE = Rule(
    code="C102",
    name="starts-mid-sentence",
    label="starts mid-sentence",
    severity=Severity.ERROR,
    why="The fact is cut in two, and neither half answers the question.",
    bad="Plus costs | $3.99 a month.",
    good="Plus costs $3.99 a month.",
    find=_starts_mid_sentence,
    repair="move_to_sentence",
    safe=True,
)


def _ends_mid_sentence(view: View, _limits: Thresholds) -> Hits:
    chunks = np.flatnonzero(~view.clean_ends & ~view.hollow)
    ends = view.ends[chunks]
    sentences = view.analysis.sentences
    first = np.searchsorted(sentences, ends, side="left") - 1
    begun = sentences[np.maximum(first, 0)] if len(sentences) else ends
    return Hits(chunks, np.maximum(view.starts[chunks], np.where(first >= 0, begun, 0)), ends)


ENDS_MID_SENTENCE = Rule(
    code="C103",
    name="ends-mid-sentence",
    label="ends mid-sentence",
    severity=Severity.WARNING,
    why="What the sentence says of its subject is in the next chunk.",
    bad="Plus costs | $3.99 a month.",
    good="Plus costs $3.99 a month. | It adds reports.",
    find=_ends_mid_sentence,
    repair="move_to_sentence",
    safe=True,
)


def _item_alone(view: View, _limits: Thresholds) -> Hits:
    rows = []
    known: dict[tuple[int, int], bool] = {}
    for index in view.filled.tolist():
        item = _first_item(view, index)
        if item is not None and _has_lead_in(view, item, known):
            rows.append((index, item, view.sentence_end(item, int(view.ends[index]))))
    found = np.array(rows, np.int64).reshape(-1, 3)
    return Hits(found[:, 0], found[:, 1], found[:, 2])


def _first_item(view: View, index: int) -> int | None:
    """The list item that a chunk starts with, or the next one if it starts inside of one."""
    text, start, end = view.text, int(view.starts[index]), int(view.ends[index])
    line = view.line_start(start)
    if start - line < _LONGEST_MARK and text[line:start].strip(" \t>") == "":
        return start if _ITEM.match(text, line) and not view.is_verbatim(start) else None
    # Inside a line: an item goes on to its next one, with nothing in between.
    if not _ITEM.match(text, line) or view.is_verbatim(start):
        return None
    following = text.find("\n", start, end)
    if following < 0:
        return None
    item = view.analysis.next_visible(following)
    below = view.line_start(item)
    return item if item < end and _ITEM.match(text, below) else None


def _has_lead_in(view: View, item: int, known: dict[tuple[int, int], bool]) -> bool:
    """Whether the lines above a list item lead in to its list.

    `known` holds the answers for lines with an indent, so that a long list is gone through once.
    """
    text = view.text
    low = text.rfind("\n", 0, item) + 1
    indent = item - low
    passed: list[tuple[int, int]] = []
    answer = False
    while low > 0:
        if (low, indent) in known:
            answer = known[low, indent]
            break
        passed.append((low, indent))
        above = text.rfind("\n", 0, low - 1) + 1
        line = text[above : low - 1]
        low = above
        depth = len(line) - len(line.lstrip(" \t>"))
        if not line.strip():
            continue
        if _ITEM.match(line):
            if depth < indent:
                if _LEADS_IN.search(line):
                    answer = True
                    break
                indent = depth
        # A line that is as deep as the items goes on with one.
        elif depth <= indent and not (depth == indent > 0) and not _goes_on_from_item(text, above):
            answer = _introduces(view, above, line.rstrip())
            break
    known.update(dict.fromkeys(passed, answer))
    return answer


def _introduces(view: View, low: int, line: str) -> bool:
    """Whether a line says that something follows it."""
    if _LEADS_IN.search(line):
        return True
    sentences, end = view.analysis.sentences, low + len(line)
    at = int(np.searchsorted(sentences, end, side="left")) - 1
    last = int(sentences[at]) if at >= 0 else 0
    return view.words.announces.search(view.text, last, end) is not None


def _goes_on_from_item(text: str, low: int) -> bool:
    """Whether a line goes on without an indent from a list item right above it."""
    for _ in range(_LONGEST_ITEM):
        above = text.rfind("\n", 0, max(low - 1, 0)) + 1
        line = text[above : max(low - 1, 0)]
        if not line.strip():
            return False
        if _ITEM.match(line):
            return True
        low = above
    return False


ITEM_WITHOUT_LEAD_IN = Rule(
    code="C108",
    name="item-without-lead-in",
    label="list item without its lead-in",
    severity=Severity.WARNING,
    why="The lead-in says what the items are: without it they are words in a row.",
    bad="The box holds:\n\n- a hub,\n | - two lamps with bulbs,\n- a cord.",
    good="The box holds:\n\n- a hub,\n- two lamps,\n- a cord.",
    find=_item_alone,
)


def _heading_alone(view: View, _limits: Thresholds) -> Hits:
    rows = []
    analysis, total = view.analysis, len(view.text)
    sections = analysis.sections
    if not any(section.level for section in sections):
        return Hits()
    last = np.searchsorted(analysis.section_starts, view.ends, side="left") - 1
    for index in view.filled.tolist():
        at = int(last[index])
        section = sections[max(at, 0)]
        start, end = int(view.starts[index]), int(view.ends[index])
        if at < 0 or not section.level or end > analysis.trimmed_end(section.body):
            continue
        if start < section.start and view.after[index] >= total:
            continue  # nothing was under it to begin with
        rows.append((index, max(start, section.start), end))
    found = np.array(rows, np.int64).reshape(-1, 3)
    return Hits(found[:, 0], found[:, 1], found[:, 2])


HEADING_ALONE = Rule(
    code="C109",
    name="heading-alone",
    label="heading without its text",
    severity=Severity.WARNING,
    why="A heading matches the question best and answers nothing; its text is elsewhere.",
    bad="# Lamp\n\nIt blinks.\n\n## Reset of the lamp\n\n | Hold the button.",
    good="# Lamp\n\nIt blinks.\n\n | ## Reset of the lamp\n\nHold the button.",
    find=_heading_alone,
)


def _question_alone(view: View, _limits: Thresholds) -> Hits:
    rows = list(_questions(view))
    found = np.array(rows, np.int64).reshape(-1, 3)
    return Hits(found[:, 0], found[:, 1], found[:, 2])


def _questions(view: View) -> Iterator[tuple[int, int, int]]:
    text, sentences, total = view.text, view.analysis.sentences, len(view.text)
    for index in np.flatnonzero(view.clean_ends & ~view.hollow).tolist():
        start, end = int(view.starts[index]), int(view.ends[index])
        after = int(view.after[index])
        if after >= total or not _QUESTION.search(text, max(start, end - 8), end):
            continue
        if _CALL.search(text, max(start, end - 4), end) or view.is_verbatim(end - 1):
            continue
        first = max(0, int(np.searchsorted(sentences, end, side="left")) - 1)
        asked = int(sentences[first])
        if _asks(view, asked, end, after):
            yield index, max(asked, start), end


def _asks(view: View, asked: int, end: int, after: int) -> bool:
    """Whether a question stands for itself, so that what comes after it is its answer."""
    text, analysis = view.text, view.analysis
    section = analysis.section_at(asked)
    heading = bool(section.level) and end <= section.body
    answer = view.sentence_end(after, len(text))
    if _QUESTION.search(text, max(after, answer - 8), answer):
        return False  # a list of questions
    if heading:
        return after < section.end
    if analysis.section_at(after).start > asked:
        return False
    line = view.line_start(asked)
    begun = view.is_block_start(asked) or view.is_block_start(line)
    if begun and _LABEL.fullmatch(text, line, asked):
        return True
    # A turn of a talk ends with a question to whom speaks next.
    turn = _SPEAKER.match(text, line) is not None
    return turn and "\n" in text[end:after] and _SPEAKER.match(text, after) is not None


QUESTION_WITHOUT_ANSWER = Rule(
    code="C110",
    name="question-without-answer",
    label="question without its answer",
    severity=Severity.WARNING,
    why="A question matches the user's question better than its answer does, and answers nothing.",
    bad="How long is the first month?\n\n | The first month of Plus is free.",
    good="How long is the first month?\n\nThe first month of Plus is free.",
    find=_question_alone,
)
