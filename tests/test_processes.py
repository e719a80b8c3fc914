"""Worker processes: the same items in the same order, and an end to all of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from chunkwright.errors import SetupError
from chunkwright.processes import WorkerError, one_thread_each, stream, workers

REPOSITORY = Path(__file__).resolve().parents[1]
posix_only = pytest.mark.skipif(os.name == "nt", reason="needs signals")


def counted(task: int) -> Iterator[tuple[int, int]]:
    return ((task, at) for at in range(task))


def large_or_slow(task: int) -> Iterator[bytes]:
    """The first task takes longest, the others give more than a pipe or their memory holds."""
    if task == 0:
        time.sleep(0.5)
    for _ in range(3):
        yield bytes([task]) * 700_000


def failing(task: int) -> Iterator[int]:
    yield task
    if task == 2:
        raise SetupError(f"no {task}")


class UnsendableError(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def failing_oddly(task: int) -> NoReturn:
    raise UnsendableError(task, task + 1)


def dying(task: int) -> Iterator[int]:
    yield task
    if task == 3:
        os.kill(os.getpid(), signal.SIGKILL)


def dying_while_it_sends(task: int) -> Iterator[bytes]:
    if task:
        time.sleep(60)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGKILL)).start()
    while True:
        yield bytes(1 << 24)


class Remembering:
    """Each process has one, which knows how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, task: int) -> Iterator[tuple[int, int, int]]:
        self.asked += 1
        return ((os.getpid(), self.asked, at) for at in range(task))


def telling(task: int) -> Iterator[tuple[int, str, bool]]:
    threads = os.environ["OMP_NUM_THREADS"]
    yield os.getpid(), threads, signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def sleeping(task: int) -> Iterator[int]:
    yield os.getpid()
    time.sleep(60)


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # The dead that nobody asked after are still there.
    status = Path(f"/proc/{process}/stat")
    return not status.exists() or status.read_text().rsplit(")")[1].split()[0] != "Z"


def ends_soon(process: int) -> bool:
    until = time.monotonic() + 10
    while alive(process) and time.monotonic() < until:
        time.sleep(0.05)
    return not alive(process)


class TestOrder:
    @pytest.mark.parametrize("jobs", [2, 3])
    def test_items_are_those_of_one_job(self, jobs: int) -> None:
        tasks = [3, 0, 1, 5, 2] * 9
        assert list(stream(counted, tasks, jobs)) == list(stream(counted, tasks, 1))

    def test_results_wait_for_a_slow_one(self) -> None:
        found = list(stream(large_or_slow, range(6), 2))
        assert found == [bytes([task]) * 700_000 for task in range(6) for _ in range(3)]

    def test_no_task(self) -> None:
        assert list(stream(counted, [], 2)) == []

    def test_tasks_are_taken_when_there_is_somebody_for_them(self) -> None:
        taken: list[int] = []

        def tasks() -> Iterator[int]:
            for task in range(1000):
                taken.append(task)
                yield task % 3

        items = stream(counted, tasks(), 2)
        next(items)
        assert len(taken) < 100
        items.close()

    def test_workers_stay_for_the_next_tasks(self) -> None:
        with workers(Remembering(), 2) as run:
            before, after = list(run([1] * 6)), list(run([1] * 6))
        asked = {process: count for process, count, _ in before + after}
        assert sum(asked.values()) == 12
        assert len(asked) <= 2

    def test_what_nobody_heard_is_not_told_to_the_next(self) -> None:
        with workers(counted, 2) as run:
            left = run([4, 4, 5, 6])
            assert [next(left) for _ in range(5)] == [*counted(4), (4, 0)]
            assert list(run([2, 3])) == [*counted(2), *counted(3)]

    def test_not_more_workers_than_tasks(self) -> None:
        assert len({process for process, *_ in stream(telling, [0], 4)}) == 1


class TestWorkers:
    def test_each_has_one_thread_and_does_not_hear_ctrl_c(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OMP_NUM_THREADS", "7")
        monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
        found = list(stream(telling, range(4), 2))
        assert {threads for _, threads, _ in found} == {"1"}
        assert all(ignored for *_, ignored in found)
        assert os.environ["OMP_NUM_THREADS"] == "7"
        assert "OPENBLAS_NUM_THREADS" not in os.environ

    def test_the_environment_is_left_as_it_was(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OMP_NUM_THREADS", "7")
        with pytest.raises(KeyError), one_thread_each():
            raise KeyError
        assert os.environ["OMP_NUM_THREADS"] == "7"

    @posix_only
    def test_they_end_when_nobody_asks_for_more(self) -> None:
        items = stream(sleeping, [0, 0], 2)
        process = next(items)
        assert alive(process)
        items.close()
        assert ends_soon(process)

    @posix_only
    def test_they_end_with_a_parent_that_is_killed(self) -> None:
        code = (
            "from chunkwright.processes import stream\n"
            "from tests.test_processes import sleeping\n"
            "if __name__ == '__main__':\n"
            "    print(next(stream(sleeping, [0], 2)), flush=True)\n"
            "    import time; time.sleep(60)\n"
        )
        paths = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "src")])
        with subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": paths},
            stdout=subprocess.PIPE,
            text=True,
        ) as parent:
            assert parent.stdout is not None
            process = int(parent.stdout.readline())
            parent.kill()
        assert ends_soon(process)


class TestProblems:
    @pytest.mark.parametrize("jobs", [1, 2])
    def test_what_work_raises_comes_in_its_turn(self, jobs: int) -> None:
        found: list[Any] = []
        with pytest.raises(SetupError, match="no 2") as problem:
            found.extend(stream(failing, range(9), jobs))
        assert found == [0, 1, 2]
        if jobs > 1:
            assert "in failing" in problem.value.__notes__[0]

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_what_the_tasks_raise_comes_after_those_before(self, jobs: int) -> None:
        def tasks() -> Iterator[int]:
            yield from (1, 2)
            raise SetupError("no more")

        found: list[Any] = []
        with pytest.raises(SetupError, match="no more"):
            found.extend(stream(counted, tasks(), jobs))
        assert found == [(1, 0), (2, 0), (2, 1)]

    def test_what_cannot_be_sent_is_told_in_words(self) -> None:
        with pytest.raises(WorkerError, match="UnsendableError: 4 and 5"):
            list(stream(failing_oddly, [4], 2))

    def test_work_that_cannot_be_read(self) -> None:
        with pytest.raises((AttributeError, TypeError)):
            list(stream(lambda task: [task], [1], 2))

    @posix_only
    def test_a_worker_killed_in_the_middle_of_an_item(self) -> None:
        # Of two that share a pipe, the other one would be waited for.
        with pytest.raises(WorkerError, match="was killed by signal 9"):
            for _ in stream(dying_while_it_sends, range(2), 2):
                pass

    @posix_only
    def test_a_killed_worker_is_one_clear_line(self) -> None:
        with pytest.raises(WorkerError) as problem:
            list(stream(dying, range(9), 2))
        assert str(problem.value) == (
            "a worker process was killed by signal 9 before its work was done; if memory ran "
            "out, use fewer --jobs"
        )
