"""Every worked figure of the three lessons that this product implements."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.cost import cost, estimate
from chunkwright.chunking.cut import Cut
from chunkwright.chunking.dress import chunk, dress
from chunkwright.chunking.pack import windows
from chunkwright.model import Chunk, Document
from chunkwright.quality.chunks import check, repair
from chunkwright.quality.settings import Settings
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.lexical import BM25
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import rank
from chunkwright.setup import Setup
from chunkwright.spans import Spans
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import cl100k_base
from chunkwright.text.words import density

LAMP = (
    "Plug in the lamp. It blinks blue when it is ready. "
    "Then open the app. Press Add device to pair it."
)
AMAZON = (
    "The Amazon rainforest produces about 20 percent of the world's oxygen. "
    "It spans across nine countries in South America. "
    "The forest is home to approximately 10 percent of all species on Earth. "
    "Deforestation has reduced its area significantly over the past decades. "
    "Scientists estimate that about 17 percent of the Amazon has been destroyed in the last 50 "
    "years. Conservation efforts are critical to preserving this vital ecosystem. "
    "Many indigenous communities depend on the rainforest for their livelihoods. "
    "The Amazon River, which flows through the forest, is the largest river by volume in the "
    "world."
)


@pytest.mark.parametrize(
    ("notation", "count", "found"), [("sentence:2s", 2, 0), ("sentence:2s+1s", 3, 1)]
)
def test_one_sentence_of_overlap_saves_the_answer(notation: str, count: int, found: int) -> None:
    chunks = chunk(Document("lamp.txt", LAMP), notation)
    assert len(chunks) == count
    assert sum("blinks blue" in c.text and "open the app" in c.text for c in chunks) == found


def test_sentence_windows_are_the_lessons() -> None:
    assert [c.text for c in chunk(Document("lamp.txt", LAMP), "sentence:2s+1s")] == [
        "Plug in the lamp. It blinks blue when it is ready.",
        "It blinks blue when it is ready. Then open the app.",
        "Then open the app. Press Add device to pair it.",
    ]


@pytest.mark.parametrize(
    ("overlap", "ratio", "chunks", "stored", "extra"),
    [
        (0, 0.0, 125, 100_000, 0),
        (80, 0.1, 139, 111_200, 11),
        (160, 0.2, 156, 124_800, 25),
        (240, 0.3, 179, 143_200, 43),
        (400, 0.5, 249, 199_200, 99),
    ],
)
def test_cost_of_overlap(overlap: int, ratio: float, chunks: int, stored: int, extra: int) -> None:
    row = estimate(100_000, 800, overlap)
    assert (row.ratio, row.chunks, row.stored, row.extra_percent) == (ratio, chunks, stored, extra)
    setup = Setup("fixed", 800, overlap=overlap)
    real = cost([Analysis(Document("manual.txt", "m" * 100_000))], setup)
    assert (real.chunks, real.ratio) == (chunks, ratio)
    # The last window is not full, so what is truly stored is less than the formula says.
    assert real.stored_characters == 100_000 + (chunks - 1) * overlap <= stored
    assert real.formula == row


def test_density_of_tiny_medium_and_huge() -> None:
    question = ["firmware", "update"]
    medium = (
        "Old firmware can also cause flickering. Update the lamp from Device settings, "
        "then Firmware."
    )
    huge = (
        "Brightgrid lamps must not be plugged into a wall dimmer. A dimmer causes flickering. "
        f"Use the app to dim instead. {medium} Lamps and hubs update themselves at night. "
        "Keep the device powered during the update. The lamp stays cool to the touch."
    )
    rows = [
        density(text, question) for text in ("Update the lamp from Device settings.", medium, huge)
    ]
    assert [row.words for row in rows] == [6, 14, 55]
    assert [round(row.density, 3) for row in rows] == [0.167, 0.214, 0.091]
    assert [row.covers for row in rows] == [False, True, True]


def test_the_amazon_windows() -> None:
    assert cl100k_base().count(AMAZON) == 114
    chunks = chunk(Document("amazon.txt", AMAZON), "fixed:40t+10t|strip=no")
    assert [c.text for c in chunks] == [
        "The Amazon rainforest produces about 20 percent of the world's oxygen. It spans across "
        "nine countries in South America. The forest is home to approximately 10 percent of all "
        "species on Earth. Def",
        " 10 percent of all species on Earth. Deforestation has reduced its area significantly "
        "over the past decades. Scientists estimate that about 17 percent of the Amazon has been "
        "destroyed in the last 50 years",
        " Amazon has been destroyed in the last 50 years. Conservation efforts are critical to "
        "preserving this vital ecosystem. Many indigenous communities depend on the rainforest "
        "for their livelihoods. The Amazon River, which flows",
        " their livelihoods. The Amazon River, which flows through the forest, is the largest "
        "river by volume in the world.",
    ]


@given(st.integers(1, 3000), st.integers(1, 300), st.data())
def test_window_formula(total: int, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    spans = windows(total, size, overlap)
    step = size - overlap
    assert len(spans.starts) == max(1, ceil((total - overlap) / step))
    expected = [(k * step, min(k * step + size, total)) for k in range(len(spans.starts))]
    assert spans.pairs() == expected
    assert spans.ends[-1] == total
    # Any passage of at most the overlap lies wholly in one window.
    length = data.draw(st.integers(0, min(overlap, total)))
    at = data.draw(st.integers(0, total - length))
    assert any(start <= at and at + length <= end for start, end in spans.pairs())


@given(st.integers(1, 400), st.integers(1, 60), st.data())
def test_token_windows_follow_the_formula(total: int, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    text = " a" * total  # one token each
    setup = Setup("fixed", size, "tokens", overlap, strip=False)
    spans = [(c.start // 2, c.end // 2) for c in chunk(Document("a.txt", text), setup)]
    assert spans == windows(total, size, overlap).pairs()


def test_512_words_with_64_overlap() -> None:
    words = [f"w{number}" for number in range(1856)]
    chunks = chunk(Document("words.txt", " ".join(words)), "fixed:512w+64w")
    assert [int(c.text.split()[0][1:]) for c in chunks] == [0, 448, 896, 1344]
    assert [int(c.text.split()[-1][1:]) for c in chunks] == [511, 959, 1407, 1855]


@pytest.mark.parametrize("extra", [0, 1, 63, 64, 65])
def test_no_tail_of_overlap_alone(extra: int) -> None:
    text = " ".join(["w"] * (512 + 448 + extra))
    chunks = chunk(Document("words.txt", text), "fixed:512w+64w")
    assert len(chunks) == (2 if extra == 0 else 3)


PLUS = Document(
    "plus.txt",
    "Plus costs $3.99 a month or $39 a year. It also adds energy reports and unlimited "
    "schedules. Cancel any time in Account, then Subscription.",
    title="Brightgrid Plus",
)


def cut_at(document: Document, texts: list[str]) -> list[Chunk]:
    """Chunks with exactly these texts, in order."""
    starts = [document.text.index(text) for text in texts]
    spans = Spans.of([(at, at + len(text)) for at, text in zip(starts, texts, strict=True)])
    setup = Setup.parse("fixed:1000c")
    return dress(Cut(Analysis(document), setup, cl100k_base(), spans, np.empty(0, np.int64)))


# The lesson knows three defects, and only the limit of 20 characters.
WARNINGS = Settings(select=("C101", "C102", "C104"), thresholds={"C101.share": 0})


def test_weak_chunks_are_found_and_mended() -> None:
    weak = cut_at(
        PLUS,
        [
            "Plus costs $3.99 a month or $39 a year.",
            "It also adds energy reports and unlimited",
            "schedules.",
            "Cancel any time in Account, then Subscription.",
        ],
    )
    assert [(f.index, f.label) for f in check(weak, settings=WARNINGS)] == [
        (1, "starts with a pronoun"),
        (2, "very short"),
        (2, "starts mid-sentence"),
    ]
    mended = repair(weak, repairs=["merge_orphans", "name_the_subject"])
    assert [c.embed_text for c in mended] == [
        "Plus costs $3.99 a month or $39 a year.",
        "Brightgrid Plus also adds energy reports and unlimited schedules.",
        "Cancel any time in Account, then Subscription.",
    ]
    assert check(mended, settings=WARNINGS) == []
    assert all(PLUS.text[c.start : c.end] == c.text for c in mended)
    assert mended[1].text == "It also adds energy reports and unlimited schedules."


WIFI = Document(
    "wifi.md",
    "## causes\n\nMost failures happen because the network is 5 GHz only, the password was typed "
    "wrong, or the lamp is too far from the router.\n\n"
    "## fix\n\nMove the lamp within 5 metres of the router, check that a 2.4 GHz network is on, "
    "and reset the lamp by switching it off and on 5 times.\n",
)
CHILDREN = {
    "c1": "the network is 5 GHz only",
    "c2": "the password was typed wrong",
    "c4": "check that a 2.4 GHz network is on",
    "c3": "reset the lamp by switching it off and on 5 times",
}


def test_a_child_matches_and_its_parent_is_sent_once() -> None:
    pool = Pool(Collection([WIFI]), Setup.parse("sentence:60c|parents=section"))
    starts = [WIFI.text.index(text) for text in CHILDREN.values()]
    lengths = [len(text) for text in CHILDREN.values()]
    spans = Spans.of([(at, at + size) for at, size in zip(starts, lengths, strict=True)])
    pool.cuts = (replace(pool.cuts[0], spans=spans),)
    question = ["how do i reset the lamp"]
    matched = int(BM25.scores(pool, question)[0].argmax())
    assert list(CHILDREN)[matched] == "c3"
    sent = rank(pool, BM25, question, least=4, budget=0).order[0].tolist()
    texts = [WIFI.text[start:end] for start, end in pool.sent.spans.pairs()]
    # c3 and c4 both match, and their section is sent once, whole.
    assert sent == [1, 0]
    assert texts[1].startswith("## fix")
    assert texts[1].endswith("off and on 5 times.")
