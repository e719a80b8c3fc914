"""A gold set that is written is read as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.gold.write import as_lines

GOLD = GoldSet(
    (
        Question("q1", "a\u2028b\n\r\x85c", (Reference("a b.md", 2, 6, "Lamp"),), "en"),
        Question("é", '"\\', (Reference("<b>.md", quote="💡\ud7ff"), Reference("a", 0, 1))),
        Question("q3", "שלום", ()),
    )
)
EXAMPLES = Path(__file__).parents[2] / "examples" / "gold.jsonl"


def test_it_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_bytes("".join(as_lines(GOLD)).encode())
    assert GoldSet.read(path) == GOLD


@pytest.mark.skipif(not EXAMPLES.is_file(), reason="needs the examples")
def test_the_examples_are_written_as_they_are() -> None:
    assert "".join(as_lines(GoldSet.read(EXAMPLES))) == EXAMPLES.read_text(encoding="utf-8")
