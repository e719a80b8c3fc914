"""The figures of a cut beside its text: chunks, tokens, overlap, storage, warnings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from nicegui import ui

from chunkwright.chunking.cost import Cost, cost, cost_of
from chunkwright.chunking.cut import Cut
from chunkwright.errors import SetupError
from chunkwright.lab.views.chart import Chart
from chunkwright.lab.views.plain_table import plain_table
from chunkwright.quality.warnings import warnings_of
from chunkwright.report.charts import sizes, sizes_in_words
from chunkwright.report.tables import Table, cost_table, percent, whole
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis

_OVERLAPS = (0, 10, 20, 30, 50)
# The columns of the cost table that there is room for beside a text.
_COLUMNS = ("overlap", "chunks", "stored t", "extra %")


class Facts(NamedTuple):
    """What is known of a cut at once.

    Attributes:
        cost: Chunks, tokens, overlap, storage.
        median: Median tokens of a chunk; NaN without chunks.
        warned: Chunks with at least one of the three warnings.
    """

    cost: Cost
    median: float
    warned: int

    def rows(self) -> tuple[tuple[str, str], ...]:
        """A name and a value for each figure."""
        found = self.cost
        own = spoken(found.setup.overlap, found.setup.overlap_unit)
        asked = own if found.ratio is None else f"{percent(found.ratio)} %"
        rate = f"{percent(self.warned / found.chunks)} %" if found.chunks else "–"
        return (
            ("chunks", whole(found.chunks)),
            ("tokens, mean", whole(found.mean_tokens)),
            ("tokens, median", whole(self.median if found.chunks else None)),
            ("tokens, largest", whole(found.largest_tokens)),
            ("overlap asked", asked),
            ("overlap achieved", f"{percent(found.achieved)} %"),
            ("extra storage", f"{percent(found.extra)} %"),
            ("warnings rate", rate),
        )


def facts(cut: Cut) -> Facts:
    """What is known of a cut at once.

    >>> from chunkwright.chunking.cut import cut as cut_by
    >>> from chunkwright.model import Document
    >>> lamp = Analysis(Document("a.txt", "The lamp blinks blue. It is on."))
    >>> dict(facts(cut_by(lamp, Setup.parse("sentence:1s"))).rows())["warnings rate"]
    '50.0 %'
    """
    tokens = cut.tokens()
    median = float(np.median(tokens)) if len(tokens) else float("nan")
    warned = int(warnings_of(cut).any(axis=1).sum())
    return Facts(cost_of([cut], cut.setup), median, warned)


def spoken(amount: float, unit: str) -> str:
    """An amount with its unit.

    >>> spoken(1, "sentences"), spoken(1200, "tokens"), spoken(20, "percent")
    ('1 sentence', '1,200 tokens', '20 %')
    """
    if unit == "percent":
        return f"{amount:g} %"
    return f"{amount:,g} {unit.removesuffix('s') if amount == 1 else unit}"


def overlap_costs(analysis: Analysis, setup: Setup) -> Table:
    """What a document costs under a setup with less and more overlap.

    A setup that cannot overlap in percent gives one row, its own.

    >>> from chunkwright.model import Document
    >>> table = overlap_costs(Analysis(Document("a.txt", "m" * 100)), Setup.parse("fixed:40c"))
    >>> [row[:2] for row in table.rows]
    [('0 %', '3'), ('10 %', '3'), ('20 %', '3'), ('30 %', '4'), ('50 %', '4')]
    """
    setups: list[Setup] = []
    for share in _OVERLAPS:
        try:
            unit = "percent" if share else ""
            setups.append(replace(setup, overlap=share, overlap_unit=unit))
        except SetupError:
            continue
    names = [spoken(each.overlap, "percent") for each in setups]
    if setup not in setups:
        setups, names = [*setups, setup], [*names, spoken(setup.overlap, setup.overlap_unit)]
    whole_table = cost_table([cost([analysis], each) for each in setups])
    kept = [at for at, column in enumerate(whole_table.columns) if column.name in _COLUMNS]
    first = replace(whole_table.columns[0], name="overlap")
    return Table(
        "Cost of overlap",
        (first, *(whole_table.columns[at] for at in kept)),
        tuple(
            (name, *(row[at] for at in kept))
            for name, row in zip(names, whole_table.rows, strict=True)
        ),
        marked=setups.index(setup),
    )


def sizes_chart(cut: Cut) -> tuple[dict[str, Any], str]:
    """The histogram of the tokens of the chunks, and what it shows in a sentence."""
    limit = cut.setup.size if cut.setup.unit == "tokens" else None
    return sizes(cut.tokens(), limit).to_dict(), sizes_in_words(cut.tokens(), limit)


class Figures:
    """The figures beside the text."""

    def __init__(self) -> None:
        ui.label("Figures").classes("cw-heading")
        self._list = ui.element("dl").classes("cw-figures")
        self._values: dict[str, ui.label] = {}
        self._sizes = Chart("Sizes of the chunks")
        self._costs = ui.element("div")

    def clear(self) -> None:
        """Show nothing: another document is on its way."""
        for value in self._values.values():
            value.set_text("…")
        self._costs.clear()

    def show(self, found: Facts) -> None:
        """Show what is known of a cut."""
        for name, value in found.rows():
            if name not in self._values:
                with self._list, ui.element("div"):
                    with ui.element("dt"):
                        ui.label(name)
                    with ui.element("dd"):
                        self._values[name] = ui.label()
            self._values[name].set_text(value)

    def show_sizes(self, chart: dict[str, Any], summary: str) -> None:
        """Show how large the chunks are."""
        self._sizes.show(chart, summary)

    def show_costs(self, table: Table) -> None:
        """Show what overlap costs."""
        self._costs.clear()
        with self._costs:
            plain_table(table)
