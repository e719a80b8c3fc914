"""The gold set, edited as a person would."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from chunkwright.gold.goldset import GoldSet

pytestmark = pytest.mark.slow

TEXT = (
    "# Lamp 💡💡\n\nThe lamp blinks <b>blue</b>. It is on at night.\n\n"
    "# מנורה\n\nהמנורה מהבהבת בכחול. היא דולקת בלילה.\n"
)
HUB = "# Hub\n\n<img src=x onerror=\"alert('hub')\"> hums low. The hub sleeps by day.\n"
MARKUP = "<img src=x onerror=\"alert('question')\"> which hub?"


def question(name: str, words: str, *quotes: tuple[str, str]) -> str:
    references = [{"document_id": document, "quote": quote} for document, quote in quotes]
    return json.dumps({"id": name, "question": words, "references": references})


QUESTIONS = [
    question("q1", "When is the lamp on?", ("lamp.md", "It is on at night.")),
    question("q2", MARKUP, ("hub.md", "hums low."), ("lamp.md", "blue")),
    question("q3", "Where is it?", ("gone.md", "x")),
]


@pytest.fixture
def lamps(start_lab: Callable[..., str], tmp_path: Path) -> str:
    """A lab of its own, for its questions are edited."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "lamp.md").write_text(TEXT, encoding="utf-8")
    (docs / "hub.md").write_text(HUB, encoding="utf-8")
    gold = tmp_path / "gold.jsonl"
    gold.write_text("\n".join(QUESTIONS), encoding="utf-8")
    return start_lab(str(docs), "--gold", str(gold))


def at(lab: str, **state: str) -> str:
    from urllib.parse import urlencode

    return f"{lab}?{urlencode({'part': 'gold', **state})}"


def summary(page: Page) -> Locator:
    return page.locator(".cw-gold-summary")


def asked(page: Page) -> Locator:
    return page.locator(".cw-gold-question")


def selection(page: Page, words: str) -> None:
    """Select words of the document as with a mouse."""
    page.locator(".cw-gold-document .cw-text", has_text=words).first.evaluate(
        """(row, words) => {
          const walk = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
          for (let node = walk.nextNode(); node; node = walk.nextNode()) {
            const at = node.data.indexOf(words);
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + words.length);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
            row.dispatchEvent(new MouseEvent("mouseup", { bubbles: true }));
            return;
          }
        }""",
        words,
    )


def exported(page: Page, tmp_path: Path) -> GoldSet:
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    path = tmp_path / "exported.jsonl"
    download.value.save_as(path)
    return GoldSet.read(path)


def test_a_reference_is_made_by_selecting(page: Page, lamps: str, tmp_path: Path) -> None:
    page.goto(at(lamps, gold="q1"))
    expect(summary(page)).to_contain_text("n=2, 1 left out")
    expect(page.locator(".cw-gold-document .cw-mark-reference")).to_have_text("It is on at night.")
    selection(page, "lamp blinks <b>blue</b>. ")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".cw-gold-references li")).to_have_count(2)
    selection(page, "מהבהבת בכחול")
    page.get_by_role("button", name="Replace reference 1").click()
    expect(page.locator(".cw-gold-references .cw-quote").nth(1)).to_have_text("מהבהבת בכחול")
    expect(page.locator(".cw-gold-document .cw-mark-chosen")).to_have_text("מהבהבת בכחול")
    found = exported(page, tmp_path).question("q1").references[1]
    # Two lamps before it: a browser counts each as two.
    assert found.quote == "מהבהבת בכחול"
    assert TEXT[found.start : found.end] == found.quote
    for count in (2, 1):
        page.get_by_role("button", name=re.compile("Undo")).click()
        expect(page.locator(".cw-gold-references li")).to_have_count(count)
    assert exported(page, tmp_path) == GoldSet.read(tmp_path / "gold.jsonl")


def test_a_question_by_keyboard_alone(page: Page, lamps: str, tmp_path: Path) -> None:
    page.goto(at(lamps, document="hub.md"))
    expect(summary(page)).to_contain_text("n=2")
    new = page.get_by_label("New question")
    new.focus()
    page.keyboard.type("When does the hub sleep?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Question q004")).to_be_visible()
    expect(page.get_by_text("no references: nothing tells the answer")).to_be_visible()
    page.get_by_label("Quote from this document").focus()
    page.keyboard.type("THE HUB  sleeps by night")
    page.keyboard.press("Enter")
    expect(page.get_by_text("is not in 'hub.md'")).to_be_visible()
    page.keyboard.press("Control+a")
    page.keyboard.type("THE HUB  sleeps by day.")
    page.keyboard.press("Enter")
    expect(page.locator(".cw-gold-references .cw-quote")).to_have_text("The hub sleeps by day.")
    expect(page.locator(".cw-gold-outcome")).to_have_text("Hit in the first 5 results.")
    expect(summary(page)).to_contain_text("n=3, 1 left out")
    page.get_by_label("Question", exact=True).fill("When does the hub rest?")
    page.keyboard.press("Tab")
    expect(asked(page).nth(3)).to_have_text("When does the hub rest?")
    page.get_by_role("button", name="Remove reference 0").press("Enter")
    expect(page.locator(".cw-gold-references")).to_have_text("none yet")
    page.get_by_role("button", name="Delete the question").press("Enter")
    expect(asked(page)).to_have_count(3)
    for _ in range(2):
        page.get_by_role("button", name=re.compile("Undo")).press("Enter")
    expect(asked(page).nth(3)).to_have_text("When does the hub rest?")
    found = exported(page, tmp_path).question("q004")
    assert (found.question, len(found.references)) == ("When does the hub rest?", 1)


