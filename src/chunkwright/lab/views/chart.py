"""A chart of the report, drawn in the page."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import metadata
from threading import Lock
from typing import Any

from fastapi import Response
from nicegui import app as pages
from nicegui import json
from nicegui.element import Element

from chunkwright.errors import SourceError
from chunkwright.processes import stream
from chunkwright.retrieval.vectors import user_cache
from chunkwright.sources.whole import whole_file

_VERSION = metadata.version("vl-convert-python")
_SOURCE = f"/lab/vega-{_VERSION}.js"
_making = Lock()


class Chart(Element, component="chart.js"):
    """A Vega-Lite chart in the colours of the page, as wide as there is room.

    What it shows is told in a sentence to those who do not see it. Emits `point` with the `datum`
    of what was clicked; all that a click does has to be reachable elsewhere by keyboard.

    Args:
        label: What the chart is.
        clickable: Whether its points look as if they could be clicked.
    """

    def __init__(self, label: str, *, clickable: bool = False) -> None:
        super().__init__()
        self._props["label"] = label
        self._props["clickable"] = clickable
        self._props["library"] = _SOURCE

    def show(self, chart: dict[str, Any], summary: str) -> None:
        """Show a chart; where it differs from the one before in its data only, that is quick.

        Args:
            chart: Its definition, from `to_dict()`.
            summary: What it shows, in a sentence.
        """
        # As a string: the browser need not watch each value of it, and no number is NaN in it.
        self._props["chart"] = json.dumps(chart)
        self._props["summary"] = summary
        self.update()


@pages.get(_SOURCE, include_in_schema=False)
async def _library() -> Response:
    text = await asyncio.to_thread(library)
    kept = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(text, media_type="text/javascript", headers=kept)


def library() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, from the package that draws the report."""
    with _making:
        return _read()


@cache
def _read() -> str:
    # Kept in the user's cache: it takes seconds to make, in which no page would answer.
    path = user_cache().with_name(f"vega-{_VERSION}.js")
    with suppress(OSError, UnicodeDecodeError):
        return path.read_text(encoding="utf-8")
    (text,) = stream(_made, [None], jobs=2)
    with suppress(OSError, SourceError), whole_file(path) as file:
        file.write(text.encode("utf-8"))
    return text


def _made(_: None) -> Iterator[str]:
    import vl_convert

    yield vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
