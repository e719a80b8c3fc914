"""What the check of the gold set found, with what mends it."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from chunkwright.gold import edit
from chunkwright.gold.check import CheckedGold
from chunkwright.report.tables import whole

# How many problems and notes are listed.
_LISTED = 200


def show_check(
    checked: CheckedGold, go: Callable[[str], None], correct: Callable[[list[str] | None], None]
) -> None:
    """List what is wrong with the questions.

    Args:
        checked: Their check.
        go: Shows a question, by its id.
        correct: Corrects what can be corrected of some questions, or of all for None.
    """

    def left_to_go(name: str) -> None:
        dialog.close()
        go(name)

    def left_to_correct(only: list[str] | None) -> None:
        dialog.close()
        correct(only)

    notes = sum(problem.usable for problem in checked.problems)
    repeated = checked.repeated
    with ui.dialog() as dialog, ui.card().classes("cw-dialog"):
        ui.label("Check of the questions").classes("cw-heading")
        ui.label(
            f"{whole(checked.usable)} usable, {whole(checked.left_out)} left out; "
            f"{whole(notes)} note{'' if notes == 1 else 's'}; "
            f"{whole(repeated)} {'reference counts' if repeated == 1 else 'references count'} "
            "at several places"
        )
        _list(checked, left_to_go, left_to_correct)
        ui.button("Close", on_click=dialog.close).props("flat no-caps")
    dialog.on("hide", dialog.delete)
    dialog.open()


def _list(
    checked: CheckedGold,
    go: Callable[[str], None],
    correct: Callable[[list[str] | None], None],
) -> None:
    mendable = sum(problem.kind in edit.CORRECTABLE for problem in checked.problems)
    if not checked.problems:
        ui.label("Nothing was found: every reference is where it says.").classes("cw-quiet")
    if mendable:
        text = f"Correct what can be corrected: {whole(mendable)}"
        ui.button(text, on_click=lambda: correct(None)).props("outline dense no-caps")
    with ui.element("ol").classes("cw-gold-problems"):
        # What is left out comes first: many notes would hide it.
        for problem in sorted(checked.problems, key=lambda each: each.usable)[:_LISTED]:
            name = problem.question_id
            with ui.element("li"):
                ui.label(str(problem)).classes("" if problem.usable else "cw-problem")
                with ui.element("div").classes("cw-gold-buttons"):
                    ui.button("Go to it", on_click=lambda _, name=name: go(name)).props(
                        "flat dense no-caps"
                    )
                    if problem.kind in edit.CORRECTABLE:
                        ui.button(
                            "Correct",
                            on_click=lambda _, name=name: correct([name]),
                        ).props("flat dense no-caps")
    if len(checked.problems) > _LISTED:
        ui.label(
            f"… and {whole(len(checked.problems) - _LISTED)} more; "
            "'chunkwright gold check --json' lists them all"
        ).classes("cw-quiet")
