import os
import sys
from pathlib import Path
from threading import Thread

import pytest

from chunkwright.errors import SourceError
from chunkwright.model import Document
from chunkwright.sources import files
from chunkwright.sources.corpus import Corpus, Failure, iter_documents
from chunkwright.sources.decode import decode
from chunkwright.text.analysis import MARKDOWN_SUFFIXES, is_markdown


@pytest.fixture
def folder(tmp_path):
    files = {
        "b.md": "# B",
        "a/z.txt": "z",
        "a/deep/x.rst": "x",
        "main.rs": "fn main() {}",
        ".hidden.md": "no",
        ".git/config.txt": "no",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def ids(corpus):
    return [document.id for document in corpus]


def reasons(corpus):
    return [failure.reason for failure in corpus.failures]


class TestFolders:
    def test_a_folder_is_read_in_order_without_hidden_files(self, folder):
        assert ids(Corpus.read(folder)) == ["a/deep/x.rst", "a/z.txt", "b.md", "main.rs"]

    def test_other_types_are_skipped_which_is_no_failure(self, folder):
        (folder / "page.pdf").write_text("%PDF-")
        (folder / "photo.png").write_bytes(b"\x89PNG")
        corpus = Corpus.read(folder)
        assert [(f.path, f.reason) for f in corpus.skipped] == [
            (str(folder / "page.pdf"), "type not read yet"),
            (str(folder / "photo.png"), "type not read yet"),
        ]
        assert not corpus.failures

    def test_one_bad_document_stops_nothing(self, folder):
        (folder / "empty.md").write_text(" \n")
        (folder / "noise.txt").write_bytes(os.urandom(9) + b"\0\0\xff" * 9)
        corpus = Corpus.read(folder)
        assert len(corpus) == 4
        assert reasons(corpus) == ["empty", "binary"]
        assert str(corpus.failures[0]) == f"{folder / 'empty.md'}: empty"

    def test_links_that_lead_out_or_round_are_reported(self, folder, tmp_path_factory):
        outside = tmp_path_factory.mktemp("outside")
        (outside / "secret.md").write_text("secret")
        (folder / "a" / "up").symlink_to(folder)
        (folder / "away").symlink_to(outside)
        (folder / "away.md").symlink_to(outside / "secret.md")
        (folder / "gone.md").symlink_to(folder / "nowhere.md")
        (folder / "self.md").symlink_to("self.md")
        corpus = Corpus.read(folder)
        assert len(corpus) == 4
        assert {Path(f.path).name: f.reason.split(";")[0] for f in corpus.failures} == {
            "up": "link to a folder above it",
            "away": "link that leaves the folder",
            "away.md": "link that leaves the folder",
            "gone.md": "broken or circular link",
            "self.md": "broken or circular link",
        }

    def test_links_inside_the_folder_are_followed_once(self, folder):
        (folder / ".data").mkdir()
        (folder / ".data" / "v1.md").write_text("v1")
        (folder / "current.md").symlink_to(".data/v1.md")
        (folder / "one").symlink_to(".data")
        (folder / "two").symlink_to(".data")
        corpus = Corpus.read(folder)
        assert {"current.md", "one/v1.md"} <= set(ids(corpus))
        assert reasons(corpus) == ["link to a folder that another link led to"]

    def test_folders_that_link_to_one_another_end(self, tmp_path):
        names = [f"f{index}" for index in range(8)]
        for name in names:
            (tmp_path / name).mkdir()
            (tmp_path / name / "text.md").write_text(name)
            for other in names:
                (tmp_path / name / f"to-{other}").symlink_to(tmp_path / other)
        assert len(Corpus.read(tmp_path)) < 100

    @pytest.mark.slow
    def test_folders_may_lie_deeper_than_python_calls_itself(self, tmp_path, monkeypatch):
        depth = sys.getrecursionlimit() + 50
        monkeypatch.chdir(tmp_path)
        for _ in range(depth):
            Path("d").mkdir()
            os.chdir("d")
        Path("deep.md").write_text("deep")
        os.chdir(tmp_path)
        Path("top.md").write_text("top")
        try:
            assert {Path(document.id).name for document in Corpus.read(".")} == {
                "deep.md",
                "top.md",
            }
        finally:  # pytest could not remove it
            os.chdir("d/" * depth)
            Path("deep.md").unlink()
            for _ in range(depth):
                os.chdir("..")
                Path("d").rmdir()

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read anything")
    def test_a_file_that_may_not_be_read_is_reported(self, folder):
        (folder / "b.md").chmod(0)
        assert reasons(Corpus.read(folder)) == ["cannot be read: Permission denied"]

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    def test_a_pipe_is_not_waited_for(self, folder):
        os.mkfifo(folder / "pipe.md")
        assert reasons(Corpus.read(folder)) == ["not a regular file"]

    def test_a_name_that_is_no_text_is_reported(self, folder):
        try:
            (folder / os.fsdecode(b"caf\xe9.md")).write_text("x")
        except OSError:
            pytest.skip("this file system takes UTF-8 names only")
        failure = Corpus.read(folder).failures[0]
        assert failure.path.endswith("caf�.md")
        assert failure.reason == "file name is not UTF-8; rename it"


class TestFiles:
    @pytest.mark.parametrize("kind", [MemoryError, RecursionError, LookupError])
    def test_a_fault_while_one_is_read_stops_nothing(self, folder, monkeypatch, kind):
        def faulty(data, declared):
            if data == b"z":
                raise kind("bad luck")
            return decode(data, declared)

        monkeypatch.setattr(files, "decode", faulty)
        corpus = Corpus.read(folder)
        assert len(corpus) == 3
        assert reasons(corpus) == [f"cannot be read: {kind.__name__}: bad luck"]

    def test_a_named_file_is_read_whatever_its_suffix(self, tmp_path):
        (tmp_path / "notes.xyz").write_text("notes")
        assert ids(Corpus.read(tmp_path / "notes.xyz")) == ["notes.xyz"]

    def test_line_ends_are_kept(self, tmp_path):
        (tmp_path / "dos.txt").write_bytes(b"a\r\nb\rc\n")
        assert Corpus.read(tmp_path)[0].text == "a\r\nb\rc\n"

    def test_a_found_out_encoding_is_told(self, tmp_path):
        text = "Le café était fermé à cause de la grève. Nous avons dû chercher un autre endroit."
        (tmp_path / "old.txt").write_bytes(text.encode("latin-1"))
        document = Corpus.read(tmp_path)[0]
        assert document.text == text
        assert document.metadata == {"encoding": "cp1252"}
        (tmp_path / "new.txt").write_bytes(text.encode("utf-16"))
        assert Corpus.read(tmp_path).guessed == {"old.txt": "cp1252"}

    def test_what_a_page_declares_is_no_guess(self, tmp_path):
        page = '<meta charset="iso-8859-1"><p>Le café était fermé.'
        (tmp_path / "page.html").write_bytes(page.encode("latin-1"))
        corpus = Corpus.read(tmp_path)
        assert corpus[0].text == "Le café était fermé.\n"
        assert corpus.guessed == {}

    @pytest.mark.parametrize("suffix", sorted(MARKDOWN_SUFFIXES))
    def test_all_that_is_markdown_is_read_in_a_folder(self, tmp_path, suffix):
        (tmp_path / f"a{suffix}").write_text("# A")
        assert [is_markdown(document.id) for document in Corpus.read(tmp_path)] == [True]

    @pytest.mark.parametrize("suffix", [".tsv", ".jsonl", ".xml", ".sh", ".adoc", ".sql", ".CSS"])
    def test_plain_text_and_source_code_too(self, tmp_path, suffix):
        (tmp_path / f"a{suffix}").write_text("# A")
        assert [is_markdown(document.id) for document in Corpus.read(tmp_path)] == [False]

    def test_several_paths_keep_their_own_roots(self, folder):
        corpus = Corpus.read([folder / "a", str(folder / "b.md")])
        assert ids(corpus) == ["deep/x.rst", "z.txt", "b.md"]

    def test_two_files_with_one_id_are_both_named(self, folder):
        (folder / "b").mkdir()
        (folder / "b" / "z.txt").write_text("other")
        with pytest.raises(SourceError) as caught:
            Corpus.read([folder / "a", folder / "b"])
        assert f"{folder / 'a/z.txt'} and {folder / 'b/z.txt'}" in str(caught.value)


class TestLimit:
    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs sparse files")
    def test_a_gigantic_file_is_not_even_opened_for_reading(self, folder, monkeypatch):
        with (folder / "huge.txt").open("wb") as file:
            file.truncate(50_000_000_000)
        assert len(Corpus.read(folder)) == 4
        assert reasons(Corpus.read(folder)) == [
            "50,000 MB, but the limit is 200 MB; split it, or raise the limit (--max-file-size, "
            "max_bytes)"
        ]

    def test_the_limit_itself_is_read(self, folder):
        (folder / "b.md").write_text("12345")
        assert len(Corpus.read(folder / "b.md", max_bytes=5)) == 1
        with pytest.raises(SourceError, match="limit is 4 bytes"):
            Corpus.read(folder / "b.md", max_bytes=4)

    @pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
    def test_a_source_without_end_is_left(self):
        with pytest.raises(SourceError, match=r"/dev/zero: more, but the limit is 1 MB"):
            Corpus.read("/dev/zero", max_bytes=1_000_000)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    def test_a_pipe_that_is_named_is_read(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        writer = Thread(target=lambda: (tmp_path / "pipe").write_text("from a pipe"))
        writer.start()
        assert Corpus.read(tmp_path / "pipe")[0].text == "from a pipe"
        writer.join()


class TestNothingToRead:
    def test_a_path_that_does_not_exist(self, folder):
        with pytest.raises(SourceError, match=r"nowhere: no such file or folder"):
            Corpus.read([folder, folder / "nowhere"])

    def test_streaming_says_so_at_once(self):
        with pytest.raises(SourceError, match="no such file"):
            iter_documents("nowhere")

    def test_the_first_reasons_are_given(self, tmp_path):
        for index in range(5):
            (tmp_path / f"{index}.md").touch()
        with pytest.raises(SourceError, match=r"0\.md: empty; .*2\.md: empty; and 2 more$"):
            Corpus.read(tmp_path)

    def test_an_empty_folder(self, tmp_path):
        with pytest.raises(SourceError, match="there are no files in it"):
            Corpus.read(tmp_path)

    def test_no_path(self):
        with pytest.raises(SourceError, match="no path given"):
            Corpus.read([])


class TestCorpus:
    def test_it_is_a_sequence(self):
        one, two = Document("1", "a"), Document("2", "b")
        corpus = Corpus.of([one, two])
        assert (len(corpus), corpus[0], corpus[1:], list(corpus)) == (2, one, (two,), [one, two])
        assert two in corpus
        assert Document("2", "other") not in corpus

    def test_ids_are_unique(self):
        with pytest.raises(SourceError, match="several documents have the id 'x'; rename"):
            Corpus.of([Document("x", "a"), Document("y", "a"), Document("x", "b")])

    def test_an_unknown_id_names_the_nearest(self):
        corpus = Corpus.of([Document("docs/lamp.md", "a"), Document("desk.md", "b")])
        with pytest.raises(SourceError, match=r"did you mean 'docs/lamp.md'\?"):
            corpus.document("lamp.md")

    def test_the_fingerprint_is_of_ids_and_texts_in_any_order(self):
        one, two = Document("1", "a"), Document("2", "b")
        first = Corpus.of([one, two]).fingerprint
        assert first == Corpus.of([two, one]).fingerprint
        assert first != Corpus.of([one, Document("2", "c")]).fingerprint
        assert first != Corpus.of([one, Document("3", "b")]).fingerprint

    def test_streaming_gives_documents_and_failures(self, folder):
        (folder / "empty.md").touch()
        kinds = [type(item) for item in iter_documents(folder)]
        assert kinds == [Document, Document, Document, Failure, Document]
