"""Where chunks are written, in the same groups of rows however they come."""

from __future__ import annotations

from io import BytesIO

import pytest
from pyarrow import parquet

from chunkwright.chunking.dress import Dressed, chunk_parts
from chunkwright.cli.sinks import Lines, Parquet
from chunkwright.model import Document
from chunkwright.setup import Setup

ROWS = 4_000


def dressed(name: str, count: int) -> Dressed:
    ((_, made),) = chunk_parts(Document(name, "ab " * count), Setup.parse("fixed:1w"))
    assert len(made) == count
    return made


def written(*parts: Dressed) -> bytes:
    file = BytesIO()
    sink = Parquet(file)
    for part in parts:
        sink.write(sink.encode(part))
    sink.close()
    return file.getvalue()


@pytest.mark.parametrize("counts", [(1,), (ROWS,), (ROWS - 1, 1, 1), (3, 2 * ROWS, 5), (9_001,)])
def test_row_groups_are_full_but_for_the_last(counts: tuple[int, ...]) -> None:
    file = parquet.ParquetFile(
        BytesIO(written(*(dressed(f"{at}.txt", count) for at, count in enumerate(counts))))
    )
    groups = [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)]
    full, rest = divmod(sum(counts), ROWS)
    assert groups == [ROWS] * full + [rest] * bool(rest)
    names = [f"{at}.txt" for at, count in enumerate(counts) for _ in range(count)]
    assert file.read()["document_id"].to_pylist() == names


def test_nothing_at_all_is_a_table_without_rows() -> None:
    assert parquet.read_table(BytesIO(written())).num_rows == 0


def test_lines() -> None:
    file = BytesIO()
    sink = Lines(file)
    sink.write(sink.encode(dressed("a.txt", 2)))
    assert file.getvalue().count(b"\n") == 2
