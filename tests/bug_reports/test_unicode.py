"""Unicode: no character is cut in two, in any script, and none is replaced."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import regex

import chunkwright as cw
from chunkwright.text.analysis import Analysis
from tests.bug_reports.reports import to_come
from tests.bug_reports.tools import PACKED, STRATEGIES, assert_covers, chunks, spans, texts
from tests.cli.conftest import Command


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_095_an_emoji_of_several_tokens(strategy: str) -> None:
    text = "x👍🏽y"
    found = texts(text, f"{strategy}:1t")
    assert "".join(found) == text
    assert "\ufffd" not in "".join(found)
    assert sum("👍🏽" in part for part in found) == 1


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_097_characters_beyond_16_bits(strategy: str) -> None:
    found = texts("pq🌙rs🌙t", f"{strategy}:3c")
    assert found == ["pq🌙", "rs🌙", "t"]
    assert [part.encode("utf-8").decode("utf-8") for part in found] == found


@to_come("the lab")
def test_br_097_places_on_a_page_are_in_utf_16() -> None:
    from chunkwright.lab.paint import utf16_spans

    assert utf16_spans("pq🌙rs🌙t", [(0, 3), (3, 6), (6, 7)]) == [(0, 4), (4, 8), (8, 9)]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("size", ["8c", "9c", "10c", "9c+4c", "10c+8c", "3t", "4t", "5t"])
def test_br_098_a_joined_emoji_stays_whole(strategy: str, size: str) -> None:
    text = "Ship it 👩‍🚀 today"
    assert text[8:11] == "👩‍🚀"
    found = chunks(text, f"{strategy}:{size}")
    assert_covers(text, found)
    edges = {edge for chunk in found for edge in (chunk.start, chunk.end)}
    assert edges.isdisjoint({9, 10})


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_098_flags_and_marks_stay_whole(strategy: str) -> None:
    assert spans("🇩🇪🇫🇷", f"{strategy}:1c") == [(0, 2), (2, 4)]
    assert spans("ae\u0301b", f"{strategy}:1c") == [(0, 1), (1, 3), (3, 4)]


@pytest.mark.parametrize("notation", ["sentence:1s", "recursive:8c"])
def test_br_100_code_after_an_emoji(notation: str) -> None:
    found = chunks("# 🙂\ndef f():\n    return 1\n", notation, "a.py")
    assert [(chunk.start, chunk.text) for chunk in found] == [
        (0, "# 🙂"),
        (4, "def f():"),
        (17, "return 1"),
    ]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("今日は晴れ。明日は雨！本当？", [6, 11, 14]),
        ("पहला वाक्य। दूसरा वाक्य।", [11, 24]),
        ("هل وصلت؟ نعم.", [8, 13]),
    ],
    ids=["chinese and japanese marks", "danda", "arabic question mark"],
)
def test_br_101_stops_of_other_scripts(text: str, ends: list[int]) -> None:
    assert [end for _, end in spans(text, "sentence:1s")] == ends
    longest = max(len(part) for part in texts(text, "sentence:1s"))
    assert [end for _, end in spans(text, f"recursive:{longest}c")] == ends


@pytest.mark.parametrize(
    "notation", ["sentence:1s", "sentence:100c", "recursive:100c", "header:9s"]
)
def test_br_103_a_chinese_file_has_sentences(notation: str) -> None:
    text = "".join(f"这是第{at}句话。" for at in range(50))
    found = texts(text, notation)
    assert len(found) > 1
    assert all(part.endswith("。") for part in found)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_104_special_tokens_are_ordinary_text(strategy: str) -> None:
    text = "The token <|endoftext|> ends a text."
    (chunk,) = chunks(text, f"{strategy}:100t")
    assert chunk.text == text
    assert chunk.tokens > 10
    assert_covers(text, chunks(text, f"{strategy}:3t"))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_br_106_a_nul_stays_where_it_is(strategy: str) -> None:
    assert [(c.start, c.end, c.text) for c in chunks("a\x00b", f"{strategy}:9c")] == [
        (0, 3, "a\x00b")
    ]


def test_br_106_control_characters_are_told_and_escaped(command: Command, tmp_path: Path) -> None:
    path, to = tmp_path / "note.txt", tmp_path / "out.jsonl"
    text = "The lamp is \x00 broken. " + "It is not. " * 20
    path.write_text(text, encoding="utf-8")
    done = command("chunk", path, "-s", "recursive:1000c", "-o", to)
    assert done.status == 0
    assert "control character" in done.err
    # JSON escapes them, and reads them back at the same offsets.
    (line,) = to.read_text(encoding="utf-8").splitlines()
    assert "\\u0000" in line
    assert "\x00" not in line
    row = json.loads(line)
    assert row["text"] == text[row["start"] : row["end"]]
    path.write_text(text.replace("\x00", "\t"), encoding="utf-8")
    assert "control character" not in command("chunk", path, "-s", "recursive:1000c").err


def test_br_107_a_byte_order_mark_before_the_heading() -> None:
    text = "\ufeff# Title\nBody"
    # The heading is part of the chunk that it heads, so the body is where the section's body is.
    (section,) = [part for part in Analysis(cw.Document("a.md", text)).sections if part.level]
    assert (section.path, section.start, section.body) == (("Title",), 1, 9)
    assert chunks(text, "header:100c", "a.md")[-1].header == ("Title",)
    assert chunks(text, "header:100c", "a.md")[-1].text.endswith("# Title\nBody")


@pytest.mark.parametrize("strategy", PACKED)
@pytest.mark.parametrize("text", ["👩‍👩‍👧‍👦🇩🇪e\u0301क्षि각", "กำลังไปตลาด", "שָׁלוֹם עוֹלָם"])
def test_br_098_no_grapheme_is_cut_in_any_script(strategy: str, text: str) -> None:
    edges = {found.end() for found in regex.finditer(r"\X", text)} | {0}
    for size in range(1, 8):
        for start, end in spans(text, f"{strategy}:{size}c+{size // 2}c"):
            assert {start, end} <= edges
