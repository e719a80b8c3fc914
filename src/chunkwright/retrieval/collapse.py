"""Near-duplicates among results: what says again what a better result said."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chunkwright.spans import Integers, Span, merged

Hashes = NDArray[np.int64]
# Terms of a shingle: three in a row tell one sentence from another with the same words.
_SHINGLE = 3
# An odd number, so that no two terms fall together; what overflows is cut off on every machine.
_MIX = np.int64(0x5851F42D4C957F2D)
# Share of the shorter of two spans, and of all shingles of two texts, that make one a
# near-duplicate of the other.
OVERLAP, LIKENESS = 0.5, 0.8


def shingles(numbers: Integers) -> Hashes:
    """Each three terms in a row as one number, ascending and each once; of fewer, all of them.

    >>> len(shingles(np.array([4, 5, 4, 5, 4]))), len(shingles(np.array([4])))
    (2, 1)
    """
    width = min(_SHINGLE, len(numbers))
    joined = np.zeros(len(numbers) - width + 1 if width else 0, np.int64)
    for at in range(width):
        joined = (joined + numbers[at : at + len(joined)] + 1) * _MIX
        joined ^= joined >> 29
    return merged(joined)


def near_duplicates(spans: Sequence[Span], words: Sequence[Hashes]) -> list[int | None]:
    """For each result, the better one that it is a near-duplicate of; None where it is new.

    It is one where half of the shorter span lies in the other, or where four of five shingles
    are common to both. It is compared with results that are new themselves, so that a chain of
    neighbours does not end up as one.

    Args:
        spans: What the results send, best first, on one line.
        words: The shingles of each.

    >>> spans = [Span(0, 10), Span(6, 16), Span(4, 12)]
    >>> near_duplicates(spans, [shingles(np.array([number])) for number in range(3)])
    [None, None, 0]
    """
    found: list[int | None] = []
    for at, span in enumerate(spans):
        new = (better for better in range(at) if found[better] is None)
        found.append(
            next(
                (
                    better
                    for better in new
                    if _overlap(span, spans[better]) or _alike(words[at], words[better])
                ),
                None,
            )
        )
    return found


def _overlap(one: Span, other: Span) -> bool:
    common = min(one.end, other.end) - max(one.start, other.start)
    shorter = min(one.end - one.start, other.end - other.start)
    return common > 0 and common >= OVERLAP * shorter


def _alike(one: Hashes, other: Hashes) -> bool:
    """Whether two sets are alike by their Jaccard index."""
    few, many = sorted((len(one), len(other)))
    # Sets are at most as alike as they are of one size.
    if not few or few < LIKENESS * many:
        return False
    together = len(merged(one, other))
    return few + many - together >= LIKENESS * together
