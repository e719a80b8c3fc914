"""The gold set: questions with their references in the documents, and how each fares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

from nicegui import background_tasks, ui
from nicegui.events import GenericEventArguments, UploadEventArguments

from chunkwright.errors import ChunkwrightError, GoldError
from chunkwright.evaluation.verdicts import Verdicts
from chunkwright.gold import edit
from chunkwright.gold.check import CheckedGold
from chunkwright.gold.edit import kept
from chunkwright.gold.goldset import GoldSet, Question
from chunkwright.gold.write import as_lines
from chunkwright.lab.ask import ENTERED, RetrieverControls, passage_text
from chunkwright.lab.fares import FILTERS, Fares, fares, fate, places, rows, within
from chunkwright.lab.gold_editor import GoldEditor
from chunkwright.lab.state import State
from chunkwright.lab.tab import Tab, tell
from chunkwright.lab.views.text_view import TextView
from chunkwright.report.tables import whole
from chunkwright.service.workspace import MAX_ADDED_BYTES
from chunkwright.spans import Span

# How many edits can be undone, how many problems are listed, how many passages are compared.
_UNDONE, _LISTED, _COMPARED = 100, 200, 10
_COLUMNS = [
    {"name": "question", "label": "Question", "field": "question", "align": "left"},
    {"name": "rank", "label": "Rank", "field": "rank", "align": "right"},
]
# Constant templates: what they show is put in as text by Vue.
_QUESTION_CELL = """
  <q-td :props="props" class="cw-gold-cell">
    <button type="button" class="cw-gold-question" :class="'cw-gold-' + props.row.outcome"
      :aria-current="props.row.chosen ? 'true' : undefined" dir="auto"
      :data-question="props.row.id"
      @keydown.down.prevent="(event) => event.target.closest('tr').nextElementSibling
        ?.querySelector('button')?.focus()"
      @keydown.up.prevent="(event) => event.target.closest('tr').previousElementSibling
        ?.querySelector('button')?.focus()"
      >{{ props.row.question }}</button>
  </q-td>"""
_CHOSEN_QUESTION = """(event) => {
  const button = event.target.closest("[data-question]");
  if (button) emit(button.dataset.question);
}"""
_RANK_CELL = """
  <q-td :props="props" class="cw-gold-rank">
    <div class="cw-gold-verdict" :class="'cw-gold-' + props.row.outcome">
      {{ props.row.outcome }}</div>
    <div>{{ props.row.rank }}</div>
    <div v-if="props.row.problems" class="cw-warning">{{ props.row.problems }}
      {{ props.row.problems === 1 ? 'note' : 'notes' }}</div>
  </q-td>"""


class Gold:
    """The part of the page."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self._busy = self._again = False
        self._history: list[tuple[str, GoldSet, GoldSet]] = []
        self._filter = "all"
        self._fares: Fares | None = None
        # What is shown: each part is made anew only when what it depends on has changed.
        self._seen: GoldSet | None = None
        self._measured: object = None
        self._painted: object = None
        self._marked: tuple[str, Question | None, int] | None = None
        self._compared: object = None
        self._listed: object = None
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
                self.editor = GoldEditor(tab, self._do, self._show_reference)
            self.fate = ui.element("section").classes("cw-gold-fate")
            self.fate.props["aria-label"] = "What held and what beat the references"
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
        self.new = ui.input("New question").props("dense outlined dir=auto")
        self.new.on("keydown.enter", self._add, js_handler=ENTERED)
        self.choice = ui.toggle(
            {"all": "all"}, value="all", on_change=lambda event: self._filtered(event.value)
        )
        self.choice.props("dense no-caps unelevated toggle-color=primary")
        self.choice.props["aria-label"] = "Which questions"
        self.words = ui.input("Find in the questions").props("dense outlined clearable")
        self.table = ui.table(rows=[], columns=_COLUMNS, row_key="id")
        self.table.props("virtual-scroll dense flat bordered hide-bottom wrap-cells")
        self.table.classes("cw-gold-table")
        self.table.add_slot("body-cell-question", _QUESTION_CELL)
        self.table.add_slot("body-cell-rank", _RANK_CELL)
        self.table.on(
            "click", lambda event: self._choose(str(event.args)), js_handler=_CHOSEN_QUESTION
        )
        self.words.on_value_change(lambda event: self.table.set_filter(event.value or ""))

    def _filtered(self, name: str | None) -> None:
        self._filter = name or "all"
        self._list()

    def _list(self) -> None:
        """Show the questions that the filter lets through."""
        gold, state = self.tab.workspace.gold, self.tab.state
        key = (gold, id(self._fares), self._filter, state.gold, len(self._history))
        if key == self._listed:
            return
        self._listed = key
        found = rows(gold, self._fares)
        counts = {name: sum(map(passes, found)) for name, passes in FILTERS.items()}
        self.choice.set_options({name: f"{name} {whole(n)}" for name, n in counts.items()})
        shown = filter(FILTERS[self._filter], found)
        self.table.rows = [{**row, "chosen": row["id"] == state.gold} for row in shown]
        self.export.set_enabled(len(gold) > 0)
        self.check.set_enabled(len(gold) > 0)
        last = self._history[-1][0] if self._history else ""
        self.undo.set_enabled(bool(last))
        self.undo.props["aria-label"] = f"Undo: {last}" if last else "Undo"
        self.undo.props["title"] = last

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

    async def _open(self) -> None:
        """Start at the references of the question that the address names."""
        state = self.tab.state
        question = found_question(self.tab.workspace.gold, state.gold)
        if question is None and state.gold:
            tell(f"there is no question {state.gold!r}; choose one of the list")
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
        self._history = [*self._history, (label, before, after)][-_UNDONE:]
        self._refresh()
        return True

    def _undo(self) -> None:
        if not self._history:
            return
        label, before, after = self._history.pop()
        if self.tab.workspace.gold is not after:
            self._history.clear()
            tell(f"{label}: not undone, for the questions were changed in another page since")
        else:
            self.tab.workspace.set_gold(before)
            ui.notify(f"undone: {label}", position="bottom")
        self._refresh()

    def _add(self) -> None:
        words = str(self.new.value or "")
        if self._do("add a question", lambda gold: edit.added(gold, words)):
            self.new.set_value("")
            self.choice.set_value("all")
            self._choose(self.tab.workspace.gold[-1].id)

    async def _import(self, event: UploadEventArguments) -> None:
        """Take the questions of a file, once they are read; those before can be had back."""
        data = await event.file.read()
        self._upload.reset()
        gold = await self.tab.work(read_sent, event.file.name, data)
        if isinstance(gold, ChunkwrightError):
            tell(gold)
        elif self._do(f"import {event.file.name}", lambda _: gold):
            ui.notify(f"{whole(len(gold))} questions were read", position="bottom")

    def _export(self) -> None:
        gold = self.tab.workspace.gold
        ui.download.content("".join(as_lines(gold)).encode(), "gold.jsonl")

    async def _check(self) -> None:
        """List what is wrong with the questions, with what mends it."""
        workspace = self.tab.workspace
        checked = await self.tab.work(workspace.checked, workspace.gold)
        if isinstance(checked, ChunkwrightError):
            tell(checked)
            return
        with ui.dialog() as dialog, ui.card().classes("cw-dialog"):
            ui.label("Check of the questions").classes("cw-heading")
            ui.label(
                f"{whole(checked.usable)} usable, {whole(checked.left_out)} left out; "
                f"{whole(checked.repeated)} references count at several places"
            )
            self._problems(checked, dialog)
            ui.button("Close", on_click=dialog.close).props("flat no-caps")
        dialog.on("hide", dialog.delete)
        dialog.open()

    def _problems(self, checked: CheckedGold, dialog: ui.dialog) -> None:
        def go(question_id: str) -> None:
            dialog.close()
            self._choose(question_id)

        def correct(only: list[str] | None) -> None:
            dialog.close()
            self._do(
                "correct what the check found",
                lambda gold: edit.corrected(gold, self.tab.workspace.checked(gold), only),
            )

        mendable = sum(problem.kind in edit.CORRECTABLE for problem in checked.problems)
        if not checked.problems:
            ui.label("Nothing was found: every reference is where it says.").classes("cw-quiet")
        if mendable:
            text = f"Correct what can be corrected: {whole(mendable)}"
            ui.button(text, on_click=lambda: correct(None)).props("outline dense no-caps")
        with ui.element("ol").classes("cw-gold-problems"):
            for problem in checked.problems[:_LISTED]:
                with ui.element("li"):
                    ui.label(str(problem)).classes("" if problem.usable else "cw-problem")
                    with ui.element("div").classes("cw-gold-buttons"):
                        name = problem.question_id
                        ui.button("Go to it", on_click=lambda _, name=name: go(name)).props(
                            "flat dense no-caps"
                        )
                        if problem.kind in edit.CORRECTABLE:
                            ui.button(
                                "Correct", on_click=lambda _, name=name: correct([name])
                            ).props("flat dense no-caps")
        if len(checked.problems) > _LISTED:
            ui.label(
                f"… and {whole(len(checked.problems) - _LISTED)} more; "
                "'chunkwright gold check --json' lists them all"
            ).classes("cw-quiet")

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
        if self.tab.state.part == "gold" and self.tab.workspace.gold is not self._seen:
            self._refresh()

    def _refresh(self) -> None:
        """Show the state as it is. Of the calls while that is done, only the last counts."""
        self._again = True
        if not self._busy:
            self._busy = True
            background_tasks.create(self._refresh_all(), context=self.root)

    async def _refresh_all(self) -> None:
        try:
            while self._again:
                self._again = False
                await self._refresh_once()
        finally:
            self._busy = False
            self.working.set_visibility(False)

    async def _refresh_once(self) -> None:
        """What is quick first; each step is left out where nothing has changed for it."""
        state, gold = self.tab.state, self.tab.workspace.gold
        if state.part != "gold":
            return
        self._seen = gold
        question = found_question(gold, state.gold)
        current = self._fares if self._fares is not None and self._fares.gold is gold else None
        self._list()
        self.editor.show(question, current)
        await self._paint(state, question)
        if not self._again:
            await self._measure(state, gold)
        if not self._again:
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
            self._again = True
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
            fate, self.tab.workspace, state.recipe, state.retriever, state.k, question
        )
        self.fate.clear()
        with self.fate:
            if isinstance(found, ChunkwrightError):
                ui.label(str(found)).classes("cw-problem")
            else:
                show_fate(question, found)


