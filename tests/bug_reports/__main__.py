"""Runs the tests of the bug reports and prints how many of each category pass."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from rich.console import Console
from rich.table import Table

from tests.bug_reports.reports import BY_CATEGORY, number_in


class Outcomes:
    """Collects what became of the tests of each report."""

    def __init__(self) -> None:
        self.by_report: dict[int, set[str]] = defaultdict(set)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Called by pytest after each phase of a test."""
        number = number_in(report.nodeid.rpartition("::")[2])
        if number is None or (report.when != "call" and report.passed):
            return
        expected = report.skipped and hasattr(report, "wasxfail")
        self.by_report[number].add("to come" if expected else report.outcome)

    def state(self, number: int) -> str:
        """`fails`, `in part`, `to come` or `passes`."""
        outcomes = self.by_report[number]
        if not outcomes or outcomes & {"failed", "skipped"}:
            return "fails"
        if "to come" in outcomes:
            return "in part" if "passed" in outcomes else "to come"
        return "passes"


def main() -> int:
    """Print the table; the status is pytest's."""
    outcomes = Outcomes()
    folder = str(Path(__file__).parent)
    # A folder of its own for files, so that another run of pytest is not met in the shared one.
    with TemporaryDirectory() as files:
        options = ["--tb=no", "-rN", "-p", "no:cacheprovider", f"--basetemp={files}"]
        status = pytest.main([*options, folder], plugins=[outcomes])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return int(status)
    columns = ("reports", "passes", "in part", "to come", "fails")
    table = Table("category", *columns, box=None, pad_edge=False)
    total = [0] * len(columns)
    for category, numbers in BY_CATEGORY.items():
        states = [outcomes.state(number) for number in numbers]
        row = [len(numbers), *(states.count(state) for state in columns[1:])]
        total = [sum(pair) for pair in zip(total, row, strict=True)]
        table.add_row(category, *map(str, row))
    table.add_row("all", *map(str, total), style="bold")
    console = Console()
    console.print(table)
    for state in columns[2:]:
        listed = [
            f"BR-{number:03}"
            for numbers in BY_CATEGORY.values()
            for number in numbers
            if outcomes.state(number) == state
        ]
        if listed:
            console.print(f"{state}: {' '.join(listed)}", highlight=False)
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
