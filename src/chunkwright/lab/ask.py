"""Ask: what a question finds, and what would be sent."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from chunkwright.errors import ChunkwrightError
from chunkwright.gold.goldset import GoldSet, Question
from chunkwright.lab.asking import ENTERED, RetrieverControls, legend, passage_text
from chunkwright.lab.fares import asked_as, fate, places, said, telling_terms, within
from chunkwright.lab.state import State
from chunkwright.lab.tab import Latest, Tab
from chunkwright.report.tables import whole
from chunkwright.service.search import MAX_QUESTION, Answer, Result, search
from chunkwright.service.workspace import Recipe, Workspace
from chunkwright.sources.corpus import Corpus
from chunkwright.spans import Span


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what it finds.

    Attributes:
        answer: What would be sent.
        telling: The terms of the question that tell chunks apart.
        question: The question of the gold set that asks the same; None where there is none.
        verdict: In words how it fares; empty where it is not in the gold set.
    """

    answer: Answer
    telling: frozenset[str] = frozenset()
    question: Question | None = None
    verdict: str = ""


def ask(
    workspace: Workspace, recipe: Recipe, question: str, retriever: str, k: int, alone: str = ""
) -> Asked:
    """What a question finds, and how it fares where the gold set has it.

    Args:
        workspace: The documents and the questions.
        recipe: How the chunks are made.
        question: The question.
        retriever: Name of the retriever.
        k: How many results.
        alone: Id of a document to search in alone; empty for the corpus.

    Raises:
        ChunkwrightError: It cannot be asked, or the setup cannot be used.
    """
    if alone:
        only = Workspace(Corpus.of([workspace.document(alone)]), GoldSet(()))
        with workspace.searching:  # retrievers are shared by all workspaces
            answer = search(only, recipe, question, retriever, k)
            return Asked(answer, telling_terms(only.pool(recipe), question))
    answer = search(workspace, recipe, question, retriever, k)
    with workspace.searching:
        telling = telling_terms(workspace.pool(recipe), question)
    known = asked_as(workspace.usable, question) if len(workspace.gold) else None
    if known is None:
        return Asked(answer, telling)
    verdict = said(fate(workspace, recipe, retriever, k, replace(known, question=question)))
    return Asked(answer, telling, known, verdict)


def by_first(results: tuple[Result, ...]) -> list[tuple[Result, list[Result]]]:
    """Each result that says something new, with those that say it again."""
    again: dict[int, list[Result]] = defaultdict(list)
    for result in results:
        if result.near_duplicate_of is not None:
            again[result.near_duplicate_of].append(result)
    return [(each, again[each.rank]) for each in results if each.near_duplicate_of is None]


