"""Where the tools cut: at sentences or in their middle, and whether their offsets are true.

Every tool is judged alike, against the source text: a chunk starts well where a sentence starts,
and ends well where what follows it starts one. What a sentence is, chunkwright's own analysis
says, and pysbd as a second opinion of another house.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.texts import MAKERS, Text
from benchmarks.throughput import table
from benchmarks.tools import CHONKIE, LANGCHAIN, SEMANTIC, SEMCHUNK
from chunkwright.chunking.cut import chunk
from chunkwright.model import Document
from chunkwright.text.analysis import Analysis

_SIZE, _OVERLAP = 1000, 200


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk as a tool gives it."""

    text: str
    start: int
    end: int


Splitter = Callable[[str], list[Piece]]
Judge = frozenset[int]


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of one tool's chunks."""

    chunks: int
    mid_start: list[float]
    mid_end: list[float]
    exact: float
    over: float


def _langchain() -> Splitter:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=_SIZE, chunk_overlap=_OVERLAP, add_start_index=True
    )
    return lambda text: [
        _from(found.page_content, found.metadata["start_index"])
        for found in splitter.create_documents([text])
    ]


def _langchain_markdown() -> Splitter:
    from langchain_text_splitters import MarkdownTextSplitter

    splitter = MarkdownTextSplitter(chunk_size=_SIZE, chunk_overlap=_OVERLAP, add_start_index=True)
    return lambda text: [
        _from(found.page_content, found.metadata["start_index"])
        for found in splitter.create_documents([text])
    ]


def _chonkie_recursive() -> Splitter:
    from chonkie import RecursiveChunker

    chunker = RecursiveChunker("character", _SIZE)
    return lambda text: [
        Piece(found.text, found.start_index, found.end_index) for found in chunker.chunk(text)
    ]


def _chonkie_sentences() -> Splitter:
    from chonkie import SentenceChunker

    chunker = SentenceChunker("character", _SIZE, _OVERLAP)
    return lambda text: [
        Piece(found.text, found.start_index, found.end_index) for found in chunker.chunk(text)
    ]


def _semchunk() -> Splitter:
    from semchunk.semchunk import chunkerify

    chunker: Any = chunkerify(len, _SIZE)

    def run(text: str) -> list[Piece]:
        chunks, offsets = chunker(text, overlap=_OVERLAP, offsets=True)
        pairs = zip(chunks, offsets, strict=True)
        return [Piece(found, start, end) for found, (start, end) in pairs]

    return run


def _semantic() -> Splitter:
    from semantic_text_splitter import TextSplitter

    splitter = TextSplitter(_SIZE, _OVERLAP)
    return lambda text: [_from(found, start) for start, found in splitter.chunk_indices(text)]


def _semantic_markdown() -> Splitter:
    from semantic_text_splitter import MarkdownSplitter

    splitter = MarkdownSplitter(_SIZE, _OVERLAP)
    return lambda text: [_from(found, start) for start, found in splitter.chunk_indices(text)]


def _ours(strategy: str, document_id: str) -> Splitter:
    setup = f"{strategy}:{_SIZE}c+{_OVERLAP}c"
    return lambda text: [
        Piece(found.embed_text, found.start, found.end)
        for found in chunk(Document(document_id, text), setup)
    ]


def _from(found: str, start: int) -> Piece:
    return Piece(found, start, start + len(found))


_PEERS: dict[str, Callable[[], Splitter]] = {
    f"{LANGCHAIN} recursive": _langchain,
    f"{LANGCHAIN} Markdown": _langchain_markdown,
    f"{CHONKIE} recursive (has no overlap)": _chonkie_recursive,
    f"{CHONKIE} sentence": _chonkie_sentences,
    SEMCHUNK: _semchunk,
    SEMANTIC: _semantic,
    f"{SEMANTIC} Markdown": _semantic_markdown,
}
_NAMES = {"prose": "text.txt", "markdown": "text.md"}


