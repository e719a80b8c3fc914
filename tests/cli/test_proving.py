"""`check --gold`, run as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

from chunkwright.quality.repair import repairs

from .conftest import Command, write_gold

GOLD = ("--gold", "gold.jsonl")


def test_two_tables_follow_the_findings(command: Command, here: Path) -> None:
    done = command("check", "docs", "-s", "fixed:20c", *GOLD)
    assert done.status == 0
    _, tables = done.out.split(" chunks of 2 documents", 1)
    assert "starts-mid-sentence" in tables
    assert "move_to_sentence" in done.out
    assert "too few questions" in done.out
    assert "2 questions, hit_rate@1000t, retriever hybrid." in done.out


def test_json_has_the_proof(command: Command, here: Path) -> None:
    arguments = ("check", "docs", "-s", "fixed:20c", *GOLD, "--json")
    done = command(*arguments, "--retriever", "bm25", "--metric", "recall@500t")
    proof = json.loads(done.out)["proof"]
    assert (proof["questions"], proof["metric"], proof["retriever"]) == (2, "recall@500t", "bm25")
    assert {"code", "missed_flagged", "verdict"} <= set(proof["rules"][0])
    asked = [each["repairs"] for each in proof["repairs"]]
    assert [[each.name] for each in repairs()] == asked[: len(repairs())]
    assert [each.name for each in repairs() if each.default] in asked


def test_questions_that_cannot_be_asked_are_told(command: Command, here: Path) -> None:
    write_gold(here / "gold.jsonl", ("lamp.md", "It blinks blue."), ("lamp.md", "It is green."))
    done = command("check", "docs", "-s", "fixed:20c", *GOLD, "--json")
    assert json.loads(done.out)["proof"]["questions"] == 1
    assert "q2" in done.err


def test_references_in_a_lost_tail_are_named(command: Command, here: Path) -> None:
    arguments = ("check", "docs", "-s", "fixed:900c", *GOLD, "--threshold", "Z302.tokens=6")
    done = command(*arguments, "--json")
    assert [each["question"] for each in json.loads(done.out)["proof"]["unread"]] == ["q1"]
    assert "question q1: its reference" in command(*arguments).err


def test_chunks_of_another_tool_are_asked_too(command: Command, here: Path) -> None:
    rows = [
        {"text": "# Lamp\n\nIt blinks blue. Press the button.", "source": "lamp.md"},
        {"text": "It blinks blue.", "source": "lamp.md"},
        {"text": "The hub hu", "source": "hub.txt"},
        {"text": "ms. It needs power.", "source": "hub.txt"},
    ]
    file = here / "chunks.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = command("check", file, "--source", "docs", *GOLD, "--json")
    assert done.status == 0
    proof = json.loads(done.out)["proof"]
    starts = next(each for each in proof["rules"] if each["code"] == "C102")
    assert (starts["flagged"], starts["missed_flagged"], starts["missed_unflagged"]) == (1, 1, 0)
    assert "not asked, as they lie inside other chunks: 1 chunk" in done.err


def test_a_document_that_fails_has_no_chunks_and_the_rest_is_asked(
    command: Command, here: Path
) -> None:
    (here / "docs" / "empty.md").write_text("")
    done = command("check", "docs", "-s", "fixed:20c|repair", *GOLD, "--json")
    assert done.status == 3
    assert json.loads(done.out)["proof"]["questions"] == 2
