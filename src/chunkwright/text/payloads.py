"""Payloads: files written into a text as base64, which say nothing to a reader or an embedder."""

from __future__ import annotations

import re

from chunkwright.spans import Spans

# Shorter ones do no harm. The bracket or quote that closes it would be left standing alone.
_PAYLOAD = re.compile(
    r"data:[\w.+-]{1,99}/[\w.+-]{1,99}(?:;[\w.+-]{1,99}(?:=[\w.+-]{1,99})?){0,9};base64,"
    r"([A-Za-z0-9+/_-]{100,}={0,2}[)\"'>]*)",
    re.ASCII,
)


def payloads(text: str) -> Spans:
    """The payloads of data URIs, what closes them included.

    >>> payloads(f"Before ![](data:image/png;base64,{'QUJD' * 30}) after").pairs()
    [(33, 154)]
    """
    if ";base64," not in text:
        return Spans.of([])
    return Spans.of([found.span(1) for found in _PAYLOAD.finditer(text)])
