"""Sharing: the addresses of the page and of the files."""

from __future__ import annotations

from urllib.parse import parse_qs, parse_qsl, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from chunkwright.lab.share import files_address, shared_address
from chunkwright.lab.state import PARTS, State
from chunkwright.service.workspace import Recipe
from chunkwright.setup import Setup

_WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(_WORDS, _WORDS, st.sampled_from(PARTS))
def test_the_address_opens_a_part_with_the_state(document: str, question: str, part: str) -> None:
    state = State(part="share", document=document, question=question, repairs=("add_header",))
    address = urlsplit(shared_address(state, part))
    assert (address.path, address.fragment) == ("", "")
    found, problems = State.of(dict(parse_qsl(address.query)))
    assert not problems
    assert found.part == part
    assert State.of(dict(parse_qsl(state.query)))[0].question == found.question == question
    assert found.document == document


@given(_WORDS)
def test_the_address_of_a_file_holds_the_document(document: str) -> None:
    recipe = Recipe(Setup.parse("fixed:9t+10%|strip=no"), ("merge_orphans", "add_header"))
    address = urlsplit(files_address("parquet", recipe, document))
    assert (address.path, address.fragment) == ("api/v1/chunks.parquet", "")
    assert parse_qs(address.query) == {
        "setup": ["fixed:9t+10%|strip=no"],
        "document": [document],
        "repairs": ["merge_orphans,add_header"],
    }


def test_without_a_document_it_is_all_of_them() -> None:
    address = files_address("jsonl", Recipe(Setup.parse("fixed:9t")))
    assert address == "api/v1/chunks.jsonl?setup=fixed%3A9t"
