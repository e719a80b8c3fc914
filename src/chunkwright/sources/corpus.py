"""The corpus: the documents that a study is made on."""

from __future__ import annotations

import difflib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import overload

from chunkwright.errors import SourceError
from chunkwright.model import Document
from chunkwright.sources import frozen
from chunkwright.sources.files import MAX_BYTES, Failure, FoundFile, read_file, shown, walk

__all__ = ["Corpus", "Failure", "PathOrPaths", "iter_documents", "iter_sources"]

PathOrPaths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
Source = FoundFile | Document | Failure
_SHOWN = 3
# Comparing spellings is slow; among more ids than this only the first ones are compared.
_COMPARED = 5000


@dataclass(frozen=True)
class Corpus(Sequence[Document]):
    """Documents in a fixed order, and what could not be read.

    Attributes:
        documents: The documents; their ids are unique.
        failures: Files that could not be read. They stop nothing.
        skipped: Files in a folder that were passed over because of their type.

    Raises:
        SourceError: Two documents have the same id.

    >>> corpus = Corpus.of([Document("lamp.md", "# Lamp")])
    >>> len(corpus), corpus.document("lamp.md").text
    (1, '# Lamp')
    """

    documents: tuple[Document, ...]
    failures: tuple[Failure, ...] = ()
    skipped: tuple[Failure, ...] = ()

    def __post_init__(self) -> None:
        if len(self._by_id) < len(self.documents):
            counts = Counter(document.id for document in self.documents)
            twice = [repr(name) for name, count in counts.items() if count > 1]
            raise SourceError(f"several documents have the id {_listed(twice)}; rename them")

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Corpus:
        """A corpus of documents made elsewhere."""
        return cls(tuple(documents))

    @classmethod
    def read(cls, paths: PathOrPaths, max_bytes: int = MAX_BYTES) -> Corpus:
        """Read files and folders.

        A document's id is its path below the folder that was given, or the name of the file
        that was given. The folder of a snapshot gives the documents frozen in it. A page of HTML
        is read as Markdown: spans count that text.

        Args:
            paths: Files and folders.
            max_bytes: Size of a file above which it is not read, but reported.

        Raises:
            SourceError: A path does not exist, two files have the same id, nothing could be
                read at all, or a snapshot's document was changed.
        """
        documents: list[Document] = []
        failures: list[Failure] = []
        skipped: list[Failure] = []
        named = _as_paths(paths)
        for item in iter_documents(named, max_bytes):
            if isinstance(item, Document):
                documents.append(item)
            else:
                (skipped if item.skipped else failures).append(item)
        if not documents:
            reasons = [str(failure) for failure in [*failures, *skipped]]
            why = _listed(reasons, "; ") or "there are no files in it"
            raise SourceError(f"no document in {_listed(list(map(shown, named)))}: {why}")
        return cls(tuple(documents), tuple(failures), tuple(skipped))

    @cached_property
    def _by_id(self) -> dict[str, Document]:
        return {document.id: document for document in self.documents}

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the ids and texts, whatever their order."""
        return frozen.fingerprint((d.id, frozen.text_hash(d.text)) for d in self.documents)

    @property
    def guessed(self) -> dict[str, str]:
        """The documents that were read by a guessed encoding, and which it is."""
        return guessed(self.documents)

    def document(self, document_id: str) -> Document:
        """The document with an id.

        Raises:
            SourceError: There is none; the nearest id is named.
        """
        found = self._by_id.get(document_id)
        if found is None:
            hint = nearest_id(document_id, self._by_id)
            raise SourceError(f"no document {document_id!r} among {len(self)}{hint}")
        return found

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Document) and self._by_id.get(value.id) == value

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    @overload
    def __getitem__(self, index: int) -> Document: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Document, ...]: ...
    def __getitem__(self, index: int | slice) -> Document | tuple[Document, ...]:
        return self.documents[index]


def iter_documents(paths: PathOrPaths, max_bytes: int = MAX_BYTES) -> Iterator[Document | Failure]:
    """The documents of files and folders, read one at a time, with what could not be read.

    Ids, order and arguments are those of `Corpus.read`. Nothing is kept but the ids.

    Raises:
        SourceError: At once where a path does not exist; on the way where two files have the
            same id, or a snapshot's document was changed.
    """
    return (read_source(source, max_bytes) for source in iter_sources(paths))


def iter_sources(paths: PathOrPaths) -> Iterator[Source]:
    """The same before it is read, so that others may read it: files, a snapshot's documents.

    Raises:
        SourceError: As `iter_documents`.
    """
    named = _as_paths(paths)
    for path in named:
        if not os.path.lexists(path):
            raise SourceError(f"{shown(path)}: no such file or folder; check the path")
    return _iterate(named)


def read_source(source: Source, max_bytes: int = MAX_BYTES) -> Document | Failure:
    """The document of a source, or why there is none."""
    return read_file(*source, max_bytes) if isinstance(source, FoundFile) else source


def _iterate(paths: tuple[Path, ...]) -> Iterator[Source]:
    origins: dict[str, Path] = {}

    def claim(document_id: str, origin: Path) -> None:
        first = origins.setdefault(document_id, origin)
        if first is not origin:
            raise SourceError(
                f"{shown(first)} and {shown(origin)} are both document {document_id!r}; "
                "give their common folder instead, or one of them only"
            )

    for path in paths:
        if not os.path.isdir(path):  # noqa: PTH112 - False, too, where one may not look
            name = shown(Path(path.name))
            claim(name, path)
            yield FoundFile(path, name)
        elif frozen.is_snapshot(path):
            for document in frozen.Snapshot.read(path).documents():
                claim(document.id, path / frozen.DOCUMENTS / document.id)
                yield document
        else:
            for item in walk(path):
                if isinstance(item, FoundFile):
                    claim(item.document_id, item.path)
                yield item


def guessed(documents: Iterable[Document]) -> dict[str, str]:
    """Those documents that were read by a guessed encoding, and which it is.

    >>> guessed([Document("a.txt", "é", metadata={"encoding": "cp1252"}), Document("b.txt", "b")])
    {'a.txt': 'cp1252'}
    """
    return {
        document.id: str(document.metadata["encoding"])
        for document in documents
        if "encoding" in document.metadata
    }


def nearest_id(document_id: str, known: Iterable[str]) -> str:
    """A hint for a mistaken id: one with the same file name, or spelled nearly the same.

    >>> nearest_id("docs/lamp.md", ["lamp.md", "desk.md"])
    "; did you mean 'lamp.md'?"
    """
    names = list(known)
    same = [name for name in names if name.split("/")[-1] == document_id.split("/")[-1]]
    close = same or difflib.get_close_matches(document_id, names[:_COMPARED], n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def _as_paths(paths: PathOrPaths) -> tuple[Path, ...]:
    several = (paths,) if isinstance(paths, str | os.PathLike) else tuple(paths)
    if not several:
        raise SourceError("no path given; name a file or a folder")
    return tuple(Path(path) for path in several)


def _listed(names: list[str], separator: str = ", ") -> str:
    more = f"{separator}and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return separator.join(names[:_SHOWN]) + more
