"""The chunker: one document, its chunks, what they cost and what is wrong with them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import NamedTuple

from nicegui import background_tasks, ui
from nicegui.events import GenericEventArguments

from chunkwright.chunking.cost import Cost, cost_of
from chunkwright.chunking.cut import Cut
from chunkwright.errors import ChunkwrightError
from chunkwright.lab.controls import SetupControls
from chunkwright.lab.state import State
from chunkwright.lab.tab import Tab, tell
from chunkwright.lab.views.text_view import TextView, codes
from chunkwright.quality.mend import Change, mend
from chunkwright.quality.repair import repair_of
from chunkwright.quality.rule import Finding, rule
from chunkwright.quality.warnings import warnings_of
from chunkwright.report.tables import percent


class Facts(NamedTuple):
    """What is shown beside the text."""

    cost: Cost
    median: float
    warned: int


def facts(cut: Cut) -> Facts:
    """What is shown beside a cut."""
    import numpy as np

    tokens = cut.tokens()
    median = float(np.median(tokens)) if len(tokens) else float("nan")
    warned = int(warnings_of(cut).any(axis=1).sum())
    return Facts(cost_of([cut], cut.setup), median, warned)


class Chunker:
    """The part of the page that shows one document under one setup."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self._busy = self._again = False
        self._cut: Cut | None = None
        self._found: tuple[Finding, ...] = ()
        self._chosen = -1
        with ui.element("div").classes("cw-columns"):
            with ui.element("section").classes("cw-side").props('aria-label="Setup"'):
                self.controls = SetupControls(tab)
            with ui.element("section").classes("cw-main").props('aria-label="Document"'):
                self.view = TextView("Chunks of the document")
                self.view.on("chunk", self._choose, ["chunk"])
            with ui.element("section").classes("cw-side").props('aria-label="Figures"'):
                self.figures = Figures()
                self.problems = ui.element("div").classes("cw-findings")
                self.details = ui.element("div").classes("cw-details").props('aria-live="polite"')
        tab.follow(self._changed)
        self._load()

    def _changed(self, before: State, after: State) -> None:
        if after.document != before.document:
            self._load()
        elif after.recipe != before.recipe:
            self._paint()

    def _load(self) -> None:
        background_tasks.create(self._loaded())

    async def _loaded(self) -> None:
        analysis = await self.tab.work(self.tab.workspace.analysis, self.tab.state.document)
        if isinstance(analysis, ChunkwrightError):
            tell(analysis)
            return
        self.view.load(analysis)
        self._paint()

    def _paint(self) -> None:
        """Paint the state as it is; while that is done, only the last of further calls counts."""
        self._again = True
        if not self._busy:
            background_tasks.create(self._painted())

    async def _painted(self) -> None:
        self._busy = True
        try:
            while self._again:
                self._again = False
                await self._paint_once()
        finally:
            self._busy = False

    async def _paint_once(self) -> None:
        workspace, state = self.tab.workspace, self.tab.state
        cut = await self.tab.work(workspace.cut, state.document, state.recipe)
        if isinstance(cut, ChunkwrightError):
            self.controls.refuse(cut)
            return
        self.controls.accept()
        sequence = self.view.paint(cut)
        self._cut, self._found, self._chosen = cut, (), -1
        shown = await self.tab.work(facts, cut)
        if not isinstance(shown, ChunkwrightError):
            self.figures.show(shown)
        if self._again:
            return  # it is on its way out already
        found = await self.tab.work(workspace.findings, state.document, state.recipe)
        if self._again or isinstance(found, ChunkwrightError):
            return
        self._found = found
        self.view.find(sequence, codes(found))
        self._list(found)
        self._detail()

    def _list(self, found: tuple[Finding, ...]) -> None:
        """How many findings there are of each rule; a click goes to the next of them."""
        self.problems.clear()
        counts = Counter(each.code for each in found)
        with self.problems:
            ui.label("Findings").classes("cw-heading")
            if not counts:
                ui.label("none").classes("cw-quiet")
            for code, count in sorted(counts.items()):
                text = f"{rule(code).label} ({count})"
                button = ui.button(text, on_click=lambda _, code=code: self._next(code))
                button.props("flat dense no-caps align=left").classes(
                    f"cw-jump cw-{rule(code).severity}"
                )

    def _next(self, code: str) -> None:
        chunks = [each.index for each in self._found if each.code == code]
        later = [chunk for chunk in chunks if chunk > self._chosen]
        self.view.choose((later or chunks)[0])

    def _choose(self, event: GenericEventArguments) -> None:
        self._chosen = int(event.args["chunk"])
        self._detail()

    def _detail(self) -> None:
        """What is wrong with the chosen chunk, and what mends it."""
        self.details.clear()
        found = [each for each in self._found if each.index == self._chosen]
        if self._chosen < 0 or self._cut is None:
            return
        with self.details:
            ui.label(f"Chunk {self._chosen + 1}").classes("cw-heading")
            if not found:
                ui.label("Nothing was found.").classes("cw-quiet")
            for each in found:
                with ui.element("div").classes(f"cw-finding cw-{each.severity}"):
                    ui.label(f"{each.code} {each.message}")
                    ui.label(rule(each.code).why).classes("cw-quiet")
                    if each.repair:
                        button = ui.button(
                            f"Repair: {each.repair.replace('_', ' ')}",
                            on_click=lambda _, each=each: self._preview(each),
                        )
                        button.props("outline dense no-caps")

    async def _preview(self, finding: Finding) -> None:
        """Show what a repair would do to the chosen chunk."""
        cut = self._cut
        assert cut is not None
        made = await self.tab.work(mend, cut, [repair_of(finding.repair)])
        if isinstance(made, ChunkwrightError):
            tell(made)
            return
        change = next((each for each in made.changes if finding.index in each.chunks), None)
        with ui.dialog() as dialog, ui.card().classes("cw-dialog"):
            ui.label(f"Repair: {finding.repair.replace('_', ' ')}").classes("cw-heading")
            ui.label(repair_of(finding.repair).summary).classes("cw-quiet")
            if change is None:
                ui.label("It changes nothing here: it would break the size, or bring a new defect.")
            else:
                _show_change(cut.analysis.text, change)
            with ui.row():
                if change is not None:
                    ui.button(
                        "Apply to the document",
                        on_click=lambda: self._apply(finding.repair, dialog),
                    ).props("no-caps")
                ui.button("Close", on_click=dialog.close).props("flat no-caps")
        dialog.open()

    def _apply(self, name: str, dialog: ui.dialog) -> None:
        dialog.close()
        state = self.tab.state
        if name not in state.repairs:
            self.tab.go(replace(state, repairs=(*state.repairs, name)))


