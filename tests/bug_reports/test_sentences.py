"""Sentences: not after an abbreviation, a number or an initial; everywhere else."""

from __future__ import annotations

import numpy as np
import pytest

import chunkwright as cw
from chunkwright import registry
from chunkwright.chunking.boundaries import Boundaries, Level, Strategy
from chunkwright.chunking.measure import Measure
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import TokenCounter
from tests.bug_reports.tools import PACKED, chunks, spans, texts


@pytest.mark.parametrize(
    ("text", "second"),
    [
        pytest.param("Use caches, e.g. Redis, first. Then scale.", 31, id="br_149"),
        pytest.param("See no. 7 first. Then no. 8.", 17, id="br_151"),
        pytest.param("1) Wash hands. 2) Dry hands.", 15, id="br_152"),
        pytest.param("The team is called ORCA. Members meet weekly.", 25, id="br_155"),
        pytest.param("Update to v2.4.1 at example.org today. Done.", 39, id="br_157"),
        pytest.param("J. K. went home. It rained.", 17, id="br_160"),
    ],
)
@pytest.mark.parametrize("name", ["a.txt", "a.md"])
def test_two_sentences(text: str, second: int, name: str) -> None:
    expected = [(0, second - 1), (second, len(text))]
    assert spans(text, "sentence:1s", name) == expected
    longest = max(end - start for start, end in expected)
    assert spans(text, f"recursive:{longest}c", name) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Use caches, i.e. fast ones, first. Then scale.",
        "It was shown by Smith et al. Before that, nobody knew.",
        "It was shown by Smith et al. in that year. Nobody knew.",
    ],
)
def test_br_149_other_abbreviations(text: str) -> None:
    found = texts(text, "sentence:1s")
    assert not any(part.endswith("i.e.") for part in found)
    # A capital after "et al." may start a sentence; a small letter does not.
    assert not any(part.startswith("in that year") for part in found)


@pytest.mark.parametrize("strategy", PACKED)
def test_br_154_section_numbers_stay_whole(strategy: str) -> None:
    text = "Section 7.2. Limits apply."
    for size in range(5, 30):
        found = spans(text, f"{strategy}:{size}c")
        # Never within the number, whose characters are 8 to 10.
        assert not {9, 10} & {edge for span in found for edge in span}
    # Too short to stand alone it is, but never two sentences.
    assert texts(text, "sentence:1s") in ([text], ["Section 7.2.", "Limits apply."])


@pytest.mark.parametrize("strategy", PACKED)
def test_br_158_stops_stay_with_their_sentence(strategy: str) -> None:
    text = "Go on. Stay. Rest."
    for size in range(6, 19):
        for part in texts(text, f"{strategy}:{size}c"):
            assert not part.startswith(".")
            assert part.endswith(".")
    assert spans(text, f"{strategy}:6c") == [(0, 6), (7, 12), (13, 18)]


def at_bars(
    analysis: Analysis, _setup: cw.Setup, _measure: Measure, _counter: TokenCounter
) -> Boundaries:
    """A splitter of somebody's own: after every bar."""
    text = analysis.text
    cuts = [at for at in range(1, len(text)) if text[at - 1] == "|"]
    return Boundaries(clean=(Level(lambda: np.array(cuts, np.int64)),))


BARS = Strategy("bars", ("characters",), at_bars)


def test_br_160_a_splitter_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    # Packages do this by an entry point, which ends in the same table.
    monkeypatch.setitem(registry.BUILT_IN["strategies"], "bars", f"{__name__}:BARS")
    assert [chunk.text for chunk in chunks("ab|cd|ef", "bars:3c")] == ["ab|", "cd|", "ef"]
