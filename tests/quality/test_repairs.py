"""Repairs: orphans merged, leading pronouns replaced, spans exact, nothing over the size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.dress import chunk
from chunkwright.errors import SetupError
from chunkwright.model import Chunk, Document
from chunkwright.quality.chunks import check, repair
from chunkwright.setup import Setup
from tests.properties.strategies import setups, texts

PLUS = Document("plus.txt", "Plus costs $3.99 a month. It also adds energy reports. Yes.", "Plus")
NAMED = ["merge_orphans", "name_the_subject"]
GUIDE = (
    "# Lamp\n\nPlug the lamp in and wait for it.\n\nDone.\n\n"
    "# Hub\n\nOff.\n\nThe hub hums all day long.\n"
)


def test_an_orphan_goes_to_the_chunk_before() -> None:
    mended = repair(chunk(PLUS, "sentence:1s"))
    assert [part.text for part in mended] == [
        "Plus costs $3.99 a month.",
        "It also adds energy reports. Yes.",
    ]


def test_an_orphan_at_the_start_takes_the_chunk_after() -> None:
    mended = repair(chunk(Document("a.txt", "Yes. The lamp blinks when it is on."), "sentence:1s"))
    assert [part.text for part in mended] == ["Yes. The lamp blinks when it is on."]


def test_orphans_do_not_leave_their_section() -> None:
    mended = repair(chunk(Document("a.md", GUIDE), "sentence:1s"))
    assert [part.text for part in mended] == [
        "# Lamp\n\nPlug the lamp in and wait for it.\n\nDone.",
        "# Hub\n\nOff.\n\nThe hub hums all day long.",
    ]


def test_orphans_stay_where_the_size_leaves_no_room() -> None:
    text = "The lamp blinks when it is on. Yes."
    (only,) = chunk(Document("a.txt", text), "sentence:9w|repair")
    assert only.text == text
    assert [part.text for part in chunk(Document("a.txt", text), "sentence:7w|repair")] == [
        "The lamp blinks when it is on.",
        "Yes.",
    ]
    same = repair(chunk(Document("a.txt", text), "sentence:7w"), "sentence:7w")
    assert [part.text for part in same][-1] == "Yes."


def test_orphans_do_not_cross_a_parent() -> None:
    text = "# A\n\nThe lamp blinks when it is on.\n\n## B\n\nOff.\n"
    found = chunk(Document("a.md", text), "sentence:1s|parents=section|repair")
    for part in found:
        assert part.parent is not None
        assert part.parent.start <= part.start < part.end <= part.parent.end


@pytest.mark.parametrize(
    ("text", "embedded"),
    [
        ("It also adds reports.", "Plus also adds reports."),
        ("This needs a hub.", "Plus needs a hub."),
        ("That can wait here.", "Plus can wait here."),
        ("They will come soon.", "Plus will come soon."),
        # Weather, a noun of its own, a contraction: nothing to replace.
        ("It is raining here.", "It is raining here."),
        ("This lamp needs a hub.", "This lamp needs a hub."),
        ("It's got reports.", "It's got reports."),
        ("Items also add up.", "Items also add up."),
    ],
)
def test_a_leading_pronoun_is_replaced_in_what_is_embedded_only(text: str, embedded: str) -> None:
    (only,) = repair(chunk(Document("p.txt", text, title="Plus"), "sentence:1s"), repairs=NAMED)
    assert (only.text, only.embed_text) == (text, embedded)
    assert (only.start, only.end) == (0, len(text))


@pytest.mark.parametrize(
    ("before", "leading", "embedded"),
    [
        # The sentence before names it plainly, or else the heading does.
        ("An opening sentence stands here.", "It also adds reports.", "Hub also adds reports."),
        ("The old lamp is blue.", "It also has a name.", "The old lamp also has a name."),
        ("The lamps are blue.", "They need a hub.", "The lamps need a hub."),
        ("The lamps are blue.", "They must have a hub.", "The lamps must have a hub."),
        ("The lamps are blue.", "It also needs one.", "Hub also needs one."),
        ("The hub is new.", "It also needs one.", "Hub also needs one."),
        ("When it is on, wait.", "It also needs one.", "Hub also needs one."),
    ],
)
def test_the_subject_is_that_of_the_sentence_before_or_the_nearest_heading(
    before: str, leading: str, embedded: str
) -> None:
    text = f"# Guide\n\n## Hub\n\n{before} {leading}\n"
    mended = repair(chunk(Document("a.md", text), "sentence:1s|headers"), repairs=NAMED[1:])
    assert mended[-1].embed_text == f"[Guide > Hub]\n{embedded}"
    assert mended[-1].text == leading
    assert mended[-1].tokens > 0


def test_a_subject_that_does_not_fit_is_not_put_in() -> None:
    document = Document("p.txt", "It also adds reports.", title="A very long title of a product")

    def named(notation: str) -> list[Chunk]:
        return repair(chunk(document, notation), notation, NAMED)

    for notation in ("sentence:21c", "sentence:6t", "recursive:4w"):
        only = named(notation)[0]
        assert only.embed_text == only.text
    assert named("sentence:60c")[0].embed_text == (
        "A very long title of a product also adds reports."
    )


def test_what_was_put_before_a_chunk_stays() -> None:
    table = "| Plan | Price |\n|---|---|\n" + "".join(f"| P{at} | {at}.99 |\n" for at in range(9))
    several = chunk(Document("a.md", f"# Plans\n\n{table}"), "fixed:60c")
    headed = repair(several, "fixed:90c", ["repeat_table_head", "add_header"])
    assert headed[-1].embed_text.startswith("[Plans]\n| Plan | Price |\n|---|---|\n")
    assert repair(headed, "fixed:90c", ["merge_orphans"]) == headed


def test_repairing_keeps_headers() -> None:
    document = Document("a.md", GUIDE)
    headed = chunk(document, "sentence:1s|headers")
    assert all(part.embed_text.startswith("[a > ") for part in repair(headed))
    assert repair(headed, "sentence:99c|headers")[0].embed_text.startswith("[a > Lamp]\n# Lamp")


def test_documents_stay_apart_and_in_order() -> None:
    documents = [PLUS, Document("b.txt", "No. Not at all, my dear friend.")]
    mended = repair(chunk(documents, "sentence:1s"))
    assert [(part.document_id, part.index) for part in mended] == [
        ("plus.txt", 0),
        ("plus.txt", 1),
        ("b.txt", 0),
    ]


def test_parents_are_kept() -> None:
    notation = "sentence:99c|parents=section"
    found = chunk(Document("a.md", GUIDE), notation)
    assert [part.parent for part in repair(found, notation)] == [part.parent for part in found]
    assert [part.parent for part in repair(found)] == [part.parent for part in found]


def test_warnings_are_fewer() -> None:
    found = chunk(PLUS, "sentence:1s")
    assert len(check(found)) == 2
    assert check(repair(found, repairs=NAMED)) == []


@given(st.sampled_from(["note.md", "note.txt"]), texts(), setups())
def test_repair_is_exact_keeps_to_the_size_and_is_done_once(
    name: str, text: str, setup: Setup
) -> None:
    document = Document(name, text, title="Lamp")
    try:
        found = chunk(document, setup)
    except SetupError:
        return
    mended = repair(found, setup)
    assert repair(mended, setup) == mended
    reached = 0
    for part in mended:
        assert part.text == text[part.start : part.end]
        assert part.embed_text.endswith(part.text.partition(" ")[2])
        assert part.end > reached
        reached = part.end
    assert [part.index for part in mended] == list(range(len(mended)))
    before = {position for part in found for position in range(part.start, part.end)}
    after = {position for part in mended for position in range(part.start, part.end)}
    assert all(text[position].isspace() for position in before - after)
    if setup.unit == "characters":
        largest = max((len(part.embed_text) for part in found), default=0)
        assert all(len(part.embed_text) <= max(setup.size, largest) for part in mended)


@given(texts(), setups())
def test_repair_in_a_setup_is_repair_afterwards(text: str, setup: Setup) -> None:
    if setup.parents:
        return
    document = Document("a.md", text)
    notation = f"{setup}|repair"
    try:
        found = chunk(document, notation)
    except SetupError:
        return
    assert found == repair(chunk(document, setup), setup)