def _show_change(text: str, change: Change) -> None:
    ui.label("Before").classes("cw-heading")
    for span in change.before:
        ui.label(change.embed_before or text[span.start : span.end]).classes("cw-quote").props(
            "dir=auto"
        )
    ui.label("After").classes("cw-heading")
    after = "(taken away)"
    if change.after is not None:
        after = change.embed_after or text[change.after.start : change.after.end]
    ui.label(after).classes("cw-quote").props("dir=auto")


class Figures:
    """The figures beside the text."""

    _NAMES = (
        "chunks",
        "tokens: mean",
        "tokens: median",
        "tokens: largest",
        "overlap asked",
        "overlap achieved",
        "extra storage",
        "warnings rate",
    )

    def __init__(self) -> None:
        ui.label("Figures").classes("cw-heading")
        self._values: dict[str, ui.label] = {}
        with ui.element("dl").classes("cw-figures"):
            for name in self._NAMES:
                with ui.element("dt"):
                    ui.label(name)
                with ui.element("dd"):
                    self._values[name] = ui.label("…")

    def show(self, found: Facts) -> None:
        """Show what is known of a cut."""
        cost = found.cost
        mean = "" if cost.mean_tokens is None else f"{cost.mean_tokens:.0f}"
        values = (
            f"{cost.chunks:,}",
            mean,
            f"{found.median:.0f}" if cost.chunks else "",
            f"{cost.largest_tokens or 0:,}",
            "no one unit" if cost.ratio is None else f"{percent(cost.ratio)} %",
            f"{percent(cost.achieved)} %",
            f"{percent(cost.extra)} %",
            f"{percent(found.warned / cost.chunks)} %" if cost.chunks else "",
        )
        for name, value in zip(self._NAMES, values, strict=True):
            self._values[name].set_text(value)
