"""The findings of a cut beside its text, and the repair of the one that is looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from nicegui import background_tasks, ui

from chunkwright.chunking.cut import Cut
from chunkwright.errors import ChunkwrightError
from chunkwright.lab.mending import Preview, Repaired, repaired
from chunkwright.lab.tab import Tab, tell
from chunkwright.lab.views.marked_text import MarkedText
from chunkwright.quality.repair import repair_of
from chunkwright.quality.rule import Finding, rule
from chunkwright.spans import Span


class Findings:
    """What was found, by rule, and on the chosen chunk.

    Args:
        tab: The page.
        choose: Brings a chunk into sight and makes it the chosen one.
        details: Where it tells of the chosen chunk.
    """

    def __init__(self, tab: Tab, choose: Callable[[int], None], details: ui.element) -> None:
        self.tab = tab
        self._details = details
        self._repaired: dict[str, Repaired] = {}
        self._go = choose
        self._cut: Cut | None = None
        self._found: tuple[Finding, ...] = ()
        self._chosen = -1
        ui.label("Findings").classes("cw-heading")
        self._list = ui.element("div").classes("cw-findings")

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

    def clear(self) -> None:
        """Show nothing: another document is on its way."""
        self._cut, self._found, self._chosen = None, (), -1
        self._repaired.clear()
        self._list.clear()
        self._details.clear()

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
        cut, chosen = self._cut, self._chosen
        if chosen < 0 or cut is None:
            return
        with self._details:
            ui.label(f"Chunk {chosen + 1}").classes("cw-heading")
            found = [each for each in self._found if each.index == chosen]
            if not found:
                ui.label("Nothing was found.").classes("cw-quiet")
            offers: dict[str, ui.button] = {}
            for each in found:
                with ui.element("div").classes(f"cw-finding cw-{each.severity}"):
                    ui.label(f"{each.code} {each.message}")
                    ui.label(rule(each.code).why).classes("cw-quiet")
                    if each.repair and each.repair not in offers:
                        offers[each.repair] = self._offer(cut, each.repair, chosen)
        if offers:
            background_tasks.create(self._ask(cut, chosen, offers), context=self._details)

    def _offer(self, cut: Cut, name: str, chosen: int) -> ui.button:
        async def open_preview() -> None:
            found = await self.tab.work(self._preview, cut, name, chosen)
            if isinstance(found, ChunkwrightError):
                tell(found)
            else:
                self._show_preview(cut, name, found)

        button = ui.button(f"Repair: {_words(name)}", on_click=open_preview)
        return button.props("outline dense no-caps")

    def _preview(self, cut: Cut, name: str, chosen: int) -> Preview:
        # One chunk after the other is looked at: what is found of all of them stays.
        known = self._repaired.get(name)
        if known is None or known.cut is not cut:
            known = self._repaired[name] = repaired(cut, name, self.tab.workspace.settings)
        return known.seen_from(chosen)

    async def _ask(self, cut: Cut, chosen: int, offers: dict[str, ui.button]) -> None:
        """Take back the offers that would not change the chunk."""
        for name, button in offers.items():
            found = await self.tab.work(self._preview, cut, name, chosen)
            if cut is not self._cut or chosen != self._chosen:
                return
            if isinstance(found, Preview) and not found.changes_it:
                button.set_text(f"Repair: {_words(name)} (no room for it here)")
                button.set_enabled(False)

    def _show_preview(self, cut: Cut, name: str, found: Preview) -> None:
        """Show a repair before and after, for the chosen chunk and in figures for all."""
        with self._details, ui.dialog() as dialog, ui.card().classes("cw-dialog"):
            ui.label(f"Repair: {_words(name)}").classes("cw-heading")
            ui.label(f"It {repair_of(name).summary}.").classes("cw-quiet")
            _show_versions(cut, found)
            ui.label(_consequences(found))
            with ui.row():

                def apply() -> None:
                    dialog.close()
                    self._apply(name)

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


def _consequences(found: Preview) -> str:
    """What a repair would do to the whole document, in a sentence or two."""
    before = sum(each for each, _ in found.findings.values())
    after = sum(each for _, each in found.findings.values())
    grown = [
        f"{rule(code).label} +{more - less}"
        for code, (less, more) in sorted(found.findings.items())
        if more > less
    ]
    chunks = f"{found.changed:,} chunk{'' if found.changed == 1 else 's'}"
    new = f" New ones: {', '.join(grown)}." if grown else ""
    return (
        f"It changes {chunks} of the document. Findings: {before:,} before, {after:,} after.{new}"
    )


def _show_versions(cut: Cut, found: Preview) -> None:
    """The chunk before and after, with what it loses and gains marked."""
    text, before, after = cut.analysis.text, found.before.span, found.after.span
    assert before is not None
    ui.label("Before").classes("cw-heading")
    lost = [before] if after is None else _outside(before, after)
    _show_text(found.before.embed_text, text, before, lost, "removed")
    ui.label("After").classes("cw-heading")
    if after is None:
        ui.label("It is taken away.")
    else:
        _show_text(found.after.embed_text, text, after, _outside(after, before), "added")


def _show_text(embed_text: str, text: str, span: Span, marked: list[Span], kind: str) -> None:
    # What is put before a text moves it.
    own = text[span.start : span.end]
    shift = len(embed_text) - len(own) if embed_text.endswith(own) else 0
    shown = embed_text if shift or embed_text == own else own
    marks = [
        (Span(each.start - span.start + shift, each.end - span.start + shift), kind)
        for each in marked
    ]
    MarkedText(shown, marks, f"The chunk with what is {kind}", kind).classes("cw-quote")


def _outside(span: Span, other: Span) -> list[Span]:
    """The parts of a span that another one does not have."""
    parts = [
        Span(span.start, min(span.end, other.start)),
        Span(max(span.start, other.end), span.end),
    ]
    return [part for part in parts if part.start < part.end]
