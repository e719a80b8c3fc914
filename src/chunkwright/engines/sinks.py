"""What chunks are written as: lines of JSON, or rows of a Parquet file."""

from __future__ import annotations

from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Protocol

from chunkwright.chunking.dress import Dressed
from chunkwright.engines.columns import json_lines, record_batch, schema

if TYPE_CHECKING:
    import pyarrow


class Encode(Protocol):
    """Makes of chunks what a sink takes. Several processes may do it at once."""

    def __call__(self, made: Dressed, replaced: dict[int, str] | None = None) -> Any:
        """Chunks as they are written."""
        ...


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
