"""How questions fare, without a browser: the figures are those of `eval`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import chunkwright as cw
from chunkwright.gold import edit
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.lab import fares as module
from chunkwright.lab.fares import (
    FILTERS,
    Fares,
    common_terms,
    fares,
    fate,
    rows,
    said,
    telling_terms,
    why_missed,
)
from chunkwright.lab.state import OUTCOMES
from chunkwright.model import Document
from chunkwright.report.tables import percent
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.named import retriever
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Scores
from chunkwright.service.workspace import Recipe, Workspace
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus

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
    told = {name: (row["outcome"], row["rank"], row["notes"]) for name, row in table.items()}
    assert told["hit"] == ("hit", "1", 0)
    assert told["miss"][0] == "miss"
    assert int(told["miss"][1]) > 1
    assert told["cut"] == ("miss", "never whole", 0)
    assert told["gone"] == ("problem", "–", 0)
    assert told["moved"] == ("hit", "1", 1)
    counts = {name: sum(map(passes, table.values())) for name, passes in FILTERS.items()}
    # What is worth knowing of a question that is asked all the same is no problem.
    assert counts == {"all": 5, "hit": 2, "miss": 2, "problem": 1, "note": 1}
    assert tuple(FILTERS) == OUTCOMES


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


def test_a_miss_says_what_is_known(workspace: Workspace) -> None:
    def told(number: int, k: int, notation: str = "sentence:1s") -> str:
        question = workspace.usable.questions[number]
        return why_missed(fate(workspace, Recipe(Setup.parse(notation)), "bm25", k, question))

    assert told(0, 1) == ""
    assert told(1, 6) == ""
    assert told(1, 5) == "Ranked 6th: 5 chunks beat it, and 5 results count."
    assert told(1, 1) == "Ranked 6th: 5 chunks beat it, and 1 result counts."
    cut = "Its reference is whole in no chunk: cut in two by chunks 1 and 2 of lamp.md."
    assert told(2, 9) == cut
    assert told(2, 9, "fixed:7c") == (
        "Its reference is whole in no chunk: cut by chunks 3 to 5 of lamp.md."
    )
    two = "Its 2 references are whole in no chunk: cut by chunks 1 to 4 of lamp.md; cut by chunks "
    assert told(0, 9, "fixed:7c").startswith(two)


def test_a_miss_names_parents_where_they_are_sent() -> None:
    text = "# Lamp\n\nIt hums.\n\n# Hub\n\nIt is grey.\n"
    quote = text[text.index("It hums") : text.index("It is grey") + 10]
    start = text.index(quote)
    reference = Reference("a.md", start, start + len(quote))
    gold = GoldSet((Question("q", "hums", (reference,)),))
    workspace = Workspace(Corpus.of([Document("a.md", text)]), gold)
    recipe = Recipe(Setup.parse("sentence:1s|parents=section"))
    found = fate(workspace, recipe, "bm25", 5, workspace.usable.questions[0])
    assert why_missed(found) == (
        "Its reference is whole in no parent: cut in two by parents 1 and 2 of a.md."
    )


@pytest.mark.parametrize(
    ("rank", "said_as"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (112, "112th")]
)
def test_ordinals(rank: int, said_as: str) -> None:
    assert module._ordinal(rank) == said_as


def test_terms_are_those_that_retrieval_counts() -> None:
    text = "💡 Lamps: 東京都 and the LAMP."
    spans = common_terms(text, {"lamp", "京都"})
    assert [text[start:end] for start, end in spans] == ["京都", "LAMP"]


def told_apart(question: str, *sentences: str) -> set[str]:
    collection = Collection([Document("a.md", " ".join(sentences))])
    return set(telling_terms(Pool(collection, Setup.parse("sentence:1s")), question))


def test_terms_that_most_chunks_hold_tell_nothing() -> None:
    most = [f"The hub of room {number} is grey." for number in range(40)]
    question = "what is the colour of the lamp in room 7, unknown"
    assert told_apart(question, *most, "It is a lamp.") == {"lamp", "7"}


def test_where_all_terms_are_common_the_rarest_are_marked() -> None:
    assert told_apart("is the lamp on", "The lamp is on.") == {"is", "the", "lamp", "on"}
    assert told_apart("is it", *["It is on."] * 3, "It was on.") == {"is"}
    assert told_apart("xyzzy", "The lamp is on.") == set()
    assert told_apart("lamp") == set()


def test_an_edit_while_it_is_measured_is_not_mixed_in(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Edited:
        """Scores as BM25 does, while somebody edits."""

        name = key = "edited"

        def scores(self, pool: Pool, questions: Sequence[str]) -> Scores:
            workspace.set_gold(edit.removed(edit.added(workspace.gold, "Is it on?"), "hit"))
            return retriever("bm25").scores(pool, questions)

    alone = fares(workspace, SENTENCES, "bm25", 1)
    monkeypatch.setattr(module, "retriever_of", lambda _: Edited())
    found = fares(workspace, SENTENCES, "bm25", 1)
    assert found.gold is GOLD
    assert workspace.gold is not GOLD
    assert found.summary == alone.summary
    assert rows(GOLD, found) == rows(GOLD, alone)
    shown = {row["id"]: row["outcome"] for row in rows(workspace.gold, found)}
    assert shown == {"miss": "miss", "cut": "miss", "gone": "problem", "moved": "hit", "q006": ""}
