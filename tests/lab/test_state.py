"""The state in the address."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.lab.state import OUTCOMES, PARTS, RETRIEVERS, State
from chunkwright.setup import Setup

_SETUPS = st.sampled_from(
    [
        *("sentence:200t+1s", "fixed:800c+20%", "recursive:1000c+200c|min=30c"),
        *("markdown:200t+10%|headers|parents=section|repair", "fixed:40t+10t|strip=no"),
    ]
).map(Setup.parse)
_WORDS = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    st.builds(
        State,
        part=st.sampled_from(PARTS),
        document=_WORDS,
        setup=_SETUPS,
        repairs=st.sampled_from([(), ("merge_orphans",), ("merge_orphans", "move_to_sentence")]),
        other=_SETUPS,
        other_repairs=st.sampled_from([(), ("merge_orphans",)]),
        question=_WORDS,
        retriever=st.sampled_from(RETRIEVERS),
        k=st.integers(1, 100),
        gold=_WORDS,
        alone=st.booleans(),
        listed=st.sampled_from(OUTCOMES),
        find=_WORDS,
    )
)
def test_the_address_holds_it_all(state: State) -> None:
    query = dict(parse_qsl(state.query, keep_blank_values=True, strict_parsing=bool(state.query)))
    assert State.of(query) == (state, [])


def test_what_is_as_it_starts_is_left_out() -> None:
    assert State().query == ""


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("setup", "sentence", "setup 'sentence': "),
        ("other", "fixed:9t+9t", "overlap 9 must be smaller than size 9"),
        ("repairs", "merge_orphan", "did you mean 'merge_orphans'?"),
        ("part", "chunk", "did you mean 'chunker'?"),
        ("retriever", "bm52", "did you mean 'bm25'?"),
        ("alone", "true", "known: no, yes"),
        ("listed", "notes", "did you mean 'note'?"),
        ("k", "-1", "a number from 1 to 100 is needed"),
        ("k", "9" * 5000, "a number from 1 to 100 is needed"),
        ("k", "²", "a number from 1 to 100 is needed"),
    ],
)
def test_what_cannot_be_used_is_said_and_left(name: str, text: str, said: str) -> None:
    state, problems = State.of({name: text, "document": "a.md"})
    assert state == State(document="a.md")
    (problem,) = problems
    assert said in problem


def test_what_is_unknown_is_passed_over() -> None:
    assert State.of({"token": "secret", "utm_source": "x"}) == (State(), [])
