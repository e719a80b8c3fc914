"""A chart in the page: what is told of its points, and what it says in the console."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

from .conftest import StartLab

pytestmark = pytest.mark.slow

CHART = ".cw-chart:has([aria-label^='Sizes of the chunks'])"


@pytest.fixture
def said(page: Page) -> list[str]:
    """What the page's scripts warn of."""
    found: list[str] = []

    def listen(line: ConsoleMessage) -> None:
        if line.type in ("warning", "error"):
            found.append(line.text)

    page.on("console", listen)
    return found


def drawn(page: Page, summary: str) -> None:
    chart = page.locator(f"{CHART}[data-drawn]")
    expect(chart.get_by_role("img")).to_have_attribute(
        "aria-label", re.compile(summary), timeout=30_000
    )
    page.wait_for_timeout(300)


def test_no_setup_makes_it_warn(page: Page, lab: str, said: list[str]) -> None:
    page.goto(f"{lab}?setup=recursive:900c%2B90c")
    drawn(page, r"half of them up to \d+\.$")
    bars = page.locator(f"{CHART} [aria-roledescription=bar]")
    marks = page.locator(f"{CHART} [aria-roledescription='rule mark']")
    assert bars.count() > 1
    assert marks.count() == 0
    for notation, marked in (("sentence:60t", 1), ("sentence:80t", 1), ("fixed:90w", 0)):
        page.get_by_label("Notation").fill(notation)
        page.get_by_label("Notation").press("Enter")
        drawn(page, r"the size of the setup is \d+\.$" if marked else r"up to \d+\.$")
        expect(marks).to_have_count(marked)
        assert bars.count() > 1
    assert said == []


def test_it_is_not_made_anew_for_other_data(page: Page, lab: str) -> None:
    page.goto(f"{lab}?setup=recursive:900c")
    chart = page.locator(CHART)
    drawn(page, r"up to \d+\.$")
    for size in (800, 700):
        before = int(chart.get_attribute("data-reused") or 0)
        page.get_by_label("Notation").fill(f"recursive:{size}c")
        page.get_by_label("Notation").press("Enter")
        expect(chart).to_have_attribute("data-reused", str(before + 1))


def test_a_document_without_chunks_makes_no_noise(
    page: Page, start_lab: StartLab, tmp_path: Path, said: list[str]
) -> None:
    (tmp_path / "front.md").write_text("---\ntitle: Lamp\n---\n")
    page.goto(start_lab(str(tmp_path)))
    drawn(page, r"There are no chunks\.$")
    assert said == []


def test_what_is_told_of_a_point_does_not_stay(page: Page, lab: str) -> None:
    page.goto(f"{lab}?setup=sentence:60t")
    drawn(page, r"the size of the setup is 60\.$")
    bar = page.locator(f"{CHART} [aria-roledescription=bar]").first
    told = page.locator("#vg-tooltip-element.visible")
    bar.hover(force=True)
    expect(told).to_contain_text("chunks")
    bar.click(force=True)
    expect(told).to_have_count(0)
    page.mouse.move(5, 500)
    bar.hover(force=True)
    expect(told).to_contain_text("chunks")
    # Another part is opened by key: the pointer stays where it is.
    page.get_by_role("tab", name="Ask").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", selected=True)).to_have_text("Ask")
    expect(told).to_have_count(0)
