"""Where `chunk` writes: lines of JSON or a Parquet file, whole or not at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from chunkwright.cli import output
from chunkwright.cli.seen import Encode
from chunkwright.engines.columns import json_lines, record_batch, schema
from chunkwright.errors import ChunkwrightError
from chunkwright.sources.whole import whole_file

if TYPE_CHECKING:
    import pyarrow


class Sink(Protocol):
    """Takes chunks as they come.

    Attributes:
        encode: Makes what `write` takes.
    """

    encode: Encode

    def write(self, encoded: Any) -> None:
        """Take chunks, encoded."""
        ...


class Lines:
    """Chunks as lines of JSON."""

    encode: Encode = staticmethod(json_lines)

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, encoded: bytes) -> None:
        """Write one line a chunk."""
        self._file.write(encoded)


class Parquet:
    """Chunks as rows of a Parquet file, one row group a few thousand."""

    _ROWS = 4_000
    encode: Encode = staticmethod(record_batch)

    def __init__(self, file: IO[bytes]) -> None:
        from pyarrow import Table, parquet

        self._table = Table
        self._writer = parquet.ParquetWriter(file, schema())
        self._batches: list[pyarrow.RecordBatch] = []
        self._rows = 0

    def write(self, encoded: pyarrow.RecordBatch) -> None:
        """Gather rows, and write them when there are enough."""
        self._batches.append(encoded)
        self._rows += encoded.num_rows
        if self._rows >= self._ROWS:
            self._flush(self._rows - self._rows % self._ROWS)

    def _flush(self, rows: int) -> None:
        """Write so many rows, in groups that do not depend on how the rows came."""
        table = self._table.from_batches(self._batches)
        for start in range(0, rows, self._ROWS):
            group = table.slice(start, min(self._ROWS, rows - start))
            self._writer.write_table(group.combine_chunks())
        left = table.slice(rows)
        self._batches = left.to_batches()
        self._rows = left.num_rows

    def close(self) -> None:
        """Write what is left."""
        if self._rows:
            self._flush(self._rows)
        self._writer.close()

    def drop(self) -> None:
        """Let go of the file: a writer that is not closed would write to it when it is gone."""
        with suppress(Exception):
            self._writer.close()


def refuse(path: Path) -> None:
    """Refuse a path that chunks cannot be written to.

    Raises:
        ChunkwrightError: It is a folder, or of another type.
    """
    if path.suffix not in (".jsonl", ".parquet"):
        raise ChunkwrightError(f"{path}: write to a .jsonl or a .parquet file")
    if path.is_dir():
        raise ChunkwrightError(f"{path}: is a folder; name a file")


@contextmanager
def sink(path: Path | None) -> Iterator[Sink]:
    """Where chunks go. A file appears under its name only when it is whole."""
    if path is None:
        try:
            sys.stdout.flush()
            yield Lines(sys.stdout.buffer)
            sys.stdout.flush()
        except BrokenPipeError:
            output.reader_left()
        return
    refuse(path)
    with whole_file(path) as file:
        if path.suffix == ".parquet":
            rows = Parquet(file)
            try:
                yield rows
                rows.close()
            finally:
                rows.drop()
        else:
            yield Lines(file)
