"""Analyses on disk: what is read is what would be computed; what is damaged is written anew."""

from __future__ import annotations

import os
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from chunkwright.chunking.cut import cut
from chunkwright.errors import SetupError
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text import store as stores
from chunkwright.text.analysis import Analysis
from chunkwright.text.blocks import Structure
from chunkwright.text.store import ARRAYS, VALUES, Store, key
from chunkwright.text.tokens import cl100k_base
from tests.properties.shapes import ALL
from tests.properties.strategies import NAMES, setups, texts

GUIDE = (
    "---\ntitle: Guide\n---\n# Lamp\n\nIt blinks. It costs 3 euros.\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    "## Réset 😀\n\n- Switch it off.\n- Wait.\n\n```\ncode\n```\n"
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "analysis")


def files(store: Store) -> list[Path]:
    return sorted(store.folder.iterdir())


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, Structure):
        for field in fields(Structure):
            same(getattr(found, field.name), getattr(expected, field.name))
        return
    assert type(found) is type(expected)
    # Helpers that hold other properties are equal if those are.
    if type(expected).__eq__ is not object.__eq__:
        np.testing.assert_equal(found, expected)
        assert not isinstance(found, np.ndarray) or found.dtype == expected.dtype


def every_property_is_equal(found: Analysis, expected: Analysis) -> None:
    for name, value in vars(Analysis).items():
        if isinstance(value, cached_property | property):
            same(getattr(found, name), getattr(expected, name))
    counter = cl100k_base()
    same(found.tokens(counter).found(), expected.tokens(counter).found())


@pytest.mark.parametrize("document_id", ["a.md", "a.txt"])
@pytest.mark.parametrize("shape", ALL)
def test_bad_shapes(store: Store, shape: str, document_id: str) -> None:
    document = Document(document_id, ALL[shape](3000))
    store.analysis(document)
    every_property_is_equal(store.analysis(document), Analysis(document))


@given(texts(), NAMES, setups())
def test_any_text(
    tmp_path_factory: pytest.TempPathFactory, text: str, name: str, setup: Setup
) -> None:
    store = Store(tmp_path_factory.getbasetemp() / "analysis")
    document = Document(name, text)
    store.analysis(document)
    found = store.analysis(document)
    every_property_is_equal(found, Analysis(document))
    try:
        expected = cut(Analysis(document), setup)
    except SetupError:
        return
    made = cut(store.analysis(document), setup)
    same(made.spans.starts, expected.spans.starts)
    same(made.spans.ends, expected.spans.ends)
    same(made.tokens(), expected.tokens())


