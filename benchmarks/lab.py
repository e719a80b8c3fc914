"""How long the lab takes from a moved slider to painted chunks, in a real Chromium.

    python -m benchmarks.lab

Documents of several sizes are cut anew for every press of a key on the slider of the size; the
time is taken in the browser, from the key to the frame after the paint. Needs the extra `lab`,
Playwright, and a Chromium on the PATH.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

SIZES = (300_000, 1_000_000, 3_000_000, 5_000_000)
SETUPS = (
    "sentence:200t+1s",
    "fixed:200t+50t",
    "recursive:1000c+200c",
    "markdown:300t|headers|parents=section",
)
PRESSES = 15
_WATCH = """() => {
  window.paints = [];
  new MutationObserver(() => {
    window.paints.push(Number(document.querySelector(".cw-view").dataset.paintedAt) - window.began);
  }).observe(document.querySelector(".cw-view"), {
    attributes: true, attributeFilter: ["data-painted-at"],
  });
  document.addEventListener("keydown", () => { window.began = performance.now(); }, true);
}"""


def document(size: int) -> str:
    """Prose in sections, every sentence another one."""
    parts: list[str] = []
    length = number = 0
    while length < size:
        if not number % 40:
            parts.append(f"\n\n## Part {number // 40}\n\n")
        elif not number % 6:
            parts.append("\n\n")
        part = (
            f"Station {number} reports every {1 + number % 9} minutes over the radio of its hub, "
            f"and keeps {number % 31} days of readings when the cloud cannot be reached. "
        )
        parts.append(part)
        length += len(part)
        number += 1
    return "".join(parts)[:size]


@contextmanager
def lab(folder: Path) -> Iterator[str]:
    """A lab of its own."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "chunkwright", "lab", str(folder), "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if told := re.search(r"http://\S+", line):
                yield told.group()
                break
    finally:
        process.terminate()
        process.wait()


def repaints(page: Page, address: str, setup: str) -> list[float]:
    """Milliseconds from each key to the frame after the paint."""
    page.goto(f"{address}?{urlencode({'document': 'text.md', 'setup': setup})}")
    page.wait_for_selector(".cw-view[data-painted][data-checked]", timeout=120_000)
    page.evaluate(_WATCH)
    slider = page.get_by_role("slider", name="Size")
    slider.focus()
    for _ in range(PRESSES):
        before = page.evaluate("window.paints.length")
        slider.press("ArrowRight")
        page.wait_for_function(f"window.paints.length > {before}", timeout=60_000)
        # Until what follows a paint is done: a person who drags does not see that.
        painted = ".cw-view[data-painted='{0}'][data-checked='{0}']"
        last = page.evaluate("document.querySelector('.cw-view').dataset.painted")
        page.wait_for_selector(painted.format(last), timeout=120_000)
        time.sleep(0.1)
    found: list[float] = page.evaluate("window.paints")
    return found


def main() -> None:
    """Print the table."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if chromium is None:
        sys.exit("needs a Chromium on the PATH: apt install chromium")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        print(
            f"Python {platform.python_version()}, Chromium {browser.version}, "
            f"NiceGUI {version('nicegui')}; milliseconds from key to paint: median (slowest)"
        )
        print(f"| document | chunks | {' | '.join(SETUPS)} |")
        print(f"|---|--:|{'--:|' * len(SETUPS)}")
        for size in SIZES:
            here = Path(folder, str(size))
            here.mkdir()
            (here / "text.md").write_text(document(size), "utf-8")
            row, chunks = [], ""
            with lab(here) as address:
                for setup in SETUPS:
                    page = browser.new_page(viewport={"width": 1400, "height": 900})
                    found = repaints(page, address, setup)
                    row.append(f"{statistics.median(found):.0f} ({max(found):.0f})")
                    chunks = chunks or page.locator(".cw-figures dd").first.inner_text()
                    page.close()
            print(f"| {size / 1e6:g} MB | {chunks} | {' | '.join(row)} |", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
