"""Trials: setups measured one after the other, in this process or in several."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from chunkwright.errors import SetupError, TruncationWarning
from chunkwright.evaluation.ceilings import Ceiling
from chunkwright.evaluation.experiment import Evaluation, Experiment
from chunkwright.evaluation.metrics import Metric
from chunkwright.processes import workers
from chunkwright.retrieval.late import Late
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Retriever
from chunkwright.setup import Setup
from chunkwright.tuning.journal import Failed, rounded, rounded_ceiling

# Tokens of the pools that are kept for their next questions, by all processes together; with what
# hybrid retrieval keeps of them, each takes some 12 bytes. What has no room is cut again.
_KEPT_TOKENS = 1 << 26


class Task(NamedTuple):
    """What is to be found of a setup.

    Attributes:
        setup: The setup.
        by: `spans` for its ceiling; `screen` for its figures with the cheaper retriever; `trial`
            for its figures.
        questions: Numbers of the questions, ascending; None for all.
        again: Whether more will be asked of it, so that its chunks are kept.
    """

    setup: Setup
    by: Literal["spans", "screen", "trial"] = "trial"
    questions: tuple[int, ...] | None = None
    again: bool = False


class Trial(NamedTuple):
    """What came of one task, and how many seconds it took."""

    result: Evaluation | Ceiling | Failed
    seconds: float


class Bench:
    """Where tasks are done: an experiment, and the pools that are kept for the next task.

    Args:
        experiment: What setups are measured in.
        metric: What decides; ceilings are of it.
        screen: A cheaper retriever that stands in for the experiment's own.
        kept_tokens: How many tokens the pools that are kept may have.
    """

    def __init__(
        self,
        experiment: Experiment,
        metric: Metric | None = None,
        screen: Retriever | None = None,
        kept_tokens: int = _KEPT_TOKENS,
    ) -> None:
        self.experiment = experiment
        self.metric = metric or experiment.metrics[0]
        self.screen = screen
        self.kept_tokens = kept_tokens
        self._kept: dict[Setup, Pool] = {}

    def __reduce__(self) -> tuple[type[Bench], tuple[Any, ...]]:
        # The pools that are kept stay where they are.
        return Bench, (self.experiment, self.metric, self.screen, self.kept_tokens)

    def divided(self, jobs: int) -> Bench:
        """One like it for each of several processes, which share the room for pools."""
        return Bench(self.experiment, self.metric, self.screen, self.kept_tokens // jobs)

    def retrievers(self) -> tuple[Retriever, ...]:
        """Those that are used here."""
        own = self.experiment.retriever
        return (own,) if self.screen is None else (own, self.screen)

    def run(self, task: Task) -> Trial:
        """Do a task."""
        begun = time.perf_counter()
        result: Evaluation | Ceiling | Failed
        try:
            result = self._found(task)
        except SetupError as problem:
            result = Failed(task.setup, str(problem))
        return Trial(result, time.perf_counter() - begun)

    def _found(self, task: Task) -> Evaluation | Ceiling:
        pool = self._pool(task)
        if task.by == "spans":
            return rounded_ceiling(Ceiling.of(self.metric, self.experiment.targets, pool))
        experiment = self.experiment
        if task.by == "screen":
            assert self.screen is not None
            experiment = experiment.with_retriever(self.screen)
        asked = None if task.questions is None else np.array(task.questions, np.int64)
        return rounded(experiment.measure(pool, asked))

    def _pool(self, task: Task) -> Pool:
        pool = self._kept.pop(task.setup, None) or self.experiment.pool(task.setup)
        if task.again:
            kept = sum(int(each.tokens.sum()) for each in self._kept.values())
            if kept + int(pool.tokens.sum()) <= self.kept_tokens:
                self._kept[task.setup] = pool
        return pool


Crew = Callable[[Sequence[Task]], Iterator[Trial]]


@contextmanager
def crew(bench: Bench, jobs: int = 1) -> Iterator[Crew]:
    """Those who do tasks, in their order: this process, or several that start when needed.

    Args:
        bench: Where tasks are done; other processes get one like it.
        jobs: How many processes work; the figures are the same for any number. Each reads the
            documents for itself.

    Raises:
        WorkerError: A process was killed; raised by the crew.
    """
    if jobs <= 1:
        yield lambda tasks: map(bench.run, tasks)
        return
    ready = False

    def work(tasks: Sequence[Task]) -> Iterator[Trial]:
        nonlocal ready
        if tasks and not ready:
            bench.experiment.collection.prepare(jobs)
            _read_first(bench)
            ready = True
        for trial in run(tasks):
            _warn(trial.result)
            yield trial

    with workers(_Trying(bench.divided(jobs)), jobs) as run:
        yield work


def _read_first(bench: Bench) -> None:
    """Let token vectors be made once, before several processes that share a file make them all."""
    for retriever in bench.retrievers():
        if isinstance(retriever, Late) and retriever.cache.path is not None:
            retriever.read(bench.experiment.collection)


def _warn(result: Evaluation | Ceiling | Failed) -> None:
    """Say here what another process found, where the user's filters for warnings hold."""
    if isinstance(result, Evaluation) and result.truncation is not None:
        warning = result.truncation.warning(result.retriever, f"chunks of {result.setup}")
        if warning is not None:
            warnings.warn(warning, stacklevel=2)


def trials(
    experiment: Experiment, setups: Sequence[Setup], jobs: int = 1
) -> Generator[Trial, None, None]:
    """Measure setups, in their order.

    Args:
        experiment: What they are measured in.
        setups: The setups.
        jobs: How many processes work on them.
    """
    with crew(Bench(experiment), min(jobs, len(setups))) as work:
        yield from work([Task(setup) for setup in setups])


@dataclass(frozen=True, slots=True)
class _Trying:
    """What a worker does; its bench lives as long as it does."""

    bench: Bench

    def __call__(self, task: Task) -> tuple[Trial]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TruncationWarning)  # it is told where this arrives
            return (self.bench.run(task),)
