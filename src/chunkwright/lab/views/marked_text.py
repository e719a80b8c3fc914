"""A text with marked parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nicegui.element import Element

from chunkwright.spans import Span

Mark = tuple[Span, str]


class MarkedText(Element, component="marked_text.js"):
    """A text with marked parts, as text: nothing in it is read as markup.

    Args:
        text: The text.
        marks: Parts of it, each with a kind: `reference`, `term`, `chunk` or `chosen`.
        label: What it is, for screen readers: the box can be scrolled by keyboard.
        sight: The kind of which the first part is scrolled into sight.
    """

    def __init__(self, text: str, marks: Iterable[Mark], label: str, sight: str = "") -> None:
        super().__init__()
        self.props["pieces"] = pieces(text, list(marks))
        self.props["label"] = label
        self.props["sight"] = sight


def pieces(text: str, marks: Sequence[Mark]) -> list[list[str]]:
    """A text cut where marks begin and end: each part, then the kinds of marks that it is in.

    What lies outside the text is left out.

    >>> pieces("It blinks blue.", [(Span(3, 14), "reference"), (Span(10, 99), "term")])
    [['It '], ['blinks ', 'reference'], ['blue', 'reference', 'term'], ['.', 'term']]
    """
    size = len(text)
    turns: list[tuple[int, int, str]] = []
    for span, kind in marks:
        start, end = max(0, span.start), min(size, span.end)
        if start < end:
            turns += [(start, 1, kind), (end, -1, kind)]
    turns.sort()
    inside: dict[str, int] = {}
    found: list[list[str]] = []
    at = 0
    for position, step, kind in [*turns, (size, 0, "")]:
        if position > at:
            kinds = sorted(name for name, depth in inside.items() if depth)
            found.append([text[at:position], *kinds])
            at = position
        inside[kind] = inside.get(kind, 0) + step
    return found


def excerpt(text: str, sight: Span, most: int = 20_000) -> Span:
    """The part of a text that is shown where the whole is too long: around what matters in it.

    >>> excerpt("abcdefghij", Span(7, 8), most=4), excerpt("abc", Span(0, 1))
    (Span(start=5, end=9), Span(start=0, end=3))
    """
    if len(text) <= most:
        return Span(0, len(text))
    middle = (sight.start + min(sight.end, sight.start + most)) // 2
    start = min(max(0, middle - most // 2), len(text) - most)
    return Span(start, start + most)
