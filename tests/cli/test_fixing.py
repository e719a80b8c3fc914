"""`check --fix`, `--diff` and `--write`, run as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Command, one_line

SETUP = ("-s", "fixed:60c")
EXAMPLES = Path(__file__).resolve().parents[1] / "integrations" / "data"
LAMP = (
    "# Lamp\n\nThe lamp blinks blue while it is pairing.\n\nPlus costs $3.99 a month for all of "
    "you. Nobody pays more.\n"
)


@pytest.fixture
def docs(here: Path) -> Path:
    """One document, of which 60 characters at a time cut a sentence."""
    (here / "docs" / "hub.txt").unlink()
    (here / "docs" / "lamp.md").write_text(LAMP)
    return here


def test_findings_are_those_that_are_left(command: Command, docs: Path) -> None:
    before = json.loads(command("check", "docs", *SETUP, "--json").out)
    done = command("check", "docs", *SETUP, "--fix")
    assert done.status == 0
    assert "C102" in {each["code"] for each in before["findings"]}
    assert "C102 starts mid-sentence" not in done.out
    assert "by move_to_sentence; findings " in done.out.splitlines()[-1]
    assert "nothing was written: add --write FILE.jsonl" in done.err


def test_limits_count_what_is_left(command: Command, docs: Path) -> None:
    arguments = ("check", "docs", *SETUP, "--select", "C102", "--max-warnings", "0")
    assert command(*arguments).status == 1
    assert command(*arguments, "--fix").status == 0


def test_only_repairs_of_selected_rules_are_done(command: Command, docs: Path) -> None:
    told = json.loads(command("check", "docs", *SETUP, "--fix", "--select", "S201", "--json").out)
    assert told["mending"]["repairs"] == ["repeat_table_head"]
    assert told["mending"]["changes"] == []


def test_unsafe_repairs_are_asked_for(command: Command, docs: Path) -> None:
    (docs / "docs" / "lamp.md").write_text(
        "# Lamp\n\nThe lamp blinks.\n\n## Brightgrid Plus\n\nThree euros a month are to be paid "
        "for all of it.\n\nIt also adds a report every week to all of them.\n"
    )
    arguments = ("check", "docs", "-s", "markdown:70c", "--select", "C104", "--json")
    assert len(json.loads(command(*arguments).out)["findings"]) == 1
    safe = command(*arguments, "--fix")
    assert json.loads(safe.out)["mending"]["changes"] == []
    assert "1 finding more may be mended by --unsafe-fixes" in safe.err
    told = json.loads(command(*arguments, "--fix", "--unsafe-fixes").out)
    assert told["findings"] == []
    (change,) = told["mending"]["changes"]
    assert change["repairs"] == ["name_the_subject"]
    assert change["embed_before"].startswith("It also adds")
    assert change["embed_after"].startswith("Brightgrid Plus also adds")


def test_a_difference_is_shown_and_nothing_written(command: Command, docs: Path) -> None:
    done = command("check", "docs", *SETUP, "--diff")
    assert done.status == 1
    lines = done.out.splitlines()
    assert lines[0].startswith("docs/lamp.md:")
    assert any(line.startswith("- ") for line in lines)
    assert any(line.startswith("+ ") for line in lines)
    assert lines[-1].startswith("would mend ")
    assert sorted(each.name for each in docs.iterdir()) == ["docs", "empty", "gold.jsonl"]


def test_a_difference_of_nothing_is_no_failure(command: Command, docs: Path) -> None:
    done = command("check", "docs", "-s", "sentence:1s", "--diff", "--select", "C102")
    assert done.status == 0
    assert done.out == "nothing would be mended\n"


@pytest.mark.parametrize("name", ["mended.jsonl", "mended.parquet"])
def test_mended_chunks_are_written_and_read_back(command: Command, docs: Path, name: str) -> None:
    fixed = command("check", "docs", *SETUP, "--fix", "--write", name, "--json")
    assert f"chunks → {name}" in fixed.err
    told = json.loads(fixed.out)
    again = json.loads(command("check", name, "--source", "docs", *SETUP, "--json").out)
    assert again["anchoring"]["methods"]["by offsets"] == told["chunks"] > 1
    places = [[(f["code"], f["start"]) for f in each["findings"]] for each in (told, again)]
    assert places[0] == places[1]
    # Mended again, nothing changes.
    twice = command("check", name, "--source", "docs", *SETUP, "--diff")
    assert twice.status == 0
    if name.endswith("jsonl"):
        rows = [json.loads(line) for line in (docs / name).read_text().splitlines()]
        assert all(LAMP[row["start"] : row["end"]] == row["text"] for row in rows)


def test_json_has_the_changes_and_what_is_fixable(command: Command, docs: Path) -> None:
    told = json.loads(command("check", "docs", *SETUP, "--json").out)
    by_code = {each["code"]: each["fixable"] for each in told["findings"]}
    assert by_code["C102"] is True
    sarif = json.loads(command("check", "docs", *SETUP, "--format", "sarif").out)
    results = sarif["runs"][0]["results"]
    assert {each["properties"]["fixable"] for each in results} <= {True, False}
    told = json.loads(command("check", "docs", *SETUP, "--fix", "--json").out)
    assert told["mending"]["changed"] == len(told["mending"]["changes"]) > 0
    assert told["mending"]["findings_after"] == len(told["findings"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--unsafe-fixes"], "--unsafe-fixes goes with --fix or --diff"),
        (["--write", "a.jsonl"], "--write goes with --fix"),
        (["--fix", "--diff", "--write", "a.jsonl"], "--write goes with --fix, and without --diff"),
        (["--fix", "--write", "a.csv"], "a.csv: write to a .jsonl or a .parquet file"),
        (["--fix", "--write", "docs"], "docs: write to"),
        (["--diff", "--json"], "--diff is text on its own"),
        (["--diff", "-o", "a.txt"], "--diff is text on its own"),
        (["--diff", "--gold", "gold.jsonl"], "--diff is text on its own"),
    ],
)
def test_options_that_say_nothing_together_are_refused(
    command: Command, docs: Path, arguments: list[str], message: str
) -> None:
    done = command("check", "docs", *SETUP, *arguments)
    assert done.status == 2
    assert message in one_line(done)


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.iterdir() if path.is_file()))
def test_chunks_of_other_tools_are_mended_and_written(
    command: Command, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "mended.jsonl"
    arguments = ("check", EXAMPLES / name, "--source", EXAMPLES / "docs", "--json")
    done = command(*arguments, "--fix", "--write", out)
    assert done.status == 0
    told = json.loads(done.out)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(rows) == told["chunks"] == told["mending"]["chunks_after"]
    for row in rows:
        text = (EXAMPLES / "docs" / row["document_id"]).read_text()
        assert text[row["start"] : row["end"]] == row["text"]
    assert told["mending"]["findings_after"] <= told["mending"]["findings_before"]
