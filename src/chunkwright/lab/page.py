"""The page: its head, its parts, and the address that holds its state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

from fastapi import FastAPI, Request
from nicegui import app as pages
from nicegui import ui
from nicegui.events import GenericEventArguments

from chunkwright.lab.ask import Ask
from chunkwright.lab.chunker import Chunker
from chunkwright.lab.compare import Compare
from chunkwright.lab.connection import tell_refusals
from chunkwright.lab.gold import Gold
from chunkwright.lab.share import Share
from chunkwright.lab.state import State
from chunkwright.lab.tab import Tab, tell
from chunkwright.lab.tune import Tune
from chunkwright.lab.views.add_document import AddDocument
from chunkwright.service.workspace import Workspace

_STYLES = Path(__file__).with_name("styles")
# In the order of their tabs, with the names that addresses use.
_PARTS: dict[str, Callable[[Tab], object]] = {
    "chunker": Chunker,
    "compare": Compare,
    "ask": Ask,
    "gold": Gold,
    "tune": Tune,
    "share": Share,
}


def add_page(app: FastAPI, workspace: Workspace) -> None:
    """Serve the page from an application that answers for the same workspace."""
    pages.add_static_files("/lab/styles", _STYLES)

    @ui.page("/", title="chunkwright lab", language="en-US", dark=None)
    def page(request: Request) -> None:
        _build(workspace, dict(request.query_params))

    ui.run_with(app, title="chunkwright lab", tailwind=False, show_welcome_message=False)


# Tells when Back or Forward changed the address.
_ADDRESS = """<script>
  addEventListener("popstate", () => emitEvent("cw_address", location.search));
</script>"""


def _asked(workspace: Workspace, query: dict[str, str]) -> tuple[State, list[str]]:
    """The state that a query asks for, on a document that there is, and what went wrong."""
    state, problems = State.of(query)
    known = [document.id for document in workspace.documents]
    if state.document not in known:
        if state.document:
            problems.append(f"there is no document {state.document!r}; the first is shown")
        state = replace(state, document=known[0])
    return state, problems


def _build(workspace: Workspace, query: dict[str, str]) -> None:
    state, problems = _asked(workspace, query)
    known = [document.id for document in workspace.documents]
    tab = Tab(workspace, state)
    for style in ("base", *_PARTS):
        if (_STYLES / f"{style}.css").is_file():
            ui.add_head_html(f'<link rel="stylesheet" href="/lab/styles/{style}.css">')
    with ui.header().classes("cw-header"):
        ui.label("chunkwright lab").classes("cw-title").props("role=heading aria-level=1")
        documents = _picker(tab, known)
        with ui.tabs().props("dense no-caps inline-label") as tabs:
            for name in _PARTS:
                ui.tab(name, label=name.capitalize())
    panels: dict[str, ui.tab_panel] = {}
    with ui.tab_panels(tabs, value=state.part, animated=False, keep_alive=True).classes(
        "cw-panels"
    ):
        for name in _PARTS:
            panels[name] = ui.tab_panel(name)

    def opened(_before: State, after: State) -> None:
        # A part is built when it is first opened.
        if after.document not in documents.options:  # added by another page
            documents.set_options([document.id for document in workspace.documents])
        documents.set_value(after.document)
        tabs.set_value(after.part)
        panel = panels.pop(after.part, None)
        if panel is not None:
            with panel:
                _PARTS[after.part](tab)

    opened(state, state)
    tab.follow(opened)
    tabs.on_value_change(lambda event: tab.go(replace(tab.state, part=str(event.value))))

    def returned(event: GenericEventArguments) -> None:
        tab.arrive(_asked(workspace, dict(parse_qsl(str(event.args).lstrip("?"))))[0])

    ui.add_body_html(_ADDRESS)
    tell_refusals()
    ui.on("cw_address", returned)
    for problem in problems:
        tell(problem)


def _picker(tab: Tab, known: list[str]) -> ui.select:
    """The choice of the document, and a way to add one."""

    def choose(name: str | None) -> None:
        if name:
            tab.go(replace(tab.state, document=name))

    with ui.element("div").classes("cw-picker"):
        documents = ui.select(
            known,
            label="Document",
            value=tab.state.document,
            with_input=True,
            on_change=lambda event: choose(event.value),
        )
        documents.props("dense outlined options-dense").classes("cw-document")
        with ui.dialog() as dialog, ui.card().classes("cw-dialog"):
            ui.label("Add a document").classes("cw-heading")
            ui.label(
                "It stays in this lab until the lab ends; no study or search of the corpus sees it."
            ).classes("cw-quiet")
            form = AddDocument()
            ui.button("Close", on_click=dialog.close).props("flat no-caps")
        add = ui.button(icon="add", on_click=dialog.open).props("flat dense round")
        add.props["aria-label"] = "Add a document"

    def added(event: GenericEventArguments) -> None:
        dialog.close()
        name = str(event.args["id"])
        documents.set_options([document.id for document in tab.workspace.documents])
        tab.go(replace(tab.state, document=name, part="chunker"))

    form.on("added", added, ["id"])
    return documents
