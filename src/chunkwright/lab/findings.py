"""The findings of a cut beside its text, and the repair of the one that is looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from nicegui import ui

from chunkwright.chunking.cut import Cut
from chunkwright.errors import ChunkwrightError
from chunkwright.lab.tab import Tab, tell
from chunkwright.quality.mend import Change, mend
from chunkwright.quality.repair import repair_of
from chunkwright.quality.rule import Finding, rule


class Findings:
    """What was found, by rule, and on the chosen chunk.

    Args:
        tab: The page.
        choose: Brings a chunk into sight and makes it the chosen one.
    """

    def __init__(self, tab: Tab, choose: Callable[[int], None]) -> None:
        self.tab = tab
        self._go = choose
        self._cut: Cut | None = None
        self._found: tuple[Finding, ...] = ()
        self._chosen = -1
        ui.label("Findings").classes("cw-heading")
        self._list = ui.element("div").classes("cw-findings")
        self._details = ui.element("div").props('aria-live="polite"')

    def show(self, cut: Cut, found: tuple[Finding, ...]) -> None:
        """Show the findings on a cut."""
        self._cut, self._found = cut, found
        if self._chosen >= len(cut):
            self._chosen = -1
        self._list.clear()
        counts = Counter(each.code for each in found)
        with self._list:
            if not counts:
                ui.label("none").classes("cw-quiet")
            for code, count in sorted(counts.items()):
                button = ui.button(on_click=lambda _, code=code: self._next(code))
                button.props("flat dense no-caps").classes(f"cw-jump cw-{rule(code).severity}")
                with button:
                    ui.label(f"{rule(code).label}: {count}")
                    ui.tooltip("Go to the next of them").props("delay=500")
        self._detail()

    def choose(self, chunk: int) -> None:
        """Tell of a chunk."""
        self._chosen = chunk
        self._detail()

    def _next(self, code: str) -> None:
        chunks = [each.index for each in self._found if each.code == code]
        later = [chunk for chunk in chunks if chunk > self._chosen]
        self._go((later or chunks)[0])

    def _detail(self) -> None:
        """What is wrong with the chosen chunk, and what mends it."""
        self._details.clear()
        if self._chosen < 0 or self._cut is None:
            return
        with self._details:
            ui.label(f"Chunk {self._chosen + 1}").classes("cw-heading")
            found = [each for each in self._found if each.index == self._chosen]
            if not found:
                ui.label("Nothing was found.").classes("cw-quiet")
            for each in found:
                with ui.element("div").classes(f"cw-finding cw-{each.severity}"):
                    ui.label(f"{each.code} {each.message}")
                    ui.label(rule(each.code).why).classes("cw-quiet")
                    if each.repair:
                        ui.button(
                            f"Repair: {_words(each.repair)}",
                            on_click=lambda _, each=each: self._preview(each),
                        ).props("outline dense no-caps")

    async def _preview(self, finding: Finding) -> None:
        """Show what a repair would do to the chosen chunk."""
        cut, repair = self._cut, repair_of(finding.repair)
        assert cut is not None
        done = await self.tab.work(mend, cut, [repair], self.tab.workspace.settings)
        if isinstance(done, ChunkwrightError):
            tell(done)
            return
        change = next((each for each in done.changes if finding.index in each.chunks), None)
        with ui.dialog() as dialog, ui.card().classes("cw-dialog"):
            ui.label(f"Repair: {_words(repair.name)}").classes("cw-heading")
            ui.label(f"It {repair.summary}.").classes("cw-quiet")
            if change is None:
                ui.label(
                    "Here it changes nothing: the chunk would go over the size, lose its section, "
                    "or have a new defect."
                )
            else:
                _show_change(cut, change)
            with ui.row():
                if change is not None:

                    def apply() -> None:
                        dialog.close()
                        self._apply(repair.name)

                    ui.button("Apply to the document", on_click=apply).props("no-caps")
                ui.button("Close", on_click=dialog.close).props("flat no-caps")
        dialog.on("hide", dialog.delete)
        dialog.open()

    def _apply(self, name: str) -> None:
        state = self.tab.state
        if name not in state.repairs:
            self.tab.go(replace(state, repairs=(*state.repairs, name)))


def _words(name: str) -> str:
    return name.replace("_", " ")


def _show_change(cut: Cut, change: Change) -> None:
    text = cut.analysis.text
    ui.label("Before").classes("cw-heading")
    for span in change.before:
        _quote(change.embed_before or text[span.start : span.end])
    ui.label("After").classes("cw-heading")
    if change.after is None:
        ui.label("It is taken away.")
    else:
        _quote(change.embed_after or text[change.after.start : change.after.end])


def _quote(text: str) -> None:
    ui.label(text).classes("cw-quote").props("dir=auto tabindex=0")
