"""Findings for people and machines: lines of text, JSON, SARIF 2.1.0, annotations of GitHub."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np

from chunkwright._version import __version__
from chunkwright.chunking.cut import Cut
from chunkwright.evaluation.statistics import FEWEST_CLUSTERS, Share, share_of
from chunkwright.quality.rule import Finding, Rule, Severity
from chunkwright.quality.settings import Settings
from chunkwright.report.tables import Column, Table, percent, whole
from chunkwright.sources.files import HTML_SUFFIXES
from chunkwright.spans import Integers

# Raised when a field goes or changes its meaning; new fields do not raise it.
SCHEMA = "chunkwright.findings/1"
_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


@dataclass(frozen=True, slots=True)
class Checked:
    """One document whose chunks were checked.

    Attributes:
        document_id: Its id.
        chunks: How many chunks it has.
        path: Its file as it is printed; the id where there is none.
        line_starts: Where its lines start; none where lines of the file are other ones.
        rows: For chunks of a file, the row of each.
    """

    document_id: str
    chunks: int
    path: str
    line_starts: Integers | None = None
    rows: Integers | None = None


@dataclass(frozen=True, slots=True)
class RuleCount:
    """What one rule found.

    Attributes:
        rule: The rule.
        findings: How often.
        chunks: In how many chunks.
        share: Of all chunks.
        documents: In how many documents.
    """

    rule: Rule
    findings: int
    chunks: int
    share: Share
    documents: int


@dataclass(frozen=True)
class Report:
    """What a check found.

    Attributes:
        subject: What was checked: a setup, or a file of chunks.
        documents: The documents, in their order.
        findings: By document, chunk, then code.
        rules: The rules that looked.
        chunk_file: The file that the chunks come from, if any.
    """

    subject: str
    documents: tuple[Checked, ...]
    findings: tuple[Finding, ...]
    rules: tuple[Rule, ...]
    chunk_file: str = ""
    _by_id: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        numbers = {each.document_id: number for number, each in enumerate(self.documents)}
        object.__setattr__(self, "_by_id", numbers)

    @cached_property
    def chunks(self) -> int:
        """Number of chunks."""
        return sum(each.chunks for each in self.documents)

    @cached_property
    def flagged(self) -> int:
        """Chunks with at least one finding."""
        return int(self._flagged(self.findings).sum())

    @cached_property
    def share(self) -> Share:
        """The share of chunks with at least one finding."""
        return self._share(self._flagged(self.findings))

    @cached_property
    def counts(self) -> tuple[RuleCount, ...]:
        """What each rule found, in the order of their codes."""
        found: dict[str, list[Finding]] = {each.code: [] for each in self.rules}
        for finding in self.findings:
            found[finding.code].append(finding)
        counts = []
        for rule in self.rules:
            several = found[rule.code]
            flagged = self._flagged(several)
            documents = len({each.document_id for each in several})
            counts.append(
                RuleCount(rule, len(several), int(flagged.sum()), self._share(flagged), documents)
            )
        return tuple(counts)

    @cached_property
    def per_document(self) -> tuple[tuple[Checked, int, int], ...]:
        """Each document with its findings and how many chunks have one."""
        flagged = self._flagged(self.findings).tolist()
        counts = Counter(finding.document_id for finding in self.findings)
        return tuple(
            (each, counts[each.document_id], flagged[number])
            for number, each in enumerate(self.documents)
        )

    def checked(self, finding: Finding) -> Checked:
        """The document of a finding."""
        return self.documents[self._by_id[finding.document_id]]

    def row(self, finding: Finding) -> int | None:
        """The row of the chunk of a finding in the file of chunks."""
        rows = self.checked(finding).rows
        return None if rows is None else int(rows[finding.index])

    def _flagged(self, findings: Sequence[Finding]) -> Integers:
        """How many chunks of each document have one of some findings."""
        chunks = {(self._by_id[each.document_id], each.index) for each in findings}
        numbers = np.array([number for number, _ in chunks], np.int64)
        return np.bincount(numbers, minlength=len(self.documents))

    def _share(self, flagged: Integers) -> Share:
        return share_of(flagged, np.array([each.chunks for each in self.documents], np.int64))


def report_on(
    subject: str,
    cuts: Sequence[Cut],
    settings: Settings,
    files: Mapping[str, str] | None = None,
    rows: Sequence[Integers] = (),
    chunk_file: str = "",
) -> Report:
    """What is found in the chunks of documents.

    Args:
        subject: What is checked: a setup, or a file of chunks.
        cuts: The chunks of each document.
        settings: Which rules look, and how strictly.
        files: The file of a document, by its id, where it comes from one.
        rows: For chunks of a file, the row of each, by document.
        chunk_file: That file.
    """
    from chunkwright.quality.checker import findings

    documents = []
    known: Sequence[Integers | None] = rows or [None] * len(cuts)
    for each, row in zip(cuts, known, strict=True):
        document_id = each.analysis.document.id
        path = (files or {}).get(document_id, document_id)
        # A page is read as Markdown, whose lines are not the file's.
        own = PurePath(path).suffix.lower() not in HTML_SUFFIXES
        lines = each.analysis.line_starts if own else None
        documents.append(Checked(document_id, len(each), path, lines, row))
    looked = {rule.code: rule for each in documents for rule in settings.chosen(each.document_id)}
    used = tuple(rule for _, rule in sorted(looked.items()))
    return Report(subject, tuple(documents), tuple(findings(cuts, settings)), used, chunk_file)


class Line(NamedTuple):
    """A finding as text, in parts that may be coloured."""

    place: str
    code: str
    severity: Severity
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.code} {self.message}"


def lines(report: Report, top: int | None = None) -> Iterator[Line]:
    """The findings as lines: the first of each rule, or all.

    Args:
        report: What was found.
        top: How many of each rule; None for all.
    """
    met: Counter[str] = Counter()
    for finding in report.findings:
        met[finding.code] += 1
        if top is None or met[finding.code] <= top:
            place = f"{report.checked(finding).path}:{finding.line}"
            row = report.row(finding)
            origin = "" if row is None else f" ({report.chunk_file}:{row})"
            yield Line(place, finding.code, finding.severity, finding.message + origin)


def left_out(report: Report, top: int | None) -> Counter[str]:
    """How many findings of each rule `lines` does not show."""
    counts = {f"{each.rule.code} {each.rule.name}": each.findings for each in report.counts}
    more = {name: count - top for name, count in counts.items() if top and count > top}
    return Counter(counts if top == 0 else more)


def summary(report: Report) -> str:
    """One line: how many findings of which rules, in how many chunks."""
    total = len(report.findings)
    what = f"{_counted(report.chunks, 'chunk')} of {_counted(len(report.documents), 'document')}"
    if not total:
        return f"{what}: no findings"
    found = sorted(
        (each for each in report.counts if each.findings), key=lambda each: -each.findings
    )
    kinds = ", ".join(f"{each.findings:,} {each.rule.code} {each.rule.name}" for each in found)
    return (
        f"{what}: {_counted(total, 'finding')} in {_counted(report.flagged, 'chunk')} "
        f"({percent(report.share.value)} %): {kinds}"
    )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def rule_table(report: Report) -> Table:
    """What each rule found that found anything, as a table, and all of them together."""
    columns = (
        Column("code", number=False),
        Column("rule", number=False),
        Column("severity", number=False, rank=3),
        Column("findings"),
        Column("chunks %", "share of chunks with at least one"),
        Column("95 %", "interval of that share", rank=1),
        Column("documents", rank=2),
    )
    rows = [
        (
            each.rule.code,
            each.rule.name,
            str(each.rule.severity),
            whole(each.findings),
            percent(each.share.value),
            _interval(each.share),
            whole(each.documents),
        )
        for each in report.counts
        if each.findings
    ]
    documents = sum(1 for _, findings, _ in report.per_document if findings)
    total = (
        *("", "any", "", whole(len(report.findings)), percent(report.share.value)),
        *(_interval(report.share), whole(documents)),
    )
    return Table("Findings per rule", columns, (*rows, total), marked=len(rows))


def interval_note(report: Report) -> str:
    """What the intervals hold for."""
    used = sum(each.chunks > 0 for each in report.documents)
    if used < FEWEST_CLUSTERS:
        return f"Intervals are for more chunks of this kind: {used} documents are too few for more."
    return "Intervals are for more documents of this kind."


def document_table(report: Report, top: int | None = None) -> Table:
    """The documents with the most findings, as a table."""
    columns = (
        Column("document", number=False),
        Column("chunks"),
        Column("findings"),
        Column("chunks %", "share of its chunks with at least one"),
    )
    ranked = sorted(report.per_document, key=lambda row: -row[1])
    rows = tuple(
        (each.path, whole(each.chunks), whole(findings), percent(_ratio(flagged, each.chunks)))
        for each, findings, flagged in ranked[:top]
    )
    return Table("Findings per document", columns, rows)


def _interval(share: Share) -> str:
    return f"{percent(share.low)}–{percent(share.high)}"


def _ratio(part: int, total: int) -> float | None:
    return part / total if total else None


def as_json(report: Report) -> dict[str, Any]:
    """The report as plain values, by the schema that it names."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "subject": report.subject,
        "documents": len(report.documents),
        "chunks": report.chunks,
        "chunks_with_findings": report.flagged,
        "share": report.share.value,
        "interval": [report.share.low, report.share.high],
        "rules": [
            {
                "code": each.rule.code,
                "name": each.rule.name,
                "label": each.rule.label,
                "severity": str(each.rule.severity),
                "findings": each.findings,
                "chunks": each.chunks,
                "share": each.share.value,
                "interval": [each.share.low, each.share.high],
                "documents": each.documents,
            }
            for each in report.counts
        ],
        "per_document": [
            {
                "document_id": each.document_id,
                "path": each.path,
                "chunks": each.chunks,
                "findings": findings,
                "chunks_with_findings": flagged,
                "share": _ratio(flagged, each.chunks),
            }
            for each, findings, flagged in report.per_document
        ],
        "findings": [_plain(report, finding) for finding in report.findings],
    }