_STRATEGIES = {
    "prose": ("recursive", "sentence"),
    "markdown": ("recursive", "sentence", "markdown"),
}


def _splitters(name: str) -> dict[str, Callable[[], Splitter]]:
    ours: dict[str, Callable[[], Splitter]] = {
        f"ours: {strategy}": partial(_ours, strategy, _NAMES[name])
        for strategy in _STRATEGIES[name]
    }
    peers = {
        tool: build
        for tool, build in _PEERS.items()
        if name == "markdown" or not tool.endswith("Markdown")
    }
    return ours | peers


def report(megabytes: float) -> Iterator[str]:
    """One table for each kind of text."""
    for name, make in MAKERS.items():
        text = make(megabytes)
        analysis = Analysis(Document(_NAMES[name], text.content))
        judges = {"chunkwright": frozenset(analysis.sentences.tolist())}
        if second := _pysbd_starts(analysis):
            judges["pysbd"] = second
        yield _too_long(text, analysis)
        yield _table(text, analysis, judges)


def _too_long(text: Text, analysis: Analysis) -> str:
    """How much of a text every tool must cut inside a sentence."""
    lengths = np.diff(np.append(analysis.sentences, len(text.content)))
    share = 100 * lengths[lengths > _SIZE].sum() / max(1, len(text.content))
    return (
        f"{text.name.capitalize()}, {len(text.content):,} characters: {share:.1f} % of them in "
        f"sentences of more than {_SIZE}, which every tool has to cut."
    )


def _pysbd_starts(analysis: Analysis) -> Judge:
    try:
        import pysbd
    except ImportError:
        return frozenset()
    segmenter = pysbd.Segmenter(language="en", clean=False, char_span=True)
    return frozenset(
        analysis.next_visible(found.start) for found in segmenter.segment(analysis.text)
    )


def _table(text: Text, analysis: Analysis, judges: dict[str, Judge]) -> str:
    head = [f"% of chunks, {text.name}", "chunks"]
    head += [f"starts mid-sentence ({judge})" for judge in judges]
    head += [f"ends mid-sentence ({judge})" for judge in judges]
    head += ["offsets exact", f"over {_SIZE}"]
    lines = [
        [tool, *_line(build, analysis, list(judges.values()))]
        for tool, build in _splitters(text.name).items()
    ]
    return table(head, lines)


def _line(build: Callable[[], Splitter], analysis: Analysis, judges: Sequence[Judge]) -> list[str]:
    try:
        pieces = build()(analysis.text)
    except ImportError:
        return ["not installed"] + [""] * (2 * len(judges) + 2)
    shares = _shares(pieces, analysis, judges)
    figures = [*shares.mid_start, *shares.mid_end, shares.exact, shares.over]
    return [str(shares.chunks), *(f"{100 * figure:.1f}" for figure in figures)]


def _shares(pieces: Sequence[Piece], analysis: Analysis, judges: Sequence[Judge]) -> Shares:
    text = analysis.text
    located = list(_located(pieces, text))
    spans = [span for span in located if span is not None]
    starts = [analysis.next_visible(start) for start, _ in spans]
    follows = [analysis.next_visible(end) for _, end in spans]
    return Shares(
        len(pieces),
        [_share([start not in judge for start in starts]) for judge in judges],
        [_share([at < len(text) and at not in judge for at in follows]) for judge in judges],
        _share([_is_exact(piece, text) for piece in pieces]),
        _share([len(piece.text) > _SIZE for piece in pieces]),
    )


def _located(pieces: Sequence[Piece], text: str) -> Iterator[tuple[int, int] | None]:
    """Where each chunk lies: as it says, or found from the one before; None if nowhere."""
    least = 0
    for piece in pieces:
        start = piece.start if _is_exact(piece, text) else text.find(piece.text, least)
        if start < 0:
            yield None
            continue
        yield start, start + len(piece.text)
        least = start


def _is_exact(piece: Piece, text: str) -> bool:
    return piece.start >= 0 and text[piece.start : piece.end] == piece.text


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags) if flags else 0.0
