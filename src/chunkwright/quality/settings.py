"""Which rules look at which documents, and how strict they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from chunkwright.errors import RuleError
from chunkwright.quality.rule import Rule, rules
from chunkwright.registry import nearest

ALL = "ALL"


@dataclass(frozen=True)
class Settings:
    """A selection of rules and their thresholds.

    A selector is a code, the start of one (`C`, `C1`), a name, or `ALL`. A rule is on if the
    longest selector that names it is in `select`; without any, all rules are on that are so by
    default.

    Attributes:
        select: Rules to use in place of the default ones.
        ignore: Rules not to use.
        per_path: Rules not to use on documents whose id a pattern such as `legal/*` fits.
        thresholds: Values in place of a rule's own, by `CODE.name`.

    Raises:
        RuleError: A selector or a threshold names nothing.

    >>> [rule.code for rule in Settings(select=("C101", "C102"), ignore=("orphan",)).chosen()]
    ['C102']
    """

    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    per_path: Mapping[str, Sequence[str]] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for selector in (
            *self.select,
            *self.ignore,
            *(s for p in self.per_path.values() for s in p),
        ):
            if not any(_names(selector, each) for each in rules()):
                known = tuple(part for each in rules() for part in (each.code, each.name))
                raise RuleError(f"no rule {selector!r}: {nearest(selector, known)}")
        limits = {f"{each.code}.{name}" for each in rules() for name in each.thresholds}
        for name, value in self.thresholds.items():
            if name not in limits:
                raise RuleError(f"no threshold {name!r}: {nearest(name, tuple(sorted(limits)))}")
            if not value >= 0:
                raise RuleError(f"threshold {name} must be 0 or more, got {value}")

    def chosen(self, document_id: str = "") -> tuple[Rule, ...]:
        """The rules that look at a document, by code."""
        ignored = [
            selector
            for pattern, selectors in self.per_path.items()
            if fnmatchcase(document_id, pattern)
            for selector in selectors
        ]
        return tuple(each for each in rules() if self._is_on(each, ignored))

    def limits(self, chosen: Rule) -> dict[str, float]:
        """The thresholds of a rule that are not its own."""
        dot = f"{chosen.code}."
        return {
            name.removeprefix(dot): value
            for name, value in self.thresholds.items()
            if name.startswith(dot)
        }

    def _is_on(self, chosen: Rule, ignored: Sequence[str]) -> bool:
        wanted = max((_reach(each, chosen) for each in self.select), default=-1)
        if not self.select:
            wanted = 0 if chosen.default else -1
        unwanted = max((_reach(each, chosen) for each in (*self.ignore, *ignored)), default=-1)
        return wanted > unwanted


def _names(selector: str, chosen: Rule) -> bool:
    return selector in (ALL, chosen.name) or (bool(selector) and chosen.code.startswith(selector))


def _reach(selector: str, chosen: Rule) -> int:
    """How closely a selector names a rule; -1 if it does not."""
    if not _names(selector, chosen):
        return -1
    if selector == ALL:
        return 0
    return len(chosen.code) if selector == chosen.name else len(selector)
