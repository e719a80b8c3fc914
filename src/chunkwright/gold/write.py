"""Writing a gold set as it is read: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from chunkwright.gold.goldset import GoldSet, Question, Reference


def as_lines(gold: GoldSet) -> Iterator[str]:
    """The lines of a gold set's file, each with its line feed.

    What `GoldSet.read` makes of them is the same gold set. The other places that `check` adds to
    references are left out: they are found again.

    >>> gold = GoldSet((Question("q1", "What?", (Reference("a.md", quote="Lamp"),)),))
    >>> print(*as_lines(gold), end="")
    {"id": "q1", "question": "What?", "references": [{"document_id": "a.md", "quote": "Lamp"}]}
    """
    for question in gold:
        yield json.dumps(_question(question), ensure_ascii=False) + "\n"


def _question(question: Question) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "id": question.id,
        "question": question.question,
        "references": [_reference(reference) for reference in question.references],
    }
    if question.language is not None:
        columns["language"] = question.language
    return columns


def _reference(reference: Reference) -> dict[str, Any]:
    columns = {
        "document_id": reference.document_id,
        "start": reference.start,
        "end": reference.end,
        "quote": reference.quote,
    }
    return {name: value for name, value in columns.items() if value is not None}
