"""What a repair would do: to one chunk, and to all of a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from chunkwright.chunking.cut import Cut, mended
from chunkwright.quality.checker import findings_by_document
from chunkwright.quality.repair import repair_of
from chunkwright.quality.settings import Settings
from chunkwright.spans import Span


@dataclass(frozen=True, slots=True)
class Version:
    """One chunk as it is under some repairs.

    Attributes:
        span: Its span; None where it was taken away.
        embed_text: What is embedded; empty where it was taken away.
    """

    span: Span | None
    embed_text: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a repair would do.

    Attributes:
        before: The chunk as it is.
        after: What would become of it.
        changed: How many chunks of the document would be other ones.
        findings: By code, how many findings there are, and how many there would be.
    """

    before: Version
    after: Version
    changed: int
    findings: Mapping[str, tuple[int, int]]

    @property
    def changes_it(self) -> bool:
        """Whether the chunk itself would be another one."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Repaired:
    """The chunks of a document before and after a repair; `changed` and `findings` as in `Preview`.

    Attributes:
        cut: The chunks.
        made: What would become of them.
        changed: How many would be other ones.
        findings: Numbers of findings, by code.
    """

    cut: Cut
    made: Cut
    changed: int
    findings: Mapping[str, tuple[int, int]]

    def seen_from(self, index: int) -> Preview:
        """The same, looked at from one of the chunks."""
        starts, ends = self.cut.spans
        before, after = Span(int(starts[index]), int(ends[index])), Version(None)
        heir = _heir(self.made, before)
        if heir is not None:
            starts, ends = self.made.spans
            after = Version(Span(int(starts[heir]), int(ends[heir])), self.made.embed_text(heir))
        own = Version(before, self.cut.embed_text(index))
        return Preview(own, after, self.changed, self.findings)


def repaired(cut: Cut, name: str, settings: Settings | None = None) -> Repaired:
    """What a repair would make of the chunks of a document.

    Args:
        cut: The chunks.
        name: The repair.
        settings: Which rules look.

    >>> from chunkwright.chunking.cut import cut as cut_by
    >>> from chunkwright.model import Document
    >>> from chunkwright.setup import Setup
    >>> from chunkwright.text.analysis import Analysis
    >>> text = "The lamp blinks blue as it pairs. Plus costs $3.99 a month for all of you."
    >>> made = cut_by(Analysis(Document("a.txt", text)), Setup.parse("fixed:45c"))
    >>> found = repaired(made, "move_to_sentence").seen_from(1)
    >>> found.before.span, found.after.span, found.changed, found.findings["C102"]
    (Span(start=45, end=74), Span(start=34, end=74), 2, (1, 0))
    """
    made = mended(cut, [repair_of(name)])
    counts = [
        Counter(each.code for found in findings_by_document([one], settings) for each in found)
        for one in (cut, made)
    ]
    known = {(*pair, cut.embed_text(at)) for at, pair in enumerate(cut.spans.pairs())}
    new = {(*pair, made.embed_text(at)) for at, pair in enumerate(made.spans.pairs())}
    findings = {code: (counts[0][code], counts[1][code]) for code in counts[0] | counts[1]}
    return Repaired(cut, made, len(known - new), findings)


def _heir(made: Cut, span: Span) -> int | None:
    """The chunk that has most of a span, the first of several; None where none has any of it."""
    starts, ends = made.spans
    common = np.minimum(ends, span.end) - np.maximum(starts, span.start)
    if not len(common) or common.max() <= 0:
        return None
    return int(common.argmax())
