"""The controls of a setup: its notation as text, and a slider or a switch for each part of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from chunkwright import registry
from chunkwright.chunking.boundaries import Strategy
from chunkwright.errors import ChunkwrightError, SetupError
from chunkwright.lab.figures import spoken
from chunkwright.lab.state import State
from chunkwright.lab.tab import Tab
from chunkwright.lab.views.slider import Slider
from chunkwright.setup import Setup

# What sliders reach, by unit: least, most, step.
_REACH = {
    "characters": (50, 4000, 10),
    "words": (10, 800, 5),
    "tokens": (10, 1000, 5),
    "sentences": (1, 40, 1),
    "percent": (0, 50, 1),
}
# About how much a unit is of another: tokens in one of each.
_WEIGHTS = {"characters": 0.25, "words": 1.3, "tokens": 1.0, "sentences": 22.0}
_PARENTS = ("", "section", "document", "400t", "1000t", "2000t")


def _strategy(name: str) -> Strategy:
    found: Strategy = registry.load("strategies", name, SetupError)
    return found


class SetupControls:
    """The controls of the setup that the chunker shows."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self._quiet = False
        setup = tab.state.setup
        ui.label("Setup").classes("cw-heading")
        self.notation = ui.input("Notation").props("dense outlined")
        self.notation.classes("cw-notation").on("keydown.enter", self._typed).on(
            "blur", self._typed
        )
        self.problem = ui.label().classes("cw-problem").props("role=alert")
        self.strategy = self._select(
            "Strategy", list(registry.names("strategies")), setup.strategy, self._restrategy
        )
        self.unit = self._select(
            "Unit", list(_strategy(setup.strategy).units), setup.unit, self._reunit
        )
        self.size = Slider("Size", self._resize)
        self.overlap_unit = self._select(
            "Overlap in", self._overlap_units(setup), setup.overlap_unit, self._reoverlap_unit
        )
        self.overlap = Slider("Overlap", self._reoverlap)
        self.headers = self._switch("Contextual headers", self._reheaders)
        self.repair = self._switch("Repair", self._rerepair)
        self.parents = self._select(
            "Parents", {each: each or "none" for each in _PARENTS}, setup.parents, self._reparents
        )
        self.minimum = Slider("Minimum", self._reminimum)
        self.repairs = ui.element("div").classes("cw-repairs")
        tab.follow(self._changed)
        self._show()

    def refuse(self, problem: ChunkwrightError) -> None:
        """Say why the setup cannot be used; what was painted last stays."""
        self.problem.set_text(str(problem))

    def accept(self) -> None:
        """Take back what was said."""
        self.problem.set_text("")

    def _select(
        self, name: str, options: Any, value: str, react: Callable[[Any], None]
    ) -> ui.select:
        made = ui.select(options, label=name, value=value, on_change=self._heard(react))
        return made.props("dense outlined options-dense").classes("cw-select")

    def _switch(self, name: str, react: Callable[[Any], None]) -> ui.switch:
        return ui.switch(name, on_change=self._heard(react)).props("dense")

    def _heard(
        self, react: Callable[[Any], None]
    ) -> Callable[[ValueChangeEventArguments[Any]], None]:
        """The reaction to what a person changed, not to what was shown by us."""

        def heard(event: ValueChangeEventArguments[Any]) -> None:
            if not self._quiet and event.value is not None:
                react(event.value)

        return heard

    @contextmanager
    def _showing(self) -> Iterator[None]:
        before, self._quiet = self._quiet, True
        try:
            yield
        finally:
            self._quiet = before

    @staticmethod
    def _overlap_units(setup: Setup) -> list[str]:
        return list(_strategy(setup.strategy).overlap_units(setup.unit))

    def _changed(self, before: State, after: State) -> None:
        if before.recipe != after.recipe:
            self._show()

    def _show(self) -> None:
        """Set every control to the setup that is shown."""
        setup = self.tab.state.setup
        with self._showing():
            self.notation.set_value(str(setup))
            self.strategy.set_value(setup.strategy)
            self.unit.set_options(list(_strategy(setup.strategy).units), value=setup.unit)
            self.overlap_unit.set_options(self._overlap_units(setup), value=setup.overlap_unit)
            least, most, _ = _REACH[setup.unit]
            _show_amount(self.size, setup.size, setup.unit, least, most)
            _show_amount(self.overlap, setup.overlap, setup.overlap_unit, 0, _most_overlap(setup))
            most = setup.size if setup.minimum_unit == setup.unit else setup.minimum
            _show_amount(self.minimum, setup.minimum, setup.minimum_unit, 0, most)
            self.headers.set_value(setup.headers)
            self.repair.set_value(setup.repair)
            options = dict.fromkeys((*_PARENTS, setup.parents))
            self.parents.set_options(
                {each: each or "none" for each in options}, value=setup.parents
            )
        self._show_repairs()

    def _show_repairs(self) -> None:
        self.repairs.clear()
        with self.repairs:
            for name in self.tab.state.repairs:
                words = name.replace("_", " ")
                button = ui.button(
                    words, icon="close", on_click=lambda _, name=name: self._undo(name)
                )
                button.props("outline dense no-caps").props["aria-label"] = f"Take back {words}"

    def _undo(self, name: str) -> None:
        state = self.tab.state
        left = tuple(each for each in state.repairs if each != name)
        self.tab.go(replace(state, repairs=left))

    def _typed(self) -> None:
        text = (self.notation.value or "").strip()
        if text == str(self.tab.state.setup):
            return
        try:
            setup = Setup.parse(text)
        except SetupError as problem:
            self.refuse(problem)
            return
        self._use(setup)

    def _use(self, setup: Setup) -> None:
        self.accept()
        self.tab.go(replace(self.tab.state, setup=setup))

    def _try(self, make: Callable[[Setup], Setup]) -> None:
        try:
            setup = make(self.tab.state.setup)
        except SetupError as problem:
            self.refuse(problem)
            return
        self._use(setup)

    def _restrategy(self, name: str) -> None:
        self._try(lambda setup: in_strategy(setup, name))

    def _reunit(self, unit: str) -> None:
        self._try(lambda setup: in_unit(setup, unit))

    def _resize(self, size: float) -> None:
        def make(setup: Setup) -> Setup:
            whole = max(1, int(size))
            overlap, minimum = setup.overlap, setup.minimum
            if setup.overlap_unit == setup.unit:
                overlap = min(overlap, whole - 1)
            if setup.minimum_unit == setup.unit:
                minimum = min(minimum, whole)
            return replace(setup, size=whole, overlap=overlap, minimum=minimum)

        self._try(make)

    def _reoverlap(self, overlap: float) -> None:
        unit = str(self.overlap_unit.value)
        self._try(lambda setup: replace(setup, overlap=int(overlap), overlap_unit=unit))

    def _reoverlap_unit(self, unit: str) -> None:
        def make(setup: Setup) -> Setup:
            least = {"percent": 20, "sentences": 1}.get(unit, max(1, setup.size // 5))
            return replace(setup, overlap=least, overlap_unit=unit)

        self._try(make)

    def _reheaders(self, on: bool) -> None:
        self._try(lambda setup: replace(setup, headers=on))

    def _rerepair(self, on: bool) -> None:
        self._try(lambda setup: replace(setup, repair=on))

    def _reparents(self, parents: str) -> None:
        self._try(lambda setup: replace(setup, parents=parents))

    def _reminimum(self, minimum: float) -> None:
        self._try(lambda setup: replace(setup, minimum=int(minimum), minimum_unit=setup.unit))


def in_strategy(setup: Setup, name: str) -> Setup:
    """About the same setup by another strategy; what that cannot do is left out.

    >>> str(in_strategy(Setup.parse("sentence:200t+1s"), "fixed"))
    'fixed:200t'
    """
    strategy = _strategy(name)
    unit = setup.unit if setup.unit in strategy.units else strategy.units[0]
    bare = replace(setup, overlap=0, overlap_unit="")
    if unit != setup.unit:
        size = _size_in(setup, unit)
        return replace(bare, strategy=name, size=size, unit=unit, minimum=0, minimum_unit="")
    if setup.overlap_unit in strategy.overlap_units(unit):
        bare = setup
    return replace(bare, strategy=name)


def in_unit(setup: Setup, unit: str) -> Setup:
    """About the same size in another unit; what cannot be carried over is left out."""
    if unit == setup.unit:
        return setup
    size = _size_in(setup, unit)
    overlap, overlap_unit = 0.0, ""
    if setup.overlap and setup.overlap_unit in _strategy(setup.strategy).overlap_units(unit):
        overlap, overlap_unit = setup.overlap, setup.overlap_unit
        if overlap_unit == unit:
            overlap = min(overlap, size - 1)
    return replace(
        setup,
        size=size,
        unit=unit,
        overlap=overlap,
        overlap_unit=overlap_unit,
        minimum=0,
        minimum_unit="",
    )


def _size_in(setup: Setup, unit: str) -> int:
    least, most, step = _REACH[unit]
    wanted = setup.size * _WEIGHTS[setup.unit] / _WEIGHTS[unit]
    return int(min(most, max(least, step * round(wanted / step))))


def _most_overlap(setup: Setup) -> int:
    """The largest overlap that a slider offers: what is shared by more is hardly ever wanted."""
    if setup.overlap_unit == "percent":
        return int(_REACH["percent"][1])
    if setup.overlap_unit == setup.unit:
        return max(0, min(setup.size - 1, (setup.size + 1) // 2))
    return max(1, _size_in(setup, setup.overlap_unit) // 2)


def _show_amount(slider: Slider, value: float, unit: str, least: int, most: int) -> None:
    """Show an amount on a slider that reaches what is usual in its unit, and the amount itself."""
    step = _REACH[unit][2]
    reach = min(least, value), max(most, value), step if (value - least) % step == 0 else 1
    slider.show(value, spoken(value, unit), reach)
