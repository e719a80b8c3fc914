"""Sharing, as a person would: what is copied and downloaded is used."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from typer.testing import CliRunner

from chunkwright.cli.app import app

from .conftest import StartLab

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[2] / "examples" / "docs"
SETUP = "markdown:120t+10%|headers|parents=section"
Shot = Callable[[str], None]


@pytest.fixture(scope="module")
def lab(start_lab: StartLab) -> str:
    """A lab to which no other test adds documents."""
    return start_lab()


def opened(page: Page, lab: str, **query: str) -> None:
    page.goto(f"{lab}?{urlencode({'part': 'share', 'document': 'faq.md', **query})}")
    expect(page.get_by_role("textbox", name="Address")).to_have_value(lab + _rest(query))


def _rest(query: dict[str, str]) -> str:
    return f"?{urlencode({'document': 'faq.md', **query})}"


def copied(page: Page, name: str) -> str:
    page.get_by_role("button", name=f"Copy: {name}").click()
    expect(page.get_by_text("Copied").first).to_be_visible()
    return str(page.evaluate("navigator.clipboard.readText()"))


@pytest.fixture
def clipboard(context: BrowserContext) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])


@pytest.mark.usefixtures("clipboard")
def test_the_copied_address_opens_the_same_page(page: Page, lab: str, shot: Shot) -> None:
    opened(page, lab, setup=SETUP)
    shot("share")
    address = copied(page, "Address")
    assert copied(page, "Setup") == SETUP
    page.goto(address)
    expect(page.get_by_label("Notation")).to_have_value(SETUP)
    expect(page.get_by_role("combobox", name="Document")).to_have_value("faq.md")


def test_the_address_opens_the_chosen_part(page: Page, lab: str) -> None:
    opened(page, lab)
    page.get_by_role("combobox", name="Opens").click()
    page.get_by_role("option", name="Compare").click()
    field = page.get_by_role("textbox", name="Address")
    expect(field).to_have_value(f"{lab}?part=compare&document=faq.md")


@pytest.mark.usefixtures("clipboard")
def test_code_is_copied_as_it_is(page: Page, lab: str) -> None:
    opened(page, lab, setup=SETUP, repairs="merge_orphans")
    page.get_by_role("switch", name="This document only").click()
    expect(page.get_by_role("region", name="Python")).to_contain_text("corpus.document")
    code = copied(page, "Python")
    assert 'chunks = cw.chunk(corpus.document("faq.md"), setup)\nchunks = cw.repair(' in code
    assert copied(page, "Command line").count(f"'{SETUP}'") == 2


def test_without_a_clipboard_it_is_copied_all_the_same(page: Page, lab: str) -> None:
    page.add_init_script(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
        "document.addEventListener('copy', () =>"
        " (window.seen = String(document.activeElement.value)));"
    )
    opened(page, lab)
    page.get_by_role("button", name="Copy: chunkwright.toml").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert tomllib.loads(page.evaluate("window.seen"))["chunk"]["setup"] == "sentence:200t+1s"


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize("name", ["This document", "All documents"])
def test_the_files_are_those_of_the_command_line(
    page: Page, lab: str, tmp_path: Path, form: str, name: str
) -> None:
    opened(page, lab, setup=SETUP)
    expect(page.get_by_text("This document has")).to_be_visible()
    shown = {"jsonl": "JSONL", "parquet": "Parquet"}[form]
    with page.expect_download() as waiting:
        page.get_by_role("link", name=f"{name}: chunks as {shown}").click()
    waiting.value.save_as(tmp_path / "page")
    assert waiting.value.suggested_filename == f"chunks.{form}"
    paths = DOCS / "faq.md" if name == "This document" else DOCS
    file = tmp_path / f"command.{form}"
    result = CliRunner().invoke(app, ["chunk", str(paths), "--setup", SETUP, "-o", str(file)])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "page").read_bytes() == file.read_bytes()


def test_the_settings_are_taken_by_the_command_line(page: Page, lab: str, tmp_path: Path) -> None:
    opened(page, lab, setup=SETUP)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download chunkwright.toml").click()
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    command = ["chunk", str(DOCS / "faq.md"), "--json", "-o", str(tmp_path / "chunks.jsonl")]
    result = CliRunner().invoke(app, ["--config", str(file), *command])
    assert result.exit_code == 0, result.output
    assert file.name == "chunkwright.toml"
    assert json.loads(result.stdout)["setup"] == SETUP


def test_a_setup_that_cannot_be_used_is_told(page: Page, lab: str) -> None:
    opened(page, lab, setup="markdown:3t|headers")
    expect(page.get_by_text("leaves no room beside the header")).to_be_visible()


def test_it_follows_what_is_chosen_elsewhere(page: Page, lab: str) -> None:
    opened(page, lab)
    page.get_by_role("tab", name="Compare").click()
    box = page.get_by_label("Left: the setup")
    box.fill("fixed:90t")
    box.press("Enter")
    page.get_by_role("tab", name="Share").click()
    expect(page.get_by_role("textbox", name="Setup")).to_have_value("fixed:90t")
    expect(page.get_by_role("region", name="Python")).to_contain_text("fixed:90t")
    query = parse_qs(urlsplit(page.get_by_role("textbox", name="Address").input_value()).query)
    assert query["setup"] == ["fixed:90t"]
