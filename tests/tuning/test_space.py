"""The space of a study: patterns, files and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunkwright.errors import SetupError, StudyError
from chunkwright.setup import Setup
from chunkwright.tuning.space import expand, read_space


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("fixed:9c", ["fixed:9c"]),
        ("{fixed,recursive}:9c", ["fixed:9c", "recursive:9c"]),
        ("fixed:9c{,|headers}", ["fixed:9c", "fixed:9c|headers"]),
        ("fixed:{8,9}c+{1,2}c", ["fixed:8c+1c", "fixed:8c+2c", "fixed:9c+1c", "fixed:9c+2c"]),
        ("fixed:9c{,+{1,2}c}", ["fixed:9c", "fixed:9c+1c", "fixed:9c", "fixed:9c+2c"]),
        ("fixed:{9}c", ["fixed:9c"]),
    ],
)
def test_braces_stand_for_each_of_their_parts(pattern: str, expected: list[str]) -> None:
    assert list(expand(pattern)) == expected


def test_the_default_space() -> None:
    setups = read_space()
    assert len(setups) == len(set(setups)) == 64
    assert {setup.strategy for setup in setups} == {
        "fixed", "sentence", "recursive", "header", "markdown"
    }  # fmt: skip
    assert any(setup.headers for setup in setups)
    assert any(setup.parents for setup in setups)


def test_setups_keep_their_order_and_come_once() -> None:
    setups = read_space(["sentence:9t", "fixed:{9,8}t", " sentence:9t ", "fixed:9t+0t"])
    assert [str(setup) for setup in setups] == ["sentence:9t", "fixed:9t", "fixed:8t"]


def test_a_file_holds_a_pattern_a_line(tmp_path: Path) -> None:
    path = tmp_path / "space.txt"
    path.write_text(
        "# sizes\n\n  sentence:{100,200}t\n  # fixed:1c\r\nfixed:9c\n", encoding="utf-8"
    )
    found = read_space([f"@{path}", "recursive:9c"])
    expected = ["sentence:100t", "sentence:200t", "fixed:9c", "recursive:9c"]
    assert found == tuple(map(Setup.parse, expected))


def test_a_file_saved_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "space.txt"
    path.write_text("sentence:100t\n", encoding="utf-8-sig")
    assert read_space([f"@{path}"]) == (Setup.parse("sentence:100t"),)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    binary = tmp_path / "binary.txt"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "missing.txt", tmp_path, binary):
        with pytest.raises(StudyError) as caught:
            read_space([f"@{path}"])
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_an_empty_space_says_so(tmp_path: Path) -> None:
    path = tmp_path / "space.txt"
    path.write_text("# nothing yet\n", encoding="utf-8")
    for patterns in ([], [f"@{path}"]):
        with pytest.raises(StudyError, match="space is empty"):
            read_space(patterns)


@pytest.mark.parametrize("pattern", ["fixed:{9c", "fixed:9}c", "nothing:9c", "fixed:{9,}c", "{}"])
def test_a_notation_that_cannot_be_read(pattern: str) -> None:
    with pytest.raises(SetupError):
        read_space([pattern])
