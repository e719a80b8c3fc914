"""The chunker: one document, its chunks, what they cost and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from nicegui import background_tasks, ui

from chunkwright.errors import ChunkwrightError
from chunkwright.lab.controls import SetupControls
from chunkwright.lab.figures import Figures, facts, overlap_costs, sizes_chart
from chunkwright.lab.findings import Findings
from chunkwright.lab.state import State
from chunkwright.lab.tab import Latest, Tab, tell
from chunkwright.lab.views.text_view import TextView, codes
from chunkwright.quality.rule import Finding
from chunkwright.service.workspace import Recipe

T = TypeVar("T")
P = ParamSpec("P")


class Chunker:
    """The part of the page that shows one document under one setup."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        # What is shown: the document, and how its chunks are made.
        self._loaded = ""
        self._painted: Recipe | None = None
        with ui.element("div").classes("cw-columns"):
            with ui.element("section").classes("cw-side").props('aria-label="Setup"'):
                self.controls = SetupControls(tab)
            with ui.element("section").classes("cw-main").props('aria-label="Document"'):
                self.view = TextView("Chunks of the document")
            with ui.element("section").classes("cw-side").props('aria-label="Figures"'):
                details = ui.element("div").props('aria-live="polite"')
                self.figures = Figures()
                self.findings = Findings(tab, self.view.choose, details)
        self._paint = Latest(self._paint_once, self.view)
        self.view.on("chunk", lambda event: self.findings.choose(int(event.args["chunk"])))
        tab.follow(self._changed)
        self._changed(tab.state, tab.state)

    def _changed(self, _before: State, after: State) -> None:
        if after.part != "chunker":
            return  # all is caught up with when this part is opened
        if after.document != self._loaded:
            self._loaded = after.document
            background_tasks.create(self._load(), context=self.view)
        elif after.recipe != self._painted:
            self._paint()
        else:
            self._aim()

    def _aim(self) -> None:
        """Show what another part of the page points at, once its document is painted."""
        aim, document = self.tab.aim, self.view.document
        if aim is not None and document is not None and document.id == aim[0]:
            self.tab.aim = None
            self.view.highlight([(aim[1], "chosen")], show=True)

    async def _load(self) -> None:
        self.figures.clear()
        self.findings.clear()
        analysis = await self.tab.work(self.tab.workspace.analysis, self.tab.state.document)
        if isinstance(analysis, ChunkwrightError):
            tell(analysis)
            return
        if analysis.document.id == self.tab.state.document:  # no other one was chosen since
            self.view.load(analysis)
            self._paint()

    async def _paint_once(self) -> None:
        """The chunks first, then what is slower, which is left as soon as it is out of date."""
        tab, state = self.tab, self.tab.state
        where = state.document, state.recipe
        self._painted = state.recipe
        cut = await tab.work(tab.workspace.cut, *where)
        if isinstance(cut, ChunkwrightError):
            self.controls.refuse(cut)
            self.view.refuse(str(cut))
            return
        self.controls.accept()
        if self.view.document is not cut.analysis.document:
            return  # another one was chosen since, and is on its way
        sequence = self.view.paint(cut)
        self._aim()

        def found_all(found: tuple[Finding, ...]) -> None:
            self.view.find(sequence, codes(found))
            self.findings.show(cut, found)

        await self._then(self.figures.show, facts, cut)
        await self._then(found_all, tab.workspace.findings, *where)
        await self._then(lambda chart: self.figures.show_sizes(*chart), sizes_chart, cut)
        await self._then(self.figures.show_costs, overlap_costs, cut.analysis, state.setup)

    async def _then(
        self, show: Callable[[T], None], function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Show what a function gives, unless what it is about is out of date."""
        if self._paint.again:
            return
        found = await self.tab.work(function, *args, **kwargs)
        if self._paint.again:
            return
        if isinstance(found, ChunkwrightError):
            tell(found)
        else:
            show(found)
