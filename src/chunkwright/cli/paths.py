"""Options that commands which read documents have in common."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkwright.sources.files import MAX_BYTES

_MEGABYTE = 1_000_000
DEFAULT_MEGABYTES = MAX_BYTES / _MEGABYTE
MAX_FILE_SIZE = Annotated[
    float,
    typer.Option(
        min=0,
        envvar="CHUNKWRIGHT_MAX_FILE_SIZE",
        help="Megabytes above which a file is not read, but reported.",
    ),
]
JOBS = Annotated[
    int,
    typer.Option("-j", "--jobs", min=1, help="Processes; the result is the same for any number."),
]


def as_bytes(megabytes: float) -> int:
    """A limit in bytes."""
    return int(megabytes * _MEGABYTE)