NO_QUESTIONS = (
    "There are no questions yet: import a file of them, or write the first one below. Then select "
    "in the document what answers it."
)


def show_fate(question: Question, found: Verdicts) -> None:
    """What holds the references of a question and what beats it, side by side."""
    holding, above = found.holding(0).tolist(), found.above(0).tolist()
    title = "The chunks that hold its reference"
    with ui.element("div").classes("cw-gold-side"):
        if holding:
            ui.label(f"{title}: {whole(len(holding))}").classes("cw-heading")
        else:
            holding = found.touching(0).tolist()
            ui.label(title).classes("cw-heading")
            ui.label(
                "None holds it whole: a cut goes through it. These hold a part of it:"
            ).classes("cw-problem")
        _passages(question, found, holding)
        cause_of_miss(question, found)
    with ui.element("div").classes("cw-gold-side"):
        ui.label(f"The chunks that beat it: {whole(len(above))}").classes("cw-heading")
        if not above:
            ui.label("None: it is ranked first.").classes("cw-quiet")
        _passages(question, found, above)


def cause_of_miss(question: Question, found: Verdicts) -> None:  # noqa: ARG001
    """The room for the cause of a miss.

    The explanation that `chunkwright explain` gives of the question under this recipe goes here;
    until that is built nothing is claimed.
    """
    if not found.at_k[0]:
        ui.label("The cause of the miss will be explained here by 'chunkwright explain'.").classes(
            "cw-quiet cw-gold-cause"
        )


