"""A slider that the browser itself knows: by keyboard, and for screen readers, as any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui.element import Element

# A drag tells where it is this often, in seconds.
_THROTTLE = 0.04


class Slider(Element, component="slider.js"):
    """A name with the value in words, and the slider below it.

    Args:
        name: What is set.
        react: Called with the number that a person chose.
    """

    def __init__(self, name: str, react: Callable[[float], None]) -> None:
        super().__init__()
        self.props["name"] = name

        def moved(event: Any) -> None:
            react(float(event.args))

        self.on("moved", moved, throttle=_THROTTLE)

    def show(self, value: float, said: str, reach: tuple[float, float, float]) -> None:
        """Show a value.

        Args:
            value: The value.
            said: The value in words.
            reach: Least, most and step.
        """
        props = self.props
        props["min"], props["max"], props["step"] = reach
        props["shown"], props["said"] = value, said
