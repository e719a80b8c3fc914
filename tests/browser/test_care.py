"""Care: hostile documents, scripts of all directions, keyboards, dark and narrow screens."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow

PARTS = ("chunker", "compare", "ask", "gold", "tune", "share")
HOSTILE = """# <script>window.hacked = 1</script> <img src=x onerror="window.hacked = 2">

It is <b onmouseover="window.hacked = 3">bold</b>. [click](javascript:window.hacked=4)

<svg onload="window.hacked = 5"></svg> {{ constructor.constructor("window.hacked = 6")() }}

![x](x" onerror="window.hacked=7) <iframe srcdoc="<script>parent.hacked = 8</script>"></iframe>
"""
PASTE = """(area, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  area.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
}"""
# Where the focus is, and whether it can be seen: by an outline, or by a field's border.
FOCUS = """() => {
  const ENTERED = ".q-field--focused:not(.q-field--readonly)";
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const outlined = (each) => {
    const style = getComputedStyle(each);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  };
  const field = at.closest(".q-field");
  return {
    what: at.outerHTML.slice(0, 200),
    shown: outlined(at) ||
      Boolean(field && (outlined(field) || field.matches(ENTERED))),
  };
}"""
NAME = "<img src=x onerror='window.hacked=9'>.md"


def settled(page: Page) -> None:
    """Wait until the page asks for nothing more."""
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(1000)


@pytest.fixture(scope="module")
def hostile(
    start_lab: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., str]:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "docs").mkdir()
    (folder / "docs" / NAME).write_text(HOSTILE, "utf-8")
    (folder / "docs" / "plain.md").write_text("# Lamp\n\nIt blinks blue.\n", "utf-8")
    quote = '<img src=x onerror="window.hacked = 2">'
    question = {
        "id": "<script>window.hacked=10</script>",
        "question": '<img src=x onerror="window.hacked=11"> What is bold?',
        "references": [{"document_id": NAME, "quote": quote}],
    }
    (folder / "gold.jsonl").write_text(json.dumps(question), "utf-8")
    address = start_lab(str(folder / "docs"), "--gold", str(folder / "gold.jsonl"))

    def at(**parts: str) -> str:
        return f"{address}?{urlencode({'document': NAME, **parts})}"

    return at


@pytest.mark.parametrize("part", PARTS)
def test_a_document_is_never_markup(
    page: Page, hostile: Callable[..., str], part: str, shot: Callable[[str], None]
) -> None:
    asked = '<img src=x onerror="window.hacked = 12">'
    page.goto(hostile(part=part, question=asked, gold="<script>window.hacked=10</script>"))
    settled(page)
    if part == "chunker":
        expect(page.locator(".cw-view")).to_contain_text('<img src=x onerror="window.hacked = 2">')
        page.get_by_label("Document").first.click()  # the names, in a list
        settled(page)
    shot(f"hostile-{part}")
    assert page.evaluate("window.hacked") is None
    assert page.locator(".q-page-container script, .q-page-container iframe").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("part", PARTS)
def test_no_serious_barrier(
    page: Page, lab: str, part: str, scheme: str, shot: Callable[[str], None]
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(f"{lab}?part={part}&document=faq.md&question=How+long+is+the+warranty")
    settled(page)
    shot(f"{part}-{scheme}")
    found = Axe().run(page).response["violations"]
    serious = [
        f"{each['id']}: {each['help']}: {[node['html'][:200] for node in each['nodes'][:4]]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
    assert not serious, "\n".join(serious)


@pytest.mark.parametrize("part", PARTS)
def test_a_narrow_screen_scrolls_one_way_only(
    page: Page, lab: str, part: str, shot: Callable[[str], None]
) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(f"{lab}?part={part}&document=faq.md&question=How+long+is+the+warranty")
    settled(page)
    shot(f"{part}-narrow")
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 1


def test_every_part_can_be_reached_on_a_narrow_screen(page: Page, lab: str) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(lab)
    settled(page)
    for part in reversed(PARTS):
        page.get_by_role("tab", name=part.capitalize()).click()
        page.wait_for_function(f"location.search.includes('part={part}') || '{part}' === 'chunker'")


@pytest.mark.parametrize("part", PARTS)
def test_focus_is_seen_wherever_it_is(page: Page, lab: str, part: str) -> None:
    page.goto(f"{lab}?part={part}&document=faq.md&question=How+long+is+the+warranty")
    settled(page)
    seen = 0
    for _ in range(40):
        page.keyboard.press("Tab")
        where = page.evaluate(FOCUS)
        if where is None:
            continue
        seen += 1
        assert where["shown"], where["what"]
    assert seen > 10


def test_right_to_left_and_chinese(
    page: Page, start_lab: Callable[..., str], tmp_path: Path, shot: Callable[[str], None]
) -> None:
    (tmp_path / "ar.txt").write_text("المصباح يومض باللون الأزرق. يعمل الآن! ABC.\n" * 30, "utf-8")
    (tmp_path / "zh.txt").write_text("指示灯闪烁蓝色。现在它亮着。" * 60, "utf-8")
    address = start_lab(str(tmp_path))
    page.goto(f"{address}?document=ar.txt")
    settled(page)
    text = page.locator(".cw-text").first
    assert text.evaluate("(each) => getComputedStyle(each).direction") == "rtl"
    expect(page.locator(".cw-view")).to_have_attribute("lang", "ar")
    shot("right-to-left")
    page.goto(f"{address}?document=zh.txt")
    settled(page)
    expect(page.locator(".cw-view")).to_have_attribute("lang", "zh")
    shot("chinese")


def test_a_text_is_pasted(page: Page, lab: str) -> None:
    page.goto(lab)
    settled(page)
    page.get_by_role("button", name="Add a document").click()
    page.get_by_role("button", name="Show this text").click()
    expect(page.get_by_role("dialog")).to_contain_text("There is no text yet")
    page.get_by_label("Paste a text").fill("The lamp blinks blue. " * 200)
    page.get_by_role("button", name="Show this text").click()
    page.wait_for_url("**document=pasted-**")
    expect(page.locator(".cw-view")).to_contain_text("The lamp blinks blue.")
    page.reload()
    settled(page)
    expect(page.locator(".cw-view")).to_contain_text("The lamp blinks blue.")


def test_a_paste_of_five_megabytes_keeps_the_page_alive(page: Page, lab: str) -> None:
    other = page.context.new_page()
    other.goto(f"{lab}?document=faq.md")
    page.goto(lab)
    settled(page)
    page.get_by_role("button", name="Add a document").click()
    line = "Sentence number {0} tells of lamp {0}, which is blue or green at times. "
    text = "".join(line.format(at) for at in range(75_000))
    assert len(text) > 5_000_000
    page.get_by_label("Paste a text").evaluate(PASTE, text)
    expect(page.get_by_role("dialog")).to_contain_text("characters were pasted")
    page.get_by_role("button", name="Show this text").click()
    size = other.get_by_role("slider", name="Size")
    size.press("ArrowRight")
    expect(other.get_by_label("Notation")).to_have_value("sentence:205t+1s")
    page.wait_for_url("**document=pasted-**", timeout=30_000)
    page.wait_for_selector(".cw-view[data-painted][data-checked]", timeout=60_000)
    expect(page.locator(".cw-row").first).to_contain_text("lamp 0")
    page.locator(".cw-row").first.click()
    page.keyboard.press("End")
    expect(page.locator(":focus")).to_contain_text("lamp 74999")


def test_a_file_is_sent_or_refused_in_one_line(page: Page, lab: str, tmp_path: Path) -> None:
    page.goto(lab)
    settled(page)
    page.get_by_role("button", name="Add a document").click()
    (tmp_path / "lamp.exe").write_bytes(b"MZ")
    files = page.locator("input[type=file]")
    files.set_input_files(tmp_path / "lamp.exe")
    expect(page.get_by_role("dialog")).to_contain_text("a file of the type '.exe' is not read")
    (tmp_path / "large.txt").write_bytes(b"x" * 20_000_001)
    files.set_input_files(tmp_path / "large.txt")
    expect(page.get_by_role("dialog")).to_contain_text("the limit is 20.0 MB")
    (tmp_path / "sent.html").write_text("<h1>Lamp</h1><p>It blinks.</p>", "utf-8")
    files.set_input_files(tmp_path / "sent.html")
    page.wait_for_url("**document=sent.html**")
    expect(page.locator(".cw-view")).to_contain_text("# Lamp")


def test_an_address_that_is_wrong_in_parts_still_opens(page: Page, lab: str) -> None:
    page.goto(f"{lab}?document=nowhere.md&setup=fixed&k=0&part=chunk")
    settled(page)
    for said in ("nowhere.md", "setup 'fixed'", "a number from 1", "did you mean 'chunker'?"):
        expect(page.locator(".q-notifications")).to_contain_text(said)
    expect(page.locator(".cw-row").first).to_be_visible()
