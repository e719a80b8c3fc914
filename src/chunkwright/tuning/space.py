"""The space of a study: which setups to try."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest
from pathlib import Path

from chunkwright.errors import StudyError
from chunkwright.setup import Setup

# Sizes from a sentence or two to a page; overlaps of none, a fifth and a half; every strategy.
DEFAULT_SPACE = (
    "fixed:{100,200,300,400}t+{0,20,50}%",
    "sentence:{60,100,150,200,300,400}t+{0,1,2}s",
    "recursive:{60,100,150,200,300,400}t+{0,20}%",
    "header:{100,200,300,400}t{,|headers}",
    "markdown:{100,200,300,400}t{,|headers}",
    "sentence:{100,200}t+1s|headers",
    "{sentence,recursive}:60t|parents={200t,400t}",
)
_BRACES = re.compile(r"\{([^{}]*)\}")


def expand(pattern: str) -> Iterator[str]:
    """All notations of a pattern in which `{a,b}` stands for each of its parts.

    >>> list(expand("sentence:{100,200}t{,+1s}"))
    ['sentence:100t', 'sentence:100t+1s', 'sentence:200t', 'sentence:200t+1s']
    """
    found = _BRACES.search(pattern)
    if found is None:
        yield pattern
        return
    for part in found[1].split(","):
        yield from expand(f"{pattern[: found.start()]}{part}{pattern[found.end() :]}")


def read_space(patterns: Iterable[str] = DEFAULT_SPACE) -> tuple[Setup, ...]:
    """The distinct setups of patterns; `@FILE` reads patterns from a file, a line each.

    Raises:
        StudyError: A file cannot be read, or nothing is left.
        SetupError: A notation cannot be read.

    >>> len(read_space())
    64
    """
    notations = (notation for pattern in _lines(patterns) for notation in expand(pattern))
    setups = dict.fromkeys(map(Setup.parse, notations))
    if not setups:
        raise StudyError("the space is empty: name at least one setup, such as 'sentence:200t'")
    return tuple(setups)


def in_turns(setups: Iterable[Setup]) -> list[Setup]:
    """One setup of each strategy in turn, so that a study stopped early has seen all kinds.

    >>> [str(setup) for setup in in_turns(read_space(["fixed:{8,9}c", "sentence:1s"]))]
    ['fixed:8c', 'sentence:1s', 'fixed:9c']
    """
    kinds: dict[str, list[Setup]] = {}
    for setup in setups:
        kinds.setdefault(setup.strategy, []).append(setup)
    turns = chain.from_iterable(zip_longest(*kinds.values()))
    return [setup for setup in turns if setup is not None]


def _lines(patterns: Iterable[str]) -> Iterator[str]:
    for pattern in patterns:
        if not pattern.startswith("@"):
            yield pattern.strip()
            continue
        path = Path(pattern[1:])
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as problem:
            raise StudyError(f"space file {path}: cannot be read ({problem})") from None
        for line in text.splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                yield line.strip()
