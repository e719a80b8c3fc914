"""Setup: everything that decides the chunks, as one frozen value with a one-line notation.

    STRATEGY:SIZE[+OVERLAP][|OPTION]...

Sizes carry a unit: `c` characters, `w` words, `t` tokens, `s` sentences; an overlap may also be
a percentage of the size, `%`. Options: `headers`, `parents=section|document|2000t`, `repair`,
`min=30t`, `tokens=cl100k_base`, `strip=no`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from chunkwright import registry
from chunkwright.errors import SetupError

UNITS = {"c": "characters", "w": "words", "t": "tokens", "s": "sentences"}
OVERLAP_UNITS = {**UNITS, "%": "percent"}
_LETTERS = {name: letter for letter, name in OVERLAP_UNITS.items()}
_AMOUNT = re.compile(r"(\d{1,99}(?:\.\d{1,99})?)([a-z%]?)", re.ASCII)
# Larger than any text, small enough for array arithmetic.
LARGEST = 10**17
DEFAULT_COUNTER = "cl100k_base"


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that decides the chunks.

    Attributes:
        strategy: Name of a boundary provider: `fixed`, `sentence`, `recursive`, `header`,
            `markdown`, or one that a package registers.
        size: Most that a chunk's embed_text may measure, in `unit`.
        unit: `characters`, `words`, `tokens` or `sentences`.
        overlap: What neighbours share at most, in `overlap_unit`.
        overlap_unit: Any unit, or `percent` of the size; the unit of the size when not given.
        headers: Put `[Title > Section]` before the text that is embedded, inside the size.
        parents: `section`, `document` or a size such as `2000t`: what is sent for a chunk.
        repair: Mend orphans and leading pronouns after cutting.
        minimum: A chunk under this size is joined to a neighbour of its section if it fits.
        minimum_unit: The unit of the size when not given.
        tokens: Token counter: `cl100k_base`, the path of a `tokenizers` JSON file, or a
            registered name.
        strip: Leave white space at both ends of a chunk out of it.

    Raises:
        SetupError: The values cannot work; one line that names them.

    >>> setup = Setup("sentence", size=200, unit="tokens", overlap=1, overlap_unit="sentences")
    >>> str(setup)
    'sentence:200t+1s'
    >>> Setup.parse("sentence:200t+1s") == setup
    True
    """

    strategy: str
    size: int
    unit: str = "characters"
    overlap: float = 0
    overlap_unit: str = ""
    headers: bool = False
    parents: str = ""
    repair: bool = False
    minimum: int = 0
    minimum_unit: str = ""
    tokens: str = DEFAULT_COUNTER
    strip: bool = True

    def __post_init__(self) -> None:
        strategy = registry.load("strategies", self.strategy, SetupError)
        _number("size", self.size)
        _number("overlap", self.overlap)
        _number("minimum", self.minimum)
        for name in ("parents", "tokens"):
            if not isinstance(getattr(self, name), str):
                raise SetupError(f"{name} must be a string, got {getattr(self, name)!r}")
        # One spelling of each value, so that equal setups are equal and print alike.
        fill = object.__setattr__
        fill(self, "overlap_unit", (self.overlap_unit or self.unit) if self.overlap else self.unit)
        fill(self, "minimum_unit", (self.minimum_unit or self.unit) if self.minimum else self.unit)
        if self.overlap == int(self.overlap):
            fill(self, "overlap", int(self.overlap))
        self._check_units(strategy)
        self._check_amounts()
        if self.parents:
            fill(self, "parents", self._checked_parents())
        if not self.tokens or set(self.tokens) & set("|\n\r"):
            raise SetupError(f"tokens={self.tokens!r} must be a name or path without '|'")
        if self.tokens != self.tokens.strip():
            raise SetupError(f"tokens={self.tokens!r} has white space at an end")
        if not self.tokens.endswith(".json"):
            registry.load("counters", self.tokens, SetupError)

    def _check_units(self, strategy: Any) -> None:
        _unit("unit", self.unit, tuple(UNITS.values()))
        _unit("overlap unit", self.overlap_unit, tuple(OVERLAP_UNITS.values()))
        _unit("minimum unit", self.minimum_unit, tuple(UNITS.values()))
        if self.unit not in strategy.units:
            raise SetupError(
                f"strategy {self.strategy!r} cannot be sized in {self.unit}; "
                f"it takes {', '.join(strategy.units)}"
            )
        if self.overlap_unit not in strategy.overlap_units(self.unit):
            raise SetupError(
                f"strategy {self.strategy!r} sized in {self.unit} cannot overlap in "
                f"{self.overlap_unit}; it takes {', '.join(strategy.overlap_units(self.unit))}"
            )

    def _check_amounts(self) -> None:
        if self.size > LARGEST:
            raise SetupError(f"size {self.size} is over the largest, {LARGEST}")
        if self.size <= 0:
            raise SetupError(f"size must be at least 1, got {self.size} {self.unit}")
        if self.overlap < 0:
            raise SetupError(f"overlap must be 0 or more, got {self.overlap} {self.overlap_unit}")
        if self.overlap_unit == "percent" and self.overlap >= 100:
            raise SetupError(f"overlap {self.overlap} % must be below 100 % of the size")
        if self.overlap_unit != "percent" and self.overlap != int(self.overlap):
            raise SetupError(f"overlap {self.overlap} {self.overlap_unit} must be a whole number")
        if self.overlap_unit == self.unit and self.overlap >= self.size:
            raise SetupError(
                f"overlap {self.overlap} must be smaller than size {self.size} ({self.unit})"
            )
        if self.minimum < 0 or (self.minimum_unit == self.unit and self.minimum > self.size):
            raise SetupError(
                f"minimum {self.minimum} must be between 0 and size {self.size} ({self.unit})"
            )

    def _checked_parents(self) -> str:
        if self.parents in ("section", "document"):
            return self.parents
        amount = _parse_amount("parents", self.parents, UNITS)
        if amount is None:
            raise SetupError(
                f"parents={self.parents!r} must be 'section', 'document' or a size like '2000t'"
            )
        size, unit = int(amount[0]), amount[1] or self.unit
        if unit == "sentences":
            raise SetupError("parents cannot be sized in sentences; use c, w or t")
        if size <= 0 or (unit == self.unit and size <= self.size):
            raise SetupError(f"parents of {size} {unit} must be wider than size {self.size}")
        return f"{size}{_LETTERS[unit]}"

    @classmethod
    def parse(cls, notation: str) -> Setup:
        """Read a setup from its notation.

        Raises:
            SetupError: With the part that cannot be read.

        >>> Setup.parse("header:400t|headers").headers
        True
        """
        head, *options = notation.strip().split("|")
        strategy, colon, amounts = head.partition(":")
        if not colon:
            raise SetupError(
                f"{notation!r} is not a setup: write STRATEGY:SIZE[+OVERLAP], "
                "for example 'sentence:200t+1s'"
            )
        size_text, _, overlap_text = amounts.partition("+")
        registry.load("strategies", strategy, SetupError)
        size = _parse_amount("size", size_text, UNITS)
        if size is None or size[0] != int(size[0]):
            raise SetupError(
                f"{notation!r}: size {size_text!r} must be a whole number with a unit c, w, t or s"
            )
        if not size[1]:
            number = size_text.strip()
            raise SetupError(
                f"{notation!r}: size {number} needs a unit: {number}c, {number}w, {number}t or "
                f"{number}s"
            )
        values: dict[str, Any] = {"size": int(size[0]), "unit": size[1]}
        if "+" in amounts:
            overlap = _parse_amount("overlap", overlap_text, OVERLAP_UNITS)
            if overlap is None:
                raise SetupError(
                    f"{notation!r}: overlap {overlap_text!r} must be a number with a unit "
                    "c, w, t, s or %"
                )
            values["overlap"], values["overlap_unit"] = overlap
        for option in options:
            values.update(_parse_option(notation, option))
        return cls(strategy, **values)

    def __str__(self) -> str:
        text = f"{self.strategy}:{self.size}{_LETTERS[self.unit]}"
        if self.overlap:
            text += f"+{_shown(self.overlap)}{_LETTERS[self.overlap_unit]}"
        if self.headers:
            text += "|headers"
        if self.parents:
            text += f"|parents={self.parents}"
        if self.repair:
            text += "|repair"
        if self.minimum:
            text += f"|min={self.minimum}{_LETTERS[self.minimum_unit]}"
        if self.tokens != DEFAULT_COUNTER:
            text += f"|tokens={self.tokens}"
        return text if self.strip else f"{text}|strip=no"

    def __repr__(self) -> str:
        return f"Setup.parse({str(self)!r})"

    def parents_setup(self) -> Setup:
        """The setup that cuts parents of a given size: recursive, without overlap.

        >>> str(Setup.parse("sentence:100t|parents=800t").parents_setup())
        'recursive:800t'
        """
        wide = Setup.parse(f"recursive:{self.parents}")
        return replace(wide, tokens=self.tokens, strip=self.strip)


