"""The journal of a study: one line of JSON a trial, never rewritten.

A trial is on disk before the next one starts. A line that a killed process left half-written is
dropped when the journal is opened again. A race also leaves what its decisions rest on: ceilings,
figures on a part of the questions or by a cheaper retriever, and what was ruled out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from chunkwright.errors import StudyError
from chunkwright.evaluation.ceilings import Ceiling
from chunkwright.evaluation.experiment import ChunkStatistics, Evaluation
from chunkwright.retrieval.embedders import Truncation
from chunkwright.setup import Setup

FILE_NAME = "journal.jsonl"
_DIGITS = 6
_BEGINNING = b'{"kind": "'


@dataclass(frozen=True, slots=True)
class Failed:
    """A setup that could not be used, and why."""

    setup: Setup
    reason: str


@dataclass(frozen=True, slots=True)
class RuledOut:
    """A setup that a race left early, and on which evidence.

    Attributes:
        setup: The setup.
        level: 0 where its spans alone decided, 1 where cheap evidence did.
        by: `spans`; `questions` for a part of them; or the name of the cheaper retriever.
        figure: Its figure of the metric that decides: the highest possible, or on those questions,
            or by that retriever.
        questions: On how many questions.
        leader: What it was compared with.
        leader_figure: The figure of that on the same questions, by the retriever of the study.
        behind: How far it is taken to lie behind.
        behind_low: A lower bound on that: exact for `spans`; else for all setups at once, with the
            luck of the draw and the error of a cheaper retriever counted.
        margin: What the bound had to pass: within it, the choice could still have picked it.
        error: Standard error of `behind`.
    """

    setup: Setup
    level: int
    by: str
    figure: float
    questions: int
    leader: Setup
    leader_figure: float
    behind: float
    behind_low: float
    margin: float
    error: float = 0.0

    @property
    def evidence(self) -> str:
        """How it was ruled out, in words."""
        known = {"spans": "by their spans alone", "questions": "on a part of the questions"}
        if self.by.startswith("late"):
            return "by late vectors"
        return known.get(self.by, f"by {self.by}")


# The retriever and the questions (None: all) of a setup's figures.
Part = tuple[Setup, str, tuple[int, ...] | None]


@dataclass(frozen=True, slots=True)
class Kept:
    """What a journal holds of one study.

    Attributes:
        trials: Measured setups.
        failed: Unusable ones.
        ceilings: Ceilings by setup and metric.
        parts: What was measured on some questions, or by a cheaper retriever.
        ruled_out: What races decided, and for which metric.
        known: Whether it has a line of the study at all.
    """

    trials: dict[Setup, Evaluation] = field(default_factory=dict)
    failed: dict[Setup, Failed] = field(default_factory=dict)
    ceilings: dict[tuple[Setup, str], Ceiling] = field(default_factory=dict)
    parts: dict[Part, Evaluation] = field(default_factory=dict)
    ruled_out: set[tuple[str, RuledOut]] = field(default_factory=set)
    known: bool = False


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

    def read(self, key: str) -> Kept:
        """All that is kept of one study."""
        kept, known = Kept(), False
        for line in self.lines():
            if line.get("key") != key:
                continue
            known = True
            if line["kind"] == "trial":
                trial = _evaluation(line)
                kept.trials[trial.setup] = trial
            elif line["kind"] == "failed":
                setup = Setup.parse(line["setup"])
                kept.failed[setup] = Failed(setup, line["reason"])
            elif line["kind"] == "ceiling":
                ceiling = _ceiling(line)
                kept.ceilings[ceiling.setup, ceiling.metric] = ceiling
            elif line["kind"] == "part":
                part, asked = _evaluation(line), line["questions"]
                questions = None if asked is None else tuple(asked)
                kept.parts[part.setup, part.retriever, questions] = part
            elif line["kind"] == "ruled_out":
                kept.ruled_out.add((line["metric"], _ruled_out(line)))
        return replace(kept, known=known)

    def trials(self, key: str) -> tuple[dict[Setup, Evaluation], dict[Setup, Failed]]:
        """Finished trials and unusable setups of one study."""
        kept = self.read(key)
        return kept.trials, kept.failed

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
        self.write({"kind": "trial", "key": key, **_line(evaluation, seconds)})

    def part(
        self, key: str, evaluation: Evaluation, questions: tuple[int, ...] | None, seconds: float
    ) -> None:
        """Put on disk what was measured on some questions, or by a cheaper retriever."""
        asked = None if questions is None else list(questions)
        line = _line(evaluation, seconds)
        self.write({"kind": "part", "key": key, "questions": asked, **line})

    def ceiling(self, key: str, ceiling: Ceiling, seconds: float) -> None:
        """Put on disk what spans alone decide."""
        self.write(
            {
                "kind": "ceiling",
                "key": key,
                "setup": str(ceiling.setup),
                "metric": ceiling.metric,
                "seconds": round(seconds, 3),
                "values": _listed(ceiling.values),
                "sent_tokens": _listed(ceiling.sent_tokens),
            }
        )

    def ruled_out(self, key: str, metric: str, ruled_out: RuledOut) -> None:
        """Put a decision on disk, with its evidence."""
        line = asdict(ruled_out)
        line["setup"], line["leader"] = str(ruled_out.setup), str(ruled_out.leader)
        self.write({"kind": "ruled_out", "key": key, "metric": metric, **line})

    def failed(self, key: str, failed: Failed) -> None:
        """Put an unusable setup on disk."""
        line = {"kind": "failed", "key": key, "setup": str(failed.setup), "reason": failed.reason}
        self.write(line)


def rounded(evaluation: Evaluation) -> Evaluation:
    """The evaluation as the journal keeps it, so that a resumed study gives the same figures."""
    values = {name: np.round(row, _DIGITS) for name, row in evaluation.values.items()}
    return replace(evaluation, values=values)


def rounded_ceiling(ceiling: Ceiling) -> Ceiling:
    """The ceiling as the journal keeps it."""
    return replace(ceiling, values=np.round(ceiling.values, _DIGITS))


def _line(evaluation: Evaluation, seconds: float) -> dict[str, Any]:
    lost = evaluation.truncation
    return {
        "setup": str(evaluation.setup),
        "retriever": evaluation.retriever,
        "seconds": round(seconds, 3),
        "statistics": asdict(evaluation.statistics),
        "values": {name: _listed(row) for name, row in evaluation.values.items()},
        "sent_tokens": {name: _listed(row) for name, row in evaluation.sent_tokens.items()},
        "ties": dict(evaluation.ties),
        **({} if lost is None else {"truncation": asdict(lost)}),
    }


def _listed(row: Any) -> list[float | None]:
    return [None if np.isnan(value) else round(value, _DIGITS) for value in row.tolist()]


def _evaluation(line: Mapping[str, Any]) -> Evaluation:
    def arrays(columns: Mapping[str, list[float | None]]) -> dict[str, Any]:
        return {name: np.array(column, np.float64) for name, column in columns.items()}

    lost = line.get("truncation")
    return Evaluation(
        Setup.parse(line["setup"]),
        line["retriever"],
        arrays(line["values"]),
        arrays(line["sent_tokens"]),
        _statistics(line["statistics"]),
        line["ties"],
        None if lost is None else Truncation(**lost),
    )


def _statistics(given: Mapping[str, Any]) -> ChunkStatistics:
    by_document = {name: tuple(counts) for name, counts in given["by_document"].items()}
    return ChunkStatistics(**{**given, "by_document": by_document})


def _ceiling(line: Mapping[str, Any]) -> Ceiling:
    values, sent = (np.array(line[name], np.float64) for name in ("values", "sent_tokens"))
    return Ceiling(Setup.parse(line["setup"]), line["metric"], values, sent)


def _ruled_out(line: Mapping[str, Any]) -> RuledOut:
    given = {name: line[name] for name in RuledOut.__slots__}
    given["setup"], given["leader"] = Setup.parse(line["setup"]), Setup.parse(line["leader"])
    return RuledOut(**given)


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
