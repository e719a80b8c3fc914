"""How fast the tools cut: rows are kinds of work, columns are tools.

Each tool lives in a process of its own, so that one which hangs can be stopped and none can
warm up another. The rounds go from tool to tool: noise of the machine hits all alike.
"""

from __future__ import annotations

import gc
import math
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.report import table
from benchmarks.texts import MAKERS
from benchmarks.tools import CHONKIE, OURS, PACKAGES, ROWS, SEMCHUNK, TIKTOKEN

_PATIENCE = 60.0
_TOO_SLOW = "> 60 s"
_MISSING = "not installed"
_WARM_UP = 20_000
_ROUNDS = 3
# Above this one round must do, and so it must for what takes longer than this.
_LARGE_MEGABYTES = 3.0
_LONG_SECONDS = 3.0


@dataclass(slots=True)
class Cell:
    """What one tool took for one row and size.

    Attributes:
        seconds: Of each round.
        problem: Why there are none, in few words.
    """

    seconds: list[float] = field(default_factory=list)
    problem: str = ""

    @property
    def best(self) -> float:
        """Seconds of the quickest round; nan without one."""
        return min(self.seconds, default=math.nan)


@dataclass(frozen=True, slots=True)
class Result:
    """All cells: by row, by size in MB, by tool."""

    megabytes: dict[tuple[str, float], float]
    cells: dict[tuple[str, float, str], Cell]
    sources: dict[str, str]

    @property
    def rows(self) -> list[str]:
        """The rows that were measured."""
        return list(dict.fromkeys(row for row, _ in self.megabytes))

    @property
    def sizes(self) -> list[float]:
        """The sizes that were measured."""
        return list(dict.fromkeys(size for _, size in self.megabytes))

    def speed(self, row: str, size: float, tool: str) -> float:
        """MB/s of the quickest round; nan where there is none."""
        cell = self.cells.get((row, size, tool), Cell())
        return self.megabytes[row, size] / cell.best


@dataclass(frozen=True, slots=True)
class Aim:
    """A figure of the design: our `cut` should be so many times as fast as another tool."""

    row: str
    against: str
    ratio: float


# The design's MB/s, divided by what the named tool made in the same run.
AIMS = (
    Aim("windows", TIKTOKEN, 1.0),
    Aim("recursive-tokens", SEMCHUNK, 20 / 18.7),
    Aim("sentences-tokens", TIKTOKEN, 0.8),
    Aim("sentences", CHONKIE, 12 / 4.3),
    Aim("sentences", TIKTOKEN, 12 / 13),
    Aim("recursive", CHONKIE, 70 / 64),
    Aim("recursive", TIKTOKEN, 70 / 13),
)


@lru_cache(maxsize=1)
def _text(path: str) -> str:
    return Path(path).read_bytes().decode("utf-8")


def _timed(tool: str, row: str, path: str) -> float:
    """Seconds of one cutting. A new cutter each time: nothing is remembered."""
    build = ROWS[row].builders[tool]
    text = _text(path)
    build()(text[:_WARM_UP])
    cutter = build()
    gc.collect()
    begin = time.perf_counter()
    cutter(text)
    return time.perf_counter() - begin


def serve(tool: str, connection: Connection) -> None:
    """A tool's process: answers (row, path) with seconds, or with what went wrong."""
    while (task := connection.recv()) is not None:
        try:
            connection.send(_timed(tool, *task))
        except ImportError:
            connection.send(_MISSING)
        except Exception as problem:
            connection.send(f"{type(problem).__name__}: {problem}"[:60])


class Worker:
    """The process of one tool; started when first asked."""

    def __init__(self, tool: str) -> None:
        self.tool = tool
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None

    def ask(self, row: str, path: str) -> float | str:
        """Seconds, or the problem."""
        connection = self._connection or self._start()
        connection.send((row, path))
        # The first answer has the imports and the warming up in it.
        if not connection.poll(_PATIENCE + 15):
            self.stop()
            return _TOO_SLOW
        try:
            answer: float | str = connection.recv()
        except EOFError:
            self.stop()
            return "crashed"
        return answer

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._connection = None

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(self.tool, theirs), daemon=True)
        self._process.start()
        theirs.close()
        return self._connection


class Workers:
    """One worker for each tool, and a folder of texts for them."""

    def __init__(self) -> None:
        self._workers = {tool: Worker(tool) for tool in PACKAGES}
        self._folder = tempfile.TemporaryDirectory(prefix="chunkwright-benchmarks-")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers.values():
            worker.stop()
        self._folder.cleanup()

    def ask(self, tool: str, row: str, path: Path) -> float | str:
        """Seconds of one cutting, or the problem."""
        return self._workers[tool].ask(row, str(path))

    def write(self, name: str, content: str) -> Path:
        """Put a text where the workers find it."""
        path = Path(self._folder.name, name)
        path.write_bytes(content.encode())
        return path


