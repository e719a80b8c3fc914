"""Documents, sections and chunks: what all rooms share. Everything here is frozen."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from chunkwright.errors import SourceError
from chunkwright.spans import Span

_STRETCH = 1 << 20


@dataclass(frozen=True, slots=True)
class Document:
    """A frozen text with a name.

    Attributes:
        id: Unique in its corpus; for files, the path below the corpus folder.
        text: The text as it was read. Spans count its code points.
        title: Shown in contextual headers; found from the text when not given.
        language: ISO 639-1 code; found from the text when not given.
        metadata: Anything else; carried to every chunk.

    Raises:
        SourceError: The id is empty, or the text holds a lone surrogate, which no encoding
            can write.

    >>> Document("note.md", "# Lamp").id
    'note.md'
    """

    id: str
    text: str
    title: str | None = None
    language: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise SourceError(f"a document id must be a non-empty string, got {self.id!r}")
        if not isinstance(self.text, str):
            kind = type(self.text).__name__
            raise SourceError(f"{self.id}: text must be a string, got {kind}; decode it first")
        for name, value in (("id", self.id), ("title", self.title or ""), ("text", self.text)):
            _check_surrogates(self.id, name, value)
        # The caller's own copy may change; this one never does.
        object.__setattr__(self, "metadata", deepcopy(dict(self.metadata)))

    def page_at(self, position: int) -> int:
        r"""The page that a character stands on, from 1; a form feed starts a new page.

        >>> Document("a.txt", "Prices:\f10 EUR.").page_at(8)
        2
        """
        return self.text.count("\f", 0, position) + 1


def _check_surrogates(document_id: str, name: str, value: str) -> None:
    if value.isascii():
        return
    # Stretch by stretch: a whole copy of a long text would double what reading it takes.
    for start in range(0, len(value), _STRETCH):
        try:
            value[start : start + _STRETCH].encode("utf-8")
        except UnicodeEncodeError as problem:
            at = start + problem.start
            place = "" if name == "text" else f" of the {name}"
            shown = document_id.encode("utf-8", "backslashreplace").decode()
            raise SourceError(
                f"{shown}: lone surrogate U+{ord(value[at]):04X} at character {at}{place}; "
                "decode it with its real encoding"
            ) from None


@dataclass(frozen=True, slots=True)
class Section:
    """The part of a document under one heading, up to the next heading.

    Attributes:
        start: First code point of the heading (or of the text before the first heading).
        end: Where the next section starts.
        path: Titles from the outermost heading to this one; empty before the first heading.
        level: Depth of the heading, 1 to 6; 0 before the first heading.
        body: First code point after the heading line.
    """

    start: int
    end: int
    path: tuple[str, ...]
    level: int
    body: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A dressed span: what is searched.

    The text is a view into the document. What is added for the model stands in `embed_text`
    only.

    Attributes:
        document: The document it was cut from.
        index: Position among the document's chunks, from 0.
        start: First code point.
        end: One past the last code point.
        embed_text: What is embedded: the text, with a contextual header where asked for.
        header: Title path of the section in which the chunk starts.
        parent: The wider span sent in its place, or None.
        tokens: Tokens of `embed_text` by the setup's counter.
        id: Hash of document id, embed_text, and which occurrence of that text it is.
        first_line: Line of the first character, from 1.
        last_line: Line of the last character.
        first_page: Page of the first character, from 1; a form feed starts a new page.
        last_page: Page of the last character.
        overlap: Code points shared with the chunk before it; 0 for the first.
    """

    document: Document = field(repr=False, compare=False)
    index: int
    start: int
    end: int
    embed_text: str
    header: tuple[str, ...]
    parent: Span | None
    tokens: int
    id: str
    first_line: int
    last_line: int
    first_page: int = 1
    last_page: int = 1
    overlap: int = 0

    @property
    def document_id(self) -> str:
        """The id of the document it was cut from."""
        return self.document.id

    @property
    def text(self) -> str:
        """The source text of the span."""
        return self.document.text[self.start : self.end]

    @property
    def metadata(self) -> dict[str, Any]:
        """The document's metadata, front matter included; a copy, so that chunks share none."""
        return deepcopy(dict(self.document.metadata))

    @property
    def sent_span(self) -> Span:
        """The span that reaches the language model: the parent where there is one."""
        return self.parent or Span(self.start, self.end)

    def to_dict(self) -> dict[str, Any]:
        """The chunk as plain values, in the order of the exported columns."""
        return {
            "id": self.id,
            "document_id": self.document_id,
            "index": self.index,
            "start": self.start,
            "end": self.end,
            "first_line": self.first_line,
            "last_line": self.last_line,
            "first_page": self.first_page,
            "last_page": self.last_page,
            "overlap": self.overlap,
            "tokens": self.tokens,
            "header": list(self.header),
            "parent": list(self.parent) if self.parent else None,
            "text": self.text,
            "embed_text": self.embed_text,
            "metadata": self.metadata,
        }
