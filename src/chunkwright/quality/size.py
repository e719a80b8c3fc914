"""Rules of size: over a limit, too much in one chunk, too little in many."""

from __future__ import annotations

import numpy as np

from chunkwright.quality.rule import Hits, Rule, Severity, Thresholds
from chunkwright.quality.view import View
from chunkwright.spans import Integers
from chunkwright.text.tokens import TiktokenCounter


def _over_size(view: View, _limits: Thresholds) -> Hits:
    chunks = view.cut.oversize()
    sizes = tuple(
        f"{view.cut.size_of(chunk)} {view.cut.setup.unit}, {view.cut.setup.size} are the limit"
        for chunk in chunks.tolist()
    )
    return Hits(chunks, view.starts[chunks], view.ends[chunks], sizes)


OVER_SIZE = Rule(
    code="Z301",
    name="over-size",
    label="over the size",
    severity=Severity.ERROR,
    why="What reads it next may cut it off, or refuse it.",
    bad="A chunk of 900 characters under a setup of 800.",
    good="Two chunks of 450.",
    find=_over_size,
)


def _over_embedder_limit(view: View, limits: Thresholds) -> Hits:
    limit = int(limits["tokens"])
    chunks, counts = _over(view, limit)
    starts: list[int] = []
    details: list[str] = []
    index = view.analysis.tokens(view.cut.counter)
    for chunk, count in zip(chunks.tolist(), counts.tolist(), strict=True):
        low, high = int(view.starts[chunk]), int(view.ends[chunk])
        start, prefix = low, view.cut.prefix(chunk)
        # The first place from which on too much is read: counts grow with the text.
        while high - low > 1:
            middle = (low + high) // 2
            fits = index.count(start, middle, prefix) <= limit
            low, high = (middle, high) if fits else (low, middle)
        starts.append(low)
        details.append(f"{count - limit} of {count} tokens fall off")
    return Hits(chunks, np.array(starts, np.int64), view.ends[chunks], tuple(details))


def _over(view: View, limit: int) -> tuple[Integers, Integers]:
    """Chunks of more tokens than a limit, and their tokens."""
    counter = view.cut.counter
    # A token of tiktoken has a byte at least: without counting, short chunks are known to fit.
    if isinstance(counter, TiktokenCounter) and not view.cut.setup.headers:
        bytes_each = 1 if view.text.isascii() else 4
        if not ((view.ends - view.starts) * bytes_each > limit).any():
            return Hits().chunks, Hits().chunks
    counts = view.cut.tokens()
    chunks = np.flatnonzero(counts > limit)
    return chunks, counts[chunks]


OVER_EMBEDDER_LIMIT = Rule(
    code="Z302",
    name="over-embedder-limit",
    label="over the embedder's limit",
    severity=Severity.ERROR,
    why="An embedder reads so many tokens and drops the rest: nothing there is ever found.",
    bad="A chunk of 9,000 tokens for a model that reads 8,191.",
    good="A chunk of 300 tokens.",
    find=_over_embedder_limit,
    thresholds={"tokens": 8191},
)


def _many_topics(view: View, limits: Thresholds) -> Hits:
    sections = [
        section.start
        for section in view.analysis.sections
        if view.analysis.next_visible(section.body) < section.end
    ]
    bounds = np.array(sections, np.int64)
    inside = np.searchsorted(bounds, view.ends) - np.searchsorted(bounds, view.starts)
    # A chunk that starts below a heading has that heading's topic, too.
    begins = np.isin(view.starts, bounds)
    topics = inside + ~begins
    chunks = np.flatnonzero(topics >= limits["sections"])
    details = tuple(f"{topics[chunk]} sections" for chunk in chunks.tolist())
    return Hits(chunks, view.starts[chunks], view.ends[chunks], details)


MANY_TOPICS = Rule(
    code="Z303",
    name="many-topics",
    label="many topics in one chunk",
    severity=Severity.NOTE,
    why="One vector stands for all of them, near to none: the chunks are too large.",
    bad="# Price\n\n3.99.\n\n# Reset\n\nHold it.\n\n# Size\n\nSmall.\n\n# Colour\n\nBlue.\n",
    good="# Price\n\n3.99 a month.\n",
    find=_many_topics,
    thresholds={"sections": 4},
)


def _fragments(view: View, limits: Thresholds) -> Hits:
    small = view.ends - view.starts < limits["characters"]
    edges = np.flatnonzero(np.diff(np.r_[False, small, False]))
    runs = edges.reshape(-1, 2)
    long = runs[runs[:, 1] - runs[:, 0] >= limits["run"]]
    if not len(long):
        return Hits()
    # One finding a run: it is the run that is wrong, not each of its chunks.
    details = tuple(f"{last - first} chunks in a row" for first, last in long.tolist())
    return Hits(long[:, 0], view.starts[long[:, 0]], view.ends[long[:, 1] - 1], details)


FRAGMENTS = Rule(
    code="Z304",
    name="fragments",
    label="run of fragments",
    severity=Severity.NOTE,
    why="A passage in crumbs: each matches a little, none answers. The chunks are too small.",
    bad="Hold it.¦Wait a bit.¦Let it go.¦It blinks.",
    good="Hold it. Wait a bit. Let it go. It blinks.",
    find=_fragments,
    thresholds={"characters": 80, "run": 4},
)
