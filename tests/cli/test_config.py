from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from chunkwright.cli.config import Parameter, add_environment, find, read
from chunkwright.errors import ChunkwrightError

from .conftest import Command, one_line

ONE, SEVERAL = partial(Parameter, several=False), partial(Parameter, several=True)
OPTIONS = {
    "check": {
        "paths": SEVERAL("paths"),
        "setup": ONE("setup"),
        "format": ONE("form"),
        "threshold": SEVERAL("threshold"),
    },
    "cost": {"paths": SEVERAL("paths"), "setup": SEVERAL("setup")},
    "gold check": {"docs": SEVERAL("docs")},
}


def written(folder: Path, text: str, name: str = "chunkwright.toml") -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_options_are_set_by_their_names(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'setup = "fixed:9c"\n[check]\nformat = "json"\nsetup = "fixed:8c"\n'
        "thresholds.C101.characters = 30\n[gold.check]\ndocs = 'a'\n",
    )
    assert read(path, OPTIONS) == {
        "check": {"setup": "fixed:8c", "form": "json", "threshold": ["C101.characters=30"]},
        "cost": {"setup": ["fixed:9c"]},
        "gold": {"check": {"docs": ["a"]}},
    }


def test_a_project_file_has_a_table_of_its_own(tmp_path: Path) -> None:
    path = written(tmp_path, '[tool.chunkwright.check]\nsetup = "fixed:9c"\n', "pyproject.toml")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert find(below) == path
    assert read(path, OPTIONS) == {"check": {"setup": "fixed:9c"}}
    nearer = written(tmp_path, "")
    assert find(below) == nearer
    assert read(nearer, OPTIONS) == {}


def test_a_project_file_of_other_tools_is_passed_over(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    written(inner, "[tool.ruff]\n", "pyproject.toml")
    assert find(inner) != inner / "pyproject.toml"


def test_the_environment_goes_over_the_file() -> None:
    found = {"check": {"setup": "fixed:1c", "form": "text"}}
    environment = {
        "CHUNKWRIGHT_SETUP": "fixed:2c",
        "CHUNKWRIGHT_CHECK_SETUP": "fixed:3c",
        "CHUNKWRIGHT_GOLD_CHECK_DOCS": "a 'b c'",
        "CHUNKWRIGHT_FORMAT": "",
    }
    add_environment(found, OPTIONS, environment)
    assert found == {
        "check": {"setup": "fixed:3c", "form": "text"},
        "cost": {"setup": ["fixed:2c"]},
        "gold": {"check": {"docs": ["a", "b c"]}},
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("setpu = 1", "no setting 'setpu': did you mean 'setup'?"),
        ("[check]\nsetpu = 1", r"no setting 'setpu' in \[check\]: did you mean 'setup'?"),
        ("[chekc]\nsetup = 1", "no setting 'chekc': did you mean 'check'?"),
        ("[gold.check]\nsetup = 1", r"no setting 'setup' in \[gold.check\]"),
        ("[check", "not TOML"),
    ],
)
def test_what_cannot_be_set_is_told(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ChunkwrightError, match=message):
        read(written(tmp_path, text), OPTIONS)


def test_a_file_can_be_named(command: Command, here: Path) -> None:
    written(here, '[check]\nsetup = "fixed:9c"\n', "other.toml")
    assert command("check", "docs").status == 2
    assert command("--config", "other.toml", "check", "docs").status == 0
    assert "none.toml" in one_line(command("--config", "none.toml", "check", "docs"))


def test_every_command_takes_settings(command: Command, here: Path) -> None:
    written(here, '[cost]\nsetup = ["fixed:11c"]\n')
    assert "fixed:11c" in command("cost", "docs").out
