"""Chunks of other tools as cuts of their documents, to be judged as our own are."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np

from chunkwright.chunking.context import Context, context
from chunkwright.chunking.cut import Cut
from chunkwright.errors import SourceError
from chunkwright.integrations.anchor import LIKENESS, WIDTHS, Method, anchor, pieces, width_of
from chunkwright.integrations.chunk_files import ChunkFile
from chunkwright.integrations.skeleton import Wanted, occurrences, skeleton, skeletons
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.spans import Integers, Spans, spread
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import as_counter

_NONE = -1
_EMPTY = np.empty(0, np.int64)
_SCHEME = re.compile(r"^(?:file|https?|s3|gs)://+")


@dataclass(frozen=True)
class ForeignCut(Cut):
    """Chunks of another tool: nothing is known to be put before them."""

    @cached_property
    def context(self) -> Context:
        """Nothing, whatever the setup would put there."""
        bare = replace(self.setup, headers=False)
        return context(self.analysis, bare, self.unit, tables=False)


@dataclass(frozen=True, slots=True)
class Missed:
    """A chunk that has no place in the documents.

    Attributes:
        row: Its row in the file.
        document_id: Where it was looked for; empty where no document was named or had its words.
        words: Its first words.
    """

    row: int
    document_id: str
    words: str


@dataclass(frozen=True, slots=True)
class Anchored:
    """The chunks of a file in their documents.

    Attributes:
        cuts: The chunks of each document that has any, ascending by start, then end.
        rows: For each cut, the rows of its chunks in the file.
        methods: How many chunks were anchored in which way.
        missed: Chunks without a place.
        by_text: Chunks whose document was found by their words.
        unnamed: What is named as the source of chunks and is none of the documents, or several,
            and how many chunks name it.
    """

    cuts: tuple[Cut, ...]
    rows: tuple[Integers, ...]
    methods: Counter[Method]
    missed: tuple[Missed, ...] = ()
    by_text: int = 0
    unnamed: Counter[str] = field(default_factory=Counter)


def anchored(
    chunks: ChunkFile,
    documents: Sequence[Document],
    limits: Setup | None = None,
    likeness: float = LIKENESS,
    told: Callable[[int], None] = lambda _: None,
) -> Anchored:
    """Find the chunks of a file in their documents.

    A chunk belongs to the document that it names, by id, path, file name or title; where it names
    none, or what it names could be several, to the one that has most of its words in its order.

    Args:
        chunks: The chunks.
        documents: All documents that they may come from.
        limits: What the chunks should keep to; by default the size of the largest, and the
            overlap that most have.
        likeness: Share of characters that a chunk and a passage must have in common, 0 to 1.
        told: Called with the number of chunks after each document.

    Raises:
        SourceError: There is no document.
    """
    if not documents:
        raise SourceError("no document to look for the chunks in")
    named, unnamed = _by_name(chunks, documents)
    document_of = _by_text(chunks, documents, named)
    starts = np.zeros(len(chunks), np.int64)
    ends = np.zeros(len(chunks), np.int64)
    methods = np.zeros(len(chunks), np.int8)
    spans: list[tuple[Document, Spans]] = []
    rows: list[Integers] = []
    for number in sorted(set(document_of.tolist()) - {_NONE}):
        document = documents[number]
        members = np.flatnonzero(document_of == number)
        texts = [chunks.texts[index] for index in members.tolist()]
        found = anchor(document.text, texts, chunks.starts[members], likeness)
        starts[members], ends[members], methods[members] = found
        told(len(members))
        placed = members[found.methods != Method.NONE]
        if len(placed):
            placed = placed[np.lexsort((ends[placed], starts[placed]))]
            spans.append((document, Spans(starts[placed], ends[placed])))
            rows.append(chunks.rows[placed])
    setup = limits or _kept_to([each for _, each in spans])
    counter = as_counter(setup.tokens)
    missed = [
        Missed(
            int(chunks.rows[index]),
            documents[document_of[index]].id if document_of[index] != _NONE else "",
            " ".join(chunks.texts[index].split()),
        )
        for index in np.flatnonzero(methods == Method.NONE).tolist()
    ]
    return Anchored(
        cuts=tuple(
            ForeignCut(Analysis(document), setup, counter, each, _EMPTY) for document, each in spans
        ),
        rows=tuple(rows),
        methods=Counter({Method(way): int((methods == way).sum()) for way in np.unique(methods)}),
        missed=tuple(missed),
        by_text=int(((named == _NONE) & (document_of != _NONE)).sum()) if len(documents) > 1 else 0,
        unnamed=unnamed,
    )


def _by_name(chunks: ChunkFile, documents: Sequence[Document]) -> tuple[Integers, Counter[str]]:
    """The document that each chunk names, -1 for none, and the names that are of no use."""
    names = Names(documents)
    known = {source: names.find(source) for source in dict.fromkeys(chunks.sources) if source}
    found = np.array([known.get(source, _NONE) for source in chunks.sources], np.int64)
    lost = Counter(source for source in chunks.sources if known.get(source, 0) == _NONE)
    return found, lost


class Names:
    """Documents by what other tools may call them.

    >>> names = Names([Document("guide/lamp.md", "# Lamp"), Document("desk.md", "# Desk")])
    >>> [names.find(name) for name in ("/home/docs/guide/lamp.md", "lamp", "Desk", "hub.md")]
    [0, 0, 1, -1]
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._ids = {document.id: number for number, document in enumerate(documents)}
        self._parts = [_parts(document.id) for document in documents]
        self._by_file: dict[str, list[int]] = defaultdict(list)
        self._by_stem: dict[str, list[int]] = defaultdict(list)
        for number, parts in enumerate(self._parts):
            if parts:
                self._by_file[parts[-1].casefold()].append(number)
                self._by_stem[_stem(parts[-1])].append(number)
        self._by_title: dict[str, list[int]] | None = None

    def find(self, name: str) -> int:
        """The number of the one document that a name fits best; -1 for none or several."""
        if name in self._ids:
            return self._ids[name]
        parts = _parts(name)
        if not parts:
            return _NONE
        for several in (
            self._by_file.get(parts[-1].casefold(), []),
            self._by_stem.get(_stem(parts[-1]), []),
        ):
            if several:
                return self._nearest(parts[:-1], several)
        several = self._titled(name)
        return several[0] if len(several) == 1 else _NONE

    def _nearest(self, folders: tuple[str, ...], several: list[int]) -> int:
        """The one with the most folders in common, counted from the file upwards."""
        shared = [_in_common(folders, self._parts[number][:-1]) for number in several]
        most = max(shared)
        return several[shared.index(most)] if shared.count(most) == 1 else _NONE

    def _titled(self, name: str) -> list[int]:
        if self._by_title is None:
            self._by_title = defaultdict(list)
            for number, document in enumerate(self._documents):
                self._by_title[_title(Analysis(document).title)].append(number)
        return self._by_title.get(_title(name), [])


