from __future__ import annotations

import pytest

from chunkwright.chunking.cut import cut
from chunkwright.model import Document
from chunkwright.quality.checker import findings
from chunkwright.quality.settings import Settings
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from tests.quality.chunked import chunked, spans_of


def test_what_falls_off_is_counted_and_shown() -> None:
    words = [f"word{number}" for number in range(60)]
    made = chunked(" ".join(words))
    total = int(made.tokens()[0])
    settings = Settings(select=("Z302",), thresholds={"Z302.tokens": 100})
    (found,) = findings([made], settings)
    assert f"{total - 100} of {total} tokens fall off" in found.message
    kept = made.analysis.text[: found.start]
    count = made.counter.count
    assert count(kept) <= 100 < count(made.analysis.text[: found.start + 8])
    assert found.end == len(made.analysis.text)


def test_what_stands_before_a_chunk_counts_for_the_embedder() -> None:
    lamp = Analysis(
        Document("a.md", "# A lamp with a long title\n\nIt blinks blue while it pairs.\n")
    )
    bare, headed = (cut(lamp, Setup.parse(f"sentence:40t{option}")) for option in ("", "|headers"))
    assert not spans_of("Z302", bare, tokens=16)
    assert spans_of("Z302", headed, tokens=16)


def test_a_grapheme_wider_than_the_size_is_over_it() -> None:
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    made = cut(Analysis(Document("a.txt", f"ab {family} cd")), Setup.parse("fixed:3c"))
    assert spans_of("Z301", made) == [family]


@pytest.mark.parametrize(("count", "found"), [(3, False), (4, True)])
def test_many_sections_are_many_topics(count: int, found: bool) -> None:
    text = "".join(f"# Part {number}\n\nSome words of it.\n\n" for number in range(count))
    assert bool(spans_of("Z303", chunked(text))) is found


def test_headings_without_text_are_no_topics() -> None:
    assert not spans_of("Z303", chunked("# A\n\n## B\n\n### C\n\n#### D\n\nWords.\n"))


def test_a_run_of_crumbs_is_one_finding() -> None:
    assert spans_of("Z304", chunked("Hold it. ¦Wait. ¦Let go. ¦It blinks.")) == [
        "Hold it. Wait. Let go. It blinks."
    ]
    assert not spans_of("Z304", chunked("Hold it. ¦Wait. ¦Let go."))
