"""`chunk --jobs`: the same as with one job, byte for byte, and no half file however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Command

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "examples" / "docs"
SETUP = "sentence:60t+1s|headers"


@pytest.fixture
def docs(here: Path) -> Path:
    """Documents of mixed size, some of which fail or have something to be told of."""
    texts = [path.read_text("utf-8") for path in sorted(EXAMPLES.iterdir()) if path.is_file()]
    for number in range(9):
        text = "\n\n".join(texts[number:] * (1 + number % 3))
        (here / "docs" / f"{number}.md").write_text(text, encoding="utf-8")
    (here / "docs" / "4.md").write_bytes(b"\x00\xff")
    (here / "docs" / "control.txt").write_text("A bell\x07 rings. " * 20)
    (here / "docs" / "long.md").write_text(f"# {'A long title ' * 40}\n\nText.\n")
    (here / "docs" / "photo.png").touch()
    return here


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_a_file_is_the_same(command: Command, docs: Path, name: str) -> None:
    arguments = ["chunk", "docs", "-s", SETUP, "--json"]
    alone = command(*arguments, "-o", f"alone/{name}")
    together = command(*arguments, "-o", f"together/{name}", "--jobs", 2)
    assert alone.status == together.status == 3
    assert (docs / "together" / name).read_bytes() == (docs / "alone" / name).read_bytes()
    assert together.out == alone.out
    assert together.err.replace("together/", "alone/") == alone.err


def test_standard_output_is_the_same(command: Command, docs: Path) -> None:
    arguments = ["chunk", "docs", "-s", SETUP, "--replace-controls"]
    assert command(*arguments, "-j", 2) == command(*arguments)


def test_a_bad_document_alone(command: Command, docs: Path) -> None:
    arguments = ["chunk", "docs/4.md", "-s", SETUP, "-o", "out.parquet"]
    assert command(*arguments, "-j", 2) == command(*arguments)
    assert not list(docs.glob("*out*"))


class Run:
    """A run by two processes that has begun to write, and was interfered with."""

    def __init__(self, folder: Path, interfere: Callable[[int], None]) -> None:
        arguments = ["chunk", "docs", "-s", SETUP, "-o", "out.jsonl", "-j", "2"]
        process = subprocess.Popen(
            [sys.executable, "-m", "chunkwright", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src"), "CHUNKWRIGHT_DEBUG": ""},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        part = folder / ".out.jsonl.part"
        until = time.monotonic() + 60
        while not (part.exists() and part.stat().st_size) and time.monotonic() < until:
            time.sleep(0.02)
        workers = [process_id for process_id in children(process.pid) if is_worker(process_id)]
        assert workers
        interfere(process.pid)
        self.out, self.err = process.communicate(timeout=60)
        self.status = process.returncode
        self.left = sorted(path.name for path in folder.iterdir() if "out" in path.name)
        until = time.monotonic() + 10
        while any(map(is_worker, workers)) and time.monotonic() < until:
            time.sleep(0.05)
        self.living = [worker for worker in workers if is_worker(worker)]


def children(process: int) -> Iterator[int]:
    for task in Path(f"/proc/{process}/task").iterdir():
        yield from map(int, (task / "children").read_text().split())


def is_worker(process: int) -> bool:
    try:
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
class TestInterference:
    @pytest.fixture
    def much(self, docs: Path) -> Path:
        for number in range(60):
            text = (docs / "docs" / f"{number % 4}.md").read_text("utf-8")
            (docs / "docs" / f"more{number}.md").write_text(text * 20, encoding="utf-8")
        return docs

    def test_ctrl_c_ends_all(self, much: Path) -> None:
        # A terminal sends it to every process in the foreground.
        run = Run(much, lambda process: os.killpg(process, signal.SIGINT))
        assert (run.status, run.out, run.err) == (130, "", "")
        assert (run.left, run.living) == ([], [])

    def test_a_killed_worker_is_one_line(self, much: Path) -> None:
        def kill(process: int) -> None:
            os.kill(next(filter(is_worker, children(process))), signal.SIGKILL)

        run = Run(much, kill)
        assert (run.status, run.out) == (2, "")
        assert run.err == (
            "error: a worker process was killed by signal 9 before its work was done; if memory "
            "ran out, use fewer --jobs\n"
        )
        assert (run.left, run.living) == ([], [])

    def test_workers_end_with_a_run_that_is_killed(self, much: Path) -> None:
        run = Run(much, lambda process: os.kill(process, signal.SIGKILL))
        assert run.status == -9
        assert (run.left, run.living) == ([".out.jsonl.part"], [])
