"""Files and folders as documents, one file at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from chunkwright.errors import SourceError
from chunkwright.model import Document
from chunkwright.sources.decode import decode

MARKDOWN_SUFFIXES = frozenset({".md", ".markdown"})
PLAIN_SUFFIXES = frozenset({".txt", ".text", ".rst", ".log"})
SOURCE_SUFFIXES = frozenset(
    (
        *(".rs", ".py", ".js", ".ts", ".go", ".java", ".c", ".h", ".cpp"),
        *(".toml", ".yaml", ".yml", ".json", ".csv"),
    )
)
TEXT_SUFFIXES = MARKDOWN_SUFFIXES | PLAIN_SUFFIXES | SOURCE_SUFFIXES


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that gave no document, and why.

    Attributes:
        path: The file as it was named, or as it was met below a folder.
        reason: A few words, with what to do where something can be done.
        skipped: Passed over on purpose, because its type is not read yet. That is no fault.
    """

    path: str
    reason: str
    skipped: bool = False

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class FoundFile(NamedTuple):
    """A file to read, and the id its document will have."""

    path: Path
    document_id: str


def read_file(path: Path, document_id: str) -> Document | Failure:
    """The document in a file, or why there is none. Any suffix is read as text.

    The text is the file's own: spans count the CR of a CRLF and a leading byte order mark.
    Where the encoding had to be found out, it is told in `metadata["encoding"]`.
    """
    try:
        decoded = decode(path.read_bytes())
        known = decoded.encoding.startswith("utf-")
        metadata = {} if known else {"encoding": decoded.encoding}
        return Document(document_id, decoded.text, metadata=metadata)
    except OSError as problem:
        return Failure(shown(path), f"cannot be read: {problem.strerror or problem}")
    except SourceError as problem:
        return Failure(shown(path), str(problem))


def walk(folder: Path) -> Iterator[FoundFile | Failure]:
    """The files below a folder, in the order of their names, folder by folder.

    Hidden files and folders are passed over. A link is followed where it stays in the folder
    and leads neither back up nor to a place that a link led to before.
    """
    root = os.path.realpath(folder)
    followed: set[str] = set()

    def visit(path: Path, prefix: str, above: tuple[str, ...]) -> Iterator[FoundFile | Failure]:
        try:
            with os.scandir(path) as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
        except OSError as problem:
            yield Failure(shown(path), f"cannot be read: {problem.strerror or problem}")
            return
        for entry in ordered:
            if entry.name.startswith("."):
                continue
            here = path / entry.name
            if entry.is_symlink():
                reason = _refused(os.path.realpath(here), root, above, followed)
                if reason:
                    yield Failure(shown(here), reason)
                    continue
            document_id = prefix + entry.name
            if entry.is_dir():
                real = os.path.realpath(here)
                yield from visit(here, document_id + "/", (*above, real))
            elif not entry.is_file():
                yield Failure(shown(here), "not a regular file")
            elif not _is_text(document_id):
                yield Failure(shown(here), "file name is not UTF-8; rename it")
            elif here.suffix.lower() not in TEXT_SUFFIXES:
                yield Failure(shown(here), "type not read yet", skipped=True)
            else:
                yield FoundFile(here, document_id)

    yield from visit(folder, "", (root,))


def _refused(target: str, root: str, above: tuple[str, ...], followed: set[str]) -> str:
    """Why a link is not followed; empty where it is."""
    if not os.path.exists(target):  # noqa: PTH110
        return "broken or circular link"
    if os.path.commonpath([target, root]) != root:
        return "link that leaves the folder; name its target to read it"
    if target in above:
        return "link to a folder above it"
    if os.path.isdir(target):  # noqa: PTH112
        # Folders that link to one another would give a number of paths without end.
        if target in followed:
            return "link to a folder that another link led to"
        followed.add(target)
    return ""


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def shown(path: Path) -> str:
    """The path as it can be printed, whatever bytes its name is made of."""
    return os.fsencode(path).decode("utf-8", "replace")
