"""A long text is cut part by part: nothing shows where one part ends and the next begins."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.cut import Cut, cut_parts
from chunkwright.chunking.dress import Dresser, dress
from chunkwright.errors import SetupError
from chunkwright.model import Chunk, Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from tests.properties.strategies import blanked, setups, texts


def in_parts(document: Document, setup: Setup | str, length: int) -> tuple[list[Cut], list[Chunk]]:
    chosen = Setup.parse(setup) if isinstance(setup, str) else setup
    whole = Analysis(document)
    parts = list(cut_parts(whole, chosen, length=length))
    dresser = Dresser(whole, chosen, parts[0][1])
    return [part for part, _ in parts], [
        chunk for part, _ in parts for chunk in dresser.dress(part).chunks()
    ]


SENTENCES = "".join(
    f"Sentence {number} tells what the lamp of room {number % 7} does.\n"
    + ("\n" if number % 5 == 0 else "")
    for number in range(400)
)
ROWS = "\n".join(f"| item {number} | {number * 7} |" for number in range(300))
TABLE = f"# Parts\n\n| name | price |\n|------|-------|\n{ROWS}\n\nAfter it.\n"


@pytest.mark.parametrize(
    "setup",
    [
        *("sentence:200c", "sentence:60t+1s", "recursive:300c+60c", "recursive:50t"),
        *("markdown:40t+10%", "header:300c|headers", "sentence:90c|parents=500c"),
    ],
)
def test_the_chunks_are_those_of_the_whole(setup: str) -> None:
    document = Document("a.md", SENTENCES, language="en")
    parts, chunks = in_parts(document, setup, 3000)
    assert len(parts) > 5
    assert chunks == dress(next(cut_parts(Analysis(document), Setup.parse(setup)))[0])


@pytest.mark.parametrize("setup", ["fixed:200c+50c", "fixed:30w+5w"])
def test_windows_go_on_from_the_last_settled_one(setup: str) -> None:
    document = Document("a.txt", SENTENCES.replace("\n", " "))
    _, chunks = in_parts(document, setup, 3000)
    assert all(before.overlap > 0 for before in chunks[1:])
    assert chunks[0].start == 0
    assert chunks[-1].end == len(SENTENCES.rstrip())


def test_a_table_that_goes_on_in_the_next_part_keeps_its_head() -> None:
    _, chunks = in_parts(Document("a.md", TABLE), "markdown:120c", 800)
    below = [chunk for chunk in chunks if chunk.text.startswith("| item") and chunk.index > 1]
    assert len(below) > 50
    assert all(chunk.embed_text.startswith("| name | price |\n|---") for chunk in below)


def test_lines_pages_and_parents_count_from_the_start_of_the_document() -> None:
    text = SENTENCES.replace("\n\n", "\n\f\r\n")
    document = Document("a.md", f"# One\n\n{text}")
    _, chunks = in_parts(document, "sentence:100c|parents=section", 2000)
    for chunk in chunks:
        # A CR LF is one line break, and a form feed breaks no line of an editor.
        before = chunk.document.text[: chunk.start]
        assert chunk.first_line == before.count("\n") + 1
        assert chunk.first_page == before.count("\f") + 1
        assert chunk.parent == (0, len(chunk.document.text.rstrip()))


def test_a_part_without_a_settled_chunk_grows() -> None:
    word = "x" * 50_000
    parts, chunks = in_parts(Document("a.txt", " ".join([word] * 9)), "sentence:40000c", 1000)
    assert [chunk.end - chunk.start for chunk in chunks] == [40_000, 10_000] * 9
    assert len(parts) > 1


@given(st.sampled_from(["note.md", "note.txt"]), texts(120), setups(), st.integers(20, 300))
def test_invariants_hold_across_parts(name: str, text: str, setup: Setup, length: int) -> None:
    try:
        parts, chunks = in_parts(Document(name, text), setup, length)
    except SetupError:
        return
    reached = parts[0].analysis.start
    seen = blanked(text) if setup.strip else text
    for before, after in pairwise(chunks):
        assert before.start < after.start
        assert before.end < after.end
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.embed_text.endswith(chunk.text) or setup.repair
        assert not seen[reached : max(reached, chunk.start)].strip()
        assert chunk.overlap == max(0, reached - chunk.start) or chunk.index == 0
        assert not chunk.overlap or setup.overlap or setup.minimum
        reached = max(reached, chunk.end)
    assert not seen[reached:].strip()
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))


def test_a_cut_can_be_cut_short() -> None:
    made = next(cut_parts(Analysis(Document("a.txt", SENTENCES)), Setup.parse("sentence:200c")))[0]
    assert made.first(3).spans.pairs() == made.spans.pairs()[:3]
    assert made.first(len(made)) is made
