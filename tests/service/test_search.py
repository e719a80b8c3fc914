"""A question asked of the workspace: the ranking is that of `eval`, and what is told is true."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from chunkwright.errors import ChunkwrightError, ServiceError
from chunkwright.evaluation.experiment import Experiment
from chunkwright.evaluation.metrics import Metric
from chunkwright.gold.check import check
from chunkwright.gold.goldset import GoldSet
from chunkwright.model import Document
from chunkwright.retrieval.named import retriever
from chunkwright.service.search import MAX_QUESTION, Answer, search
from chunkwright.service.workspace import Recipe, Workspace
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.sources.examples import examples

SETUPS = ["sentence:60t+1s", "sentence:60t|parents=section|headers", "fixed:400c+200c"]


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    known = examples()
    return Workspace(Corpus.read([known.documents]), GoldSet.read(known.gold))


def small(*texts: str) -> Workspace:
    return Workspace(Corpus.of(Document(f"{at}.md", text) for at, text in enumerate(texts)))


def ask(workspace: Workspace, setup: str, question: str, *more: object) -> Answer:
    return search(workspace, Recipe(Setup.parse(setup)), question, *more)  # type: ignore[arg-type]


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("name", ["bm25", "hybrid"])
def test_what_is_found_is_what_eval_counts(workspace: Workspace, setup: str, name: str) -> None:
    gold = GoldSet(tuple(check(workspace.gold, workspace.corpus).questions)[:12])
    metrics = (Metric.parse("hit_rate@3"), Metric.parse("hit_rate@300t"))
    experiment = Experiment(workspace.corpus, gold, retriever(name), metrics)
    measured = experiment.run(Setup.parse(setup))
    for at, question in enumerate(gold):
        for cutoff, answer in (
            ("@3", ask(workspace, setup, question.question, name, 3)),
            ("@300t", ask(workspace, setup, question.question, name, 100, 300)),
        ):
            hit = any(
                result.document_id == place.document_id
                and result.start <= place.start
                and place.end <= result.end
                for result in answer.results
                for reference in question.references
                for place in reference.places
            )
            assert hit == bool(measured.values[f"hit_rate{cutoff}"][at])
            assert answer.sent_tokens == measured.sent_tokens[cutoff][at]


@pytest.mark.parametrize("setup", SETUPS)
def test_what_is_told_of_a_result_is_so(workspace: Workspace, setup: str) -> None:
    recipe = Recipe(Setup.parse(setup))
    answer = search(workspace, recipe, "How long does the battery of the Mini last?", "bm25", 10)
    assert [result.rank for result in answer.results] == [*range(1, 11)]
    assert [result.score for result in answer.results] == sorted(
        (result.score for result in answer.results), reverse=True
    )
    for result in answer.results:
        document = workspace.document(result.document_id)
        assert document.text[result.start : result.end] == result.text
        cut = workspace.cut(document.id, recipe)
        span = (result.chunk_start, result.chunk_end)
        assert cut.spans.pairs()[result.index] == span
        assert result.embed_text == cut.embed_text(result.index)
        assert result.start <= result.chunk_start < result.chunk_end <= result.end
        wide = workspace.dressed(document.id, recipe).parents[result.index]
        assert (wide or span) == (result.start, result.end)
        for term in result.terms:
            assert document.text[term.start : term.end] == term.text
            assert term.text.lower() in "how long does the battery of the mini last"
            assert result.start <= term.start < term.end <= result.end
    assert answer.sent_tokens == sum(result.tokens for result in answer.results)
    assert answer.chunks == len(workspace.pool(recipe))


def test_the_best_chunk_of_a_parent_is_named() -> None:
    text = "# Lamp\n\nIt hums. It blinks blue at night. It is heavy.\n\n# Hub\n\nIt is grey.\n"
    answer = ask(small(text), "sentence:1s|parents=section", "when does it blink blue?", "bm25", 5)
    best = answer.results[0]
    assert text[best.chunk_start : best.chunk_end] == "It blinks blue at night."
    assert best.text.startswith("# Lamp")
    assert best.text.endswith("It is heavy.")
    assert len(answer.results) == 2  # each parent is sent once


def test_overlap_and_copies_are_near_duplicates() -> None:
    passage = "Press the small button on the back of the lamp until the light blinks blue. "
    more = "The hub is found by the app within one minute of that, or it is not found at all."
    workspace = small(passage + more, f"{passage}{more} ", "Clouds drift.")
    answer = ask(workspace, "fixed:100c+60c", "which button of the lamp?", "bm25", 10)
    again = {result.rank: result.near_duplicate_of for result in answer.results}
    assert again[1] is None
    assert 1 in again.values()
    new = [result for result in answer.results if result.near_duplicate_of is None]
    assert answer.distinct_tokens == sum(result.tokens for result in new) < answer.sent_tokens
    for result in answer.results:
        assert result.near_duplicate_of is None or result.near_duplicate_of < result.rank


def test_a_budget_is_never_passed(workspace: Workspace) -> None:
    for budget in (1, 50, 100, 500):
        answer = ask(workspace, "sentence:60t", "What does the Coast cost?", "bm25", 100, budget)
        assert answer.sent_tokens <= budget
    assert not ask(workspace, "sentence:60t", "What does it cost?", "bm25", 5, 1).results


def test_fewer_chunks_than_results() -> None:
    assert len(ask(small("One. Two."), "sentence:1s", "two", "bm25", 50).results) == 2


def test_a_question_of_unknown_words_finds_something_with_a_score_of_0() -> None:
    answer = ask(small("One. Two."), "sentence:1s", "xyzzy", "bm25", 1)
    assert [(result.text, result.score, result.terms) for result in answer.results] == [
        ("One.", 0.0, ())
    ]


def test_words_without_spaces_are_told_where_they_stand() -> None:
    answer = ask(small("灯は青く光る。雲。"), "sentence:1s", "青く光る?", "bm25", 1)
    assert [term.text for term in answer.results[0].terms] == ["青く", "く光", "光る"]


@pytest.mark.parametrize(
    ("question", "more", "said"),
    [
        ("  ", (), "the question is empty; write one"),
        ("x" * (MAX_QUESTION + 1), (), "the question has 10,001 characters"),
        ("half \ud800", (), "the question holds half of a character"),
        ("lamp", ("bm26",), "did you mean 'bm25'"),
        ("lamp", ("sentence-transformers:/tmp",), "retriever 'sentence-transformers:/tmp'"),
        ("lamp", ("bm25", 0), "k must be from 1 to 100, got 0"),
        ("lamp", ("bm25", 101), "k must be from 1 to 100, got 101"),
        ("lamp", ("bm25", 5, 0), "budget must be at least 1 token, got 0"),
    ],
)
def test_what_cannot_be_asked_is_said(question: str, more: tuple[object, ...], said: str) -> None:
    with pytest.raises(ServiceError, match=said):
        ask(small("One."), "sentence:1s", question, *more)


def test_a_setup_that_cannot_be_used_is_said() -> None:
    wide = small("# A title that is longer than the size\n\nText.")
    with pytest.raises(ChunkwrightError, match="leaves no room"):
        ask(wide, "sentence:5t|headers", "text?", "bm25")


def test_many_may_ask_at_once(workspace: Workspace) -> None:
    questions = [f"{word} of the station" for word in ("battery", "price", "range", "firmware")]
    asked = [(setup, question) for setup in SETUPS for question in questions]
    alone = [ask(workspace, setup, question, "hybrid", 5) for setup, question in asked]
    known = examples()
    fresh = Workspace(Corpus.read([known.documents]))
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda each: ask(fresh, *each, "hybrid", 5), asked))
    assert together == alone
