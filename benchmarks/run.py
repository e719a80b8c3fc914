"""Runs the benchmarks, prints them as Markdown and writes `build/benchmarks.md`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from benchmarks import quality, throughput
from benchmarks.report import machine, write
from benchmarks.tools import OURS, PACKAGES, ROWS, TIKTOKEN

_SIZES = (0.3, 3.0, 30.0)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    options = _parser().parse_args(arguments)
    sizes = [0.3] if options.quick else options.sizes
    quality_size = 0.1 if options.quick else 0.3
    write("benchmarks", _report(options.rows, sizes, quality_size))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="0.3 MB only")
    parser.add_argument(
        "--rows",
        nargs="+",
        choices=ROWS,
        default=list(ROWS),
        metavar="ROW",
        help=f"which of: {', '.join(ROWS)}",
    )
    parser.add_argument("--sizes", nargs="+", type=float, default=list(_SIZES), metavar="MB")
    return parser


def _report(rows: Sequence[str], sizes: Sequence[float], quality_size: float) -> Iterator[str]:
    yield "# Benchmarks"
    yield machine(PACKAGES.values())
    result = throughput.measure(rows, sizes)
    yield "Texts: " + "; ".join(f"{name} from {source}" for name, source in result.sources.items())
    yield (
        "## Throughput\n\nMB of UTF-8 per second, one document, one process for each tool. Best "
        "round of three, in brackets the slowest; one round above 3 MB or where one takes 3 s. "
        "`tiktoken` is its encode call alone on one thread; `sentencex` and `pysbd` only find "
        "sentences. `ours: cut` gives what the peers give, `ours: chunk` also ids, exact token "
        "counts and lines."
    )
    for size in result.sizes:
        yield f"### {size:g} MB"
        yield throughput.speed_table(result, size)
        yield throughput.ratio_table(result, size, OURS)
        yield throughput.ratio_table(result, size, TIKTOKEN)
    if len(result.sizes) > 1:
        yield "### Slope\n\nTime grows with this power of the size: 1 is in proportion."
        yield throughput.slope_table(result)
    yield "### Aims\n\nOurs as a multiple of another tool's speed in this run."
    yield throughput.aim_table(result)
    yield (
        "## Quality\n\n1000 characters, overlap 200. Sentences by chunkwright's own analysis, "
        "which favours `ours: sentence`, and by pysbd."
    )
    yield from quality.report(quality_size)


if __name__ == "__main__":
    main()
