"""Chunks for a request: of loaded documents, or of documents that came with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from chunkwright import registry
from chunkwright.chunking.cut import Cut
from chunkwright.chunking.dress import Dressed
from chunkwright.engines.columns import json_lines
from chunkwright.engines.faults import reason
from chunkwright.engines.local import Done, Handled, chunk_documents
from chunkwright.engines.sinks import Encode, Lines, Parquet
from chunkwright.errors import ServiceError
from chunkwright.model import Document
from chunkwright.quality.repair import repair_of
from chunkwright.service.workspace import Recipe, Workspace, dressed, made
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.sources.files import Failure
from chunkwright.text.analysis import Analysis

# Bytes of an answer: a tiny size makes thousands of bytes of each character.
MAX_WRITTEN = 4_000_000_000


@dataclass(frozen=True, slots=True)
class Chosen:
    """Documents that a request is about.

    Attributes:
        documents: The documents, in their order.
        loaded: Whether the workspace holds them.
    """

    documents: tuple[Document, ...]
    loaded: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """What was written.

    Attributes:
        documents: How many documents were cut.
        chunks: How many chunks they have.
        failures: Documents that could not be cut, and why.
    """

    documents: int
    chunks: int
    failures: tuple[Failure, ...]


def recipe_of(setup: str, repairs: Iterable[str]) -> Recipe:
    """A recipe from what was sent, with its repairs in the order in which they are done.

    Raises:
        SetupError: The setup cannot be read.
        RuleError: There is no such repair.

    >>> recipe_of("fixed:9c", ["merge_orphans", "leave_out_front_matter"]).repairs
    ('leave_out_front_matter', 'merge_orphans')
    """
    wanted = {repair_of(name).name for name in repairs}
    ordered = tuple(name for name in registry.names("repairs") if name in wanted)
    return Recipe(Setup.parse(setup), ordered)


def chosen(
    workspace: Workspace, sent: Sequence[Document] | None, ids: Sequence[str] | None
) -> Chosen:
    """The documents that a request is about: sent ones, loaded ones by their ids, or all.

    Raises:
        ServiceError: Both are given, or none is left.
        SourceError: There is no document of an id, or several have it.
    """
    if sent is not None and ids is not None:
        raise ServiceError("give documents or document_ids, not both")
    if sent is not None:
        found = Chosen(Corpus.of(sent).documents)
    elif ids is not None:
        found = Chosen(tuple(workspace.document(each) for each in dict.fromkeys(ids)), loaded=True)
    else:
        added = (each for each in workspace.documents if workspace.is_added(each.id))
        # In the order in which they were read, as the command line writes them.
        found = Chosen((*workspace.corpus, *added), loaded=True)
    if not found.documents:
        raise ServiceError("there are no documents: the list is empty")
    return found


def cuts_of(
    workspace: Workspace, documents: Chosen, recipe: Recipe
) -> tuple[list[Cut], list[Failure]]:
    """The cut of each document, and those that could not be cut.

    Raises:
        ServiceError: None could be cut.
    """
    cuts: list[Cut] = []
    failures: list[Failure] = []
    for document in documents.documents:
        try:
            cuts.append(made(analysis_of(workspace, documents, document), recipe))
        except Exception as problem:  # one bad document never kills a batch
            failures.append(Failure(document.id, reason(problem)))
    _check_some(len(cuts), failures)
    return cuts, failures


def analysis_of(workspace: Workspace, documents: Chosen, document: Document) -> Analysis:
    """The analysis of one of the documents; that of a loaded one is kept."""
    return workspace.analysis(document.id) if documents.loaded else Analysis(document)


def write(
    workspace: Workspace, documents: Chosen, recipe: Recipe, form: str, file: IO[bytes]
) -> Written:
    """Write chunks to a file.

    Args:
        workspace: Whose documents they are.
        documents: The documents.
        recipe: How they are cut.
        form: `jsonl` or `parquet` for the very bytes of `chunkwright chunk -o`, or `json` for one
            object.
        file: Where to.

    Raises:
        ServiceError: No document could be cut.
    """
    sink: Lines | Parquet | _Object
    if form == "parquet":
        sink = Parquet(file)
    else:
        sink = _Object(file, recipe.setup) if form == "json" else Lines(file)
    count = chunks = 0
    failures: list[Failure] = []
    try:
        for event in _events(workspace, documents, recipe, sink.encode):
            if isinstance(event, Failure):
                failures.append(event)
            elif isinstance(event, Done):
                count += 1
            else:
                length, encoded = event.value
                chunks += length
                sink.write(encoded)
                if file.tell() > MAX_WRITTEN:
                    raise ServiceError(
                        f"the chunks take more than {MAX_WRITTEN / 1e9:.0f} GB; ask for fewer "
                        "documents, or write them with 'chunkwright chunk'"
                    )
        _check_some(count, failures)
        if isinstance(sink, Parquet):
            sink.close()
        elif isinstance(sink, _Object):
            sink.close(failures)
    finally:
        if isinstance(sink, Parquet):
            sink.drop()
    return Written(count, chunks, tuple(failures))


def _check_some(count: int, failures: Sequence[Failure]) -> None:
    if not count:
        raise ServiceError(f"no document could be cut; first: {failures[0]}")


def _events(
    workspace: Workspace, documents: Chosen, recipe: Recipe, encode: Encode
) -> Iterator[Handled[tuple[int, Any]] | Done | Failure]:
    """What comes of each document: its chunks, and that it is done, or why not."""

    def encoded(chunks: Dressed) -> tuple[int, Any]:
        return len(chunks), encode(chunks)

    if not recipe.repairs:
        yield from chunk_documents(
            documents.documents, recipe.setup, lambda part: encoded(part.dressed)
        )
        return
    for document in documents.documents:
        try:
            cut = made(analysis_of(workspace, documents, document), recipe)
            yield Handled(encoded(dressed(cut)))
            yield Done(document.id, "")
        except Exception as problem:  # one bad document never kills a batch
            yield Failure(document.id, reason(problem))


class _Object:
    """Chunks as a list in one object of JSON."""

    encode: Encode = staticmethod(json_lines)

    def __init__(self, file: IO[bytes], setup: Setup) -> None:
        self._file = file
        self._before = b""
        self._file.write(b'{"setup": %s, "chunks": [' % _as_json(str(setup)))

    def write(self, encoded: bytes) -> None:
        """Write one item a chunk: what is a line elsewhere."""
        if encoded:
            self._file.write(self._before + encoded[:-1].replace(b"\n", b",\n"))
            self._before = b",\n"

    def close(self, failures: Sequence[Failure]) -> None:
        """Write what comes after the chunks."""
        self._file.write(b'], "failures": %s}' % _as_json(unread(failures)))


def _as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8")


def unread(failures: Iterable[Failure]) -> list[dict[str, str]]:
    """Failures as plain values.

    >>> unread([Failure("lamp.md", "too small")])
    [{'path': 'lamp.md', 'reason': 'too small'}]
    """
    return [{"path": each.path, "reason": each.reason} for each in failures]
