"""Print precision and recall of the completeness rules, and with `-v` what went wrong."""

from __future__ import annotations

import sys

from tests.quality.labelled import CODES, PARTS, Score, found_in, items, scores


def show(title: str, table: dict[tuple[str, str], Score]) -> None:
    """A line for each language."""
    print(f"{title}: precision / recall (true, false, missed)")  # noqa: T201
    for group in sorted({group for group, _ in table}, key=lambda name: (name != "en", name)):
        of_group = [(code, table[group, code]) for code in CODES]
        shown = [("all", total([score for _, score in of_group])), *of_group]
        cells = [
            f"{code} {score.precision:.2f}/{score.recall:.2f} "
            f"({score.true},{score.false},{score.missed})"
            for code, score in shown
            if score.true + score.false + score.missed
        ]
        print(f"  {group:6}{'  '.join(cells)}")  # noqa: T201


def total(several: list[Score]) -> Score:
    """All of some scores together."""
    return Score(
        sum(score.true for score in several),
        sum(score.false for score in several),
        sum(score.missed for score in several),
    )


for part in PARTS:
    count = sum(item.part == part for item in items())
    show(f"{part}, {count} chunks, now", scores(part))
show("held_out, at the first try", scores("held_out", first=True))
if "-v" in sys.argv:
    for item in items():
        found = found_in(item)
        if found != item.codes:
            wrong = f"+{sorted(found - item.codes)} -{sorted(item.codes - found)}"
            print(item.part, item.language, wrong, repr(item.chunk[:90]))  # noqa: T201
