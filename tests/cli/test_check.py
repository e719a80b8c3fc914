"""`check` and `rule`, run as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunkwright.cli.check import Limit
from chunkwright.errors import ChunkwrightError

from .conftest import Command, one_line

EXAMPLES = Path(__file__).resolve().parents[1] / "integrations" / "data"


def test_findings_are_lines_with_the_file_and_a_summary(command: Command, here: Path) -> None:
    done = command("check", "docs", "--setup", "fixed:20c")
    assert done.status == 0
    *found, last = done.out.splitlines()
    assert "docs/hub.txt:1: C102 starts mid-sentence: 'ds power.'" in found
    assert last.startswith("5 chunks of 2 documents: ")
    assert not done.err


def test_rules_are_chosen_and_their_limits_set(command: Command, here: Path) -> None:
    arguments = ("check", "docs", "-s", "fixed:20c", "--json")

    def codes(*more: str) -> set[str]:
        done = command(*arguments, *more)
        assert done.status == 0
        return {each["code"] for each in json.loads(done.out)["findings"]}

    limits = ("--threshold", "C101.characters=1", "--threshold", "C101.share=0")
    assert codes("--select", "C101,C102") == {"C101", "C102"}
    assert codes("--select", "C", "--ignore", "C1") == set()
    assert codes("--select", "orphan", "--per-path-ignore", "lamp*:C101", *limits) == set()
    assert codes("--select", "C102", "--per-path-ignore", "*:C102") == set()
    done = command(*arguments, "--select", "C102", "--per-path-ignore", "hub.txt:C102")
    assert {each["path"] for each in json.loads(done.out)["findings"]} == {"docs/lamp.md"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["docs"], "how are they cut? give --setup"),
        ([], "nothing to check"),
        (["docs", "-s", "fixed:20"], "size"),
        (["docs", "-s", "fixed:20c", "--select", "C999"], "no rule 'C999'"),
        (["docs", "-s", "fixed:20c", "--threshold", "C101.characters"], "give a name and a number"),
        (["docs", "-s", "fixed:20c", "--threshold", "C101.x=3"], "no threshold 'C101.x'"),
        (["docs", "-s", "fixed:20c", "--max-warnings", "many"], "give a number of chunks"),
        (["docs", "-s", "fixed:20c", "--max-warnings", "0.5"], "give a number of chunks"),
        (["docs", "-s", "fixed:20c", "--per-path-ignore", "C102"], "give a pattern and rules"),
        (["docs", "-s", "fixed:20c", "--text-column", "a"], "go with --source"),
        (["docs", "-s", "fixed:20c", "-o", "docs"], "is a folder"),
        (["gold.jsonl"], "gold.jsonl: chunks are checked against their documents"),
        (["nowhere", "-s", "fixed:20c"], "nowhere: no such file or folder"),
        (["gold.jsonl", "--source", "docs"], "no format has these columns"),
        (["gold.jsonl", "gold.jsonl", "--source", "docs"], "one file of chunks at a time"),
        (["missing.jsonl", "--source", "docs"], "missing.jsonl: No such file"),
    ],
)
def test_bad_usage_is_one_line(
    command: Command, here: Path, arguments: list[str], message: str
) -> None:
    done = command("check", *arguments)
    assert done.status == 2
    assert message in one_line(done)


def test_limits_decide_the_status(command: Command, here: Path) -> None:
    arguments = ("check", "docs", "-s", "fixed:20c", "--select", "C102")
    assert command(*arguments, "--max-warnings", "100%").status == 0
    assert command(*arguments, "--max-warnings", "5").status == 0
    done = command(*arguments, "--max-warnings", "5%")
    assert done.status == 1
    assert "more than --max-warnings 5 %" in done.err
    assert command(*arguments, "--fail-on", "error").status == 1
    assert command(*arguments, "--fail-on", "note").status == 1
    only = ("check", "docs", "-s", "fixed:20c", "--select", "C101")
    assert command(*only, "--fail-on", "error").status == 0
    assert command(*only, "--fail-on", "warning").status == 1


def test_a_document_that_fails_is_told_and_the_rest_checked(command: Command, here: Path) -> None:
    (here / "docs" / "empty.md").write_text("")
    done = command("check", "docs", "-s", "fixed:20c", "--json")
    assert done.status == 3
    told = json.loads(done.out)
    assert [each["path"] for each in told["failures"]] == ["docs/empty.md"]
    assert told["documents"] == 2
    assert command("check", "docs", "-s", "fixed:20c", "--fail-on", "note").status == 1


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_every_form_can_be_a_file(command: Command, here: Path, form: str) -> None:
    arguments = ("check", "docs", "-s", "fixed:20c", "--format", form)
    shown = command(*arguments)
    written = command(*arguments, "-o", "found.out")
    assert shown.status == written.status == 0
    content = (here / "found.out").read_text()
    assert "→ found.out" in written.out
    assert "docs/hub.txt" in content
    if form == "text":
        assert content.count("\n") == shown.out.count("\n") - 1
    else:
        assert content == shown.out
    if form == "sarif":
        assert json.loads(content)["version"] == "2.1.0"


def test_statistics_are_tables(command: Command, here: Path) -> None:
    done = command("check", "docs", "-s", "fixed:20c", "--statistics", "--top", "0")
    assert "starts-mid-sentence" in done.out
    assert "95 %" in done.out
    assert "docs/hub.txt" in done.out
    assert "--top shows more of each" in done.out


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.iterdir() if path.is_file()))
def test_chunks_of_other_tools_are_checked(command: Command, name: str) -> None:
    done = command("check", EXAMPLES / name, "--source", EXAMPLES / "docs", "--json")
    assert done.status == 0
    told = json.loads(done.out)
    assert told["anchoring"]["missed"] == []
    assert told["documents"] == 2
    assert all("row" in each for each in told["findings"])
    assert "chunks (" in done.err


def test_our_own_export_is_read_back(command: Command, here: Path) -> None:
    for file in ("chunks.jsonl", "chunks.parquet"):
        command("chunk", "docs", "-s", "fixed:20c", "-o", file)
        ours = json.loads(command("check", "docs", "-s", "fixed:20c", "--json").out)
        theirs = json.loads(command("check", file, "--source", "docs", "--json").out)
        assert theirs["anchoring"]["format"] == "chunkwright"
        assert theirs["anchoring"]["methods"]["by offsets"] == 5
        places = [[(f["code"], f["start"]) for f in each["findings"]] for each in (ours, theirs)]
        assert places[0] == places[1]


def test_chunks_without_a_place_are_told(command: Command, here: Path) -> None:
    rows = [{"text": "It blinks blue."}, {"text": "Nobody has ever written this anywhere."}]
    (here / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = command("check", "a.jsonl", "--source", "docs")
    assert done.status == 3
    assert "a.jsonl:2: not found in" in done.err
    assert "'Nobody has ever written this anywhere.'" in done.err
    (here / "b.jsonl").write_text(json.dumps(rows[1]))
    none = command("check", "b.jsonl", "--source", "docs")
    assert none.status == 2
    assert "are these what they were made from?" in one_line(none)


def test_retrieval_over_chunks_of_other_tools(command: Command, here: Path) -> None:
    command("chunk", "docs", "-s", "sentence:1s", "-o", "chunks.jsonl")
    arguments = ("eval", "docs", "--gold", "gold.jsonl", "--retriever", "bm25")
    shown = command(*arguments, "--chunks", "chunks.jsonl")
    assert shown.status == 0
    assert shown.out.startswith("chunks.jsonl\n  hit_rate@1000t            100.0 %  n=2\n")
    told = json.loads(command(*arguments, "--chunks", "chunks.jsonl", "--json").out)
    ours = json.loads(command(*arguments, "--setup", "sentence:1s", "--json").out)
    assert told["metrics"] == pytest.approx(ours["setups"][0]["metrics"], abs=1e-6)
    neither = command(*arguments)
    assert neither.status == 2
    assert "give either --setup or --chunks" in one_line(neither)


def test_how_like_an_altered_chunk_must_be(command: Command, here: Path) -> None:
    texts = ("It blonks blue. Press some button, OK?", "Press the button.")
    (here / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    arguments = ("check", "a.jsonl", "--source", "docs", "--json")
    found = json.loads(command(*arguments).out)
    assert found["anchoring"]["methods"]["fuzzy"] == 1
    assert command(*arguments, "--likeness", "0.99").status == 3


def test_settings_come_from_the_file_then_the_environment_then_flags(
    command: Command, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "chunkwright.toml").write_text(
        '[check]\npaths = ["docs"]\nsetup = "fixed:20c"\nselect = ["C101", "C102"]\n'
        'max-warnings = "1%"\n[check.thresholds]\nC101.characters = 1\nC101.share = 0\n'
        '[check.per-path-ignores]\n"lamp*" = ["C101", "C102"]\n'
    )
    done = command("check")
    assert done.status == 1
    assert "C102 starts mid-sentence" in done.out
    assert "docs/hub.txt" in done.out
    assert "lamp.md" not in done.out
    monkeypatch.setenv("CHUNKWRIGHT_CHECK_MAX_WARNINGS", "50%")
    assert command("check").status == 0
    assert command("check", "--max-warnings", "0").status == 1
    monkeypatch.setenv("CHUNKWRIGHT_CHECK_FORMAT", "json")
    assert json.loads(command("check").out)["subject"] == "fixed:20c"


def test_rule_explains(command: Command) -> None:
    listed = command("rule")
    assert "C102   starts-mid-sentence" in listed.out
    by_code, by_name = command("rule", "C101"), command("rule", "orphan")
    assert by_code.out == by_name.out
    for part in ("## C101 orphan", "Bad:", "Good:", "`C101.characters` = 20", "merge_orphans"):
        assert part in by_code.out
    assert json.loads(command("rule", "c101", "--json").out)[0]["name"] == "orphan"
    wrong = command("rule", "orfan")
    assert wrong.status == 2
    assert "did you mean 'orphan'?" in one_line(wrong)


def test_limits_are_read() -> None:
    assert str(Limit.parse("5%")) == "5 %"
    assert str(Limit.parse(" 2.5 % ")) == "2.5 %"
    assert not Limit.parse("0").is_past(0, 9)
    with pytest.raises(ChunkwrightError):
        Limit.parse("-1")
