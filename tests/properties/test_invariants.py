"""The invariants of the design, over every strategy, unit, size, overlap and option."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chunkwright.chunking.cut import Cut, cut
from chunkwright.chunking.dress import chunk
from chunkwright.errors import SetupError, SourceError
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from tests.properties.invariants import INVARIANTS, make
from tests.properties.strategies import (
    NAMES,
    PROSE,
    STRATEGIES,
    UNBROKEN,
    Case,
    cases,
    markdown,
    pieces,
    runs,
    setups,
    texts,
)

# Whatever broke an invariant once, as small as it gets: name, text, setup, counter.
KEPT: list[tuple[str, str, str, str]] = [
    ("note.txt", "", "fixed:1c", "own"),
    ("note.txt", " \n ", "sentence:10t|strip=no", "own"),
    ("note.txt", "aaa ", "fixed:3c|strip=no", "own"),
    # Front matter that is not closed, with line ends of two characters.
    ("note.md", "---\r\n" + "a: b\r\n" * 40, "sentence:20t", "own"),
    # The packer asked for the same start for ever.
    ("note.txt", "\x1c# p#", "header:1t|strip=no", "own"),
    # Kept white space at the end, though what stands before it had room.
    ("note.txt", "notclosed\n", "markdown:3c|strip=no", "own"),
    ("note.txt", "wn ", "header:2c|strip=no", "own"),
    ("note.txt", " `a |b`", "recursive:3c+1s|strip=no", "own"),
    (
        *("note.txt", "> > ```\n> > # no heading\ntext\n\n"),
        *("sentence:7c+4c|repair|min=13w|strip=no", "own"),
    ),
    ("note.txt", "** שָ", "recursive:2c|strip=no", "own"),
    ("note.txt", "है।     ", "fixed:5t|strip=no", "own"),
    # A cut after kept white space that a mark had joined.
    ("note.txt", "?\n \u0301 ?", "recursive:1w|strip=no", "own"),
    # An overlap was counted with the white space that it then left out.
    ("note.txt", "F e. <|n|&p;e s", "recursive:8t+74%", "own"),
    # A minimum in another unit than the windows.
    ("note.txt", "word " * 60, "fixed:8w|min=30c", "own"),
    ("note.txt", "word " * 60, "fixed:40t|min=500c", "own"),
    # Windows of tokens whose ends fall inside a character or a grapheme.
    ("note.txt", "aएव", "fixed:3t+1t", "own"),
    ("note.txt", "e\n\u200d\r[", "fixed:3t", "own"),
    ("note.txt", ">>\x85\x0c", "fixed:3t|strip=no", "own"),
    ("note.txt", ": B\n-", "fixed:6t+1t|headers", "own"),
    ("note.txt", "ทำงานอยูs  o.", "fixed:5t+1t|parents=7t", "own"),
    ("note.txt", "." + "\u1100" * 64, "fixed:1t|parents=175t", "own"),
    ("note.md", "กำลังทำงานอยู่ที่บ้าน ΟΔΟΣ. ", "fixed:7c|min=6c", "own"),
    ("note.md", "👩\u200d🚀👩\u200d🚀", "fixed:9t|min=9t", "own"),
    # Characters that a tokenizer leaves out.
    ("note.txt", "\x8f", "fixed:1t", "words and parts"),
    ("note.txt", "\ufeffabc abc", "fixed:1t", "words and parts"),
    # A second repair took the first one's words for a header.
    ("note.txt", "It also", "fixed:1w", "own"),
    # A wide title in a header is several words.
    ("note.md", "# 東京都庁\n\none two three four five six", "sentence:8w|headers", "own"),
    # Parents that are cut without the white space that is kept.
    ("note.txt", "ß \u200d", "sentence:1w|parents=2c|strip=no", "own"),
    (
        *("note.txt", "data:image/png;base64," + "iVBORw0KGgo" * 12),
        *("fixed:1w|parents=127c|strip=no", "own"),
    ),
]


def hold(case: Case) -> None:
    made = make(case)
    for invariant in INVARIANTS:
        invariant(made)


@pytest.mark.parametrize(("name", "text", "notation", "counter"), KEPT)
def test_invariants_hold_where_they_once_did_not(
    name: str, text: str, notation: str, counter: str
) -> None:
    hold(Case(name, text, Setup.parse(notation), counter))


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(st.data())
def test_invariants_hold_on_pieces(strategy: str, data: st.DataObject) -> None:
    hold(data.draw(cases(strategy, pieces())))


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(st.data())
def test_invariants_hold_on_markdown(strategy: str, data: st.DataObject) -> None:
    hold(data.draw(cases(strategy, markdown())))


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(st.data())
def test_invariants_hold_on_long_runs(strategy: str, data: st.DataObject) -> None:
    hold(data.draw(cases(strategy, runs())))


@given(cases(text=st.text(st.characters(exclude_categories=["Cs"]))))
def test_invariants_hold_on_any_characters(case: Case) -> None:
    hold(case)


def cut_or_skip(analysis: Analysis, setup: Setup) -> Cut:
    try:
        return cut(analysis, setup)
    except SetupError as problem:
        assume("leaves no room beside the header" not in str(problem))
        raise


@given(NAMES, texts(), st.lists(setups(), min_size=2, max_size=4))
def test_setups_that_share_an_analysis_do_not_touch_each_other(
    name: str, text: str, several: list[Setup]
) -> None:
    shared = Analysis(Document(name, text))
    for setup in several:
        fresh = cut_or_skip(Analysis(Document(name, text)), setup)
        again = cut_or_skip(shared, setup)
        assert again.spans.pairs() == fresh.spans.pairs()
        assert again.tokens().tolist() == fresh.tokens().tolist()


@given(NAMES, texts(), setups(), setups())
def test_an_id_tells_what_is_embedded(name: str, text: str, one: Setup, other: Setup) -> None:
    document = Document(name, text)
    cut_or_skip(Analysis(document), one), cut_or_skip(Analysis(document), other)
    of: dict[str, str] = {}
    for found in [*chunk(document, one), *chunk(document, other)]:
        assert of.setdefault(found.id, found.embed_text) == found.embed_text


@given(st.data())
def test_same_input_gives_same_chunks(data: st.DataObject) -> None:
    case = data.draw(cases())
    cut_or_skip(Analysis(Document(case.name, case.text)), case.setup)
    document = Document(case.name, case.text)
    assert chunk(document, case.setup) == chunk(document, str(case.setup))


def digest() -> str:
    """A hash of many chunks, the same in every process."""
    draw, made = random.Random(7), hashlib.sha256()
    for notation in (
        *("fixed:9w+2w", "sentence:20t+1s|headers", "recursive:60c+20%", "header:2s|repair"),
        "markdown:30t+10%|headers|parents=section|min=5t",
    ):
        for _ in range(20):
            text = "# Lamp\n\n## Reset\n\n" + "".join(draw.choices(PROSE, k=30))
            for found in chunk(Document("note.md", text), notation):
                made.update(f"{found.id} {found.start} {found.end} {found.tokens}\n".encode())
    return made.hexdigest()


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_same_input_gives_same_chunks_in_every_process(seed: str) -> None:
    script = "from tests.properties.test_invariants import digest\nprint(digest())"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == digest()


@given(
    st.sampled_from([piece for piece in UNBROKEN if piece != "\u0301"]),
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


@given(st.text(max_size=30), st.integers(0xD800, 0xDFFF), st.text(max_size=30))
def test_a_lone_surrogate_is_refused_with_its_place(before: str, point: int, after: str) -> None:
    with pytest.raises(SourceError) as problem:
        Document("note.md", before + chr(point) + after)
    assert f"U+{point:04X} at character {len(before)}" in str(problem.value)


@given(setups())
def test_notation_reads_back(setup: Setup) -> None:
    assert Setup.parse(str(setup)) == setup


@given(NAMES, pieces(20), pieces(20), st.sampled_from(["sentence:8t", "recursive:40c", "fixed:9w"]))
def test_ids_survive_an_edit_elsewhere(name: str, first: str, second: str, notation: str) -> None:
    before = chunk(Document(name, first), notation)
    after = chunk(Document(name, first + "\n\n" + second), notation)
    for old in before:
        same = [new for new in after if new.embed_text == old.embed_text]
        if len(same) == 1 and sum(other.embed_text == old.embed_text for other in before) == 1:
            assert same[0].id == old.id
