"""What setups cost on the same documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from chunkwright.chunking.cost import Cost, cost
from chunkwright.engines.faults import reason
from chunkwright.errors import SetupError
from chunkwright.setup import Setup
from chunkwright.sources.files import Failure
from chunkwright.text.analysis import Analysis


class Costs(NamedTuple):
    """What setups cost.

    Attributes:
        rows: One a setup that can be used.
        unusable: Why each other one cannot.
        failures: Documents that could not be cut, and why.
    """

    rows: list[Cost]
    unusable: list[str]
    failures: list[Failure]


def costs_of(
    documents: Iterable[Analysis], setups: Sequence[Setup], done: Callable[[], object]
) -> Costs:
    """The costs of setups on the same documents: those that every setup can cut.

    Args:
        documents: The documents.
        setups: The setups.
        done: Called after each setup.

    >>> from chunkwright.model import Document
    >>> lamp = Analysis(Document("a.txt", "One. Two."))
    >>> costs_of([lamp], [Setup.parse("sentence:1s")], lambda: None).rows[0].chunks
    2
    """
    analyses = list(documents)
    failures: list[Failure] = []
    at = 0

    def watched() -> Iterator[Analysis]:
        nonlocal at
        for at, analysis in enumerate(analyses):  # noqa: B007 - it tells who was at work
            yield analysis

    while True:
        rows: list[Cost] = []
        unusable: list[str] = []
        try:
            for each in setups:
                try:
                    rows.append(cost(watched(), each))
                except SetupError as problem:
                    unusable.append(str(problem))
                done()
            return Costs(rows if analyses else [], unusable, failures)
        except BaseException as problem:
            document = analyses.pop(at).document
            failures.append(Failure(document.id, reason(problem)))


def row_of(found: Cost) -> dict[str, Any]:
    """A cost as plain values."""
    return {**asdict(found), "setup": str(found.setup)}
