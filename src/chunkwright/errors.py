"""The errors chunkwright raises: one line each, saying what, where and what to do."""

from __future__ import annotations


class ChunkwrightError(ValueError):
    """Base of every error raised on purpose.

    It is also a `ValueError`, so code that guards other chunkers keeps working.
    """


class SetupError(ChunkwrightError):
    """A setup that cannot be used; the message names the offending values."""


class SourceError(ChunkwrightError):
    """A document or a snapshot that cannot be read."""


class GoldError(ChunkwrightError):
    """A gold set that cannot be read."""


class MetricError(ChunkwrightError):
    """A metric that cannot be parsed or computed."""


class OversizeWarning(UserWarning):
    """A chunk over the size: one grapheme is wider than it, and is never cut.

    Make it an error with `warnings.simplefilter("error", chunkwright.OversizeWarning)`.
    """


class PayloadWarning(UserWarning):
    """Files written into a text as base64 were left out of its chunks."""


class TableHeadWarning(UserWarning):
    """The head of a table is too wide to be repeated before the rows that were cut off from it."""


class RuleError(ChunkwrightError):
    """A rule or a threshold that does not exist."""


class StudyError(ChunkwrightError):
    """A study that cannot be run or resumed."""


class ServiceError(ChunkwrightError):
    """Something was sent that cannot be taken, or a server that cannot be started."""


class TruncationWarning(UserWarning):
    """Chunks are longer than an embedder reads: the rest of them can never be found.

    Make it an error with `warnings.simplefilter("error", chunkwright.TruncationWarning)`.
    """
