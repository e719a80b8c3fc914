"""The application: its commands, and how errors end."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from chunkwright._version import __version__
from chunkwright.cli import check, config, documents, gold, measuring, output, serving, snapshots
from chunkwright.cli.output import err
from chunkwright.engines.faults import debugging, reason
from chunkwright.errors import ChunkwrightError

app = typer.Typer(
    name="chunkwright",
    help="Measure, repair and tune how documents are cut into chunks for retrieval.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.command("tune")(measuring.tune_command)
app.command("eval")(measuring.eval_command)
app.command("chunk")(documents.chunk_command)
app.command("cost")(documents.cost_command)
app.command("check")(check.check_command)
app.command("rule")(check.rule_command)
app.command("lab")(serving.lab_command)
app.command("serve")(serving.serve_command)
app.add_typer(gold.app, name="gold")
app.add_typer(snapshots.app, name="snapshot")


# Typer brings its own copy of click, or uses the installed one: ask its public class.
_USAGE: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def _version(value: bool) -> None:
    if value:
        typer.echo(f"chunkwright {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    settings: Annotated[
        Path | None,
        typer.Option(
            "--config",
            help="A chunkwright.toml, or a pyproject.toml with [tool.chunkwright]; by default the "
            "nearest in this folder and those above it.",
        ),
    ] = None,
) -> None:
    """Measure, repair and tune how documents are cut into chunks for retrieval."""
    del version
    if debug:
        os.environ["CHUNKWRIGHT_DEBUG"] = "1"
    file, known = settings or config.find(Path.cwd()), parameters(context.command)
    found = config.read(file, known) if file is not None else {}
    config.add_environment(found, known, os.environ)
    context.default_map = found


def parameters(command: Any, above: str = "") -> config.Options:
    """What may be set of each command, and the parameter that it sets."""
    found: dict[str, Mapping[str, config.Parameter]] = {}
    for name, each in getattr(command, "commands", {}).items():
        found[f"{above}{name}"] = {
            flag.lstrip("-").replace("_", "-"): config.Parameter(
                part.name, getattr(part, "multiple", False) or part.nargs != 1
            )
            for part in each.params
            for flag in part.opts
            if part.name != "help" and (not flag.startswith("-") or flag.startswith("--"))
        }
        found.update(parameters(each, f"{above}{name} "))
    return found


def run() -> None:
    """Run the application; errors are one line, and the exit status says what happened."""
    try:
        status = app(standalone_mode=False)
        sys.stdout.flush()
    except ChunkwrightError as problem:
        if debugging():
            raise
        _fail(str(problem))
    except typer.Abort:
        _fail("stopped", 130)
    except _USAGE as problem:
        problem.show()
        sys.exit(2)
    except BrokenPipeError:
        output.reader_left()
    except OSError as problem:
        if debugging():
            raise
        _fail(f"{problem.filename or 'system'}: {problem.strerror or problem}")
    except BaseException as problem:
        _fail(reason(problem))
    sys.exit(status or 0)


def _fail(message: str, status: int = 2) -> None:
    err.print("[red]error:[/red] ", end="")
    err.print(" ".join(message.split("\n")), markup=False, soft_wrap=True)
    sys.exit(status)
