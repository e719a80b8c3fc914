"""Analyses on disk: what takes long to find in a text is found once, and mapped by all who need it.

One file a text, named by a hash of all that decides its arrays: the text, how it is read, and the
code that reads it. So a file is never out of date, and one that is damaged is written anew. Kept
is what reading a file makes faster: sentences, Markdown blocks and tokens took 130 to 200 ms a
megabyte when this was written, their file 6 ms; all else takes a few milliseconds, and is not kept.
"""

from __future__ import annotations

import json
import mmap
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkwright import model, spans
from chunkwright._version import __version__, code_hash, package_versions
from chunkwright.model import Document, Section
from chunkwright.processes import stream
from chunkwright.spans import Span
from chunkwright.text.analysis import Analysis, is_markdown
from chunkwright.text.blocks import Structure
from chunkwright.text.tokens import cl100k_base

Arrays = Mapping[str, NDArray[np.int64]]

# Properties of an analysis that are kept: arrays, and plain values.
ARRAYS = ("line_cuts", "stops", "ended", "sentences", "clauses")
VALUES = ("language", "cased")
_STRUCTURE = ("blocks", "pieces", "kept", "tight", "whole", "tables")
_SUFFIX = ".analysis"
_NOTE = "analysis"
# Larger files are mapped. A system maps some ten thousands only, and small ones are read at once.
_MAPPED = 1 << 20
# Documents with less text than this in all are not worth other processes, which take a second.
_MANY = 1 << 23
# Characters that are given to a process at a time.
_TOGETHER = 1 << 20


@dataclass(frozen=True, slots=True)
class Store:
    """Analyses in a folder, which may be deleted at any time.

    The tokens that are kept are those of `cl100k_base`: other counters may mean something else
    tomorrow under the same name.

    Attributes:
        folder: The folder. It is made when it is first written to.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     found = Store(Path(folder)).analysis(Document("a.txt", "One. Two."))
    >>> found.sentences.tolist()
    [0, 5]
    """

    folder: Path

    def analysis(self, document: Document) -> Analysis:
        """The analysis of a document, from its file where there is one; else one is written."""
        path = self._path(document)
        analysis = Analysis(document)
        if not _restored(analysis, path):
            try:
                data = _packed(analysis)
            except Exception:
                return Analysis(document)  # whoever needs what cannot be found will be told
            _write(path, data)
        return analysis

    def fill(self, documents: Iterable[Document], jobs: int) -> None:
        """Write what is missing of some documents, by several processes where that is faster."""
        missing = [document for document in documents if not self._path(document).exists()]
        many = sum(len(document.text) for document in missing) >= _MANY
        for _ in stream(_Filling(self), _together(missing), jobs if many else 1):
            pass

    def _path(self, document: Document) -> Path:
        return self.folder / f"{key(document)}{_SUFFIX}"


@dataclass(frozen=True, slots=True)
class _Filling:
    store: Store

    def __call__(self, documents: Sequence[Document]) -> Iterator[None]:
        for document in documents:
            self.store.analysis(document)
        return iter(())


def _together(documents: Iterable[Document]) -> Iterator[list[Document]]:
    group: list[Document] = []
    size = 0
    for document in documents:
        group.append(document)
        size += len(document.text)
        if size >= _TOGETHER:
            yield group
            group, size = [], 0
    if group:
        yield group


def key(document: Document) -> str:
    """A hash of everything that the kept arrays of a document depend on.

    >>> one, other = Document("a.txt", "Same."), Document("b/c.txt", "Same.", title="C")
    >>> key(one) == key(other), key(one) == key(Document("a.md", "Same."))
    (True, False)
    """
    read = json.dumps([_code(), is_markdown(document.id), document.language])
    digest = blake2b(read.encode(), digest_size=20)
    digest.update(document.text.encode("utf-8"))
    return digest.hexdigest()


