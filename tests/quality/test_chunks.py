"""Finished chunks checked: what findings say, and of which chunks."""

from __future__ import annotations

import pytest

from chunkwright.chunking.dress import chunk
from chunkwright.errors import RuleError
from chunkwright.model import Document
from chunkwright.quality.chunks import check, repair
from chunkwright.quality.settings import Settings

SEEDS = Settings(select=("C101", "C102", "C104"), thresholds={"C101.share": 0})
TABLE = "| Plan | Price |\n|---|---|\n" + "".join(
    f"| Plan {number} | {number}.99 |\n" for number in range(9)
)


def test_a_finding_says_where_and_quotes() -> None:
    text = "One is here, all of it.\n\nIt also adds a very long line of reports and schedules."
    (found,) = check(chunk(Document("docs/a.md", text), "sentence:1s"), settings=SEEDS)
    assert (found.document_id, found.index, found.line, found.code) == ("docs/a.md", 1, 3, "C104")
    assert text[found.start :].startswith("It also")
    assert found.message.startswith("starts with a pronoun: 'It also adds")
    assert "…" in found.message
    assert "\n" not in found.message


def test_findings_stand_in_the_order_of_the_chunks_and_name_their_numbers() -> None:
    documents = [Document("b.txt", "Hubs. They hum. Stop."), Document("a.txt", "Lamps. They hum.")]
    several = chunk(documents, "sentence:1s")
    found = check([each for each in several if each.index], settings=SEEDS)
    assert [(each.document_id, each.index, each.code) for each in found] == [
        ("b.txt", 1, "C101"),
        ("b.txt", 1, "C104"),
        ("b.txt", 2, "C101"),
        ("a.txt", 1, "C101"),
        ("a.txt", 1, "C104"),
    ]


def test_nothing_has_no_findings() -> None:
    assert check([]) == []


def test_a_replaced_pronoun_is_no_finding() -> None:
    text = "Plus costs four euros a month. It also adds energy reports."
    document = Document("plus.txt", text, title="Brightgrid Plus")
    several = chunk(document, "sentence:1s")
    assert [each.code for each in check(several)] == ["C104"]
    assert check(repair(several, repairs=["name_the_subject"])) == []


@pytest.mark.parametrize(("setup", "found"), [("markdown:18t", False), ("fixed:18t", True)])
@pytest.mark.parametrize("given", [True, False])
def test_what_stands_before_a_chunk_is_seen(setup: str, found: bool, given: bool) -> None:
    several = chunk(Document("a.md", TABLE), setup)
    codes = {each.code for each in check(several, setup if given else None)}
    assert ("S201" in codes) is found


def test_an_unknown_rule_is_an_error_with_the_nearest() -> None:
    with pytest.raises(RuleError, match="did you mean 'orphan'"):
        Settings(select=("orphans",))
    with pytest.raises(RuleError, match=r"did you mean .C101\.characters."):
        Settings(thresholds={"C101.character": 3})
