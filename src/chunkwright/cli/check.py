"""`check` and `rule`: what is wrong with chunks, ours or another tool's."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from chunkwright.chunking.cut import Cut, cut
from chunkwright.cli import fixing, foreign, output
from chunkwright.cli.foreign import Foreign
from chunkwright.cli.output import counted
from chunkwright.cli.paths import DEFAULT_MEGABYTES, MAX_FILE_SIZE, as_bytes
from chunkwright.cli.proving import checked_gold, prove
from chunkwright.cli.proving import show as show_proof
from chunkwright.engines.faults import reason
from chunkwright.errors import ChunkwrightError, RuleError, SourceError
from chunkwright.integrations.anchor import LIKENESS
from chunkwright.integrations.chunk_files import SUFFIXES
from chunkwright.model import Document
from chunkwright.quality.mend import Mended
from chunkwright.quality.repair import Repair
from chunkwright.quality.rule import Rule, Severity, rules
from chunkwright.quality.settings import Settings
from chunkwright.report import findings as report_of
from chunkwright.report.findings import Report
from chunkwright.report.mending import Mending
from chunkwright.report.proof import as_json as proof_as_json
from chunkwright.report.rules import explain
from chunkwright.report.tables import Column, Table, percent
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus, guessed, iter_sources, read_source
from chunkwright.sources.files import Failure, FoundFile, shown
from chunkwright.sources.whole import whole_file
from chunkwright.spans import Integers
from chunkwright.text.analysis import Analysis
from chunkwright.tuning.study import DEFAULT_RETRIEVER

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_WORST_FIRST = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
DEFAULT_METRIC = "hit_rate@1000t"
_LIMIT = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)")


class Format(StrEnum):
    """How findings are written."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


@dataclass(frozen=True, slots=True)
class Limit:
    """How many chunks may have a finding: a number, or a share of all.

    >>> Limit.parse("5%").is_past(6, 100), Limit.parse("6").is_past(6, 100)
    (True, False)
    """

    value: float
    is_share: bool

    @classmethod
    def parse(cls, text: str) -> Limit:
        """A limit from `5%` or `12`.

        Raises:
            ChunkwrightError: It is neither.
        """
        found = _LIMIT.fullmatch(text.strip())
        if found is None or (not found[2] and "." in found[1]):
            raise ChunkwrightError(
                f"--max-warnings {text!r}: give a number of chunks, or a share such as 5%"
            )
        return cls(float(found[1]) / (100 if found[2] else 1), bool(found[2]))

    def is_past(self, flagged: int, chunks: int) -> bool:
        """Whether so many of the chunks are too many."""
        return flagged > self.value * (chunks if self.is_share else 1)

    def __str__(self) -> str:
        return f"{100 * self.value:g} %" if self.is_share else f"{self.value:,.0f}"


