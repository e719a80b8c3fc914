"""A repair: what mends a defect, and what it changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from chunkwright import registry
from chunkwright.chunking.cut import Cut
from chunkwright.errors import RuleError
from chunkwright.spans import Spans


@dataclass(frozen=True, slots=True)
class Repair:
    """A way of mending chunks: spans move, or words are added to `embed_text`.

    Done twice it changes nothing more. Spans stay spans of the source, keep to the size, and never
    cross documents, sections or parents.

    Attributes:
        name: As it is registered.
        summary: What it does, to follow its name: `moves a cut to ...`.
        mends: Codes of the rules whose findings it is for.
        apply: The chunks of one document, mended.
        safe: Whether `check --fix` does it; the others take `--unsafe-fixes`.
        default: Whether the option `repair` of a setup does it: the safe ones, as no repair has
            been proven to win or lose answers (`docs/proof.md`).
    """

    name: str
    summary: str
    mends: tuple[str, ...]
    apply: Callable[[Cut], Cut]
    safe: bool = False
    default: bool = False


def repair_of(name: str) -> Repair:
    """The repair of a name.

    Raises:
        RuleError: There is none.
    """
    found: Repair = registry.load("repairs", name, RuleError)
    return found


def repairs() -> tuple[Repair, ...]:
    """All repairs, in the order in which they are done: moves first, then what is added."""
    return tuple(repair_of(name) for name in registry.names("repairs"))


def with_spans(cut: Cut, pairs: list[tuple[int, int]]) -> Cut:
    """The cut with other spans; a chunk that starts where one did keeps what is put before it."""
    if pairs == cut.spans.pairs():
        return cut
    spans = Spans.of(pairs)
    if not cut.leads:
        return replace(cut, spans=spans)
    starts = cut.spans.starts.tolist()
    known = {starts[index]: lead for index, lead in cut.leads.items()}
    leads = {index: known[start] for index, (start, _) in enumerate(pairs) if start in known}
    return replace(cut, spans=spans, leads=leads)


def words_before(cut: Cut) -> Callable[[int], str]:
    """What stands before the text of a chunk that starts at a position, in what is embedded."""
    starts = cut.spans.starts.tolist()
    known = {starts[index]: lead.words for index, lead in cut.leads.items()}
    return lambda start: cut.context.at(start) + known.get(start, "")
