"""A document that is pasted or sent as a file."""

from __future__ import annotations

from nicegui.element import Element

from chunkwright.service.workspace import MAX_ADDED_BYTES
from chunkwright.sources.files import TEXT_SUFFIXES


class AddDocument(Element, component="add_document.js"):
    """A form for a text or a file; emits `added` with the `id` of the new document."""

    def __init__(self) -> None:
        super().__init__()
        self.props["accept"] = ",".join(sorted(TEXT_SUFFIXES))
        self.props["limit"] = MAX_ADDED_BYTES
