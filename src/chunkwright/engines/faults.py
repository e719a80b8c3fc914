"""Why a document failed, in one line."""

from __future__ import annotations

import os

from chunkwright.errors import ChunkwrightError
from chunkwright.processes import WorkerError

_NO_FAULT = (KeyboardInterrupt, SystemExit, GeneratorExit, OSError, WorkerError)


def reason(problem: BaseException, reached: int = 0) -> str:
    """Why a document failed, in one line.

    Args:
        problem: What was raised. Panics of compiled parts are no `Exception`; what is not the
            document's own fault, and everything nobody foresaw with `--debug`, is raised again.
        reached: Up to which character its chunks are written already.

    >>> from chunkwright.errors import SetupError
    >>> reason(SetupError("too small"), 1200)
    'too small [its chunks up to character 1,200 are written]'
    """
    if isinstance(problem, _NO_FAULT):
        raise problem
    if isinstance(problem, ChunkwrightError):
        why = " ".join(str(problem).split())
    elif debugging():
        raise problem
    else:
        said = " ".join(str(problem).split())
        why = (
            f"fault in chunkwright ({type(problem).__name__}: {said}); see it with --debug, and "
            "report it"
        )
    return f"{why} [its chunks up to character {reached:,} are written]" if reached else why


def debugging() -> bool:
    """Whether tracebacks are wanted."""
    return bool(os.environ.get("CHUNKWRIGHT_DEBUG"))
