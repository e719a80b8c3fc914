"""`chunk` and `cost`: documents to chunks, and what that would cost."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Annotated, Any, Protocol

import typer

from chunkwright.chunking.cost import Cost, cost
from chunkwright.chunking.dress import chunk_parts
from chunkwright.cli import output
from chunkwright.cli.notices import SPACES, Seen, Warned, facts, notices, seen, seen_in
from chunkwright.cli.paths import DEFAULT_MEGABYTES, MAX_FILE_SIZE, as_bytes
from chunkwright.errors import ChunkwrightError, SetupError, SourceError
from chunkwright.model import Chunk, Document
from chunkwright.report.tables import cost_table
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus, iter_documents
from chunkwright.sources.files import Failure
from chunkwright.sources.whole import whole_file
from chunkwright.text.analysis import Analysis
from chunkwright.tuning.space import read_space

PATHS = Annotated[
    list[Path], typer.Argument(help="Files and folders: Markdown, HTML, plain text, source code.")
]
Row = dict[str, Any]
# Many readers of lines end one here, too.
_SEPARATORS = "\x85\u2028\u2029"
LESSON = "fixed:800c+{0,80,160,240,400}c"


class Sink(Protocol):
    """Takes chunks as they come."""

    def write(self, rows: Iterable[Row]) -> None:
        """Take chunks, as rows."""
        ...


class Lines:
    """Chunks as lines of JSON."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, rows: Iterable[Row]) -> None:
        """Write one line a chunk."""
        for row in rows:
            line = json.dumps(row, ensure_ascii=False)
            for separator in _SEPARATORS:
                line = line.replace(separator, f"\\u{ord(separator):04x}")
            self._file.write(line + "\n")


class Parquet:
    """Chunks as rows of a Parquet file, one row group a few thousand."""

    _ROWS = 4_000

    def __init__(self, file: IO[bytes]) -> None:
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
        self._writer = parquet.ParquetWriter(file, self._schema)
        self._rows: list[Row] = []

    def write(self, rows: Iterable[Row]) -> None:
        """Gather rows, and write them when there are enough."""
        for row in rows:
            metadata = json.dumps(row["metadata"], ensure_ascii=False)
            self._rows.append({**row, "metadata": metadata})
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
    with whole_file(path) as file:
        if path.suffix == ".parquet":
            rows = Parquet(file)
            yield rows
            rows.close()
        else:
            text = TextIOWrapper(file, "utf-8", newline="\n")
            try:
                yield Lines(text)
                text.flush()
            finally:
                text.detach()


def row_of(chunk: Chunk, *, replace_controls: bool) -> Row:
    """A chunk as it is written."""
    row = chunk.to_dict()
    return {key: _spaced(value) for key, value in row.items()} if replace_controls else row


def _spaced(value: Any) -> Any:
    """A value in which each control character is a space."""
    if isinstance(value, str):
        return value.translate(SPACES)
    if isinstance(value, dict):
        return {_spaced(key): _spaced(part) for key, part in value.items()}
    return [_spaced(part) for part in value] if isinstance(value, list) else value


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
    with sink(to) as target, output.progress("cutting", None) as bar:
        for document in iter_documents(paths, as_bytes(max_file_size)):
            bar.advance(bar.task_ids[0])
            if not isinstance(document, Document):
                (skipped if document.skipped else failures).append(document)
                continue
            reached = 0
            try:
                total += seen_in(document, chosen)
                for made, chunks in chunk_parts(document, chosen):
                    rows = [row_of(each, replace_controls=replace_controls) for each in chunks]
                    found = seen(made, reached)
                    warned.add(made.notices())
                    target.write(rows)
                    total += found
                    reached = chunks[-1].end if chunks else reached
            except BaseException as problem:
                failures.append(Failure(document.id, output.reason(problem, reached)))
                continue
            documents += 1
        if not documents:
            output.tell_skipped(skipped)
            raise SourceError(_no_document(paths, failures))
    output.tell_skipped(skipped)
    output.tell_failures(failures)
    output.some(warned.lines())
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
        output.dump({"setup": str(chosen), **counts, **told, **output.unread(failures, skipped)})
    mean = total.tokens / max(1, total.chunks)
    (output.tell if to and not as_json else output.say)(
        f"{documents} documents → {total.chunks:,} chunks, mean {mean:.0f} tokens, "
        f"largest {total.largest_tokens}" + (f" → {to}" if to else "")
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
    costs, unusable, failures = _costs(list(corpus), setups)
    if not costs:
        raise SetupError(unusable[0]) if unusable else SourceError(_no_document(paths, failures))
    output.some(unusable)
    failed = {failure.path for failure in failures}
    documents = [document for document in corpus if document.id not in failed]
    failures = [*corpus.failures, *failures]
    if as_json:
        rows = [{**asdict(row), "setup": str(row.setup)} for row in costs]
        told = output.unread(failures, corpus.skipped)
        output.dump({"setups": rows, "unusable": unusable, **told})
    else:
        characters = sum(len(document.text) for document in documents)
        output.tell(f"{len(documents)} documents, {characters:,} characters")
        output.show(cost_table(costs))
    output.report_unread(failures, corpus.skipped)


def _costs(
    documents: list[Document], setups: tuple[Setup, ...]
) -> tuple[list[Cost], list[str], list[Failure]]:
    """The costs of all setups on the same documents: those that every setup can cut."""
    analyses = [Analysis(document) for document in documents]
    failures: list[Failure] = []
    at = 0

    def watched() -> Iterator[Analysis]:
        nonlocal at
        for at, analysis in enumerate(analyses):  # noqa: B007 - it tells who was at work
            yield analysis

    while True:
        costs: list[Cost] = []
        unusable: list[str] = []
        try:
            with output.progress("cutting", len(setups)) as bar:
                for each in setups:
                    try:
                        costs.append(cost(watched(), each))
                    except SetupError as problem:
                        unusable.append(str(problem))
                    bar.advance(bar.task_ids[0])
            return (costs if analyses else []), unusable, failures
        except BaseException as problem:
            document = analyses.pop(at).document
            failures.append(Failure(document.id, output.reason(problem)))
