"""The gold set: questions with their references in the documents, and how each fares."""

from __future__ import annotations

from nicegui import ui

from chunkwright.lab.tab import Tab


class Gold:
    """The part of the page."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        ui.label("Not built yet.")
