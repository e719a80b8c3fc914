"""What a study has found, as it is shown in the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fastapi import Response
from fastapi.responses import FileResponse
from nicegui import app as pages
from nicegui import ui
from nicegui.events import GenericEventArguments

from chunkwright.errors import ChunkwrightError
from chunkwright.lab.studies import Run
from chunkwright.lab.study_board import Board, progress_of, settings_in_words, status_of
from chunkwright.lab.views.chart import Chart
from chunkwright.lab.views.plain_table import plain_table
from chunkwright.report.tables import Table
from chunkwright.setup import Setup

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
