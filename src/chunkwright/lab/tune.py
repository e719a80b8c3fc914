"""Tuning: a study that runs while it is watched."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from fastapi import Response
from fastapi.responses import FileResponse
from nicegui import app as pages
from nicegui import background_tasks, ui
from nicegui.events import GenericEventArguments

from chunkwright.errors import ChunkwrightError, StudyError
from chunkwright.evaluation.experiment import default_metrics
from chunkwright.gold.check import CheckedGold
from chunkwright.gold.goldset import GoldSet
from chunkwright.lab.state import RETRIEVERS, State
from chunkwright.lab.studies import Phase, Run, Settings, Space, studies_of, typed_space
from chunkwright.lab.tab import Tab
from chunkwright.lab.views.chart import Chart
from chunkwright.lab.views.plain_table import plain_table
from chunkwright.report.charts import (
    by_size,
    by_size_in_words,
    frontier,
    frontier_in_words,
    heat_map,
    heat_map_in_words,
)
from chunkwright.report.tables import Table, leaderboard, percent, ruled_out_table, ties_note
from chunkwright.setup import Setup
from chunkwright.tuning.space import DEFAULT_SPACE

# How often a page looks whether there is news, and waits at least before it shows a new ranking.
_LOOK, _BOARD = 0.4, 1.0
# A ranking takes at most this share of the time.
_SHARE = 0.2
# Rows of the leaderboard; the report has them all.
_MOST_ROWS = 100
_NO_GOLD = (
    "A study asks questions whose answers are known. There are none yet: start the lab with "
    "--gold FILE, or write some in the part Gold."
)


class Picture(NamedTuple):
    """A chart, and what it shows in a sentence."""

    chart: dict[str, Any]
    summary: str


class Board(NamedTuple):
    """What is shown of a study.

    Attributes:
        table: The leaderboard.
        best: The recommended setup; None where nothing can be recommended.
        reason: Why it is recommended.
        notes: What else should be known.
        pictures: The charts: what answers cost, by size and overlap, by size.
        early: What was ruled out early, if anything was.
        failed: Why setups could not be used.
    """

    table: Table
    best: Setup | None
    reason: str
    notes: tuple[str, ...]
    pictures: tuple[Picture, Picture, Picture]
    early: Table | None
    failed: tuple[str, ...]


@lru_cache(2)
def board_of(run: Run) -> Board | None:
    """What is shown of a study; None before anything is measured.

    Raises:
        StudyError: The metric is defined for no question.
    """
    study = run.study
    if not study.evaluations:
        return None
    measured, choice = study.evaluations, study.choice
    told = (study.early, *choice.notes, ties_note(study.best))
    return Board(
        table=leaderboard(measured, choice, _MOST_ROWS),
        best=None if choice.identical else study.best.setup,
        reason=choice.reason,
        notes=tuple(filter(None, told)),
        pictures=(
            Picture(frontier(measured, choice).to_dict(), frontier_in_words(measured, choice)),
            Picture(heat_map(measured, choice).to_dict(), heat_map_in_words(measured, choice)),
            Picture(by_size(measured).to_dict(), by_size_in_words(measured)),
        ),
        early=ruled_out_table(study.ruled_out, str(choice.metric)) if study.ruled_out else None,
        failed=tuple(failed.reason for failed in study.failed),
    )


def progress_of(run: Run) -> str:
    """How far a study is, in words."""
    settled = f"{run.settled} of {run.planned} setups, {run.seconds:.0f} s"
    if run.leader is None:
        return settled
    figure, setup = run.leader
    highest = f"highest {run.metric} so far" if run.phase.active else f"highest {run.metric}"
    return f"{settled}, {highest} {percent(figure)} % by {setup}"


def status_of(run: Run) -> str:
    """What a study is doing, in words."""
    reused = run.final.reused if run.final is not None else 0
    kept = f"; {reused} of them were kept from before" if reused else ""
    far = f"after {run.settled} of {run.planned} setups"
    return {
        Phase.RUNNING: "The study runs." if run.settled else "The study reads the documents.",
        Phase.STOPPING: "The study stops; what is done is kept.",
        Phase.STOPPED: f"Stopped {far}; what is done is kept.",
        Phase.DONE: f"Done: {run.settled} setups in {run.seconds:.0f} s{kept}.",
        Phase.FAILED: f"Ended early, {far}; what is done is kept.",
    }[run.phase]


def settings_in_words(settings: Settings) -> str:
    """How a study measures, in words.

    >>> settings_in_words(Settings())
    'retriever hybrid, 5 results, 1,000 tokens, hit_rate'
    """
    return (
        f"retriever {settings.retriever}, {settings.k:,} results, {settings.budget:,} tokens, "
        f"{settings.metric}"
    )


def reason_against(gold: GoldSet, checked: CheckedGold | ChunkwrightError) -> str:
    """Why no study can be started on some questions, in a line; empty where one can."""
    if not len(gold):
        return _NO_GOLD
    if isinstance(checked, ChunkwrightError):
        return str(checked)
    if not checked.usable:
        problem = next((str(each) for each in checked.problems if not each.usable), "")
        return f"No question can be used. {problem}"
    return ""


# Reports that pages link to, by the name in their address.
_reports: dict[str, Path] = {}


@pages.get("/lab/reports/{name}", include_in_schema=False)
def _report(name: str) -> Response:
    path = _reports.get(name)
    if path is None or not path.is_file():
        return Response("There is no such report; start the study again.", 404)
    return FileResponse(path, media_type="text/html", headers={"Cache-Control": "no-store"})


def _address(report: Path) -> str:
    name = f"{report.parent.name}.html"
    _reports[name] = report
    return f"/lab/reports/{name}"


class Tune:
    """The part of the page that runs a study and shows it."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self.studies = studies_of(tab.workspace)
        with ui.element("div").classes("cw-tune"):
            with ui.element("section").classes("cw-tune-form") as form:
                form.props["aria-label"] = "What to try"
                self.form = Form(self.studies.now, tab.state, self._start, self.studies.stop)
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


