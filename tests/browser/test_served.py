"""What the server says to the browser lets the page live, and nobody else in."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

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


@contextmanager
def with_token(token: str, port: str, log: Path) -> Iterator[str]:
    """The address of a lab that demands a token; it is stopped in the end."""
    arguments = [sys.executable, "-m", "chunkwright", "lab", "--port", port, "--token", token]
    with log.open("w") as file:
        process = subprocess.Popen(
            arguments, stdout=file, stderr=file, env={**os.environ, "COLUMNS": "200"}
        )
        try:
            for _ in range(300):
                told = re.search(r"http://127\.0\.0\.1:\d+/\S*", log.read_text())
                if told:
                    break
                time.sleep(0.1)
            assert told, log.read_text()
            yield told.group()
        finally:
            process.terminate()
            process.wait(20)


def test_a_restart_with_another_token_is_told(
    page: Page, context: BrowserContext, tmp_path: Path, shot: Callable[[str], None]
) -> None:
    popup = page.locator("#popup")
    with with_token("first-of-two-tokens", "0", tmp_path / "first.txt") as address:
        page.goto(address)
        expect(page.locator(".cw-view[data-painted]")).to_be_visible(timeout=20_000)
    port = re.findall(r":(\d+)/", address)[0]
    expect(popup).to_contain_text("Trying to reconnect", timeout=20_000)
    again = tmp_path / "second.txt"
    with with_token("second-of-two-tokens", port, again) as address:
        expect(popup).to_contain_text("a token is needed: open the address", timeout=20_000)
        page.wait_for_timeout(2500)
        expect(popup).to_be_visible()
        shot("refused")
        assert "error" not in again.read_text().lower()
        # The address that was printed brings the new token to all pages.
        other = context.new_page()
        other.goto(address)
        expect(page.locator("#popup[aria-hidden=true]")).to_have_count(1, timeout=20_000)
        expect(page.locator(".cw-view[data-painted]")).to_be_visible(timeout=20_000)
        other.close()
