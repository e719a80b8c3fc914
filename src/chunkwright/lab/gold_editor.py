"""One question of the gold set: its words, its references, and what changes them."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from chunkwright.errors import ChunkwrightError
from chunkwright.gold import edit
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.gold.problems import Problem
from chunkwright.lab.asking import ENTERED
from chunkwright.lab.fares import Fares
from chunkwright.lab.tab import Tab, tell
from chunkwright.lab.views.focus import focus
from chunkwright.model import Document
from chunkwright.spans import Span

# Does an edit, under the name that undoing it has; whether it could be done.
Edit = Callable[[str, Callable[[GoldSet], GoldSet]], bool]
_QUOTED = 300


class GoldEditor:
    """The editing of the chosen question.

    Args:
        tab: The page.
        do: Does an edit.
        show: Shows a reference in its document, by its number.
        left: Called when the question was deleted, to move the keyboard elsewhere.
    """

    def __init__(
        self, tab: Tab, do: Edit, show: Callable[[int], None], left: Callable[[], None]
    ) -> None:
        self.tab = tab
        self._do = do
        self._show = show
        self._left = left
        self._question: Question | None = None
        self._chosen = 0
        self._picked: tuple[Document, Span] | None = None
        self._rows: list[ReferenceRow] = []
        self._listed: object = None
        self._noted: object = None
        # Where the keyboard goes once the references are shown anew: the control that it was at
        # is gone then.
        self._focus: int | None = None
        self.empty = ui.label("Choose a question, or write a new one.").classes("cw-quiet")
        with ui.element("div").classes("cw-gold-form") as self.form:
            self.name = ui.label().classes("cw-heading")
            self.words = ui.textarea("Question").props("dense outlined autogrow dir=auto")
            self.words.on("blur", self._reword)
            self.words.on("keydown.ctrl.enter", self._reword)
            self.outcome = ui.label().classes("cw-gold-outcome").props("aria-live=polite")
            self.notes = ui.element("div")
            ui.label("References").classes("cw-heading")
            self.references = ui.element("ol").classes("cw-gold-references")
            self._passage()
            delete = ui.button("Delete the question", icon="delete", on_click=self._delete)
            delete.props("flat dense no-caps align=left")

    def _passage(self) -> None:
        """What a reference is made of: a selection in the document, or a quote."""
        ui.label("Add or replace a reference").classes("cw-heading")
        self.hint = ui.label().classes("cw-quiet")
        self.selected = ui.label().classes("cw-quote cw-gold-picked").props("dir=auto tabindex=0")
        self.selected.props["aria-label"] = "Selected text"
        self.quote = ui.input("Quote from this document", on_change=self._typed)
        self.quote.props("dense outlined dir=auto").classes("cw-gold-quote")
        self.quote.on("keydown.enter", lambda: self._take(None), js_handler=ENTERED)
        with ui.element("div").classes("cw-gold-buttons"):
            self.add = ui.button("Add", on_click=lambda: self._take(None, move=True))
            self.replace = ui.button(
                "Replace", on_click=lambda: self._take(self._chosen, move=True)
            )
            for button in (self.add, self.replace):
                button.props("outline dense no-caps")
        self._offer()

    @property
    def chosen(self) -> int:
        """Number of the chosen reference."""
        return self._chosen

    def show(self, question: Question | None, fares: Fares | None) -> None:
        """Show a question, and how it fares where that is known."""
        before, self._question = self._question, question
        self.empty.set_visibility(question is None)
        self.form.set_visibility(question is not None)
        if question is None:
            return
        if before is None or before.id != question.id:
            self._chosen, self._focus = 0, None
            self._forget()
        if before is None or before.id != question.id or before.question != question.question:
            self.words.set_value(question.question)
        self._chosen = max(0, min(self._chosen, len(question.references) - 1))
        self.name.set_text(f"Question {question.id}")
        outcome = "" if fares is None else fares.outcome(question.id)
        ranks = {} if fares is None else fares.reference_ranks(question)
        problems = [] if fares is None else fares.problems.get(question.id, [])
        self._tell_outcome(outcome, fares)
        self._list(question, ranks, problems)
        self._offer()

    def pick(self, document: Document, span: Span) -> None:
        """Offer a selection as a reference."""
        if self._question is None:
            return
        self._picked = (document, span)
        quote = document.text[span.start : span.end]
        self.selected.set_text(quote if len(quote) <= _QUOTED else f"{quote[:_QUOTED]}…")
        self.quote.set_value("")
        self._offer()

    def _tell_outcome(self, outcome: str, fares: Fares | None) -> None:
        told = {
            "": "Being measured …",
            "hit": f"Hit in the first {fares.k if fares else 0} results.",
            "miss": f"Miss: not in the first {fares.k if fares else 0} results.",
            "problem": "It cannot be asked: see what is wrong with it.",
        }
        self.outcome.set_text(told[outcome])

    def _list(self, question: Question, ranks: dict[int, str], problems: list[Problem]) -> None:
        """Show the references; what stays as it is keeps the keyboard."""
        general = [problem for problem in problems if problem.reference_index is None]
        if general != self._noted:
            self._noted = general
            self.notes.clear()
            with self.notes:
                for problem in general:
                    show_problem(problem)
        listed = (question.id, question.references)
        if listed != self._listed:
            self._listed = listed
            self.references.clear()
            with self.references:
                if not question.references:
                    ui.label("none yet").classes("cw-quiet")
                self._rows = [
                    ReferenceRow(index, each, self._choose, self._remove, self._correct)
                    for index, each in enumerate(question.references)
                ]
            self._move()
        for index, row in enumerate(self._rows):
            own = [problem for problem in problems if problem.reference_index == index]
            row.show(ranks.get(index, ""), own, chosen=index == self._chosen)

    def _move(self) -> None:
        """Move the keyboard to a reference, or to where the first one is made."""
        wanted, self._focus = self._focus, None
        if wanted is not None:
            focus(self._rows[min(wanted, len(self._rows) - 1)].at if self._rows else self.quote)

    def _offer(self) -> None:
        """Say what can be added, and let it be added."""
        document = self.tab.state.document
        added = self.tab.workspace.is_added(document)
        self.hint.set_text(
            f"{document} was added to this page: it is in no corpus that is searched, so no "
            "reference to it can be found. Choose a document of the corpus."
            if added
            else "Select text in the document, or type a quote from it and press Enter."
        )
        self.selected.set_visibility(self._picked is not None)
        self.quote.set_enabled(not added)
        ready = not added and (self._picked is not None or bool((self.quote.value or "").strip()))
        references = 0 if self._question is None else len(self._question.references)
        self.add.set_enabled(ready)
        self.replace.set_enabled(ready and references > 0)
        self.replace.set_text(f"Replace reference {self._chosen}" if references else "Replace")

    def _typed(self) -> None:
        if (self.quote.value or "").strip():
            self._picked = None
        self._offer()

    def _forget(self) -> None:
        self._picked = None
        self.quote.set_value("")

    async def _take(self, instead: int | None, *, move: bool = False) -> None:
        """Make a reference of what was selected or typed."""
        question, picked = self._question, self._picked
        quote = (self.quote.value or "").strip()
        if question is None or not (picked or quote):
            return
        if picked:
            found = await self.tab.work(edit.reference_to, *picked)
        else:
            state, corpus = self.tab.state, self.tab.workspace.corpus
            found = await self.tab.work(edit.reference_by, corpus, state.document, quote)
        if isinstance(found, ChunkwrightError):
            tell(found)
            return
        reference = found
        what = "add a reference" if instead is None else "replace a reference"
        self._chosen = len(question.references) if instead is None else instead
        if self._do(
            f"{what} of {question.id}",
            lambda gold: edit.with_reference(gold, question.id, reference, instead),
        ):
            self._focus = self._chosen if move else None
            self._forget()
            self._offer()

    def _choose(self, index: int) -> None:
        self._chosen = index
        self._show(index)

    def _reword(self) -> None:
        question, words = self._question, str(self.words.value or "")
        if question is None or words.strip() == question.question.strip():
            return
        if not self._do(
            f"reword {question.id}", lambda gold: edit.reworded(gold, question.id, words)
        ):
            self.words.set_value(question.question)

    def _remove(self, index: int) -> None:
        question = self._question
        if question is not None and self._do(
            f"remove a reference of {question.id}",
            lambda gold: edit.without_reference(gold, question.id, index),
        ):
            self._focus = index

    def _delete(self) -> None:
        question = self._question
        if question is not None and self._do(
            f"delete {question.id}", lambda gold: edit.removed(gold, question.id)
        ):
            self._left()

    def _correct(self, index: int) -> None:
        question, workspace = self._question, self.tab.workspace
        if question is not None and self._do(
            f"correct {question.id}",
            lambda gold: edit.corrected(gold, workspace.checked(gold), [question.id]),
        ):
            self._focus = index


class ReferenceRow:
    """One reference of the question.

    Args:
        index: Its number.
        reference: The reference.
        choose: Shows it in its document.
        remove: Removes it.
        correct: Corrects it as the check found it.
    """

    def __init__(
        self,
        index: int,
        reference: Reference,
        choose: Callable[[int], None],
        remove: Callable[[int], None],
        correct: Callable[[int], None],
    ) -> None:
        self._correct = lambda: correct(index)
        self._problems: list[Problem] = []
        where = reference.document_id
        if reference.start is not None:
            where += f" {reference.start}–{reference.end}"
        with ui.element("li") as self.root:
            ui.label(f"{index}: {where}").classes("cw-gold-where")
            self.rank = ui.label().classes("cw-quiet")
            if len(reference.places) > 1:
                ui.label(f"counts at {len(reference.places)} places").classes("cw-quiet")
            quote = ui.label(reference.quote or "").classes("cw-quote")
            quote.props("dir=auto tabindex=0").props["aria-label"] = f"Quote of reference {index}"
            with ui.element("div").classes("cw-gold-buttons"):
                self.at = ui.button("Show", on_click=lambda: choose(index))
                self.away = ui.button("Remove", on_click=lambda: remove(index))
            for text, button in (("Show", self.at), ("Remove", self.away)):
                button.props("flat dense no-caps")
                button.props["aria-label"] = f"{text} reference {index}"
            self.notes = ui.element("div")

    def show(self, rank: str, problems: list[Problem], *, chosen: bool) -> None:
        """Show how it fares, and what the check found about it."""
        self.rank.set_text(rank)
        self.rank.set_visibility(bool(rank))
        if chosen:
            self.root.classes(add="cw-gold-chosen")
        else:
            self.root.classes(remove="cw-gold-chosen")
        if problems != self._problems:
            self._problems = problems
            self.notes.clear()
            with self.notes:
                for problem in problems:
                    show_problem(problem, self._correct)


def show_problem(problem: Problem, correct: Callable[[], None] | None = None) -> None:
    """Show what the check found, and what corrects it where that can be done."""
    ui.label(f"{problem.kind}: {problem.message}").classes(
        "cw-note" if problem.usable else "cw-problem"
    )
    if correct is not None and problem.kind in edit.CORRECTABLE:
        ui.button("Correct", on_click=correct).props("outline dense no-caps")
