"""`chunk` and `cost`: documents to chunks, and what that would cost."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

from chunkwright.chunking.cost import cost
from chunkwright.chunking.cut import Cut, cut, dress
from chunkwright.cli import output
from chunkwright.errors import ChunkwrightError, SetupError, SourceError
from chunkwright.model import Chunk, Document
from chunkwright.report.tables import cost_table
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus, iter_documents
from chunkwright.sources.files import Failure
from chunkwright.text.analysis import Analysis
from chunkwright.tuning.space import read_space

PATHS = Annotated[
    list[Path], typer.Argument(help="Files and folders: Markdown, plain text, source code.")
]
LESSON = "fixed:800c+{0,80,160,240,400}c"


class Sink(Protocol):
    """Takes chunks as they come."""

    def write(self, chunks: list[Chunk]) -> None:
        """Take the chunks of one document."""
        ...


class Lines:
    """Chunks as lines of JSON."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, chunks: list[Chunk]) -> None:
        """Write one line a chunk."""
        for chunk in chunks:
            self._file.write(json.dumps(chunk.to_dict(), ensure_ascii=False) + "\n")


class Parquet:
    """Chunks as rows of a Parquet file, one row group a few thousand."""

    _ROWS = 10_000

    def __init__(self, path: Path) -> None:
        import pyarrow
        from pyarrow import parquet

        text, number = pyarrow.string(), pyarrow.int64()
        self._schema = pyarrow.schema(
            [
                ("id", text),
                ("document_id", text),
                ("index", number),
                ("start", number),
                ("end", number),
                ("first_line", number),
                ("last_line", number),
                ("first_page", number),
                ("last_page", number),
                ("overlap", number),
                ("tokens", number),
                ("header", pyarrow.list_(text)),
                ("parent", pyarrow.list_(number)),
                ("text", text),
                ("embed_text", text),
                ("metadata", text),
            ]
        )
        self._table = pyarrow.Table
        self._writer = parquet.ParquetWriter(path, self._schema)
        self._rows: list[dict[str, Any]] = []

    def write(self, chunks: list[Chunk]) -> None:
        """Gather rows, and write them when there are enough."""
        for chunk in chunks:
            row = chunk.to_dict()
            row["metadata"] = json.dumps(row["metadata"], ensure_ascii=False)
            self._rows.append(row)
            if len(self._rows) >= self._ROWS:
                self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._table.from_pylist(self._rows, self._schema))
            self._rows = []

    def close(self) -> None:
        """Write what is left."""
        self._flush()
        self._writer.close()


@contextmanager
def sink(path: Path | None) -> Iterator[Sink]:
    """Where chunks go. A file appears under its name only when it is whole."""
    if path is None:
        try:
            yield Lines(sys.stdout)
            sys.stdout.flush()
        except BrokenPipeError:
            output.reader_left()
        return
    if path.suffix not in (".jsonl", ".parquet"):
        raise ChunkwrightError(f"{path}: write to a .jsonl or a .parquet file")
    if path.is_dir():
        raise ChunkwrightError(f"{path}: is a folder; name a file")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    try:
        if path.suffix == ".parquet":
            rows = Parquet(part)
            yield rows
            rows.close()
        else:
            with part.open("w", encoding="utf-8", newline="\n") as file:
                yield Lines(file)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def chunk_command(
    paths: PATHS,
    setup: Annotated[str, typer.Option("--setup", "-s", help="How to cut.")],
    to: Annotated[
        Path | None, typer.Option("-o", "--output", help="A .jsonl or .parquet file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The summary as JSON.")] = False,
) -> None:
    """Cut documents into chunks.

    Example: `chunkwright chunk docs/ --setup 'sentence:200t+1s' -o chunks.jsonl`
    """
    chosen = Setup.parse(setup)
    if as_json and to is None:
        raise ChunkwrightError("--json needs -o FILE: without it the chunks are the output")
    summary = {"documents": 0, "chunks": 0, "tokens": 0, "largest_tokens": 0, "oversize": 0}
    failures: list[str] = []
    skipped: list[Failure] = []
    with sink(to) as target, output.progress("cutting", None) as bar:
        for document in iter_documents(paths):
            bar.advance(bar.task_ids[0])
            if not isinstance(document, Document):
                if document.skipped:
                    skipped.append(document)
                else:
                    failures.append(str(document))
                continue
            try:
                made = cut(Analysis(document), chosen)
                chunks = dress(made)
            except SetupError as problem:
                failures.append(f"{document.id}: {problem}")
                continue
            target.write(chunks)
            _add(summary, made, chunks)
        if not summary["documents"]:
            output.tell_skipped(skipped)
            raise SourceError(_no_document(paths, failures))
    output.tell_skipped(skipped)
    output.some(failures)
    if summary["oversize"]:
        output.warn(f"{summary['oversize']} chunks are over the size: one grapheme is wider")
    if as_json:
        output.dump({"setup": str(chosen), **summary, "failures": failures})
    mean = summary["tokens"] / max(1, summary["chunks"])
    (output.tell if to and not as_json else output.say)(
        f"{summary['documents']} documents → {summary['chunks']:,} chunks, mean {mean:.0f} tokens, "
        f"largest {summary['largest_tokens']}" + (f" → {to}" if to else "")
    )
    if failures:
        raise typer.Exit(3)


def _add(summary: dict[str, int], made: Cut, chunks: list[Chunk]) -> None:
    tokens = [chunk.tokens for chunk in chunks]
    summary["documents"] += 1
    summary["chunks"] += len(chunks)
    summary["tokens"] += sum(tokens)
    summary["largest_tokens"] = max(summary["largest_tokens"], *tokens, 0)
    summary["oversize"] += len(made.oversize())


def _no_document(paths: list[Path], failures: list[str]) -> str:
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
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what setups cost before anything is embedded: chunks, stored text, overlap.

    Example: `chunkwright cost docs/ --setup 'fixed:800c+{0,80,160}c'`
    """
    setups = read_space(setup or [LESSON])
    corpus = Corpus.read(paths)
    analyses = [Analysis(document) for document in corpus]
    costs = []
    unusable: list[str] = []
    with output.progress("cutting", len(setups)) as bar:
        for each in setups:
            try:
                costs.append(cost(analyses, each))
            except SetupError as problem:
                unusable.append(str(problem))
            bar.advance(bar.task_ids[0])
    if not costs:
        raise SetupError(unusable[0])
    output.some(unusable)
    if as_json:
        output.dump([{**asdict(row), "setup": str(row.setup)} for row in costs])
    else:
        characters = sum(len(document.text) for document in corpus)
        output.tell(f"{len(corpus)} documents, {characters:,} characters")
        output.show(cost_table(costs))
    output.report_unread(corpus)
