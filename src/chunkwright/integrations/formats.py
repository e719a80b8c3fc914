"""The formats of chunk files: where a row holds its text, its document and its place in it.

A path such as `metadata.source` leads through the parts of a row.
"""

from __future__ import annotations

from dataclasses import dataclass

TEXTS = (
    *("text", "chunk_text", "chunk", "content", "page_content", "body", "passage", "document"),
    *("embed_text",),
)
SOURCES = (
    *("document_id", "doc_id", "source", "file_path", "path", "filename", "file_name", "file"),
    *("url", "title", "metadata.source", "metadata.file_path", "metadata.filename"),
    *("metadata.file_name", "metadata.document_id", "metadata.url", "metadata.title"),
)
STARTS = ("start", "start_index", "start_char_idx", "start_char", "start_offset", "char_start")
ENDS = ("end", "end_index", "end_char_idx", "end_char", "end_offset", "char_end")


@dataclass(frozen=True, slots=True)
class Format:
    """How a tool writes its chunks. The first path that leads to a value counts.

    Attributes:
        name: As it is told to the user.
        marks: Sets of paths; a row that has all paths of one set is of this format.
        texts: Paths to the text.
        sources: Paths to what names the document, the surest first.
        starts: Paths to the first code point in the document.
        ends: Paths to one past the last.
        inside: The part of a row that all of this may lie in.
    """

    name: str
    marks: tuple[tuple[str, ...], ...]
    texts: tuple[str, ...]
    sources: tuple[str, ...]
    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    inside: str = ""


CHUNKWRIGHT = Format(
    name="chunkwright",
    marks=(("document_id", "start", "end", "embed_text"),),
    texts=("text",),
    sources=("document_id",),
    starts=("start",),
    ends=("end",),
)
# https://python.langchain.com: `Document.model_dump_json`, `langchain_core.load.dumps`
LANGCHAIN = Format(
    name="langchain",
    marks=(("page_content",),),
    texts=("page_content",),
    sources=("metadata.source", "metadata.file_path", "metadata.url", "metadata.title"),
    starts=("metadata.start_index",),
    inside="kwargs",
)
# https://docs.llamaindex.ai: `TextNode.model_dump_json`, a persisted `docstore.json`
LLAMA_INDEX = Format(
    name="llama-index",
    marks=(("text", "relationships"), ("text", "start_char_idx")),
    texts=("text",),
    sources=(
        *("metadata.file_path", "metadata.file_name", "metadata.source", "metadata.url"),
        *("relationships.1.node_id", "ref_doc_id", "metadata.title"),
    ),
    starts=("start_char_idx",),
    ends=("end_char_idx",),
    inside="__data__",
)
# https://docs.haystack.deepset.ai: `Document.to_dict`, with `meta` laid flat or not
HAYSTACK = Format(
    name="haystack",
    marks=(("content", "split_id"), ("content", "meta"), ("content", "blob")),
    texts=("content",),
    sources=(
        *("meta.file_path", "file_path", "meta.url", "url", "meta.title", "title", "meta.name"),
        *("meta.source_id", "source_id"),
    ),
    starts=("meta.split_idx_start", "split_idx_start"),
)
# https://docs.chonkie.ai: `Chunk.to_dict`, `JSONPorter`
CHONKIE = Format(
    name="chonkie",
    marks=(("text", "start_index", "token_count"), ("text", "start_index", "end_index")),
    texts=("text",),
    sources=("document_id", "source", "metadata.source", "metadata.filename"),
    starts=("start_index",),
    ends=("end_index",),
)
# https://docs.unstructured.io: `elements_to_json`, `elements_to_ndjson`
UNSTRUCTURED = Format(
    name="unstructured",
    marks=(("text", "element_id"),),
    texts=("text",),
    sources=("metadata.filename", "metadata.data_source.url", "metadata.url"),
)


def plain(text_column: str = "") -> Format:
    """Rows of any table with a column of texts; by its usual names, if it is not given."""
    texts = (text_column,) if text_column else TEXTS
    return Format("plain", tuple((name,) for name in texts), texts, SOURCES, STARTS, ENDS)


PLAIN = plain()
