"""A table of the report on the page."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from chunkwright.report.tables import Table


def plain_table(table: Table, on_row: Callable[[int], None] | None = None) -> ui.element:
    """Show a table; every cell is text.

    Args:
        table: The table.
        on_row: Called with the number of a row whose first cell is chosen.
    """
    with ui.element("div").classes("cw-table").props('tabindex="0" role="region"') as box:
        box.props["aria-label"] = table.title
        with ui.element("table"):
            with ui.element("caption"):
                ui.label(table.title)
            with ui.element("thead"), ui.element("tr"):
                for column in table.columns:
                    head = ui.element("th").props('scope="col"')
                    head.classes("cw-right" if column.number else "")
                    head.props["title"] = column.meaning
                    with head:
                        ui.label(column.name)
            with ui.element("tbody"):
                for number, row in enumerate(table.rows):
                    with ui.element("tr").classes("cw-marked" if number == table.marked else ""):
                        for at, (column, text) in enumerate(zip(table.columns, row, strict=True)):
                            with ui.element("td").classes("cw-right" if column.number else ""):
                                if on_row is not None and not at:
                                    ui.button(
                                        text, on_click=lambda _, number=number: on_row(number)
                                    ).props("flat dense no-caps")
                                else:
                                    ui.label(text)
    return box
