"""What the API takes and gives."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from chunkwright.service.search import MAX_QUESTION, MAX_RESULTS

_STRICT = ConfigDict(extra="forbid")
_SETUP = "sentence:200t+1s"
# As many setups as a table holds.
MAX_SETUPS = 200
_NOTE = {"id": "note.md", "text": "# Lamp\n\nIt blinks blue. Press the button."}


def _example(**values: Any) -> ConfigDict:
    """The settings of a request, with one that works."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [values]})


class SentDocument(BaseModel):
    """A document that is sent with a request. It is not kept."""

    model_config = _STRICT

    id: str = Field(min_length=1, max_length=1000, examples=["note.md"])
    text: str = Field(examples=["# Lamp\n\nIt blinks blue. It is on then."])
    title: str | None = Field(None, description="Found in the text if left out.")
    language: str | None = Field(None, description="ISO 639-1; found from the text if left out.")


Notation = Annotated[
    str, Field(max_length=1000, description="Setup notation.", examples=[_SETUP, "fixed:800c+20%"])
]
Sent = Annotated[
    list[SentDocument] | None,
    Field(description="Documents to be cut in place of loaded ones."),
]
Ids = Annotated[
    list[str] | None,
    Field(description="Ids of loaded documents; all of them if neither is given."),
]
Repairs = Annotated[
    list[str],
    Field(description="Repairs to be done on the chunks, beside those of the setup."),
]


class ChunkRequest(BaseModel):
    """Which documents to cut, and how."""

    model_config = _example(setup=_SETUP, documents=[_NOTE])

    setup: Notation
    documents: Sent = None
    document_ids: Ids = None
    repairs: Repairs = []
    format: Literal["json", "jsonl", "parquet"] = Field(
        "json",
        description="`jsonl` and `parquet` are the very bytes that `chunkwright chunk -o` writes.",
    )


class CheckRequest(BaseModel):
    """Whose chunks to check, and by which rules."""

    model_config = _example(setup="fixed:800c", ignore=["C103"])

    setup: Notation
    documents: Sent = None
    document_ids: Ids = None
    repairs: Repairs = []
    select: list[str] = Field([], description="Rules to use: codes, starts of codes, names, ALL.")
    ignore: list[str] = Field([], description="Rules not to use.")


class CostRequest(BaseModel):
    """Which setups to compare."""

    model_config = _example(setups=["fixed:800c+{0,80,160}c", _SETUP])

    setups: list[Notation] = Field(
        min_length=1,
        max_length=MAX_SETUPS,
        description="Setups, or patterns of them.",
    )
    documents: Sent = None
    document_ids: Ids = None


class SearchRequest(BaseModel):
    """What to ask, and of which chunks."""

    model_config = _example(
        setup=_SETUP, question="How long does the battery last?", retriever="hybrid", k=3
    )

    question: str = Field(max_length=MAX_QUESTION)
    setup: Notation
    repairs: Repairs = []
    retriever: str = "hybrid"
    k: int = Field(5, ge=1, le=MAX_RESULTS, description="The most results.")
    budget: int | None = Field(
        None, ge=1, description="The most tokens: results in order, as long as they fit."
    )


class NewText(BaseModel):
    """A text to add."""

    model_config = _STRICT

    text: str = Field(examples=["# Lamp\n\nIt blinks blue."])


class DocumentSummary(BaseModel):
    """A document that is open."""

    id: str
    characters: int = Field(description="Code points, which spans count.")
    added: bool = Field(
        description="Whether it was added: it can be cut and checked, but is not searched."
    )


class Documents(BaseModel):
    """The documents that are open."""

    documents: list[DocumentSummary]


class Unread(BaseModel):
    """A document that could not be cut, and why."""

    path: str
    reason: str


class ChunkRow(BaseModel):
    """A chunk, as `Chunk.to_dict()` gives it."""

    id: str = Field(description="A hash of what the chunk is: it lasts.")
    document_id: str
    index: int
    start: int = Field(description="First code point of its span.")
    end: int
    first_line: int
    last_line: int
    first_page: int
    last_page: int
    overlap: int = Field(description="Code points shared with the chunk before it.")
    tokens: int = Field(description="Of `embed_text`.")
    header: list[str]
    parent: tuple[int, int] | None
    text: str
    embed_text: str
    metadata: dict[str, Any]


