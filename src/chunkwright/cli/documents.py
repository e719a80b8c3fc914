"""`chunk` and `cost`: documents to chunks, and what that would cost."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from chunkwright.cli import output
from chunkwright.cli.notices import Warned, facts, notices
from chunkwright.cli.output import counted
from chunkwright.cli.paths import DEFAULT_MEGABYTES, JOBS, MAX_FILE_SIZE, as_bytes
from chunkwright.cli.seen import SPACES, Handle, Seen
from chunkwright.cli.sinks import sink
from chunkwright.engines.costs import costs_of, row_of
from chunkwright.engines.local import Done, Handled, chunk_documents
from chunkwright.errors import ChunkwrightError, SetupError, SourceError
from chunkwright.report.tables import cost_table
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus, iter_sources
from chunkwright.sources.files import Failure
from chunkwright.text.analysis import Analysis
from chunkwright.tuning.space import read_space

PATHS = Annotated[
    list[Path], typer.Argument(help="Files and folders: Markdown, HTML, plain text, source code.")
]
LESSON = "fixed:800c+{0,80,160,240,400}c"


def chunk_command(
    paths: PATHS,
    setup: Annotated[str, typer.Option("--setup", "-s", help="How to cut.")],
    to: Annotated[
        Path | None, typer.Option("-o", "--output", help="A .jsonl or .parquet file.")
    ] = None,
    replace_controls: Annotated[
        bool,
        typer.Option(
            "--replace-controls",
            help="Write a space for each control character, such as NUL, that stores refuse.",
        ),
    ] = False,
    max_file_size: MAX_FILE_SIZE = DEFAULT_MEGABYTES,
    jobs: JOBS = 1,
    as_json: Annotated[bool, typer.Option("--json", help="The summary as JSON.")] = False,
) -> None:
    """Cut documents into chunks.

    Example: `chunkwright chunk docs/ --setup 'sentence:200t+1s' -o chunks.jsonl`
    """
    chosen = Setup.parse(setup)
    if as_json and to is None:
        raise ChunkwrightError("--json needs -o FILE: without it the chunks are the output")
    documents, total, warned = 0, Seen(), Warned()
    failures: list[Failure] = []
    skipped: list[Failure] = []
    encodings: dict[str, str] = {}
    sources = iter_sources(paths)
    with sink(to) as target, output.progress("cutting", None) as bar:
        handle = Handle(target.encode, SPACES if replace_controls else None)
        events = chunk_documents(sources, chosen, handle, jobs, as_bytes(max_file_size))
        with closing(events):
            for event in events:
                if isinstance(event, Handled):
                    made = event.value
                    target.write(made.encoded)
                    warned.add(made.warnings)
                    total += made.seen
                    continue
                bar.advance(bar.task_ids[0])
                if isinstance(event, Done):
                    documents += 1
                    encodings |= {event.document_id: event.encoding} if event.encoding else {}
                else:
                    (skipped if event.skipped else failures).append(event)
        if not documents:
            output.tell_skipped(skipped)
            raise SourceError(_no_document(paths, failures))
    output.tell_skipped(skipped)
    output.tell_failures(failures)
    output.some(warned.lines())
    output.tell_guessed(encodings)
    for line in notices(total, chosen):
        output.note(line)
    if as_json:
        counts = {
            "documents": documents,
            "chunks": total.chunks,
            "tokens": total.tokens,
            "largest_tokens": total.largest_tokens,
            "oversize": total.oversize,
        }
        told = facts(total, chosen)
        output.dump(
            {"setup": str(chosen), **counts, **told, **output.unread(failures, skipped, encodings)}
        )
    mean = total.tokens / max(1, total.chunks)
    (output.tell if to and not as_json else output.say)(
        f"{counted(documents, 'document')} → {counted(total.chunks, 'chunk')}, "
        f"mean {mean:.0f} tokens, largest {total.largest_tokens}" + (f" → {to}" if to else "")
    )
    if failures:
        raise typer.Exit(3)


def _no_document(paths: list[Path], failures: list[Failure]) -> str:
    where = ", ".join(map(str, paths))
    if not failures:
        return f"no document in {where}: name files, or a folder with .md or .txt files"
    return f"no document of {where} could be cut ({len(failures)} failed); first: {failures[0]}"


def cost_command(
    paths: PATHS,
    setup: Annotated[
        list[str] | None,
        typer.Option("--setup", "-s", help="Setups, or patterns such as 'fixed:800c+{0,80}c'."),
    ] = None,
    max_file_size: MAX_FILE_SIZE = DEFAULT_MEGABYTES,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what setups cost before anything is embedded: chunks, stored text, overlap.

    Example: `chunkwright cost docs/ --setup 'fixed:800c+{0,80,160}c'`
    """
    setups = read_space(setup or [LESSON])
    corpus = Corpus.read(paths, as_bytes(max_file_size))
    with output.progress("cutting", len(setups)) as bar:
        costs, unusable, failures = costs_of(
            map(Analysis, corpus), setups, lambda: bar.advance(bar.task_ids[0])
        )
    if not costs:
        raise SetupError(unusable[0]) if unusable else SourceError(_no_document(paths, failures))
    output.some(unusable)
    failed = {failure.path for failure in failures}
    documents = [document for document in corpus if document.id not in failed]
    failures = [*corpus.failures, *failures]
    if as_json:
        rows = [row_of(row) for row in costs]
        told = output.unread(failures, corpus.skipped, corpus.guessed)
        output.dump({"setups": rows, "unusable": unusable, **told})
    else:
        characters = sum(len(document.text) for document in documents)
        output.tell(f"{counted(len(documents), 'document')}, {counted(characters, 'character')}")
        output.show(cost_table(costs))
    output.tell_guessed(corpus.guessed)
    output.report_unread(failures, corpus.skipped)
