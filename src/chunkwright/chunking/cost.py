"""What a setup costs before anything is embedded: chunks, stored text, overlap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from chunkwright import registry
from chunkwright.chunking.boundaries import Strategy
from chunkwright.chunking.cut import Counting, Cut, cut
from chunkwright.chunking.measure import overlap_of
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.spans import shared
from chunkwright.text.analysis import Analysis


@dataclass(frozen=True, slots=True)
class Estimate:
    """Storage by the lesson's formula: every chunk counted as full.

    Attributes:
        ratio: Overlap divided by size.
        chunks: `ceil((characters - overlap) / (size - overlap))`.
        stored: `chunks * size`.
        extra_percent: Stored beyond the text itself, in percent, rounded.
    """

    ratio: float
    chunks: int
    stored: int
    extra_percent: int


def estimate(characters: int, size: int, overlap: int) -> Estimate:
    """The cost of overlap for fixed windows, by the lesson's formula.

    >>> estimate(100_000, 800, 160)
    Estimate(ratio=0.2, chunks=156, stored=124800, extra_percent=25)
    """
    chunks = max(1, -(-(characters - overlap) // (size - overlap)))
    stored = chunks * size
    extra = (stored / characters - 1) * 100 if characters else 0.0
    return Estimate(overlap / size, chunks, stored, int(np.floor(extra + 0.5)))


@dataclass(frozen=True, slots=True)
class Cost:
    """What a setup makes of real documents.

    Attributes:
        setup: The setup.
        ratio: Overlap asked for, divided by the size; None where their units differ.
        achieved: Characters shared by neighbours, divided by the characters stored.
        chunks: Number of chunks.
        characters: Characters of the documents.
        stored_characters: Characters of all embed_texts.
        stored_tokens: Tokens of all embed_texts.
        mean_tokens: Mean tokens of a chunk; None without chunks.
        largest_tokens: Tokens of the largest chunk; None without chunks.
        extra: Stored characters beyond those of the documents, as a share of them.
        formula: For windows of characters, the lesson's estimate; otherwise None.
    """

    setup: Setup
    ratio: float | None
    achieved: float
    chunks: int
    characters: int
    stored_characters: int
    stored_tokens: int
    mean_tokens: float | None
    largest_tokens: int | None
    extra: float
    formula: Estimate | None


def overlap_ratio(setup: Setup) -> float | None:
    """Overlap divided by size; None where the units differ.

    >>> overlap_ratio(Setup.parse("fixed:800c+160c")), overlap_ratio(Setup.parse("sentence:9t+1s"))
    (0.2, None)
    """
    if setup.overlap_unit == "percent":
        return setup.overlap / 100
    return setup.overlap / setup.size if setup.overlap_unit == setup.unit else None


def cost(
    documents: Iterable[Document | Analysis], setup: Setup | str, counter: Counting = None
) -> Cost:
    """What a setup makes of documents, from real counts.

    Args:
        documents: Documents, or their analyses where several setups are to share them.
        setup: A setup or its notation.
        counter: Counts tokens in place of the setup's own counter.

    Raises:
        SetupError: The setup cannot be used on one of them.

    >>> found = cost([Document("a.txt", "m" * 100)], "fixed:40c+10c")
    >>> found.chunks, found.stored_characters, found.formula.stored
    (3, 120, 120)
    """
    setup = Setup.parse(setup) if isinstance(setup, str) else setup
    analyses = (each if isinstance(each, Analysis) else Analysis(each) for each in documents)
    return cost_of((cut(analysis, setup, counter) for analysis in analyses), setup)


def cost_of(cuts: Iterable[Cut], setup: Setup) -> Cost:
    """The same of documents that are cut already, each once.

    Args:
        cuts: One a document.
        setup: What they were cut by.
    """
    characters = stored = common = 0
    tokens: list[int] = []
    for result in cuts:
        characters += len(result.analysis.text)
        stored += _stored(result)
        common += int(shared(result.spans).sum())
        tokens.extend(result.tokens().tolist())
    formula = None
    strategy: Strategy = registry.load("strategies", setup.strategy)
    if strategy.windows and setup.unit == "characters" and characters:
        formula = estimate(characters, setup.size, overlap_of(setup)[0])
    return Cost(
        setup=setup,
        ratio=overlap_ratio(setup),
        achieved=common / stored if stored else 0.0,
        chunks=len(tokens),
        characters=characters,
        stored_characters=stored,
        stored_tokens=sum(tokens),
        mean_tokens=float(np.mean(tokens)) if tokens else None,
        largest_tokens=max(tokens, default=None),
        extra=stored / characters - 1 if characters else 0.0,
        formula=formula,
    )


def _stored(result: Cut) -> int:
    """Characters of all embed_texts."""
    starts, ends = result.spans
    reworded = result.reworded().tolist()
    added = sum(len(result.embed_text(at)) - int(ends[at] - starts[at]) for at in reworded)
    return int((ends - starts).sum()) + added
