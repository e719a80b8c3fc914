"""The edits of a gold set, to be undone one after another."""

from __future__ import annotations

from dataclasses import dataclass, field

from chunkwright.gold.goldset import GoldSet

# Each holds a gold set, most of which it shares with the one before.
_KEPT = 100


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that was done.

    Attributes:
        label: What was done.
        before: The questions before it.
        after: The questions after it.
        chosen: Id of the question that was looked at; empty for none.
    """

    label: str
    before: GoldSet
    after: GoldSet
    chosen: str = ""


@dataclass
class History:
    """The last edits of one page.

    >>> history, none = History(), GoldSet(())
    >>> history.add(Edit("import", none, GoldSet(()), "q1"))
    >>> history.last
    'import'
    """

    edits: list[Edit] = field(default_factory=list)

    @property
    def last(self) -> str:
        """What would be undone; empty where nothing would."""
        return self.edits[-1].label if self.edits else ""

    def add(self, edit: Edit) -> None:
        """Remember an edit, and forget the oldest of many."""
        self.edits = [*self.edits, edit][-_KEPT:]

    def undo(self, now: GoldSet) -> Edit | None:
        """Take back the last edit; None where the questions are not as it left them.

        Then all are forgotten, for they would take back what somebody else did since.

        Args:
            now: The questions as they are.
        """
        edit = self.edits.pop()
        if edit.after is not now:
            self.edits.clear()
            return None
        return edit