def test_markup_stays_text_and_the_list_goes_by_arrows(page: Page, lamps: str) -> None:
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(at(lamps))
    expect(asked(page).nth(1)).to_have_text(MARKUP)
    asked(page).nth(0).focus()
    page.keyboard.press("ArrowDown")
    expect(asked(page).nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Question q2")).to_be_visible()
    expect(page.get_by_role("combobox", name="Document", exact=True)).to_have_value("hub.md")
    expect(page.locator(".cw-gold-fate")).to_contain_text("onerror=\"alert('hub')\"")
    page.get_by_role("button", name="Show reference 1").click()
    expect(page.get_by_role("combobox", name="Document", exact=True)).to_have_value("lamp.md")
    expect(page.locator(".cw-gold-document .cw-mark-chosen")).to_have_text("blue")
    assert page.locator("main img, .cw-gold img").count() == 0
    page.get_by_role("button", name="problem 1").click()
    expect(asked(page)).to_have_text(["Where is it?"])


def test_a_file_is_imported_only_when_it_can_be_read(
    page: Page, lamps: str, tmp_path: Path
) -> None:
    page.goto(at(lamps))
    expect(summary(page)).to_contain_text("n=2")
    broken, other = tmp_path / "broken.jsonl", tmp_path / "other.jsonl"
    broken.write_text(f"{QUESTIONS[0]}\n{{'id'", encoding="utf-8")
    moved = {"document_id": "hub.md", "start": 0, "end": 9, "quote": "hums low."}
    other.write_text(
        json.dumps({"id": "n1", "question": "How does it hum?", "references": [moved]}),
        encoding="utf-8",
    )
    page.locator("input[type=file]").set_input_files(broken)
    expect(page.get_by_text("broken.jsonl:2: not JSON")).to_be_visible()
    expect(asked(page)).to_have_count(3)
    page.locator("input[type=file]").set_input_files(other)
    expect(asked(page)).to_have_text(["How does it hum?"])
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("dialog")).to_contain_text("question n1, reference 0: moved")
    page.get_by_role("button", name="Correct", exact=True).click()
    expect(page.get_by_role("button", name="note 0")).to_be_visible()
    found = exported(page, tmp_path).question("n1").references[0]
    assert HUB[found.start : found.end] == "hums low."
    for _ in range(2):
        page.get_by_role("button", name=re.compile("Undo")).click()
    expect(asked(page)).to_have_count(3)


def test_without_questions_the_first_one_is_asked_for(
    page: Page, start_lab: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "lamp.md").write_text(TEXT, encoding="utf-8")
    page.goto(at(start_lab(str(tmp_path / "lamp.md"))))
    expect(summary(page)).to_contain_text("There are no questions yet: import a file of them, or")
    page.get_by_label("New question").fill("Is it on?")
    page.keyboard.press("Enter")
    expect(asked(page)).to_have_text(["Is it on?"])


def test_two_pages_edit_one_set(page: Page, context: BrowserContext, lamps: str) -> None:
    other = context.new_page()
    for each in (page, other):
        each.goto(at(lamps, gold="q1"))
        expect(summary(each)).to_contain_text("n=2")
    page.get_by_label("New question").fill("Is it mine?")
    page.keyboard.press("Enter")
    expect(asked(other)).to_have_count(4)
    other.get_by_label("New question").fill("Or mine?")
    other.keyboard.press("Enter")
    expect(asked(page)).to_have_count(5)
    page.get_by_role("button", name=re.compile("Undo")).click()
    expect(page.get_by_text("the questions were changed in another page since")).to_be_visible()
    expect(asked(other)).to_have_count(5)


def test_the_keyboard_stays_at_what_is_edited(page: Page, lamps: str) -> None:
    page.goto(at(lamps, gold="q2"))
    expect(summary(page)).to_contain_text("n=2")
    page.get_by_role("button", name="Show reference 1").press("Enter")
    expect(page.get_by_role("button", name="Show reference 1")).to_be_focused()
    page.get_by_role("button", name="Remove reference 1").press("Enter")
    expect(page.get_by_role("button", name="Show reference 0")).to_be_focused()
    page.get_by_role("button", name="Remove reference 0").press("Enter")
    expect(page.get_by_label("Quote from this document")).to_be_focused()
    expect(page.get_by_text("no references: nothing tells the answer")).to_be_visible()
    expect(page.get_by_label("Quote from this document")).to_be_focused()
    page.get_by_role("button", name="Delete the question").press("Enter")
    expect(page.get_by_role("button", name="Undo: delete q2")).to_be_focused()
    for _ in range(3):
        page.keyboard.press("Enter")
        page.wait_for_timeout(300)
    expect(page.locator(".cw-gold-references li")).to_have_count(2)
    expect(page.get_by_label("New question")).to_be_focused()


