"""A rule: a check with a code, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from chunkwright import registry
from chunkwright.errors import RuleError
from chunkwright.quality.view import View
from chunkwright.spans import Integers

Thresholds = Mapping[str, float]
_NONE = np.empty(0, np.int64)


class Severity(StrEnum):
    """How much a finding matters: it costs answers, it may, or it is only worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Hits(NamedTuple):
    """Where a rule's defect was found in the chunks of one document, ascending by chunk.

    Attributes:
        chunks: Which chunk. Shape `(n,)`.
        starts: First code point of the defect. Shape `(n,)`.
        ends: One past its last. Shape `(n,)`.
        details: What to add to the message of each, or nothing at all.
    """

    chunks: Integers = _NONE
    starts: Integers = _NONE
    ends: Integers = _NONE
    details: tuple[str, ...] = ()


Find = Callable[[View, Thresholds], Hits]
FindInAll = Callable[[Sequence[View], Thresholds], Sequence[Hits]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A defect that can be found by looking at chunks and their source.

    Attributes:
        code: Stable, such as `C101`; its letter is the family.
        name: In words with hyphens, such as `starts-mid-sentence`.
        label: As short as it gets, for screens: `starts mid-sentence`.
        severity: How much it matters.
        why: What it does to retrieval, a sentence or two.
        bad: A chunk, or chunks parted by `|`, that has it.
        good: The same without it.
        find: Looks at the chunks of one document.
        find_in_all: Looks at the chunks of all documents at once, in place of `find`.
        repair: The registered repair that mends it, or nothing.
        safe: Whether that repair is applied without being asked for by name.
        thresholds: Its limits, by name, with their defaults.
        default: Whether it is on unless it is ignored.
    """

    code: str
    name: str
    label: str
    severity: Severity
    why: str
    bad: str
    good: str
    find: Find | None = None
    find_in_all: FindInAll | None = None
    repair: str = ""
    safe: bool = False
    thresholds: Thresholds = field(default_factory=dict)
    default: bool = True

    def hits(self, views: Sequence[View], thresholds: Thresholds) -> Sequence[Hits]:
        """What it finds in each document's chunks."""
        limits = {**self.thresholds, **thresholds}
        if self.find_in_all is not None:
            return self.find_in_all(views, limits)
        assert self.find is not None
        return [self.find(view, limits) for view in views]


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect at a span.

    Attributes:
        code: Of the rule.
        label: The rule in a few words.
        severity: How much it matters.
        document_id: Where.
        index: Which of the document's chunks.
        start: First code point of the defect.
        end: One past its last.
        line: Line of the first, from 1.
        message: One line that quotes the text.
        repair: The repair that would mend it, or nothing.
        safe: Whether that repair is safe.
    """

    code: str
    label: str
    severity: Severity
    document_id: str
    index: int
    start: int
    end: int
    line: int
    message: str
    repair: str = ""
    safe: bool = False


def rule(code: str) -> Rule:
    """The rule of a code.

    Raises:
        RuleError: There is none.

    >>> rule("C102").name
    'starts-mid-sentence'
    """
    found: Rule = registry.load("rules", code, RuleError)
    return found


def rules() -> tuple[Rule, ...]:
    """All rules, by code."""
    return tuple(rule(code) for code in sorted(registry.names("rules")))
