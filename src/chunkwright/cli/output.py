"""What commands print: tables, one-line errors, a progress bar on a terminal."""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import PurePath
from typing import Any, Literal, NoReturn

import typer
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as RichTable
from rich.text import Text

from chunkwright.report.tables import Table
from chunkwright.report.values import finite
from chunkwright.sources.files import Failure

# Where output is not a terminal and nobody says how wide it is, all columns are shown.
_WIDE = 200
# Longer lists are written with an item a line.
_LONG_LIST = 1000


def _console(*, to_errors: bool) -> Console:
    stream = sys.stderr if to_errors else sys.stdout
    known = stream.isatty() or "COLUMNS" in os.environ
    return Console(stderr=to_errors, width=None if known else _WIDE, highlight=False)


out = _console(to_errors=False)
err = _console(to_errors=True)


def reader_left() -> NoReturn:
    """End well when whoever read our output went away, as `head` does."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)


@contextmanager
def _to_reader() -> Iterator[None]:
    """Output that ends well when its reader goes away."""
    try:
        yield
    except BrokenPipeError:
        reader_left()


def say(text: str) -> None:
    """A line about the work, on standard error, so that results can be piped."""
    err.print(Text(text), soft_wrap=True)


def warn(text: str) -> None:
    """A line that starts with `warning:`."""
    err.print(Text.assemble(("warning: ", "yellow"), text), soft_wrap=True)


def note(text: str) -> None:
    """A line that starts with `note:`, about what is no fault."""
    err.print(Text.assemble(("note: ", "cyan"), text), soft_wrap=True)


def tell(text: str) -> None:
    """A line of the result."""
    with _to_reader():
        out.print(Text(text), soft_wrap=True)


def tell_parts(*parts: tuple[str, str]) -> None:
    """A line of the result in parts, each with its style, which a terminal shows."""
    with _to_reader():
        out.print(Text.assemble(*parts), soft_wrap=True)


def raw(text: str) -> None:
    """A result as it is."""
    with _to_reader():
        sys.stdout.write(text)


def paragraph(text: str, mark: str = "") -> None:
    """A sentence or more of the result, folded to the width that there is."""
    width = max(40, min(out.width, 100))
    folded = textwrap.fill(
        text,
        width,
        initial_indent=mark,
        subsequent_indent=" " * len(mark),
        break_long_words=False,
        break_on_hyphens=False,
    )
    tell(folded)


def show(table: Table) -> None:
    """A table of the result, with as many of its columns as there is room for."""
    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    shown = _that_fit(table, out.width)
    for at in shown:
        column = table.columns[at]
        justify: Literal["left", "right"] = "right" if column.number else "left"
        drawn.add_column(Text(column.name), justify=justify, no_wrap=True, overflow="ellipsis")
    for number, row in enumerate(table.rows):
        style = "bold" if number == table.marked else None
        drawn.add_row(*(Text(row[at]) for at in shown), style=style)
    with _to_reader():
        out.print(drawn)
    left_out = [column.name for at, column in enumerate(table.columns) if at not in shown]
    if left_out:
        say(f"left out for want of room: {', '.join(left_out)}")


def _that_fit(table: Table, width: int) -> list[int]:
    """Indices of the columns to show: those of the highest rank go first."""
    columns = table.columns
    needed = [
        max(cell_len(text) for text in (column.name, *(row[at] for row in table.rows))) + 3
        for at, column in enumerate(columns)
    ]
    shown = list(range(len(columns)))
    while sum(needed[at] for at in shown) - 3 > width:
        last = max(shown, key=lambda at: columns[at].rank)
        if not columns[last].rank:
            break
        shown.remove(last)
    return shown


def dump(value: Any) -> None:
    """A value as JSON on standard output; what is undefined is null."""
    raw(as_text(value))


def as_text(value: Any) -> str:
    """A value as JSON; what is undefined is null. Long lists have an item a line.

    >>> print(as_text({"share": float("nan")}), end="")
    {
      "share": null
    }
    """
    if not isinstance(value, dict) or not any(map(_is_long, value.values())):
        return json.dumps(finite(value), ensure_ascii=False, indent=2) + "\n"
    parts = []
    for name, part in value.items():
        if _is_long(part):
            # Python's own encoder is asked for no indents: with them it is ten times as slow.
            items = ",\n".join(f"    {_on_a_line(item)}" for item in part)
            text = f"[\n{items}\n  ]"
        else:
            text = json.dumps(finite(part), ensure_ascii=False, indent=2).replace("\n", "\n  ")
        parts.append(f"  {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _is_long(value: Any) -> bool:
    return isinstance(value, list) and len(value) > _LONG_LIST


def _on_a_line(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return json.dumps(finite(value), ensure_ascii=False)


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


def report_unread(failures: Sequence[Failure], skipped: Sequence[Failure]) -> None:
    """Tell of files that were passed over or failed; end with status 3 if any failed."""
    tell_skipped(skipped)
    tell_failures(failures)
    if failures:
        raise typer.Exit(3)


def tell_skipped(skipped: Sequence[Failure]) -> None:
    """One line about files whose type is not read."""
    if not skipped:
        return
    kinds = Counter(PurePath(failure.path).suffix.lower() or "no suffix" for failure in skipped)
    say(f"skipped, as their type is not read yet: {listed(kinds)}")


def tell_failures(failures: Sequence[Failure], most: int = 5) -> None:
    """Warn of each failure, the first few in full and the others by their reasons."""
    for failure in failures[:most]:
        warn(str(failure))
    others = failures[most:]
    if others:
        # What follows a bracket or a stop is about the one file.
        reasons = Counter(re.split(r"[;:(]", failure.reason)[0].strip() for failure in others)
        warn(f"{len(others):,} more failed (--json lists all): {listed(reasons)}")


def tell_guessed(encodings: Mapping[str, str], most: int = 3) -> None:
    """One line about documents whose encoding was guessed, and which it is."""
    if not encodings:
        return
    first = [f"{name} as {encoding}" for name, encoding in islice(encodings.items(), most)]
    more = ", …" if len(encodings) > most else ""
    note(
        f"read by a guessed encoding: {counted(len(encodings), 'document')} "
        f"({', '.join(first)}{more}); convert to UTF-8 what is read wrong"
    )


def counted(count: float, noun: str) -> str:
    """A number of things, in words that agree.

    >>> counted(1, "question"), counted(2000, "question")
    ('1 question', '2,000 questions')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(kinds: Counter[str], most: int = 8) -> str:
    """How many there are of each kind, the commonest first.

    >>> listed(Counter(["moved", "moved", "located"]))
    '2 moved, 1 located'
    """
    shown = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common(most))
    return shown + (", …" if len(kinds) > most else "")


def unread(
    failures: Sequence[Failure],
    skipped: Sequence[Failure],
    encodings: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The same in full, as fields for JSON."""
    return {
        **({} if encodings is None else {"guessed_encodings": dict(encodings)}),
        "failures": [{"path": each.path, "reason": each.reason} for each in failures],
        "skipped": [each.path for each in skipped],
    }


def some(items: Iterable[str], most: int = 5) -> None:
    """Warn of each item, the first few in full."""
    every = list(items)
    for item in every[:most]:
        warn(item)
    if len(every) > most:
        warn(f"… and {len(every) - most:,} more")
