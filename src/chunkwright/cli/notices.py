"""What a user of `chunk` should know of the chunks: one line a matter, none where all is well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from chunkwright.cli.output import counted
from chunkwright.cli.seen import Seen
from chunkwright.setup import Setup

# Below this share of the size, chunks are small.
_SMALL = 0.1


class Warned:
    """The library's own warnings: the first of each kind, and how many more documents have it."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._count: Counter[str] = Counter()

    def add(self, warnings: Iterable[Warning]) -> None:
        """Take the warnings of one cut."""
        for each in warnings:
            kind = type(each).__name__
            self._first.setdefault(kind, str(each))
            self._count[kind] += 1

    def lines(self) -> list[str]:
        """One line a kind."""
        return [
            line + (f"; and {self._count[kind] - 1:,} more times" if self._count[kind] > 1 else "")
            for kind, line in self._first.items()
        ]


def notices(total: Seen, setup: Setup) -> list[str]:
    """The lines to show, often none."""
    found = (_small(total, setup), _overlap(total, setup), _control(total), _payload(total))
    return [line for line in found if line]


def facts(total: Seen, setup: Setup) -> dict[str, Any]:
    """The same for machines, whether or not it is worth a line."""
    return {
        "mean_size": total.long_size / total.long_chunks if total.long_chunks else None,
        "overlap": {
            "asked": _asked(setup) if setup.overlap else None,
            "mean_characters": total.shared / total.neighbours if total.neighbours else None,
            "neighbours": total.neighbours,
            "apart_at_walls": total.apart_at_walls,
            "apart": total.apart,
        },
        "control_characters": total.controls,
        "payloads": {"count": total.payloads, "characters": total.payload_characters},
        "notices": notices(total, setup),
    }


def _small(total: Seen, setup: Setup) -> str:
    if not total.long_chunks or total.long_size >= _SMALL * setup.size * total.long_chunks:
        return ""
    mean = total.long_size / total.long_chunks
    share = 100 * mean / setup.size
    why = ""
    if total.walled * 2 >= total.long_chunks:
        what = "parents" if setup.parents else "sections"
        why = f", as {what} are short: {total.walled:,} of {total.long_chunks:,} end where one does"
    return (
        f"chunks are small: mean {mean:.0f} {setup.unit}, {share:.0f} % of the size{why}; use "
        "'recursive' or 'sentence' to join them, or a smaller size"
    )


def _overlap(total: Seen, setup: Setup) -> str:
    apart = total.apart_at_walls + total.apart
    if not setup.overlap or not apart:
        return ""
    reasons = (
        (total.apart_at_walls, "where a section or a parent ends, or text was left out"),
        (total.apart, "where no sentence starts within the overlap, or none has room"),
    )
    why = ", ".join(f"{count:,} {where}" for count, where in reasons if count)
    return (
        f"overlap asked: {_asked(setup)}; achieved: mean "
        f"{total.shared / total.neighbours:.0f} characters; {apart:,} of {total.neighbours:,} "
        f"neighbours share nothing: {why}"
    )


def _control(total: Seen) -> str:
    if not total.controls:
        return ""
    return (
        f"control characters: {total.controls:,}, the first {total.first_control}; some stores "
        "refuse them: --replace-controls writes spaces instead, offsets stay"
    )


def _payload(total: Seen) -> str:
    if not total.payloads:
        return ""
    return (
        f"left out of the chunks: {counted(total.payloads, 'file')} written into the text as "
        f"base64, {counted(total.payload_characters, 'character')}"
    )


def _asked(setup: Setup) -> str:
    if setup.overlap_unit == "percent":
        return f"{setup.overlap} % of the size"
    return counted(setup.overlap, setup.overlap_unit.removesuffix("s"))
