"""Where `chunk` writes: lines of JSON or a Parquet file, whole or not at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chunkwright.cli import output
from chunkwright.engines.sinks import Lines, Parquet, Sink
from chunkwright.errors import ChunkwrightError
from chunkwright.sources.whole import whole_file


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
