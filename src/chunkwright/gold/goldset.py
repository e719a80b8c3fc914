"""The gold set: questions, each with the spans that answer it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, overload

from chunkwright.errors import GoldError

_COLUMNS = ("id", "question", "references")
_TYPES = {str: "text", int: "a whole number", list: "a list", dict: "an object"}


class Place(NamedTuple):
    """A span of a document."""

    document_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reference:
    """A passage that answers a question.

    Attributes:
        document_id: The document it was taken from.
        start: First code point; None until it is located by its quote.
        end: One past the last code point, or None.
        quote: The text of the passage; None until it is read from the span.
        places: All spans where it counts, its own first; a result that holds any of them holds
            the reference. `check` adds the other ones.
    """

    document_id: str
    start: int | None = None
    end: int | None = None
    quote: str | None = None
    places: tuple[Place, ...] = ()

    def __post_init__(self) -> None:
        if self.start is not None and self.end is not None and not self.places:
            own = (Place(self.document_id, self.start, self.end),)
            object.__setattr__(self, "places", own)


@dataclass(frozen=True, slots=True)
class Question:
    """A question and all the references that its answer needs."""

    id: str
    question: str
    references: tuple[Reference, ...]
    language: str | None = None


@dataclass(frozen=True)
class GoldSet(Sequence[Question]):
    """Questions with known answers, in a fixed order.

    Raises:
        GoldError: Two questions have the same id.

    >>> lamp = Reference("lamp.md", 2, 6, "Lamp")
    >>> gold = GoldSet((Question("q1", "What is it?", (lamp,)),))
    >>> gold.question("q1").references[0].places
    (Place(document_id='lamp.md', start=2, end=6),)
    """

    questions: tuple[Question, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "questions", tuple(self.questions))
        seen: set[str] = set()
        for question in self.questions:
            if question.id in seen:
                raise GoldError(f"several questions have the id {question.id!r}; rename them")
            seen.add(question.id)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> GoldSet:
        """Read a gold set: one JSON object a line.

        A line holds `id`, `question`, `references` and where known `language`; a reference holds
        `document_id` and `start` and `end`, or `quote`, or all three. Other columns are left
        alone. Nothing is compared with the documents here; `check` does that.

        Raises:
            GoldError: The file cannot be read as such; the message names file and line.
        """
        return cls.parse(_read(Path(path)), str(Path(path)))

    @classmethod
    def parse(cls, data: bytes, name: str) -> GoldSet:
        """The same from the bytes of a file.

        Args:
            data: What the file holds.
            name: What messages call it.

        Raises:
            GoldError: They cannot be read as such; the message names file and line.

        >>> GoldSet.parse(b"", "gold.jsonl")
        Traceback (most recent call last):
        chunkwright.errors.GoldError: gold.jsonl: empty; write one question a line, as a JSON object
        """
        lines: dict[str, int] = {}
        questions = []
        for number, line in enumerate(_decoded(data, name).split("\n"), start=1):
            if not line.strip():
                continue
            question = _question(_parsed(line, f"{name}:{number}"), f"{name}:{number}")
            if question.id in lines:
                raise GoldError(
                    f"{name}:{number}: question id {question.id!r} stands in line "
                    f"{lines[question.id]} already; rename one of them"
                )
            lines[question.id] = number
            questions.append(question)
        if not questions:
            raise GoldError(f"{name}: empty; write one question a line, as a JSON object")
        return cls(tuple(questions))

    @cached_property
    def _by_id(self) -> dict[str, Question]:
        return {question.id: question for question in self.questions}

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the questions with all that was read of them, in their order."""
        digest = hashlib.sha256()
        for question in self.questions:
            digest.update(json.dumps(asdict(question), separators=(",", ":")).encode("ascii"))
        return digest.hexdigest()

    def question(self, question_id: str) -> Question:
        """The question with an id.

        Raises:
            GoldError: There is none.
        """
        found = self._by_id.get(question_id)
        if found is None:
            raise GoldError(f"no question {question_id!r} among {len(self)}; check the id")
        return found

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[Question]:
        return iter(self.questions)

    @overload
    def __getitem__(self, index: int) -> Question: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Question, ...]: ...
    def __getitem__(self, index: int | slice) -> Question | tuple[Question, ...]:
        return self.questions[index]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise GoldError(f"{path}: no such file; check the path") from None
    except OSError as problem:
        raise GoldError(f"{path}: cannot be read: {problem.strerror or problem}") from None


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise GoldError(f"{name}:{line}: not UTF-8; save the file as UTF-8") from None


def _parsed(line: str, where: str) -> Any:
    try:
        value = json.loads(line)
        # An escaped lone surrogate is JSON, but no text.
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as problem:
        raise GoldError(
            f"{where}: not JSON ({problem.msg} at column {problem.colno}); "
            "write each question as one JSON object on one line"
        ) from None
    except UnicodeEncodeError:
        raise GoldError(f"{where}: an escaped lone surrogate is no text; write it out") from None
    except (ValueError, RecursionError) as problem:
        raise GoldError(f"{where}: not usable JSON ({problem}); simplify it") from None
    return value


def _question(value: Any, where: str) -> Question:
    columns = _typed(value, dict, "the line", where)
    for column in _COLUMNS:
        _required(columns, column, where)
    references = _typed(columns["references"], list, "'references'", where)
    return Question(
        id=_typed(columns["id"], str, "'id'", where),
        question=_typed(columns["question"], str, "'question'", where),
        references=tuple(
            _reference(reference, f"{where}: reference {index}")
            for index, reference in enumerate(references)
        ),
        language=_optional(columns, "language", str, where),
    )


def _reference(value: Any, where: str) -> Reference:
    columns = _typed(value, dict, "it", where)
    _required(columns, "document_id", where)
    start = _optional(columns, "start", int, where)
    end = _optional(columns, "end", int, where)
    quote = _optional(columns, "quote", str, where)
    if (start is None) != (end is None):
        missing = "start" if start is None else "end"
        raise GoldError(f"{where}: no {missing!r}; give both 'start' and 'end', or neither")
    if quote is None and start is None:
        raise GoldError(
            f"{where}: neither 'quote' nor 'start' and 'end', only {_shown(columns)}; add one"
        )
    document_id = _typed(columns["document_id"], str, "'document_id'", where)
    return Reference(document_id, start, end, quote)


def _required(columns: Mapping[str, Any], column: str, where: str) -> None:
    if column not in columns:
        raise GoldError(f"{where}: no column {column!r}, only {_shown(columns)}; add it")


def _shown(columns: Mapping[str, Any]) -> str:
    return ", ".join(repr(column) for column in columns) or "an empty object"


def _optional(columns: Mapping[str, Any], column: str, kind: type, where: str) -> Any:
    value = columns.get(column)
    return None if value is None else _typed(value, kind, repr(column), where)


def _typed(value: Any, kind: type, name: str, where: str) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        given = json.dumps(value, ensure_ascii=False)
        given = given if len(given) <= 40 else f"{given[:40]}…"
        raise GoldError(f"{where}: {name} must be {_TYPES[kind]}, got {given}; correct it")
    return value
