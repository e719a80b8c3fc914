"""`header`: never across a heading; and contextual headers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.dress import chunk
from chunkwright.model import Document
from chunkwright.text.analysis import Analysis
from chunkwright.text.tokens import cl100k_base

GUIDE = (
    "Before.\n\n# Lamp\n\nIt blinks. It hums.\n\n## Reset\n\nSwitch it off.\n\n"
    "# Hub\n\nIt is blue.\n"
)


def texts_of(text: str, notation: str, name: str = "a.md") -> list[str]:
    return [part.text for part in chunk(Document(name, text), notation)]


def test_a_section_is_a_chunk_however_small() -> None:
    """BR-127: small sections are not combined."""
    assert texts_of(GUIDE, "header:999c") == [
        "Before.",
        "# Lamp\n\nIt blinks. It hums.",
        "## Reset\n\nSwitch it off.",
        "# Hub\n\nIt is blue.",
    ]


def test_blank_lines_between_paragraphs_stay() -> None:
    """BR-026."""
    (only,) = texts_of("# H\n\nP one.\n\nP two.", "header:99c")
    assert only.endswith("P one.\n\nP two.")


def test_a_heading_without_text_goes_with_the_next() -> None:
    text = "# A\n\n## B\n\n### C\n\nText.\n\n## D\n\nMore.\n"
    assert texts_of(text, "header:99c") == ["# A\n\n## B\n\n### C\n\nText.", "## D\n\nMore."]


@pytest.mark.parametrize("notation", ["header:20c", "header:12t", "header:2s", "header:6w+2w"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_no_chunk_crosses_a_heading(notation: str, end: str) -> None:
    """BR-128: neither by packing nor by overlap."""
    text = GUIDE.replace("\n", end)
    walls = [text.index(heading) for heading in ("# Lamp", "## Reset", "# Hub")]
    for part in chunk(Document("a.md", text), notation):
        assert not [wall for wall in walls if part.start < wall < part.end]


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=8),
    st.integers(30, 90),
    st.sampled_from(["", "+10%", "+1s", "+5c"]),
    st.sampled_from(["", "|min=20c", "|repair", "|strip=no"]),
)
def test_never_across_a_heading(
    parts: list[tuple[int, int]], size: int, overlap: str, option: str
) -> None:
    text, walls = "", []
    for level, sentences in parts:
        walls.append(len(text))
        text += f"{'#' * level} Title\n\n{'A sentence is here. ' * sentences}\n\n"
    for part in chunk(Document("a.md", text), f"header:{size}c{overlap}{option}"):
        assert not [wall for wall in walls if part.start < wall < part.end]


@pytest.mark.parametrize("strategy", ["header", "markdown", "sentence"])
def test_the_path_over_a_chunk(strategy: str) -> None:
    """BR-122: a deeper heading is left when the text goes back up."""
    text = "# D\n### s\nx one.\n## t\ny two.\n"
    found = chunk(Document("a.md", text), f"{strategy}:9c")
    paths = {part.text: part.header for part in found}
    assert paths["x one."] == ("D", "s")
    assert paths["y two."] == ("D", "t")


@pytest.mark.parametrize("notation", ["header:60c|headers", "markdown:24t|headers"])
def test_the_header_stands_in_what_is_embedded_only(notation: str) -> None:
    document = Document("guide.md", GUIDE)
    for part in chunk(document, notation):
        line = f"[{' > '.join(part.header)}]\n"
        assert part.embed_text == line + part.text
        assert part.text == GUIDE[part.start : part.end]
        assert part.header[0] == "guide"


@pytest.mark.parametrize("strategy", ["fixed", "sentence", "recursive", "header", "markdown"])
@pytest.mark.parametrize("size", [12, 13, 14, 15, 20])
def test_the_header_is_inside_the_size(strategy: str, size: int) -> None:
    """BR-056: measured on what is embedded, by the counter itself."""
    text = "# The lamp\n\n" + "It blinks blue when it is ready. Then it hums loudly. " * 6
    found = chunk(Document("a.md", text), f"{strategy}:{size}t|headers")
    counts = [cl100k_base().count(part.embed_text) for part in found]
    assert counts == [part.tokens for part in found]
    assert max(counts) <= size
    assert "".join("".join(part.text for part in found).split()) == "".join(text.split())


def test_the_title_stands_first_and_once() -> None:
    text = "# Lamp\n\n## Reset\n\nOff.\n"
    assert chunk(Document("lamp.md", text), "header:99c")[0].header == ("Lamp", "Reset")
    titled = Document("lamp.md", text, title="Guide  to\nlamps")
    assert chunk(titled, "header:99c")[0].header == ("Guide to lamps", "Lamp", "Reset")


def test_the_header_is_that_of_where_the_chunk_starts() -> None:
    analysis = Analysis(Document("a.md", GUIDE))
    for part in chunk(Document("a.md", GUIDE), "fixed:25c"):
        assert part.header[1:] == analysis.section_at(part.start).path
