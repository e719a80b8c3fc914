"""One open page: its state, those who follow it, and work that must not block the others."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from nicegui import background_tasks, context, ui

from chunkwright.errors import ChunkwrightError
from chunkwright.lab.state import State
from chunkwright.service.workspace import Workspace
from chunkwright.spans import Span

T = TypeVar("T")
P = ParamSpec("P")
Reaction = Callable[[State, State], None]
# Seconds until the address shows what was changed.
_MOMENT = 0.3
_LOG = logging.getLogger(__name__)


class Tab:
    """One open page.

    Args:
        workspace: What all pages share.
        state: What the page shows first.
    """

    def __init__(self, workspace: Workspace, state: State) -> None:
        self.workspace = workspace
        self.state = state
        self.aim: tuple[str, Span] | None = None
        self._reactions: list[Reaction] = []
        self._client = context.client
        self._writing = False

    def follow(self, reaction: Reaction) -> None:
        """Have a function called with the state before and the state after each change."""
        self._reactions.append(reaction)

    def go(self, state: State) -> None:
        """Show another state; the address follows.

        The browser's Back leads to the document and the part that were open before. All else that
        changes would fill its history: a slider gives dozens of states.
        """
        before = self.state
        if state == before:
            return
        opened = (state.part, state.document, state.question, state.gold)
        if opened != (before.part, before.document, before.question, before.gold):
            ui.navigate.history.push(_address(state))
        elif not self._writing:
            self._writing = True
            background_tasks.create(self._write(), context=self._client.content)
        self.arrive(state)

    async def _write(self) -> None:
        """Write the address a moment later: browsers refuse a hundred changes in no time."""
        await asyncio.sleep(_MOMENT)
        self._writing = False
        if not self.is_closed:
            ui.navigate.history.replace(_address(self.state))

    @property
    def is_closed(self) -> bool:
        """Whether the page is gone, and nobody sees what is shown on it."""
        return self._client.is_deleted

    def arrive(self, state: State) -> None:
        """Show the state that the address has come to by itself, by Back or Forward."""
        before, self.state = self.state, state
        if state != before:
            for reaction in self._reactions:
                reaction(before, state)

    async def work(
        self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T | ChunkwrightError:
        """What a function gives, called in a thread; errors are given, not raised.

        Whoever waits for it is cancelled where the page is gone meanwhile.
        """
        found: T | ChunkwrightError
        try:
            found = await asyncio.to_thread(function, *args, **kwargs)
        except ChunkwrightError as problem:
            found = problem
        except Exception as problem:  # one line on the page, all of it in the log
            _LOG.exception("a fault in the lab")
            said = " ".join(f"{type(problem).__name__}: {problem}".split())
            found = ChunkwrightError(
                f"fault in chunkwright ({said}); the log of the lab has more, please report it"
            )
        if self.is_closed:
            raise asyncio.CancelledError
        return found


class Latest:
    """Work that shows the state as it is. Of the calls while it is done, only the last counts.

    Args:
        work: Shows the state once. What it awaits may find `again` set: it is out of date then.
        place: The element that it shows it in.
        done: Called when no more is to be shown, and when that has failed.

    Attributes:
        again: Whether it was called again since the work began.
    """

    def __init__(
        self,
        work: Callable[[], Awaitable[None]],
        place: ui.element,
        done: Callable[[], object] = lambda: None,
    ) -> None:
        self.again = False
        self._busy = False
        self._work, self._place, self._done = work, place, done

    def __call__(self) -> None:
        """Show the state now, or once more after what is being shown."""
        self.again = True
        if not self._busy:
            self._busy = True
            background_tasks.create(self._all(), context=self._place)

    async def _all(self) -> None:
        try:
            while self.again:
                self.again = False
                await self._work()
        finally:
            self._busy = False
            self._done()


def _address(state: State) -> str:
    return f"/?{state.query}" if state.query else "/"


def tell(problem: ChunkwrightError | str) -> None:
    """Show one line about what went wrong, as text."""
    ui.notify(str(problem), type="negative", position="bottom", timeout=8000, multi_line=True)
