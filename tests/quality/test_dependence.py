"""The rules that hang on words: pronouns, connectives, pointers, conditions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chunkwright.chunking.cut import Lead, cut
from chunkwright.model import Document
from chunkwright.quality.checker import findings
from chunkwright.quality.repair import repair_of
from chunkwright.quality.settings import Settings
from chunkwright.quality.view import View
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from tests.quality.chunked import chunked, chunks, quotes, spans_of, view


def opens(code: str, text: str, before: str = "The mill is old. The loft is dry.") -> bool:
    """Whether a chunk of this text, after another one, has a finding."""
    return chunks(code, view(f"{before} {text}", before, text)) == [1]


# C104


def test_a_replaced_pronoun_and_the_documents_first_are_no_findings() -> None:
    made = view("It grinds rye. It also grinds oats.", "It grinds rye.", "It also grinds oats.")
    assert chunks("C104", made) == [1]
    named = View(replace(made.cut, leads={1: Lead(2, "The mill")}))
    assert chunks("C104", named) == []


@pytest.mark.parametrize(
    "text",
    [
        "it hums in the loft of the mill.",
        "IT HUMS IN THE LOFT OF THE MILL.",
        "- *It* hums in the loft of the mill.",
        "> “It hums in the loft of the mill.”",
    ],
)
def test_marks_and_capitals_hide_no_pronoun(text: str) -> None:
    made = view(f"the mill is old. the loft is dry.\n\n{text}", "the mill is old.", text)
    assert chunks("C104", made) == [1]


def test_a_language_without_a_file_has_structure_rules_only() -> None:
    text = "Młyn jest stary. On miele żyto i owies"
    analysis = Analysis(Document("a.txt", text, language="pl"))
    made = View(cut(analysis, Setup.parse("fixed:30c")))
    assert made.words.language == ""
    assert chunks("C104", made) == chunks("C105", made) == chunks("C106", made) == []
    assert chunks("C103", made) == [0]


# C106


def test_far_in_a_long_chunk_a_pointer_may_point_inside() -> None:
    text = "The mill grinds rye. " * 60 + "Rye is ground as described above."
    made = view(text, text)
    assert chunks("C106", made) == []
    assert chunks("C106", made, reach=2000) == [0]


def test_a_table_that_is_in_the_chunk_is_no_pointer() -> None:
    text = "Mills are in Table 2.\n\nTable 2. Mills by river.\n\nRye is in Table 3."
    made = view(text, "Mills are in Table 2.\n\nTable 2. Mills by river.", "Rye is in Table 3.")
    assert chunks("C106", made) == [1]
    assert quotes("C106", made) == ["Table 3"]


@pytest.mark.parametrize("last", ["match x:", "if ready():", "else:"])
def test_a_line_of_code_announces_nothing(last: str) -> None:
    text = f"```python\nx = 1\n{last}\n    go()\n```"
    assert chunks("C106", view(text, f"```python\nx = 1\n{last}")) == []


def test_the_words_that_lean_are_the_finding() -> None:
    text = "The mill is old. Most of them are made of oak and iron."
    made = view(text, "The mill is old.", "Most of them are made of oak and iron.")
    assert quotes("C104", made) == ["Most of them"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This wheel turns twice a minute.", True),
        ("This wheel turns twice a minute. The wheel is of oak.", False),
        ("These wheels turn twice a minute. One wheel is of oak.", False),
        ("That chapter is about rye.", True),
        ("This chapter is about rye.", False),
        ("This year the rye is poor.", False),
        ("That year the rye was poor.", True),
        ("Such a wheel is rare. The wheel is of oak.", True),
    ],
)
def test_a_demonstrative_needs_its_noun_in_the_chunk(text: str, expected: bool) -> None:
    assert opens("C104", text) is expected


def test_a_header_may_name_the_noun() -> None:
    text = "# The wheel\n\nRye is dear.\n\nThis wheel turns twice a minute."
    pieces = ("# The wheel\n\nRye is dear.", "This wheel turns twice a minute.")
    assert chunks("C104", view(text, *pieces)) == [1]
    assert chunks("C104", view(text, *pieces, setup="recursive:400c|headers")) == []


def test_one_opening_is_one_finding() -> None:
    for text in ("However, it is dry.", "Because of this, the loft is dry.", "If not, it burns."):
        assert not opens("C104", text), text


def test_then_is_a_consequence_only_after_a_condition() -> None:
    text = "Then the miller stops the wheel."
    assert opens("C105", text)
    assert not opens("C107", text)
    before = "The mill is old. If the sack is full."
    assert opens("C107", text, before)
    assert not opens("C105", text, before)


def test_a_citation_points_out_of_the_document() -> None:
    text = "Rye was ground as described previously [4]. Oats were ground as described previously."
    assert quotes("C106", view(text, text)) == ["described previously"]
    assert chunks("C106", view(text[:43], text[:43])) == []


@pytest.mark.parametrize(
    "text",
    [
        "Rye is dear (see Box 2).\n\nBox 2. Rye and its price",
        "The wheel is of oak.Figure 5 Wheels of oak and of iron. Oak is dear, as in Figure 5.",
        "| rye | oats |\n|---|---|\n| 4 | 5 |\n\nPrices in the table above are of May.",
        "A mill needs at least one of the following: a wheel, a sail.",
        "A mill needs one of the following parts, 1) a wheel or 2) a sail.",
    ],
)
def test_what_is_pointed_at_may_be_in_the_chunk(text: str) -> None:
    assert chunks("C106", view(text, text)) == []


def test_a_condition_before_a_list_is_parted_from_it() -> None:
    text = "If the sack is full:\n\n- stop the wheel\n- close the gate"
    assert chunks("C107", view(text, "If the sack is full:", "- stop the wheel")) == [0]
    assert chunks("C107", view(text, text)) == []


def test_the_end_of_a_word_that_was_cut_is_no_pronoun() -> None:
    text = "The hub is near. Read out t¦he value of the lamp, and then go on."
    assert spans_of("C104", chunked(text)) == []
    assert spans_of("C104", chunked(text.replace("t¦he", "what ¦he"))) == ["he"]


def test_words_put_before_a_pronoun_do_not_hide_it() -> None:
    text = "# Lamp\n\nThe lamp is blue. ¦It also blinks at night, all of it."
    headed = repair_of("add_header").apply(chunked(text))
    assert headed.leads
    assert [each.code for each in findings([headed], Settings(select=("C104",)))] == ["C104"]
