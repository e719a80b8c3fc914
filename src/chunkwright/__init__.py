"""chunkwright: measure, repair and tune how documents are cut into chunks for retrieval.

Names are imported when first used, so that `import chunkwright` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from chunkwright._version import __version__

if TYPE_CHECKING:
    from chunkwright.chunking.cost import cost as cost
    from chunkwright.chunking.dress import chunk as chunk
    from chunkwright.chunking.dress import chunk_iter as chunk_iter
    from chunkwright.errors import ChunkwrightError as ChunkwrightError
    from chunkwright.errors import OversizeWarning as OversizeWarning
    from chunkwright.errors import PayloadWarning as PayloadWarning
    from chunkwright.errors import SetupError as SetupError
    from chunkwright.errors import TableHeadWarning as TableHeadWarning
    from chunkwright.errors import TruncationWarning as TruncationWarning
    from chunkwright.gold.goldset import GoldSet as GoldSet
    from chunkwright.model import Chunk as Chunk
    from chunkwright.model import Document as Document
    from chunkwright.quality.chunks import check as check
    from chunkwright.quality.chunks import repair as repair
    from chunkwright.quality.rule import Finding as Finding
    from chunkwright.setup import Setup as Setup
    from chunkwright.sources.corpus import Corpus as Corpus
    from chunkwright.tuning.study import Study as Study
    from chunkwright.tuning.study import evaluate as evaluate
    from chunkwright.tuning.study import tune as tune

_HOMES = {
    "Chunk": "model",
    "ChunkwrightError": "errors",
    "Corpus": "sources.corpus",
    "Document": "model",
    "Finding": "quality.rule",
    "GoldSet": "gold.goldset",
    "OversizeWarning": "errors",
    "PayloadWarning": "errors",
    "Setup": "setup",
    "SetupError": "errors",
    "Study": "tuning.study",
    "TableHeadWarning": "errors",
    "TruncationWarning": "errors",
    "check": "quality.chunks",
    "chunk": "chunking.dress",
    "chunk_iter": "chunking.dress",
    "cost": "chunking.cost",
    "evaluate": "tuning.study",
    "repair": "quality.chunks",
    "tune": "tuning.study",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'chunkwright' has no attribute {name!r}")
    return getattr(importlib.import_module(f"chunkwright.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
