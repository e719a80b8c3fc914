"""Where the keyboard is."""

from __future__ import annotations

from nicegui import ui
from nicegui.element import Element


def focus(element: Element) -> None:
    """Move the keyboard to an element, once the browser shows it as it is now."""
    # Vue shows what has changed before the next frame.
    ui.run_javascript(
        "requestAnimationFrame(() => requestAnimationFrame(() => "
        f"getHtmlElement({element.id})?.focus()))"
    )
