"""`snapshot`: freeze documents, so that every comparison is made on the same ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chunkwright.cli import output
from chunkwright.cli.documents import report_failures
from chunkwright.setup import DEFAULT_COUNTER
from chunkwright.sources.corpus import Corpus
from chunkwright.sources.frozen import Change, is_snapshot
from chunkwright.sources.snapshot import create, diff, verify

app = typer.Typer(help="Freeze documents with their hashes, and see what changed.")


@app.command("create")
def create_command(
    docs: Annotated[list[Path], typer.Argument(help="Documents: files and folders.")],
    to: Annotated[Path, typer.Option("-o", "--output", help="A new folder.")],
    tokens: Annotated[str, typer.Option(help="Token counter to note.")] = DEFAULT_COUNTER,
) -> None:
    """Copy documents into a folder with their hashes, tokenizer and versions.

    Example: `chunkwright snapshot create docs/ -o snapshot`
    """
    corpus = Corpus.read(docs)
    create(corpus, to, tokens)
    output.tell(f"{len(corpus)} documents frozen in {to}: {corpus.fingerprint[:16]}")
    report_failures(corpus)


@app.command("verify")
def verify_command(
    snapshot: Annotated[Path, typer.Argument(help="The folder of a snapshot.")],
) -> None:
    """Name every document that is no longer what was frozen; exit 1 if there is one.

    Example: `chunkwright snapshot verify snapshot`
    """
    _report(verify(snapshot), "unchanged")


@app.command("diff")
def diff_command(
    old: Annotated[Path, typer.Argument(help="The folder of a snapshot.")],
    new: Annotated[Path, typer.Argument(help="Another snapshot, or a folder of documents.")],
) -> None:
    """Name every document that differs between a snapshot and newer documents; exit 1 if any.

    Example: `chunkwright snapshot diff snapshot docs/`
    """
    _report(diff(old, new if is_snapshot(new) else Corpus.read(new)), "no difference")


def _report(changes: tuple[Change, ...], none: str) -> None:
    for change in changes:
        output.tell(str(change))
    if changes:
        raise typer.Exit(1)
    output.tell(none)
