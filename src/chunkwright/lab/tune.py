"""Tuning: a study that runs while it is watched."""

from __future__ import annotations

from nicegui import ui

from chunkwright.lab.tab import Tab


class Tune:
    """The part of the page."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        ui.label("Not built yet.")
