"""Files of chunks: JSON, lines of JSON, CSV and Parquet as one table, whoever wrote them."""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from chunkwright import registry
from chunkwright.errors import SourceError
from chunkwright.integrations.formats import Format, plain
from chunkwright.sources.files import Failure, shown
from chunkwright.spans import Integers

SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
# Parts of a JSON document that hold its rows, as a list or by name.
_HOLDERS = ("chunks", "documents", "nodes", "elements", "records", "data", "docstore/data")
# A format is told by so many rows: the first may lack what it need not have.
_LOOKED_AT = 20
_UNKNOWN = -1
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChunkFile:
    """The chunks of a file, in its order.

    Attributes:
        path: The file, as it can be printed.
        format: The name of its format.
        rows: Number of each chunk's row, from 1: the line in lines of JSON. Shape `(n,)`.
        texts: The text of each.
        sources: What names the document of each; empty where nothing does.
        starts: The first code point each is said to have; -1 where nothing is said. Shape `(n,)`.
        ends: One past the last, likewise. Shape `(n,)`.
        failures: Rows that hold no chunk.
    """

    path: str
    format: str
    rows: Integers
    texts: tuple[str, ...]
    sources: tuple[str, ...]
    starts: Integers
    ends: Integers
    failures: tuple[Failure, ...] = ()

    def __len__(self) -> int:
        return len(self.texts)


def read(path: Path, text_column: str = "", source_column: str = "") -> ChunkFile:
    """Read a file of chunks; its format is told by its columns.

    Args:
        path: A .jsonl, .ndjson, .json, .csv, .tsv or .parquet file.
        text_column: What holds the text, in place of what the formats say.
        source_column: What names the document, likewise.

    Raises:
        SourceError: It cannot be read, or no format has its columns.
        OSError: There is no such file.
    """
    name = shown(path)
    failures: list[Failure] = []
    rows = _rows(path, failures)
    head = list(islice(rows, _LOOKED_AT))
    if not head:
        why = f"; first: {failures[0].reason}" if failures else ""
        raise SourceError(f"{name}: no row with a chunk in it{why}")
    chosen = _format(name, [row for _, row in head], text_column)
    if source_column:
        if not any(_has(_unwrapped(row, chosen), source_column) for _, row in head):
            raise SourceError(f"{name}: no column {source_column!r}: {_columns(head[0][1])}")
        chosen = replace(chosen, sources=(source_column,))
    numbers: list[int] = []
    texts: list[str] = []
    sources: list[str] = []
    places: list[tuple[int, int]] = []
    for number, whole in (*head, *rows):
        row = _unwrapped(whole, chosen)
        text = _first(row, chosen.texts)
        if not isinstance(text, str) or not text.strip():
            failures.append(Failure(f"{name}:{number}", "no text in this row"))
            continue
        numbers.append(number)
        texts.append(text)
        source = _first(row, chosen.sources)
        sources.append("" if source is None else str(source))
        places.append((_place(row, chosen.starts), _place(row, chosen.ends)))
    starts, ends = np.array(places, np.int64).reshape(-1, 2).T
    return ChunkFile(
        path=name,
        format=chosen.name,
        rows=np.array(numbers, np.int64),
        texts=tuple(texts),
        sources=tuple(sources),
        starts=starts,
        ends=ends,
        failures=tuple(failures),
    )


def _format(name: str, rows: Sequence[Row], text_column: str) -> Format:
    """The first format, as they are registered, that has the columns of a row."""
    # Any table with a text is plain, so that comes after what packages add.
    names = sorted(registry.names("chunk_files"), key="plain".__eq__)
    formats = [plain(text_column)] if text_column else [*map(_registered, names)]
    for each in formats:
        for row in rows:
            held = _unwrapped(row, each)
            if any(all(_has(held, path) for path in mark) for mark in each.marks):
                return each
    columns = _columns(rows[0])
    if text_column:
        raise SourceError(f"{name}: no column {text_column!r}: {columns}")
    raise SourceError(
        f"{name}: no format has these columns; name one with --text-column: {columns}"
    )


def _registered(name: str) -> Format:
    found: Format = registry.load("chunk_files", name, SourceError)
    return found


def _columns(row: Row) -> str:
    return ", ".join(map(str, islice(row, 12)))


