"""Tuning: a study that runs while it is watched."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from nicegui import background_tasks, ui

from chunkwright.errors import ChunkwrightError
from chunkwright.gold.goldset import GoldSet
from chunkwright.lab.studies import Run, studies_of
from chunkwright.lab.study_board import board_of, reason_against
from chunkwright.lab.study_form import StudyForm
from chunkwright.lab.study_view import StudyView
from chunkwright.lab.tab import Tab
from chunkwright.setup import Setup

# How often a page looks whether there is news, and waits at least before it shows a new ranking.
_LOOK, _BOARD = 0.4, 1.0
# A ranking takes at most this share of the time.
_SHARE = 0.2


class Tune:
    """The part of the page that runs a study and shows it."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self.studies = studies_of(tab.workspace)
        with ui.element("div").classes("cw-tune"):
            with ui.element("section").classes("cw-tune-form") as form:
                form.props["aria-label"] = "What to try"
                self.form = StudyForm(self.studies.now, tab.state, self._start, self.studies.stop)
            with ui.element("section").classes("cw-tune-study") as section:
                section.props["aria-label"] = "Study"
                self.view = StudyView(self._open)
        self._gold: GoldSet | None = None
        self._shown: Run | None = None
        self._boarded: Run | None = None
        self._ranking = False
        self._next = 0.0
        self.form.follow(self._look)
        self._timer = ui.timer(_LOOK, self._look)
        self._look()

    def _open(self, setup: Setup) -> None:
        """Show a setup in the chunker, as it was measured: without further repairs."""
        self.tab.go(replace(self.tab.state, setup=setup, repairs=(), part="chunker"))

    async def _start(self) -> None:
        try:
            settings = self.form.settings()
        except ChunkwrightError as problem:
            self.form.refuse(str(problem))
            return
        self.form.starting(on=True)
        started = await self.tab.work(self.studies.start, self.tab.workspace, settings)
        self.form.starting(on=False)
        self.form.refuse(str(started) if isinstance(started, ChunkwrightError) else "")
        self._look()

    def _look(self) -> None:
        """Show what is new; this is called often, and mostly there is nothing."""
        if self.tab.state.part != "tune":
            return
        gold = self.tab.workspace.gold
        if gold is not self._gold:
            self._gold = gold
            background_tasks.create(self._check(gold))
        run = self.studies.now
        self.form.show(run, gold)
        if run is None:
            return
        if run.phase.active or run is not self._shown:
            self.view.show(run, is_old=run.gold is not gold)
            self._shown = run
        news = run is not self._boarded and (not run.phase.active or monotonic() >= self._next)
        if news and not self._ranking:
            background_tasks.create(self._rank(run))

    async def _check(self, gold: GoldSet) -> None:
        checked = await self.tab.work(lambda: self.tab.workspace.usable)
        if gold is self._gold:
            self.form.allow(reason_against(gold, checked))
            if self._shown is not None:
                self.view.show(self._shown, is_old=self._shown.gold is not gold)

    async def _rank(self, run: Run) -> None:
        """Show the ranking so far; it takes little of the time, however long that is."""
        self._ranking = True
        try:
            begun = monotonic()
            self._boarded = run
            board = await self.tab.work(board_of, run)
            self._next = monotonic() + max(_BOARD, (monotonic() - begun) / _SHARE)
            self.view.rank(board, is_final=not run.phase.active)
        finally:
            self._ranking = False
