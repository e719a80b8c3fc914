"""Where the tools cut: at sentences or in their middle, and whether their offsets are true.

Whole documents, each cut on its own, and every tool judged alike: against the source text, never
by what a chunk looks like. A chunk starts well where its first visible character starts a sentence,
and ends well where the next visible character after it does. The start of a document's first chunk
and the end of its last one are nobody's merit and are not counted.

What starts a sentence is asked of two judges: chunkwright's own analysis, which favours our
strategies that cut by it, and pysbd, which is of another house. Each of them errs; a cut that
neither accepts is in the middle of a sentence beyond doubt. (For our own strategies that says no
more than the first judge, so read pysbd's figure beside it.) To both of them the source's structure
is added, of which a sentence splitter knows nothing:

- in prose, what follows a blank line;
- in Markdown, as markdown-it reads it: every heading, paragraph, quote and list item (at its mark,
  or at its text), every row of a table, every line of code and of HTML, every link definition.

The overlap is judged where it can be: of the chunks that share text with the one before, and for
which all judges see a sentence start among the 200 characters before that one's end, the share that
starts where any judge sees one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import ROOT, shared, table
from benchmarks.tools import CHONKIE, LANGCHAIN, SEMANTIC, SEMCHUNK
from chunkwright.chunking.dress import chunk
from chunkwright.model import Document
from chunkwright.text.analysis import Analysis

_SIZE, _OVERLAP = 1000, 200


# What the project asks of itself, in percent of the chunks: mid-sentence starts and ends.
_AIM_START, _AIM_END = 1.0, 2.0
# What may stand before the text of a line: quote marks, a list mark, a heading mark.
_MARKS = re.compile(r"[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:#{1,6}[ \t]+)?")
# Markdown blocks of which every line is a part of its own.
_BY_LINE = frozenset({"table_open", "fence", "code_block", "html_block"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk as a tool gives it.

    Attributes:
        text: Its text.
        start: Where the tool says it starts.
        end: Where the tool says it ends.
        size: Characters of what would be embedded.
    """

    text: str
    start: int
    end: int
    size: int


Splitter = Callable[[str], list[Piece]]
Judge = frozenset[int]


@dataclass(frozen=True, slots=True)
class Source:
    """Documents of one kind.

    Attributes:
        title: Which kind.
        place: Where they are from.
        name: A document's name, which says whether it is Markdown.
        texts: The documents.
    """

    title: str
    place: str
    name: str
    texts: tuple[str, ...]

    @property
    def is_markdown(self) -> bool:
        """Whether they are Markdown."""
        return self.name.endswith(".md")


@dataclass(frozen=True, slots=True)
class Judged:
    """A document with what each judge says: where a sentence may start."""

    analysis: Analysis
    judges: tuple[Judge, ...]


@dataclass(slots=True)
class Counts:
    """What one tool's chunks of all documents come to.

    Attributes:
        chunks: All of them.
        starts: Starts that are judged: of every chunk but the first of a document.
        ends: Ends that are judged: of every chunk but the last.
        bad_starts: Those in the middle of a sentence, by judge; the last is every judge.
        bad_ends: The same of ends.
        overlapping: Chunks that share text with the one before.
        could: Of them, those with a sentence start within the allowance.
        did: Of them, those that start at one.
        exact: Chunks whose offsets give their text.
        over: Chunks over the size.
    """

    chunks: int = 0
    starts: int = 0
    ends: int = 0
    bad_starts: NDArray[np.int64] | int = 0
    bad_ends: NDArray[np.int64] | int = 0
    overlapping: int = 0
    could: int = 0
    did: int = 0
    exact: int = 0
    over: int = 0


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
        Piece(found.text, found.start_index, found.end_index, len(found.text))
        for found in chunker.chunk(text)
    ]


def _chonkie_sentences() -> Splitter:
    from chonkie import SentenceChunker

    chunker = SentenceChunker("character", _SIZE, _OVERLAP)
    return lambda text: [
        Piece(found.text, found.start_index, found.end_index, len(found.text))
        for found in chunker.chunk(text)
    ]


def _semchunk() -> Splitter:
    from semchunk.semchunk import chunkerify

    chunker: Any = chunkerify(len, _SIZE)

    def run(text: str) -> list[Piece]:
        chunks, offsets = chunker(text, overlap=_OVERLAP, offsets=True)
        pairs = zip(chunks, offsets, strict=True)
        return [Piece(found, start, end, len(found)) for found, (start, end) in pairs]

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
        Piece(found.text, found.start, found.end, len(found.embed_text))
        for found in chunk(Document(document_id, text), setup)
    ]


def _from(found: str, start: int) -> Piece:
    return Piece(found, start, start + len(found), len(found))