def test_edits_that_are_in_no_file_are_told(page: Page, lamps: str, tmp_path: Path) -> None:
    page.goto(at(lamps, gold="q1"))
    expect(summary(page)).to_contain_text("n=2")
    told = page.get_by_text("edited: not exported yet")
    expect(told).to_be_hidden()
    page.get_by_role("button", name="Remove reference 0").click()
    expect(told).to_be_visible()
    page.reload()  # the questions are the lab's, not the page's
    expect(told).to_be_visible()
    exported(page, tmp_path)
    expect(told).to_be_hidden()
    page.get_by_label("New question").fill("Is it on?")
    page.keyboard.press("Enter")
    expect(told).to_be_visible()
    page.get_by_role("button", name=re.compile("Undo")).click()
    expect(told).to_be_hidden()


def test_the_address_does_not_keep_what_is_gone(page: Page, lamps: str) -> None:
    page.goto(at(lamps, gold="nothing"))
    expect(page.get_by_text("there is no question 'nothing'")).to_be_visible()
    expect(page).not_to_have_url(re.compile("gold=nothing"))
    page.reload()
    expect(summary(page)).to_contain_text("n=2")
    expect(page.get_by_text("there is no question")).to_have_count(0)
    asked(page).nth(1).click()
    expect(page).to_have_url(re.compile("gold=q2"))
    page.get_by_role("button", name="Delete the question").click()
    expect(asked(page)).to_have_count(2)
    expect(page).not_to_have_url(re.compile("gold=q2"))
    expect(page.get_by_text("Choose a question, or write a new one.")).to_be_visible()
    page.get_by_role("button", name="Undo: delete q2").click()
    expect(page.get_by_text("Question q2")).to_be_visible()
    expect(page).to_have_url(re.compile("gold=q2"))


def test_the_filter_is_in_the_address(page: Page, lamps: str) -> None:
    page.goto(at(lamps))
    page.get_by_role("button", name="problem 1").click()
    expect(asked(page)).to_have_text(["Where is it?"])
    page.wait_for_url("**listed=problem**")
    page.get_by_label("Find in the questions").fill("where")
    page.wait_for_url("**find=where**")
    page.reload()
    expect(asked(page)).to_have_text(["Where is it?"])
    expect(page.get_by_label("Find in the questions")).to_have_value("where")
    page.get_by_label("Find in the questions").fill("when")
    expect(asked(page)).to_have_count(0)
    page.get_by_role("button", name="hit 2").click()
    expect(asked(page)).to_have_text(["When is the lamp on?"])


def test_an_edit_while_it_is_measured(
    page: Page, start_lab: Callable[..., str], tmp_path: Path
) -> None:
    docs, gold = tmp_path / "docs", tmp_path / "gold.jsonl"
    docs.mkdir()
    rooms = [f"The hub of room {at} hums and lamp {at * 7} blinks." for at in range(3000)]
    (docs / "hub.md").write_text("\n\n".join(rooms), encoding="utf-8")
    lines = [question(f"r{at}", f"{at}?", ("hub.md", rooms[at])) for at in range(3000)]
    gold.write_text("\n".join(lines), encoding="utf-8")
    setup = {"setup": "sentence:1s", "retriever": "bm25"}
    page.goto(at(start_lab(str(docs), "--gold", str(gold)), gold="r1", **setup))
    expect(page.get_by_text("Measuring 3,000 questions …")).to_be_visible()
    expect(page.get_by_text("Question r1")).to_be_visible()
    page.get_by_role("button", name="Delete the question").click()
    expect(page.get_by_text("Measuring 2,999 questions …")).to_be_visible()
    expect(summary(page)).to_contain_text("n=2,999")
    expect(page.get_by_role("button", name="all 2,999")).to_be_visible()


def test_the_examples(page: Page, lab: str, shot: Callable[[str], None]) -> None:
    page.goto(at(lab, gold="q004"))
    expect(page.locator(".cw-gold-outcome")).to_have_text("Miss: not in the first 5 results.")
    expect(page.locator(".cw-gold-fate")).to_contain_text("rank 22")
    expect(page.locator(".cw-gold-fate")).to_contain_text("The chunks that beat it: 21")
    expect(page.locator(".cw-gold-cause")).to_have_text(
        "Ranked 22nd: 21 chunks beat it, and 5 results count."
    )
    expect(page.locator(".cw-gold-document .cw-mark-chosen").first).to_be_in_viewport()
    shot("gold")
    page.emulate_media(color_scheme="dark")
    shot("gold-dark")
    page.set_viewport_size({"width": 520, "height": 900})
    shot("gold-narrow")
