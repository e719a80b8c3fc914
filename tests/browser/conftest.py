"""The lab as people use it: a server of its own, and a real Chromium that looks at it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

# A busy machine takes its time; what never comes is still missed.
expect.set_options(timeout=20_000)

REPOSITORY = Path(__file__).resolve().parents[2]
# Where `make test-all` leaves what was seen, to be looked at.
SHOTS = REPOSITORY / "build" / "screenshots"
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu"]
StartLab = Callable[..., str]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try again what a person would: a page on a machine with other things to do."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=2))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; without it the test is skipped."""
    found = next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if found is None:
        pytest.skip("needs a Chromium on the PATH: apt install chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=_ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser profile of its own, wide as a desk's."""
    made = browser.new_context(viewport={"width": 1400, "height": 900}, locale="en-US")
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """An empty page. The test fails if a script fails or anything outside is asked for."""
    made = context.new_page()
    problems: list[str] = []
    made.on("pageerror", lambda problem: problems.append(f"script: {problem}"))
    made.on("request", lambda request: problems.extend(_outside(request.url)))
    yield made
    made.close()
    assert not problems, problems


def _outside(url: str) -> list[str]:
    local = re.match(r"(https?|wss?)://(127\.0\.0\.1|localhost)[:/]|data:|blob:|about:", url)
    return [] if local else [f"outside address: {url}"]


@pytest.fixture(scope="session")
def start_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartLab]:
    """Starts `chunkwright lab` with some arguments and gives its address."""
    with ExitStack() as stack:

        def start(*arguments: str, command: str = "lab") -> str:
            log = tmp_path_factory.mktemp("lab") / "log.txt"
            with log.open("w") as file:
                process = subprocess.Popen(
                    [sys.executable, "-m", "chunkwright", command, *arguments, "--port", "0"],
                    stderr=file,
                    stdout=file,
                    env={**os.environ, "COLUMNS": "200"},
                    cwd=log.parent,
                )
            stack.callback(process.wait, 10)
            stack.callback(process.terminate)
            for _ in range(300):
                told = re.search(r"http://127\.0\.0\.1:\d+/\S*", log.read_text())
                if told:
                    return told.group()
                if process.poll() is not None:
                    break
                _sleep()
            raise AssertionError(log.read_text())

        yield start


def _sleep() -> None:
    import time

    time.sleep(0.1)


@pytest.fixture(scope="session")
def lab(start_lab: StartLab) -> str:
    """The lab with the example documents and questions."""
    return start_lab()


@pytest.fixture
def shot(page: Page) -> Callable[[str], None]:
    """Leaves a picture of the page to be looked at."""

    def take(name: str) -> None:
        SHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SHOTS / f"{name}.png")

    return take
