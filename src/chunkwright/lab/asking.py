"""Asking: what the parts that ask questions have in common, and how they show what is found."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from nicegui import ui

from chunkwright import registry
from chunkwright.lab.fares import common_terms, usable_retriever, within
from chunkwright.lab.state import RETRIEVERS, State
from chunkwright.lab.tab import Tab
from chunkwright.lab.views.marked_text import MarkedText, excerpt
from chunkwright.report.tables import whole
from chunkwright.service.search import MAX_RESULTS
from chunkwright.spans import Span

# Enter, but not the one that ends the writing of a Chinese or Japanese word, nor a line break.
ENTERED = """(event) => {
  if (event.isComposing || event.shiftKey) return;
  event.preventDefault();
  emit();
}"""


class RetrieverControls:
    """The choice of the retriever and of how many results count."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self._quiet = False
        self._k = 0
        with ui.element("div").classes("cw-retriever"):
            self.retriever = ui.select(
                retrievers(tab.state.retriever), label="Retriever", on_change=self._changed
            )
            self.retriever.props("dense outlined options-dense")
            # Without limits of its own: it would quietly make 1000 to 100 when it is left.
            self.k = ui.number("Results (k)", on_change=self._changed)
            self.k.props("dense outlined debounce=300 step=1")
        self.problem = ui.label().classes("cw-problem").props("role=alert")
        self.recipe = ui.label().classes("cw-quiet cw-recipe")
        tab.follow(lambda _, after: self._show(after))
        self._show(tab.state)

    def _show(self, state: State) -> None:
        self._quiet = True
        try:
            if state.retriever not in self.retriever.options:
                self.retriever.set_options(retrievers(state.retriever))
            self.retriever.set_value(state.retriever)
            if state.k != self._k:
                self._k = state.k
                self.k.set_value(state.k)
                self.problem.set_text("")
            self.recipe.set_text(" · ".join(["Setup " + str(state.setup), *state.repairs]))
        finally:
            self._quiet = False

    def _changed(self) -> None:
        if self._quiet or not self.retriever.value:
            return
        state = self.tab.state
        k = count(self.k.value)
        self.problem.set_text(
            "" if k else f"Results: a whole number from 1 to {MAX_RESULTS}. {state.k} count now."
        )
        self.tab.go(replace(state, retriever=str(self.retriever.value), k=k or state.k))


def count(value: float | None) -> int:
    """How many results a field asks for; 0 where it holds no such number.

    >>> count(20.0), count(2.5), count(1000), count(None)
    (20, 0, 0, 0)
    """
    usable = value is not None and 1 <= value <= MAX_RESULTS and value == int(value)
    return int(value) if usable and value is not None else 0


def retrievers(chosen: str) -> list[str]:
    """The retrievers to choose from: those whose model is installed, and the chosen one.

    >>> retrievers("bm25")[:3]
    ['hybrid', 'bm25', 'static']
    """
    others = [name for name in registry.names("retrievers") if name not in RETRIEVERS]
    return [*RETRIEVERS, *(name for name in others if name == chosen or usable_retriever(name))]


def legend(*, references: bool, parents: bool) -> None:
    """Say what the marks in a text mean."""
    with ui.element("div").classes("cw-ask-legend"):
        ui.label("Marked:").classes("cw-quiet")
        for kind, name in (
            ("term", "terms of the question, but for common ones"),
            *([("reference", "reference of the gold set")] if references else []),
            *([("chunk", "chunk that was found")] if parents else []),
        ):
            ui.label(name).classes(f"cw-mark-{kind}")


def passage_text(
    text: str,
    telling: Collection[str],
    references: list[Span],
    label: str,
    chunk: Span | None = None,
) -> None:
    """Show the text of a result: what it has in common with a question, and references in it.

    Args:
        text: The text that is sent.
        telling: The terms that are marked, from `telling_terms`.
        references: The references in it, as spans of the text.
        label: What it is, for screen readers.
        chunk: The chunk that was found, where it is only a part of the text.
    """
    sight = chunk or (references[0] if references else Span(0, 0))
    part = excerpt(text, sight)
    shown = text[part.start : part.end]
    marks = [
        *((span, "chunk") for span in within([chunk] if chunk else [], *part)),
        *((span, "reference") for span in within(references, *part)),
        *((span, "term") for span in common_terms(shown, telling)),
    ]
    MarkedText(shown, marks, label, "chunk" if chunk else "reference")
    if len(shown) < len(text):
        ui.label(
            f"Shown are {whole(len(shown))} of its {whole(len(text))} characters; all are sent."
        ).classes("cw-quiet")