class TestReading:
    def test_nothing_that_is_kept_is_computed_again(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        document = Document("a.md", GUIDE)
        store.analysis(document)

        def computed(self: Analysis) -> None:
            raise AssertionError

        for name in (*ARRAYS, *VALUES, "structure"):
            kept = cached_property(computed)
            kept.__set_name__(Analysis, name)
            monkeypatch.setattr(Analysis, name, kept)
        monkeypatch.setattr(type(cl100k_base()), "starts", computed)
        found = store.analysis(document)
        assert len(found.sentences) > 5
        assert found.title == "Guide"
        assert found.tokens(cl100k_base()).starts is not None

    def test_a_large_file_is_mapped(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stores, "_MAPPED", 1)
        document = Document("a.md", GUIDE)
        store.analysis(document)
        found = store.analysis(document)
        every_property_is_equal(found, Analysis(document))
        assert not found.sentences.flags.writeable

    def test_other_counters_are_asked_themselves(self, store: Store) -> None:
        document = Document("a.txt", "One two. Three.")
        for _ in range(2):
            made = cut(store.analysis(document), Setup.parse("sentence:2s"), len)
            assert made.tokens().tolist() == [len(document.text)]


class TestKey:
    def test_the_same_text_is_kept_once(self, store: Store) -> None:
        for name in ("a.md", "b/c.md", "d.markdown"):
            store.analysis(Document(name, GUIDE))
        assert len(files(store)) == 1

    def test_what_decides_the_arrays_decides_the_file(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one = Document("a.md", GUIDE)
        others = [
            Document("a.md", GUIDE + "."),
            Document("a.txt", GUIDE),
            Document("a.md", GUIDE, language="de"),
        ]
        keys = {key(each) for each in (one, *others)}
        assert len(keys) == 4
        monkeypatch.setattr(stores, "_code", lambda: "newer")
        assert key(one) not in keys

    def test_a_table_of_a_language_decides_it_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        named: list[Path] = []

        def noted(paths: list[Path]) -> str:
            named.extend(paths)
            return ""

        monkeypatch.setattr(stores, "code_hash", noted)
        stores._code.__wrapped__()
        assert any((path / "sentences" / "languages" / "en.toml").is_file() for path in named)

    def test_a_title_of_its_own_is_not_mixed_up(self, store: Store) -> None:
        titles = ["One", None, "Two"]
        documents = [Document("a.md", GUIDE, title=title) for title in titles]
        assert [store.analysis(each).title for each in documents] == ["One", "Guide", "Two"]


class TestDamage:
    @pytest.mark.parametrize("cut_at", [0, 4, 8, 40, 700, -8, -1])
    def test_a_file_that_was_cut_off(self, store: Store, cut_at: int) -> None:
        self.damaged(store, lambda whole: whole[:cut_at])

    @pytest.mark.parametrize("data", [b"", b"\x00" * 64, b"\xff" * 64, b"PNG", b"\x02" + b"{}" * 9])
    def test_a_foreign_file(self, store: Store, data: bytes) -> None:
        self.damaged(store, lambda _: data)

    @pytest.mark.parametrize("head", [b"12", b'"ab"', b"[]", b"null", b"[" * 100_000])
    def test_a_head_that_says_something_else(self, store: Store, head: bytes) -> None:
        self.damaged(store, lambda _: len(head).to_bytes(8, "little") + head + bytes(64))

    def test_a_byte_that_changed(self, store: Store) -> None:
        document = Document("a.md", GUIDE)
        store.analysis(document)
        size = files(store)[0].stat().st_size
        for at in range(8, size, size // 40):
            self.damaged(
                store, lambda whole, at=at: whole[:at] + bytes([whole[at] ^ 2]) + whole[at + 1 :]
            )

    def damaged(self, store: Store, damage: Any) -> None:
        document = Document("a.md", GUIDE)
        store.analysis(document)
        (path,) = files(store)
        whole = path.read_bytes()
        path.write_bytes(damage(whole))
        every_property_is_equal(store.analysis(document), Analysis(document))
        every_property_is_equal(store.analysis(document), Analysis(document))

    def test_what_a_killed_run_left_is_written_over(self, store: Store) -> None:
        document = Document("a.md", GUIDE)
        store.analysis(document)
        (path,) = files(store)
        left = path.with_name(f".{path.name}.part")
        path.rename(left)
        left.write_bytes(b"half")
        store.analysis(document)
        assert files(store) == [path]

    def test_a_folder_that_cannot_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        store = Store(tmp_path / "file" / "analysis")
        document = Document("a.md", GUIDE)
        every_property_is_equal(store.analysis(document), Analysis(document))
        store.fill([document], jobs=2)
        if os.name != "nt":
            assert (tmp_path / "file").read_bytes() == b""


class TestFill:
    DOCUMENTS = tuple(Document(f"{at}.md", GUIDE * (at + 1)) for at in range(5))

    def test_what_is_missing_is_written(self, store: Store) -> None:
        store.analysis(self.DOCUMENTS[2])
        (kept,) = files(store)
        before = kept.stat().st_mtime_ns
        store.fill(self.DOCUMENTS, jobs=2)
        assert len(files(store)) == 5
        assert kept.stat().st_mtime_ns == before

    def test_by_several_processes(
        self, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(stores, "_MANY", 1)
        store.fill(self.DOCUMENTS, jobs=2)
        alone = Store(tmp_path / "alone")
        alone.fill(self.DOCUMENTS, jobs=1)
        for one, other in zip(files(store), files(alone), strict=True):
            assert (one.name, one.read_bytes()) == (other.name, other.read_bytes())

    def test_a_text_that_cannot_be_read_stops_nothing(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(_: Analysis) -> None:
            raise RecursionError

        broken = cached_property(fail)
        broken.__set_name__(Analysis, "structure")
        monkeypatch.setattr(Analysis, "structure", broken)
        store.fill(self.DOCUMENTS[:1], jobs=1)
        assert not store.folder.exists()
        with pytest.raises(RecursionError):
            _ = store.analysis(self.DOCUMENTS[0]).structure