def _parts(name: str) -> tuple[str, ...]:
    plain = unquote(_SCHEME.sub("", name.strip())).replace("\\", "/")
    return tuple(part for part in plain.split("/") if part not in ("", "."))


def _stem(name: str) -> str:
    return PurePosixPath(name).stem.casefold()


def _title(name: str) -> str:
    return " ".join(name.split()).casefold()


def _in_common(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    count = 0
    for one, other in zip(reversed(first), reversed(second), strict=False):
        if one != other:
            break
        count += 1
    return count


def _by_text(chunks: ChunkFile, documents: Sequence[Document], named: Integers) -> Integers:
    """The document of each chunk: the named one, else the one with most pieces of its text.

    Among equals, the one in which it stands where it says, then that of the chunk before, then
    the first. A chunk whose pieces are nowhere goes with the chunk before, or
    the first ones with the next.
    """
    unknown = np.flatnonzero(named == _NONE)
    if not len(unknown):
        return named
    if len(documents) == 1:
        return np.zeros(len(named), np.int64)
    votes = _votes([chunks.texts[index] for index in unknown.tolist()], documents)
    chosen = named.copy()
    for index, (most, several) in zip(unknown.tolist(), votes, strict=True):
        before = int(chosen[index - 1]) if index else _NONE
        if not most:
            chosen[index] = before
            continue
        said = int(chunks.starts[index])
        if len(several) > 1 and said >= 0:
            text = chunks.texts[index]
            fits = [each for each in several if documents[each].text.startswith(text, said)]
            several = fits or several
        chosen[index] = before if before in several else several[0]
    if known := np.flatnonzero(chosen != _NONE).tolist():
        chosen[: known[0]] = chosen[known[0]]
    return chosen


def _votes(texts: Sequence[str], documents: Sequence[Document]) -> list[tuple[int, list[int]]]:
    """For each text, how many of its pieces the best documents have, and which they are."""
    most = np.zeros(len(texts), np.int64)
    best: list[list[int]] = [[] for _ in texts]
    groups = _pieces_of(texts)
    for at, document in enumerate(documents):
        points = skeleton(document.text).points
        owners = []
        for group in groups:
            met = np.unique(occurrences(points, group.width, group.wanted)[0])
            low, high = group.bounds[met], group.bounds[met + 1]
            owners.append(group.owners[spread(low, high - low)])
        which, count = np.unique(np.concatenate([_EMPTY, *owners]), return_counts=True)
        better = count >= most[which]
        for index, more in zip(which[better].tolist(), count[better].tolist(), strict=True):
            if more > most[index]:
                best[index], most[index] = [], more
            best[index].append(at)
    return list(zip(most.tolist(), best, strict=True))


class _Group(NamedTuple):
    """Pieces of one width: what to look for, and the texts that have each, one after another."""

    width: int
    wanted: Wanted
    owners: Integers
    bounds: Integers


def _pieces_of(texts: Sequence[str]) -> list[_Group]:
    parts = skeletons(texts)
    widths = np.array([width_of(len(part)) for part in parts], np.int64)
    groups = []
    for width in WIDTHS:
        members = np.flatnonzero(widths == width)
        if not len(members):
            continue
        owners, _, hashes = pieces([parts[at] for at in members.tolist()], width)
        order = np.argsort(hashes, kind="stable")
        hashes, first = np.unique(hashes[order], return_index=True)
        bounds = np.r_[first, len(order)]
        groups.append(_Group(width, Wanted.of(hashes), members[owners[order]], bounds))
    return groups


def _kept_to(several: Sequence[Spans]) -> Setup:
    """The size that all chunks keep to, and the overlap that most of them have."""
    sizes = [int((each.ends - each.starts).max()) for each in several]
    common = [np.maximum(0, each.ends[:-1] - each.starts[1:]) for each in several]
    overlaps = np.concatenate([np.zeros(0, np.int64), *common])
    overlap = int(np.median(overlaps)) if len(overlaps) else 0
    size = max(sizes, default=1)
    return Setup("recursive", size=size, unit="characters", overlap=min(overlap, size - 1))
