"""The form that says what a study tries, and starts and stops it."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from dataclasses import replace

from nicegui import ui

from chunkwright.errors import ChunkwrightError, StudyError
from chunkwright.evaluation.experiment import default_metrics
from chunkwright.gold.goldset import GoldSet
from chunkwright.lab.state import RETRIEVERS, State
from chunkwright.lab.studies import Phase, Run, Settings, Space, typed_space
from chunkwright.tuning.space import DEFAULT_SPACE


class StudyForm:
    """What a study tries, and the buttons that start and stop it.

    Args:
        run: The last study, whose settings are shown.
        state: What the page shows, for the settings of the first study.
        start: Starts one.
        stop: Stops it.
    """

    def __init__(
        self,
        run: Run | None,
        state: State,
        start: Callable[[], Awaitable[None]],
        stop: Callable[[], None],
    ) -> None:
        first = Settings(retriever=state.retriever, k=state.k)
        settings = first if run is None else run.settings
        self._against = ""
        self._starting = False
        self._space: Space | None = None
        self._changed: Callable[[], None] | None = None
        ui.label("What to try").classes("cw-heading")
        self.space = ui.textarea(
            "Setups, a pattern a line", value="\n".join(settings.patterns), on_change=self._counted
        )
        self.space.props('outlined dense autogrow debounce=250 spellcheck="false"')
        self.space.classes("cw-tune-space")
        self.count = ui.label().classes("cw-quiet").props("role=status")
        self.problem = ui.label().classes("cw-problem").props("role=alert")
        default = ui.button("Default patterns", on_click=self._default).props("flat dense no-caps")
        default.classes("cw-tune-small")
        retrievers = list(dict.fromkeys((*RETRIEVERS, settings.retriever)))
        self.retriever = ui.select(retrievers, label="Retriever", value=settings.retriever)
        self.k = ui.number("Results looked at (k)", value=settings.k, min=1, precision=0)
        self.budget = ui.number("Tokens sent at most", value=settings.budget, min=1, precision=0)
        names = list(dict.fromkeys(metric.name for metric in default_metrics()))
        self.metric = ui.select(
            list(dict.fromkeys((*names, settings.metric))),
            label="Metric that decides",
            value=settings.metric,
        )
        most = os.cpu_count() or 1
        self.jobs = ui.number("Processes", value=settings.jobs, min=1, max=most, precision=0)
        for element in (self.retriever, self.k, self.budget, self.metric, self.jobs):
            element.props("outlined dense options-dense").classes("cw-select")
            element.on_value_change(self._change)
        with ui.element("div").classes("cw-tune-buttons"):
            self.start = ui.button("Start", on_click=start).props("no-caps unelevated")
            self.stop = ui.button("Stop", on_click=stop).props("no-caps outline")
        self.refused = ui.label().classes("cw-problem").props("role=alert")
        self._counted()

    def follow(self, changed: Callable[[], None]) -> None:
        """Have a function called when anything is changed."""
        self._changed = changed

    def _change(self) -> None:
        if self._changed is not None:
            self._changed()

    def _default(self) -> None:
        self.space.set_value("\n".join(DEFAULT_SPACE))

    def _counted(self) -> None:
        """Say how many setups there are, or what is wrong with them."""
        try:
            self._space = typed_space(str(self.space.value or ""))
        except ChunkwrightError as problem:
            self._space = None
            self.count.set_text("")
            self.problem.set_text(str(problem))
        else:
            count = len(self._space.setups)
            self.count.set_text(f"{count:,} setup{'' if count == 1 else 's'}")
            self.problem.set_text("")
        self._change()

    def settings(self) -> Settings:
        """What is asked for.

        Raises:
            StudyError: A number is missing, or the patterns cannot be read.
        """
        if self._space is None:
            raise StudyError(self.problem.text)
        numbers = {}
        for name, field in (("k", self.k), ("budget", self.budget), ("jobs", self.jobs)):
            if not isinstance(field.value, int | float) or field.value < 1:
                raise StudyError(f"{field.label}: a number from 1 is needed")
            numbers[name] = int(field.value)
        retriever, metric = str(self.retriever.value), str(self.metric.value)
        return Settings(self._space.patterns, retriever, metric=metric, **numbers)

    def refuse(self, problem: str) -> None:
        """Say why nothing was started; an empty string for nothing."""
        self.refused.set_text(problem)

    def allow(self, reason_against: str) -> None:
        """Let a study be started, unless there is a reason against it."""
        self._against = reason_against
        self.refuse(reason_against)

    def starting(self, *, on: bool) -> None:
        """While one is being started, no other can be."""
        self._starting = on
        self.start.set_enabled(not on)

    def show(self, run: Run | None, gold: GoldSet) -> None:
        """Offer what can be done now."""
        active = run is not None and run.phase.active
        ready = not (active or self._starting or self._against or self.problem.text)
        self.start.set_enabled(ready)
        self.stop.set_enabled(run is not None and run.phase is Phase.RUNNING)
        self.start.set_text("Resume" if self._goes_on(run, gold) else "Start")

    def _goes_on(self, run: Run | None, gold: GoldSet) -> bool:
        """Whether a start would go on with a study that ended early."""
        if run is None or run.phase in (Phase.DONE, Phase.RUNNING) or run.gold is not gold:
            return False
        try:
            return replace(self.settings(), jobs=1) == replace(run.settings, jobs=1)
        except ChunkwrightError:
            return False
