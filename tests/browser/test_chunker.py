"""The chunker, used as a person would."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from typer.testing import CliRunner

from chunkwright.cli.app import app

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[2] / "examples" / "docs"
SETUPS = [
    "sentence:200t+1s",
    "fixed:300c+60c",
    "markdown:120t+20%|headers|parents=section|repair",
    "recursive:60t+10%|min=20t|strip=no",
]
# What the page was told to paint, by the element that paints it.
PAINTING = """() => {
  const view = document.querySelector(".cw-view");
  const { starts, ends, tokens } = getElement(Number(view.id.slice(1))).painting;
  return [starts, ends, tokens];
}"""
# The text of each chunk as it is seen, by scrolling through all of it: where it is not hatched.
SEEN = """async () => {
  const box = document.querySelector(".cw-scroll");
  const seen = {};
  for (let top = 0; ; top += box.clientHeight / 2) {
    box.scrollTop = top;
    await new Promise((done) => setTimeout(done, 60));
    for (const part of box.querySelectorAll("[data-from]"))
      seen[part.dataset.from] = part.textContent;
    if (top > box.scrollHeight) break;
  }
  return Object.keys(seen).sort((one, other) => one - other).map((from) => seen[from]).join("");
}"""


def painted(page: Page, count: int | None = None) -> None:
    """Wait until the document is painted and checked, with a number of chunks."""
    page.wait_for_function(
        """() => {
          const view = document.querySelector(".cw-view");
          return view && view.dataset.painted && view.dataset.painted === view.dataset.checked;
        }"""
    )
    if count is not None:
        figure = page.locator(".cw-figures > div").filter(has_text="chunks").first
        expect(figure).to_contain_text(f"{count:,}")


def written(path: Path, setup: str, folder: Path) -> list[dict[str, object]]:
    """The chunks that the command line writes."""
    file = folder / "chunks.jsonl"
    result = CliRunner().invoke(app, ["chunk", str(path), "--setup", setup, "-o", str(file)])
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("setup", SETUPS)
def test_it_shows_what_chunk_writes(page: Page, lab: str, tmp_path: Path, setup: str) -> None:
    chunks = written(DOCS / "faq.md", setup, tmp_path)
    page.goto(f"{lab}?{_query(document='faq.md', setup=setup)}")
    painted(page, len(chunks))
    starts, ends, tokens = page.evaluate(PAINTING)
    assert starts == [each["start"] for each in chunks]
    assert ends == [each["end"] for each in chunks]
    assert tokens == [each["tokens"] for each in chunks]


def test_the_text_is_shown_whole(page: Page, lab: str, shot: Callable[[str], None]) -> None:
    page.goto(f"{lab}?{_query(document='faq.md', setup=SETUPS[2])}")
    painted(page)
    shot("chunker-parents-headers")
    assert page.evaluate(SEEN) == (DOCS / "faq.md").read_text("utf-8")


def test_positions_count_characters_beyond_16_bits(
    page: Page, start_lab: Callable[..., str], tmp_path: Path
) -> None:
    text = "".join(f"Zeile {at} 😀 mit 𝒜 und e\u0301. " for at in range(60))
    (tmp_path / "wide.txt").write_text(text, "utf-8")
    chunks = written(tmp_path / "wide.txt", "fixed:90c+30c", tmp_path)
    page.goto(f"{start_lab(str(tmp_path / 'wide.txt'))}?{_query(setup='fixed:90c+30c')}")
    painted(page, len(chunks))
    starts, ends, _ = page.evaluate(PAINTING)
    units = text.encode("utf-16-le")
    seen = [
        units[2 * start : 2 * end].decode("utf-16-le")
        for start, end in zip(starts, ends, strict=True)
    ]
    assert seen == [each["text"] for each in chunks]
    assert page.evaluate(SEEN) == text


def test_a_slider_changes_setup_address_and_chunks(page: Page, lab: str) -> None:
    page.goto(f"{lab}?document=faq.md")
    painted(page)
    before = page.evaluate(PAINTING)[0]
    size = page.get_by_role("slider", name="Size")
    size.focus()
    for _ in range(4):
        size.press("ArrowRight")
    expect(page.get_by_label("Notation")).to_have_value("sentence:220t+1s")
    page.wait_for_url("**setup=sentence%3A220t%2B1s**")
    page.wait_for_function(f"({PAINTING})()[0].length < {len(before)}")
    page.reload()
    painted(page)
    expect(page.get_by_label("Notation")).to_have_value("sentence:220t+1s")


def test_quick_keys_and_a_drag_are_not_taken_back(page: Page, lab: str) -> None:
    page.goto(f"{lab}?document=faq.md")
    painted(page)
    size = page.get_by_role("slider", name="Size")
    size.focus()
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    expect(size).to_have_value("400")
    expect(page.get_by_label("Notation")).to_have_value("sentence:400t+1s")
    box = size.bounding_box()
    assert box is not None
    across = [box["x"] + box["width"] * share for share in (0.4, 0.3, 0.5, 0.7)]
    page.mouse.move(across[0], box["y"] + box["height"] / 2)
    page.mouse.down()
    for place in across[1:]:
        page.mouse.move(place, box["y"] + box["height"] / 2, steps=20)
        held = size.input_value()
        page.wait_for_timeout(300)
        assert size.input_value() == held
    page.mouse.up()
    expect(page.get_by_label("Notation")).to_have_value(f"sentence:{held}t+1s")


def test_a_setup_that_cannot_be_used_on_a_document_is_said_in_its_place(
    page: Page, lab: str
) -> None:
    page.goto(f"{lab}?{_query(document='faq.md', setup='markdown:5t|headers')}")
    expect(page.locator(".cw-message")).to_contain_text("leaves no room beside the header")
    page.goto(f"{lab}?{_query(document='faq.md', setup='markdown:200t|headers')}")
    painted(page)


def test_a_notation_that_cannot_work_is_said_and_loses_nothing(page: Page, lab: str) -> None:
    page.goto(f"{lab}?document=faq.md")
    painted(page)
    before = page.evaluate(PAINTING)
    notation = page.get_by_label("Notation")
    notation.fill("fixed:40t+40t")
    notation.press("Enter")
    expect(page.get_by_role("alert").first).to_contain_text(
        "overlap 40 must be smaller than size 40"
    )
    assert page.evaluate(PAINTING) == before
    notation.fill("fixed:40t+10t")
    notation.press("Enter")
    expect(page.locator("section .cw-problem").first).to_have_text("")
    page.wait_for_function(f"({PAINTING})()[0].length !== {len(before[0])}")


def test_keys_go_from_chunk_to_chunk_and_from_finding_to_finding(page: Page, lab: str) -> None:
    page.goto(f"{lab}?{_query(document='faq.md', setup='fixed:120c')}")
    painted(page)
    page.locator(".cw-row[tabindex='0']").focus()
    for number in (2, 3):
        page.keyboard.press("ArrowDown")
        expect(page.locator(":focus")).to_have_attribute("data-chunk", str(number - 1))
    page.keyboard.press("End")
    last = len(page.evaluate(PAINTING)[0]) - 1
    expect(page.locator(":focus")).to_have_attribute("data-chunk", str(last))
    page.keyboard.press("Home")
    expect(page.locator(":focus")).to_have_attribute("data-chunk", "0")
    page.keyboard.press("n")
    expect(page.locator(":focus .cw-flag").first).to_be_visible()


def test_a_finding_tells_why_and_its_repair_shows_before_and_after(
    page: Page, lab: str, shot: Callable[[str], None]
) -> None:
    page.goto(f"{lab}?{_query(document='faq.md', setup='fixed:300c')}")
    painted(page)
    row = page.locator(".cw-row:focus")
    offers = page.get_by_role("button", name="Repair: move to sentence")
    page.get_by_role("button", name="starts mid-sentence:").click()
    # The window is full: nothing can be moved into it, and nothing is offered.
    expect(offers).to_be_disabled()
    expect(offers).to_contain_text("no room for it here")
    page.keyboard.press("End")
    expect(offers).to_be_enabled()
    expect(row).to_have_class(_word("cw-found"))
    row.locator(".cw-flag", has_text="starts mid-sentence").hover()
    expect(page.get_by_role("tooltip", name="C102")).to_contain_text("starts-mid-sentence")
    figures = page.get_by_role("region", name="Figures")
    figures.get_by_role("button", name="Repair: move to sentence").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Before")
    expect(dialog.locator(".cw-mark-added")).to_be_visible()
    expect(dialog).to_contain_text("of the document. Findings:")
    shot("chunker-repair")
    flags = _count(page, "starts mid-sentence")
    dialog.get_by_role("button", name="Apply to the document").click()
    page.wait_for_url("**repairs=move_to_sentence**")
    painted(page)
    page.wait_for_function(f"({COUNT})('starts mid-sentence') < {flags}")
    shot("chunker-repaired")
    page.get_by_role("button", name="Take back move to sentence").click()
    page.wait_for_function(f"({COUNT})('starts mid-sentence') === {flags}")


COUNT = """(label) => {
  const found = [...document.querySelectorAll(".cw-jump")].map((each) => each.textContent)
    .filter((text) => text.startsWith(label + ":"));
  return found.length ? Number(found[0].split(":")[1].replace(/\\D/g, "")) : 0;
}"""


def _count(page: Page, label: str) -> int:
    return int(page.evaluate(COUNT, label))


def test_five_thousand_chunks_scroll(
    page: Page, start_lab: Callable[..., str], tmp_path: Path
) -> None:
    text = "".join(f"Sentence number {at} tells of lamp {at}.\n\n" for at in range(5000))
    (tmp_path / "many.txt").write_text(text, "utf-8")
    page.goto(f"{start_lab(str(tmp_path / 'many.txt'))}?{_query(setup='sentence:1s')}")
    painted(page, 5000)
    assert page.locator(".cw-row").count() < 200
    box = page.locator(".cw-scroll")
    for share in (0.3, 0.6, 1.0):
        box.evaluate(f"(box) => {{ box.scrollTop = {share} * box.scrollHeight; }}")
        page.wait_for_timeout(200)
        assert page.locator(".cw-row").count() < 200
    page.locator(".cw-row").last.click()
    page.keyboard.press("End")
    expect(page.locator(":focus")).to_contain_text("lamp 4999")


def test_two_pages_have_setups_of_their_own(page: Page, lab: str) -> None:
    other = page.context.new_page()
    page.goto(f"{lab}?{_query(document='faq.md', setup='fixed:300c')}")
    other.goto(f"{lab}?{_query(document='faq.md', setup='sentence:60t')}")
    painted(page)
    painted(other)
    other.get_by_role("slider", name="Size").press("ArrowRight")
    expect(other.get_by_label("Notation")).to_have_value("sentence:65t")
    expect(page.get_by_label("Notation")).to_have_value("fixed:300c")
    assert page.evaluate(PAINTING)[0] != other.evaluate(PAINTING)[0]


def _query(**parts: str) -> str:
    from urllib.parse import urlencode

    return urlencode(parts)


def _word(name: str) -> object:
    import re

    return re.compile(rf"\b{name}\b")
