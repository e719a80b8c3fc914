"""Documents and chunks: frozen values that refuse what cannot be text."""

from __future__ import annotations

import json
import pickle
from contextlib import suppress
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from chunkwright.chunking.dress import chunk
from chunkwright.errors import SourceError
from chunkwright.model import Document, Section
from chunkwright.spans import Span

LAMP = Document("lamp.md", "# Lamp\n\nIt blinks. It hums.\n", metadata={"tags": ["a"]})


@pytest.mark.parametrize("document_id", ["", None, 7, b"a.md"])
def test_an_id_is_a_string_with_something_in_it(document_id: Any) -> None:
    with pytest.raises(SourceError, match="a document id must be a non-empty string, got"):
        Document(document_id, "text")


@pytest.mark.parametrize(("text", "kind"), [(b"text", "bytes"), (None, "NoneType"), (3, "int")])
def test_a_text_is_a_string(text: Any, kind: str) -> None:
    with pytest.raises(SourceError, match=rf"^a\.md: text must be a string, got {kind}"):
        Document("a.md", text)


@pytest.mark.parametrize(("text", "at"), [("ab\ud800c", 2), ("\udfff", 0), ("é\ud83dx", 1)])
def test_a_lone_surrogate_is_refused_with_its_place(text: str, at: int) -> None:
    with pytest.raises(SourceError, match=rf"lone surrogate U\+D[0-9A-F]{{3}} at character {at};"):
        Document("a.md", text)


def test_a_whole_astral_character_is_text() -> None:
    assert Document("a.md", "🚀\U0010ffff").text == "🚀\U0010ffff"


@pytest.mark.parametrize("values", [{"id": "a\udcff.md"}, {"title": "L\ud800mp"}])
def test_a_lone_surrogate_beside_the_text_is_refused_too(values: dict[str, str]) -> None:
    # It reaches chunk ids and contextual headers, which are written as UTF-8.
    with pytest.raises(SourceError, match="surrogate"):
        chunk(Document(**{"id": "a.md", "text": "One.", **values}), "sentence:99c|headers")


def test_errors_are_one_line() -> None:
    with pytest.raises(SourceError) as caught:
        Document("a.md", "x\ud800")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["id", "text", "title", "metadata"])
def test_a_document_is_frozen(name: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(LAMP, name, "other")


@pytest.mark.parametrize("name", ["start", "end", "embed_text", "id", "parent"])
def test_a_chunk_is_frozen(name: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(chunk(LAMP, "sentence:1s")[0], name, 3)


def test_values_have_no_room_for_anything_else() -> None:
    for value in (LAMP, Section(0, 1, (), 0, 0), chunk(LAMP, "sentence:1s")[0]):
        assert not hasattr(value, "__dict__")


def test_values_can_be_pickled_and_hashed() -> None:
    chunks = chunk(LAMP, "sentence:1s|parents=section")
    assert pickle.loads(pickle.dumps(LAMP)) == LAMP
    assert pickle.loads(pickle.dumps(chunks)) == chunks
    assert len({LAMP, Document(LAMP.id, LAMP.text, metadata={"tags": ["a"]})}) == 1
    assert len(set(chunks)) == len(chunks)


def test_a_chunk_shows_its_document() -> None:
    first, *_ = chunk(LAMP, "sentence:1s|headers")
    assert (first.document_id, first.document) == ("lamp.md", LAMP)
    assert first.text == LAMP.text[first.start : first.end] == "# Lamp"
    assert first.embed_text == "[Lamp]\n# Lamp"


def test_without_a_parent_the_chunk_itself_is_sent() -> None:
    alone = chunk(LAMP, "sentence:1s")[1]
    assert (alone.parent, alone.sent_span) == (None, Span(8, 18))
    inside = chunk(LAMP, "sentence:1s|parents=document")[1]
    assert inside.sent_span == inside.parent == Span(0, 27)


def test_metadata_is_carried_to_every_chunk() -> None:
    assert [each.metadata for each in chunk(LAMP, "sentence:1s")] == [{"tags": ["a"]}] * 3


def test_a_chunks_metadata_is_its_own() -> None:
    """BR-161: changing one chunk's metadata changes neither another's nor the caller's."""
    given: dict[str, Any] = {"tags": ["a"]}
    first, second = chunk(Document("a.txt", "One. Two.", metadata=given), "sentence:1s")
    with suppress(AttributeError, TypeError):  # refusing the change is right as well
        first.metadata["tags"].append("b")
    assert given == {"tags": ["a"]}
    assert second.metadata["tags"] in (["a"], ("a",))


def test_a_document_does_not_change_with_the_callers_metadata() -> None:
    given = {"year": 1}
    document = Document("a.txt", "One.", metadata=given)
    given["year"] = 2
    assert document.metadata["year"] == 1


def test_a_dictionary_of_a_chunk_is_plain_and_complete() -> None:
    row = chunk(LAMP, "sentence:1s|parents=section")[2].to_dict()
    assert list(row) == [
        *("id", "document_id", "index", "start", "end", "first_line", "last_line"),
        *("first_page", "last_page", "overlap", "tokens"),
        *("header", "parent", "text", "embed_text", "metadata"),
    ]
    assert json.loads(json.dumps(row)) == row
    assert (row["start"], row["end"], row["text"]) == (19, 27, "It hums.")
    assert (row["header"], row["parent"]) == (["Lamp"], [0, 27])