def _unwrapped(row: Row, chosen: Format) -> Row:
    held = row.get(chosen.inside) if chosen.inside else None
    return held if isinstance(held, Mapping) else row


_ABSENT = object()


def _at(row: Any, path: str) -> Any:
    """What a path leads to; a column whose very name it is goes before."""
    if not isinstance(row, Mapping):
        return _ABSENT
    if path in row:
        return row[path]
    first, dot, rest = path.partition(".")
    if not dot or first not in row:
        return _ABSENT
    return _at(_parsed(row[first]), rest)


def _parsed(value: Any) -> Any:
    """A part of a row that a table holds as text."""
    if not isinstance(value, str) or not value.startswith("{"):
        return value
    try:
        return json.loads(value)
    except ValueError:
        pass
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value


def _has(row: Row, path: str) -> bool:
    return _at(row, path) is not _ABSENT


def _first(row: Row, paths: Iterable[str]) -> Any:
    for path in paths:
        found = _at(row, path)
        if found is not _ABSENT and found is not None and found != "":
            return found
    return None


def _place(row: Row, paths: Iterable[str]) -> int:
    found = _first(row, paths)
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        return _UNKNOWN
    try:
        place = int(found)
    except (ValueError, OverflowError):
        return _UNKNOWN
    return place if 0 <= place < 1 << 62 else _UNKNOWN


def _rows(path: Path, failures: list[Failure]) -> Iterator[tuple[int, Row]]:
    """The rows of a file with their numbers; what is no row goes to the failures."""
    suffix, name = path.suffix.lower(), shown(path)
    if suffix not in SUFFIXES:
        raise SourceError(f"{name}: chunks are read from {', '.join(SUFFIXES)} files")
    if suffix == ".parquet":
        return _parquet(path, name)
    if suffix in (".csv", ".tsv"):
        return _csv(path, name, "\t" if suffix == ".tsv" else ",")
    if suffix == ".json":
        return _json(path, name)
    return _lines(path, name, failures)


def _lines(path: Path, name: str, failures: list[Failure]) -> Iterator[tuple[int, Row]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except ValueError as problem:
                failures.append(Failure(f"{name}:{number}", f"not JSON in UTF-8: {problem}"))
                continue
            if isinstance(row, dict):
                yield number, row
            else:
                failures.append(Failure(f"{name}:{number}", "not an object of JSON"))


def _json(path: Path, name: str) -> Iterator[tuple[int, Row]]:
    try:
        whole = json.loads(path.read_text("utf-8-sig"))
    except ValueError as problem:
        raise SourceError(f"{name}: not JSON in UTF-8: {problem}") from None
    held = whole
    if isinstance(whole, dict):
        held = next((whole[key] for key in _HOLDERS if key in whole), [])
    several = list(held.values()) if isinstance(held, dict) else held
    if not isinstance(several, list):
        several = []
    for number, row in enumerate(several, 1):
        if isinstance(row, dict):
            yield number, row


def _csv(path: Path, name: str, delimiter: str) -> Iterator[tuple[int, Row]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file, _long_fields():
            for number, row in enumerate(csv.DictReader(file, delimiter=delimiter), 1):
                yield number, {key: value for key, value in row.items() if isinstance(key, str)}
    except (csv.Error, UnicodeDecodeError) as problem:
        raise SourceError(f"{name}: not a table in UTF-8: {problem}") from None


@contextmanager
def _long_fields() -> Iterator[None]:
    """Python's reader takes no field over 128 kB unless it is told to."""
    before = csv.field_size_limit(1 << 30)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _parquet(path: Path, name: str) -> Iterator[tuple[int, Row]]:
    from pyarrow import ArrowException, parquet, types

    def is_vector(kind: Any) -> bool:
        return (types.is_list(kind) or types.is_fixed_size_list(kind)) and types.is_floating(
            kind.value_type
        )

    try:
        with parquet.ParquetFile(path) as file:
            # Embeddings are most of such a file, and nothing here asks for them.
            columns = [each.name for each in file.schema_arrow if not is_vector(each.type)]
            number = 0
            for batch in file.iter_batches(4096, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except ArrowException as problem:
        raise SourceError(f"{name}: cannot be read as Parquet: {problem}") from None