class Form:
    """What a study tries, and the buttons that start and stop it.

    Args:
        run: The last study, whose settings are shown.
        state: What the page shows, for the settings of the first study.
        start: Starts one.
        stop: Stops it.
    """

    def __init__(
        self,
        run: Run | None,
        state: State,
        start: Callable[[], Awaitable[None]],
        stop: Callable[[], None],
    ) -> None:
        first = Settings(retriever=state.retriever, k=state.k)
        settings = first if run is None else run.settings
        self._against = ""
        self._starting = False
        self._space: Space | None = None
        self._changed: Callable[[], None] | None = None
        ui.label("What to try").classes("cw-heading")
        self.space = ui.textarea(
            "Setups, a pattern a line", value="\n".join(settings.patterns), on_change=self._counted
        )
        self.space.props('outlined dense autogrow debounce=250 spellcheck="false"')
        self.space.classes("cw-tune-space")
        self.count = ui.label().classes("cw-quiet").props("role=status")
        self.problem = ui.label().classes("cw-problem").props("role=alert")
        default = ui.button("Default patterns", on_click=self._default).props("flat dense no-caps")
        default.classes("cw-tune-small")
        retrievers = list(dict.fromkeys((*RETRIEVERS, settings.retriever)))
        self.retriever = ui.select(retrievers, label="Retriever", value=settings.retriever)
        self.k = ui.number("Results looked at (k)", value=settings.k, min=1, precision=0)
        self.budget = ui.number("Tokens sent at most", value=settings.budget, min=1, precision=0)
        names = list(dict.fromkeys(metric.name for metric in default_metrics()))
        self.metric = ui.select(
            list(dict.fromkeys((*names, settings.metric))),
            label="Metric that decides",
            value=settings.metric,
        )
        most = os.cpu_count() or 1
        self.jobs = ui.number("Processes", value=settings.jobs, min=1, max=most, precision=0)
        for element in (self.retriever, self.k, self.budget, self.metric, self.jobs):
            element.props("outlined dense options-dense").classes("cw-select")
            element.on_value_change(self._change)
        with ui.element("div").classes("cw-tune-buttons"):
            self.start = ui.button("Start", on_click=start).props("no-caps unelevated")
            self.stop = ui.button("Stop", on_click=stop).props("no-caps outline")
        self.refused = ui.label().classes("cw-problem").props("role=alert")
        self._counted()

    def follow(self, changed: Callable[[], None]) -> None:
        """Have a function called when anything is changed."""
        self._changed = changed

    def _change(self) -> None:
        if self._changed is not None:
            self._changed()

    def _default(self) -> None:
        self.space.set_value("\n".join(DEFAULT_SPACE))

    def _counted(self) -> None:
        """Say how many setups there are, or what is wrong with them."""
        try:
            self._space = typed_space(str(self.space.value or ""))
        except ChunkwrightError as problem:
            self._space = None
            self.count.set_text("")
            self.problem.set_text(str(problem))
        else:
            count = len(self._space.setups)
            self.count.set_text(f"{count:,} setup{'' if count == 1 else 's'}")
            self.problem.set_text("")
        self._change()

    def settings(self) -> Settings:
        """What is asked for.

        Raises:
            StudyError: A number is missing, or the patterns cannot be read.
        """
        if self._space is None:
            raise StudyError(self.problem.text)
        numbers = {}
        for name, field in (("k", self.k), ("budget", self.budget), ("jobs", self.jobs)):
            if not isinstance(field.value, int | float) or field.value < 1:
                raise StudyError(f"{field.label}: a number from 1 is needed")
            numbers[name] = int(field.value)
        retriever, metric = str(self.retriever.value), str(self.metric.value)
        return Settings(self._space.patterns, retriever, metric=metric, **numbers)

    def refuse(self, problem: str) -> None:
        """Say why nothing was started; an empty string for nothing."""
        self.refused.set_text(problem)

    def allow(self, reason_against: str) -> None:
        """Let a study be started, unless there is a reason against it."""
        self._against = reason_against
        self.refuse(reason_against)

    def starting(self, *, on: bool) -> None:
        """While one is being started, no other can be."""
        self._starting = on
        self.start.set_enabled(not on)

    def show(self, run: Run | None, gold: GoldSet) -> None:
        """Offer what can be done now."""
        active = run is not None and run.phase.active
        ready = not (active or self._starting or self._against or self.problem.text)
        self.start.set_enabled(ready)
        self.stop.set_enabled(run is not None and run.phase is Phase.RUNNING)
        self.start.set_text("Resume" if self._goes_on(run, gold) else "Start")

    def _goes_on(self, run: Run | None, gold: GoldSet) -> bool:
        """Whether a start would go on with a study that ended early."""
        if run is None or run.phase in (Phase.DONE, Phase.RUNNING) or run.gold is not gold:
            return False
        try:
            return replace(self.settings(), jobs=1) == replace(run.settings, jobs=1)
        except ChunkwrightError:
            return False