def _number(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        kind = type(value).__name__
        raise SetupError(f"{name} must be a number, got {value!r} ({kind})")
    if isinstance(value, float) and not math.isfinite(value):
        raise SetupError(f"{name} must be a number, got {value!r}")
    if name != "overlap" and not isinstance(value, int):
        raise SetupError(f"{name} must be a whole number, got {value!r}")


def _unit(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise SetupError(f"unknown {name} {value!r}: {registry.nearest(str(value), known)}")


def _parse_amount(name: str, text: str, units: dict[str, str]) -> tuple[int | float, str] | None:
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        return None
    letter = found[2]
    if letter and letter not in units:
        raise SetupError(f"{name} {text!r}: unknown unit {letter!r}; known: {', '.join(units)}")
    amount = float(found[1]) if "." in found[1] else int(found[1])
    return amount, units.get(letter, "")


def _parse_option(notation: str, option: str) -> dict[str, Any]:
    key, equals, value = option.partition("=")
    key = key.strip()
    if key in ("headers", "repair") and not equals:
        return {key: True}
    if key == "parents" and value:
        return {"parents": value}
    if key == "tokens" and value:
        return {"tokens": value}
    if key == "strip" and value in ("yes", "no"):
        return {"strip": value == "yes"}
    if key == "min":
        amount = _parse_amount("min", value, UNITS)
        if amount is not None and amount[0] == int(amount[0]):
            return {"minimum": int(amount[0]), "minimum_unit": amount[1]}
    known = ("headers", "parents=…", "repair", "min=30t", "tokens=…", "strip=no")
    raise SetupError(f"{notation!r}: cannot read option {option!r}; known: {', '.join(known)}")


def _shown(value: float) -> str:
    return format(Decimal(repr(value)), "f")
