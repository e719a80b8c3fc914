"""What is seen of chunks where they are cut, to be summed up where they are written.

Worker processes import this, so it needs nothing that only a terminal does.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from chunkwright import registry
from chunkwright.chunking.boundaries import Strategy
from chunkwright.chunking.cut import Cut
from chunkwright.engines.local import Part
from chunkwright.engines.sinks import Encode
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.spans import Integers, merged, shared
from chunkwright.text.payloads import payloads

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


class Made(NamedTuple):
    """What is sent of a part to where the chunks are written."""

    encoded: Any
    warnings: list[Warning]
    seen: Seen


@dataclass(frozen=True, slots=True)
class Handle:
    """Makes it.

    Attributes:
        encode: Of the sink.
        replaced: What is written in place of some characters, as `str.translate` takes it.
    """

    encode: Encode
    replaced: dict[int, str] | None

    def __call__(self, part: Part) -> Made:
        """What is sent of a part."""
        cut = part.cut
        found = seen(cut, part.reached)
        if part.first:
            found += seen_in(cut.analysis.document, cut.setup)
        return Made(self.encode(part.dressed, self.replaced), [*cut.notices()], found)


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
