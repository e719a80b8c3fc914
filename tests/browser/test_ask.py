"""A question asked as a person would."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.slow

QUESTION = "How soon after unpacking can I believe the moisture readings?"


def at(lab: str, **state: str) -> str:
    return f"{lab}?{urlencode({'part': 'ask', **state})}"


def results(page: Page) -> Locator:
    return page.locator(".cw-ask-answer > div > .cw-results > li")


def test_a_question_is_asked(page: Page, lab: str, shot: Callable[[str], None]) -> None:
    page.goto(at(lab))
    field = page.get_by_label("Question", exact=True)
    field.focus()
    page.keyboard.type("how do i pair a station")
    page.keyboard.press("Enter")
    expect(results(page)).to_have_count(5)
    expect(results(page).first).to_contain_text("getting-started.md, chunk")
    score = results(page).first.get_by_text("score").inner_text()
    expect(page.locator(".cw-ask-told")).to_contain_text("tokens sent")
    expect(page.locator(".cw-mark-term").first).to_be_visible()
    assert "question=how+do+i+pair+a+station" in page.url
    before = page.locator(".cw-ask-told").inner_text()
    page.get_by_label("Results (k)").fill("2")
    expect(results(page)).to_have_count(2)
    page.wait_for_url("**k=2**")
    page.reload()
    expect(results(page)).to_have_count(2)
    assert page.locator(".cw-ask-told").inner_text() != before
    page.locator(".cw-ask .q-select", has_text="Retriever").click()
    page.get_by_role("option", name="bm25").click()
    page.wait_for_url("**retriever=bm25**")
    expect(results(page).first).not_to_contain_text(score)


def test_a_number_of_results_that_does_not_count(page: Page, lab: str) -> None:
    page.goto(at(lab, question="how do i pair a station", k="3"))
    expect(results(page)).to_have_count(3)
    field, alert = page.get_by_label("Results (k)"), page.locator(".cw-ask-form [role=alert]")
    for text in ("1000", "0", "-3", "2.5", ""):
        field.fill(text)
        expect(alert).to_have_text("Results: a whole number from 1 to 100. 3 count now.")
    field.blur()
    expect(field).to_have_value("")
    expect(results(page)).to_have_count(3)
    field.fill("4")
    expect(results(page)).to_have_count(4)
    expect(alert).to_be_empty()


def test_common_terms_are_not_marked(page: Page, lab: str) -> None:
    page.goto(at(lab, question="What is the name of the anemometer in the app?", k="10"))
    expect(results(page)).to_have_count(10)
    marked = {text.lower() for text in page.locator(".cw-results mark").all_inner_texts()}
    assert "anemometer" in marked
    assert not marked & {"the", "of", "in", "is"}


def test_a_question_of_the_gold_set(page: Page, lab: str, shot: Callable[[str], None]) -> None:
    page.goto(at(lab, question=QUESTION, setup="sentence:200t+1s"))
    verdict = page.locator(".cw-ask-verdict")
    expect(verdict).to_have_text(
        "Miss: the first result with its reference whole is number 22, and 5 are looked at."
    )
    page.get_by_label("Results (k)").fill("22")
    expect(verdict).to_have_text("Hit: its reference is whole in result 22.")
    expect(page.locator(".cw-results .cw-mark-reference").first).to_be_attached()
    shot("ask")
    page.emulate_media(color_scheme="dark")
    shot("ask-dark")
    page.set_viewport_size({"width": 520, "height": 900})
    shot("ask-narrow")


def test_a_suggestion_is_asked(page: Page, lab: str) -> None:
    page.goto(at(lab))
    page.get_by_label("Questions of the gold set").fill("moisture readings")
    page.get_by_role("option", name=QUESTION).click()
    expect(page.get_by_label("Question", exact=True)).to_have_value(QUESTION)
    expect(page.locator(".cw-ask-verdict")).to_contain_text("number 22")


def test_parents_and_near_duplicates(page: Page, lab: str) -> None:
    state = {"question": "pair a station", "setup": "fixed:60t+45t", "k": "12"}
    page.goto(at(lab, **state))
    again = page.get_by_role("button", name="near-duplicate").first
    expect(page.locator(".cw-ask-told")).to_contain_text("of them say something new")
    again.press("Enter")
    expect(page.locator(".cw-ask-again .cw-marked-text").first).to_be_visible()
    page.goto(at(lab, **{**state, "setup": "sentence:40t|parents=400t"}))
    expect(results(page).first).to_contain_text("the parent is sent")
    expect(results(page).first.locator(".cw-mark-chunk").first).to_be_in_viewport()


def test_a_result_opens_its_document(page: Page, lab: str) -> None:
    page.goto(at(lab, question=QUESTION))
    page.get_by_role("button", name="Open chunk 2 of products/probes.md in the chunker").click()
    expect(page.get_by_role("combobox", name="Document", exact=True)).to_have_value(
        "products/probes.md"
    )
    page.wait_for_selector(".cw-view[data-painted]")
    assert "part" not in page.url


def test_markup_stays_text(page: Page, start_lab: Callable[..., str], tmp_path: Path) -> None:
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    text = "A 💡 <script>alert('text')</script> <img src=x onerror=alert(1)> **lamp** hums."
    (tmp_path / "<b onclick=alert(2)>lamp.md").write_text(text, encoding="utf-8")
    page.goto(at(start_lab(str(tmp_path))))
    page.get_by_label("Question", exact=True).fill("<img src=x onerror=alert(3)> lamp")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".cw-marked-text")).to_have_text(text)
    expect(page.locator(".cw-mark-term").last).to_have_text("lamp")
    assert page.locator(".cw-ask img, .cw-ask script").count() == 0


def test_a_document_that_was_added(page: Page, start_lab: Callable[..., str]) -> None:
    page.goto(start_lab())
    page.get_by_role("button", name="Add a document").click()
    page.get_by_label("Paste a text").fill("The zeppelin is grey. It is slow.")
    page.get_by_role("button", name="Show this text").click()
    page.wait_for_url("**document=pasted**")
    page.get_by_role("tab", name="Ask").click()
    page.get_by_label("Question", exact=True).fill("is the zeppelin grey")
    page.keyboard.press("Enter")
    expect(results(page)).to_have_count(5)
    page.get_by_role("switch").click()
    expect(page.locator(".cw-ask-told")).to_contain_text("chunk of pasted-")
    expect(results(page)).to_have_count(1)
    page.wait_for_url("**alone=yes**")
    page.reload()
    expect(results(page)).to_have_count(1)
    expect(page.get_by_role("switch")).to_be_checked()
