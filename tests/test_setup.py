"""Setups: one notation, one spelling of each value, and one line for every mistake."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from chunkwright.chunking.dress import chunk
from chunkwright.errors import ChunkwrightError, SetupError
from chunkwright.model import Document
from chunkwright.setup import Setup
from tests.properties.strategies import setups

NOTATIONS = [
    "fixed:800c+160c",
    "fixed:512w+64w",
    "fixed:40t+10t",
    "fixed:800c",
    "fixed:800c+20%",
    "sentence:2s+1s",
    "sentence:200t+1s",
    "sentence:200t+30w",
    "sentence:1000c+12.5%",
    "recursive:1000c+200c",
    "header:400t|headers",
    "header:4s+1s",
    "markdown:400t+10%|headers|parents=section|repair",
    "sentence:200t|parents=section",
    "sentence:200t|parents=document",
    "sentence:200t|parents=2000t",
    "sentence:200t|parents=900w",
    "recursive:200t|min=30t",
    "recursive:200t|min=3s",
    "recursive:200t|repair",
    "fixed:200t|strip=no",
    "fixed:200t|tokens=models/tokenizer.json",
    "markdown:400t+1s|headers|parents=2000t|repair|min=30w|tokens=a b.json|strip=no",
]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_notation_reads_back_and_is_what_it_was(notation: str) -> None:
    setup = Setup.parse(notation)
    assert str(setup) == notation
    assert Setup.parse(str(setup)) == setup
    assert eval(repr(setup)) == setup


@given(setups())
def test_any_setup_reads_back(setup: Setup) -> None:
    assert Setup.parse(str(setup)) == setup
    assert hash(Setup.parse(str(setup))) == hash(setup)


@pytest.mark.parametrize("size", [1, 10**9, 2**53 + 1])
def test_large_numbers_are_exact(size: int) -> None:
    setup = Setup("fixed", size)
    assert Setup.parse(str(setup)) == setup


@pytest.mark.parametrize(
    ("notation", "same"),
    [
        ("fixed:800c+160", "fixed:800c+160c"),
        ("sentence:200t+0s", "sentence:200t"),
        ("sentence:200t+0%", "sentence:200t"),
        ("sentence:200t+10.0%", "sentence:200t+10%"),
        ("sentence:200t|min=0s", "sentence:200t"),
        ("sentence:200t|min=30", "sentence:200t|min=30t"),
        ("sentence:200t|parents=2000", "sentence:200t|parents=2000t"),
        ("sentence:200t|tokens=cl100k_base", "sentence:200t"),
        ("sentence:200t|strip=yes", "sentence:200t"),
        ("sentence:200t|repair|headers", "sentence:200t|headers|repair"),
        ("  sentence:200t ", "sentence:200t"),
    ],
)
def test_a_value_has_one_spelling(notation: str, same: str) -> None:
    assert Setup.parse(notation) == Setup.parse(same)
    assert str(Setup.parse(notation)) == same


def test_python_and_notation_agree() -> None:
    setup = Setup(
        "markdown",
        size=400,
        unit="tokens",
        overlap=10,
        overlap_unit="percent",
        headers=True,
        parents="section",
        repair=True,
    )
    assert setup == Setup.parse("markdown:400t+10%|headers|parents=section|repair")


BAD = [
    ("fixed:100c+100c", "overlap 100 must be smaller than size 100 (characters)"),
    ("fixed:100c+250c", "overlap 250 must be smaller than size 100 (characters)"),
    ("sentence:2s+2s", "overlap 2 must be smaller than size 2 (sentences)"),
    ("fixed:100c+100%", "overlap 100 % must be below 100 % of the size"),
    ("fixed:0c", "size must be at least 1, got 0 characters"),
    ("fixed:-5c", "size '-5c' must be a whole number with a unit"),
    ("fixed:1.5c", "size '1.5c' must be a whole number with a unit"),
    ("fixed:", "size '' must be a whole number with a unit"),
    ("fixed", "'fixed' is not a setup: write STRATEGY:SIZE[+OVERLAP]"),
    ("", "'' is not a setup"),
    ("fixed:9c+", "overlap '' must be a number with a unit"),
    ("fixed:9c+1c+1c", "overlap '1c+1c' must be a number"),
    ("sentense:200t", "unknown strategy 'sentense': did you mean 'sentence'?"),
    ("marcdown:200t", "did you mean 'markdown'?"),
    ("fixed:2s", "strategy 'fixed' cannot be sized in sentences; it takes characters, words"),
    ("recursive:2s", "strategy 'recursive' cannot be sized in sentences"),
    ("markdown:2s", "strategy 'markdown' cannot be sized in sentences"),
    ("fixed:200t+1s", "strategy 'fixed' sized in tokens cannot overlap in sentences"),
    ("fixed:20x", "size '20x': unknown unit 'x'; known: c, w, t, s"),
    ("fixed:20c+5x", "overlap '5x': unknown unit 'x'; known: c, w, t, s, %"),
    ("fixed:20%", "size '20%': unknown unit '%'"),
    ("sentence:20c+1.5w", "overlap 1.5 words must be a whole number"),
    ("fixed:20c|min=21c", "minimum 21 must be between 0 and size 20 (characters)"),
    ("fixed:20c|min=5%", "min '5%': unknown unit '%'"),
    ("fixed:20c|parents=20c", "parents of 20 characters must be wider than size 20"),
    ("fixed:20c|parents=10", "parents of 10 characters must be wider than size 20"),
    ("fixed:20c|parents=0t", "parents of 0 tokens must be wider than size 20"),
    ("sentence:2s|parents=4s", "parents cannot be sized in sentences; use c, w or t"),
    ("fixed:20c|parents=chapter", "parents='chapter' must be 'section', 'document' or a size"),
    ("fixed:20c|header", "cannot read option 'header'; known: headers, parents=…, repair"),
    ("fixed:20c|headers=yes", "cannot read option 'headers=yes'"),
    ("fixed:20c|strip=maybe", "cannot read option 'strip=maybe'"),
    ("fixed:20c|min=", "cannot read option 'min='"),
    ("fixed:20c|", "cannot read option ''"),
    ("fixed:20c|tokens=gpt2", "unknown counter 'gpt2'"),
    ("fixed:20c|tokens=cl100k", "did you mean 'cl100k_base'?"),
]


@pytest.mark.parametrize(("notation", "message"), BAD)
def test_a_bad_setup_is_named_in_one_line(notation: str, message: str) -> None:
    with pytest.raises(SetupError) as caught:
        Setup.parse(notation)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


BAD_VALUES: list[tuple[dict[str, Any], str]] = [
    # BR-076: never compared as text.
    ({"size": "100", "overlap": "20"}, "size must be a number, got '100' (str)"),
    ({"size": 100, "overlap": "20"}, "overlap must be a number, got '20' (str)"),
    ({"size": True}, "size must be a number, got True (bool)"),
    ({"size": 100, "overlap": False}, "overlap must be a number, got False (bool)"),
    ({"size": 10.0}, "size must be a whole number, got 10.0"),
    ({"size": None}, "size must be a number, got None (NoneType)"),
    ({"size": 10, "minimum": 1.0}, "minimum must be a whole number, got 1.0"),
    ({"size": 10, "minimum": -1}, "minimum -1 must be between 0 and size 10"),
    ({"size": 10, "overlap": -1}, "overlap must be 0 or more, got -1 characters"),
    ({"size": -1}, "size must be at least 1, got -1 characters"),
    ({"size": 10, "unit": "token"}, "unknown unit 'token': did you mean 'tokens'?"),
    ({"size": 10, "unit": "t"}, "unknown unit 't'"),
    ({"size": 10, "overlap": 1, "overlap_unit": "word"}, "unknown overlap unit 'word': did you"),
    ({"size": 10, "minimum": 1, "minimum_unit": "char"}, "unknown minimum unit 'char'"),
    ({"size": 10, "tokens": ""}, "tokens='' must be a name or path without '|'"),
    ({"size": 10, "tokens": "a|b.json"}, "tokens='a|b.json' must be a name or path without '|'"),
    ({"size": 10, "tokens": " a.json"}, "tokens=' a.json' has white space at an end"),
    ({"size": 10, "overlap": float("nan"), "overlap_unit": "percent"}, "overlap"),
    ({"size": 10, "overlap": float("inf"), "overlap_unit": "percent"}, "overlap"),
    ({"size": 10, "parents": 20}, "parents"),
    ({"size": 10, "tokens": 3}, "tokens"),
]


@pytest.mark.parametrize(("values", "message"), BAD_VALUES)
def test_a_bad_value_is_named_in_one_line(values: dict[str, Any], message: str) -> None:
    with pytest.raises(SetupError) as caught:
        Setup("fixed", **values)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_error_is_also_a_value_error() -> None:
    assert issubclass(SetupError, ChunkwrightError)
    with pytest.raises(ValueError, match="overlap 20 must be smaller than size 10"):
        Setup("fixed", 10, overlap=20)


def test_a_setup_is_a_frozen_value() -> None:
    setup = Setup.parse("sentence:200t+1s|headers")
    with pytest.raises(FrozenInstanceError):
        setup.size = 3  # type: ignore[misc]
    assert {setup: 1}[Setup.parse("sentence:200t+1s|headers")] == 1
    assert pickle.loads(pickle.dumps(setup)) == setup
    assert copy.deepcopy(setup) == setup
    assert setup != Setup.parse("sentence:200t+1s")


def test_parents_are_cut_with_the_counter_of_their_children() -> None:
    setup = Setup.parse("sentence:100t|parents=800t|tokens=my.json")
    assert str(setup.parents_setup()) == "recursive:800t|tokens=my.json"


@pytest.mark.parametrize("notation", ["sentence:5t|headers", "markdown:14c|headers"])
def test_a_header_that_leaves_no_room_is_named(notation: str) -> None:
    """BR-163: an error that names the size and the header, before any work."""
    text = "# Lamp\n\n## Factory reset\n\nSwitch it off."
    with pytest.raises(SetupError) as caught:
        chunk(Document("guide.md", text), notation)
    message = str(caught.value)
    assert f"size {Setup.parse(notation).size} " in message
    assert "'[Lamp > Factory reset]'" in message or "'[Lamp]'" in message
    assert "guide.md" in message
    assert "\n" not in message


def test_a_missing_tokenizer_file_is_named_when_it_is_used(tmp_path: Path) -> None:
    setup = Setup.parse(f"fixed:20t|tokens={tmp_path}/none.json")
    with pytest.raises(SetupError, match=r"none\.json: no such file"):
        chunk(Document("a.txt", "One."), setup)