_OPEN = """<q-tr :props="props" :class="props.row.marked ? 'cw-marked' : ''">
  <q-td v-for="column in props.cols" :key="column.name" :props="props">
    <button v-if="column.meta" type="button" class="cw-open"
      :title="'Open in the chunker: ' + column.value"
      @click="$parent.$emit('open', { setup: column.value })">{{ column.value }}</button>
    <template v-else>{{ column.value }}</template>
  </q-td>
</q-tr>"""
_HEAD = """<q-tr :props="props">
  <q-th v-for="column in props.cols" :key="column.name" :props="props" scope="col"
    :title="column.meaning">{{ column.label }}</q-th>
</q-tr>"""


class StudyView:
    """What a study has found.

    Args:
        open_setup: Called with a setup that was chosen.
    """

    _CAPTIONS = (
        (
            "What answers cost",
            "Each point is a setup; the bar is the 95 % interval. Up is better, left is cheaper. "
            "The ring marks the recommended setup.",
        ),
        (
            "By size and overlap",
            "The metric that decides, in percent: size down, overlap and options across.",
        ),
        (
            "By size",
            "The same questions at equal numbers of results and at equal sent tokens. Larger "
            "chunks win the first by sending more; only the second compares like with like.",
        ),
    )

    def __init__(self, open_setup: Callable[[Setup], None]) -> None:
        self._open_setup = open_setup
        self.status = ui.label("There is no study yet.").classes("cw-heading").props("role=status")
        self.about = ui.label().classes("cw-quiet")
        self.bar = ui.linear_progress(0, show_value=False, color="primary").props("rounded")
        self.bar.props["aria-label"] = "Setups that are settled"
        self.bar.set_visibility(False)
        self.progress = ui.label().classes("cw-tune-progress")
        self.problem = ui.label().classes("cw-problem").props("role=alert")
        self.lead = ui.element("div").classes("cw-tune-lead")
        self.links = ui.element("div").classes("cw-tune-links")
        self._linked: Path | None = None
        self._led: tuple[Any, ...] | None = None
        with ui.element("div").classes("cw-tune-found") as self.found:
            self.table = ui.table(rows=[], columns=[], row_key="setup").props(
                'flat dense role="region" aria-label="Leaderboard"'
            )
            self.table.classes("cw-tune-table").on("open", self._opened, ["setup"])
            self.table.add_slot("header", _HEAD)
            self.table.add_slot("body", _OPEN)
            ui.label("A setup in the table, a point or a cell opens it in the chunker.").classes(
                "cw-quiet"
            )
            self.charts = []
            for title, caption in self._CAPTIONS:
                with ui.element("figure").classes("cw-tune-figure"):
                    ui.label(title).classes("cw-heading")
                    chart = Chart(title, clickable=True)
                    chart.on("point", self._clicked, ["datum"])
                    self.charts.append(chart)
                    with ui.element("figcaption"):
                        ui.label(caption).classes("cw-quiet")
            self.more = ui.element("div")
        self.found.set_visibility(False)

    def _opened(self, event: GenericEventArguments) -> None:
        self._open(str(event.args["setup"]))

    def _clicked(self, event: GenericEventArguments) -> None:
        self._open(str(event.args["datum"].get("setup", "")))

    def _open(self, notation: str) -> None:
        if notation:
            self._open_setup(Setup.parse(notation))

    def show(self, run: Run, *, is_old: bool) -> None:
        """Show how far a study is.

        Args:
            run: The study.
            is_old: Whether the questions have changed since it began.
        """
        self.status.set_text(status_of(run))
        old = " The questions have changed since: start again to ask them." if is_old else ""
        about = f"{settings_in_words(run.settings)}. Kept in {run.folder}.{old}"
        self.about.set_text(about[0].upper() + about[1:])
        self.bar.set_visibility(True)
        self.bar.set_value(run.settled / max(1, run.planned))
        self.progress.set_text(progress_of(run))
        self.problem.set_text(run.problem)
        self._link(run)

    def _link(self, run: Run) -> None:
        if run.report == self._linked:
            return
        self._linked = run.report
        self.links.clear()
        if run.report is None:
            return
        address = _address(run.report)
        with self.links:
            ui.link("Open the report", address, new_tab=True)
            ui.link("Download the report", address).props["download"] = "report.html"

    def rank(self, board: Board | ChunkwrightError | None, *, is_final: bool) -> None:
        """Show the ranking, which may be that of a study that still runs."""
        self.found.set_visibility(isinstance(board, Board))
        if isinstance(board, ChunkwrightError):
            self.problem.set_text(str(board))
        self._lead(board if isinstance(board, Board) else None, is_final=is_final)
        if not isinstance(board, Board):
            return
        self.table.columns, self.table.rows = _columns(board.table), list(_rows(board.table))
        for chart, picture in zip(self.charts, board.pictures, strict=True):
            chart.show(*picture)
        self.more.clear()
        with self.more:
            if board.early is not None:
                plain_table(board.early)
            if board.failed:
                ui.label("Setups that could not be used").classes("cw-heading")
                with ui.element("ul").classes("cw-tune-notes"):
                    for reason in board.failed:
                        with ui.element("li"):
                            ui.label(reason)

    def _lead(self, board: Board | None, *, is_final: bool) -> None:
        """The recommendation, with its reason."""
        shown = None if board is None else (board.best, board.reason, board.notes, is_final)
        if shown == self._led:
            return
        self._led = shown
        self.lead.clear()
        if board is None:
            return
        with self.lead:
            if board.best is not None:
                setup = board.best
                with ui.element("div").classes("cw-tune-best"):
                    ui.label("Recommended" if is_final else "Recommended so far")
                    ui.label(str(setup)).classes("cw-tune-setup")
                    ui.button(
                        "Open in the chunker", on_click=lambda: self._open_setup(setup)
                    ).props("no-caps dense outline")
            ui.label(board.reason)
            with ui.element("ul").classes("cw-tune-notes"):
                for note in board.notes:
                    with ui.element("li"):
                        ui.label(note)


def _columns(table: Table) -> list[dict[str, Any]]:
    """The columns of a table for the page; that of the setups is told apart by `meta`."""
    return [
        {
            "name": column.name,
            "label": column.name,
            "field": column.name,
            "align": "right" if column.number else "left",
            "meaning": column.meaning,
            "meta": column.name == "setup",
        }
        for column in table.columns
    ]


def _rows(table: Table) -> Iterator[dict[str, Any]]:
    names = [column.name for column in table.columns]
    for number, row in enumerate(table.rows):
        yield {**dict(zip(names, row, strict=True)), "marked": number == table.marked}
