"""Chunks as they are written: Arrow record batches and lines of JSON, straight from columns.

Both hold what `Chunk.to_dict` gives. No chunk is made on the way: that took as long as to write it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chunkwright.chunking.dress import Dressed
from chunkwright.spans import Integers

if TYPE_CHECKING:
    import pyarrow

# What each column is in Parquet; metadata is text there, as JSON.
COLUMNS = {
    "id": "text",
    "document_id": "text",
    "index": "number",
    "start": "number",
    "end": "number",
    "first_line": "number",
    "last_line": "number",
    "first_page": "number",
    "last_page": "number",
    "overlap": "number",
    "tokens": "number",
    "header": "texts",
    "parent": "numbers",
    "text": "text",
    "embed_text": "text",
    "metadata": "text",
}
# Many readers of lines end one here, too.
_SEPARATORS = "\x85\u2028\u2029"
# Quotes a string in no time; other values it writes as `json.dumps` does.
_quoted = json.JSONEncoder(ensure_ascii=False).encode
_LINE = "{%s}\n" % ", ".join(f'"{name}": %s' for name in COLUMNS)  # noqa: UP031


@dataclass(frozen=True, slots=True)
class _Values:
    """The columns that are no numbers, as they are written; `embed_texts` may be `texts`."""

    document_id: str
    metadata: str
    texts: list[str]
    embed_texts: list[str]
    headers: Sequence[tuple[str, ...]]


def _values(made: Dressed, replaced: dict[int, str] | None) -> _Values:
    metadata: Any = dict(made.document.metadata)
    if replaced is None:
        return _Values(
            made.document.id, _quoted(metadata), made.texts, made.embed_texts, made.headers
        )

    def clean(text: str) -> str:
        return text.translate(replaced)

    texts = [clean(text) for text in made.texts]
    bare = made.embed_texts is made.texts
    return _Values(
        clean(made.document.id),
        _quoted(_each_text(metadata, clean)),
        texts,
        texts if bare else [clean(text) for text in made.embed_texts],
        [tuple(clean(title) for title in path) for path in made.headers],
    )


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    """A value in which every text, be it a key, is changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {_each_text(key, change): _each_text(part, change) for key, part in value.items()}
    return [_each_text(part, change) for part in value] if isinstance(value, list) else value


def _numbers(made: Dressed) -> dict[str, Integers]:
    """The columns that are numbers, by name."""
    return {
        "index": np.arange(made.index, made.index + len(made)),
        "start": made.starts,
        "end": made.ends,
        "first_line": made.lines[0],
        "last_line": made.lines[1],
        "first_page": made.pages[0],
        "last_page": made.pages[1],
        "overlap": made.overlaps,
        "tokens": made.tokens,
    }


def json_lines(made: Dressed, replaced: dict[int, str] | None = None) -> bytes:
    r"""Chunks as lines of JSON, in UTF-8.

    Args:
        made: The chunks.
        replaced: What is written in place of some characters, as `str.translate` takes it.

    >>> from chunkwright.chunking.dress import chunk_parts
    >>> from chunkwright.model import Document
    >>> from chunkwright.setup import Setup
    >>> parts = chunk_parts(Document("a.txt", "One. Two."), Setup.parse("sentence:1s"))
    >>> json_lines(next(parts)[1]).decode().count("\n")
    2
    """
    values = _values(made, replaced)
    paths = {path: _quoted(path) for path in set(values.headers)}
    texts = embed_texts = [_quoted(text) for text in values.texts]
    if values.embed_texts is not values.texts:
        embed_texts = [_quoted(text) for text in values.embed_texts]
    rows = zip(
        map(_quoted, made.ids),
        [_quoted(values.document_id)] * len(made),
        *(column.tolist() for column in _numbers(made).values()),
        map(paths.__getitem__, values.headers),
        map(_quoted, made.parents),
        texts,
        embed_texts,
        [values.metadata] * len(made),
        strict=True,
    )
    lines = "".join([_LINE % row for row in rows])
    for separator in _SEPARATORS:
        if separator in lines:
            lines = lines.replace(separator, f"\\u{ord(separator):04x}")
    return lines.encode("utf-8")


def schema() -> pyarrow.Schema:
    """The columns of record batches and of Parquet files."""
    import pyarrow

    kinds = {
        "text": pyarrow.string(),
        "number": pyarrow.int64(),
        "texts": pyarrow.list_(pyarrow.string()),
        "numbers": pyarrow.list_(pyarrow.int64()),
    }
    return pyarrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])


def record_batch(made: Dressed, replaced: dict[int, str] | None = None) -> pyarrow.RecordBatch:
    """Chunks as an Arrow record batch; arguments as those of `json_lines`."""
    import pyarrow

    values = _values(made, replaced)
    count = len(made)
    numbers = {name: pyarrow.array(column) for name, column in _numbers(made).items()}
    texts = embed_texts = pyarrow.array(values.texts, pyarrow.string())
    if values.embed_texts is not values.texts:
        embed_texts = pyarrow.array(values.embed_texts, pyarrow.string())
    columns = {
        **numbers,
        "id": pyarrow.array(made.ids, pyarrow.string()),
        "document_id": pyarrow.repeat(values.document_id, count),
        "header": pyarrow.array(values.headers, pyarrow.list_(pyarrow.string())),
        "parent": pyarrow.array(made.parents, pyarrow.list_(pyarrow.int64())),
        "text": texts,
        "embed_text": embed_texts,
        "metadata": pyarrow.repeat(values.metadata, count),
    }
    return pyarrow.record_batch([columns[name] for name in COLUMNS], schema=schema())
