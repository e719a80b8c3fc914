"""The example documents and their questions, which come with the package."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from chunkwright.errors import SourceError


class Examples(NamedTuple):
    """Where the examples are.

    Attributes:
        documents: The folder of the documents.
        gold: The file of the questions.
    """

    documents: Path
    gold: Path


def examples() -> Examples:
    """The examples: inside an installed package, or beside its source.

    Raises:
        SourceError: They are in neither place.

    >>> examples().gold.name
    'gold.jsonl'
    """
    here = Path(__file__).resolve()
    for folder in (here.parents[1] / "examples", here.parents[3] / "examples"):
        found = Examples(folder / "docs", folder / "gold.jsonl")
        if found.documents.is_dir() and found.gold.is_file():
            return found
    raise SourceError("the example documents are not installed; name documents of your own")
