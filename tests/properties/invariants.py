"""The invariants of the design as functions that judge one cut, each by plain counting.

Nothing here asks the code under test what is right, except for three things: where sentences
start, where front matter ends, and which stretches are payloads.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import regex
from hypothesis import assume
from numpy.typing import NDArray

from chunkwright.chunking.context import header_line
from chunkwright.chunking.cut import Cut, cut
from chunkwright.chunking.dress import chunk_id, dress
from chunkwright.chunking.measure import overlap_of
from chunkwright.errors import SetupError
from chunkwright.model import Chunk, Document
from chunkwright.quality.chunks import check, repair
from chunkwright.setup import UNITS, Setup
from chunkwright.text.analysis import Analysis
from chunkwright.text.blocks import front_matter
from chunkwright.text.tokens import TokenCounter, as_counter
from tests.properties.strategies import COUNTERS, Case

_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
)
_JOINING = regex.compile(r"[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}]")
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Made:
    """A case, cut and dressed."""

    case: Case
    analysis: Analysis
    counter: TokenCounter
    result: Cut
    chunks: list[Chunk]

    @property
    def text(self) -> str:
        return self.case.text

    @property
    def setup(self) -> Setup:
        return self.case.setup

    @property
    def by_formula(self) -> bool:
        """Whether the chunks are windows of the document's own token sequence."""
        setup = self.setup
        free = not setup.headers and not len(self.result.walls)
        return setup.strategy == "fixed" and setup.unit == "tokens" and free

    @cached_property
    def first(self) -> int:
        """Where the text begins: after the front matter."""
        matter = front_matter(self.text)[0] if self.case.name.endswith(".md") else None
        return matter.end if matter else 0

    @cached_property
    def left_out(self) -> NDArray[np.bool_]:
        """Which characters no chunk needs to hold."""
        out = np.array([character.isspace() for character in self.text], np.bool_)
        out[: self.first] = True
        if self.setup.strip:
            for start, end in self.analysis.payloads.pairs():
                out[start:end] = True
        return out

    @cached_property
    def edges(self) -> set[int]:
        """Where a grapheme ends or starts."""
        return {found.end() for found in regex.finditer(r"\X", self.text)} | {0}

    def size(self, text: str, unit: str) -> int:
        """What a text measures, counted plainly."""
        if unit == "characters":
            return len(text)
        return words_of(text) if unit == "words" else self.counter.count(text)

    def sentences(self, start: int, end: int) -> int:
        """Sentences that have a part in a stretch."""
        starts = self.analysis.sentences
        before = 1 if np.any(starts <= start) else 0
        return before + int(np.sum((starts > start) & (starts < end)))

    def token_starts(self, start: int, end: int) -> int:
        """Tokens of the document's own sequence that start in a stretch."""
        return bisect_left(self._places, end) - bisect_left(self._places, start)

    def token_places(self, start: int, end: int) -> set[int]:
        """The graphemes in a stretch in which tokens start."""
        places = self._places
        return set(places[bisect_left(places, start) : bisect_left(places, end)])

    @cached_property
    def _places(self) -> list[int]:
        """The grapheme in which each token of the document starts."""
        starts, edges = self.counter.starts(self.text), sorted(self.edges)
        assert starts is not None
        return [edges[bisect_right(edges, at) - 1] for at in starts.tolist()]

    def visible(self, start: int, end: int) -> bool:
        """Whether a stretch holds a character that a chunk must hold."""
        return not bool(self.left_out[start:end].all())


def words_of(text: str) -> int:
    """Words between white space; where a script writes none, every character is one.

    A mark that joins the white space before it begins no word.
    """
    count, before = 0, " "
    for at, cluster in enumerate(regex.findall(r"\X", text)):
        starts = before.isspace() or any(map(_UNSPACED.match, (cluster[0], before)))
        joined = at == 0 and _JOINING.match(cluster)
        count += starts and not joined and not cluster[0].isspace()
        before = cluster[-1]
    return count


def make(case: Case) -> Made:
    """Cut and dress a case; one whose size leaves no room for headers is no example."""
    analysis = Analysis(Document(case.name, case.text))
    counting = COUNTERS[case.counter]()
    try:
        result = cut(analysis, case.setup, counting)
    except SetupError as problem:
        assume("leaves no room beside the header" not in str(problem))
        raise
    counter = as_counter(counting or case.setup.tokens)
    return Made(case, analysis, counter, result, dress(result))


