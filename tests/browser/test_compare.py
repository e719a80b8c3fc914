"""Comparing two setups, as a person would."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from chunkwright.chunking.cut import cut
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis

pytestmark = pytest.mark.slow

Shot = Callable[[str], None]
FAQ = Path(__file__).resolve().parents[2] / "examples" / "docs" / "faq.md"
SETUP = Setup.parse("sentence:1s")
_HOSTILE = '<img src=x onerror="document.title=1">'


def opened(page: Page, lab: str, query: str = "document=faq.md") -> Locator:
    """The two columns, painted."""
    page.goto(f"{lab}?part=compare&{query}")
    return painted(page, 1)


def painted(page: Page, least: int) -> Locator:
    """The two columns, when they were painted at least so often."""
    page.wait_for_function(
        "least => document.querySelector('.cw-compare-view')?.dataset.painted >= least", arg=least
    )
    return page.locator(".cw-compare-view")


def asked(page: Page, name: str) -> list[str]:
    page.wait_for_function(f"/[?&]{name}=/.test(location.search)")  # it follows a moment later
    return parse_qs(urlsplit(page.url).query)[name]


def write(page: Page, field: str, notation: str) -> None:
    box = page.get_by_label(field)
    box.fill(notation)
    box.press("Enter")


def choose(page: Page, document: str) -> None:
    page.get_by_role("combobox", name="Document").click()
    page.get_by_role("option", name=document).click()


def test_both_sides_show_the_same_text(page: Page, lab: str, shot: Shot) -> None:
    view = opened(page, lab)
    rows = view.locator(".cw-pair")
    texts = rows.evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('.cw-text')].map(e => e.textContent))"
    )
    assert all(one == other for one, other in texts)
    heights = rows.evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('.cw-text')]"
        ".map(e => e.getBoundingClientRect().top))"
    )
    assert all(one == other for one, other in heights)
    expect(view.get_by_text("◀ only left").first).to_be_visible()
    expect(page.get_by_role("row", name="difference")).to_contain_text("points")
    expect(page.get_by_text(re.compile(r"Cuts: \d+ in common"))).to_be_visible()
    shot("compare")


def test_differences_are_gone_through_with_keys_and_buttons(page: Page, lab: str) -> None:
    view = opened(page, lab)
    page.get_by_role("button", name="Next difference").click()
    expect(page.get_by_text("difference 1 of")).to_be_visible()
    first = page.locator(".cw-pair:focus")
    expect(first).to_have_attribute("aria-label", re.compile("^Difference: "))
    page.keyboard.press("n")
    expect(page.get_by_text("difference 2 of")).to_be_visible()
    page.keyboard.press("p")
    page.keyboard.press("p")
    last = page.get_by_text(re.compile(r"difference (\d+) of \1$"))
    expect(last).to_be_visible()
    page.keyboard.press("Home")
    expect(view.locator('[data-row="0"]')).to_be_focused()


def test_a_setup_that_cannot_be_read_is_told_beside_its_field(page: Page, lab: str) -> None:
    opened(page, lab)
    write(page, "Right: compared with it", "fixed:200")
    expect(page.get_by_role("region", name="Right setup")).to_contain_text("200 needs a unit")
    write(page, "Right: compared with it", "fixed:100t")
    painted(page, 2)
    expect(page.get_by_text("200 needs a unit")).to_have_count(0)
    assert asked(page, "other") == ["fixed:100t"]


def test_a_setup_that_cannot_be_used_is_told_until_it_is_another(page: Page, lab: str) -> None:
    opened(page, lab)
    write(page, "Left: the setup", "markdown:3t|headers")
    side = page.get_by_role("region", name="Left setup")
    expect(side).to_contain_text("leaves no room beside the header")
    page.keyboard.press("Tab")
    page.wait_for_timeout(300)
    expect(side).to_contain_text("leaves no room beside the header")
    write(page, "Left: the setup", "markdown:14t|headers")
    choose(page, "troubleshooting.md")
    expect(side).to_contain_text("of troubleshooting.md")
    expect(page.locator(".cw-pair")).to_have_count(0)
    write(page, "Left: the setup", "markdown:90t|headers")
    painted(page, 3)
    expect(side).not_to_contain_text("leaves no room")


def test_sides_are_swapped_and_the_right_one_is_used(page: Page, lab: str) -> None:
    view = opened(page, lab, "document=faq.md&setup=fixed:90t&other=sentence:2s&repairs=add_header")
    page.get_by_role("button", name="Swap the sides").click()
    painted(page, 2)
    expect(page.get_by_label("Left: the setup")).to_have_value("sentence:2s")
    assert asked(page, "other_repairs") == ["add_header"]
    page.get_by_role("button", name="Use the right one").click()
    expect(page.get_by_label("Left: the setup")).to_have_value("fixed:90t")
    expect(view.get_by_text("No differences")).to_be_visible()
    assert asked(page, "repairs") == ["add_header"]


def test_it_follows_what_was_changed_while_it_was_away(page: Page, lab: str) -> None:
    opened(page, lab)
    page.get_by_role("tab", name="Chunker").click()
    write(page, "Notation", str(SETUP))
    page.wait_for_url("**setup=sentence**")
    page.get_by_role("tab", name="Compare").click()
    painted(page, 2)
    expect(page.get_by_label("Left: the setup")).to_have_value(str(SETUP))
    chunks = len(cut(Analysis(Document("faq.md", FAQ.read_text("utf-8"))), SETUP))
    expect(page.get_by_role("row", name="left").get_by_role("cell").nth(1)).to_have_text(
        str(chunks)
    )


def test_back_and_forward_lead_through_parts_and_documents(page: Page, lab: str) -> None:
    opened(page, lab)
    page.get_by_role("tab", name="Share").click()
    page.wait_for_url("**part=share**")
    page.go_back()
    expect(page.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_label("Left: the setup")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("tab", name="Share")).to_have_attribute("aria-selected", "true")
    page.go_back()
    choose(page, "getting-started.md")
    page.wait_for_url("**document=getting-started.md**")
    page.go_back()
    expect(page.get_by_role("combobox", name="Document")).to_have_value("faq.md")


def test_nothing_in_a_document_is_markup(
    page: Page, start_lab: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "<b>a.md").write_text(f"# {_HOSTILE}\n\nA lamp. {_HOSTILE}\n\n<script>x</script>")
    view = opened(page, start_lab(str(tmp_path)), "setup=sentence:1s|headers&other=fixed:99t")
    expect(view.get_by_text(_HOSTILE).first).to_be_visible()
    assert view.locator("img, script").count() == 0
    assert page.title() == "chunkwright lab"


def test_a_megabyte_is_repainted(page: Page, start_lab: Callable[..., str], tmp_path: Path) -> None:
    line = "The lamp blinks blue when it pairs. It is on until midnight, or you press it twice. "
    (tmp_path / "large.md").write_text((line * 5 + "\n\n") * 2400)
    opened(page, start_lab(str(tmp_path)), "")
    painted(page, 1)
    box = page.get_by_label("Right: compared with it")
    for number, size in enumerate((150, 250, 350, 300), 2):
        box.fill(f"fixed:{size}t")
        box.press("Enter")
        painted(page, number)
    assert page.locator(".cw-pair").count() < 200
