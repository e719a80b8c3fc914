"""What all reports have: the machine and its versions, tables, slopes, charts, and a place."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import numpy as np

from chunkwright._version import __version__

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"


def shared() -> Path:
    """The folder of the shared data; it may be absent."""
    given = os.environ.get("CHUNKWRIGHT_SHARED_DATA")
    return Path(given) if given else ROOT.parent / "shared" / "data"


def processor() -> str:
    """The model of the processor."""
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def version(package: str) -> str:
    """The installed version of a package."""
    if package == "chunkwright":
        return __version__
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def machine(packages: Iterable[str]) -> str:
    """A line about the machine, Python and some packages."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    known = ", ".join(f"{package} {version(package)}" for package in dict.fromkeys(packages))
    return f"{processor()}, {os.cpu_count()} cores; {python}; {known}"


def write(name: str, parts: Iterable[str]) -> Path:
    """Print the parts of a report as they come, then write them to `build/NAME.md`."""
    told: list[str] = []
    for part in parts:
        print(part, end="\n\n", flush=True)
        told.append(part)
    BUILD.mkdir(exist_ok=True)
    path = BUILD / f"{name}.md"
    path.write_text("\n\n".join(told) + "\n", encoding="utf-8")
    print(f"Written to {path.relative_to(ROOT)}")
    return path


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, rule, *lines))


def cell(notation: object) -> str:
    """A setup in a table of Markdown, where a bar ends a cell."""
    return f"`{notation}`".replace("|", r"\|")


class Point(NamedTuple):
    """One figure of a series."""

    series: str
    x: float
    y: float


def slope(points: Sequence[Point]) -> float:
    """The power of x with which y grows: the slope of a straight line through the logarithms.

    NaN of less than two points.
    """
    if len({point.x for point in points}) < 2:
        return float("nan")
    x, y = (np.log([getattr(point, axis) for point in points]) for axis in "xy")
    return float(np.polyfit(x, y, 1)[0])


def chart(name: str, points: Sequence[Point], x: str, y: str) -> str:
    """Draw series on two logarithmic axes to `build/NAME.svg` and `.png`; gives the Markdown.

    Each series is named with its slope.
    """
    import altair
    import vl_convert

    series = dict.fromkeys(point.series for point in points)
    named = {one: [point for point in points if point.series == one] for one in series}
    rows = [
        {"series": f"{one} (slope {slope(several):.2f})", "x": point.x, "y": point.y}
        for one, several in named.items()
        for point in several
    ]
    order = list(dict.fromkeys(row["series"] for row in rows))
    drawn = (
        altair.Chart(altair.InlineData(values=rows))
        .mark_line(point=True)
        .encode(
            x=altair.X("x:Q", scale=altair.Scale(type="log"), title=x),
            y=altair.Y("y:Q", scale=altair.Scale(type="log"), title=y),
            color=altair.Color(
                "series:N", sort=order, title=None, legend=altair.Legend(labelLimit=400)
            ),
        )
        .properties(width=620, height=360)
        .to_dict()
    )
    BUILD.mkdir(exist_ok=True)
    (BUILD / f"{name}.svg").write_text(vl_convert.vegalite_to_svg(drawn), encoding="utf-8")
    (BUILD / f"{name}.png").write_bytes(vl_convert.vegalite_to_png(drawn, scale=2))
    return f"![{y} against {x}]({name}.svg)"