def views(made: Made) -> None:
    """A chunk is a view of the text, and what is added stands before it."""
    for at, found in enumerate(made.chunks):
        assert found.index == at
        assert found.text == made.text[found.start : found.end]
        line = header_line(made.analysis, found.start) if made.setup.headers else ""
        assert found.embed_text.startswith(line)
        if found.embed_text.endswith(found.text):
            added = found.embed_text[len(line) : len(found.embed_text) - len(found.text)]
            assert not added or (added.endswith("\n") and made.case.name.endswith(".md")), added
            assert made.setup.strategy != "fixed" or not added or made.setup.repair
        else:
            # A replaced pronoun: only the first word may differ.
            assert made.setup.repair
            _, _, rest = found.text.partition(" ")
            assert found.embed_text.endswith(" " + rest)
        if made.setup.strip:
            assert found.text == found.text.strip()
            assert made.visible(found.start, found.start + 1)
            assert made.visible(found.end - 1, found.end)
        json.dumps(found.to_dict())
        assert found.document_id == made.case.name
        lines = [match.end() for match in _LINE_END.finditer(made.text)]
        assert found.first_line == 1 + sum(end <= found.start for end in lines)
        assert found.last_line == 1 + sum(end <= found.end - 1 for end in lines)


def order(made: Made) -> None:
    """Starts and ends ascend; every chunk brings something that can be seen."""
    reached = made.first
    for found in made.chunks:
        assert found.start < found.end
        assert found.end > reached
        # Kept white space at the end may take along what the chunk before it holds, too.
        fresh = max(found.start, reached) if made.setup.strip else found.start
        assert made.visible(fresh, found.end) or _lone_space(made, found)
        reached = found.end
    for before, after in pairwise(made.chunks):
        assert before.start < after.start


def _lone_space(made: Made, found: Chunk) -> bool:
    """Whether white space has to be a chunk: kept, and too long to join what stands beside it."""
    if made.setup.strip:
        return False
    start, end = found.start, found.end
    while start > made.first and made.text[start - 1].isspace():
        start -= 1
    while end < len(made.text) and made.text[end].isspace():
        end += 1
    line = header_line(made.analysis, found.start) if made.setup.headers else ""
    # With a neighbour, a whole grapheme, it would be over the size.
    first, last = found.parent or (made.first, len(made.text))
    before = [made.text[edge:end] for edge in sorted(made.edges) if first <= edge < start]
    after = [made.text[start:edge] for edge in sorted(made.edges) if end < edge <= last]
    unit, most = made.setup.unit, made.setup.size
    joined = [line + text for text in before[-1:] + after[:1]]
    return unit != "sentences" and all(made.size(text, unit) > most for text in joined)


def coverage(made: Made) -> None:
    """Every character that can be seen is in a chunk; without overlap chunks are disjoint."""
    covered = made.left_out.copy()
    for found in made.chunks:
        covered[found.start : found.end] = True
    assert covered.all()
    if not made.setup.strip and made.visible(made.first, len(made.text)):
        assert made.chunks[0].start == made.first
        assert made.chunks[-1].end == len(made.text)
        assert all(after.start <= before.end for before, after in pairwise(made.chunks))
        if not overlap_of(made.setup)[0]:
            assert "".join(found.text for found in made.chunks) == made.text[made.first :]
    if not overlap_of(made.setup)[0]:
        assert all(before.end <= after.start for before, after in pairwise(made.chunks))


def sizes(made: Made) -> None:
    """What is embedded keeps to the size, but for one grapheme that is wider, and is reported."""
    over = set()
    for at, found in enumerate(made.chunks):
        assert found.tokens == made.counter.count(found.embed_text)
        if made.by_formula:
            count = made.token_starts(found.start, found.end)
            # Tokens that start in one grapheme cannot be parted.
            alone = len(made.token_places(found.start, found.end)) == 1
            assert count <= made.setup.size or alone
        elif made.setup.unit == "sentences":
            assert made.sentences(found.start, found.end) <= made.setup.size
        elif made.size(found.embed_text, made.setup.unit) > made.setup.size:
            assert regex.fullmatch(r"\s*\X\s*", found.text)
            over.add(at)
    assert set(made.result.oversize().tolist()) == over


