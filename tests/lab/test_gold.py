"""The gold part without a browser: its figures are those of `eval`, and nothing is lost."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import chunkwright as cw
from chunkwright.errors import GoldError
from chunkwright.gold.check import check
from chunkwright.gold.goldset import GoldSet, Place, Question, Reference
from chunkwright.gold.write import as_lines
from chunkwright.lab.fares import FILTERS, Fares, common_terms, fares, fate, rows, said
from chunkwright.lab.gold import found_question, highlights, read_sent
from chunkwright.lab.views.marked_text import excerpt, pieces
from chunkwright.model import Document
from chunkwright.report.tables import percent
from chunkwright.service.workspace import Recipe, Workspace
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.spans import Span

EXAMPLES = Path(__file__).parents[2] / "examples"
SENTENCES = Recipe(Setup.parse("sentence:1s"))
TEXT = "💡 The lamp blinks blue. The hub hums low. The door is shut. It is the end."
DOCUMENTS = [
    Document("lamp.md", TEXT),
    Document("copy.md", "Here the hub hums low. The door is shut and dry at night."),
]


def to(quote: str, document: Document = DOCUMENTS[0]) -> Reference:
    start = document.text.index(quote)
    return Reference(document.id, start, start + len(quote), quote)


GOLD = GoldSet(
    (
        Question("hit", "what blinks blue", (to("lamp blinks blue."), to("The door is shut."))),
        Question("miss", "what blinks blue now", (to("It is the end."),)),
        Question("cut", "what blinks blue here", (to("blue. The hub"),)),
        Question("gone", "what", (Reference("gone.md", quote="x"),)),
        Question("moved", "the door", (Reference("lamp.md", 0, 17, "The door is shut."),)),
    )
)


@pytest.fixture
def workspace() -> Workspace:
    return Workspace(Corpus.of(DOCUMENTS), GOLD)


@pytest.fixture
def found(workspace: Workspace) -> Fares:
    return fares(workspace, SENTENCES, "bm25", 1)


def test_every_question_stands_in_the_list(found: Fares) -> None:
    table = {row["id"]: row for row in rows(GOLD, found)}
    told = {name: (row["outcome"], row["rank"], row["problems"]) for name, row in table.items()}
    assert told["hit"] == ("hit", "1", 0)
    assert told["miss"][0] == "miss"
    assert int(told["miss"][1]) > 1
    assert told["cut"] == ("miss", "never whole", 0)
    assert told["gone"] == ("problem", "–", 1)
    assert told["moved"] == ("hit", "1", 1)
    counts = {name: sum(map(passes, table.values())) for name, passes in FILTERS.items()}
    assert counts == {"all": 5, "hit": 2, "miss": 2, "problem": 2}


def test_an_edited_question_says_nothing_before_it_is_measured(found: Fares) -> None:
    edited = GoldSet((Question("hit", "other words", GOLD[0].references), *GOLD[1:2]))
    table = rows(edited, found)
    assert (table[0]["outcome"], table[0]["rank"]) == ("", "…")
    assert table[1] == rows(GOLD, found)[1]


def test_each_reference_has_its_rank(found: Fares) -> None:
    ranks = found.reference_ranks(GOLD[0])
    assert ranks[0] == "rank 1"
    assert int(ranks[1].removeprefix("rank ")) > 1
    assert found.reference_ranks(GOLD[2]) == {0: "whole in no result"}
    assert found.reference_ranks(GOLD[3]) == {}


def test_a_repeated_reference_does_not_shift_the_ranks(workspace: Workspace) -> None:
    first, second = to("lamp blinks blue."), to("It is the end.")
    gold = GoldSet((Question("q", "what blinks blue", (first, first, second)),))
    workspace.set_gold(gold)
    ranks = fares(workspace, SENTENCES, "bm25", 1).reference_ranks(gold[0])
    assert sorted(ranks) == [0, 2]
    assert ranks[0] == "rank 1"


def test_no_questions_at_all() -> None:
    workspace = Workspace(Corpus.of(DOCUMENTS))
    found = fares(workspace, SENTENCES, "bm25", 5)
    assert rows(workspace.gold, found) == []
    assert found.summary == "No question can be asked yet."


def test_questions_that_cannot_be_asked_are_not_measured() -> None:
    workspace = Workspace(Corpus.of(DOCUMENTS), GoldSet(GOLD[3:4]))
    found = fares(workspace, SENTENCES, "bm25", 5)
    assert found.outcome("gone") == "problem"
    assert found.summary == "No question can be asked yet."


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="needs the examples")
@pytest.mark.parametrize(
    ("notation", "retriever", "k"),
    [
        ("sentence:200t+1s", "hybrid", 5),
        ("fixed:60t", "bm25", 3),
        ("sentence:2s|headers|parents=section", "static", 5),
    ],
)
def test_the_summary_is_what_eval_prints(notation: str, retriever: str, k: int) -> None:
    corpus, gold = cw.Corpus.read(EXAMPLES / "docs"), cw.GoldSet.read(EXAMPLES / "gold.jsonl")
    measured = cw.evaluate(corpus, notation, gold, retriever=retriever, k=k)
    found = fares(Workspace(corpus, gold), Recipe(Setup.parse(notation)), retriever, k)
    shown = [
        f"{name} {percent(measured.mean(name))} %" for name in (f"hit_rate@{k}", "hit_rate@1000t")
    ]
    assert found.summary == f"{' · '.join(shown)} · n={measured.n(f'hit_rate@{k}')}"
    assert found.verdicts is not None
    assert found.verdicts.at_k.tolist() == (measured.values[f"hit_rate@{k}"] == 1).tolist()
    # The one question that is looked at is ranked as all of them together are.
    for number in (0, 7, 42):
        question = found.checked.questions[number]
        alone = fate(Workspace(corpus, gold), Recipe(Setup.parse(notation)), retriever, k, question)
        best = int(found.verdicts.best[number])
        assert int(alone.best[0]) == best or (best == 0 and alone.best[0] > found.verdicts.depth[0])


def test_how_a_question_fares_is_said_in_words(workspace: Workspace) -> None:
    def told(number: int, k: int) -> str:
        return said(fate(workspace, SENTENCES, "bm25", k, workspace.usable.questions[number]))

    assert told(0, 1) == "Hit: one of its 2 references is whole in result 1."
    assert told(1, 9) == "Hit: its reference is whole in result 6."
    assert told(1, 2) == (
        "Miss: the first result with its reference whole is number 6, and 2 are looked at."
    )
    assert told(2, 9) == "Miss: no result holds its reference whole, whatever its rank."


def test_references_are_highlighted_the_chosen_one_first(workspace: Workspace) -> None:
    lamp, door = (
        Span(reference.start or 0, reference.end or 0) for reference in GOLD[0].references
    )
    checked = workspace.usable
    assert highlights(GOLD[0], 1, checked, "lamp.md") == [
        (door, "chosen"),
        (lamp, "reference"),
        (door, "reference"),
    ]
    # What the check has found elsewhere is shown where it is.
    assert highlights(GOLD[4], 0, checked, "lamp.md") == [(door, "chosen"), (door, "reference")]
    assert highlights(GOLD[4], 7, checked, "lamp.md") == [(door, "reference")]
    assert highlights(GOLD[3], 0, checked, "lamp.md") == []
    assert highlights(None, 0, checked, "lamp.md") == []


def test_every_copy_that_counts_is_highlighted() -> None:
    passage = "The long passage of seven whole words."
    documents = [Document("a.md", f"{passage} And. {passage}"), Document("b.md", passage)]
    gold = GoldSet((Question("q", "passage", (Reference("b.md", quote=passage),)),))
    checked = check(gold, Corpus.of(documents))
    assert len(highlights(gold[0], 0, checked, "a.md")) == 2
    assert checked.questions[0].references[0].places[0] == Place("b.md", 0, len(passage))


def test_a_file_that_was_sent_is_read() -> None:
    assert read_sent("x.jsonl", "".join(as_lines(GOLD)).encode()) == GOLD


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"id": 1}', "my.jsonl:1: no column 'question'"),
        (b"\xff\xfe", "my.jsonl:1: not UTF-8"),
        (b"", "my.jsonl: empty"),
        (b'{"id": "a", "question": "b", "references": []}\n{', "my.jsonl:2: not JSON"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(data: bytes, message: str) -> None:
    with pytest.raises(GoldError) as problem:
        read_sent("../<b>/my.jsonl", data)
    assert str(problem.value).startswith(message)
    assert "\n" not in str(problem.value)


def test_a_question_or_none() -> None:
    assert found_question(GOLD, "hit") is GOLD[0]
    assert found_question(GOLD, "") is None


def test_pieces_are_the_text() -> None:
    chance = random.Random(7)
    text = "a💡שלום<b>\n"
    for _ in range(300):
        marks = [
            (Span(chance.randint(-2, 11), chance.randint(-2, 11)), chance.choice("abc"))
            for _ in range(chance.randint(0, 5))
        ]
        found = pieces(text, marks)
        assert "".join(part[0] for part in found) == text
        at = 0
        for part, *kinds in found:
            middle = {
                kind
                for span, kind in marks
                if span.start <= at and at + len(part) <= span.end and span.start < span.end
            }
            assert set(kinds) == middle
            at += len(part)


def test_an_excerpt_holds_what_matters() -> None:
    text = "x" * 1000
    for start in range(0, 1000, 37):
        part = excerpt(text, Span(start, min(1000, start + 50)), most=200)
        assert part.end - part.start == 200
        assert 0 <= part.start <= start
        assert min(1000, start + 50) <= part.end <= 1000


def test_terms_are_those_that_retrieval_counts() -> None:
    text = "💡 Lamps: 東京都 and the LAMP."
    assert [text[start:end] for start, end in common_terms(text, "lamp 京都")] == ["京都", "LAMP"]
