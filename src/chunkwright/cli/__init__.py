"""The command line. Every command exits 0 done, 1 a gate failed, 2 bad input, 3 some failed."""

from __future__ import annotations

import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # Chunks are any text, whatever the terminal was set to.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        from chunkwright.cli.app import run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        sys.exit(130)