def _plain(report: Report, finding: Finding) -> dict[str, Any]:
    row = report.row(finding)
    return {
        "code": finding.code,
        "severity": str(finding.severity),
        "document_id": finding.document_id,
        "path": report.checked(finding).path,
        "line": finding.line,
        "chunk": finding.index,
        **({} if row is None else {"row": row}),
        "start": finding.start,
        "end": finding.end,
        "message": finding.message,
        "fixable": bool(finding.repair),
        "repair": finding.repair or None,
        "safe": finding.safe,
    }


def as_sarif(report: Report) -> dict[str, Any]:
    """The report as a log of SARIF 2.1.0 (OASIS standard)."""
    numbers = {rule.code: number for number, rule in enumerate(report.rules)}
    met: Counter[str] = Counter()
    results = []
    for finding in report.findings:
        checked, row = report.checked(finding), report.row(finding)
        # The same finding keeps its mark when the document is edited elsewhere.
        key = f"{finding.code}\0{finding.document_id}\0{finding.message}"
        met[key] += 1
        mark = blake2b(f"{key}\0{met[key]}".encode(), digest_size=12).hexdigest()
        location: dict[str, Any] = {"artifactLocation": {"uri": _uri(checked.path)}}
        if region := _region(checked, finding):
            location["region"] = region
        results.append(
            {
                "ruleId": finding.code,
                "ruleIndex": numbers[finding.code],
                "level": str(finding.severity),
                "message": {"text": finding.message},
                "locations": [{"physicalLocation": location}],
                "partialFingerprints": {"chunkwright/v1": mark},
                "properties": {
                    "chunk": finding.index,
                    **({} if row is None else {"row": row}),
                    "fixable": bool(finding.repair),
                },
            }
        )
    driver = {
        "name": "chunkwright",
        "version": __version__,
        "rules": [
            {
                "id": rule.code,
                "name": rule.name,
                "shortDescription": {"text": rule.label},
                "fullDescription": {"text": rule.why},
                "help": {"text": f"{rule.why} Bad: {rule.bad} Good: {rule.good}"},
                "defaultConfiguration": {"level": str(rule.severity)},
            }
            for rule in report.rules
        ],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SARIF, "version": "2.1.0", "runs": [run]}


