"""Studies that run beside the page: each in a process of its own, seen by every open tab."""

from __future__ import annotations

import atexit
import os
import signal
import threading
import time
import traceback
import warnings
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
from numpy.typing import NDArray

from chunkwright.errors import ChunkwrightError, StudyError, TruncationWarning
from chunkwright.evaluation.experiment import DEFAULT_BUDGET, DEFAULT_K, Evaluation, Experiment
from chunkwright.gold.check import CheckedGold
from chunkwright.gold.goldset import GoldSet
from chunkwright.processes import end_with, uninterrupted
from chunkwright.retrieval.lexical import BM25
from chunkwright.retrieval.vectors import user_cache
from chunkwright.service.workspace import Workspace
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.tuning.journal import Failed, RuledOut
from chunkwright.tuning.space import DEFAULT_SPACE, expand, read_space
from chunkwright.tuning.study import DEFAULT_RETRIEVER, Study, deciding_metric, tune

REPORT_NAME = "report.html"
# What can be typed: more would take days, and a pattern of many braces stands for millions.
MOST_SETUPS = 2000
_LONGEST_LINE = 400
# Seconds between two calls to stop, and after which a study that does not hear them is ended.
_PATIENCE = 3.0
_GRACE = 12.0

Result = Evaluation | Failed | RuledOut


@dataclass(frozen=True, slots=True)
class Settings:
    """What is to be tried, and how; by default what the command line does.

    Attributes:
        patterns: The space.
        retriever: Name of the retriever.
        k: Results looked at.
        budget: Tokens sent at most.
        metric: What decides at the budget.
        jobs: How many processes measure setups.
    """

    patterns: tuple[str, ...] = DEFAULT_SPACE
    retriever: str = DEFAULT_RETRIEVER
    k: int = DEFAULT_K
    budget: int = DEFAULT_BUDGET
    metric: str = "hit_rate"
    jobs: int = 1


class Space(NamedTuple):
    """Patterns, and the setups that they stand for."""

    patterns: tuple[str, ...]
    setups: tuple[Setup, ...]


def typed_space(text: str) -> Space:
    r"""The space that was typed, a pattern a line; empty lines and those after a # are left out.

    Raises:
        StudyError: A line names a file, or the patterns stand for too much.
        SetupError: A notation cannot be read.

    >>> space = typed_space("sentence:{100,200}t\n\n# no more")
    >>> space.patterns, len(space.setups)
    (('sentence:{100,200}t',), 2)
    """
    lines = [line.strip() for line in text.splitlines()]
    patterns = tuple(line for line in lines if line and not line.startswith("#"))
    for pattern in patterns:
        # The page must not be a way to read files of the machine that it runs on.
        if pattern.startswith("@"):
            raise StudyError(f"{pattern}: no files are read from here; paste the lines instead")
        if len(pattern) > _LONGEST_LINE:
            raise StudyError(f"a line is over {_LONGEST_LINE} characters; use several lines")
    everything = (notation for pattern in patterns for notation in expand(pattern))
    if sum(1 for _ in islice(everything, MOST_SETUPS + 1)) > MOST_SETUPS:
        raise StudyError(f"that is over {MOST_SETUPS:,} setups; leave some out")
    return Space(patterns, read_space(patterns))


class Phase(StrEnum):
    """What a study is doing."""

    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"

    @property
    def active(self) -> bool:
        """Whether its process is at work."""
        return self in (Phase.RUNNING, Phase.STOPPING)


