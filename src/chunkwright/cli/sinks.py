"""Where `chunk` writes: lines of JSON or a Parquet file, whole or not at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, Protocol

from chunkwright.cli import output
from chunkwright.cli.notices import SPACES
from chunkwright.errors import ChunkwrightError
from chunkwright.model import Chunk
from chunkwright.sources.whole import whole_file

Row = dict[str, Any]
# What `Chunk.to_dict` gives, and what it is in Parquet; metadata is text there, as JSON.
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


class Sink(Protocol):
    """Takes chunks as they come."""

    def write(self, rows: Iterable[Row]) -> None:
        """Take chunks, as rows."""
        ...


class Lines:
    """Chunks as lines of JSON."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, rows: Iterable[Row]) -> None:
        """Write one line a chunk."""
        for row in rows:
            line = json.dumps(row, ensure_ascii=False)
            for separator in _SEPARATORS:
                line = line.replace(separator, f"\\u{ord(separator):04x}")
            self._file.write(line + "\n")


class Parquet:
    """Chunks as rows of a Parquet file, one row group a few thousand."""

    _ROWS = 4_000

    def __init__(self, file: IO[bytes]) -> None:
        import pyarrow
        from pyarrow import parquet

        kinds = {
            "text": pyarrow.string(),
            "number": pyarrow.int64(),
            "texts": pyarrow.list_(pyarrow.string()),
            "numbers": pyarrow.list_(pyarrow.int64()),
        }
        self._schema = pyarrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
        self._table = pyarrow.Table
        self._writer = parquet.ParquetWriter(file, self._schema)
        self._rows: list[Row] = []

    def write(self, rows: Iterable[Row]) -> None:
        """Gather rows, and write them when there are enough."""
        for row in rows:
            metadata = json.dumps(row["metadata"], ensure_ascii=False)
            self._rows.append({**row, "metadata": metadata})
            if len(self._rows) >= self._ROWS:
                self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._table.from_pylist(self._rows, self._schema))
            self._rows = []

    def close(self) -> None:
        """Write what is left."""
        self._flush()
        self._writer.close()


@contextmanager
def sink(path: Path | None) -> Iterator[Sink]:
    """Where chunks go. A file appears under its name only when it is whole."""
    if path is None:
        try:
            yield Lines(sys.stdout)
            sys.stdout.flush()
        except BrokenPipeError:
            output.reader_left()
        return
    if path.suffix not in (".jsonl", ".parquet"):
        raise ChunkwrightError(f"{path}: write to a .jsonl or a .parquet file")
    if path.is_dir():
        raise ChunkwrightError(f"{path}: is a folder; name a file")
    with whole_file(path) as file:
        if path.suffix == ".parquet":
            rows = Parquet(file)
            yield rows
            rows.close()
        else:
            text = TextIOWrapper(file, "utf-8", newline="\n")
            try:
                yield Lines(text)
                text.flush()
            finally:
                text.detach()


def row_of(chunk: Chunk, *, replace_controls: bool) -> Row:
    """A chunk as it is written."""
    row = chunk.to_dict()
    return {key: _spaced(value) for key, value in row.items()} if replace_controls else row


def _spaced(value: Any) -> Any:
    """A value in which each control character is a space."""
    if isinstance(value, str):
        return value.translate(SPACES)
    if isinstance(value, dict):
        return {_spaced(key): _spaced(part) for key, part in value.items()}
    return [_spaced(part) for part in value] if isinstance(value, list) else value
