"""Killed at any moment, a run loses nothing that was done and leaves nothing that misleads.

The moments are spread over a measured run, one at random in each of as many parts of it as there
are kills. No outcome depends on how fast the machine is: a run that ends before its kill counts as
a run that was done.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chunkwright.sources.snapshot import Snapshot, verify

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL"),
]
REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "examples"
KILLS = 20
# So many of them at least must have met a living run, or the moments were measured wrongly.
MET = KILLS // 2


class Runs:
    """Starts `chunkwright` in a folder, and kills it at moments spread over an undisturbed run."""

    def __init__(self, folder: Path, arguments: list[str], kills: int, seed: int) -> None:
        self.folder = folder
        self.arguments = arguments
        self.moments = random.Random(seed)
        self.kills = kills
        self.met = 0
        begun = time.monotonic()
        self.undisturbed = self.finish()
        self.seconds = time.monotonic() - begun

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "chunkwright", *self.arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src"), "CHUNKWRIGHT_DEBUG": ""},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self) -> str:
        """A run to its end: what it prints."""
        out, err = (process := self._start()).communicate()
        assert process.returncode == 0, err
        return out

    def killed(self) -> Iterator[bool]:
        """For each kill, whether the run had ended before it."""
        order = [*range(self.kills)]
        self.moments.shuffle(order)
        for part in order:
            process, begun = self._start(), time.monotonic()
            try:
                process.wait(self.seconds * (part + self.moments.random()) / self.kills)
                # The first run may have met a busy machine: the next moments come sooner.
                self.seconds = min(self.seconds, time.monotonic() - begun)
            except subprocess.TimeoutExpired:
                process.kill()
                self.met += 1
            err = process.communicate()[1]
            assert process.returncode in (0, -9), err
            yield process.returncode == 0


def visible(folder: Path) -> set[str]:
    """Names of what a reader of the folder sees."""
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """The examples several times over, so that there is something to do."""
    for number in range(5):
        shutil.copytree(EXAMPLES / "docs", tmp_path / "docs" / str(number))
    return tmp_path / "docs"


@pytest.mark.parametrize(("suffix", "jobs"), [("jsonl", 1), ("parquet", 1), ("parquet", 2)])
def test_chunk(tmp_path: Path, docs: Path, suffix: str, jobs: int) -> None:
    out = tmp_path / "out" / f"chunks.{suffix}"
    arguments = ["chunk", "docs", "-s", "sentence:60t+1s|headers", "-o", str(out), "-j", str(jobs)]
    runs = Runs(tmp_path, arguments, KILLS // 2, seed=1)
    whole = out.read_bytes()
    old = b"what an earlier setup made"
    out.write_bytes(old)
    for ended in runs.killed():
        assert visible(out.parent) == {out.name}
        assert out.read_bytes() in ([whole] if ended else [old, whole])
        out.write_bytes(old)
    assert runs.finish() == runs.undisturbed
    assert out.read_bytes() == whole
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    assert runs.met >= MET // 2


def trials(journal: Path) -> dict[str, Any]:
    """The figures of each trial; a setup that was measured twice is an error."""
    found: dict[str, Any] = {}
    for line in map(json.loads, journal.read_bytes().splitlines()):
        if line["kind"] == "trial":
            assert line["setup"] not in found
            del line["seconds"]
            found[line["setup"]] = line
    return found


def test_tune(tmp_path: Path) -> None:
    study = tmp_path / "study"
    arguments = [
        *("tune", str(EXAMPLES / "docs"), "--gold", str(EXAMPLES / "gold.jsonl")),
        *("--space", "{sentence,recursive}:{30,50,70,90,110,130}t{,+10%}", "--retriever", "bm25"),
        *("-o", str(study), "--json"),
    ]
    runs = Runs(tmp_path, arguments, KILLS, seed=2)
    measured = trials(study / "journal.jsonl")
    report = (study / "report.html").read_bytes()
    assert len(measured) == 24
    shutil.rmtree(study)
    kept = b""
    for number, ended in enumerate(runs.killed()):
        if not study.exists():
            assert not ended
            continue
        assert visible(study) <= {"analysis", "journal.jsonl", "report.html"}
        journal = study / "journal.jsonl"
        now = journal.read_bytes() if journal.exists() else b""
        # What was whole stays, byte by byte.
        whole = now[: now.rfind(b"\n") + 1]
        assert whole.startswith(kept)
        kept = whole
        if (study / "report.html").exists():
            assert (study / "report.html").read_bytes() == report
        done = trials(journal) if now and whole == now else {}
        assert done == {setup: measured[setup] for setup in done}
        assert done == measured or not ended
        # Else a study would soon be complete, and every kill would meet the report.
        if ended or (done == measured and number % 2):
            shutil.rmtree(study)
            kept = b""
    assert json.loads(runs.finish()) == json.loads(runs.undisturbed)
    assert trials(study / "journal.jsonl") == measured
    assert (study / "journal.jsonl").read_bytes().startswith(kept)
    assert (study / "report.html").read_bytes() == report
    assert {path.name for path in study.iterdir()} == {"analysis", "journal.jsonl", "report.html"}
    files, documents = (study / "analysis").iterdir(), (EXAMPLES / "docs").rglob("*.*")
    assert len([*files]) == sum(path.is_file() for path in documents)
    assert runs.met >= MET


def test_snapshot_create(tmp_path: Path, docs: Path) -> None:
    frozen = tmp_path / "out" / "frozen"
    runs = Runs(tmp_path, ["snapshot", "create", "docs", "-o", str(frozen)], KILLS // 2, seed=3)
    fingerprint = Snapshot.read(frozen).fingerprint
    shutil.rmtree(frozen)
    for ended in runs.killed():
        assert visible(frozen.parent) <= {"frozen"}
        assert frozen.exists() or not ended
        if frozen.exists():
            assert Snapshot.read(frozen).fingerprint == fingerprint
            assert verify(frozen) == ()
            shutil.rmtree(frozen)
    assert runs.finish() == runs.undisturbed
    assert verify(frozen) == ()
    assert [path.name for path in frozen.parent.iterdir()] == ["frozen"]
    assert runs.met >= MET // 2
