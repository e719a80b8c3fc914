"""A snapshot as it lies on disk: what it holds, and its texts, checked against their hashes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any, Literal

from chunkwright._version import __version__
from chunkwright.errors import SourceError
from chunkwright.model import Document

MANIFEST = "snapshot.json"
DOCUMENTS = "documents"
MARK = "chunkwright snapshot"
FORMAT = 1
_SHORT = 12


@dataclass(frozen=True, slots=True)
class Entry:
    """What a snapshot knows of one document; `characters` are code points."""

    id: str
    sha256: str
    characters: int
    title: str | None
    language: str | None
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """One document that differs.

    Attributes:
        kind: What happened to it.
        document_id: Which document.
        detail: Short hashes and sizes, before and after.
    """

    kind: Literal["added", "removed", "changed"]
    document_id: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind} {self.document_id} ({self.detail})"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A frozen corpus on disk.

    Attributes:
        folder: Where it lies.
        chunkwright: Version that made it.
        tokenizer: Token counter that its studies use.
        versions: Of Python and of the packages that decide where a text is cut.
        fingerprint: Of the corpus, the same as `Corpus.fingerprint`.
        entries: One for each document, in the order of the corpus.
    """

    folder: Path
    chunkwright: str
    tokenizer: str
    versions: Mapping[str, str]
    fingerprint: str
    entries: tuple[Entry, ...]

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> Snapshot:
        """Read what a snapshot holds; the texts are read by `documents`.

        Raises:
            SourceError: It is not a snapshot, was made by a newer chunkwright, or was edited.
        """
        place = Path(folder)
        manifest = place / MANIFEST
        try:
            values = json.loads(manifest.read_text("utf-8"))
        except FileNotFoundError:
            raise SourceError(
                f"{place}: no {MANIFEST}, so not a snapshot; make one with "
                "`chunkwright snapshot create`"
            ) from None
        except (OSError, ValueError) as problem:
            raise SourceError(f"{manifest}: cannot be read ({problem}); create it anew") from None
        if not isinstance(values, dict) or values.get("kind") != MARK:
            raise SourceError(f"{manifest}: not written by chunkwright; name another folder")
        if values.get("format") != FORMAT:
            raise SourceError(
                f"{manifest}: format {values.get('format')!r}, but chunkwright {__version__} reads "
                f"format {FORMAT}; use chunkwright {values.get('chunkwright', 'of its time')}"
            )
        try:
            entries = tuple(Entry(**entry) for entry in values["documents"])
            for entry in entries:
                check_id(entry.id)
            parts = {name: values[name] for name in ("chunkwright", "tokenizer", "versions")}
            edited = values["fingerprint"] != fingerprint((e.id, e.sha256) for e in entries)
        except (KeyError, TypeError, AttributeError) as problem:
            raise SourceError(f"{manifest}: damaged ({problem}); create it anew") from None
        if edited:
            raise SourceError(
                f"{manifest}: its hashes do not give its fingerprint: it was edited; create it anew"
            )
        return cls(place, fingerprint=values["fingerprint"], entries=entries, **parts)

    def documents(self) -> Iterator[Document]:
        """The frozen documents, each checked against its hash.

        Raises:
            SourceError: A text is missing or changed; it is named.
        """
        for entry in self.entries:
            data, change = stored(self, entry)
            if change is not None:
                raise SourceError(
                    f"{self.folder}: document {entry.id!r} was {change.kind} since the snapshot "
                    f"was made ({change.detail}); restore it or create the snapshot anew"
                )
            yield Document(
                entry.id, data.decode("utf-8"), entry.title, entry.language, dict(entry.metadata)
            )


def text_hash(text: str) -> str:
    """SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def fingerprint(hashes: Iterable[tuple[str, str]]) -> str:
    """SHA-256 over the sorted pairs of document id and text hash."""
    pairs = json.dumps(sorted(hashes), separators=(",", ":"))
    return hashlib.sha256(pairs.encode("ascii")).hexdigest()


def check_id(document_id: str) -> None:
    """Make sure that an id is a path below the snapshot's folder.

    >>> check_id("../secret.md")
    Traceback (most recent call last):
    ...
    chunkwright.errors.SourceError: document id '../secret.md' is no path below a folder; ...
    """
    parts = document_id.replace("\\", "/").split("/")
    if {"", ".", ".."} & set(parts) or PureWindowsPath(document_id).drive or "\0" in document_id:
        raise SourceError(
            f"document id {document_id!r} is no path below a folder; "
            "rename it without '..', empty parts or a drive"
        )


def is_snapshot(folder: Path) -> bool:
    """Whether a folder is a snapshot, sound or damaged."""
    manifest = folder / MANIFEST
    if not os.path.isfile(manifest):  # noqa: PTH113 - False, too, where one may not look
        return False
    try:
        with manifest.open("rb") as stream:
            marked = MARK.encode() in stream.read(200)
    except OSError:
        marked = False
    return marked or (folder / DOCUMENTS).is_dir()


def stored(snapshot: Snapshot, entry: Entry) -> tuple[bytes, Change | None]:
    """The bytes stored for a document, and how they differ from what was frozen."""
    expected = sized(entry.sha256, entry.characters)
    try:
        data = (snapshot.folder / DOCUMENTS / entry.id).read_bytes()
    except OSError:
        return b"", Change("removed", entry.id, expected)
    if hashlib.sha256(data).hexdigest() == entry.sha256:
        return data, None
    return data, Change("changed", entry.id, f"{expected} → {described(data)}")


def described(data: bytes) -> str:
    """Short hash and size of a text in UTF-8."""
    characters = len(data.decode("utf-8", "replace"))
    return sized(hashlib.sha256(data).hexdigest(), characters)


def sized(sha256: str, characters: int) -> str:
    """Short hash and size."""
    return f"{sha256[:_SHORT]}, {characters} characters"
