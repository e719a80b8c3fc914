"""What the server says to the browser lets the page live, and nobody else in."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Request, expect

from chunkwright.lab.state import PARTS

from .conftest import StartLab

pytestmark = pytest.mark.slow


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the browser complains about, such as a policy that was broken."""
    found: list[str] = []
    page.on("console", lambda said: found.append(said.text) if said.type == "error" else None)

    def failed(asked: Request) -> None:
        if asked.failure != "net::ERR_ABORTED":  # the page was left while it asked
            found.append(f"{asked.url}: {asked.failure}")

    page.on("requestfailed", failed)
    return found


@pytest.mark.parametrize("arguments", [(), ("--host", "0.0.0.0")])
def test_every_part_lives_behind_the_guard(
    page: Page, complaints: list[str], start_lab: StartLab, arguments: tuple[str, ...]
) -> None:
    address = start_lab(*arguments)
    assert ("token=" in address) == bool(arguments)
    page.goto(address)
    home = address.partition("?")[0]
    assert page.url == home  # the token is not left in the address
    for part in PARTS:
        sockets: list[str] = []
        page.once("websocket", lambda socket: sockets.append(socket.url))  # noqa: B023
        page.goto(f"{home}?part={part}")
        expect(page.get_by_role("tab", selected=True)).to_have_text(re.compile(part, re.IGNORECASE))
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(500)
        assert sockets, f"{part}: fell back to asking again and again"
    assert complaints == []


def test_the_documentation_answers(
    page: Page, complaints: list[str], lab: str, shot: Callable[[str], None]
) -> None:
    page.goto(f"{lab}api")
    page.get_by_role("button", name="POST /api/v1/search Ask").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.locator(".live-responses-table .response-col_status").last).to_have_text("200")
    shot("api")
    assert complaints == []
