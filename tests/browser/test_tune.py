"""Tuning, used as a person would: a study that is started, watched, stopped and gone on with."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, expect

from chunkwright.report.tables import percent, whole

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SIZES = "{60,80,100,120,140,160,180,200}t"
# So many that there is time to look on.
MANY = [f"fixed:{SIZES}+{{0,10,20,30,40,50}}%", f"{{sentence,recursive}}:{SIZES}+{{0,10,20}}%"]
SPACE = ["sentence:{40,80,160}t", "fixed:80t+{0,25}%", "markdown:80t|headers"]


@pytest.fixture(scope="module")
def start(
    start_lab: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., str]]:
    """Starts a lab of its own, with an empty cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield lambda *arguments: f"{start_lab(*arguments)}?part=tune"


@pytest.fixture(scope="module")
def tuning(start: Callable[..., str]) -> str:
    return start()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the command line says of the same space."""
    command = [sys.executable, "-m", "chunkwright", "tune", str(EXAMPLES / "docs")]
    folder = tmp_path_factory.mktemp("study")
    command += ["--gold", str(EXAMPLES / "gold.jsonl"), "--json", "-o", str(folder)]
    for pattern in SPACE:
        command += ["--space", pattern]
    done = subprocess.run(command, capture_output=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def try_space(page: Page, patterns: list[str]) -> None:
    page.get_by_label("Setups, a pattern a line").fill("\n".join(patterns))


def wait_for(page: Page, words: str) -> None:
    expect(page.locator(".cw-tune-study [role=status]").first).to_contain_text(words, timeout=40000)


def drawn(page: Page) -> None:
    expect(page.locator(".cw-tune .cw-chart[data-drawn]")).to_have_count(3, timeout=30000)


def board(page: Page) -> list[dict[str, str]]:
    """The leaderboard as it is shown."""
    rows: list[dict[str, str]] = page.locator(".cw-tune-table").evaluate(
        """(table) => {
          const names = [...table.querySelectorAll("th")].map((cell) => cell.innerText.trim());
          return [...table.querySelectorAll("tbody tr")].map((row) => Object.fromEntries(
            [...row.querySelectorAll("td")].map((cell, at) => [names[at], cell.innerText.trim()])));
        }"""
    )
    return rows


def test_the_figures_are_those_of_the_command_line(
    page: Page, tuning: str, told: dict[str, Any], shot: Callable[[str], None]
) -> None:
    page.goto(tuning)
    expect(page.get_by_text("64 setups", exact=True)).to_be_visible()
    try_space(page, SPACE)
    expect(page.get_by_text("6 setups", exact=True)).to_be_visible()
    page.get_by_role("button", name="Start", exact=True).click()
    wait_for(page, "Done: 6 setups")
    lead = page.locator(".cw-tune-lead")
    expect(lead).to_contain_text(f"Recommended\n{told['recommended']}", use_inner_text=True)
    expect(lead).to_contain_text(told["reason"])
    for note in told["notes"]:
        expect(lead).to_contain_text(note)
    shown = board(page)
    assert [row["setup"] for row in shown] == [row["setup"] for row in told["setups"]]
    for row, wanted in zip(shown, told["setups"], strict=True):
        metrics = wanted["metrics"]
        assert row["hit_rate@1000t %"] == percent(metrics["hit_rate@1000t"])
        assert row["95 %"] == "–".join(map(percent, wanted["interval"]))
        assert row["hit_rate@5 %"] == percent(metrics["hit_rate@5"])
        assert row["recall@1000t %"] == percent(metrics["recall@1000t"])
        assert row["verdict"] == wanted["verdict"]
        assert row["P(best)"] == f"{wanted['probability_best']:.2f}"
        assert (row["chunks"], row["stored t"]) == (
            whole(wanted["chunks"]),
            whole(wanted["stored_tokens"]),
        )
    marked = page.locator(".cw-tune-table .cw-marked")
    expect(marked).to_have_count(1)
    expect(marked).to_contain_text(told["recommended"])
    drawn(page)
    shot("tune")
    page.locator(".cw-tune-figure").nth(1).scroll_into_view_if_needed()
    shot("tune-charts")


def test_a_row_a_cell_and_a_point_open_their_setup(page: Page, tuning: str) -> None:
    page.goto(tuning)
    drawn(page)
    page.get_by_role("button", name="sentence:160t", exact=True).press("Enter")
    page.wait_for_url(re.compile("setup=sentence%3A160t"))
    expect(page.get_by_label("Notation")).to_have_value("sentence:160t")
    page.get_by_role("tab", name="Tune").click()
    charts = page.locator(".cw-tune .cw-chart")
    charts.nth(1).locator("path[aria-label*='setup: fixed:80t;']").click(force=True)
    page.wait_for_url(re.compile("setup=fixed%3A80t(&|$)"))
    # What was told of the cell does not lie over the chunker.
    expect(page.locator("#vg-tooltip-element.visible")).to_have_count(0)
    page.get_by_role("tab", name="Tune").click()
    charts.nth(0).locator("path[aria-label*='setup: markdown:80t|headers']").click(force=True)
    page.wait_for_url(re.compile("setup=markdown%3A80t%7Cheaders"))
    assert "part=" not in page.url  # it is the chunker that is open


def test_the_report_is_there(page: Page, tuning: str, told: dict[str, Any]) -> None:
    page.goto(tuning)
    link = page.get_by_role("link", name="Open the report")
    expect(link).to_be_visible(timeout=20000)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the report").click()
    assert download.value.suggested_filename == "report.html"
    text = download.value.path().read_text("utf-8")
    assert f"<code>{told['recommended']}</code>" in text
    page.goto(str(page.evaluate("(link) => link.href", link.element_handle())))
    expect(page.get_by_role("heading", level=1)).to_have_text("How to cut these documents")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_for_everyone(
    page: Page, tuning: str, scheme: str, shot: Callable[[str], None]
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(tuning)
    drawn(page)
    found = Axe().run(page, options={"resultTypes": ["violations"]})
    serious = [
        f"{each['id']}: {each['nodes'][0]['html']}"
        for each in found.response["violations"]
        if each["impact"] in ("serious", "critical")
    ]
    assert not serious, serious
    picture = page.locator(".cw-chart [role=img]").first
    expect(picture).to_have_attribute("aria-label", re.compile(r"^What answers cost\. .* setups"))
    page.set_viewport_size({"width": 520, "height": 900})
    page.wait_for_timeout(600)
    assert page.evaluate("document.documentElement.scrollWidth") <= 520
    page.locator(".cw-tune-figure").first.scroll_into_view_if_needed()
    shot(f"tune-narrow-{scheme}")


def test_it_is_stopped_reloaded_and_goes_on(
    page: Page, context: BrowserContext, start: Callable[..., str]
) -> None:
    address = start()
    page.goto(address)
    try_space(page, MANY)
    page.get_by_text("96 setups", exact=True).wait_for()
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_selector(".cw-open", timeout=40000)
    page.reload()  # the study runs in the lab, and not in the page
    wait_for(page, "The study runs.")
    other = context.new_page()
    other.goto(address)
    wait_for(other, "The study runs.")
    other.get_by_role("button", name="Stop").click()
    wait_for(page, "Stopped after")
    told = page.locator(".cw-tune-study [role=status]").first.inner_text()
    number, planned = map(int, re.findall(r"\d+", told))
    assert 0 < number < planned == 96
    expect(page.locator(".cw-open")).to_have_count(number)
    page.get_by_role("button", name="Resume").click()
    wait_for(page, "Done: 96 setups")
    expect(page.get_by_text(re.compile(r"; \d+ of them were kept from before"))).to_be_visible()
    wait_for(other, "Done: 96 setups")
    expect(page.locator(".cw-open")).to_have_count(96)
    expect(other.locator(".cw-open")).to_have_count(96)
    assert board(other) == board(page)
    drawn(page)
    # Charts whose data alone has changed are not made anew.
    assert page.locator(".cw-tune .cw-chart[data-reused='0']").count() < 3
    other.close()


def test_what_cannot_be_tried_is_told_at_once(page: Page, tuning: str) -> None:
    page.goto(tuning)
    button = page.get_by_role("button", name="Start", exact=True)
    expect(button).to_be_enabled()
    for patterns, reason in (
        (["sentence:{10,20}"], "needs a unit"),
        (["@/etc/passwd"], "no files are read from here"),
        (["<img src=x onerror='window.hacked=1'>:9t"], "<img src=x"),
    ):
        try_space(page, patterns)
        expect(page.locator(".cw-tune-form .cw-problem").first).to_contain_text(reason)
        expect(button).to_be_disabled()
    assert page.evaluate("window.hacked") is None
    page.get_by_role("button", name="Default patterns").click()
    expect(button).to_be_enabled()
    page.get_by_label("Tokens sent at most").fill("")
    button.click()
    expect(page.get_by_text("Tokens sent at most: a number from 1 is needed")).to_be_visible()


def test_without_questions_it_says_what_is_needed(
    page: Page, start: Callable[..., str], tmp_path: Path
) -> None:
    page.goto(start(str(EXAMPLES / "docs")))
    expect(page.locator(".cw-tune-form")).to_contain_text("--gold FILE")
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_disabled()
