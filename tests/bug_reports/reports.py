"""The reports by category, and which of them the tests of this folder cover."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

# The numbers of the collection; those that are missing were left out there as doubles.
REPORTS = {
    "offsets": "001 002 004 005 007 008 010 011 013 014 016 017 019 020",
    "lost or altered text": "022 023 025 026 028 029 031 032 034 035 037 038 040 041 043 044 046 "
    "047 049 050",
    "size limit": "052 053 055 056 058 059 061 062 064 065 067 068",
    "overlap": "070 071 073 074 076 077",
    "hang slow memory": "079 080 082 083 085 086 088 089 091 092 094",
    "unicode": "095 097 098 100 101 103 104 106 107",
    "newline whitespace": "109 110 112 113",
    "markdown html": "115 116 118 119 121 122 124 125 127 128 130 131 133",
    "tables": "134 136 137",
    "empty tiny": "139 140 142 143 145 146",
    "huge words": "148",
    "sentences": "149 151 152 154 155 157 158 160",
    "metadata ids": "161 163 164 166 167",
    "parent child": "169 170 172",
    "evaluation": "173 175 176 178 179 181 182 184 185 187 188 190 191 193 194 196 197",
    "ui config": "199 200 202",
    "embedding truncation": "203 205 206",
}
BY_CATEGORY = {category: tuple(map(int, listed.split())) for category, listed in REPORTS.items()}
_NUMBER = re.compile(r"(?:\b|_)br_(\d{3})")


def to_come(room: str) -> pytest.MarkDecorator:
    """Marks a test of a room that is not built yet; once it is, the mark must go."""
    # Anything but the room's absence fails.
    absent = (ImportError, AttributeError)
    return pytest.mark.xfail(strict=True, raises=absent, reason=f"to come with {room}")


def number_in(name: str) -> int | None:
    """The report that a test, or one row of its parameters, is named after.

    >>> number_in("test_br_021_a_page[3]"), number_in("test_sentences[br_149]")
    (21, 149)
    """
    found = _NUMBER.search(name)
    return int(found[1]) if found else None


def category_of(path: Path) -> str:
    """The category that a file of tests stands for.

    >>> category_of(Path("test_size_limit.py"))
    'size limit'
    """
    return path.stem.removeprefix("test_").replace("_", " ")


def covered() -> dict[str, set[int]]:
    """The reports that have a test, by category."""
    found = {}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        names = _names(path.stem)
        found[category_of(path)] = {n for name in names if (n := number_in(name)) is not None}
    return found


def _names(module: str) -> Iterator[str]:
    """Names of a file's tests, and of the rows of their parameters."""
    for name, value in vars(importlib.import_module(f"{__package__}.{module}")).items():
        if name.startswith("test_"):
            yield name
            for mark in getattr(value, "pytestmark", []):
                if mark.name == "parametrize":
                    yield from (row.id for row in mark.args[1] if getattr(row, "id", None))