def measure(rows: Sequence[str], sizes: Sequence[float]) -> Result:
    """Time every tool on every row and size."""
    result = Result({}, {}, {})
    with Workers() as workers:
        for size in sorted(sizes):
            paths = _write_texts(workers, result, rows, size)
            for row in rows:
                print(f"{size:g} MB, {row} ...", file=sys.stderr, flush=True)
                path = paths[ROWS[row].text]
                result.megabytes[row, size] = path.stat().st_size / 1e6
                _measure_row(workers, result, row, size, path)
    return result


def _write_texts(
    workers: Workers, result: Result, rows: Iterable[str], size: float
) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for name in dict.fromkeys(ROWS[row].text for row in rows):
        text = MAKERS[name](size)
        result.sources[name] = text.source
        paths[name] = workers.write(f"{name}-{size}", text.content)
    return paths


def _measure_row(workers: Workers, result: Result, row: str, size: float, path: Path) -> None:
    tools = [tool for tool in PACKAGES if tool in ROWS[row].builders]
    cells = {tool: Cell(problem=_foreseen(result, row, size, tool)) for tool in tools}
    result.cells.update({(row, size, tool): cell for tool, cell in cells.items()})
    for _ in range(_ROUNDS if size <= _LARGE_MEGABYTES else 1):
        for tool, cell in cells.items():
            if cell.problem or cell.best > _LONG_SECONDS:
                continue
            answer = workers.ask(tool, row, path)
            if isinstance(answer, str):
                cell.problem = answer
            elif answer > _PATIENCE:
                cell.problem = _TOO_SLOW
            else:
                cell.seconds.append(answer)


def _foreseen(result: Result, row: str, size: float, tool: str) -> str:
    """What the sizes before say of this one: the time grows as it did, at least in proportion."""
    cells = {
        known: result.cells[row, known, tool]
        for known in result.sizes
        if (row, known, tool) in result.cells
    }
    if not cells:
        return ""
    *_, (before, cell) = cells.items()
    if cell.problem:
        return cell.problem
    growth = max(1.0, _exponent([(known, each.best) for known, each in cells.items()]))
    expected = cell.best * (size / before) ** growth
    return _TOO_SLOW if expected > _PATIENCE else ""


def _exponent(points: Sequence[tuple[float, float]]) -> float:
    """The power of the size with which the time grows; nan of less than two points."""
    if len(points) < 2:
        return math.nan
    (small, first), (large, last) = points[0], points[-1]
    return math.log(last / first) / math.log(large / small)


def speed_table(result: Result, size: float) -> str:
    """MB/s of each tool on each row."""
    tools = _tools(result)
    lines = [
        [_title(row), *(_speed(result, row, size, tool) for tool in tools)] for row in result.rows
    ]
    return table(["MB/s", *tools], lines)


def ratio_table(result: Result, size: float, base: str) -> str:
    """How many times as fast as `base` each tool is."""
    tools = [tool for tool in _tools(result) if tool != base]
    lines = []
    for row in result.rows:
        ours = result.speed(row, size, base)
        ratios = [_number(result.speed(row, size, tool) / ours) for tool in tools]
        lines.append([row, *ratios])
    return table([f"x {base}", *tools], lines)


def slope_table(result: Result) -> str:
    """How the time grows with the text: 1 in proportion, 2 with its square."""
    tools = _tools(result)
    lines = [[row, *(_slope(result, row, tool) for tool in tools)] for row in result.rows]
    return table(["exponent", *tools], lines)


def aim_table(result: Result) -> str:
    """Where the design's figures are reached, as ratios to another tool of the same run."""
    lines = [
        [
            aim.row,
            aim.against,
            _number(aim.ratio),
            *(_reached(result, aim, size) for size in result.sizes),
        ]
        for aim in AIMS
        if aim.row in result.rows
    ]
    return table(["ours: cut", "against", "aim", *(f"{size:g} MB" for size in result.sizes)], lines)


def _reached(result: Result, aim: Aim, size: float) -> str:
    ours = result.speed(aim.row, size, OURS)
    ratio = ours / result.speed(aim.row, size, aim.against)
    if math.isnan(ratio):
        return "-"
    return _number(ratio) if ratio >= aim.ratio else f"{_number(ratio)} (missed)"


def _tools(result: Result) -> list[str]:
    used = {tool for _, _, tool in result.cells}
    return [tool for tool in PACKAGES if tool in used]


def _title(row: str) -> str:
    return f"**{row}**: {ROWS[row].title}"


def _speed(result: Result, row: str, size: float, tool: str) -> str:
    cell = result.cells.get((row, size, tool))
    if cell is None:
        return ""
    if cell.problem:
        return cell.problem
    megabytes = result.megabytes[row, size]
    best = _number(megabytes / cell.best)
    if len(cell.seconds) == 1:
        return best
    return f"{best} [{_number(megabytes / max(cell.seconds))}]"


def _slope(result: Result, row: str, tool: str) -> str:
    known = [
        (size, result.cells[row, size, tool])
        for size in result.sizes
        if (row, size, tool) in result.cells
    ]
    points = [(result.megabytes[row, size], cell.best) for size, cell in known if cell.seconds]
    exponent = _exponent(points)
    if math.isnan(exponent):
        return "-" if known else ""
    return f"{exponent:.2f}"


def _number(value: float) -> str:
    if math.isnan(value):
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
