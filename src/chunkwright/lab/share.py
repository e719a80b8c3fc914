"""Sharing: what the page shows as an address, files, settings and code."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

from nicegui import background_tasks, ui
from nicegui.events import GenericEventArguments

from chunkwright.chunking.cut import Cut
from chunkwright.lab.snippets import SNIPPETS, Shared, settings
from chunkwright.lab.state import PARTS, State
from chunkwright.lab.studies import REPORT_NAME, studies_of
from chunkwright.lab.tab import Tab, tell
from chunkwright.service.workspace import Recipe, Workspace

_FORMS = {"jsonl": "JSONL", "parquet": "Parquet"}
# Copies what stands beside a button. Outside of secure contexts a browser has no clipboard.
_COPY = """async (event) => {
  const source = event.currentTarget.closest(".cw-copied").querySelector("[data-copied]");
  const text = "value" in source ? source.value : source.textContent;
  try {
    await navigator.clipboard.writeText(text);
    emit(true);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    event.target.closest(".cw-copied").append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    emit(done);
  }
}"""


def files_address(form: str, recipe: Recipe, document: str = "") -> str:
    """Where the chunks of one document, or of all, are to be had as a file.

    >>> files_address("jsonl", State(repairs=("merge_orphans",)).recipe, "a b.md")
    'api/v1/chunks.jsonl?setup=sentence%3A200t%2B1s&document=a+b.md&repairs=merge_orphans'
    """
    query = {"setup": str(recipe.setup), "document": document, "repairs": ",".join(recipe.repairs)}
    shown = {name: value for name, value in query.items() if value}
    return f"api/v1/chunks.{form}?{urlencode(shown)}"


def shared_address(state: State, part: str) -> str:
    """What comes after the page's own address so that it opens with a state.

    >>> shared_address(State(part="share", document="a.md"), "chunker"), shared_address(State(), "")
    ('?document=a.md', '')
    """
    query = replace(state, part=part or PARTS[0]).query
    return f"?{query}" if query else ""


def report_of(workspace: Workspace) -> Path | None:
    """The report of the last study, if there is one."""
    run = studies_of(workspace).now
    return None if run is None or run.report is None or not run.report.is_file() else run.report


class Share:
    """The part of the page."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self._origin = ""
        self._links: dict[tuple[str, bool], ui.element] = {}
        with ui.element("div").classes("cw-share"):
            with ui.element("div"):
                self._build_address()
                self._build_files()
                self._build_settings()
                self._build_report()
            with ui.element("div"):
                self._build_code()
        tab.follow(self._changed)
        self._show()
        background_tasks.create(self._find_origin())
        background_tasks.create(self._count())

    # What it is made of

    def _build_address(self) -> None:
        with ui.element("section").props('aria-label="Address"'):
            _heading("Address")
            ui.label("It opens the lab as it is now, for whoever reaches this server.").classes(
                "cw-quiet"
            )
            with ui.element("div").classes("cw-share-row"):
                shown = [part for part in PARTS if part != "share"]
                self._part = ui.select(
                    {part: part.capitalize() for part in shown},
                    label="Opens",
                    value=shown[0],
                    on_change=lambda _: self._show(),
                ).props("dense outlined options-dense")
                self._address = _field("Address")
            self._passing = ui.label(
                "This document was added here: the address is good until the lab ends."
            ).classes("cw-quiet")
            self._notation = _field("Setup")

    def _build_files(self) -> None:
        with ui.element("section").props('aria-label="Chunks"'):
            _heading("Chunks")
            self._counted = ui.label().classes("cw-quiet").props("role=status")
            for all_of_them in (False, True):
                with ui.element("div").classes("cw-share-row"):
                    name = "All documents" if all_of_them else "This document"
                    ui.label(name).classes("cw-share-name")
                    for form, shown in _FORMS.items():
                        link = ui.element("a").classes("cw-share-link")
                        link.props["download"] = f"chunks.{form}"
                        link.props["aria-label"] = f"{name}: chunks as {shown}"
                        with link:
                            ui.icon("download").props("aria-hidden=true")
                            ui.label(shown)
                        self._links[form, all_of_them] = link
            self._bytes = ui.label().classes("cw-quiet")

    def _build_settings(self) -> None:
        with ui.element("section").props('aria-label="Settings"'):
            _heading("Settings")
            self._settings = _Code("chunkwright.toml")
            ui.button(
                "Download chunkwright.toml",
                icon="download",
                on_click=lambda: ui.download.content(
                    settings(self._shared()), "chunkwright.toml", "application/toml"
                ),
            ).props("outline dense no-caps")

    def _build_report(self) -> None:
        with ui.element("section").props('aria-label="Report"'):
            _heading("Report")
            self._study = ui.label().classes("cw-quiet")
            self._report = ui.button(
                "Download report.html",
                icon="download",
                on_click=self._download_report,
            ).props("outline dense no-caps")
            ui.button(
                "Open Tune", on_click=lambda: self.tab.go(replace(self.tab.state, part="tune"))
            ).props("outline dense no-caps")
            _Code("A study by the command line").show(
                "chunkwright tune docs/ --gold gold.jsonl --output study\n"
            )

    def _download_report(self) -> None:
        report = report_of(self.tab.workspace)
        if report is None:
            tell("the report is gone: another study was started; open Tune")
        else:
            ui.download.file(report, REPORT_NAME)

    def _build_code(self) -> None:
        with ui.element("section").props('aria-label="Code"'):
            _heading("Code")
            self._one = ui.switch("This document only", on_change=lambda _: self._show())
            self._codes = {name: _Code(name) for name in SNIPPETS}

    # What follows

    def _changed(self, before: State, after: State) -> None:
        self._show()
        opened = after.part == "share" and after.part != before.part
        if opened or (after.recipe, after.document) != (before.recipe, before.document):
            background_tasks.create(self._count())

    def _shared(self) -> Shared:
        state = self.tab.state
        return Shared(state.setup, state.repairs, state.document if self._one.value else "")

    def _show(self) -> None:
        state = self.tab.state
        self._address.set_value(self._origin + shared_address(state, str(self._part.value)))
        self._passing.set_visibility(self.tab.workspace.is_added(state.document))
        self._notation.set_value(str(state.setup))
        for (form, all_of_them), link in self._links.items():
            document = "" if all_of_them else state.document
            link.props["href"] = files_address(form, state.recipe, document)
        self._bytes.set_text(
            "What chunkwright chunk --output writes, after the repairs."
            if state.repairs
            else "The very bytes that chunkwright chunk --output writes."
        )
        has_report = report_of(self.tab.workspace) is not None
        self._study.set_text(
            "The last study's: which setup answers best, and by how much."
            if has_report
            else "A study writes a report: which setup answers best, and by how much. "
            "None has ended here yet."
        )
        self._report.set_visibility(has_report)
        self._settings.show(settings(self._shared()))
        for name, code in self._codes.items():
            code.show(SNIPPETS[name](self._shared()))

    async def _find_origin(self) -> None:
        """Only the browser knows by which address it came."""
        client = self._address.client
        await client.connected()
        with suppress(TimeoutError):  # the page was left
            here = await client.run_javascript("location.origin + location.pathname", timeout=30)
            self._origin = str(here)
            self._show()

    async def _count(self) -> None:
        state = self.tab.state
        if state.part != "share":
            return
        found = await self.tab.work(self.tab.workspace.cut, state.document, state.recipe)
        if (state.recipe, state.document) != (self.tab.state.recipe, self.tab.state.document):
            return  # another answer is on its way
        usable = isinstance(found, Cut)
        self._counted.set_text(
            f"This document has {len(found):,} chunks." if isinstance(found, Cut) else str(found)
        )
        self._counted.classes(
            add="cw-quiet" if usable else "cw-problem",
            remove="cw-problem" if usable else "cw-quiet",
        )


