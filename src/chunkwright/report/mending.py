"""What repairs did to chunks: in a line, before and after, and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from chunkwright.quality.mend import Change, Mended
from chunkwright.quality.rule import rule
from chunkwright.report.findings import Report

# What stays the same in a chunk is shown up to so many characters at its ends.
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Mending:
    """Documents after repairs.

    Attributes:
        before: What was found before.
        after: What is found now.
        documents: What was done to each, in the order of the reports.
    """

    before: Report
    after: Report
    documents: tuple[Mended, ...]

    @property
    def changed(self) -> int:
        """How many chunks were changed, made one, or taken away."""
        return sum(len(each.changes) for each in self.documents)

    @property
    def by_repair(self) -> Counter[str]:
        """How many of them by which repair; a chunk that two have changed counts twice."""
        return Counter(
            name for each in self.documents for change in each.changes for name in change.repairs
        )

    @property
    def refused(self) -> Counter[tuple[str, str]]:
        """How many changes of a repair were left out because of a rule."""
        total: Counter[tuple[str, str]] = Counter()
        for each in self.documents:
            total.update(each.refused)
        return total


def summary(mending: Mending, *, done: bool = True) -> str:
    """One line: how many chunks were mended by which repairs, and how many findings went.

    Args:
        mending: What was done.
        done: Whether it was, or only would be.
    """
    before, after = len(mending.before.findings), len(mending.after.findings)
    if not mending.changed:
        return f"nothing {'was' if done else 'would be'} mended"
    kinds = ", ".join(f"{count:,} by {name}" for name, count in mending.by_repair.most_common())
    chunks = _counted(mending.changed, "chunk")
    verb = "mended" if done else "would mend"
    return (
        f"{verb} {chunks}: {kinds}; findings {before:,} → {after:,}, "
        f"chunks with one {mending.before.flagged:,} → {mending.after.flagged:,}"
    )


def refusals(mending: Mending) -> Iterator[str]:
    """A line for each rule that kept a repair from being done everywhere."""
    for (name, code), count in mending.refused.most_common():
        yield (
            f"left out: {_counted(count, 'change')} by {name}, as {code} {rule(code).name} "
            f"would be found more often (--ignore {code} does them)"
        )


def appeared(mending: Mending) -> Iterator[str]:
    """A line for each rule that finds more than before, seen in all documents together only."""
    before = Counter(each.code for each in mending.before.findings)
    after = Counter(each.code for each in mending.after.findings)
    for code, count in sorted(after.items()):
        if count > before[code]:
            yield (
                f"{code} {rule(code).name} is found {before[code]:,} → {count:,} times: it looks "
                "at all documents together"
            )


class Line(NamedTuple):
    """A line of a difference: its mark (nothing, `-`, `+`, `-embed`, `+embed`) and its text."""

    mark: str
    text: str

    def __str__(self) -> str:
        return f"{self.mark} {self.text}".rstrip() if self.mark else self.text


def differences(mending: Mending) -> Iterator[Line]:
    """Each changed chunk before and after; what stays the same is shortened."""
    for checked, mended in zip(mending.before.documents, mending.documents, strict=True):
        lines = mended.cut.analysis.line_starts
        for change in mended.changes:
            line = int(np.searchsorted(lines, change.before[0].start, side="right"))
            yield Line("", f"{checked.path}:{line}: {_headline(change)}")
            yield from _difference(mended, change)


def _headline(change: Change) -> str:
    old = ", ".join(map(str, change.chunks))
    noun = "chunk" if len(change.chunks) == 1 else "chunks"
    spans = ", ".join(f"{start}–{end}" for start, end in change.before)
    if change.after is None:
        return f"{noun} {old} ({spans}) taken away by {', '.join(change.repairs)}"
    start, end = change.after
    new = "" if change.chunks == (change.index,) else f" → {change.index}"
    moved = "" if change.before == (change.after,) else f" → {start}–{end}"
    return f"{noun} {old}{new} ({spans}{moved}) by {', '.join(change.repairs)}"


def _difference(mended: Mended, change: Change) -> Iterator[Line]:
    text, after = mended.cut.analysis.text, change.after
    if change.before != (after,):
        low = max([change.before[0].start, *([after.start] if after else [])])
        high = min([change.before[-1].end, *([after.end] if after else [])])
        common = (low, high) if after and len(change.before) == 1 else (0, 0)
        for start, end in change.before:
            yield from _marked("-", _shortened(text, start, end, *common))
        if after:
            yield from _marked("+", _shortened(text, *after, *common))
    if after and change.embed_after and change.index is not None:
        lead = mended.cut.leads[change.index]
        if lead.skip:
            yield from _marked("-embed", text[after.start : after.start + lead.skip])
        yield from _marked("+embed", lead.words)


def _shortened(text: str, start: int, end: int, low: int, high: int) -> str:
    """A stretch of a text; what it has in common with its other form only at the ends."""
    if high - low <= 3 * _SHOWN:
        return text[start:end]
    return f"{text[start : low + _SHOWN]} … {text[high - _SHOWN : end]}"


def _marked(mark: str, text: str) -> Iterator[Line]:
    for line in text.strip("\n").split("\n"):
        yield Line(mark, line)


def as_json(mending: Mending, repairs: Sequence[str]) -> dict[str, Any]:
    """What was done as plain values.

    Args:
        mending: What was done.
        repairs: Names of the repairs that were tried.
    """
    return {
        "repairs": list(repairs),
        "findings_before": len(mending.before.findings),
        "findings_after": len(mending.after.findings),
        "chunks_before": mending.before.chunks,
        "chunks_after": mending.after.chunks,
        "changed": mending.changed,
        "by_repair": dict(mending.by_repair),
        "refused": [
            {"repair": name, "rule": code, "changes": count}
            for (name, code), count in mending.refused.most_common()
        ],
        "changes": [
            {
                "document_id": mended.cut.analysis.document.id,
                "repairs": list(change.repairs),
                "chunk": change.index,
                "chunks_before": list(change.chunks),
                "before": [list(span) for span in change.before],
                "after": list(change.after) if change.after else None,
                **(
                    {"embed_before": change.embed_before, "embed_after": change.embed_after}
                    if change.embed_after
                    else {}
                ),
            }
            for mended in mending.documents
            for change in mended.changes
        ],
    }


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
