"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from chunkwright.errors import SourceError
from chunkwright.sources.whole import whole_file, whole_folder


def test_a_file_replaces_the_old_one_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old")
    with whole_file(tmp_path / "out") as file:
        file.write(b"new")
        assert (tmp_path / "out").read_text() == "old"
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "new")]


def test_a_file_that_fails_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old")
    with pytest.raises(TypeError), whole_file(tmp_path / "out") as file:
        file.write("new")  # type: ignore[arg-type]
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "old")]


def test_what_a_killed_run_left_of_a_file_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / ".out.part").write_text("half of a much longer file")
    with whole_file(tmp_path / "out") as file:
        file.write(b"new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "new")]


def test_a_folder_appears_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    with whole_folder(tmp_path / "new") as folder:
        (folder / "a").write_text("a")
        assert not list((tmp_path / "new").iterdir())
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert (tmp_path / "new" / "a").read_text() == "a"


def test_a_folder_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), whole_folder(tmp_path / "new") as folder:
        (folder / "a" / "b").write_text("b")
    assert not list(tmp_path.iterdir())


def test_what_a_killed_run_left_of_a_folder_is_taken_over(tmp_path: Path) -> None:
    left = tmp_path / ".new.partial"
    (left / "documents").mkdir(parents=True)
    (left / "documents" / "old").write_text("old")
    (left / "link").symlink_to(tmp_path)
    with whole_folder(tmp_path / "new") as folder:
        (folder / "a").write_text("a")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["a"]


@pytest.mark.skipif(os.name == "nt", reason="no such locks there")
@pytest.mark.parametrize("writing", [whole_file, whole_folder])
def test_two_runs_do_not_mix(tmp_path: Path, writing: type[whole_file]) -> None:
    with writing(tmp_path / "out"):
        with (
            pytest.raises(SourceError, match="out: another run is writing it; wait"),
            writing(tmp_path / "out"),
        ):
            pass
        assert len(list(tmp_path.iterdir())) == 1
    with writing(tmp_path / "other"):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "out"]
