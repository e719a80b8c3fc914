"""What commands print: tables, one-line errors, a progress bar on a terminal."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as RichTable
from rich.text import Text

from chunkwright.report.tables import Table

# Where output is not a terminal, tables keep their columns instead of being folded to 80.
_WIDE = 200
out = Console(soft_wrap=False, width=None if sys.stdout.isatty() else _WIDE)
err = Console(stderr=True, width=None if sys.stderr.isatty() else _WIDE)


def say(text: str) -> None:
    """A line about the work, on standard error, so that results can be piped."""
    err.print(Text(text), soft_wrap=True)


def warn(text: str) -> None:
    """A line that starts with `warning:`."""
    err.print(Text.assemble(("warning: ", "yellow"), text), soft_wrap=True)


def tell(text: str) -> None:
    """A line of the result."""
    out.print(Text(text), soft_wrap=True)


def show(table: Table) -> None:
    """A table of the result."""
    drawn = RichTable(title=None, box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for column in table.columns:
        drawn.add_column(
            Text(column.name),
            justify="right" if column.number else "left",
            no_wrap=True,
            overflow="ellipsis",
        )
    for at, row in enumerate(table.rows):
        style = "bold" if at == table.marked else None
        drawn.add_row(*(Text(cell) for cell in row), style=style)
    out.print(drawn)


def dump(value: Any) -> None:
    """A value as JSON on standard output; what is undefined is null."""
    sys.stdout.write(json.dumps(_finite(value), ensure_ascii=False, indent=2) + "\n")


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return value


@contextmanager
def progress(label: str, total: int | None) -> Iterator[Progress]:
    """A progress bar on a terminal; nothing elsewhere."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        bar.add_task(label, total=total)
        yield bar


def some(items: Iterable[str], most: int = 5) -> None:
    """Warn of each item, the first few in full."""
    listed = list(items)
    for item in listed[:most]:
        warn(item)
    if len(listed) > most:
        warn(f"… and {len(listed) - most} more")
