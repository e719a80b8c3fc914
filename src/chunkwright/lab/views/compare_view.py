"""Two cuts of one document side by side, in pieces that both columns share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from nicegui.element import Element
from numpy.typing import NDArray

from chunkwright.chunking.cut import Cut
from chunkwright.lab.units import Units
from chunkwright.lab.views import ROWS
from chunkwright.lab.views.text_view import painting, text_address
from chunkwright.model import Document
from chunkwright.spans import Integers
from chunkwright.text.analysis import Analysis

_VISIBLE = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text in pieces between which at least one of two cuts lies. All arrays are parallel.

    White space alone makes no difference: a chunk is taken to start at its first visible
    character, and the first piece starts with the text.

    Attributes:
        starts: Where the pieces start, ascending, the first at 0; each ends where the next starts.
        left: The last chunk of the left cut that starts at a piece's start or before; -1 for none.
        right: The same of the right cut.
    """

    starts: Integers
    left: Integers
    right: Integers

    @property
    def cuts(self) -> NDArray[np.uint8]:
        """Who cuts where a piece starts: 1 only the left, 2 only the right, 3 both, 0 nobody.

        Nobody cuts where the text starts.
        """
        one, two = (np.diff(side, prepend=side[:1]) > 0 for side in (self.left, self.right))
        return np.asarray(one + 2 * two, np.uint8)

    def counts(self) -> tuple[int, int, int]:
        """How many cuts are in common, only left, only right."""
        found = np.bincount(self.cuts, minlength=4).tolist()
        return found[3], found[1], found[2]


def pieces_of(left: Cut, right: Cut) -> Pieces:
    """A document in the pieces that two cuts of it make together.

    >>> from chunkwright.chunking.cut import cut
    >>> from chunkwright.setup import Setup
    >>> lamp = Analysis(Document("a.txt", "It blinks. It is blue. It is on."))
    >>> one, two = (cut(lamp, Setup.parse(each)) for each in ("sentence:1s", "sentence:2s"))
    >>> found = pieces_of(one, two)
    >>> found.starts.tolist(), found.left.tolist(), found.right.tolist()
    ([0, 11, 23], [0, 1, 2], [0, 0, 1])
    >>> found.cuts.tolist(), found.counts()
    ([0, 1, 3], (1, 1, 0))
    """
    places = _places(left), _places(right)
    starts = np.unique(np.concatenate([np.zeros(1, np.int64), *places]))
    return Pieces(starts, *(np.searchsorted(each, starts, side="right") - 1 for each in places))


def _places(cut: Cut) -> Integers:
    """Where the chunks of a cut are taken to start; they do not descend."""
    text, starts = cut.analysis.text, cut.spans.starts.tolist()
    first = _visible(text, 0)
    places = [_visible(text, start) if text[start].isspace() else start for start in starts]
    return np.array([0 if place == first else place for place in places], np.int64)


def _visible(text: str, start: int) -> int:
    """The first visible character from a position on; the position itself if there is none."""
    found = _VISIBLE.search(text, start)
    return start if found is None else found.start()


def painting_of(pieces: Pieces, left: Cut, right: Cut, units: Units) -> dict[str, Any]:
    """What the page paints: columns, with positions in code units."""
    return {
        "starts": units.of(pieces.starts).tolist(),
        "cuts": pieces.cuts.tolist(),
        "sides": [
            {**painting(cut, units), "at": at.tolist()}
            for cut, at in ((left, pieces.left), (right, pieces.right))
        ],
    }


class CompareView(Element, component="compare_view.js", esm=ROWS):
    """Two columns of one text, each with its chunks.

    Emits `shown` when it comes into the page: nothing can be painted before, or while it is away.
    """

    def __init__(self) -> None:
        super().__init__()
        self.classes("cw-view-box")
        self._sequence = count(1)
        self._units: Units | None = None
        self._source = ""
        self.document: Document | None = None

    def load(self, analysis: Analysis) -> None:
        """Show a document."""
        self.document = analysis.document
        self._units = Units(self.document.text)
        self._source = text_address(self.document)
        self._props["source"] = self._source
        self._props["lang"] = analysis.language
        self.update()

    @property
    def units(self) -> Units:
        """The positions of the document that is shown."""
        assert self._units is not None
        return self._units

    def paint(self, painting: dict[str, Any]) -> None:
        """Show the chunks of both sides, as `painting_of` gives them."""
        self.run_method("paint", self._source, {"sequence": next(self._sequence), **painting})
