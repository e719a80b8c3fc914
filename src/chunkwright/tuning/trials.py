"""Trials: setups measured one after the other, in this process or in several."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import NamedTuple

from chunkwright.errors import SetupError
from chunkwright.evaluation.experiment import Evaluation, Experiment
from chunkwright.setup import Setup
from chunkwright.tuning.journal import Failed, rounded

# What the libraries behind numpy read when they are loaded.
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
# How often a worker looks whether the process that it works for is still there.
_HEARTBEAT = 1.0


class Trial(NamedTuple):
    """What came of one setup, and how many seconds it took."""

    result: Evaluation | Failed
    seconds: float


def trials(
    experiment: Experiment, setups: Sequence[Setup], jobs: int = 1
) -> Generator[Trial, None, None]:
    """Measure setups, in their order.

    Args:
        experiment: What they are measured in.
        setups: The setups.
        jobs: How many processes work on them; the figures are the same for any number. Each
            reads the documents for itself.
    """
    jobs = min(jobs, len(setups))
    if jobs <= 1:
        for setup in setups:
            yield _tried(experiment, setup)
        return
    # Not forked: the token counter has threads of its own.
    with (
        _one_thread_each(),
        ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (experiment, os.getpid())) as pool,
    ):
        try:
            yield from pool.map(_try, setups)
        finally:
            pool.shutdown(cancel_futures=True)  # what is in work is finished, the rest left


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Workers that start now get one thread for linear algebra: they are the parallel part."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _tried(experiment: Experiment, setup: Setup) -> Trial:
    begun = time.perf_counter()
    result: Evaluation | Failed
    try:
        result = rounded(experiment.run(setup))
    except SetupError as problem:
        result = Failed(setup, str(problem))
    return Trial(result, time.perf_counter() - begun)


# A worker's own experiment; it lives as long as the process.
_experiment: Experiment | None = None


def _begin(experiment: Experiment, parent: int) -> None:
    global _experiment
    _experiment = experiment
    # Ctrl-C is for the process that keeps the journal; it ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this worker when its parent was killed, as nobody else would."""
    while os.getppid() == parent:
        time.sleep(_HEARTBEAT)
    os._exit(1)


def _try(setup: Setup) -> Trial:
    assert _experiment is not None
    return _tried(_experiment, setup)
