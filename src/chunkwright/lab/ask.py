"""Ask: what a question finds, and what would be sent."""

from __future__ import annotations

from nicegui import ui

from chunkwright.lab.tab import Tab


class Ask:
    """The part of the page."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        ui.label("Not built yet.")
