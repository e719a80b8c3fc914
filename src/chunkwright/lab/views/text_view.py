"""A document with its chunks painted into it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any
from urllib.parse import urlencode

import numpy as np
from nicegui.element import Element

from chunkwright.chunking.cut import Cut
from chunkwright.lab.units import Units
from chunkwright.lab.views import ROWS
from chunkwright.model import Document
from chunkwright.quality.rule import Finding, rules
from chunkwright.quality.warnings import warnings_of
from chunkwright.spans import Span
from chunkwright.text.analysis import Analysis

# The rules whose kinds the seeds' three warnings are, in the order of their columns.
WARNINGS = ("C101", "C102", "C104")

Found = dict[int, list[str]]


class TextView(Element, component="text_view.js", esm=ROWS):
    """A scrolled list of the chunks of one document, with what is wrong with them.

    Emits `chunk` when one is chosen, and `selected` when text is selected.

    Args:
        label: What the list is, for screen readers.
        selectable: Whether selecting text is told.
    """

    def __init__(self, label: str, *, selectable: bool = False) -> None:
        super().__init__()
        self.classes("cw-view-box")
        self._sequence = count(1)
        self._props["label"] = label
        self._props["selectable"] = selectable
        self._props["rules"] = rule_table()
        self._units: Units | None = None
        self._source = ""
        self.document: Document | None = None

    @property
    def units(self) -> Units:
        """The positions of the document that is shown."""
        assert self._units is not None
        return self._units

    def load(self, analysis: Analysis) -> None:
        """Show a document."""
        self.document = document = analysis.document
        self._units = Units(document.text)
        self._source = text_address(document)
        self._props["source"] = self._source
        self._props["lang"] = analysis.language
        self.update()

    def paint(self, cut: Cut, found: Found | None = None) -> int:
        """Show its chunks, and give the number of this painting.

        Args:
            cut: The chunks.
            found: Codes of the findings on each chunk, where they are known; until then the
                three warnings are shown.
        """
        sequence = next(self._sequence)
        shown = painting(cut, self.units)
        shown["found"] = warned(cut) if found is None else found
        self.run_method("paint", self._source, {"sequence": sequence, **shown})
        return sequence

    def refuse(self, problem: str) -> None:
        """Say why nothing can be painted."""
        self.run_method("refuse", self._source, problem)

    def find(self, sequence: int, found: Found) -> None:
        """Add findings to a painting, if it is still the last."""
        self.run_method("find", self._source, sequence, found)

    def highlight(self, spans: Iterable[tuple[Span, str]], *, show: bool = False) -> None:
        """Highlight spans, each with a kind: `reference`, `term` or `chosen`.

        Args:
            spans: The spans.
            show: Whether to scroll to the first.
        """
        pairs = [(self._edges(span), kind) for span, kind in spans]
        self.run_method("mark", self._source, [[*edges, kind] for edges, kind in pairs])
        if show and pairs:
            self.run_method("show", self._source, pairs[0][0][0])

    def show(self, position: int) -> None:
        """Scroll to a position, in code points."""
        self.run_method("show", self._source, self._edges(Span(position, position))[0])

    def choose(self, chunk: int) -> None:
        """Scroll to a chunk and make it the chosen one."""
        self.run_method("choose", chunk)

    def span(self, edges: dict[str, Any]) -> Span:
        """What was selected, from the arguments of the event."""
        return Span(self.units.point(int(edges["start"])), self.units.point(int(edges["end"])))

    def _edges(self, span: Span) -> list[int]:
        edges: list[int] = self.units.of(np.array([span.start, span.end], np.int64)).tolist()
        return edges


def text_address(document: Document) -> str:
    """Where the page gets the text of a document."""
    return f"/api/v1/text?{urlencode({'document': document.id})}"


def rule_table() -> dict[str, dict[str, str]]:
    """What the page shows of each rule, by code."""
    return {
        rule.code: {
            "name": rule.name,
            "label": rule.label,
            "severity": str(rule.severity),
            "why": rule.why,
        }
        for rule in rules()
    }


def painting(cut: Cut, units: Units) -> dict[str, Any]:
    """The chunks of a document as the page paints them: columns, positions in code units."""
    starts, ends = cut.spans
    heads: dict[str, int] = {}
    head: list[int] = []
    if cut.context:
        prefixes = [cut.prefix(at) for at in range(len(cut))]
        head = [heads.setdefault(each, len(heads)) if each else -1 for each in prefixes]
    parents: list[list[int]] = []
    parent: list[int] = []
    wide = cut.parents()
    if wide is not None:
        first, number = np.unique(wide.starts, return_index=True, return_inverse=True)[1:]
        index, edges = cut.analysis.tokens(cut.counter), (wide.starts[first], wide.ends[first])
        tokens = [index.count(*pair) for pair in zip(*map(np.ndarray.tolist, edges), strict=True)]
        columns = [units.of(edge).tolist() for edge in edges]
        parents = [list(row) for row in zip(*columns, tokens, strict=True)]
        parent = number.tolist()
    return {
        "starts": units.of(starts).tolist(),
        "ends": units.of(ends).tolist(),
        "tokens": cut.tokens().tolist(),
        "heads": list(heads),
        "head": head,
        "parents": parents,
        "parent": parent,
        "leads": {at: lead.words for at, lead in cut.leads.items()},
    }


def warned(cut: Cut) -> Found:
    """Codes of the three warnings by chunk, for a first look: they take no time."""
    found: Found = defaultdict(list)
    for chunk, column in np.argwhere(warnings_of(cut)).tolist():
        found[chunk].append(WARNINGS[column])
    return found


def codes(findings: Sequence[Finding]) -> Found:
    """Codes of findings by chunk."""
    found: Found = defaultdict(list)
    for each in findings:
        if each.code not in found[each.index]:
            found[each.index].append(each.code)
    return found
