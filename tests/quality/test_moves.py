"""Each repair by itself: what it mends, and what no repair may do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.cut import Cut, cut
from chunkwright.errors import SetupError
from chunkwright.model import Document
from chunkwright.quality.checker import findings
from chunkwright.quality.repair import Repair, repair_of, repairs
from chunkwright.quality.rule import rule
from chunkwright.quality.settings import Settings
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from tests.properties.strategies import setups, texts
from tests.quality.chunked import chunked

LIMIT = "fixed:120c"


def mended(name: str, marked: str, setup: str = LIMIT, document_id: str = "a.md") -> list[str]:
    """The texts of chunks after a repair."""
    made = chunked(marked, document_id, setup)
    after = repair_of(name).apply(made)
    return [after.analysis.text[start:end] for start, end in after.spans.pairs()]


def embedded(name: str, marked: str, setup: str = LIMIT) -> list[str]:
    after = repair_of(name).apply(chunked(marked, "a.md", setup))
    return [after.embed_text(index) for index in range(len(after))]


def test_a_cut_inside_a_sentence_moves_to_its_nearer_end() -> None:
    text = (
        "The lamp blinks blue while it is pairing. Plus costs ¦$3.99 a month for all of you here."
    )
    assert mended("move_to_sentence", text) == [
        "The lamp blinks blue while it is pairing.",
        "Plus costs $3.99 a month for all of you here.",
    ]
    text = (
        "The lamp blinks blue while it is¦ pairing. Plus costs $3.99 a month for all of you here."
    )
    assert mended("move_to_sentence", text) == [
        "The lamp blinks blue while it is pairing.",
        "Plus costs $3.99 a month for all of you here.",
    ]


def test_the_other_end_is_taken_where_the_nearer_has_no_room() -> None:
    text = "A short one stands here first. The lamp blinks ¦blue while it pairs with the hub."
    # With 54 characters the second chunk cannot have the whole sentence and the first can.
    assert mended("move_to_sentence", text, "fixed:51c") == [
        "A short one stands here first.",
        "The lamp blinks blue while it pairs with the hub.",
    ]
    assert mended("move_to_sentence", text, "fixed:47c") == [
        "A short one stands here first. The lamp blinks ",
        "blue while it pairs with the hub.",
    ]


def test_a_cut_never_leaves_its_section() -> None:
    text = (
        "# A\n\nThe lamp blinks blue as it pairs.\n\n# Hub\n\nThe hub¦ hums all day long, I hear."
    )
    before, after = mended("move_to_sentence", text)
    assert before.endswith("# Hub")
    assert after.startswith("The hub")


def test_overlap_is_kept_and_never_becomes_a_gap() -> None:
    text = "One is here. Two is there now. Three is far away. Four is back again. Five is gone."
    made = cut(Analysis(Document("a.txt", text)), Setup.parse("fixed:45c+20c"))
    after = repair_of("move_to_sentence").apply(made)
    assert [text[start:end] for start, end in after.spans.pairs()] == [
        "One is here. Two is there now.",
        "Three is far away. Four is back again.",
        "Four is back again. Five is gone.",
    ]


def test_code_is_kept_whole_where_it_fits() -> None:
    text = (
        "Connect the lamp like this:\n\n```\nconnect()\n¦reset_it_all()\n```\n\nThen wait for it."
    )
    assert mended("keep_code_whole", text) == [
        "Connect the lamp like this:",
        "```\nconnect()\nreset_it_all()\n```\n\nThen wait for it.",
    ]
    assert mended("keep_code_whole", text, "fixed:40c") == [
        "Connect the lamp like this:\n\n```\nconnect()\n",
        "reset_it_all()\n```\n\nThen wait for it.",
    ]


def test_a_chunk_that_leans_gets_the_sentence_before_it() -> None:
    text = "The hub hums all day long. Brightgrid Plus costs three euros. ¦It also adds reports."
    assert mended("keep_with_previous", text) == [
        "The hub hums all day long.",
        "Brightgrid Plus costs three euros. It also adds reports.",
    ]


def test_front_matter_is_left_out() -> None:
    text = "---\ntitle: Lamp\n---\n¦\nIt blinks.\n"
    assert [each.strip() for each in mended("leave_out_front_matter", text)] == ["It blinks."]


TABLE = "| Plan | Price |\n|---|---|\n| Plus | 3.99 |\n¦| Pro | 9.99 |\n"


def test_the_head_of_a_table_is_repeated_in_what_is_embedded() -> None:
    first, second = embedded("repeat_table_head", TABLE)
    assert second == "| Plan | Price |\n|---|---|\n| Pro | 9.99 |\n"
    assert embedded("repeat_table_head", TABLE, "fixed:20c")[1] == "| Pro | 9.99 |\n"
    assert first.startswith("| Plan")


def test_a_header_is_put_before_chunks_that_have_none() -> None:
    text = "# Lamp\n\nThe lamp blinks.\n\n## Reset\n\n¦It takes a minute, at most."
    assert embedded("add_header", text)[1] == "[Lamp > Reset]\nIt takes a minute, at most."


def test_additions_stand_one_before_the_other() -> None:
    text = "# Plans\n\n" + TABLE
    both = repair_of("add_header").apply(repair_of("repeat_table_head").apply(chunked(text)))
    assert both.embed_text(1) == "[Plans]\n| Plan | Price |\n|---|---|\n| Pro | 9.99 |\n"
    assert both.embed_text(1).endswith(both.analysis.text[both.spans.starts[1] :])


@pytest.mark.parametrize("repair", repairs(), ids=lambda each: each.name)
def test_repairs_say_what_they_mend(repair: Repair) -> None:
    assert repair.mends
    assert all(rule(code).code == code for code in repair.mends)
    assert repair.summary[0].islower()
    assert not repair.summary.endswith(".")


def _visible(made: Cut) -> np.ndarray:
    covered = np.zeros(len(made.analysis.text) + 1, np.int64)
    np.add.at(covered, made.spans.starts, 1)
    np.add.at(covered, made.spans.ends, -1)
    text = made.analysis.text
    hidden = np.array([each.isspace() for each in text], np.bool_)
    return (np.cumsum(covered[:-1]) > 0) & ~hidden[: len(text)]


@pytest.mark.parametrize("repair", repairs(), ids=lambda each: each.name)
@given(name=st.sampled_from(["a.md", "a.txt"]), text=texts(), setup=setups())
def test_no_repair_loses_text_grows_over_the_size_or_goes_on_for_ever(
    repair: Repair, name: str, text: str, setup: Setup
) -> None:
    try:
        before = cut(Analysis(Document(name, text, title="Lamp")), setup)
    except SetupError:
        return
    after = repair.apply(before)
    again = repair.apply(after)
    assert again.spans.pairs() == after.spans.pairs()
    assert dict(again.leads) == dict(after.leads)
    assert (_visible(after) >= _visible(before)).all()
    starts, ends = after.spans
    assert (starts < ends).all()
    assert (np.diff(starts) > 0).all()
    assert (np.diff(ends) > 0).all()
    oversize = {before.spans.pairs()[index] for index in before.oversize().tolist()}
    if setup.unit == "characters":
        for index in range(len(after)):
            if after.spans.pairs()[index] not in oversize:
                assert len(after.embed_text(index)) <= setup.size
    # A span lies in one section and parent if its start did.
    walls = after.walls
    assert (
        np.searchsorted(walls, starts, "right") == np.searchsorted(walls, ends - 1, "right")
    ).all()


@given(text=texts(), setup=setups())
def test_moves_to_sentences_only_ever_help(text: str, setup: Setup) -> None:
    try:
        before = cut(Analysis(Document("a.md", text)), replace(setup, strip=True))
    except SetupError:
        return
    after = repair_of("move_to_sentence").apply(before)

    def count(made: Cut) -> int:
        return sum(1 for _ in findings([made], Settings(select=("C102",))))

    assert count(after) <= count(before)
