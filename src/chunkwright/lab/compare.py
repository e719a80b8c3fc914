"""Two setups side by side on one text: what they cost, and where they cut otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nicegui import background_tasks, ui

from chunkwright.chunking.cut import Cut
from chunkwright.errors import ChunkwrightError, SetupError
from chunkwright.lab.figures import Facts, facts
from chunkwright.lab.state import State
from chunkwright.lab.tab import Latest, Tab, tell
from chunkwright.lab.views.compare_view import CompareView, Pieces, painting_of, pieces_of
from chunkwright.lab.views.plain_table import plain_table
from chunkwright.report.tables import Column, Table
from chunkwright.service.workspace import Recipe
from chunkwright.setup import Setup


def swapped(state: State) -> State:
    """The state with both sides of the comparison changed over.

    >>> one = State(setup=Setup.parse("fixed:9t"), other=Setup.parse("fixed:5t"))
    >>> str(swapped(one).setup), swapped(swapped(one)) == one
    ('fixed:5t', True)
    """
    return replace(
        state,
        setup=state.other,
        repairs=state.other_repairs,
        other=state.setup,
        other_repairs=state.repairs,
    )


def compared(left: Facts, right: Facts) -> Table:
    """The figures of both sides, and what the right one has more or less.

    >>> from chunkwright.chunking.cut import cut
    >>> from chunkwright.model import Document
    >>> from chunkwright.text.analysis import Analysis
    >>> lamp = Analysis(Document("a.txt", "It blinks. It is blue. It is on."))
    >>> setups = [Setup.parse(each) for each in ("sentence:1s", "sentence:2s")]
    >>> table = compared(*(facts(cut(lamp, each)) for each in setups))
    >>> [row[:2] for row in table.rows]
    [('left', '3'), ('right', '2'), ('difference', '−1')]
    """
    names = [name for name, _ in left.rows()]
    sides = [dict(side.rows()) for side in (left, right)]
    return Table(
        "Figures",
        (Column("side", number=False), *(Column(name) for name in names)),
        (
            ("left", *sides[0].values()),
            ("right", *sides[1].values()),
            ("difference", *(_difference(*(side[name] for side in sides)) for name in names)),
        ),
    )


def _difference(left: str, right: str) -> str:
    """What one shown figure is more than another, so that a reader who subtracts agrees.

    >>> _difference("1,200", "900"), _difference("2.5 %", "4.0 %"), _difference("–", "1")
    ('−300', '+1.5 points', '–')
    """
    share = left.endswith(" %") and right.endswith(" %")
    try:
        one, two = (float(each.removesuffix(" %").replace(",", "")) for each in (left, right))
    except ValueError:
        return "–"
    digits = 1 if share else 0
    text = f"{two - one:+,.{digits}f}".replace("-", "−")
    if not round(two - one, digits):
        text = "0"
    return f"{text} points" if share else text


def told(pieces: Pieces) -> str:
    """How many cuts are in common and how many are not, as a line."""
    common, left, right = pieces.counts()
    return f"Cuts: {common:,} in common, {left:,} only left, {right:,} only right"


class Side:
    """The setup of one side: its notation, what is wrong with it, its repairs.

    Args:
        name: What it is, to be shown.
        recipe: How its chunks are made.
        use: Called with another recipe.
    """

    def __init__(self, name: str, recipe: Recipe, use: Callable[[Recipe], None]) -> None:
        self._use = use
        self.notation = ui.input(name).props("dense outlined spellcheck=false")
        self.notation.classes("cw-notation").on("keydown.enter", self._typed).on(
            "blur", self._typed
        )
        self.problem = ui.label().classes("cw-problem").props("role=alert")
        self._repairs = ui.element("div").classes("cw-repairs")
        self.show(recipe)

    def show(self, recipe: Recipe) -> None:
        """Show a recipe."""
        self._recipe = recipe
        self._misread = False
        self.problem.set_text("")
        self.notation.set_value(str(recipe.setup))
        self._repairs.clear()
        with self._repairs:
            for name in recipe.repairs:
                ui.chip(
                    name.replace("_", " "),
                    removable=True,
                    on_value_change=lambda _, name=name: self._undo(name),
                ).props("outline dense")

    def refuse(self, problem: ChunkwrightError) -> None:
        """Say why the setup cannot be used; what was painted last stays."""
        self.problem.set_text(str(problem))

    def accept(self) -> None:
        """Take back what was said, unless what is written there cannot be read."""
        if not self._misread:
            self.problem.set_text("")

    def _undo(self, name: str) -> None:
        left = tuple(each for each in self._recipe.repairs if each != name)
        self._use(replace(self._recipe, repairs=left))

    def _typed(self) -> None:
        try:
            setup = Setup.parse(self.notation.value or "")
        except SetupError as problem:
            self.refuse(problem)
            self._misread = True
            return
        if setup != self._recipe.setup:
            self._use(replace(self._recipe, setup=setup))
        elif self._misread:
            self.show(self._recipe)
        else:  # it may be spelled otherwise; what was told of its use stays
            self.notation.set_value(str(setup))


class Compare:
    """The part of the page that shows one document under two setups."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        # A view that is not in the page paints nothing: it is painted when it tells it is there.
        self._in_page, self._stale = False, True
        state = tab.state
        with ui.element("div").classes("cw-compare"):
            with ui.element("div").classes("cw-compare-sides"):
                with ui.element("section").props('aria-label="Left setup"'):
                    self.left = Side("Left: the setup", state.recipe, self._use_left)
                with ui.element("div").classes("cw-compare-change"):
                    swap = ui.button(icon="swap_horiz", on_click=self._swap)
                    swap.props('flat round dense aria-label="Swap the sides"')
                    with swap:
                        ui.tooltip("Swap the sides")
                with ui.element("section").props('aria-label="Right setup"'):
                    self.right = Side(
                        "Right: compared with it", state.other_recipe, self._use_right
                    )
            with ui.element("div").classes("cw-compare-figures"):
                self._figures = ui.element("div")
                with ui.element("div").classes("cw-compare-told"):
                    self._told = ui.label().props("role=status")
                    ui.label("White space alone makes no difference.").classes("cw-quiet")
                    ui.button("Use the right one", on_click=self._choose_right).props(
                        "outline dense no-caps"
                    )
            self.view = CompareView()
        self.view.on("shown", self._shown)
        self._latest = Latest(self._paint_once, self.view)
        tab.follow(self._changed)
        background_tasks.create(self._load(), context=self.view)

    # What a person does

    def _use_left(self, recipe: Recipe) -> None:
        self.tab.go(replace(self.tab.state, setup=recipe.setup, repairs=recipe.repairs))

    def _use_right(self, recipe: Recipe) -> None:
        self.tab.go(replace(self.tab.state, other=recipe.setup, other_repairs=recipe.repairs))

    def _swap(self) -> None:
        self.tab.go(swapped(self.tab.state))

    def _choose_right(self) -> None:
        state = self.tab.state
        self._use_left(state.other_recipe)
        ui.notify(f"{state.other} is the setup now", position="bottom")

    # What follows

    def _changed(self, before: State, after: State) -> None:
        if after.part != "compare":
            self._in_page = False
        if after.recipe != before.recipe:
            self.left.show(after.recipe)
        if after.other_recipe != before.other_recipe:
            self.right.show(after.other_recipe)
        if after.document != before.document:
            background_tasks.create(self._load(), context=self.view)
        elif (after.recipe, after.other_recipe) != (before.recipe, before.other_recipe):
            self._paint()

    async def _load(self) -> None:
        analysis = await self.tab.work(self.tab.workspace.analysis, self.tab.state.document)
        if isinstance(analysis, ChunkwrightError):
            tell(analysis)
        elif analysis.document.id == self.tab.state.document:  # no other one was chosen since
            self.view.load(analysis)
            self._paint()

    def _shown(self) -> None:
        self._in_page = True
        if self._stale:
            self._paint()

    def _paint(self) -> None:
        """Paint the state as it is, now or when this part is seen again."""
        self._stale = True
        if not self._in_page:
            return
        self._latest()

    async def _paint_once(self) -> None:
        state, work = self.tab.state, self.tab.work
        left = await self._cut(self.left, state.recipe)
        right = await self._cut(self.right, state.other_recipe)
        if left is None or right is None or self._latest.again:
            return
        if self.view.document is not left.analysis.document or left.analysis is not right.analysis:
            return  # another one was chosen since, and is on its way
        pieces = await work(pieces_of, left, right)
        if isinstance(pieces, ChunkwrightError):
            tell(pieces)
            return
        shown = await work(painting_of, pieces, left, right, self.view.units)
        if isinstance(shown, ChunkwrightError) or self._latest.again or not self._in_page:
            return
        self._stale = False
        self.view.paint(shown)
        self._told.set_text(told(pieces))
        known = await work(lambda: (facts(left), facts(right)))
        if not (isinstance(known, ChunkwrightError) or self._latest.again):
            self._figures.clear()
            with self._figures:
                plain_table(compared(*known))

    async def _cut(self, side: Side, recipe: Recipe) -> Cut | None:
        """The chunks of a side; None, and the side tells why, where its setup cannot be used."""
        found = await self.tab.work(self.tab.workspace.cut, self.tab.state.document, recipe)
        if isinstance(found, ChunkwrightError):
            side.refuse(found)
            return None
        side.accept()
        return found
