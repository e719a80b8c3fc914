"""Sharing: what the page shows as files, code and an address."""

from __future__ import annotations

from nicegui import ui

from chunkwright.lab.tab import Tab


class Share:
    """The part of the page."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        ui.label("Not built yet.")
