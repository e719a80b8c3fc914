"""Proof in words and tables."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import pytest

from chunkwright.evaluation.proof import RepairProof, RuleProof, Unread
from chunkwright.report.proof import (
    Proof,
    as_json,
    note,
    repair_table,
    repair_verdict,
    rule_table,
    rule_verdict,
    unread_lines,
)

RULE = RuleProof("C102", "starts mid-sentence", 12, 24, 12, 0.5, 0.25, 0.05, 0.4)
REPAIR = RepairProof(("move_to_sentence",), 24, 36, 0.5, 0.6, 5, 1, 0.01, 0.2, -0.05)
TOGETHER = replace(REPAIR, repairs=("merge_orphans", "name_the_subject"), changed=0)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.05, 0.4, "costs answers"),
        (-0.1, 0.4, "no difference seen"),
        (-0.4, -0.1, "missed less often"),
        (nan, nan, "too few questions"),
    ],
)
def test_a_rule_has_a_verdict_in_words(low: float, high: float, words: str) -> None:
    assert rule_verdict(replace(RULE, low=low, high=high)) == words


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.01, 0.2, "wins answers"),
        (-0.1, 0.2, "no difference seen"),
        (-0.2, -0.01, "loses answers"),
        (nan, nan, "too few questions"),
    ],
)
def test_a_repair_has_a_verdict_in_words(low: float, high: float, words: str) -> None:
    assert repair_verdict(replace(REPAIR, low=low, high=high)) == words
    assert repair_verdict(TOGETHER) == "changes nothing"


def test_tables_hold_what_was_found_only() -> None:
    silent = RuleProof("C110", "", 0, 0, 36, nan, 0.4, nan, nan)
    unread = (Unread("q7", "a.md", 5, 9, 3),)
    proof = Proof("hit_rate@1000t", "hybrid", 36, (RULE, silent), (REPAIR, TOGETHER), unread)
    (row,) = rule_table(proof).rows
    assert row[:2] == ("C102", "starts-mid-sentence")
    assert row[4:] == ("50.0", "12", "25.0", "+25.0", "+5.0 … +40.0", "6.0", "costs answers")
    first, last = repair_table(proof).rows
    assert first[0] == "move_to_sentence"
    assert first[2:5] == ("24", "5", "1")
    assert first[7:] == ("+10.0", "+1.0 … +20.0", "−5.0", "wins answers")
    assert last[0] == "the default ones"
    assert note(proof).endswith("Rules without a finding: 1.")
    told = as_json(proof)
    assert [each["code"] for each in told["rules"]] == ["C102", "C110"]
    assert told["rules"][0]["answers_lost"] == 6
    assert told["repairs"][0]["verdict"] == "wins answers"
    assert told["unread"][0]["question"] == "q7"
    assert unread_lines(proof.unread) == [
        "question q7: its reference 5–9 in a.md lies in what falls off from chunk 3"
    ]
