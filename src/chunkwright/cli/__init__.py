"""The command line. Every command exits 0 done, 1 a gate failed, 2 bad input, 3 some failed."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from chunkwright.cli.app import run

    run()
