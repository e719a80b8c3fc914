"""Chunks for tests of rules: a text in which `¦` parts them."""

from __future__ import annotations

import numpy as np

from chunkwright.chunking.cut import Cut
from chunkwright.model import Document
from chunkwright.quality.checker import findings
from chunkwright.quality.rule import rule
from chunkwright.quality.settings import Settings
from chunkwright.quality.view import View
from chunkwright.setup import Setup
from chunkwright.spans import Spans
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import as_counter


def chunked(marked: str, document_id: str = "a.md", setup: str = "fixed:9999999c") -> Cut:
    """The chunks of a text in which `¦` parts them; it is no part of the text."""
    parts = marked.split("¦")
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    chosen = Setup.parse(setup)
    return Cut(
        Analysis(Document(document_id, "".join(parts))),
        chosen,
        as_counter(chosen.tokens),
        Spans(np.r_[0, ends[:-1]], ends),
        np.empty(0, np.int64),
    )


def spans_of(code: str, *cuts: Cut, **thresholds: float) -> list[str]:
    """What a rule finds, as the text of each finding's span."""
    limits = {f"{code}.{name}": value for name, value in thresholds.items()}
    texts = {cut.analysis.document.id: cut.analysis.text for cut in cuts}
    settings = Settings(select=(code,), thresholds=limits)
    return [texts[each.document_id][each.start : each.end] for each in findings(cuts, settings)]


def view(text: str, *pieces: str, setup: str = "recursive:400c", name: str = "a.md") -> View:
    """A document of pieces that follow each other."""
    spans, at = [], 0
    for piece in pieces:
        start = text.index(piece, at)
        at = start + len(piece)
        spans.append((start, at))
    chosen = Setup.parse(setup)
    analysis = Analysis(Document(name, text))
    none = np.empty(0, np.int64)
    return View(Cut(analysis, chosen, as_counter(chosen.tokens), Spans.of(spans), none))


def chunks(code: str, view: View, **limits: float) -> list[int]:
    return rule(code).hits([view], limits)[0].chunks.tolist()


def quotes(code: str, view: View) -> list[str]:
    found = rule(code).hits([view], {})[0]
    pairs = zip(found.starts.tolist(), found.ends.tolist(), strict=True)
    return [view.text[start:end] for start, end in pairs]
