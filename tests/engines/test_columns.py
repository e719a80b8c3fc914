"""Chunks as they are written: what `Chunk.to_dict` gives, in JSON and in Arrow."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given

from chunkwright.chunking.dress import chunk, chunk_parts
from chunkwright.engines.columns import COLUMNS, json_lines, record_batch, schema
from chunkwright.errors import SetupError
from chunkwright.model import Document
from chunkwright.setup import Setup
from tests.properties.strategies import setups, texts

LAMP = Document(
    "lamp \u2028\x07.md",
    '# Lamp "a"\n\nIt blinks\u2028 blue.\x00 Fine.\x85\n\n## Réset 😀\n\nNow\x1b. \\Off.\n' * 3,
    metadata={"n": 1, "tags": ["a\x01", None, 2.5], "deep": {"k\x02": True}},
)
SETUPS = ["sentence:20t|headers|parents=section", "fixed:9c+3c", "sentence:1s|repair", "fixed:900c"]
SPACES = dict.fromkeys((0, 1, 2, 7, 27), " ")


def spaced(value: Any) -> Any:
    if isinstance(value, str):
        return value.translate(SPACES)
    if isinstance(value, dict):
        return {spaced(key): spaced(part) for key, part in value.items()}
    return [spaced(part) for part in value] if isinstance(value, list) else value


def rows_as_written(document: Document, setup: str) -> list[dict[str, Any]]:
    return [each.to_dict() for each in chunk(document, setup)]


@pytest.mark.parametrize("setup", SETUPS)
def test_lines_are_the_rows_as_json(setup: str) -> None:
    rows = rows_as_written(LAMP, setup)
    lines = b"".join(json_lines(made) for _, made in chunk_parts(LAMP, Setup.parse(setup)))
    expected = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    for separator, escaped in (("\x85", "\\u0085"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        expected = expected.replace(separator, escaped)
    assert lines.decode() == expected
    assert len(lines.decode().splitlines()) == len(rows)


@pytest.mark.parametrize("setup", SETUPS)
def test_a_batch_holds_the_rows(setup: str) -> None:
    ((_, made),) = chunk_parts(LAMP, Setup.parse(setup))
    batch = pickle.loads(pickle.dumps(record_batch(made)))
    assert batch.schema == schema()
    assert batch.schema.names == list(COLUMNS) == list(rows_as_written(LAMP, setup)[0])
    batch.validate(full=True)
    rows = [{**row, "metadata": json.loads(row["metadata"])} for row in batch.to_pylist()]
    assert rows == rows_as_written(LAMP, setup)


@pytest.mark.parametrize("setup", SETUPS)
def test_characters_are_replaced_everywhere(setup: str) -> None:
    ((_, made),) = chunk_parts(LAMP, Setup.parse(setup))
    expected = [spaced(row) for row in rows_as_written(LAMP, setup)]
    assert [json.loads(line) for line in json_lines(made, SPACES).splitlines()] == expected
    batch = record_batch(made, SPACES).to_pylist()
    assert [{**row, "metadata": json.loads(row["metadata"])} for row in batch] == expected


def test_no_chunk() -> None:
    ((_, made),) = chunk_parts(Document("a.txt", " \n "), Setup.parse("sentence:9t|headers"))
    assert json_lines(made) == b""
    assert record_batch(made).num_rows == 0


@given(texts(), setups())
def test_any_text(text: str, setup: Setup) -> None:
    document = Document("a.md", text)
    try:
        ((_, made),) = chunk_parts(document, setup)
    except SetupError:
        return
    rows = rows_as_written(document, str(setup))
    assert [json.loads(line) for line in json_lines(made).splitlines()] == rows
    batch = record_batch(made).to_pylist()
    assert [{**row, "metadata": json.loads(row["metadata"])} for row in batch] == rows