def graphemes(made: Made) -> None:
    """No cut, of a chunk or of a parent, falls inside a grapheme."""
    spans = [(found.start, found.end) for found in made.chunks]
    spans += [found.parent for found in made.chunks if found.parent]
    trimmed = np.append(made.left_out, False) if made.setup.strip else np.zeros(len(made.text) + 1)
    for start, end in spans:
        # What is trimmed off may have been joined to a mark.
        assert start in made.edges or trimmed[start - 1]
        assert end in made.edges or trimmed[end]


def overlaps(made: Made) -> None:
    """Neighbours share at most what was asked for."""
    most, unit = overlap_of(made.setup)
    following = [found.start for found in made.chunks[2:]] + [len(made.text)]
    for (before, after), beyond in zip(pairwise(made.chunks), following, strict=False):
        if after.start >= before.end:
            continue
        if made.setup.minimum and beyond >= after.end:
            continue  # the last chunk before a wall may be given more to reach the minimum
        if made.by_formula:
            shared = made.token_starts(after.start, before.end)
        elif unit == "sentences":
            shared = made.sentences(after.start, before.end)
        else:
            shared = made.size(made.text[after.start : before.end], unit)
        assert shared <= most


def parents(made: Made) -> None:
    """A parent holds its chunks; parents are disjoint, and keep to a size of their own."""
    wide = made.setup.parents
    assert all((found.parent is not None) == bool(wide) for found in made.chunks)
    several = sorted({found.parent for found in made.chunks if found.parent})
    for found in made.chunks:
        if found.parent:
            assert found.parent.start <= found.start < found.end <= found.parent.end
            assert found.sent_span == found.parent
    assert all(before.end <= after.start for before, after in pairwise(several))
    if wide == "document":
        assert len(several) <= 1
    elif wide and wide != "section":
        for parent in several:
            text = made.text[slice(*parent)]
            if not regex.fullmatch(r"\s*\X\s*", text):
                assert made.size(text.strip(), UNITS[wide[-1]]) <= int(wide[:-1])
    if made.setup.strip:
        for parent in several:
            assert made.text[slice(*parent)] == made.text[slice(*parent)].strip()


def ids(made: Made) -> None:
    """An id is made of the document, what is embedded, and which occurrence of it it is."""
    seen: Counter[str] = Counter()
    for found in made.chunks:
        assert found.id == chunk_id(made.case.name, found.embed_text, seen[found.embed_text])
        seen[found.embed_text] += 1
    assert len({found.id for found in made.chunks}) == len(made.chunks)


def findings(made: Made) -> None:
    """Any list of chunks can be checked, and each finding points at its chunk."""
    for found in check(made.chunks):
        chunk = made.chunks[found.index]
        assert 0 <= found.start <= found.end <= len(made.text)
        assert found.code.startswith(("S205", "Z304")) or chunk.start <= found.start <= chunk.end
        assert found.document_id == made.case.name
        assert "\n" not in found.message


def repairs(made: Made) -> None:
    """Repairs move ends: nothing is lost, the size is kept to, and a second pass does nothing."""
    once = repair(made.chunks)
    assert repair(once) == once
    _same_cover(made, once)
    if made.case.counter != "own":
        return
    once = repair(made.chunks, made.setup)
    assert repair(once, made.setup) == once
    _same_cover(made, once)
    before = {(found.start, found.end) for found in made.chunks}
    for found in once:
        assert found.embed_text.endswith(found.text) or found.text.partition(" ")[2]
        if (found.start, found.end) in before or made.setup.unit == "sentences":
            continue
        assert made.size(found.embed_text, made.setup.unit) <= made.setup.size


def _same_cover(made: Made, repaired: list[Chunk]) -> None:
    needed, covered = ~made.left_out, np.zeros(len(made.text), np.bool_)
    for found in repaired:
        assert found.text == made.text[found.start : found.end]
        covered[found.start : found.end] = True
    assert (covered | ~needed).all()
    for before, after in pairwise(repaired):
        assert before.start < after.start
        assert before.end < after.end


INVARIANTS = (
    *(views, order, coverage, sizes, graphemes, overlaps, parents, ids, findings, repairs),
)