_PEERS: dict[str, Callable[[], Splitter]] = {
    f"{LANGCHAIN} recursive": _langchain,
    f"{LANGCHAIN} Markdown": _langchain_markdown,
    f"{CHONKIE} recursive (has no overlap)": _chonkie_recursive,
    f"{CHONKIE} sentence": _chonkie_sentences,
    SEMCHUNK: _semchunk,
    SEMANTIC: _semantic,
    f"{SEMANTIC} Markdown": _semantic_markdown,
}
_STRATEGIES = ("recursive", "sentence", "markdown")


def _splitters(source: Source) -> dict[str, Callable[[], Splitter]]:
    ours: dict[str, Callable[[], Splitter]] = {
        f"ours: {strategy}": partial(_ours, strategy, source.name)
        for strategy in _STRATEGIES
        if source.is_markdown or strategy != "markdown"
    }
    peers = {
        tool: build
        for tool, build in _PEERS.items()
        if source.is_markdown or not tool.endswith("Markdown")
    }
    return ours | peers


def _sources(megabytes: float) -> Iterator[Source]:
    """Whole English documents, up to so many megabytes of each kind."""
    most = round(megabytes * 1e6)
    examples = ROOT / "examples" / "docs"
    papers = shared() / "covidqa" / "docs"
    articles = shared() / "xquad-en" / "docs"
    if papers.is_dir() and articles.is_dir():
        texts = [*_read(articles.glob("*.txt"), most // 2), *_read(papers.glob("*.txt"), most // 2)]
        place = "encyclopedia and papers of the shared data"
        yield Source("prose", place, "text.txt", tuple(texts))
    else:
        texts = _read(examples.glob("*.txt"), most)
        yield Source("prose", "examples/docs", "text.txt", tuple(texts))
    written = [path for path in examples.rglob("*.md") if path.parent.name != "i18n"]
    yield Source("Markdown", "examples/docs", "text.md", tuple(_read(written, most)))
    rough = sorted((shared() / "chroma" / "docs").glob("*.md"))
    if rough:
        each = most // len(rough)
        texts = [text for path in rough for text in _read([path], each)]
        place = "chroma of the shared data: speeches, chats, papers, tables"
        yield Source("rough Markdown", place, "text.md", tuple(texts))


def _read(paths: Iterable[Path], most: int) -> list[str]:
    """Documents until there are so many characters; the last one up to a line's end."""
    texts: list[str] = []
    for path in sorted(paths):
        text = path.read_bytes().decode("utf-8")
        if len(text) > most:
            text = text[: text.rfind("\n", 0, most) + 1]
        if text:
            texts.append(text)
        most -= len(text)
    return texts


def report(megabytes: float) -> Iterator[str]:
    """For each kind of text a table of where the tools cut; then what was aimed at."""
    aims: list[list[str]] = []
    for source in _sources(megabytes):
        names, documents = _judged(source)
        yield _too_long(source, documents)
        head = [f"% of chunks, {source.title}", "chunks"]
        head += [f"starts mid-sentence ({name})" for name in names]
        head += [f"ends mid-sentence ({name})" for name in names]
        head += ["overlaps", "overlap starts at a sentence", "offsets exact", f"over {_SIZE}"]
        lines = []
        for tool, build in _splitters(source).items():
            try:
                counts = _count(build(), documents)
            except ImportError:
                lines.append([tool, "not installed"] + [""] * (len(head) - 2))
                continue
            lines.append([tool, *_line(counts, len(names))])
            if tool.startswith("ours"):
                aims += _aims(source, tool, counts, names)
        yield table(head, lines)
    head = ["aim", "by", "starts mid-sentence", f"< {_AIM_START:g}", "ends mid-sentence"]
    yield table([*head, f"< {_AIM_END:g}"], aims)


def _judged(source: Source) -> tuple[list[str], list[Judged]]:
    """The names of the judges, and what they say of every document."""
    names = ["chunkwright"]
    documents = []
    for text in source.texts:
        analysis = Analysis(Document(source.name, text))
        structure = _markdown_starts(analysis) if source.is_markdown else _paragraphs(analysis)
        judges = [structure | frozenset(analysis.sentences.tolist())]
        second = _pysbd_starts(analysis)
        if second is not None:
            judges.append(structure | second)
        documents.append(Judged(analysis, tuple(judges)))
    if documents and len(documents[0].judges) > 1:
        names += ["pysbd", "both judges"]
    return names, documents


def _paragraphs(analysis: Analysis) -> Judge:
    """What follows a blank line."""
    found = re.finditer(r"\n[ \t]*\r?\n", analysis.text)
    return frozenset(analysis.next_visible(blank.end()) for blank in found)


def _markdown_starts(analysis: Analysis) -> Judge:
    """Where a part of the Markdown starts, at its mark and at its text."""
    from markdown_it import MarkdownIt

    text = analysis.text
    # markdown-it takes the same line ends.
    lines = [0, *(found.end() for found in re.finditer(r"\r\n|\n|\r", text))]
    starts: set[int] = set()
    read: set[int] = set()
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.map is None or token.type == "inline":
            continue
        first, last = token.map
        starts.update(range(first, last) if token.type in _BY_LINE else [first])
        if token.type.endswith(("list_open", "blockquote_open")):
            continue
        read.update(range(first, last))
    # What no block holds is a link definition or blank.
    starts.update(set(range(len(lines))) - read)
    found: set[int] = set()
    for line in starts:
        if line < len(lines):
            mark = _MARKS.match(text, lines[line])
            found.add(analysis.next_visible(lines[line]))
            found.add(analysis.next_visible(mark.end() if mark else lines[line]))
    return frozenset(found)


def _pysbd_starts(analysis: Analysis) -> Judge | None:
    """Where pysbd's sentences start; None without pysbd.

    Its own spans are those of a search through the whole text, wrong where a sentence comes twice.
    """
    try:
        import pysbd
    except ImportError:
        return None
    starts: set[int] = set()
    least = 0
    for sentence in pysbd.Segmenter(language="en", clean=False).segment(analysis.text):
        at = analysis.text.find(sentence, least)
        if at >= 0:
            starts.add(analysis.next_visible(at))
            least = at + len(sentence)
    return frozenset(starts)


def _too_long(source: Source, documents: Sequence[Judged]) -> str:
    """How much of a text every tool must cut inside a sentence."""
    total = sum(len(text) for text in source.texts)
    long = 0
    for document in documents:
        edges = np.append(document.analysis.sentences, len(document.analysis.text))
        lengths = np.diff(edges)
        long += int(lengths[lengths > _SIZE].sum())
    title = f"{source.title[0].upper()}{source.title[1:]} ({source.place})"
    return (
        f"{title}, {len(source.texts)} documents, {total:,} characters: {_share(long, total)} % of "
        f"them in sentences of more than {_SIZE}, which every tool has to cut."
    )


def _count(split: Splitter, documents: Sequence[Judged]) -> Counts:
    counts = Counts()
    for document in documents:
        pieces = split(document.analysis.text)
        text = document.analysis.text
        counts.chunks += len(pieces)
        counts.exact += sum(_is_exact(piece, text) for piece in pieces)
        counts.over += sum(piece.size > _SIZE for piece in pieces)
        _judge(counts, [span for span in _located(pieces, text) if span is not None], document)
    return counts


def _judge(counts: Counts, spans: Sequence[tuple[int, int]], document: Judged) -> None:
    """Add the starts, ends and overlaps of one document's chunks."""
    visible, judges = document.analysis.next_visible, document.judges
    known = sorted(frozenset.intersection(*judges))
    starts = [visible(start) for start, _ in spans[1:]]
    follows = [at for _, end in spans[:-1] if (at := visible(end)) < len(document.analysis.text)]
    counts.starts += len(starts)
    counts.ends += len(follows)
    counts.bad_starts = counts.bad_starts + _outside(starts, judges)
    counts.bad_ends = counts.bad_ends + _outside(follows, judges)
    for start, (_, end) in zip(starts, spans, strict=False):
        if start >= end:
            continue
        counts.overlapping += 1
        first = bisect_left(known, end - _OVERLAP)
        if first < len(known) and known[first] < end:
            counts.could += 1
            counts.did += any(start in judge for judge in judges)


def _outside(places: Sequence[int], judges: Sequence[Judge]) -> NDArray[np.int64]:
    """How many places each judge rejects; with several judges also how many all reject."""
    rejected = np.array([[at not in judge for judge in judges] for at in places], np.bool_)
    rejected = rejected.reshape(-1, len(judges))
    if len(judges) > 1:
        rejected = np.column_stack([rejected, rejected.all(axis=1)])
    sums: NDArray[np.int64] = rejected.sum(axis=0)
    return sums


def _line(counts: Counts, judges: int) -> list[str]:
    def shares(bad: NDArray[np.int64] | int, whole: int) -> list[str]:
        return [_share(part, whole) for part in np.broadcast_to(bad, judges).tolist()]

    return [
        str(counts.chunks),
        *shares(counts.bad_starts, counts.starts),
        *shares(counts.bad_ends, counts.ends),
        _share(counts.overlapping, counts.starts),
        _share(counts.did, counts.could),
        _share(counts.exact, counts.chunks),
        _share(counts.over, counts.chunks),
    ]


def _aims(source: Source, tool: str, counts: Counts, names: Sequence[str]) -> Iterator[list[str]]:
    """Whether the aims are reached, by each judge."""
    starts = np.broadcast_to(counts.bad_starts, len(names)).tolist()
    ends = np.broadcast_to(counts.bad_ends, len(names)).tolist()
    for name, start, end in zip(names, starts, ends, strict=True):
        line = [f"{tool}, {source.title}", name]
        for bad, whole, aim in ((start, counts.starts, _AIM_START), (end, counts.ends, _AIM_END)):
            reached = 100 * bad < aim * max(1, whole)
            line += [_share(bad, whole), "yes" if reached else "no"]
        yield line


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


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}" if whole else "–"