class Chunks(BaseModel):
    """Chunks of documents."""

    setup: str
    chunks: list[ChunkRow]
    failures: list[Unread]


class RuleRow(BaseModel):
    """What a rule found."""

    code: str
    name: str
    label: str
    severity: str
    findings: int
    chunks: int
    share: float | None
    interval: tuple[float | None, float | None]
    documents: int


class DocumentRow(BaseModel):
    """What was found in a document."""

    document_id: str
    path: str
    chunks: int
    findings: int
    chunks_with_findings: int
    share: float | None


class FindingRow(BaseModel):
    """A defect, and where it is."""

    code: str
    severity: str
    document_id: str
    path: str
    line: int
    chunk: int = Field(description="Index of the chunk in its document.")
    start: int
    end: int
    message: str
    fixable: bool
    repair: str | None
    safe: bool


class Findings(BaseModel):
    """What is wrong with chunks, as `chunkwright check --format json` gives it."""

    schema_: str = Field(alias="schema", description="Raised when a field changes its meaning.")
    version: str
    subject: str
    documents: int
    chunks: int
    chunks_with_findings: int
    share: float | None
    interval: tuple[float | None, float | None]
    rules: list[RuleRow]
    per_document: list[DocumentRow]
    findings: list[FindingRow]
    failures: list[Unread]


class Formula(BaseModel):
    """Storage of windows by the formula, every chunk counted as full."""

    ratio: float
    chunks: int
    stored: int
    extra_percent: int


class CostRow(BaseModel):
    """What a setup makes of the documents."""

    setup: str
    ratio: float | None = Field(description="Overlap asked for, divided by the size.")
    achieved: float = Field(description="Overlap achieved, divided by what is stored.")
    chunks: int
    characters: int
    stored_characters: int
    stored_tokens: int
    mean_tokens: float | None
    largest_tokens: int | None
    extra: float = Field(description="Stored beyond the documents, as a share of them.")
    formula: Formula | None


class Costs(BaseModel):
    """What setups cost, as `chunkwright cost --json` gives it."""

    setups: list[CostRow]
    unusable: list[str] = Field(description="Why other setups cannot be used.")
    failures: list[Unread]


class ReferenceRow(BaseModel):
    """A passage that answers a question."""

    document_id: str
    start: int
    end: int
    quote: str
    places: list[tuple[str, int, int]] = Field(
        description="All spans where it counts, its own first."
    )


class QuestionRow(BaseModel):
    """A question and all the references that its answer needs."""

    id: str
    question: str
    references: list[ReferenceRow]
    language: str | None


class Questions(BaseModel):
    """The questions of the gold set."""

    questions: list[QuestionRow]
    problems: list[str] = Field(description="What its check found, a line each.")


class TermRow(BaseModel):
    """A term of the question where it stands in the document."""

    text: str
    start: int
    end: int


class ResultRow(BaseModel):
    """One span that would be sent."""

    rank: int
    score: float
    document_id: str
    start: int = Field(description="What is sent: the parent, where there is one, or the chunk.")
    end: int
    chunk_start: int = Field(description="The best chunk in it.")
    chunk_end: int
    index: int = Field(description="Index of that chunk in its document.")
    tokens: int
    text: str
    embed_text: str = Field(description="What the retriever read of that chunk.")
    terms: list[TermRow] = Field(description="Terms that the question has, too.")
    near_duplicate_of: int | None = Field(
        description="Rank of the better result that says the same."
    )


class Answer(BaseModel):
    """What would be sent for a question."""

    setup: str
    retriever: str
    results: list[ResultRow]
    sent_tokens: int = Field(description="Tokens of all results.")
    distinct_tokens: int = Field(description="Tokens of those that are no near-duplicates.")
    chunks: int = Field(description="Chunks that were searched.")


class Problem(BaseModel):
    """Why there is no answer: one line."""

    detail: str
