"""Hostile texts and setups for the property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from chunkwright.errors import SetupError
from chunkwright.setup import Setup

PIECES = [
    "a", "The", "word", "é", "e\u0301", " ", "  ", "\t", "\n", "\n\n", "\r\n", "\r", "\v", "\f",
    "\u2028", "\ufeff", "\x00", ". ", "! ", "? ", "...", ", ", "; ", "(", ")", '"', "'", "“", "”",
    "Mr. ", "e.g. ", "3.14", "$3.99 ", "1. ", "1) ", "- ", "* ", "    ", "# H\n", "## Sub\n",
    "Title\n===\n", "---\n", "```\n", "~~~\n", "| a | b |\n", "|---|---|\n", "> ", "<div>\n",
    "</div>\n", "[^1]: ", "<|endoftext|>", "👩‍🚀", "🇩🇪", "👍🏽",
    "각", "\u1100\u1161\u11a8", "東京。",
    "今日は", "กำลัง", "क्षि", "مرحبا. ", "שלום", "\u200d", "\u200b", "0123456789", "x" * 40,
    "aGVsbG8gd29ybGQ", '{"a":[1,2]}', "Sentence one here. ", "Another follows it! ", "lower start",
]  # fmt: skip


def texts(max_pieces: int = 60) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(PIECES), max_size=max_pieces).map("".join)


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    """Any valid setup of the built-in strategies."""
    strategy = draw(st.sampled_from(["fixed", "sentence", "recursive", "header", "markdown"]))
    units = ["c", "w", "t"] + (["s"] if strategy in ("sentence", "header") else [])
    unit = draw(st.sampled_from(units))
    size = draw(st.integers(1, 4 if unit == "s" else 60))
    text = f"{strategy}:{size}{unit}"
    overlap = draw(st.integers(0, size - 1))
    if draw(st.booleans()) and overlap:
        text += f"+{overlap}{unit}"
    elif draw(st.booleans()):
        text += f"+{draw(st.integers(1, 99))}%"
    elif strategy != "fixed" and draw(st.booleans()):
        text += f"+{draw(st.integers(1, 3))}{draw(st.sampled_from('cwts'))}"
    if draw(st.booleans()):
        text += "|headers"
    if draw(st.booleans()):
        text += draw(st.sampled_from(["|parents=section", "|parents=document", "|parents=200t"]))
    if draw(st.booleans()):
        text += f"|min={draw(st.integers(1, size))}{unit}"
    if draw(st.booleans()):
        text += "|strip=no"
    try:
        return Setup.parse(text)
    except SetupError:
        return Setup.parse(f"{strategy}:{size}{unit}")
