from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from chunkwright.errors import SourceError
from chunkwright.integrations.chunk_files import read

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize(
    ("file", "told", "source"),
    [
        ("langchain.jsonl", "langchain", "docs/lamp.md"),
        ("langchain_dumps.json", "langchain", "docs/lamp.md"),
        ("llama_index.jsonl", "llama-index", "docs/lamp.md"),
        ("docstore.json", "llama-index", "docs/lamp.md"),
        ("haystack.jsonl", "haystack", "lamp.md"),
        ("haystack_nested.json", "haystack", "lamp.md"),
        ("chonkie.jsonl", "chonkie", ""),
        ("unstructured.json", "unstructured", "lamp.md"),
        ("plain.csv", "plain", "docs/lamp.md"),
    ],
)
def test_the_format_is_told_by_the_columns(file: str, told: str, source: str) -> None:
    found = read(DATA / file)
    assert (found.format, found.sources[0], found.rows[0]) == (told, source, 1)
    assert found.texts[0].startswith(("# Lamp", "Lamp"))
    assert found.failures == ()
    if told not in ("unstructured", "plain"):
        assert found.starts[0] == 0


def test_rows_without_a_text_are_told_and_the_others_read(tmp_path: Path) -> None:
    rows = [{"text": "One."}, {"text": None}, {"text": " "}, [1], {"text": "Two."}]
    lines = [*map(json.dumps, rows), "{broken", "", json.dumps({"text": "Three."})]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    found = read(tmp_path / "a.jsonl")
    assert found.texts == ("One.", "Two.", "Three.")
    assert found.rows.tolist() == [1, 5, 8]
    assert [each.path.rpartition(":")[2] for each in found.failures] == ["4", "6", "2", "3"]


def test_parquet_is_read_without_its_vectors(tmp_path: Path) -> None:
    rows = [
        {"chunk_text": f"Chunk {n}.", "vector": [0.5] * 4, "metadata": {"source": "a.md"}}
        for n in range(3)
    ]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    found = read(tmp_path / "a.parquet")
    assert (found.texts[2], found.sources[2], found.starts[2]) == ("Chunk 2.", "a.md", -1)


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("was\twoher\ntext\t\nDie Lampe.\tlampe.md\n".replace("text\t\n", ""))
    found = read(path, text_column="was", source_column="woher")
    assert (found.texts, found.sources) == (("Die Lampe.",), ("lampe.md",))
    with pytest.raises(
        SourceError, match=r"no format has these columns.*--text-column: was, woher"
    ):
        read(path)
    with pytest.raises(SourceError, match="no column 'wo': was, woher"):
        read(path, text_column="wo")
    with pytest.raises(SourceError, match="no column 'wo': was, woher"):
        read(path, text_column="was", source_column="wo")


def test_long_fields_and_line_breaks_in_csv(tmp_path: Path) -> None:
    text = 'The lamp, "blue".\n' * 20_000
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["text"], [text]])
    assert read(tmp_path / "a.csv").texts == (text,)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b"", "no row with a chunk in it"),
        ("a.jsonl", b"\xff\xfe", "no row with a chunk in it; first: not JSON in UTF-8"),
        ("a.json", b"{", "not JSON in UTF-8"),
        ("a.json", b'{"a": 1}', "no row with a chunk in it"),
        ("a.csv", b"text\n\xff\n", "not a table in UTF-8"),
        ("a.parquet", b"no", "cannot be read as Parquet"),
        ("a.txt", b"text", "chunks are read from .jsonl"),
    ],
)
def test_what_cannot_be_read_is_one_line(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=message) as raised:
        read(tmp_path / name)
    assert "\n" not in str(raised.value)
