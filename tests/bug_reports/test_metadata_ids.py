"""Metadata and ids: nothing is shared by accident, and no two chunks are one."""

from __future__ import annotations

import re

import pytest

import chunkwright as cw
from tests.bug_reports.tools import STRATEGIES, chunks, numbered


def test_br_161_chunks_share_no_metadata() -> None:
    given = {"tags": ["a"]}
    document = cw.Document("a.txt", "One here. Two there.", metadata=given)
    first, second = cw.chunk(document, "sentence:1s")
    first.metadata["tags"].append("b")
    first.to_dict()["metadata"]["tags"].append("c")
    assert second.metadata == {"tags": ["a"]}
    assert given == {"tags": ["a"]}
    assert document.metadata["tags"] == ["a"]
    given["tags"].append("d")
    assert first.metadata == {"tags": ["a"]}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_163_a_header_longer_than_the_size(strategy: str) -> None:
    # Of all metadata only the titles are embedded, so only they can be too long.
    document = cw.Document("a.txt", "Text of it.", title=numbered(200))
    with pytest.raises(ValueError, match="size 100 words leaves no room") as raised:
        cw.chunk(document, f"{strategy}:100w|headers")
    assert re.search(r"takes 200\b", str(raised.value))
    assert "\n" not in str(raised.value)


def test_br_163_it_is_told_before_any_work() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text.split())

    document = cw.Document("a.txt", "Text of it. " * 1000, title=numbered(200))
    with pytest.raises(cw.SetupError, match="size 100 tokens leaves no room"):
        cw.chunk(document, "recursive:100t|headers", counter=count)
    assert not any("Text of it" in text for text in counted)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_163_long_metadata_takes_no_room(strategy: str) -> None:
    document = cw.Document("a.txt", "Text of it.", metadata={"note": numbered(200)})
    (chunk,) = cw.chunk(document, f"{strategy}:10t|headers")
    assert chunk.tokens <= 10


def test_br_164_the_same_text_in_two_documents() -> None:
    documents = [cw.Document("d1", "same"), cw.Document("d2", "same")]
    first, second = cw.chunk(documents, "sentence:1s")
    assert first.id != second.id
    assert [first.id, second.id] == [chunk.id for chunk in cw.chunk(documents, "fixed:9c")]


@pytest.mark.parametrize("notation", ["sentence:1s", "recursive:9c", "markdown:9c", "fixed:1w"])
def test_br_166_two_rows_that_are_the_same(notation: str) -> None:
    found = chunks("lamp,blue\nlamp,blue\n", notation, "a.csv")
    assert [chunk.text for chunk in found] == ["lamp,blue"] * 2
    assert found[0].id != found[1].id


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_167_a_result_cut_again(strategy: str) -> None:
    text = "".join(f"{letter}" * 9 + " " for letter in "abcdefghijklmnopqrstuvwxyzabcdef")
    (result,) = chunks(text[:299], f"{strategy}:300c")
    parts = chunks(result.text, f"{strategy}:100c")
    assert len(parts) == 3
    assert len({(part.start, part.end) for part in parts}) == 3
    assert len({part.id for part in parts}) == 3
    # The document itself, cut small in parents, has the same offsets without a second cut.
    small = chunks(text[:299], f"{strategy}:100c|parents=300c")
    assert [(part.start, part.end) for part in small] == [(part.start, part.end) for part in parts]
    assert {part.parent for part in small} == {(0, 299)}
