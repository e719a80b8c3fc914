import json
import platform

import pytest

from chunkwright._version import package_versions
from chunkwright.errors import SourceError
from chunkwright.model import Document
from chunkwright.sources import snapshot
from chunkwright.sources.corpus import Corpus
from chunkwright.sources.snapshot import Change, Snapshot, create, diff, verify

CORPUS = Corpus.of(
    [
        Document("guide/lamp.md", "# Lamp\r\nIt blinks blue.\r", "Lamp", "en", {"tags": ["a"]}),
        Document("bom.txt", "\ufeffstays 🚀"),
    ]
)


@pytest.fixture
def frozen(tmp_path):
    create(CORPUS, tmp_path / "frozen")
    return tmp_path / "frozen"


def test_a_corpus_comes_back_as_it_was(frozen):
    again = Corpus.read(frozen)
    assert again.documents == CORPUS.documents
    assert again.fingerprint == CORPUS.fingerprint == Snapshot.read(frozen).fingerprint
    assert verify(frozen) == ()


def test_texts_are_stored_as_they_are(frozen):
    stored = (frozen / "documents" / "guide" / "lamp.md").read_bytes()
    assert stored == b"# Lamp\r\nIt blinks blue.\r"


def test_it_tells_what_it_was_made_with(frozen):
    read = Snapshot.read(frozen)
    assert read.tokenizer == "cl100k_base"
    assert read.versions == {"python": platform.python_version(), **package_versions()}
    assert {"charset-normalizer", "html-to-markdown", "markdown-it-py"} < set(read.versions)
    assert [(entry.id, entry.characters) for entry in read.entries] == [
        ("guide/lamp.md", 24),
        ("bom.txt", 8),
    ]


def test_it_is_the_same_whenever_it_is_made(frozen, tmp_path):
    create(iter(CORPUS), tmp_path / "again")
    assert (frozen / "snapshot.json").read_bytes() == (
        tmp_path / "again" / "snapshot.json"
    ).read_bytes()


class TestCreate:
    def test_an_empty_folder_is_used(self, tmp_path):
        (tmp_path / "new").mkdir()
        assert create(CORPUS, tmp_path / "new").fingerprint == CORPUS.fingerprint

    def test_a_folder_that_holds_something_is_refused(self, frozen):
        with pytest.raises(SourceError, match="exists and is not empty"):
            create(CORPUS, frozen)

    @pytest.mark.parametrize(
        "name", ["../x", "a/../../x", "/etc/x", "a//b", "./a", "a/", "..\\x", "C:x", "a\0"]
    )
    def test_ids_that_lead_out_are_refused_and_nothing_is_left(self, tmp_path, name):
        with pytest.raises(SourceError, match="is no path below a folder"):
            create([Document("ok.md", "ok"), Document(name, "x")], tmp_path / "s" / "new")
        assert list((tmp_path / "s").iterdir()) == []

    @pytest.mark.parametrize("other", ["a", "a/b/c", "a/b"])
    def test_ids_that_need_one_file_are_refused(self, tmp_path, other):
        documents = [Document("a/b", "x"), Document(other, "y")]
        with pytest.raises(SourceError, match=f"{other!r} needs the same file|cannot be written"):
            create(documents, tmp_path / "new")
        assert not list(tmp_path.iterdir())

    def test_metadata_must_be_plain(self, tmp_path):
        with pytest.raises(SourceError, match="'a': metadata cannot be written as JSON"):
            create([Document("a", "x", metadata={"when": object()})], tmp_path / "new")


class TestChangedOnDisk:
    def test_reading_names_a_changed_document(self, frozen):
        (frozen / "documents" / "bom.txt").write_text("other")
        with pytest.raises(SourceError, match=r"document 'bom.txt' was changed since"):
            Corpus.read(frozen)

    def test_reading_names_a_missing_document(self, frozen):
        (frozen / "documents" / "bom.txt").unlink()
        with pytest.raises(SourceError, match=r"document 'bom.txt' was removed since"):
            Corpus.read(frozen)

    def test_verify_lists_everything(self, frozen):
        (frozen / "documents" / "bom.txt").unlink()
        (frozen / "documents" / "guide" / "lamp.md").write_text("dark")
        (frozen / "documents" / "new.md").write_bytes(b"\xff")
        changes = verify(frozen)
        assert [(change.kind, change.document_id) for change in changes] == [
            ("changed", "guide/lamp.md"),
            ("removed", "bom.txt"),
            ("added", "new.md"),
        ]
        assert changes[0].detail.startswith(Snapshot.read(frozen).entries[0].sha256[:12])
        assert changes[0].detail.endswith("4 characters")

    def test_hashes_cannot_be_edited_with_the_texts(self, frozen):
        values = json.loads((frozen / "snapshot.json").read_text("utf-8"))
        values["documents"][1]["sha256"] = "0" * 64
        (frozen / "snapshot.json").write_text(json.dumps(values))
        with pytest.raises(SourceError, match="was edited"):
            Corpus.read(frozen)


class TestDamagedManifest:
    @pytest.mark.parametrize(
        ("edit", "message"),
        [
            (lambda values: "{", "cannot be read"),
            (lambda values: "[]", "not written by chunkwright"),
            (lambda values: json.dumps({**values, "format": 2}), "format 2, but chunkwright"),
            (lambda values: json.dumps({**values, "documents": [{}]}), "damaged"),
            (lambda values: json.dumps({**values, "versions": None, "documents": 3}), "damaged"),
            (lambda values: json.dumps(values).replace("bom.txt", "../x"), "no path below"),
        ],
    )
    def test_it_is_said(self, frozen, edit, message):
        manifest = frozen / "snapshot.json"
        manifest.write_text(edit(json.loads(manifest.read_text("utf-8"))))
        with pytest.raises(SourceError, match=message):
            Corpus.read(frozen)

    def test_a_folder_without_one_is_no_snapshot(self, tmp_path):
        with pytest.raises(SourceError, match=r"no snapshot\.json, so not a snapshot"):
            Snapshot.read(tmp_path)

    def test_a_file_of_that_name_does_not_make_a_snapshot(self, tmp_path):
        (tmp_path / "snapshot.json").write_text('{"heap": 1}')
        assert Corpus.read(tmp_path)[0].id == "snapshot.json"


class TestDiff:
    CHANGED = (Document("guide/lamp.md", "dark"), Document("new.md", "new"))

    def test_with_another_snapshot_and_with_a_corpus(self, frozen, tmp_path):
        create(self.CHANGED, tmp_path / "after")
        changes = diff(frozen, tmp_path / "after")
        assert changes == diff(frozen, Corpus.of(self.CHANGED))
        assert [(change.kind, change.document_id) for change in changes] == [
            ("removed", "bom.txt"),
            ("changed", "guide/lamp.md"),
            ("added", "new.md"),
        ]
        assert str(changes[2]) == "added new.md (11507a0e2f5e, 3 characters)"

    def test_nothing(self, frozen):
        assert diff(frozen, CORPUS) == ()

    def test_a_change_prints_on_one_line(self):
        assert str(Change("removed", "a.md", "0, 1 characters")) == "removed a.md (0, 1 characters)"


def test_nothing_is_left_when_writing_breaks_off(tmp_path, monkeypatch):
    def broken(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(snapshot, "_write_manifest", broken)
    with pytest.raises(KeyboardInterrupt):
        create(CORPUS, tmp_path / "new")
    assert list(tmp_path.iterdir()) == []
