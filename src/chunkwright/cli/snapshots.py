"""`snapshot`: freeze documents, so that every comparison is made on the same ones."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from chunkwright.cli import output
from chunkwright.cli.paths import DEFAULT_MEGABYTES, MAX_FILE_SIZE, as_bytes
from chunkwright.setup import DEFAULT_COUNTER
from chunkwright.sources.corpus import Corpus
from chunkwright.sources.frozen import Change, is_snapshot
from chunkwright.sources.snapshot import create, diff, verify
from chunkwright.text.tokens import counter

AS_JSON = Annotated[bool, typer.Option("--json", help="As JSON.")]
app = typer.Typer(help="Freeze documents with their hashes, and see what changed.")


@app.command("create")
def create_command(
    docs: Annotated[list[Path], typer.Argument(help="Documents: files and folders.")],
    to: Annotated[Path, typer.Option("-o", "--output", help="A new folder.")],
    tokens: Annotated[str, typer.Option(help="Token counter to note.")] = DEFAULT_COUNTER,
    max_file_size: MAX_FILE_SIZE = DEFAULT_MEGABYTES,
    as_json: AS_JSON = False,
) -> None:
    """Copy documents into a folder with their hashes, tokenizer and versions.

    Example: `chunkwright snapshot create docs/ -o snapshot`
    """
    counter(tokens)  # an unknown one is refused before anything is written
    corpus = Corpus.read(docs, as_bytes(max_file_size))
    made = create(corpus, to, tokens)
    if as_json:
        told = output.unread(corpus.failures, corpus.skipped, corpus.guessed)
        output.dump(
            {"folder": str(to), "documents": len(corpus), "corpus": made.fingerprint, **told}
        )
    else:
        documents = output.counted(len(corpus), "document")
        output.tell(f"{documents} frozen in {to}: {made.fingerprint[:16]}")
    output.tell_guessed(corpus.guessed)
    output.report_unread(corpus.failures, corpus.skipped)


@app.command("verify")
def verify_command(
    snapshot: Annotated[Path, typer.Argument(help="The folder of a snapshot.")],
    as_json: AS_JSON = False,
) -> None:
    """Name every document that is no longer what was frozen; exit 1 if there is one.

    Example: `chunkwright snapshot verify snapshot`
    """
    _report(verify(snapshot), "unchanged", as_json=as_json)


@app.command("diff")
def diff_command(
    old: Annotated[Path, typer.Argument(help="The folder of a snapshot.")],
    new: Annotated[Path, typer.Argument(help="Another snapshot, or a folder of documents.")],
    max_file_size: MAX_FILE_SIZE = DEFAULT_MEGABYTES,
    as_json: AS_JSON = False,
) -> None:
    """Name every document that differs between a snapshot and newer documents; exit 1 if any.

    Example: `chunkwright snapshot diff snapshot docs/`
    """
    if is_snapshot(new):
        _report(diff(old, new), "no difference", as_json=as_json)
        return
    corpus = Corpus.read(new, as_bytes(max_file_size))
    # One that cannot be read any more counts as removed: say so first.
    output.tell_failures(corpus.failures)
    _report(diff(old, corpus), "no difference", as_json=as_json)
    if corpus.failures:
        raise typer.Exit(3)


def _report(changes: tuple[Change, ...], none: str, *, as_json: bool) -> None:
    if as_json:
        output.dump([asdict(change) for change in changes])
    else:
        for line in map(str, changes) if changes else [none]:
            output.tell(line)
    if changes:
        raise typer.Exit(1)
