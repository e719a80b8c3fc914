"""The invariants of the design, over every strategy, unit, size and overlap."""

from __future__ import annotations

from itertools import pairwise

import regex
from hypothesis import assume, example, given
from hypothesis import strategies as st

from chunkwright.chunking.cut import Cut, cut
from chunkwright.chunking.dress import chunk, dress
from chunkwright.errors import SetupError
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from chunkwright.text.blocks import front_matter
from chunkwright.text.tokens import cl100k_base
from tests.properties.strategies import setups, texts

NAMES = st.sampled_from(["note.md", "note.txt"])


def cut_or_skip(name: str, text: str, setup: Setup) -> Cut:
    try:
        return cut(Analysis(Document(name, text)), setup)
    except SetupError as problem:
        assume("leaves no room beside the header" not in str(problem))
        raise


def size_of(text: str, setup: Setup) -> int:
    """What a text measures, counted plainly."""
    if setup.unit == "characters":
        return len(text)
    if setup.unit == "tokens":
        return cl100k_base().count(text)
    return len(text.split())


@given(NAMES, texts(), setups())
@example("note.txt", "", Setup.parse("fixed:1c"))
@example("note.txt", " \n ", Setup.parse("sentence:10t|strip=no"))
def test_every_chunk_is_a_view_and_starts_ascend(name: str, text: str, setup: Setup) -> None:
    found = dress(cut_or_skip(name, text, setup))
    for chunk_ in found:
        assert chunk_.text == text[chunk_.start : chunk_.end]
        # Beside a header there may be no room for a word and the white space after it.
        lone = not setup.strip and (setup.headers or len(text) > setup.size)
        assert chunk_.text.strip() or lone
        assert chunk_.embed_text.endswith(chunk_.text)
        assert chunk_.tokens == cl100k_base().count(chunk_.embed_text)
        if setup.strip:
            assert chunk_.text == chunk_.text.strip()
        if chunk_.parent:
            assert chunk_.parent.start <= chunk_.start < chunk_.end <= chunk_.parent.end
    for before, after in pairwise(found):
        assert before.start < after.start
        assert before.end < after.end
    assert [chunk_.index for chunk_ in found] == list(range(len(found)))
    assert len({chunk_.id for chunk_ in found}) == len(found)


@given(NAMES, texts(), setups())
def test_all_visible_characters_are_covered(name: str, text: str, setup: Setup) -> None:
    spans = cut_or_skip(name, text, setup).spans.pairs()
    matter = front_matter(text)[0] if name.endswith(".md") else None
    reached = matter.end if matter else 0
    first = reached
    for start, end in spans:
        assert not text[reached : max(reached, start)].strip()
        if not setup.overlap and not (setup.minimum and setup.strategy == "fixed"):
            assert start >= reached
        reached = max(reached, end)
    assert not text[reached:].strip()
    if not setup.strip and text[first:].strip():
        assert spans[0][0] == first
        assert spans[-1][1] == len(text)
        assert all(a[1] >= b[0] for a, b in pairwise(spans))
        if not setup.overlap:
            assert "".join(text[start:end] for start, end in spans) == text[first:]


@given(NAMES, texts(), setups())
@example("note.txt", "aaa ", Setup.parse("fixed:3c|strip=no"))
def test_no_chunk_is_over_the_size(name: str, text: str, setup: Setup) -> None:
    result = cut_or_skip(name, text, setup)
    if setup.unit == "sentences":
        return
    if setup.strategy == "fixed" and setup.unit == "tokens" and not setup.headers:
        return
    for index, (start, end) in enumerate(result.spans.pairs()):
        one_grapheme = regex.fullmatch(r"\s*\X\s*", text[start:end]) is not None
        unspaced = setup.unit == "words" and not text.isascii()
        if not one_grapheme and not unspaced:
            assert size_of(result.embed_text(index), setup) <= setup.size


@given(NAMES, texts(), setups())
def test_no_cut_inside_a_grapheme(name: str, text: str, setup: Setup) -> None:
    edges = {found.end() for found in regex.finditer(r"\X", text)} | {0}
    for start, end in cut_or_skip(name, text, setup).spans.pairs():
        # White space that joins to a mark is trimmed like any other.
        assert start in edges or text[start - 1].isspace()
        assert end in edges or text[end].isspace()


@given(NAMES, texts(), setups())
def test_same_input_gives_same_chunks(name: str, text: str, setup: Setup) -> None:
    cut_or_skip(name, text, setup)
    document = Document(name, text)
    assert chunk(document, setup) == chunk(document, str(setup))


UNBROKEN = [
    "aGVsbG8gd29ybGQ",
    "0123456789",
    '{"a":[1,2]},',
    "👩‍🚀",
    "🇩🇪",
    "क्षि",
    "مرحبا",
    "e\u0301",
]


@given(
    st.sampled_from(UNBROKEN),
    st.integers(20, 200),
    st.sampled_from(["sentence", "recursive", "header", "markdown"]),
    st.sampled_from(["40c", "20t"]),
    st.sampled_from(["+1s", "+2s", "+1w", "+3w", "+20%", "+50%"]),
)
def test_overlap_never_blows_up_an_unbroken_run(
    piece: str, times: int, strategy: str, size: str, overlap: str
) -> None:
    text = f"Before it. {piece * times} After it."
    spans = cut(
        Analysis(Document("note.md", text)), Setup.parse(f"{strategy}:{size}{overlap}")
    ).spans
    # Half of each chunk is new, but for the grapheme that a cut must keep whole.
    assert (spans.ends - spans.starts).sum() <= 3 * len(text) + 200


@given(setups())
def test_notation_reads_back(setup: Setup) -> None:
    assert Setup.parse(str(setup)) == setup


@given(NAMES, texts(20), texts(20), st.sampled_from(["sentence:8t", "recursive:40c", "fixed:9w"]))
def test_ids_survive_an_edit_elsewhere(name: str, first: str, second: str, notation: str) -> None:
    before = chunk(Document(name, first), notation)
    after = chunk(Document(name, first + "\n\n" + second), notation)
    for old in before:
        same = [new for new in after if new.embed_text == old.embed_text]
        if len(same) == 1 and sum(other.embed_text == old.embed_text for other in before) == 1:
            assert same[0].id == old.id
