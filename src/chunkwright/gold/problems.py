"""What is wrong with a gold set, or worth knowing about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about a question that its author should know.

    Attributes:
        question_id: Which question.
        reference_index: Which of its references, from 0; None where it is about the question.
        kind: `unknown document`, `quote not found`, `numbers differ`, `empty span`,
            `outside the document`, `empty question` and `no references` make it unusable;
            `moved`, `located`, `ambiguous`, `repeated reference` and `duplicate` do not.
        message: What, where and what to do.
        usable: Whether the question is asked all the same.
    """

    question_id: str
    reference_index: int | None
    kind: str
    message: str
    usable: bool

    def __str__(self) -> str:
        which = "" if self.reference_index is None else f", reference {self.reference_index}"
        return f"question {self.question_id}{which}: {self.kind}: {self.message}"


@dataclass(frozen=True, slots=True)
class Reporter:
    """Notes the problems of one question.

    Attributes:
        question_id: The question.
        problems: The list that they are added to.
    """

    question_id: str
    problems: list[Problem]

    def note(self, index: int | None, kind: str, message: str) -> None:
        """Add something to know; the question is asked all the same."""
        self.problems.append(Problem(self.question_id, index, kind, message, True))

    def reject(self, index: int | None, kind: str, message: str) -> None:
        """Add something that makes the question unusable."""
        self.problems.append(Problem(self.question_id, index, kind, message, False))
