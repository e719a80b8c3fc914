"""The command line, run as a user runs it: its status, and what it says where."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from chunkwright.cli.app import run


class Done(NamedTuple):
    """What came of a command."""

    status: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs `chunkwright` with arguments, in this process: starting a new one takes a second."""
    monkeypatch.setenv("CHUNKWRIGHT_DEBUG", "")

    def call(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["chunkwright", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            run()
        said = capsys.readouterr()
        status = ended.value.code
        return Done(status if isinstance(status, int) else 0, said.out, said.err)

    return call


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two documents and two questions, where the command runs."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "lamp.md").write_text("# Lamp\n\nIt blinks blue. Press the button.\n")
    (docs / "hub.txt").write_text("The hub hums. It needs power.\n")
    (tmp_path / "empty").mkdir()
    write_gold(
        tmp_path / "gold.jsonl", ("lamp.md", "It blinks blue."), ("hub.txt", "The hub hums.")
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_gold(path: Path, *answers: tuple[str, str]) -> None:
    """A gold set with one question an answer."""
    rows = [
        {
            "id": f"q{number}",
            "question": f"Is it said that {quote}",
            "references": [{"document_id": document_id, "quote": quote}],
        }
        for number, (document_id, quote) in enumerate(answers, 1)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def one_line(done: Done) -> str:
    """The error of a command, which is one line."""
    lines = done.err.splitlines()
    assert len(lines) == 1, done.err
    assert "Traceback" not in done.err
    assert lines[0].startswith("error: ")
    return lines[0]
