"""The application: help, versions, mistakes in the command itself, tracebacks, pipes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from chunkwright import __version__
from tests.cli.conftest import Command, one_line

COMMANDS = [
    *("chunk", "cost", "eval", "tune", "gold check"),
    *("snapshot create", "snapshot verify", "snapshot diff"),
]


def start(*arguments: str, folder: Path, expected: int) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "chunkwright", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=60,
        check=False,
    )
    assert done.returncode == expected, done.stderr
    return done


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_an_example(name: str, command: Command) -> None:
    done = command(*name.split(), "--help")
    assert done.status == 0
    assert f"Example: chunkwright {name} " in done.out


@pytest.mark.parametrize("name", ["", "gold", "snapshot"])
def test_help_lists_the_commands(name: str, command: Command) -> None:
    done = command(*name.split(), "--help")
    assert done.status == 0
    for path in COMMANDS:
        group, _, leaf = path.rpartition(" ")
        if group == name:
            assert leaf in done.out


def test_the_version(command: Command) -> None:
    assert command("--version") == (0, f"chunkwright {__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["chunk"],
        ["chunk", "docs"],
        ["chunk", "docs", "--setup"],
        ["chunk", "docs", "-s", "fixed:9c", "--unknown"],
        ["chunks"],
        ["gold"],
        ["eval", "docs", "-g", "gold.jsonl", "-s", "fixed:9c", "--k", "0"],
        ["eval", "docs", "-g", "gold.jsonl", "-s", "fixed:9c", "--k", "many"],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_2(arguments: list[str], here: Path, command: Command) -> None:
    done = command(*arguments)
    assert done.status == 2
    assert re.search(r"^(Usage|Error):|Usage:", done.out + done.err, re.MULTILINE)


def test_wrong_usage_shows_no_traceback(here: Path) -> None:
    done = start("chunk", "docs", folder=here, expected=2)
    assert "Traceback" not in done.stderr
    assert "--setup" in done.stderr


def test_an_error_is_one_line_in_a_process_of_its_own(here: Path) -> None:
    done = start("chunk", "nowhere", "-s", "fixed:9c", folder=here, expected=2)
    assert done.stderr == "error: nowhere: no such file or folder; check the path\n"
    assert done.stdout == ""


def test_debug_shows_the_traceback(here: Path) -> None:
    done = start("--debug", "chunk", "nowhere", "-s", "fixed:9c", folder=here, expected=1)
    assert "Traceback" in done.stderr
    assert "SourceError: nowhere: no such file" in done.stderr


def test_a_reader_that_goes_away_is_no_failure(here: Path) -> None:
    (here / "docs" / "long.txt").write_text("A sentence is here. " * 20_000)
    words = [sys.executable, "-m", "chunkwright", "chunk", "docs", "-s", "sentence:1s"]
    with subprocess.Popen(words, stdout=-1, stderr=-1, text=True, cwd=here) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
    assert process.returncode == 0
    assert "Traceback" not in said


def test_errors_with_markup_and_several_lines_stay_one_plain_line(command: Command) -> None:
    done = command("chunk", "no[red]where", "-s", "fixed:9c")
    assert done.status == 2
    assert "no[red]where" in one_line(done)
