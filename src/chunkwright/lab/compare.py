"""Two setups side by side on one text."""

from __future__ import annotations

from nicegui import ui

from chunkwright.lab.tab import Tab


class Compare:
    """The part of the page."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        ui.label("Not built yet.")
