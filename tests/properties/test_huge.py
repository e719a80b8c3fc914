"""Huge single inputs: every strategy ends on each, and the invariants hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from chunkwright.chunking.cut import Cut, cut
from chunkwright.chunking.measure import overlap_of
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import cl100k_base

MEGABYTE = 1_000_000

HUGE: dict[str, Callable[[], str]] = {
    "a word of 1 MB": lambda: "x" * MEGABYTE,
    "100 000 blank lines": lambda: "start" + "\n" * 100_000 + "end",
    "100 000 headings": lambda: "# Heading\n" * 100_000,
    "1 MB of base64": lambda: "aGVsbG8gd29ybGQ+" * (MEGABYTE // 16),
    "a payload of 1 MB": lambda: f"![](data:image/png;base64,{'QUJD' * (MEGABYTE // 4)}) End.",
    "1 MB of minified JSON": lambda: '{"a":[1,2],"b":"c, d"},' * (MEGABYTE // 23),
    "a table of 20 000 rows": lambda: (
        "| name | value |\n|---|---|\n"
        + "".join(f"| row {at} | It is {at}. |\n" for at in range(20_000))
    ),
    "5 000 nested items in a line": lambda: "- " * 5_000 + "end",
    "1 000 levels of items": lambda: "".join("  " * at + "- x\n" for at in range(1_000)),
    "5 000 nested quotes": lambda: ">" * 5_000 + " end",
    "1 000 levels of quotes": lambda: "".join(">" * at + " x\n" for at in range(1, 1_000)),
    "an open fence of 1 MB": lambda: "```\n" + "x = 1  # one\n" * (MEGABYTE // 13),
    "blank lines in a fence": lambda: "```\n" + "\n" * 100_000 + "x\n```\n",
    "open front matter": lambda: "---\r\n" + "a: b\r\n" * (MEGABYTE // 6),
    "1 MB of combining marks": lambda: "e" + "\u0301" * MEGABYTE,
    "1 MB of flags": lambda: "🇩🇪" * (MEGABYTE // 2),
    "1 MB of Chinese without a stop": lambda: "东西南北" * (MEGABYTE // 4),
    "1 MB of spaces": lambda: "Start." + " " * MEGABYTE + "Finish.",
    "1 MB of stops": lambda: ". " * (MEGABYTE // 2),
}
NOTATIONS = [
    *("fixed:400c+50c", "fixed:200t+50t", "sentence:200t+1s", "recursive:400c"),
    *("header:400c+20%|headers", "markdown:200t+10%|parents=section|repair"),
    *("fixed:400c+50c|repair", "sentence:200t|headers|repair"),
]


@cache
def analysis_of(name: str) -> Analysis:
    return Analysis(Document("huge.md", HUGE[name](), title="T"))


def invariants_hold(result: Cut) -> None:
    """Those of the design that arrays can tell; sizes are counted on some of the chunks."""
    analysis, (starts, ends), setup = result.analysis, result.spans, result.setup
    assert len(starts)
    assert (np.diff(starts) > 0).all()
    assert (np.diff(ends) > 0).all()
    assert (starts < ends).all()
    # From a chunk's end to the next one's start lies nothing that can be seen.
    assert (analysis.all_next_visible(ends[:-1]) >= starts[1:]).all()
    assert starts[0] == analysis.next_visible(analysis.start)
    assert ends[-1] == analysis.trimmed_end(len(analysis.text))
    if not overlap_of(setup)[0]:
        assert (ends[:-1] <= starts[1:]).all()
    assert not np.isin(starts, analysis.forbidden).any()
    assert not np.isin(ends, analysis.forbidden).any()
    over = set(result.oversize().tolist())
    for index in {0, *range(0, len(result), len(result) // 100 + 1), len(result) - 1} - over:
        text = result.embed_text(index)
        if setup.unit == "characters":
            assert len(text) <= setup.size
        elif setup.strategy != "fixed":
            assert cl100k_base().count(text) <= setup.size
    inside = set(analysis.forbidden.tolist()) if over else set()
    for index in over:  # one grapheme only
        assert all(at in inside for at in range(int(starts[index]) + 1, int(ends[index])))


@pytest.mark.slow
@pytest.mark.parametrize("name", HUGE)
@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_huge_input_is_cut(name: str, notation: str) -> None:
    invariants_hold(cut(analysis_of(name), Setup.parse(notation)))