def _uri(path: str) -> str:
    pure = PurePath(path)
    return pure.as_uri() if pure.is_absolute() else quote(pure.as_posix())


def _region(checked: Checked, finding: Finding) -> dict[str, int]:
    """A finding's place in lines and columns, both from 1; the end column is one past the last."""
    starts = checked.line_starts
    if starts is None:
        return {}
    last = max(finding.start, finding.end - 1)
    end_line = int(np.searchsorted(starts, last, side="right"))
    return {
        "startLine": finding.line,
        "startColumn": finding.start - int(starts[finding.line - 1]) + 1,
        "endLine": end_line,
        "endColumn": last - int(starts[end_line - 1]) + 2,
    }


def as_github(report: Report) -> Iterator[str]:
    """The findings as workflow commands, which GitHub shows beside the lines."""
    names = {rule.code: rule.name for rule in report.rules}
    for finding in report.findings:
        checked = report.checked(finding)
        region = _region(checked, finding)
        fields: Mapping[str, str | int] = {
            "file": checked.path,
            **({"line": region["startLine"], "endLine": region["endLine"]} if region else {}),
            "title": f"{finding.code} {names[finding.code]}",
        }
        listed = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in fields.items())
        yield f"::{_LEVELS[finding.severity]} {listed}::{_escaped(finding.message)}"


def _escaped(text: str, more: str = "") -> str:
    for character in f"%\r\n{more}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text
