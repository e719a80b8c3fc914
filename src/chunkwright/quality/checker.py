"""Checking: the chosen rules on the chunks of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from chunkwright.chunking.cut import Cut
from chunkwright.quality.rule import Finding, Hits, Rule
from chunkwright.quality.settings import Settings
from chunkwright.quality.view import View

_QUOTE = 40
_WORD = 12


def hits(views: Sequence[View], settings: Settings) -> list[tuple[Rule, list[Hits]]]:
    """What each chosen rule finds in the chunks of each document.

    A rule that does not look at a document has no hits in it.
    """
    wanted = [settings.chosen(view.analysis.document.id) for view in views]
    chosen = {each.code: each for several in wanted for each in several}
    found: list[tuple[Rule, list[Hits]]] = []
    for code, rule in sorted(chosen.items()):
        looked = rule.hits(views, settings.limits(rule))
        found.append(
            (
                rule,
                [
                    each if any(one.code == code for one in several) else Hits()
                    for each, several in zip(looked, wanted, strict=True)
                ],
            )
        )
    return found


def findings(cuts: Iterable[Cut], settings: Settings | None = None) -> Iterator[Finding]:
    """The findings on the chunks of documents: by document, chunk, then code.

    >>> from chunkwright.chunking.cut import cut
    >>> from chunkwright.model import Document
    >>> from chunkwright.setup import Setup
    >>> from chunkwright.text.analysis import Analysis
    >>> plus = Analysis(Document("a.txt", "It also adds energy reports and schedules."))
    >>> found = findings([cut(plus, Setup.parse("fixed:30c"))])
    >>> [(each.code, each.index) for each in found]
    [('C103', 0), ('C101', 1), ('C102', 1)]
    """
    for found in findings_by_document(cuts, settings):
        yield from found


def findings_by_document(
    cuts: Iterable[Cut], settings: Settings | None = None
) -> Iterator[list[Finding]]:
    """The findings on the chunks of each document, by chunk, then code."""
    views = [View(cut) for cut in cuts]
    found = hits(views, settings or Settings())
    for number, view in enumerate(views):
        rows = [
            (int(chunk), rule.code, at, rule, each[number])
            for rule, each in found
            for at, chunk in enumerate(each[number].chunks.tolist())
        ]
        rows.sort(key=lambda row: row[:3])
        yield [_finding(view, rule, where, at, chunk) for chunk, _, at, rule, where in rows]


def _finding(view: View, rule: Rule, where: Hits, at: int, chunk: int) -> Finding:
    start, end = int(where.starts[at]), int(where.ends[at])
    line = int(np.searchsorted(view.analysis.line_starts, start, side="right"))
    # A word alone tells little: what follows it in the chunk is quoted, too.
    reach = end if end - start >= _WORD else max(end, int(view.ends[chunk]))
    quote = " ".join(view.text[start : min(reach, start + 4 * _QUOTE)].split())
    shown = quote if len(quote) <= _QUOTE else f"{quote[: _QUOTE - 1]}…"
    detail = f": {where.details[at]}" if where.details else ""
    return Finding(
        code=rule.code,
        label=rule.label,
        severity=rule.severity,
        document_id=view.analysis.document.id,
        index=chunk,
        start=start,
        end=end,
        line=line,
        message=f"{rule.label}: {shown!r}{detail}",
        repair=rule.repair,
        safe=rule.safe,
    )
