"""Late chunking: a document is read once, and any chunk's vector is pooled from its tokens'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, Protocol, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from chunkwright.errors import ChunkwrightError
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.dense import cosines, question_vectors
from chunkwright.retrieval.embedders import Embedder, Vectors, checked, embedder, unit
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Scores
from chunkwright.retrieval.transformer import Tokens
from chunkwright.retrieval.vectors import MEMORY, Entry, VectorCache, room, text_hash
from chunkwright.spans import Integers

# Share of a window that is context only, at each of its ends.
_MARGIN = 1 / 8
# Windows of an embedder that reads everything.
_WIDEST = 8192
# Tokens whose vectors are made between two savings.
_SAVED_TOKENS = 1 << 14
# Running sums begin anew after so many tokens, so that float32 holds them to the last digits.
_BLOCK = 64
# Chunks that are pooled together.
_AT_ONCE = 4096


class TokenEmbedder(Embedder, Protocol):
    """An embedder that also gives the vectors of single tokens."""

    def tokens(self, text: str) -> Tokens:
        """The tokens of a text, whatever the limit."""
        ...

    def token_vectors(self, windows: Sequence[Integers]) -> list[Vectors]:
        """The vectors of tokens that are read together, before they are pooled."""
        ...


class Window(NamedTuple):
    """Tokens that are read together: `[start, end)`; the vectors of `[low, high)` are used."""

    start: int
    end: int
    low: int
    high: int


def windows(tokens: int, width: int, margin: int) -> Iterator[Window]:
    """Windows over a text, of one length, that use every token once.

    At least `margin` tokens of context stand on both sides of what is used, but at the ends of
    the text. There are as few windows of at most `width` tokens as that takes, and none is longer
    than they need.

    >>> list(windows(12, 8, 1))
    [Window(start=0, end=7, low=0, high=6), Window(start=5, end=12, low=6, high=12)]
    """
    if tokens <= width:
        if tokens:
            yield Window(0, tokens, 0, tokens)
        return
    inner = tokens - 2 * margin
    count = -(-inner // (width - 2 * margin))
    width = -(-inner // count) + 2 * margin
    starts = np.linspace(0, tokens - width, count).round().astype(int).tolist()
    seams = [(after + before + width) // 2 for before, after in pairwise(starts)]
    for start, low, high in zip(starts, [0, *seams], [*seams, tokens], strict=True):
        yield Window(start, start + width, low, high)


class RunningSums:
    """Running sums of rows: the sum of any range of them is the difference of two.

    Within a block the sums are float32, and the sums of whole blocks float64: however many rows
    there are, the error stays that of a block.

    Args:
        rows: How many there are.
        dimensions: Length of each.
        memory: Above so many bytes the sums are kept in a file, mapped into memory.
    """

    def __init__(self, rows: int, dimensions: int, memory: int = MEMORY) -> None:
        self._within = room((rows + 1, dimensions), memory)
        self._blocks = np.zeros((rows // _BLOCK + 1, dimensions), np.float64)
        self._last = np.zeros(dimensions, np.float64)
        self._filled = 0

    def append(self, rows: Vectors) -> None:
        """Add rows after those that are there."""
        done = 0
        while done < len(rows):
            at = self._filled + done
            block = at // _BLOCK
            part = rows[done : done + _BLOCK - at % _BLOCK]
            sums = np.cumsum(part, axis=0, dtype=np.float64) + self._last
            last = at + len(part)
            if last % _BLOCK:
                self._within[at + 1 : last + 1] = sums
                self._last = sums[-1]
            else:
                self._within[at + 1 : last] = sums[:-1]  # the next one is the next block's zero
                self._blocks[block + 1] = self._blocks[block] + sums[-1]
                self._last = np.zeros_like(self._last)
            done += len(part)
        self._filled += len(rows)

    def over(self, low: Integers, high: Integers) -> NDArray[np.float64]:
        """The sums of the rows `[low, high)`. Shape `(ranges, dimensions)`."""
        whole = self._blocks[high // _BLOCK] - self._blocks[low // _BLOCK]
        whole += self._within[high]
        whole -= self._within[low]
        return whole


class TokenSums(NamedTuple):
    """The token vectors of texts laid end to end on a line, as running sums.

    Attributes:
        starts: Where each token starts on the line; they never descend.
        ends: Where each ends.
        sums: Of their vectors.
    """

    starts: Integers
    ends: Integers
    sums: RunningSums

    def over(self, starts: Integers, ends: Integers) -> NDArray[np.float64]:
        """Sum of the vectors of the tokens in each span. Shape `(spans, dimensions)`.

        A token belongs where it starts; a span inside a token gets that token.
        """
        low = np.searchsorted(self.starts, starts, side="left")
        high = np.maximum(low, np.searchsorted(self.starts, ends, side="left"))
        if len(self.ends):
            inside = (low == high) & (low > 0) & (self.ends[low - 1] > starts)
            low = low - inside
        return self.sums.over(low, high)


def token_sums(
    embedder: TokenEmbedder,
    cache: VectorCache,
    texts: Sequence[str],
    offsets: Integers,
    memory: int = MEMORY,
) -> TokenSums:
    """Read texts window by window, and keep the running sums of their tokens' vectors.

    Args:
        embedder: What reads them.
        cache: Where the vectors of windows are kept, as float16.
        texts: The texts.
        offsets: Where each of them starts on the line.
        memory: Above so many bytes the sums are kept in a file, mapped into memory.

    Raises:
        ChunkwrightError: The embedder cannot give vectors of tokens.
    """
    if not hasattr(embedder, "token_vectors"):
        raise ChunkwrightError(f"late vectors need vectors of tokens; {embedder.name} has none")
    prompt = embedder.tokens(embedder.text_prompt).ids
    width = max(1, (embedder.limit or _WIDEST) - len(prompt))
    none = np.empty(0, np.int64)
    starts, ends, read = [none], [none], list[_Read]()
    for text, offset in zip(texts, offsets.tolist(), strict=True):
        tokens = embedder.tokens(text)
        starts.append(tokens.starts + offset)
        ends.append(tokens.ends + offset)
        for window in windows(len(tokens.ids), width, int(width * _MARGIN)):
            ids = np.concatenate([prompt, tokens.ids[window.start : window.end]])
            first = window.start - len(prompt)
            read.append(_Read(ids, slice(window.low - first, window.high - first)))
    all_starts = np.concatenate(starts)
    sums = RunningSums(len(all_starts), embedder.dimensions, memory)
    for vectors in _vectors(embedder, cache, read):
        sums.append(vectors)
    return TokenSums(all_starts, np.concatenate(ends), sums)


class _Read(NamedTuple):
    """What is given to the embedder, and which part of what comes back is used."""

    ids: Integers
    used: slice


def _vectors(
    embedder: TokenEmbedder, cache: VectorCache, read: Sequence[_Read]
) -> Iterator[Vectors]:
    """The vectors of the used tokens of each window, in their order."""
    key = f"{embedder.key} tokens"
    for part in _parts(read):
        names = [
            text_hash(b"%d %d " % (used.start, used.stop) + ids.astype("<i8").tobytes())
            for ids, used in part
        ]
        found = {name: entry.vector for name, entry in cache.read(key, dict.fromkeys(names))}
        missing = {name: at for at, name in enumerate(names) if name not in found}
        made = embedder.token_vectors([part[at].ids for at in missing.values()])
        fresh = []
        for (name, at), vectors in zip(missing.items(), made, strict=True):
            whole = checked(vectors, len(part[at].ids), embedder)
            # Half the room, and no difference beyond the sixth digit of a mean.
            found[name] = whole[part[at].used].astype("<f2").tobytes()
            fresh.append((name, Entry(len(part[at].ids), found[name])))
        cache.write(key, fresh)
        cache.misses += len(fresh)
        cache.hits += len(part) - len(fresh)
        cache.tokens += sum(entry.tokens for _, entry in fresh)
        for name in names:
            yield np.frombuffer(found[name], "<f2").reshape(-1, embedder.dimensions)


def _parts(read: Sequence[_Read]) -> Iterator[Sequence[_Read]]:
    """The windows in parts of so many tokens."""
    first = tokens = 0
    for at, (ids, _) in enumerate(read):
        tokens += len(ids)
        if tokens >= _SAVED_TOKENS:
            yield read[first : at + 1]
            first, tokens = at + 1, 0
    if first < len(read):
        yield read[first:]


class Late:
    """A chunk's vector is the mean of its tokens' vectors, each read in its document's context.

    Guenther, Mohr, Williams, Wang and Xiao, "Late Chunking: Contextual Chunk Embeddings Using
    Long-Context Embedding Models" (2024); a document that is longer than the model reads is read
    in windows that overlap. One pass serves every setup, and no chunk is too long.

    What a setup puts before a chunk's text, such as a contextual header, stands nowhere in the
    document: it is read alone, and its tokens count in the mean.

    Args:
        embedded_by: The embedder or its name, which is looked up when it is needed.
        cache: Where the vectors of windows are kept; they go with the process if left out.
    """

    def __init__(
        self, embedded_by: TokenEmbedder | str = "minilm", cache: VectorCache | None = None
    ) -> None:
        self._embedded_by = embedded_by
        self.cache = cache or VectorCache()
        self._collections: WeakKeyDictionary[Collection, TokenSums] = WeakKeyDictionary()
        self._pools: WeakKeyDictionary[Pool, Vectors] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[type[Late], tuple[TokenEmbedder | str, VectorCache]]:
        return Late, (self._embedded_by, self.cache)

    def kept_in(self, path: Path) -> Late:
        """The same retriever with its vectors in a file."""
        return Late(self._embedded_by, VectorCache(path))

    @cached_property
    def embedder(self) -> TokenEmbedder:
        """What makes the vectors."""
        given = self._embedded_by
        return cast(TokenEmbedder, embedder(given)) if isinstance(given, str) else given

    @property
    def name(self) -> str:
        """`late`, with the embedder if it is not the usual one."""
        given = self._embedded_by
        name = given if isinstance(given, str) else given.name
        return "late" if name == "minilm" else f"late:{name}"

    @property
    def key(self) -> str:
        """The name with all settings."""
        return f"late({self.embedder.key}, margin={_MARGIN})"

    def scores(self, pool: Pool, questions: Sequence[str]) -> Scores:
        """Cosine, moved to 0..1. Shape `(questions, chunks)`."""
        return cosines(question_vectors(self.embedder, self.cache, questions), self.vectors(pool))

    def vectors(self, pool: Pool) -> Vectors:
        """The vectors of a pool's chunks. Shape `(chunks, dimensions)`."""
        known = self._pools.get(pool)
        if known is None:
            known = self._pools[pool] = self._pooled(pool)
        return known

    def _pooled(self, pool: Pool) -> Vectors:
        starts, ends = pool.spans.starts.copy(), pool.spans.ends
        before = _put_before(pool, starts)
        vectors = room((len(pool), self.embedder.dimensions))
        tokens = self.read(pool.collection)
        texts = list(dict.fromkeys(before.values()))
        place = {text: at for at, text in enumerate(texts)}
        added = self._over_whole(texts)
        for first in range(0, len(pool), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            sums = tokens.over(starts[part], ends[part])
            for row in range(first, min(first + _AT_ONCE, len(pool))):
                if row in before:
                    sums[row - first] += added[place[before[row]]]
            vectors[part] = unit(sums.astype(np.float32))
        return vectors

    def read(self, collection: Collection) -> TokenSums:
        """Read all documents of a collection, if that is not done: what takes the time.

        Processes that share a file should start when one of them has done so.
        """
        known = self._collections.get(collection)
        if known is None:
            texts = [analysis.text for analysis in collection.analyses]
            known = token_sums(self.embedder, self.cache, texts, collection.offsets)
            self._collections[collection] = known
        return known

    def _over_whole(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The sum of the token vectors of each text. Shape `(texts, dimensions)`."""
        bounds = np.cumsum([0, *(len(text) + 1 for text in texts)]).astype(np.int64)
        return token_sums(self.embedder, self.cache, texts, bounds[:-1]).over(
            bounds[:-1], bounds[1:]
        )


def _put_before(pool: Pool, starts: Integers) -> dict[int, str]:
    """What stands before the text of chunks; words that it replaces are taken off their starts."""
    before: dict[int, str] = {}
    first = 0
    for made in pool.cuts:
        for index in made.reworded().tolist():
            text = made.prefix(index)
            if lead := made.leads.get(index):
                starts[first + index] += lead.skip
                text += lead.words
            if text:
                before[first + index] = text
        first += len(made)
    return before


LATE = Late()
