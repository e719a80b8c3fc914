"""The chunker, used as a person would."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow


def painted(page: Page) -> None:
    """Wait until the document is painted and checked."""
    page.wait_for_selector(".cw-view[data-painted][data-checked]")


def test_the_text_is_painted(page: Page, lab: str, shot: Callable[[str], None]) -> None:
    page.goto(f"{lab}?document=faq.md")
    painted(page)
    expect(page.get_by_role("listitem").first).to_contain_text("Frequently asked questions")
    shot("chunker")
