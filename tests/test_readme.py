"""The README's commands are run, and print what it shows.

`python -m tests.test_readme` writes what they print now into the README.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
README = REPOSITORY / "README.md"
_CONSOLE = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MAKEFILE_DEMO = "chunkwright tune examples/docs --gold examples/gold.jsonl -o build/demo"


def run(command: str, folder: Path) -> str:
    """What a command prints: its result, or its error."""
    program, *arguments = shlex.split(command)
    assert program == "chunkwright"
    done = subprocess.run(
        [sys.executable, "-m", "chunkwright", *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "112", "PYTHONPATH": str(REPOSITORY / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    shown = done.stdout if done.returncode == 0 else done.stderr
    return "".join(f"{line.rstrip()}\n" for line in shown.splitlines())


def replayed(text: str, folder: Path) -> str:
    """The README with the output that its commands print now."""

    def block(found: re.Match[str]) -> str:
        commands = [line for line in found[1].splitlines() if line.startswith("$ ")]
        return "".join(f"{line}\n{run(line[2:], folder)}" for line in commands)

    (folder / "examples").symlink_to(REPOSITORY / "examples")
    return _CONSOLE.sub(block, text)


def test_commands_print_what_is_shown(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    assert replayed(text, tmp_path) == text


def test_the_first_command_is_what_make_demo_runs() -> None:
    assert f"$ {_MAKEFILE_DEMO}\n" in README.read_text(encoding="utf-8")
    assert _MAKEFILE_DEMO in (REPOSITORY / "Makefile").read_text(encoding="utf-8")


def test_python_examples_hold(monkeypatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    runner = doctest.DocTestRunner()
    for number, block in enumerate(_PYTHON.findall(README.read_text(encoding="utf-8"))):
        example = doctest.DocTestParser().get_doctest(block, {}, f"README {number}", None, 0)
        runner.run(example)
    assert runner.summarize().failed == 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        README.write_text(
            replayed(README.read_text(encoding="utf-8"), Path(folder)), encoding="utf-8"
        )