def check_command(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Documents; or, with --source, a file of chunks.", show_default=False),
    ] = None,
    setup: Annotated[
        str,
        typer.Option(
            "--setup", "-s", help="How the documents are cut; with --source, what is kept to."
        ),
    ] = "",
    source: Annotated[
        list[Path] | None,
        typer.Option(
            help="The documents that a file of chunks was made from. It may be by LangChain, "
            f"LlamaIndex, Haystack, Chonkie, Unstructured, or any table: {', '.join(SUFFIXES)}.",
        ),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(help="Rules to use: codes, starts of codes, names, ALL; with commas."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Rules not to use.")] = None,
    threshold: Annotated[
        list[str] | None, typer.Option(help="A rule's limit, such as C101.characters=30.")
    ] = None,
    per_path_ignore: Annotated[
        list[str] | None,
        typer.Option(help="Rules not to use on some documents, such as 'legal/*:C104,C105'."),
    ] = None,
    form: Annotated[
        Format,
        typer.Option("--format", help="How findings are written."),
    ] = (Format.TEXT),
    to: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write them to this file."),
    ] = None,
    max_warnings: Annotated[
        str,
        typer.Option(help="Exit 1 if more chunks than this have a finding: 5%, or a number."),
    ] = "",
    fail_on: Annotated[
        Severity | None, typer.Option(help="Exit 1 on a finding this severe, or more.")
    ] = None,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Tables per rule and document, with intervals.")
    ] = False,
    top: Annotated[int, typer.Option(min=0, help="Findings of each rule shown as text.")] = 10,
    fix: Annotated[
        bool,
        typer.Option("--fix", help="Mend what safe repairs can mend; findings are what is left."),
    ] = False,
    unsafe_fixes: Annotated[
        bool,
        typer.Option("--unsafe-fixes", help="With --fix or --diff: by all other repairs, too."),
    ] = False,
    diff: Annotated[
        bool,
        typer.Option(
            "--diff",
            help="Show what --fix would change; exit 1 if there is anything. Writes nothing.",
        ),
    ] = False,
    write: Annotated[
        Path | None,
        typer.Option(help="With --fix: write the mended chunks to this .jsonl or .parquet file."),
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(
            "--gold",
            "-g",
            help="Questions with references, JSONL: what findings cost in answers, and what "
            "repairs win back.",
        ),
    ] = None,
    retriever: Annotated[
        str, typer.Option(help="With --gold: what finds chunks, as for `eval`.")
    ] = DEFAULT_RETRIEVER,
    metric: Annotated[
        str, typer.Option(help="With --gold: what counts as an answer found.")
    ] = DEFAULT_METRIC,
    text_column: Annotated[str, typer.Option(help="What holds the text of a chunk.")] = "",
    source_column: Annotated[str, typer.Option(help="What names its document.")] = "",
    likeness: Annotated[
        float,
        typer.Option(min=0, max=1, help="What an altered chunk must share with its passage."),
    ] = LIKENESS,
    max_file_size: MAX_FILE_SIZE = DEFAULT_MEGABYTES,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Find what is wrong with chunks: cut by a setup, or made by another tool.

    Example: `chunkwright check docs/ --setup 'sentence:200t+1s' --max-warnings 5%`

    Example: `chunkwright check chunks.jsonl --source docs/`

    Example: `chunkwright check docs/ -s 'fixed:800c' --fix --write mended.jsonl`

    Example: `chunkwright check docs/ -s 'fixed:800c' --gold gold.jsonl`
    """
    settings = Settings(
        select=_split(select),
        ignore=_split(ignore),
        per_path=_per_path(per_path_ignore or []),
        thresholds=_thresholds(threshold or []),
    )
    limit = Limit.parse(max_warnings) if max_warnings else None
    chosen = Setup.parse(setup) if setup else None
    if as_json:
        form = Format.JSON
    plain = form == Format.TEXT and to is None
    fixing.refuse_options(
        fix=fix, unsafe=unsafe_fixes, diff=diff, write=write, plain=plain, gold=gold is not None
    )
    if to is not None and to.is_dir():
        raise ChunkwrightError(f"{to}: is a folder; name a file")
    if not paths:
        raise ChunkwrightError("nothing to check: name documents, or a file of chunks")
    read = _read(source or paths, as_bytes(max_file_size))
    if source:
        made = _foreign(paths, read, chosen, text_column, source_column, likeness)
    else:
        _refuse_chunk_files(paths, chosen)
        if text_column or source_column:
            raise ChunkwrightError("--text-column and --source-column go with --source")
        made = _cut(paths, read, chosen)
    checked = None if gold is None else checked_gold(gold, read.corpus)
    report = _report(made, read, settings)
    proof = None
    if checked is not None:
        proof = prove(
            made.cuts, report.findings, read.corpus, checked.questions, settings, retriever, metric
        )
    mending: Mending | None = None
    several: list[Repair] = []
    if fix or diff:
        several = fixing.usable(
            [each.document_id for each in report.documents], settings, unsafe=unsafe_fixes
        )
        done = fixing.mend_all(made.cuts, several, settings)
        mending = Mending(report, _report(made.mended(done), read, settings), tuple(done))
        report = mending.after
    if diff and mending is not None:
        fixing.show_difference(mending)
    else:
        more = {
            **({} if mending is None else fixing.as_json(mending, several)),
            **({} if proof is None else {"proof": proof_as_json(proof)}),
            "anchoring": made.foreign.as_json() if made.foreign else None,
            **output.unread(made.failures, read.skipped, guessed(read.documents)),
        }
        _write(report, form, to, top, statistics=statistics, more=more)
        if mending is not None:
            if write is not None:
                fixing.write_chunks(write, [each.cut for each in mending.documents])
            left = 0 if unsafe_fixes else _unsafe(report)
            fixing.tell(mending, plain=plain, wrote=write, more=left)
        if proof is not None and form == Format.TEXT:
            show_proof(proof)
    if made.foreign:
        made.foreign.tell()
    output.tell_guessed(guessed(read.documents))
    output.tell_skipped(read.skipped)
    output.tell_failures(made.failures)
    if diff and mending is not None and mending.changed:
        raise typer.Exit(1)
    _gate(report, limit, fail_on)
    if made.failures or (made.foreign and made.foreign.found.missed):
        raise typer.Exit(3)


@dataclass(frozen=True, slots=True)
class _Read:
    """Documents with the files that they come from, and what could not be read."""

    documents: tuple[Document, ...]
    files: Mapping[str, str]
    failures: tuple[Failure, ...]
    skipped: tuple[Failure, ...]

    @property
    def corpus(self) -> Corpus:
        """The documents as they are searched."""
        return Corpus(self.documents, self.failures, self.skipped)


@dataclass(frozen=True, slots=True)
class _Made:
    """What is checked, and what could not be."""

    subject: str
    cuts: tuple[Cut, ...]
    failures: tuple[Failure, ...]
    foreign: Foreign | None = None
    rows: tuple[Integers, ...] = ()

    def mended(self, done: Sequence[Mended]) -> _Made:
        """The same after repairs; a chunk of a file has the row of the first that it was."""
        rows = tuple(
            row[[origins[0] for origins in each.origins]]
            for row, each in zip(self.rows, done, strict=False)
        )
        return replace(self, cuts=tuple(each.cut for each in done), rows=rows)


def _read(paths: Sequence[Path], max_bytes: int) -> _Read:
    documents: list[Document] = []
    files: dict[str, str] = {}
    failures: list[Failure] = []
    skipped: list[Failure] = []
    sources = iter_sources(paths)
    with output.progress("reading", None) as bar:
        for each in sources:
            item = read_source(each, max_bytes)
            if isinstance(item, Document):
                documents.append(item)
                if isinstance(each, FoundFile):
                    files[item.id] = shown(each.path)
            else:
                (skipped if item.skipped else failures).append(item)
            bar.advance(bar.task_ids[0])
    if not documents:
        where = ", ".join(map(shown, paths))
        first = f": {failures[0]}" if failures else ": name files, or a folder with .md or .txt"
        raise SourceError(f"no document in {where}{first}")
    return _Read(tuple(documents), files, tuple(failures), tuple(skipped))


def _refuse_chunk_files(paths: Sequence[Path], chosen: Setup | None) -> None:
    tables = [path for path in paths if path.suffix.lower() in SUFFIXES and path.is_file()]
    if tables and chosen is None:
        raise ChunkwrightError(
            f"{shown(tables[0])}: chunks are checked against their documents: add --source docs/ "
            "(or --setup, if it is a document itself)"
        )
    if chosen is None:
        raise ChunkwrightError("how are they cut? give --setup, such as --setup 'markdown:400t'")


def _cut(paths: Sequence[Path], read: _Read, setup: Setup | None) -> _Made:
    assert setup is not None
    cuts: list[Cut] = []
    failures = list(read.failures)
    with output.progress("cutting", len(read.documents)) as bar:
        for document in read.documents:
            try:
                cuts.append(cut(Analysis(document), setup))
            except Exception as problem:  # one bad document never kills a batch
                failures.append(Failure(document.id, reason(problem)))
            bar.advance(bar.task_ids[0])
    if not cuts:
        where = ", ".join(map(shown, paths))
        raise SourceError(f"no document of {where} could be cut; first: {failures[-1]}")
    return _Made(str(setup), tuple(cuts), tuple(failures))


def _foreign(
    paths: Sequence[Path],
    read: _Read,
    limits: Setup | None,
    text_column: str,
    source_column: str,
    likeness: float,
) -> _Made:
    if len(paths) > 1:
        raise ChunkwrightError(f"one file of chunks at a time with --source, got {len(paths)}")
    made = foreign.find(paths[0], read.documents, limits, text_column, source_column, likeness)
    failures = (*read.failures, *made.file.failures)
    return _Made(made.file.path, made.found.cuts, failures, made, made.found.rows)


def _report(made: _Made, read: _Read, settings: Settings) -> Report:
    chunk_file = made.foreign.file.path if made.foreign else ""
    with output.progress("checking", None):
        return report_of.report_on(
            made.subject, made.cuts, settings, read.files, made.rows, chunk_file
        )


def _write(
    report: Report,
    form: Format,
    to: Path | None,
    top: int,
    *,
    statistics: bool,
    more: dict[str, Any],
) -> None:
    if form == Format.TEXT and to is None:
        _show(report, top, statistics=statistics)
        return
    text = _text(report, form, more)
    if to is None:
        output.raw(text)
        return
    with whole_file(to) as file:
        file.write(text.encode("utf-8", "backslashreplace"))
    if statistics:
        _show_statistics(report)
    output.tell(f"{report_of.summary(report)} → {to}")


def _text(report: Report, form: Format, more: dict[str, Any]) -> str:
    if form == Format.JSON:
        return output.as_text({**report_of.as_json(report), **more})
    if form == Format.SARIF:
        return json.dumps(report_of.as_sarif(report), ensure_ascii=False, indent=1) + "\n"
    written: Iterator[Any] = (
        report_of.as_github(report) if form == Format.GITHUB else report_of.lines(report)
    )
    return "".join(f"{line}\n" for line in written)


def _show(report: Report, top: int, *, statistics: bool) -> None:
    for line in report_of.lines(report, top):
        output.tell_parts(
            (f"{line.place}: ", ""),
            (line.code, f"bold {_COLOURS[line.severity]}"),
            (f" {line.message}", ""),
        )
    more = report_of.left_out(report, top)
    if more:
        output.tell(f"… and {more.total():,} more: {output.listed(more)}; --top shows more of each")
    if statistics:
        _show_statistics(report)
    output.tell(report_of.summary(report))


def _show_statistics(report: Report) -> None:
    output.show(report_of.rule_table(report))
    output.tell("")
    output.paragraph(report_of.interval_note(report))
    output.tell("")
    output.show(report_of.document_table(report, 20))
    if len(report.documents) > 20:
        output.tell(f"({len(report.documents) - 20} more with --format json)")
    output.tell("")


def _unsafe(report: Report) -> int:
    """Findings that a repair is for which is not safe."""
    return sum(bool(each.repair) and not each.safe for each in report.findings)


def _gate(report: Report, limit: Limit | None, fail_on: Severity | None) -> None:
    """End with status 1 where a limit is passed."""
    failed = False
    if limit is not None and limit.is_past(report.flagged, report.chunks):
        share = percent(report.share.value)
        output.say(
            f"failed: {report.flagged:,} of {counted(report.chunks, 'chunk')} ({share} %) have a "
            f"finding, more than --max-warnings {limit}"
        )
        failed = True
    if fail_on is not None:
        severe = set(_WORST_FIRST[: _WORST_FIRST.index(fail_on) + 1])
        count = sum(finding.severity in severe for finding in report.findings)
        if count:
            worse = "" if fail_on == Severity.ERROR else " or worse"
            output.say(f"failed: {counted(count, 'finding')} of severity {fail_on}{worse}")
            failed = True
    if failed:
        raise typer.Exit(1)


def _split(selectors: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(
        part.strip() for each in selectors or () for part in each.split(",") if part.strip()
    )


def _thresholds(given: Sequence[str]) -> dict[str, float]:
    found = {}
    for each in given:
        name, _, value = each.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            raise RuleError(
                f"--threshold {each!r}: give a name and a number, such as C101.characters=30"
            ) from None
    return found


def _per_path(given: Sequence[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for each in given:
        pattern, colon, selectors = each.rpartition(":")
        if not colon or not pattern:
            raise RuleError(
                f"--per-path-ignore {each!r}: give a pattern and rules, such as 'legal/*:C104,C105'"
            )
        found[pattern] = (*found.get(pattern, ()), *_split([selectors]))
    return found


def rule_command(
    code: Annotated[str, typer.Argument(help="A code or a name; without it, all are listed.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Explain a rule: why it matters, examples, thresholds, the repair.

    Example: `chunkwright rule C102`
    """
    known = rules()
    wanted = [rule for rule in known if code in (rule.code, rule.code.lower(), rule.name)]
    if code and not wanted:
        names = [part for rule in known for part in (rule.code, rule.name)]
        close = difflib.get_close_matches(code, names, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise RuleError(f"no rule {code!r}: {hint}'chunkwright rule' lists all")
    if as_json:
        output.dump([_rule(rule) for rule in wanted or known])
    elif wanted:
        output.tell(explain(wanted[0]))
    else:
        output.show(_rule_table(known))


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "label": rule.label,
        "severity": str(rule.severity),
        "why": rule.why,
        "bad": rule.bad,
        "good": rule.good,
        "thresholds": dict(rule.thresholds),
        "repair": rule.repair or None,
        "safe": rule.safe,
        "default": rule.default,
    }


def _rule_table(known: Sequence[Rule]) -> Table:
    columns = tuple(Column(name, number=False) for name in ("code", "rule", "severity", "repair"))
    rows = tuple(
        (
            rule.code,
            rule.name if rule.default else f"{rule.name} (off)",
            str(rule.severity),
            rule.repair or "–",
        )
        for rule in known
    )
    return Table("Rules", columns, rows)
