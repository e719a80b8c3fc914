"""What decides figures beside the setup."""

from __future__ import annotations

from pathlib import Path

from chunkwright._version import code_hash


def written(folder: Path) -> Path:
    (folder / "languages").mkdir()
    (folder / "rules.py").write_text("LIMIT = 1\n")
    (folder / "languages" / "de.toml").write_text('stops = ["z.B."]\n')
    return folder


def test_code_and_tables_count_and_nothing_else(tmp_path: Path) -> None:
    before = code_hash([written(tmp_path)])
    (tmp_path / "rules.cpython-311.pyc").write_bytes(b"compiled")
    assert code_hash([tmp_path]) == before
    (tmp_path / "languages" / "de.toml").write_text('stops = ["d.h."]\n')
    assert code_hash([tmp_path]) != before


def test_a_name_counts(tmp_path: Path) -> None:
    before = code_hash([written(tmp_path)])
    (tmp_path / "rules.py").rename(tmp_path / "limits.py")
    assert code_hash([tmp_path]) != before


def test_files_are_named_one_by_one_too(tmp_path: Path) -> None:
    folder = written(tmp_path)
    one, other = folder / "rules.py", folder / "languages" / "de.toml"
    assert code_hash([one]) != code_hash([other])
    assert code_hash([one, other]) != code_hash([one])
