"""The chunker: one document, its chunks, what they cost and what is wrong with them."""

from __future__ import annotations

from nicegui import background_tasks, ui

from chunkwright.errors import ChunkwrightError
from chunkwright.lab.controls import SetupControls
from chunkwright.lab.figures import Figures, facts, overlap_costs, sizes_chart
from chunkwright.lab.findings import Findings
from chunkwright.lab.state import State
from chunkwright.lab.tab import Tab, tell
from chunkwright.lab.views.text_view import TextView, codes


class Chunker:
    """The part of the page that shows one document under one setup."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self._busy = self._again = False
        with ui.element("div").classes("cw-columns"):
            with ui.element("section").classes("cw-side").props('aria-label="Setup"'):
                self.controls = SetupControls(tab)
            with ui.element("section").classes("cw-main").props('aria-label="Document"'):
                self.view = TextView("Chunks of the document")
            with ui.element("section").classes("cw-side").props('aria-label="Figures"'):
                self.figures = Figures()
                self.findings = Findings(tab, self.view.choose)
        self.view.on("chunk", lambda event: self.findings.choose(int(event.args["chunk"])))
        tab.follow(self._changed)
        background_tasks.create(self._load(), context=self.view)

    def _changed(self, before: State, after: State) -> None:
        if after.document != before.document:
            background_tasks.create(self._load(), context=self.view)
        elif after.recipe != before.recipe:
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
        analysis = await self.tab.work(self.tab.workspace.analysis, self.tab.state.document)
        if isinstance(analysis, ChunkwrightError):
            tell(analysis)
            return
        if analysis.document.id == self.tab.state.document:  # no other one was chosen since
            self.findings.choose(-1)
            self.view.load(analysis)
            self._paint()

    def _paint(self) -> None:
        """Paint the state as it is. Of the calls while that is done, only the last counts."""
        self._again = True
        if not self._busy:
            background_tasks.create(self._paint_all(), context=self.view)

    async def _paint_all(self) -> None:
        self._busy = True
        try:
            while self._again:
                self._again = False
                await self._paint_once()
        finally:
            self._busy = False

    async def _paint_once(self) -> None:
        """The chunks first, then what is slower, which is left as soon as it is out of date."""
        workspace, state = self.tab.workspace, self.tab.state
        where = state.document, state.recipe
        cut = await self.tab.work(workspace.cut, *where)
        if isinstance(cut, ChunkwrightError):
            self.controls.refuse(cut)
            return
        self.controls.accept()
        if self.view.document is not cut.analysis.document:
            return  # another one was chosen since, and is on its way
        sequence = self.view.paint(cut)
        self._aim()
        known = await self.tab.work(facts, cut)
        if not isinstance(known, ChunkwrightError):
            self.figures.show(known)
        if self._again:
            return
        found = await self.tab.work(workspace.findings, *where)
        if self._again or isinstance(found, ChunkwrightError):
            return
        self.view.find(sequence, codes(found))
        self.findings.show(cut, found)
        sizes = await self.tab.work(sizes_chart, cut)
        if self._again or isinstance(sizes, ChunkwrightError):
            return
        self.figures.show_sizes(*sizes)
        costs = await self.tab.work(overlap_costs, cut.analysis, state.setup)
        if not self._again and not isinstance(costs, ChunkwrightError):
            self.figures.show_costs(costs)
