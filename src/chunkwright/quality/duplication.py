"""Rules of duplication: text twice, nearly twice, one chunk in another, overlap gone wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from chunkwright.chunking.cost import overlap_ratio
from chunkwright.quality.rule import Hits, Rule, Severity, Thresholds
from chunkwright.quality.view import View
from chunkwright.spans import Integers, shared
from chunkwright.text.words import terms

Hashes = NDArray[np.uint64]
# Terms of a shingle: three in a row tell one sentence from another with the same words.
_SHINGLE = 3
# Rows of a band, and bands: pairs that share .8 of their shingles meet with probability .9998,
# those that share .3 with .12 (Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", 3.4).
_ROWS, _BANDS = 4, 16
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def _place(views: Sequence[View], number: int, chunk: int) -> str:
    view = views[number]
    line = int(np.searchsorted(view.analysis.line_starts, view.starts[chunk], side="right"))
    return f"{view.analysis.document.id}:{line}"


def _numbered(views: Sequence[View]) -> tuple[Integers, Integers]:
    """Of all chunks of all documents: the number of the document, and that of the chunk in it."""
    counts = [len(view) for view in views]
    documents = np.repeat(np.arange(len(views)), counts)
    chunks = np.concatenate([np.empty(0, np.int64), *map(np.arange, counts)])
    return documents, chunks.astype(np.int64)


def _copies(views: Sequence[View]) -> Integers:
    """For each chunk of all documents, the first one with the same words; itself if it is new."""
    first: dict[bytes, int] = {}
    found: list[int] = []
    for view in views:
        for start, end in zip(view.starts.tolist(), view.ends.tolist(), strict=True):
            words = " ".join(view.text[start:end].lower().split())
            if not words:
                found.append(len(found))  # white space alone is no text twice
                continue
            key = blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            found.append(first.setdefault(key, len(found)))
    return np.array(found, np.int64)


def _grouped(views: Sequence[View], later: Integers, first: Integers, what: str) -> list[Hits]:
    """Hits of the later chunk of each pair, telling where the first is. All counted through."""
    documents, chunks = _numbered(views)
    found: list[Hits] = []
    for number, view in enumerate(views):
        rows = np.flatnonzero(documents[later] == number)
        own = chunks[later[rows]]
        details = tuple(
            f"{what} {_place(views, int(documents[at]), int(chunks[at]))}"
            for at in first[rows].tolist()
        )
        found.append(Hits(own, view.starts[own], view.ends[own], details))
    return found


def _duplicate(views: Sequence[View], _limits: Thresholds) -> list[Hits]:
    first = _copies(views)
    later = np.flatnonzero(first != np.arange(len(first)))
    return _grouped(views, later, first[later], "as")


DUPLICATE = Rule(
    code="D401",
    name="duplicate",
    label="duplicate",
    severity=Severity.WARNING,
    why="Copies take places in the results that other answers should have.",
    bad="Press the button.¦Press the button.",
    good="Press the button.¦Hold the button.",
    find_in_all=_duplicate,
)


def _mixed(values: Hashes) -> Hashes:
    """A hash of each value: the finaliser of SplitMix64 (Steele, Lea and Flood, 2014)."""
    values = (values ^ (values >> np.uint64(30))) * _MIX[0]
    values = (values ^ (values >> np.uint64(27))) * _MIX[1]
    return values ^ (values >> np.uint64(31))


def _shingles(views: Sequence[View]) -> Iterator[tuple[Hashes, Integers, Integers]]:
    """Hashes of all shingles of each document, and the first and last one of every chunk."""
    vocabulary: dict[str, int] = {}
    for view in views:
        found = terms(view.text)
        numbers = np.fromiter(
            (vocabulary.setdefault(term, len(vocabulary)) for term in found.strings),
            np.uint64,
            len(found.strings),
        )
        hashes = _mixed(numbers + np.uint64(1))
        count = max(0, len(hashes) - _SHINGLE + 1)
        joined = np.zeros(count, np.uint64)
        for at in range(_SHINGLE):
            joined = _mixed(joined + hashes[at : at + count])
        low = np.searchsorted(found.starts, view.starts)
        high = np.searchsorted(found.ends, view.ends, side="right") - _SHINGLE + 1
        yield joined, low, np.maximum(low, high)


def _signatures(hashes: Hashes, low: Integers, high: Integers) -> Hashes:
    """MinHash of some stretches of shingles (Broder, 1997). Shape `(stretches, bands, rows)`."""
    made = np.empty((_ROWS * _BANDS, len(low)), np.uint64)
    edges = np.stack([low, high], axis=1).ravel()
    padded = np.append(hashes, np.uint64(0))  # a stretch may end with the last one
    for at in range(len(made)):
        salt = _mixed(np.array([at + 1], np.uint64))
        made[at] = np.minimum.reduceat(_mixed(padded ^ salt), edges)[::2]
    return made.T.reshape(len(low), _BANDS, _ROWS)


def _candidates(signatures: Hashes) -> Integers:
    """Pairs that agree in a whole band: each with the first and the one before it. `(n, 2)`."""
    pairs: list[Integers] = []
    for band in range(_BANDS):
        keys = np.zeros(len(signatures), np.uint64)
        for row in range(_ROWS):
            keys = _mixed(keys + signatures[:, band, row])
        order = np.argsort(keys, kind="stable")
        same = keys[order][1:] == keys[order][:-1]
        begins = np.r_[True, ~same]
        first = np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))
        later = np.flatnonzero(~begins)
        pairs.append(np.stack([order[first[later]], order[later]], axis=1))
        pairs.append(np.stack([order[later - 1], order[later]], axis=1))
    return np.unique(np.concatenate(pairs), axis=0)


def _near_duplicate(views: Sequence[View], limits: Thresholds) -> list[Hits]:
    documents, chunks = _numbered(views)
    if len(chunks) < 2:
        return [Hits() for _ in views]
    all_shingles = list(_shingles(views))
    sizes = np.concatenate([high - low for _, low, high in all_shingles])
    kept = np.flatnonzero((_copies(views) == np.arange(len(chunks))) & (sizes >= limits["terms"]))
    if len(kept) < 2:
        return [Hits() for _ in views]
    parts = []
    for number, (hashes, low, high) in enumerate(all_shingles):
        own = chunks[kept[documents[kept] == number]]
        if len(own):
            parts.append(_signatures(hashes, low[own], high[own]))
    starts = np.concatenate([view.starts for view in views])
    ends = np.concatenate([view.ends for view in views])

    def shingles(at: int) -> set[int]:
        hashes, low, high = all_shingles[documents[at]]
        return set(hashes[low[chunks[at]] : high[chunks[at]]].tolist())

    # The overlap of neighbours is wanted: they are no copies of each other.
    pairs = kept[_candidates(np.concatenate(parts))]
    one, other = pairs[:, 0], pairs[:, 1]
    meet = (documents[one] == documents[other]) & (starts[one] < ends[other])
    pairs = pairs[~(meet & (starts[other] < ends[one]))]
    # Sets are at most as alike as they are of one size.
    least = np.minimum(sizes[pairs[:, 0]], sizes[pairs[:, 1]])
    pairs = pairs[least >= limits["similarity"] * sizes[pairs].max(axis=1)] if len(pairs) else pairs
    found: dict[int, int] = {}
    for first, later in pairs.tolist():
        if later in found:
            continue
        mine, theirs = shingles(first), shingles(later)
        if len(mine & theirs) >= limits["similarity"] * len(mine | theirs):
            found[later] = first
    later_ones = np.array(sorted(found), np.int64)
    first_ones = np.array([found[at] for at in later_ones.tolist()], np.int64)
    return _grouped(views, later_ones, first_ones, "nearly as")


NEAR_DUPLICATE = Rule(
    code="D402",
    name="near-duplicate",
    label="near-duplicate",
    severity=Severity.NOTE,
    why="Results fill up with versions of one passage, and the model is sent it again and again.",
    bad=(
        "Press the small button on the back of the lamp for five seconds until the light at its "
        "foot blinks blue.¦Press the small button on the back of the lamp for nine seconds until "
        "the light at its foot blinks blue."
    ),
    good=(
        "Press the small button on the back of the lamp for five seconds until it blinks blue."
        "¦The hub is found by the app within a minute; if not, move both closer to the router."
    ),
    find_in_all=_near_duplicate,
    thresholds={"similarity": 0.7, "terms": 8},
)


def _inside_another(view: View, _limits: Thresholds) -> Hits:
    if len(view) < 2:
        return Hits()
    order = np.lexsort((-view.ends, view.starts))
    ends = view.ends[order]
    reached = np.maximum.accumulate(ends)
    inside = np.r_[False, ends[1:] <= reached[:-1]]
    # Two of the very same span are duplicates.
    same = (np.diff(view.starts[order]) == 0) & (np.diff(ends) == 0)
    chunks = np.sort(order[inside & ~np.r_[False, same]])
    chunks = chunks[view.ends[chunks] > view.starts[chunks]]
    return Hits(chunks, view.starts[chunks], view.ends[chunks])


INSIDE_ANOTHER = Rule(
    code="D403",
    name="inside-another",
    label="inside another chunk",
    severity=Severity.WARNING,
    why="Whatever finds it finds the larger one, too: the same text is sent twice.",
    bad="A chunk of lines 1 to 9, and one of lines 3 to 5.",
    good="A chunk of lines 1 to 5, and one of lines 5 to 9.",
    find=_inside_another,
)


def _achieved(view: View) -> float:
    """Characters that neighbours share, as a share of the mean size of a chunk."""
    sizes = view.ends - view.starts
    common = np.maximum(0, shared(view.cut.spans))
    return float(common.mean() / sizes.mean()) if common.any() and sizes.any() else 0.0


def _overlap_differs(view: View, limits: Thresholds) -> Hits:
    asked = overlap_ratio(view.cut.setup)
    if not asked or len(view) < limits["chunks"]:
        return Hits()
    achieved = _achieved(view)
    if achieved >= limits["share"] * asked:
        return Hits()
    return _of_document(view, f"{achieved:.0%} achieved, {asked:.0%} asked")


def _of_document(view: View, detail: str) -> Hits:
    """One hit, at the first chunk, for what is wrong with all of them."""
    first = np.zeros(1, np.int64)
    return Hits(first, view.starts[first], view.ends[first], (detail,))


OVERLAP_DIFFERS = Rule(
    code="D404",
    name="overlap-differs",
    label="less overlap than asked",
    severity=Severity.NOTE,
    why="Facts at the edges are not as safe as the setup promises: sentences or paragraphs are "
    "longer than the overlap.",
    bad="An overlap of 20 % between chunks that each are one long sentence.",
    good="The same between chunks of many short sentences.",
    find=_overlap_differs,
    thresholds={"share": 0.5, "chunks": 4},
)


def _overlap_high(view: View, limits: Thresholds) -> Hits:
    achieved = _achieved(view)
    return _of_document(view, f"{achieved:.0%}") if achieved > limits["ratio"] else Hits()


OVERLAP_HIGH = Rule(
    code="D405",
    name="overlap-high",
    label="high overlap",
    severity=Severity.WARNING,
    why="Above 30 % the same passage comes back several times in the results, and everything "
    "costs more to store.",
    bad="Chunks of 800 characters that share 400.",
    good="Chunks of 800 characters that share 160.",
    find=_overlap_high,
    thresholds={"ratio": 0.3},
)