def _heading(text: str) -> None:
    ui.label(text).classes("cw-heading").props("role=heading aria-level=2")


def _copy_button(name: str) -> None:
    """Copies what stands beside it."""

    def copied(event: GenericEventArguments) -> None:
        if event.args:
            ui.notify("Copied", position="bottom", timeout=1500)
        else:
            ui.notify("The browser refused: select it and press Ctrl+C", type="warning")

    button = ui.button(icon="content_copy").props("flat dense")
    button.props["aria-label"] = f"Copy: {name}"
    button.on("click", copied, js_handler=_COPY)


def _field(name: str) -> ui.input:
    """A line to be copied."""
    with ui.element("div").classes("cw-copied cw-share-row cw-share-grow"):
        field = ui.input(name).props("readonly dense outlined data-copied").classes("cw-notation")
        _copy_button(name)
    return field


class _Code:
    """Some lines to be copied.

    Args:
        name: What they are.
    """

    def __init__(self, name: str) -> None:
        with ui.element("div").classes("cw-copied"):
            with ui.element("div").classes("cw-share-row"):
                ui.label(name).classes("cw-share-name")
                _copy_button(name)
            self._text = ui.label().classes("cw-code").props("data-copied tabindex=0 role=region")
            self._text.props["aria-label"] = name

    def show(self, text: str) -> None:
        """Show other lines."""
        self._text.set_text(text)
