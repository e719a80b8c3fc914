"""Chunks of other tools on the command line: anchored, and what is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from chunkwright.cli import output
from chunkwright.cli.output import counted
from chunkwright.errors import SourceError
from chunkwright.integrations.anchor import LIKENESS, Method
from chunkwright.integrations.chunk_files import ChunkFile, read
from chunkwright.integrations.foreign import Anchored, anchored
from chunkwright.model import Document
from chunkwright.report.tables import percent
from chunkwright.setup import Setup

_WORDS = 60


class Foreign(NamedTuple):
    """A file of chunks, and where they are."""

    file: ChunkFile
    found: Anchored

    def as_json(self) -> dict[str, Any]:
        """How the chunks were found, as plain values."""
        return {
            "format": self.file.format,
            "methods": {method.label: self.found.methods[method] for method in Method},
            "by_text": self.found.by_text,
            "unnamed": dict(self.found.unnamed),
            "missed": [asdict(each) for each in self.found.missed],
        }

    def tell(self) -> None:
        """How the chunks were found, and which were not."""
        path, found = self.file.path, self.found
        total = found.methods.total()
        ways = ", ".join(
            f"{count:,} {method.label} ({percent(count / total)} %)"
            for method, count in sorted(found.methods.items())
            if count
        )
        output.say(f"{path}: {counted(total, 'chunk')} ({self.file.format}): {ways}")
        if found.by_text:
            named = ", ".join(repr(name) for name, _ in found.unnamed.most_common(3))
            why = f" (no single document is {named})" if found.unnamed else ""
            chunks = counted(found.by_text, "chunk")
            output.note(f"document found by the text, not by a name: {chunks}{why}")
        output.some(
            f"{path}:{each.row}: not found in {each.document_id or 'any document'}: "
            f"{_shortened(each.words)!r}"
            for each in found.missed
        )


def find(
    path: Path,
    documents: Sequence[Document],
    limits: Setup | None = None,
    text_column: str = "",
    source_column: str = "",
    likeness: float = LIKENESS,
) -> Foreign:
    """The chunks of a file in their documents.

    Raises:
        SourceError: It cannot be read, or none of them is in the documents.
    """
    file = read(path, text_column, source_column)
    with output.progress("anchoring", len(file)) as bar:
        found = anchored(
            file, documents, limits, likeness, lambda more: bar.advance(bar.task_ids[0], more)
        )
    if not found.cuts:
        first = f", first {_shortened(found.missed[0].words)!r}" if found.missed else ""
        raise SourceError(
            f"{file.path}: none of its {counted(len(file), 'chunk')} is in the documents{first}; "
            "are these what they were made from?"
        )
    return Foreign(file, found)


def _shortened(words: str) -> str:
    return words if len(words) <= _WORDS else f"{words[: _WORDS - 1]}…"
