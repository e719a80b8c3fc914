"""The journal of a study: one line of JSON a trial, never rewritten.

A trial is on disk before the next one starts. A line that a killed process left half-written is
dropped when the journal is opened again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from chunkwright.errors import StudyError
from chunkwright.evaluation.experiment import ChunkStatistics, Evaluation
from chunkwright.setup import Setup

FILE_NAME = "journal.jsonl"
_DIGITS = 6
_BEGINNING = b'{"kind": "'


@dataclass(frozen=True, slots=True)
class Failed:
    """A setup that could not be used, and why."""

    setup: Setup
    reason: str


class Journal:
    """Trials on disk, by the key of the study they belong to.

    Args:
        path: The journal's file; made when the first line is written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def lines(self) -> Iterator[dict[str, Any]]:
        """Whole lines, in order.

        Raises:
            StudyError: The file is not a journal.
        """
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                if not raw.endswith(b"\n"):
                    return  # the process was killed while it wrote this line
                try:
                    line = json.loads(raw)
                except ValueError:
                    line = None
                if not isinstance(line, dict) or "kind" not in line:
                    raise StudyError(
                        f"{self.path}:{number}: not a line of a journal; move the file away or "
                        "choose another folder with -o"
                    )
                yield line

    def trials(self, key: str) -> tuple[dict[Setup, Evaluation], dict[Setup, Failed]]:
        """Finished trials and unusable setups of one study."""
        done: dict[Setup, Evaluation] = {}
        failed: dict[Setup, Failed] = {}
        for line in self.lines():
            if line.get("key") != key:
                continue
            if line["kind"] == "trial":
                trial = _evaluation(line)
                done[trial.setup] = trial
            elif line["kind"] == "failed":
                setup = Setup.parse(line["setup"])
                failed[setup] = Failed(setup, line["reason"])
        return done, failed

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Open the journal for one process to append to.

        Raises:
            StudyError: Another process writes it, or the folder cannot be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = self.path.open("a+b")
        except OSError as problem:
            raise StudyError(f"{self.path}: cannot be written ({problem.strerror})") from None
        with file:
            _lock(file, self.path)
            _drop_half_line(file, self.path)
            yield Writer(file)


class Writer:
    """Appends whole lines to a journal."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, line: Mapping[str, Any]) -> None:
        """Put one line on disk."""
        self._file.write(json.dumps(line, allow_nan=False, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def trial(self, key: str, evaluation: Evaluation, seconds: float) -> None:
        """Put a finished trial on disk."""
        self.write(
            {
                "kind": "trial",
                "key": key,
                "setup": str(evaluation.setup),
                "retriever": evaluation.retriever,
                "seconds": round(seconds, 3),
                "statistics": asdict(evaluation.statistics),
                "values": {name: _listed(row) for name, row in evaluation.values.items()},
                "sent_tokens": {name: _listed(row) for name, row in evaluation.sent_tokens.items()},
                "ties": dict(evaluation.ties),
            }
        )

    def failed(self, key: str, failed: Failed) -> None:
        """Put an unusable setup on disk."""
        line = {"kind": "failed", "key": key, "setup": str(failed.setup), "reason": failed.reason}
        self.write(line)


def rounded(evaluation: Evaluation) -> Evaluation:
    """The evaluation as the journal keeps it, so that a resumed study gives the same figures."""
    values = {name: np.round(row, _DIGITS) for name, row in evaluation.values.items()}
    return replace(evaluation, values=values)


def _listed(row: Any) -> list[float | None]:
    return [None if np.isnan(value) else round(value, _DIGITS) for value in row.tolist()]


def _evaluation(line: Mapping[str, Any]) -> Evaluation:
    def arrays(columns: Mapping[str, list[float | None]]) -> dict[str, Any]:
        return {name: np.array(column, np.float64) for name, column in columns.items()}

    return Evaluation(
        Setup.parse(line["setup"]),
        line["retriever"],
        arrays(line["values"]),
        arrays(line["sent_tokens"]),
        ChunkStatistics(**line["statistics"]),
        line["ties"],
    )


def _lock(file: IO[bytes], path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # no such lock on this system
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StudyError(f"{path}: another run is writing it; wait, or use another -o") from None
    except OSError:
        with suppress(OSError):  # a file system without locks
            return


def _drop_half_line(file: IO[bytes], path: Path) -> None:
    size = file.seek(0, os.SEEK_END)
    kept = size
    while kept > 0:
        step = min(kept, 1 << 16)
        file.seek(kept - step)
        at = file.read(step).rfind(b"\n")
        if at >= 0:
            kept = kept - step + at + 1
            break
        kept -= step
    if kept != size:
        file.seek(kept)
        if not _BEGINNING.startswith(file.read(len(_BEGINNING))):
            raise StudyError(
                f"{path}: its end is not a line of a journal; move the file away or choose "
                "another folder with -o"
            )
        file.truncate(kept)
    file.seek(0, os.SEEK_END)
