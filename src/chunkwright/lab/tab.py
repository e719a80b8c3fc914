"""One open page: its state, those who follow it, and work that must not block the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from nicegui import ui

from chunkwright.errors import ChunkwrightError
from chunkwright.lab.state import State
from chunkwright.service.workspace import Workspace
from chunkwright.spans import Span

T = TypeVar("T")
P = ParamSpec("P")
Reaction = Callable[[State, State], None]


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
        opened = (state.part, state.document) != (before.part, before.document)
        history = ui.navigate.history
        (history.push if opened else history.replace)(f"/?{state.query}" if state.query else "/")
        self.arrive(state)

    def arrive(self, state: State) -> None:
        """Show the state that the address has come to by itself, by Back or Forward."""
        before, self.state = self.state, state
        if state != before:
            for reaction in self._reactions:
                reaction(before, state)

    async def work(
        self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T | ChunkwrightError:
        """What a function gives, called in a thread; its own errors are given, not raised."""
        try:
            return await asyncio.to_thread(function, *args, **kwargs)
        except ChunkwrightError as problem:
            return problem


def tell(problem: ChunkwrightError | str) -> None:
    """Show one line about what went wrong, as text."""
    ui.notify(str(problem), type="negative", position="bottom", timeout=8000, multi_line=True)
