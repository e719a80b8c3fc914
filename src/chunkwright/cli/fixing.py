"""`check --fix`, `--diff` and `--write`: chunks mended, shown before and after, written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chunkwright.chunking.cut import Cut
from chunkwright.chunking.dress import Dresser
from chunkwright.cli import output
from chunkwright.cli.output import counted
from chunkwright.cli.sinks import refuse, sink
from chunkwright.errors import ChunkwrightError
from chunkwright.quality.mend import Mended, mend
from chunkwright.quality.repair import Repair, repairs
from chunkwright.quality.settings import Settings
from chunkwright.report import mending as report_of
from chunkwright.report.mending import Mending

_STYLES = {"-": "red", "+": "green", "-embed": "red", "+embed": "green", "": "bold"}


def refuse_options(
    *, fix: bool, unsafe: bool, diff: bool, write: Path | None, plain: bool, gold: bool
) -> None:
    """Refuse options that say nothing together.

    Args:
        fix: `--fix`.
        unsafe: `--unsafe-fixes`.
        diff: `--diff`.
        write: `--write`.
        plain: Whether findings are shown as text on the terminal.
        gold: Whether a gold set is given.

    Raises:
        ChunkwrightError: With what goes with what.
    """
    if unsafe and not (fix or diff):
        raise ChunkwrightError("--unsafe-fixes goes with --fix or --diff")
    if write is not None and (diff or not fix):
        raise ChunkwrightError("--write goes with --fix, and without --diff")
    if diff and (not plain or gold):
        raise ChunkwrightError(
            "--diff is text on its own: leave out --format, --output and --gold; with --fix --json "
            "the changes are in the JSON"
        )
    if write is not None:
        refuse(write)


def usable(documents: Sequence[str], settings: Settings, *, unsafe: bool) -> list[Repair]:
    """The repairs that mend a rule that looks at one of some documents, in their order."""
    codes = {rule.code for each in documents for rule in settings.chosen(each)}
    return [each for each in repairs() if (each.safe or unsafe) and codes & {*each.mends}]


def mend_all(cuts: Sequence[Cut], several: Sequence[Repair], settings: Settings) -> list[Mended]:
    """The chunks of each document, mended."""
    made = []
    with output.progress("mending", len(cuts)) as bar:
        for cut in cuts:
            made.append(mend(cut, several, settings))
            bar.advance(bar.task_ids[0])
    return made


def show_difference(mending: Mending) -> None:
    """Each changed chunk before and after, and a line that sums up."""
    for line in report_of.differences(mending):
        output.tell_parts((str(line), _STYLES[line.mark]))
    output.tell(report_of.summary(mending, done=False))
    _explain(mending)


def tell(mending: Mending, *, plain: bool, wrote: Path | None, more: int) -> None:
    """What was mended, what was not and why, and where it is.

    Args:
        mending: What was done.
        plain: Whether it goes with findings on the terminal, or beside a result for programs.
        wrote: Where the chunks were written.
        more: Findings left that unsafe repairs are for; 0 if those were tried.
    """
    (output.tell if plain else output.say)(report_of.summary(mending))
    _explain(mending)
    if more:
        output.note(f"{counted(more, 'finding')} more may be mended by --unsafe-fixes")
    if wrote is None and mending.changed:
        output.note("nothing was written: add --write FILE.jsonl (or .parquet) to keep the chunks")


def _explain(mending: Mending) -> None:
    for line in report_of.refusals(mending):
        output.note(line)
    output.some(report_of.appeared(mending))


def write_chunks(path: Path, cuts: Sequence[Cut]) -> None:
    """Write chunks as `chunk -o` does, whole or not at all."""
    total = 0
    with sink(path) as target:
        for cut in cuts:
            dressed = Dresser(cut.analysis, cut.setup, cut.walls).dress(cut)
            target.write(target.encode(dressed))
            total += len(cut)
    output.say(f"{counted(total, 'chunk')} → {path}")


def as_json(mending: Mending, several: Sequence[Repair]) -> dict[str, Any]:
    """What was done, as a field for JSON."""
    return {"mending": report_of.as_json(mending, [each.name for each in several])}
