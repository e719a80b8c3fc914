"""What a user of `chunk` should know of the chunks: one line a matter, none where all is well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from chunkwright import registry
from chunkwright.chunking.boundaries import Strategy
from chunkwright.chunking.cut import Cut
from chunkwright.cli.output import counted
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.spans import Integers, merged, shared
from chunkwright.text.payloads import payloads

# Below this share of the size, chunks are small.
_SMALL = 0.1
# What no text needs: C0 and C1 controls but for white space, and DELETE.
_CONTROL = np.zeros(0xA0, np.bool_)
_CONTROL[[*range(0x20), *range(0x7F, 0xA0)]] = True
_CONTROL[[*range(0x09, 0x0E), *range(0x1C, 0x20), 0x85]] = False
SPACES = {int(code): " " for code in np.flatnonzero(_CONTROL)}


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of some chunks; `+` adds more.

    Attributes:
        chunks: Number of chunks.
        tokens: Tokens of all of them.
        largest_tokens: Tokens of the largest.
        oversize: Chunks over the size.
        shared: Characters that neighbours share.
        neighbours: Pairs of chunks that follow one another in a part.
        apart_at_walls: Pairs that share nothing because no chunk may cross from one to the other.
        apart: Other pairs that share nothing.
        long_chunks: Chunks of texts that are at least one chunk long.
        long_size: Their sizes, in the unit of the setup.
        walled: Those of them that end at a wall.
        controls: Control characters.
        first_control: The first of them, and where.
        payloads: Files in the text that were left out.
        payload_characters: Their characters.
    """

    chunks: int = 0
    tokens: int = 0
    largest_tokens: int = 0
    oversize: int = 0
    shared: int = 0
    neighbours: int = 0
    apart_at_walls: int = 0
    apart: int = 0
    long_chunks: int = 0
    long_size: int = 0
    walled: int = 0
    controls: int = 0
    first_control: str = ""
    payloads: int = 0
    payload_characters: int = 0

    def __add__(self, other: Seen) -> Seen:
        """Both together; `other` comes later."""
        sums = {
            each.name: getattr(self, each.name) + getattr(other, each.name)
            for each in fields(self)
            if each.name not in ("largest_tokens", "first_control")
        }
        return Seen(
            **sums,
            largest_tokens=max(self.largest_tokens, other.largest_tokens),
            first_control=self.first_control or other.first_control,
        )


def seen(made: Cut, reached: int = 0) -> Seen:
    """What is to be seen of the cut of a document, or of one part of it.

    Args:
        made: The cut.
        reached: Where the part before it ended, in the document; 0 for the first.
    """
    if not len(made):
        return Seen()
    setup, analysis = made.setup, made.analysis
    tokens, (starts, ends) = made.tokens(), made.spans
    common = shared(made.spans)
    at_walls = np.isin(starts[1:], _walls(made))
    apart = common == 0
    sizes = _sizes(made)
    long = int(sizes.sum()) >= setup.size
    controls = _controls(analysis.points)
    # Each counts once, though chunks and parts overlap.
    before = np.r_[max(0, reached - analysis.origin), ends[:-1]]
    first, last = np.searchsorted(controls, (np.maximum(starts, before), ends))
    inside = int(np.maximum(0, last - first).sum())
    return Seen(
        chunks=len(made),
        tokens=int(tokens.sum()),
        largest_tokens=int(tokens.max()),
        oversize=len(made.oversize()),
        shared=int(common.sum()),
        neighbours=len(common),
        apart_at_walls=int((apart & at_walls).sum()),
        apart=int((apart & ~at_walls).sum()),
        long_chunks=len(made) if long else 0,
        long_size=int(sizes.sum()) if long else 0,
        walled=int(at_walls.sum()) if long else 0,
        controls=inside,
        first_control=_place(made, int(controls[first[first < last][0]])) if inside else "",
    )


def seen_in(document: Document, setup: Setup) -> Seen:
    """What is to be seen of a document as a whole."""
    if not setup.strip:  # then all of it is in the chunks
        return Seen()
    starts, ends = payloads(document.text)
    return Seen(payloads=len(starts), payload_characters=int((ends - starts).sum()))


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


def _walls(made: Cut) -> Integers:
    strategy: Strategy = registry.load("strategies", made.setup.strategy)
    own = strategy.boundaries(made.analysis, made.setup, made.unit, made.counter).walls
    left_out = made.analysis.payload_walls if made.setup.strip else made.walls[:0]
    return merged(own, made.walls, left_out)


def _sizes(made: Cut) -> Integers:
    unit = made.setup.unit
    if unit == "characters":
        return made.spans.ends - made.spans.starts
    if unit == "tokens":
        return made.tokens()
    return np.array([made.size_of(index) for index in range(len(made))], np.int64)


def _controls(points: Any) -> Integers:
    low = np.flatnonzero(points < len(_CONTROL))
    return low[_CONTROL[points[low]]]


def _place(made: Cut, position: int) -> str:
    analysis = made.analysis
    character = int(analysis.points[position])
    return f"U+{character:04X} at {analysis.origin + position:,} of {analysis.document.id}"
