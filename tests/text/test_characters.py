"""Characters: what is white space, where lines and paragraphs start."""

from __future__ import annotations

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.text.characters import breaks, code_points, kinds, members, newlines, runs
from tests.properties.strategies import texts

ANY = st.one_of(texts(), st.text(max_size=60))


@given(ANY)
def test_code_points_are_the_texts(text: str) -> None:
    points = code_points(text)
    assert points.tolist() == [ord(character) for character in text]


@given(ANY)
def test_runs_are_what_split_finds(text: str) -> None:
    found = runs(kinds(code_points(text)))
    pieces = [text[start:end] for start, end in zip(found.starts, found.ends, strict=True)]
    assert pieces == text.split()


@given(ANY)
def test_members_are_what_regex_finds(text: str) -> None:
    found = members(code_points(text), r"\p{L}")
    assert np.flatnonzero(found).tolist() == [m.start() for m in regex.finditer(r"\p{L}", text)]


@given(ANY)
def test_lines_end_where_splitlines_says(text: str) -> None:
    points = code_points(text)
    # Only these separators of `str.splitlines` are no line breaks to a reader.
    expected = []
    at = 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        if line[-1] in "\n\v\f\r\x85\u2028\u2029":
            expected.append(at)
    assert newlines(points, kinds(points)).tolist() == expected


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028", "\f"])
def test_a_paragraph_starts_after_two_line_breaks(end: str) -> None:
    text = f"one{end}two{end} {end}three"
    points = code_points(text)
    lines, paragraphs = breaks(runs(kinds(points)), newlines(points, kinds(points)))
    assert lines.tolist() == [text.index("two")]
    assert paragraphs.tolist() == [text.index("three")]