@cache
def _code() -> str:
    """What the arrays depend on beside the text: the code that makes them, its tables, packages."""
    parts = [Path(__file__).parent, Path(str(model.__file__)), Path(str(spans.__file__))]
    return json.dumps([code_hash(parts), __version__, package_versions()], sort_keys=True)


def _packed(analysis: Analysis) -> bytes:
    """The bytes of a file: safetensors, whose note holds a checksum and the values."""
    from safetensors.numpy import save

    structure = analysis.structure
    index = analysis.tokens(cl100k_base())
    arrays = {
        **{name: getattr(analysis, name) for name in ARRAYS},
        **{f"structure.{name}": getattr(structure, name) for name in _STRUCTURE},
        "structure.sections": np.array(
            [(each.start, each.end, each.level, each.body) for each in structure.sections], np.int64
        ).reshape(-1, 4),
        **{f"tokens.{name}": array for name, array in index.found().items()},
    }
    values = {
        **{name: getattr(analysis, name) for name in VALUES},
        "front_matter": structure.front_matter,
        "metadata": dict(structure.metadata),
        "paths": [each.path for each in structure.sections],
    }
    plain = {name: np.ascontiguousarray(array, np.int64) for name, array in arrays.items()}
    told = json.dumps(values)
    # One entry: several would be written in any order.
    return save(plain, {_NOTE: json.dumps([_checksum(plain, told), told])})


def _checksum(arrays: Arrays, told: str) -> int:
    value = zlib.crc32(told.encode())
    for name in sorted(arrays):
        value = zlib.crc32(arrays[name].data, value)
    return value


def _write(path: Path, data: bytes) -> None:
    """Write a file under another name, then rename it. A store that cannot be written is no fault.

    Two processes that write the same file write the same bytes.
    """
    part = path.with_name(f".{path.name}.part")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        part.replace(path)


def _restored(analysis: Analysis, path: Path) -> bool:
    """Give an analysis what a file holds; whether there is a sound one."""
    try:
        arrays, values = _read(path)
        sections = zip(arrays["structure.sections"].tolist(), values["paths"], strict=True)
        front_matter = values["front_matter"]
        structure = Structure(
            Span(*front_matter) if front_matter else None,
            values["metadata"],
            tuple(
                Section(start, end, tuple(path), level, body)
                for (start, end, level, body), path in sections
            ),
            **{name: arrays[f"structure.{name}"] for name in _STRUCTURE},
        )
        kept: dict[str, Any] = {
            **{name: arrays[name] for name in ARRAYS},
            **{name: values[name] for name in VALUES},
            "structure": structure,
        }
        tokens = {name: arrays[f"tokens.{name}"] for name in ("starts", "before")}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return False  # there is none, or it was damaged
    for name, value in kept.items():
        setattr(analysis, name, value)  # a cached property that is given is never computed
    analysis.tokens(cl100k_base()).give(**tokens)
    return True


def _read(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """The arrays of a file, as views into it, and its values.

    Raises:
        OSError: It cannot be read.
        ValueError, LookupError, TypeError, AttributeError, RecursionError: It is damaged, or
            something else.
    """
    data: bytes | mmap.mmap
    with path.open("rb") as file:
        large = path.stat().st_size > _MAPPED
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if large else file.read()
    size = int.from_bytes(data[:8], "little")
    if not 2 <= size <= len(data) - 8:
        raise ValueError("not an analysis")
    head = json.loads(data[8 : 8 + size])
    checksum, told = json.loads(head.pop("__metadata__")[_NOTE])
    body = np.frombuffer(data, np.uint8)[8 + size :]
    arrays = {}
    for name, entry in head.items():
        start, end = entry["data_offsets"]
        if entry["dtype"] != "I64" or end > len(body):
            raise ValueError("cut off")
        arrays[name] = body[start:end].view(np.int64).reshape(entry["shape"])
    if _checksum(arrays, told) != checksum:
        raise ValueError("damaged")
    return arrays, json.loads(told)
