"""Worker processes: tasks in, items out, in the order of the tasks.

Results that come before their turn wait in files, so that memory stays small however long the
task before them takes. A worker ends with the process that it works for.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from tempfile import SpooledTemporaryFile
from typing import Any, TypeVar

from chunkwright.errors import ChunkwrightError

Task = TypeVar("Task")
Item = TypeVar("Item")

# What the libraries behind numpy, pyarrow and the tokenizers read when they are loaded.
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
# How often a worker looks whether the process that it works for is still there.
_HEARTBEAT = 1.0
# Tasks given out before their turn, for each worker, and what each may hold in memory.
_AHEAD = 32
_IN_MEMORY = 1 << 20
# Seconds in which a worker that has nothing left to do should end by itself.
_GRACE = 1.0


class WorkerError(ChunkwrightError):
    """A worker process ended before its work was done."""


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Processes that start now get one thread: they are the parallel part."""
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


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits, and processes that start now do not hear it unless they ask to."""
    if os.name == "nt":  # no signal can be held back there
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_worker(parent: int) -> None:
    """Make this process a worker: Ctrl-C is for its parent, without which it ends.

    Args:
        parent: Process id of the one that it works for.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(parent)


def end_with(parent: int) -> None:
    """From now on this process ends when the one that it works for does, whatever ends that."""
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this worker when its parent was killed, as nobody else would."""
    while os.getppid() == parent:
        time.sleep(_HEARTBEAT)
    os._exit(1)


def stream(
    work: Callable[[Task], Iterable[Item]], tasks: Iterable[Task], jobs: int
) -> Generator[Item, None, None]:
    """What `work` gives for each task, item by item, in the order of the tasks.

    The items are the same for any number of jobs. A task is taken when a worker is free for it.
    What `work` or `tasks` raise is raised here, in its turn.

    Args:
        work: Makes the items of a task; it and they are sent between processes.
        tasks: The tasks.
        jobs: How many processes; with one, the work is done in this process.

    Raises:
        WorkerError: A worker was killed.

    >>> list(stream(range, [2, 3], jobs=1))
    [0, 1, 0, 1, 2]
    """
    with workers(work, jobs) as run:
        yield from run(tasks)


@contextmanager
def workers(
    work: Callable[[Task], Iterable[Item]], jobs: int
) -> Iterator[Callable[[Iterable[Task]], Iterator[Item]]]:
    """`stream` for one lot of tasks after the other: the processes, and what they know, stay.

    Each starts when there is a task for it. What is in work when the context ends is not finished.

    Args:
        work: As for `stream`. Each process has a copy of its own, which may keep what it learns.
        jobs: As for `stream`.

    >>> with workers(range, jobs=1) as run:
    ...     list(run([2])), list(run([1, 1]))
    ([0, 1], [0, 0])
    """
    if jobs <= 1:
        yield lambda tasks: (item for task in tasks for item in work(task))
        return
    pool = _Pool(work, jobs)
    try:
        yield pool.run
        pool.end()
    finally:
        pool.kill()


class _Worker:
    """One process, as its parent sees it."""

    def __init__(self, work: Callable[[Any], Iterable[Any]]) -> None:
        # Not forked: the token counter has threads of its own.
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, os.getpid()), daemon=True)
        with one_thread_each(), uninterrupted():
            self.process.start()
        theirs.close()  # so that this end is told when the worker is gone
        self.result: _Result | None = None
        self._send(pickle.dumps(work))

    def give(self, task: bytes, result: _Result) -> None:
        """Give it a task. It has none, so it is listening and this does not wait."""
        self.result = result
        self._send(task)

    def _send(self, data: bytes) -> None:
        try:
            self.connection.send_bytes(data)
        except OSError:
            raise self._lost() from None

    def take(self) -> None:
        """Move the next message to the result of the task."""
        assert self.result is not None
        try:
            data = self.connection.recv_bytes()
        except (EOFError, OSError):
            raise self._lost() from None
        self.result.add(data)
        if self.result.done:
            self.result = None

    def _lost(self) -> WorkerError:
        self.process.join(_GRACE)
        status = self.process.exitcode
        how = f"was killed by signal {-status}" if status and status < 0 else "ended"
        return WorkerError(
            f"a worker process {how} before its work was done; if memory ran out, use fewer --jobs"
        )

    def kill(self) -> None:
        """End it, whatever it does."""
        self.connection.close()
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(_GRACE)
        if self.process.is_alive():
            self.process.kill()
        self.process.join()


class _Result:
    """The messages of one task, until it is their turn."""

    def __init__(self) -> None:
        self.done = False
        self._next = False
        self._messages: deque[bytes] = deque()
        self._file: SpooledTemporaryFile[bytes] | None = None

    def add(self, message: bytes) -> None:
        """Take a message; an empty one is the last."""
        if not message:
            self.done = True
        elif self._next:
            self._messages.append(message)
        else:
            if self._file is None:
                self._file = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed when read
            self._file.write(len(message).to_bytes(8, "little"))
            self._file.write(message)

    def messages(self) -> Iterator[bytes]:
        """Those that are there and were not yet given. From the first call on it is their turn."""
        self._next = True
        if self._file is not None:
            with self._file as file:
                self._file = None
                file.seek(0)
                while head := file.read(8):
                    yield file.read(int.from_bytes(head, "little"))
        while self._messages:
            yield self._messages.popleft()

    def close(self) -> None:
        """Let go of what nobody asked for."""
        if self._file is not None:
            self._file.close()


class _Pool:
    def __init__(self, work: Callable[[Any], Iterable[Any]], jobs: int) -> None:
        self._work = work
        self._jobs = jobs
        self._workers: list[_Worker] = []
        self._results: deque[_Result] = deque()

    def run(self, tasks: Iterable[Any]) -> Iterator[Any]:
        self._drop()
        left: Iterator[Any] | None = iter(tasks)
        problem: BaseException | None = None
        while left is not None or self._results:
            while left is not None and len(self._results) < _AHEAD * self._jobs:
                worker = self._free()
                if worker is None and len(self._workers) >= self._jobs:
                    break
                try:
                    task = next(left)
                except StopIteration:
                    left = None
                except Exception as raised:
                    left, problem = None, raised  # what was given out before it comes first
                else:
                    if worker is None:
                        worker = _Worker(self._work)
                        self._workers.append(worker)
                    self._results.append(result := _Result())
                    worker.give(pickle.dumps(task, pickle.HIGHEST_PROTOCOL), result)
            if not self._results:
                break
            first = self._results[0]
            for message in first.messages():
                yield _opened(message)
            if first.done:
                self._results.popleft()
            else:
                self._wait()
        if problem is not None:
            raise problem

    def _drop(self) -> None:
        """Wait for the end of what an earlier caller left without hearing all of it."""
        while self._results:
            first = self._results[0]
            for _ in first.messages():
                pass
            if first.done:
                self._results.popleft()
            else:
                self._wait()

    def _free(self) -> _Worker | None:
        return next((worker for worker in self._workers if worker.result is None), None)

    def _wait(self) -> None:
        """Take a message from each worker that has one."""
        busy = {each.connection: each for each in self._workers if each.result is not None}
        for connection in wait(list(busy)):
            busy[connection].take()  # type: ignore[index]

    def end(self) -> None:
        """Tell the workers that there is no more work, and wait for them."""
        for worker in self._workers:
            worker.connection.close()
        for worker in self._workers:
            worker.process.join(_GRACE)

    def kill(self) -> None:
        for result in self._results:
            result.close()
        for worker in self._workers:
            worker.kill()


class _Raised:
    """An exception on its way to the parent."""

    def __init__(self, problem: BaseException) -> None:
        self.problem = problem


def _opened(message: bytes) -> Any:
    item = pickle.loads(message)
    if isinstance(item, _Raised):
        raise item.problem
    return item


def _serve(connection: Connection, parent: int) -> None:
    """The life of a worker."""
    begin_worker(parent)
    try:
        packed, work = connection.recv_bytes(), None
        while True:
            task = connection.recv_bytes()
            try:
                work = work or pickle.loads(packed)
                for item in work(pickle.loads(task)):
                    connection.send_bytes(pickle.dumps(item, pickle.HIGHEST_PROTOCOL))
            except BrokenPipeError:
                return
            except BaseException as problem:
                connection.send_bytes(_packed(problem))
            connection.send_bytes(b"")
    except (EOFError, OSError):
        return  # the parent is done, or gone


def _packed(problem: BaseException) -> bytes:
    """An exception with its traceback as a note; in words where it cannot be sent as it is."""
    problem.add_note("in a worker process:\n" + "".join(traceback.format_exception(problem)))
    try:
        data = pickle.dumps(_Raised(problem))
        pickle.loads(data)
    except Exception:
        told = WorkerError(f"{type(problem).__name__}: {problem}")
        told.__notes__ = problem.__notes__
        data = pickle.dumps(_Raised(told))
    return data