class Ask:
    """The part of the page."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self._shown: object = None
        self._suggested: GoldSet | None = None
        with ui.element("div").classes("cw-ask") as self.root:
            with ui.element("section").classes("cw-ask-form") as form:
                form.props["aria-label"] = "What is asked"
                self._build_form()
            with ui.element("section").classes("cw-ask-answer") as answer:
                answer.props["aria-label"] = "Results"
                with ui.element("div").classes("cw-ask-working") as self.working:
                    ui.spinner(size="1.2em")
                    ui.label("Searching …").props("role=status")
                self.problem = ui.label().classes("cw-problem").props("role=alert")
                self.told = ui.label().classes("cw-ask-told").props("role=status")
                self.results = ui.element("div")
        self._refresh = Latest(
            self._refresh_once, self.root, lambda: self.working.set_visibility(False)
        )
        tab.follow(self._changed)
        self._refresh()

    def _build_form(self) -> None:
        self.question = ui.textarea("Question", value=self.tab.state.question)
        self.question.props(f"dense outlined autogrow dir=auto maxlength={MAX_QUESTION}")
        self.question.on("keydown.enter", self._ask, js_handler=ENTERED)
        ui.button("Ask", on_click=self._ask).props("no-caps")
        self.suggestions = ui.select(
            {}, label="Questions of the gold set", with_input=True, on_change=self._suggest
        )
        self.suggestions.props("dense outlined options-dense").classes("cw-ask-suggestions")
        RetrieverControls(self.tab)
        self.alone = ui.switch(
            "Search in this document only",
            value=self.tab.state.alone,
            on_change=lambda event: self.tab.go(replace(self.tab.state, alone=bool(event.value))),
        )
        self.alone.props("dense")

    def _ask(self) -> None:
        self._shown = None
        self.tab.go(replace(self.tab.state, question=str(self.question.value or "").strip()))
        self._refresh()

    def _suggest(self, event: ValueChangeEventArguments[Any]) -> None:
        if event.value:
            self.question.set_value(self.suggestions.options[event.value])
            self._ask()
            self.suggestions.set_value(None)

    def _changed(self, before: State, after: State) -> None:
        if after.part == "ask":
            if after.question != before.question:
                self.question.set_value(after.question)
            self.alone.set_value(after.alone)
            self._refresh()

    async def _refresh_once(self) -> None:
        workspace, state = self.tab.workspace, self.tab.state
        if state.part != "ask":
            return
        self._offer(state)
        alone = state.document if state.alone and workspace.is_added(state.document) else ""
        wanted = (state.recipe, state.question, state.retriever, state.k, alone, workspace.gold)
        if wanted == self._shown:
            return
        if not state.question:
            self._shown = wanted
            self._clear("")
            return
        self.working.set_visibility(True)
        found = await self.tab.work(
            ask, workspace, state.recipe, state.question, state.retriever, state.k, alone
        )
        if self._refresh.again:
            return
        self._shown = wanted
        if isinstance(found, ChunkwrightError):
            self._clear(str(found))
        else:
            self._show(state, found, alone)

    def _offer(self, state: State) -> None:
        """The questions of the gold set, and the search in a document that was added."""
        gold = self.tab.workspace.gold
        if gold is not self._suggested:
            self._suggested = gold
            self.suggestions.set_options({each.id: each.question for each in gold})
            self.suggestions.set_visibility(len(gold) > 0)
        self.alone.set_visibility(self.tab.workspace.is_added(state.document))
        self.alone.set_text(f"Search in {state.document} only")

    def _clear(self, problem: str) -> None:
        self.problem.set_text(problem)
        self.told.set_text("")
        self.results.clear()

    def _show(self, state: State, found: Asked, alone: str) -> None:
        self._clear("")
        answer = found.answer
        groups = by_first(answer.results)
        again = len(answer.results) - len(groups)
        where = f"of {alone}" if alone else "of the corpus"
        told = (
            f"{_counted(len(answer.results), 'result')} from {_counted(answer.chunks, 'chunk')} "
            f"{where} · {_counted(answer.sent_tokens, 'token')} sent"
        )
        if again:
            told += f", {whole(answer.distinct_tokens)} of them say something new"
        self.told.set_text(told)
        with self.results:
            if found.verdict:
                ui.label(found.verdict).classes("cw-ask-verdict")
            legend(
                references=found.question is not None,
                parents=any(
                    (each.start, each.end) != (each.chunk_start, each.chunk_end)
                    for each in answer.results
                ),
            )
            with ui.element("ol").classes("cw-results"):
                for result, others in groups:
                    with ui.element("li"):
                        self._result(state, result, found)
                        if others:
                            self._near_duplicates(state, others, found)

    def _near_duplicates(self, state: State, others: list[Result], found: Asked) -> None:
        expansion = (
            ui.expansion(_counted(len(others), "near-duplicate"))
            .props("dense")
            .classes("cw-ask-again")
        )
        with expansion, ui.element("ol").classes("cw-results"):
            for each in others:
                with ui.element("li"):
                    self._result(state, each, found)

    def _result(self, state: State, result: Result, found: Asked) -> None:
        with ui.element("div").classes("cw-result-head"):
            ui.label(f"{result.rank}.").classes("cw-number")
            ui.label(f"score {result.score:.3f}")
            button = ui.button(on_click=lambda: self._open(result))
            button.props("flat dense no-caps").classes("cw-ask-document")
            with button:
                ui.label(f"{result.document_id}, chunk {result.index + 1}")
            button.props["aria-label"] = (
                f"Open chunk {result.index + 1} of {result.document_id} in the chunker"
            )
            ui.label(f"{result.start}–{result.end}")
            ui.label(f"{whole(result.tokens)} tokens")
            if (result.start, result.end) != (result.chunk_start, result.chunk_end):
                ui.label("the parent is sent; the chunk that was found is marked in it")
        chunk = Span(result.chunk_start - result.start, result.chunk_end - result.start)
        question = found.question
        spans = [] if question is None else places(question, result.document_id)
        passage_text(
            result.text,
            found.telling,
            within(spans, result.start, result.end),
            f"Text of result {result.rank}",
            None if state.setup.parents == "" else chunk,
        )

    def _open(self, result: Result) -> None:
        """Open the document in the chunker, at the chunk."""
        self.tab.aim = result.document_id, Span(result.chunk_start, result.chunk_end)
        self.tab.go(replace(self.tab.state, part="chunker", document=result.document_id))


def _counted(count: int, noun: str) -> str:
    return f"{whole(count)} {noun}{'' if count == 1 else 's'}"