@dataclass(frozen=True, eq=False)
class Run:
    """A study as it is at one moment.

    Attributes:
        settings: What is tried.
        gold: The questions, as they were when it began.
        checked: The same after the check.
        clusters: The document of each of those, by number.
        space: The setups.
        folder: Where its journal is.
        begun: When it began, by `time.monotonic`.
        phase: What it is doing.
        results: What came of each setup, in the order in which they were settled.
        ended: When it ended.
        final: The study, when it has ended.
        report: Its report, when that is written.
        problem: Why it ended early, in a line.
    """

    settings: Settings
    gold: GoldSet
    checked: CheckedGold
    clusters: NDArray[np.int64]
    space: tuple[Setup, ...]
    folder: Path
    begun: float
    phase: Phase = Phase.RUNNING
    results: tuple[tuple[Setup, Result], ...] = ()
    ended: float | None = None
    final: Study | None = None
    report: Path | None = None
    problem: str = ""

    @property
    def metric(self) -> str:
        """Name of the metric that decides."""
        return str(deciding_metric(self.settings.metric, self.settings.budget))

    @property
    def planned(self) -> int:
        """How many setups there are."""
        return len(self.space)

    @property
    def settled(self) -> int:
        """How many of them are measured, unusable or ruled out."""
        final = self.final
        if final is None:
            return len(self.results)
        # It also holds what the journal knew already, and was not told again before a stop.
        return len(final.evaluations) + len(final.failed) + len(final.ruled_out)

    @property
    def seconds(self) -> float:
        """How long it has been running, or ran."""
        return (self.ended or time.monotonic()) - self.begun

    @property
    def leader(self) -> tuple[float, Setup] | None:
        """The best figure so far, as the command line shows it while it works."""
        told = (result for _, result in self.results if isinstance(result, Evaluation))
        measured = told if self.final is None else self.final.evaluations
        found = [(each.mean(self.metric), str(each.setup), each.setup) for each in measured]
        best = max(found, default=None, key=lambda each: each[:2])
        return None if best is None else (best[0], best[2])

    @cached_property
    def study(self) -> Study:
        """The study; while it runs, what it would be if it were stopped now."""
        if self.final is not None:
            return self.final
        by_setup = dict(self.results)
        found = [by_setup[setup] for setup in self.space if setup in by_setup]
        return Study(
            evaluations=tuple(each for each in found if isinstance(each, Evaluation)),
            failed=tuple(each for each in found if isinstance(each, Failed)),
            metric=deciding_metric(self.settings.metric, self.settings.budget),
            clusters=self.clusters,
            facts={},
            gold=self.checked,
            planned=self.planned,
            ruled_out=tuple(each for each in found if isinstance(each, RuledOut)),
        )


def default_folder(corpus: Corpus, gold: GoldSet) -> Path:
    """Where the studies of some documents and questions are kept: in the user's cache."""
    name = f"{corpus.fingerprint[:12]}-{gold.fingerprint[:12]}"
    return user_cache().parent / "studies" / name


