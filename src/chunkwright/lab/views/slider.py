"""A slider that the browser itself knows: by keyboard, and for screen readers, as any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.element import Element

# A drag tells where it is this often, in seconds.
_THROTTLE = 0.04


class Slider(Element):
    """A name with the value in words, and the slider below it.

    Args:
        name: What is set.
        react: Called with the number that a person chose.
    """

    def __init__(self, name: str, react: Callable[[float], None]) -> None:
        super().__init__("label")
        self.classes("cw-slider")
        self._name = name
        with self:
            self._said = ui.label(name)
            self._input = Element("input").props("type=range")

        def heard(event: Any) -> None:
            react(float(event.args))

        self._input.on(
            "input",
            heard,
            js_handler="(event) => emit(event.target.value)",
            throttle=_THROTTLE,
        )

    def show(self, value: float, said: str, reach: tuple[float, float, float]) -> None:
        """Show a value.

        Args:
            value: The value.
            said: The value in words.
            reach: Least, most and step.
        """
        least, most, step = reach
        self._said.set_text(f"{self._name}: {said}")
        props = self._input.props
        # The reach first: a browser moves a value that lies outside it.
        props["min"], props["max"], props["step"], props["value"] = least, most, step, value
        props["aria-valuetext"] = said
