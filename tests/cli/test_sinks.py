"""What `chunk` writes, as the library gives it."""

from __future__ import annotations

from io import BytesIO

from pyarrow import parquet

from chunkwright.chunking.dress import chunk
from chunkwright.cli.sinks import COLUMNS, Parquet
from chunkwright.model import Document


def test_the_columns_are_those_of_a_chunk() -> None:
    (made,) = chunk(Document("a.md", "# A\n\nWords.", metadata={"n": 1}), "sentence:9t|headers")
    assert list(COLUMNS) == list(made.to_dict())
    file = BytesIO()
    rows = Parquet(file)
    rows.write([made.to_dict()])
    rows.close()
    (read,) = parquet.read_table(file).to_pylist()
    assert read == {**made.to_dict(), "metadata": '{"n": 1}'}
