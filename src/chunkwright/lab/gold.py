"""The gold set: questions with their references in the documents, and how each fares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from weakref import WeakKeyDictionary

from nicegui import background_tasks, ui
from nicegui.events import GenericEventArguments, UploadEventArguments

from chunkwright.errors import ChunkwrightError, GoldError
from chunkwright.gold import edit
from chunkwright.gold.check import CheckedGold
from chunkwright.gold.edit import kept
from chunkwright.gold.goldset import GoldSet, Question
from chunkwright.gold.history import Edit, History
from chunkwright.gold.write import as_lines
from chunkwright.lab.asking import ENTERED, RetrieverControls
from chunkwright.lab.fares import Fares, fares, places
from chunkwright.lab.gold_check import show_check
from chunkwright.lab.gold_editor import GoldEditor
from chunkwright.lab.gold_fates import fate_of, show_fate
from chunkwright.lab.gold_list import GoldList
from chunkwright.lab.state import State
from chunkwright.lab.tab import Latest, Tab, tell
from chunkwright.lab.views.focus import focus
from chunkwright.lab.views.text_view import TextView
from chunkwright.report.tables import whole
from chunkwright.service.workspace import MAX_ADDED_BYTES, Workspace
from chunkwright.spans import Span

# The questions of each workspace as a file has them: as they came, or as they were exported last.
_IN_A_FILE: WeakKeyDictionary[Workspace, GoldSet] = WeakKeyDictionary()


class Gold:
    """The part of the page."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self._history = History()
        self._fares: Fares | None = None
        # What is shown: each part is made anew only when what it depends on has changed.
        self._seen: GoldSet | None = None
        self._measured: object = None
        self._painted: object = None
        self._marked: tuple[str, Question | None, int] | None = None
        self._compared: object = None
        _IN_A_FILE.setdefault(tab.workspace, tab.workspace.gold)
        with ui.element("div").classes("cw-gold") as self.root:
            with ui.element("section").classes("cw-side cw-gold-list") as side:
                side.props["aria-label"] = "Questions"
                self._build_list()
            with ui.element("section").classes("cw-main cw-gold-document") as main:
                main.props["aria-label"] = "References in the document"
                self.view = TextView("Document with the references", selectable=True)
                self.view.on("selected", self._selected, ["start", "end"])
            with ui.element("section").classes("cw-side cw-gold-edit") as right:
                right.props["aria-label"] = "Chosen question"
                self.editor = GoldEditor(
                    tab, self._do, self._show_reference, lambda: focus(self.undo)
                )
            self.fate = ui.element("section").classes("cw-gold-fate")
            self.fate.props["aria-label"] = "What held and what beat the references"
        self._refresh = Latest(
            self._refresh_once, self.root, lambda: self.working.set_visibility(False)
        )
        tab.follow(self._changed)
        # Questions are shared by all pages: another one may have changed them.
        ui.timer(1.0, self._look)
        # After the page has begun to follow the state.
        background_tasks.create(self._open(), context=self.root)

    # The list

    def _build_list(self) -> None:
        self.summary = ui.label("…").classes("cw-gold-summary").props("role=status")
        with ui.element("div").classes("cw-gold-working") as self.working:
            ui.spinner(size="1.2em")
            self.working_text = ui.label("Measuring the questions …").props("role=status")
        RetrieverControls(self.tab)
        with ui.element("div").classes("cw-gold-buttons"):
            self._upload = ui.upload(
                on_upload=self._import,
                on_rejected=lambda: tell(
                    "the file was not taken: send one JSONL file of at most "
                    f"{MAX_ADDED_BYTES / 1e6:.0f} MB"
                ),
                auto_upload=True,
                max_file_size=MAX_ADDED_BYTES,
                label="Questions, JSONL",
            )
            self._upload.props("accept=.jsonl,.json,.ndjson").classes("cw-gold-upload")
            pick = ui.button("Import")
            # The browser opens its dialog only for a click of its own.
            pick.on("click", js_handler=f"() => getElement({self._upload.id}).pickFiles()")
            self.check = ui.button("Check", on_click=self._check)
            self.export = ui.button("Export", on_click=self._export)
            self.undo = ui.button("Undo", on_click=self._undo)
            for button in (pick, self.check, self.export, self.undo):
                button.props("flat dense no-caps")
        self.edited = ui.label("edited: not exported yet").classes("cw-note").props("role=status")
        self.new = ui.input("New question").props("dense outlined dir=auto")
        self.new.on("keydown.enter", self._add, js_handler=ENTERED)
        self.list = GoldList(self.tab, self._choose)

    def _list(self) -> None:
        """Show the questions, and what can be done with them."""
        gold = self.tab.workspace.gold
        self.list.show(gold, self._fares)
        self.export.set_enabled(len(gold) > 0)
        self.check.set_enabled(len(gold) > 0)
        self._offer()

    def _offer(self) -> None:
        """Say which edit can be undone, and that it is in no file yet."""
        last = self._history.last
        self.undo.set_enabled(bool(last))
        self.undo.props["aria-label"] = f"Undo: {last}" if last else "Undo"
        self.undo.props["title"] = last
        workspace = self.tab.workspace
        self.edited.set_visibility(workspace.gold is not _IN_A_FILE[workspace])

    def _choose(self, question_id: str) -> None:
        """Show a question, in the document of its first reference that there is."""
        workspace, state = self.tab.workspace, self.tab.state
        known = {document.id for document in workspace.documents}
        question = found_question(workspace.gold, question_id)
        wanted = [] if question is None else [each.document_id for each in question.references]
        document = next((name for name in wanted if name in known), state.document)
        self._marked = None
        self.tab.go(replace(state, gold=question_id, document=document))
        self._refresh()

    def _leave_question(self) -> None:
        """Show no question where the one of the address is gone.

        The address is written anew, not left behind: Back would lead to what is gone.
        """
        state = replace(self.tab.state, gold="")
        ui.navigate.history.replace(f"/?{state.query}" if state.query else "/")
        self.tab.arrive(state)

    async def _open(self) -> None:
        """Start at the references of the question that the address names."""
        state = self.tab.state
        question = found_question(self.tab.workspace.gold, state.gold)
        if question is None and state.gold:
            tell(f"there is no question {state.gold!r}; choose one of the list")
            self._leave_question()
        if question is None or any(
            each.document_id == state.document for each in question.references
        ):
            self._refresh()
        else:
            self._choose(state.gold)

    # Edits

    def _do(self, label: str, change: Callable[[GoldSet], GoldSet]) -> bool:
        """Do an edit on the questions as they are now, whoever changed them last."""
        before = self.tab.workspace.gold
        try:
            after = change(before)
        except ChunkwrightError as problem:
            tell(problem)
            return False
        if after == before:
            return True
        self.tab.workspace.set_gold(after)
        self._history.add(Edit(label, before, after, self.tab.state.gold))
        self._offer()
        self._refresh()
        return True

    def _undo(self) -> None:
        label = self._history.last
        if not label:
            return
        undone = self._history.undo(self.tab.workspace.gold)
        if undone is None:
            tell(f"{label}: not undone, for the questions were changed in another page since")
        else:
            self.tab.workspace.set_gold(undone.before)
            ui.notify(f"undone: {label}", position="bottom")
            if undone.chosen not in ("", self.tab.state.gold):
                self._choose(undone.chosen)
        if not self._history.last:  # the button is off now
            focus(self.new)
        self._offer()
        self._refresh()

    def _add(self) -> None:
        words = str(self.new.value or "")
        if self._do("add a question", lambda gold: edit.added(gold, words)):
            self.new.set_value("")
            self.tab.go(replace(self.tab.state, listed="all", find=""))
            self._choose(self.tab.workspace.gold[-1].id)

    async def _import(self, event: UploadEventArguments) -> None:
        """Take the questions of a file, once they are read; those before can be had back."""
        data = await event.file.read()
        self._upload.reset()
        gold = await self.tab.work(GoldSet.parse, data, PurePath(event.file.name).name)
        if isinstance(gold, ChunkwrightError):
            tell(gold)
        elif self._do(f"import {event.file.name}", lambda _: gold):
            self._in_a_file()
            ui.notify(f"{whole(len(gold))} questions were read", position="bottom")

    def _export(self) -> None:
        gold = self.tab.workspace.gold
        ui.download.content("".join(as_lines(gold)).encode(), "gold.jsonl")
        self._in_a_file()

    def _in_a_file(self) -> None:
        _IN_A_FILE[self.tab.workspace] = self.tab.workspace.gold
        self._offer()

    async def _check(self) -> None:
        """List what is wrong with the questions, with what mends it."""
        workspace = self.tab.workspace
        checked = await self.tab.work(workspace.checked, workspace.gold)
        if isinstance(checked, ChunkwrightError):
            tell(checked)
            return

        def correct(only: list[str] | None) -> None:
            self._do(
                "correct what the check found",
                lambda gold: edit.corrected(gold, self.tab.workspace.checked(gold), only),
            )

        with self.root:
            show_check(checked, self._choose, correct)

    # The document

    def _selected(self, event: GenericEventArguments) -> None:
        document = self.view.document
        if document is not None and document.id == self.tab.state.document:
            self.editor.pick(document, self.view.span(event.args))

    def _show_reference(self, index: int) -> None:
        """Bring a reference of the chosen question into sight, in its document."""
        workspace, state = self.tab.workspace, self.tab.state
        question = found_question(workspace.gold, state.gold)
        self._marked = None
        if question is not None and index < len(question.references):
            name = question.references[index].document_id
            if name in {document.id for document in workspace.documents}:
                self.tab.go(replace(state, document=name))
            else:
                tell(f"there is no document {name!r}; correct the reference")
        self._refresh()

    # Showing the state as it is

    def _changed(self, _before: State, after: State) -> None:
        if after.part == "gold":
            self._refresh()

    def _look(self) -> None:
        if self.tab.state.part == "gold":
            self._offer()
            if self.tab.workspace.gold is not self._seen:
                self._refresh()

    async def _refresh_once(self) -> None:
        """What is quick first; each step is left out where nothing has changed for it."""
        state, gold = self.tab.state, self.tab.workspace.gold
        if state.part != "gold":
            return
        self._seen = gold
        question = found_question(gold, state.gold)
        if question is None and state.gold:  # deleted, here or in another page
            self._leave_question()
            return
        current = self._fares if self._fares is not None and self._fares.gold is gold else None
        self._list()
        self.editor.show(question, current)
        await self._paint(state, question)
        if not self._refresh.again:
            await self._measure(state, gold)
        if not self._refresh.again:
            await self._compare(state, gold)

    async def _paint(self, state: State, question: Question | None) -> None:
        """The chunks of the document, and the references in it."""
        workspace = self.tab.workspace
        if self._painted != (state.document, state.recipe):
            analysis = await self.tab.work(workspace.analysis, state.document)
            if isinstance(analysis, ChunkwrightError):
                tell(analysis)
                return
            cut = await self.tab.work(workspace.cut, state.document, state.recipe)
            if isinstance(cut, ChunkwrightError):
                tell(cut)
                return
            if self.view.document is not analysis.document:
                self.view.load(analysis)
                self._marked = None
            self.view.paint(cut)
            self._painted = (state.document, state.recipe)
        marked = (state.document, question, self.editor.chosen)
        if marked == self._marked or self.view.document is None:
            return
        again = self._marked is not None and self._marked[:2] == marked[:2]
        self._marked = marked
        self.view.highlight(
            highlights(question, self.editor.chosen, workspace.usable, self.view.document.id),
            show=not again,
        )

    async def _measure(self, state: State, gold: GoldSet) -> None:
        """How each question fares."""
        wanted = (gold, state.recipe, state.retriever, state.k)
        if wanted == self._measured:
            return
        count = f"{whole(len(gold))} question{'' if len(gold) == 1 else 's'}"
        self.working_text.set_text(f"Measuring {count} …")
        self.working.set_visibility(True)
        found = await self.tab.work(
            fares, self.tab.workspace, state.recipe, state.retriever, state.k
        )
        if isinstance(found, ChunkwrightError):
            self._measured, self._fares = wanted, None
            self.summary.set_text(str(found))
            self._list()
            return
        if found.gold is not gold:  # edited meanwhile: measured again at once
            self._refresh.again = True
            return
        self._measured, self._fares = wanted, found
        self.summary.set_text(found.summary if len(gold) else NO_QUESTIONS)
        self._list()
        self.editor.show(found_question(gold, state.gold), found)

    async def _compare(self, state: State, gold: GoldSet) -> None:
        """What holds the references of the chosen question, and what beats it."""
        wanted = (gold, state.recipe, state.retriever, state.k, state.gold)
        if wanted == self._compared:
            return
        self._compared = wanted
        known = self._fares
        if known is None or known.gold is not gold or state.gold not in known.numbers:
            self.fate.clear()
            return
        question = known.checked.questions.question(state.gold)
        found = await self.tab.work(
            fate_of, self.tab.workspace, state.recipe, state.retriever, state.k, question
        )
        self.fate.clear()
        with self.fate:
            if isinstance(found, ChunkwrightError):
                ui.label(str(found)).classes("cw-problem")
            else:
                show_fate(found)


NO_QUESTIONS = (
    "There are no questions yet: import a file of them, or write the first one below. Then select "
    "in the document what answers it."
)


def found_question(gold: GoldSet, question_id: str) -> Question | None:
    """The question with an id, or None.

    >>> found_question(GoldSet(()), "q1")
    """
    try:
        return gold.question(question_id)
    except GoldError:
        return None


def highlights(
    question: Question | None, chosen: int, checked: CheckedGold, document_id: str
) -> list[tuple[Span, str]]:
    """What is highlighted in a document: the chosen reference first, then all places that count."""
    if question is None:
        return []
    found, at = found_question(checked.questions, question.id), chosen
    if found is not None:
        index = kept(checked, question)
        at = index.index(chosen) if chosen in index else -1
    shown = found or question
    spans = places(shown, document_id)
    own = shown.references[at].places[:1] if 0 <= at < len(shown.references) else ()
    return [
        *((Span(*place[1:]), "chosen") for place in own if place.document_id == document_id),
        *((span, "reference") for span in spans),
    ]
