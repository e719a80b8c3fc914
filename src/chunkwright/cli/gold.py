"""`gold`: the gold set's own care."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from chunkwright.cli import output
from chunkwright.cli.output import counted
from chunkwright.cli.paths import DEFAULT_MEGABYTES, MAX_FILE_SIZE, as_bytes
from chunkwright.gold.check import Problem, check
from chunkwright.gold.goldset import GoldSet
from chunkwright.sources.corpus import Corpus

app = typer.Typer(help="Check the questions and references that setups are judged by.")


@app.callback()
def gold() -> None:
    """Check the questions and references that setups are judged by."""


@app.command("check")
def check_command(
    gold: Annotated[Path, typer.Argument(help="Questions with references, JSONL.")],
    docs: Annotated[list[Path], typer.Argument(help="The documents they refer to.")],
    max_file_size: MAX_FILE_SIZE = DEFAULT_MEGABYTES,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Find every quote in the documents; exit 1 if a question cannot be used.

    Example: `chunkwright gold check gold.jsonl docs/`
    """
    corpus = Corpus.read(docs, as_bytes(max_file_size))
    checked = check(GoldSet.read(gold), corpus)
    if as_json:
        output.dump(
            {
                "usable": checked.usable,
                "left_out": checked.left_out,
                "repeated": checked.repeated,
                "problems": [asdict(problem) for problem in checked.problems],
                **output.unread(corpus.failures, corpus.skipped),
            }
        )
    else:
        _tell(checked.problems)
        count = "counts" if checked.repeated == 1 else "count"
        output.tell(
            f"{counted(checked.usable, 'question')} usable, {checked.left_out:,} left out; "
            f"{counted(checked.repeated, 'reference')} {count} at several places"
        )
    if checked.left_out:
        # A question may be left out because its document could not be read.
        output.tell_failures(corpus.failures)
        raise typer.Exit(1)
    output.report_unread(corpus.failures, corpus.skipped)


def _tell(problems: Iterable[Problem], most: int = 5) -> None:
    """The first problems of each kind, and how many more there are of it."""
    met: Counter[str] = Counter()
    more: Counter[str] = Counter()
    for problem in problems:
        met[problem.kind] += 1
        if met[problem.kind] <= most:
            output.tell(str(problem))
        else:
            more[problem.kind] += 1
    if more:
        output.tell(f"… and {more.total():,} more: {output.listed(more)}; --json shows them all")
