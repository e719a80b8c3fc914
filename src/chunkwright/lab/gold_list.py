"""The list of the gold set's questions: which are shown, and how each fares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nicegui import ui

from chunkwright.gold.goldset import GoldSet
from chunkwright.lab.fares import FILTERS, Fares, rows
from chunkwright.lab.tab import Tab
from chunkwright.report.tables import whole

_COLUMNS = [
    {"name": "question", "label": "Question", "field": "question", "align": "left"},
    {"name": "rank", "label": "Rank", "field": "rank", "align": "right"},
]
# Constant templates: what they show is put in as text by Vue.
_QUESTION_CELL = """
  <q-td :props="props" class="cw-gold-cell">
    <button type="button" class="cw-gold-question" :class="'cw-gold-' + props.row.outcome"
      :aria-current="props.row.chosen ? 'true' : undefined" dir="auto"
      :data-question="props.row.id"
      @keydown.down.prevent="(event) => event.target.closest('tr').nextElementSibling
        ?.querySelector('button')?.focus()"
      @keydown.up.prevent="(event) => event.target.closest('tr').previousElementSibling
        ?.querySelector('button')?.focus()"
      >{{ props.row.question }}</button>
  </q-td>"""
_CHOSEN_QUESTION = """(event) => {
  const button = event.target.closest("[data-question]");
  if (button) emit(button.dataset.question);
}"""
_RANK_CELL = """
  <q-td :props="props" class="cw-gold-rank">
    <div class="cw-gold-verdict" :class="'cw-gold-' + props.row.outcome">
      {{ props.row.outcome }}</div>
    <div>{{ props.row.rank }}</div>
    <div v-if="props.row.notes" class="cw-note">{{ props.row.notes }}
      {{ props.row.notes === 1 ? 'note' : 'notes' }}</div>
  </q-td>"""


class GoldList:
    """The list.

    Args:
        tab: The page.
        choose: Shows a question, by its id.
    """

    def __init__(self, tab: Tab, choose: Callable[[str], None]) -> None:
        self.tab = tab
        self._shown: object = None
        state = tab.state
        self.choice = ui.toggle([], on_change=lambda event: self._listed(event.value))
        self.choice.props("dense no-caps unelevated toggle-color=primary padding=xs")
        self.choice.props["aria-label"] = "Which questions"
        self.words = ui.input("Find in the questions", value=state.find)
        self.words.props("dense outlined clearable debounce=300")
        self.table = ui.table(rows=[], columns=_COLUMNS, row_key="id")
        self.table.props("virtual-scroll dense flat bordered hide-bottom wrap-cells")
        self.table.classes("cw-gold-table")
        self.table.add_slot("body-cell-question", _QUESTION_CELL)
        self.table.add_slot("body-cell-rank", _RANK_CELL)
        self.table.on("click", lambda event: choose(str(event.args)), js_handler=_CHOSEN_QUESTION)
        self.words.on_value_change(
            lambda event: self.tab.go(replace(self.tab.state, find=str(event.value or "")))
        )

    def show(self, gold: GoldSet, fares: Fares | None) -> None:
        """Show the questions that the filter lets through."""
        state = self.tab.state
        self.words.set_value(state.find)
        shown = (gold, id(fares), state.listed, state.find, state.gold)
        if shown == self._shown:
            return
        self._shown = shown
        found = rows(gold, fares)
        counts = {name: sum(map(passes, found)) for name, passes in FILTERS.items()}
        self.choice.set_options(
            {name: f"{name} {whole(n)}" for name, n in counts.items()}, value=state.listed
        )
        self.table.set_filter(state.find)
        self.table.rows = [
            {**row, "chosen": row["id"] == state.gold}
            for row in found
            if FILTERS[state.listed](row)
        ]

    def _listed(self, name: str | None) -> None:
        self.tab.go(replace(self.tab.state, listed=name or "all"))