def _passages(question: Question, found: Verdicts, sent: list[int]) -> None:
    with ui.element("ol").classes("cw-results"):
        for each in sent[:_COMPARED]:
            passage = found.passage(0, each)
            with ui.element("li"):
                rank = f"rank {passage.rank}" if passage.rank else "not ranked"
                ui.label(
                    f"{rank} · score {passage.score:.3f} · {passage.document_id} "
                    f"{passage.start}–{passage.end} · {whole(passage.tokens)} tokens"
                ).classes("cw-result-head")
                spans = within(places(question, passage.document_id), passage.start, passage.end)
                passage_text(passage.text, question.question, spans, f"Text of {rank}")
    if len(sent) > _COMPARED:
        ui.label(f"… and {whole(len(sent) - _COMPARED)} more").classes("cw-quiet")


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


def read_sent(name: str, data: bytes) -> GoldSet:
    """A gold set from a file that was sent.

    Raises:
        GoldError: It cannot be read; the message names file and line.

    >>> read_sent("gold.jsonl", b"")
    Traceback (most recent call last):
    chunkwright.errors.GoldError: gold.jsonl: empty; write one question a line, as a JSON object
    """
    with TemporaryDirectory() as folder:
        path = Path(folder, "sent.jsonl")
        path.write_bytes(data)
        try:
            return GoldSet.read(path)
        except GoldError as problem:
            told = str(problem).replace(str(path), PurePath(name).name, 1)
            raise GoldError(told) from None
