"""Snapshots: a corpus frozen in one folder, so that comparisons are made on the same texts.

FOLDER/snapshot.json     what it holds, with hashes, and the versions it was made with
FOLDER/documents/<id>    each text in UTF-8, line ends untouched
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from chunkwright._version import __version__, package_versions
from chunkwright.errors import SourceError
from chunkwright.model import Document
from chunkwright.setup import DEFAULT_COUNTER
from chunkwright.sources.frozen import (
    DOCUMENTS,
    FORMAT,
    MANIFEST,
    MARK,
    Change,
    Entry,
    Snapshot,
    check_id,
    described,
    fingerprint,
    sized,
    stored,
    text_hash,
)
from chunkwright.sources.whole import whole_folder

__all__ = ["Change", "Entry", "Snapshot", "create", "diff", "verify"]


def create(
    corpus: Iterable[Document],
    folder: str | os.PathLike[str],
    tokenizer: str = DEFAULT_COUNTER,
) -> Snapshot:
    """Freeze documents in a new folder. It appears whole or not at all.

    Raises:
        SourceError: The folder is not empty, an id cannot be a file name, two ids need the same
            file, or a document's metadata cannot be written as JSON.
    """
    # A folder named by a link is replaced itself, not the link.
    place = Path(os.path.realpath(folder))
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise SourceError(f"{folder}: exists and is not empty; name a new folder")
    try:
        with whole_folder(place) as partial:
            (partial / DOCUMENTS).mkdir()
            entries = [_freeze(document, partial / DOCUMENTS) for document in corpus]
            _write_manifest(partial / MANIFEST, entries, tokenizer)
    except OSError as problem:
        raise SourceError(f"{folder}: cannot be written: {problem.strerror or problem}") from None
    return Snapshot.read(folder)


def _freeze(document: Document, folder: Path) -> Entry:
    check_id(document.id)
    target = folder / document.id
    try:
        json.dumps(dict(document.metadata), allow_nan=False)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as stream:
            stream.write(document.text.encode("utf-8"))
    except (FileExistsError, NotADirectoryError):
        raise SourceError(
            f"document id {document.id!r} needs the same file as another one; rename one of them"
        ) from None
    except (TypeError, ValueError) as problem:
        raise SourceError(
            f"document {document.id!r}: metadata cannot be written as JSON ({problem}); "
            "use plain values"
        ) from None
    return Entry(
        id=document.id,
        sha256=text_hash(document.text),
        characters=len(document.text),
        title=document.title,
        language=document.language,
        metadata=dict(document.metadata),
    )


def _write_manifest(path: Path, entries: list[Entry], tokenizer: str) -> None:
    values = {
        "kind": MARK,
        "format": FORMAT,
        "chunkwright": __version__,
        "tokenizer": tokenizer,
        "versions": {"python": platform.python_version(), **package_versions()},
        "fingerprint": fingerprint((entry.id, entry.sha256) for entry in entries),
        "documents": [asdict(entry) for entry in entries],
    }
    text = json.dumps(values, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def verify(folder: str | os.PathLike[str]) -> tuple[Change, ...]:
    """What was changed in a snapshot's folder since it was made; empty when it is sound.

    Raises:
        SourceError: As `Snapshot.read`.
    """
    snapshot = Snapshot.read(folder)
    changes = [stored(snapshot, entry)[1] for entry in snapshot.entries]
    known = {entry.id for entry in snapshot.entries}
    texts = snapshot.folder / DOCUMENTS
    for path in sorted(texts.rglob("*")):
        document_id = path.relative_to(texts).as_posix()
        if document_id not in known and (path.is_symlink() or path.is_file()):
            data = path.read_bytes() if path.is_file() else b""
            changes.append(Change("added", document_id, described(data)))
    return tuple(change for change in changes if change is not None)


def diff(
    old: str | os.PathLike[str], new: str | os.PathLike[str] | Iterable[Document]
) -> tuple[Change, ...]:
    """What differs between a snapshot and another one, or a corpus; sorted by document.

    Raises:
        SourceError: As `Snapshot.read`.
    """
    before = {entry.id: entry for entry in Snapshot.read(old).entries}
    if isinstance(new, str | os.PathLike):
        after = {e.id: (e.sha256, e.characters) for e in Snapshot.read(new).entries}
    else:
        after = {d.id: (text_hash(d.text), len(d.text)) for d in new}
    changes = []
    for document_id in sorted(before.keys() | after.keys()):
        was = before.get(document_id)
        old_shown = sized(was.sha256, was.characters) if was else ""
        new_shown = sized(*after[document_id]) if document_id in after else ""
        if not was:
            changes.append(Change("added", document_id, new_shown))
        elif not new_shown:
            changes.append(Change("removed", document_id, old_shown))
        elif was.sha256 != after[document_id][0]:
            changes.append(Change("changed", document_id, f"{old_shown} → {new_shown}"))
    return tuple(changes)