class Studies:
    """The studies of a workspace, one at a time.

    Args:
        folder: Where their journal is kept; in the user's cache if left out.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._now: Run | None = None
        self._process: SpawnProcess | None = None

    @property
    def now(self) -> Run | None:
        """The last study as it is now; None before there was one."""
        return self._now

    def start(self, workspace: Workspace, settings: Settings) -> Run:
        """Begin a study, or go on with one that has the same settings and was stopped.

        Raises:
            StudyError: One is running already.
            GoldError: No question can be used.
        """
        gold, corpus = workspace.gold, workspace.corpus
        checked = workspace.usable
        clusters = Experiment(corpus, checked.questions, BM25).clusters
        space = read_space(settings.patterns)
        folder = self.folder or default_folder(corpus, gold)
        with self._lock:
            if self._now is not None and self._now.phase.active:
                raise StudyError("a study is running already; stop it first")
            run = Run(settings, gold, checked, clusters, space, folder, time.monotonic())
            # Not forked: the server has threads of its own.
            context = get_context("spawn")
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(
                target=_work, args=(theirs, os.getpid(), corpus, gold, settings, folder)
            )
            with uninterrupted():
                process.start()
            theirs.close()  # so that this end is told when the process is gone
            self._now, self._process = run, process
        _end_with_this_process(process)
        threading.Thread(target=self._listen, args=(process, ours), daemon=True).start()
        return run

    def stop(self) -> None:
        """Have the study that runs stopped, as Ctrl-C does; what is done is kept."""
        with self._lock:
            if self._now is None or self._now.phase is not Phase.RUNNING:
                return
            process = self._process
            self._now = replace(self._now, phase=Phase.STOPPING)
        threading.Thread(target=self._stopping, args=(process,), daemon=True).start()

    def _stopping(self, process: SpawnProcess) -> None:
        """Ask until it has heard; a study that hears nothing is ended, which harms no journal."""
        last = time.monotonic() + _GRACE
        while process is self._process and self._now is not None and self._now.phase.active:
            if time.monotonic() > last:
                process.kill()
                return
            with suppress(OSError):
                os.kill(process.pid or 0, signal.SIGINT)
            process.join(_PATIENCE)

    def _listen(self, process: SpawnProcess, connection: Connection) -> None:
        with connection, suppress(EOFError, OSError):
            while True:
                self._take(process, connection.recv())
        process.join()
        with self._lock:
            run = self._now
            if process is self._process and run is not None and run.phase.active:
                ended = replace(run, phase=Phase.STOPPED, ended=time.monotonic())
                if run.phase is Phase.RUNNING:
                    why = f"the study's process ended with status {process.exitcode}; "
                    why += "what is done is kept, so go on, with fewer jobs if memory ran out"
                    ended = replace(ended, phase=Phase.FAILED, problem=why)
                self._now = ended

    def _take(self, process: SpawnProcess, message: Any) -> None:
        """Take what a study tells."""
        with self._lock:
            run = self._now
            if process is not self._process or run is None:
                return  # another one has begun
            if isinstance(message, Study):
                phase = Phase.DONE if message.complete else Phase.STOPPED
                run = replace(run, final=message, phase=phase, ended=time.monotonic())
            elif isinstance(message, Path):
                run = replace(run, report=message)
            elif isinstance(message, ChunkwrightError):
                phase = Phase.FAILED if run.phase.active else run.phase
                run = replace(
                    run, problem=str(message), phase=phase, ended=run.ended or time.monotonic()
                )
            else:
                run = replace(run, results=(*run.results, message))
            self._now = run


_studies: WeakKeyDictionary[Workspace, Studies] = WeakKeyDictionary()


def studies_of(workspace: Workspace) -> Studies:
    """The studies of a workspace, the same for all tabs."""
    return _studies.setdefault(workspace, Studies())


def keep_studies_in(workspace: Workspace, folder: Path) -> None:
    """Have the studies of a workspace keep their journal and report in a folder."""
    studies_of(workspace).folder = folder


# What would go on when this process ends, and be waited for.
_at_work: WeakSet[SpawnProcess] = WeakSet()


def _end_with_this_process(process: SpawnProcess) -> None:
    # Registered after what waits for processes, and so called before it.
    if not _at_work:
        atexit.unregister(_end_all)
        atexit.register(_end_all)
    _at_work.add(process)


def _end_all() -> None:
    for process in _at_work:
        process.kill()


class _Stop:
    """Ctrl-C, heard once: further ones must not disturb what it began."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, *_: object) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    def listen(self) -> None:
        """From now on it is heard, as is one that came before this."""
        signal.signal(signal.SIGINT, self)
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _work(
    connection: Connection,
    parent: int,
    corpus: Corpus,
    gold: GoldSet,
    settings: Settings,
    folder: Path,
) -> None:
    """The life of a study's process: what comes of each setup, the study, the report's path."""
    end_with(parent)
    # Models are read from local folders: no library has to ask the network about them.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    stop = _Stop()

    def tell(message: object) -> None:
        with uninterrupted():  # half a message cannot be read
            connection.send(message)

    def progress(setup: Setup, result: Result, _number: int, _planned: int) -> None:
        tell((setup, result))
        if stop.asked:  # and lost on its way, as happens where Python cannot raise
            raise KeyboardInterrupt

    try:
        with warnings.catch_warnings():
            # The table has a column for it.
            warnings.simplefilter("ignore", TruncationWarning)
            stop.listen()
            study = tune(
                corpus,
                gold,
                settings.patterns,
                settings.retriever,
                settings.k,
                settings.budget,
                settings.metric,
                folder,
                progress,
                settings.jobs,
            )
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if study.evaluations:
            _ = study.choice  # found here, so that the page has not to
        tell(study)
        if study.evaluations:
            tell(study.report(folder / REPORT_NAME))
    except KeyboardInterrupt:
        return  # before anything was measured
    except BrokenPipeError:
        return  # the lab is gone
    except ChunkwrightError as problem:
        tell(StudyError(str(problem)))
    except Exception as problem:
        traceback.print_exc()
        tell(StudyError(f"the study failed: {type(problem).__name__}: {problem}"))
