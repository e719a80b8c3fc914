"""No report is forgotten, and none has moved to another category."""

from __future__ import annotations

from tests.bug_reports.reports import BY_CATEGORY, covered


def test_each_of_the_138_reports_has_a_test_in_its_category() -> None:
    found = covered()
    del found["coverage"]
    assert found == {category: set(numbers) for category, numbers in BY_CATEGORY.items()}
    assert sum(map(len, BY_CATEGORY.values())) == 138
