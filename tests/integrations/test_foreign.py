from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chunkwright.errors import SourceError
from chunkwright.integrations.anchor import Method
from chunkwright.integrations.chunk_files import ChunkFile, read
from chunkwright.integrations.foreign import Names, anchored
from chunkwright.model import Document
from chunkwright.quality.checker import findings
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus

DATA = Path(__file__).parent / "data"
FILES = sorted(path.name for path in DATA.iterdir() if path.is_file())


@pytest.fixture(scope="module")
def documents() -> Corpus:
    return Corpus.read(DATA / "docs")


def chunks_of(
    *texts: str, sources: tuple[str, ...] = (), starts: tuple[int, ...] = ()
) -> ChunkFile:
    none = np.full(len(texts), -1)
    return ChunkFile(
        path="a.jsonl",
        format="plain",
        rows=np.arange(1, len(texts) + 1),
        texts=texts,
        sources=sources or ("",) * len(texts),
        starts=np.array(starts) if starts else none,
        ends=none,
    )


@pytest.mark.parametrize("name", FILES)
def test_every_chunk_of_every_tool_is_found(documents: Corpus, name: str) -> None:
    file = read(DATA / name)
    found = anchored(file, documents)
    assert found.missed == ()
    assert [made.analysis.document.id for made in found.cuts] == ["desk.md", "lamp.md"]
    assert found.methods.total() == sum(map(len, found.cuts)) == len(file)
    assert Method.FUZZY not in found.methods
    texts = dict(zip(file.rows.tolist(), file.texts, strict=True))
    for made, rows in zip(found.cuts, found.rows, strict=True):
        text = made.analysis.text
        for row, (start, end) in zip(rows.tolist(), made.spans.pairs(), strict=True):
            ours, theirs = text[start:end].split(), texts[row].split()
            assert [word for word in ours if word.strip("#")] == [
                word for word in theirs if word.strip("#")
            ]


def test_tools_that_give_offsets_are_believed_and_checked(documents: Corpus) -> None:
    for name in ("langchain.jsonl", "llama_index.jsonl", "haystack.jsonl", "chonkie.jsonl"):
        assert set(anchored(read(DATA / name), documents).methods) == {Method.OFFSETS}


def test_rules_judge_them_as_ours(documents: Corpus) -> None:
    found = anchored(chunks_of("The desk rises to 120", "cm. Its motor hums"), documents)
    codes = {finding.code for finding in findings(found.cuts)}
    assert {"C102", "C103"} <= codes


def test_without_limits_they_keep_to_the_largest(documents: Corpus) -> None:
    made = anchored(read(DATA / "langchain.jsonl"), documents).cuts[0]
    longest = max(len(text) for text in read(DATA / "langchain.jsonl").texts)
    assert (made.setup.size, made.setup.unit) == (longest, "characters")
    assert not len(made.oversize())
    limited = anchored(read(DATA / "langchain.jsonl"), documents, Setup.parse("sentence:5w"))
    assert len(limited.cuts[0].oversize())


def test_nothing_is_put_before_them() -> None:
    table = "| a | b |\n|---|---|\n" + "".join(f"| x{n} | y{n} |\n" for n in range(9))
    setup = Setup.parse("markdown:40c|headers")
    made = anchored(chunks_of("| x3 | y3 |"), [Document("t.md", table)], setup).cuts[0]
    assert made.embed_text(0) == "| x3 | y3 |"


def test_spans_may_nest_and_repeat_and_ascend() -> None:
    text = "One lamp. Two desks. Three hubs."
    wide, first, last = "One lamp. Two desks.", "One lamp.", "Three hubs."
    found = anchored(chunks_of(last, wide, first, first), [Document("a.txt", text)])
    assert found.cuts[0].spans.pairs() == [(0, 9), (0, 9), (0, 20), (21, 32)]
    assert found.rows[0].tolist() == [3, 4, 2, 1]


def test_what_has_no_place_is_told() -> None:
    texts = ("The lamp hums.", "Nothing of this stands in any of the documents here.")
    found = anchored(chunks_of(*texts), [Document("a.txt", "The lamp hums."), Document("b", "x")])
    assert [(each.row, each.words) for each in found.missed] == [(2, texts[1])]
    assert found.methods == {Method.EXACT: 1, Method.NONE: 1}
    with pytest.raises(SourceError, match="no document"):
        anchored(chunks_of("a"), [])


TWO = [
    Document("en/guide.md", "# Lamp\n\nPress the button twice. It blinks blue.\n"),
    Document("de/guide.md", "# Lampe\n\nZweimal drücken. Sie blinkt blau.\n"),
    Document("copy.md", "# Copy\n\nPress the button twice. Nothing else is in here.\n"),
]


def test_an_ambiguous_or_unknown_name_is_decided_by_the_text() -> None:
    chunks = chunks_of(
        *("Zweimal drücken.", "It blinks blue.", "Press the button twice."),
        sources=("guide.md", "elsewhere/manual.pdf", "copy.md"),
    )
    found = anchored(chunks, TWO)
    ids = [made.analysis.document.id for made in found.cuts]
    assert ids == ["en/guide.md", "de/guide.md", "copy.md"]
    assert found.by_text == 2
    assert set(found.unnamed) == {"guide.md", "elsewhere/manual.pdf"}


def test_a_text_of_two_documents_goes_with_the_one_before_or_its_offset() -> None:
    texts = ("Nothing else is in here.", "Press the button twice.")
    found = anchored(chunks_of(*texts), TWO)
    assert [made.analysis.document.id for made in found.cuts] == ["copy.md"]
    start = TWO[2].text.index(texts[1])
    assert start == TWO[0].text.index(texts[1])
    by_offset = anchored(chunks_of("Press the button twice.", starts=(start,)), TWO)
    assert [made.analysis.document.id for made in by_offset.cuts] == ["en/guide.md"]


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("en/guide.md", 0),
        ("/srv/docs/de/guide.md", 1),
        ("C:\\docs\\de\\guide.md", 1),
        ("file:///docs/en/guide.md", 0),
        ("https://example.org/en/guide.md", 0),
        ("guide.md", -1),
        ("copy.pdf", 2),
        ("copy", 2),
        ("Lampe", 1),
        ("", -1),
        ("other.md", -1),
    ],
)
def test_names_of_documents(name: str, number: int) -> None:
    assert Names(TWO).find(name) == number
