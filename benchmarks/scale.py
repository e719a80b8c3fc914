"""How time and memory grow with the corpus: cutting, a study, and an index in memory.

    python -m benchmarks.scale

Each figure is of a process of its own, so that its peak of memory is its own, too. The corpus is
real English prose, in documents of 20 kB to 2 MB. Cutting makes finished chunks, with ids and exact
token counts, one after the other; the study is of six setups with 50 questions made of sentences of
the corpus; the index is one setup's chunks with BM25 weights and vectors, asked the same questions.
The peers only cut. Writes `build/scale.md` and two charts.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import chunkwright as cw
from benchmarks.report import ROOT, Point, chart, machine, slope, table, write
from benchmarks.texts import prose
from benchmarks.tools import CHONKIE, LANGCHAIN, PACKAGES, ROWS
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.fusion import HYBRID
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import rank
from chunkwright.setup import Setup

_SIZES = (1.0, 3.0, 10.0, 30.0, 100.0)
_PATIENCE = 900
_KINDS = (20_000, 50_000, 200_000, 500_000, 2_000_000)
_STUDY = (
    "fixed:100t+50%",
    "fixed:400t",
    "sentence:60t",
    "sentence:200t+1s",
    "recursive:200t+20%",
    "markdown:200t|headers",
)
_QUESTIONS = 50


def documents(megabytes: float) -> list[cw.Document]:
    """Prose in documents of several sizes."""
    text = prose(megabytes).content
    found: list[cw.Document] = []
    low = 0
    while low < len(text):
        high = low + _KINDS[len(found) % len(_KINDS)]
        edge = text.find("\n\n", high)
        high = len(text) if edge < 0 else edge + 2
        found.append(cw.Document(f"{len(found):05}.txt", text[low:high]))
        low = high
    return found


def questions(corpus: Sequence[cw.Document]) -> GoldSet:
    """Questions made of sentences: the first words ask, the sentence answers."""
    draw = random.Random(1)
    asked: list[Question] = []
    while len(asked) < _QUESTIONS:
        document = draw.choice(corpus)
        start = document.text.find(". ", draw.randrange(len(document.text))) + 2
        end = document.text.find(". ", start) + 1
        if not 40 < end - start < 400:
            continue
        words = document.text[start:end].split()
        reference = Reference(document.id, start, end, document.text[start:end])
        asked.append(Question(f"q{len(asked)}", " ".join(words[::2]), (reference,)))
    return GoldSet(tuple(asked))


def _chunks(notation: str) -> Callable[[list[cw.Document]], int]:
    return lambda corpus: sum(1 for _ in cw.chunk_iter(corpus, notation))


def _study(corpus: list[cw.Document]) -> int:
    asked = questions(corpus)
    return len(cw.tune(cw.Corpus.of(corpus), asked, space=_STUDY).evaluations)


def _index(corpus: list[cw.Document]) -> int:
    pool = Pool(Collection(corpus), Setup.parse("sentence:200t+1s"))
    asked = [each.question for each in questions(corpus)]
    rank(pool, HYBRID, asked, 10, 1000)
    return len(pool)


def _peer(row: str, tool: str) -> Callable[[list[cw.Document]], int]:
    def run(corpus: list[cw.Document]) -> int:
        cutter = ROWS[row].builders[tool]()
        return sum(len(cutter(each.text)) for each in corpus)

    return run


WORK: dict[str, Callable[[list[cw.Document]], int]] = {
    "cut recursive:200t": _chunks("recursive:200t"),
    "cut sentence:1000c+200c": _chunks("sentence:1000c+200c"),
    "cut fixed:200t+50t": _chunks("fixed:200t+50t"),
    "study of six setups": _study,
    "index sentence:200t+1s": _index,
    f"{LANGCHAIN} recursive 200 t": _peer("recursive-tokens", LANGCHAIN),
    f"{CHONKIE} recursive 200 t": _peer("recursive-tokens", CHONKIE),
    f"{CHONKIE} sentences 1000 c + 200": _peer("sentences", CHONKIE),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """What a piece of work took.

    Attributes:
        work: Which.
        megabytes: Size of the corpus.
        seconds: On the clock.
        memory: Peak of the process in MB, with the corpus and all libraries.
    """

    work: str
    megabytes: float
    seconds: float
    memory: float


def alone(work: str, megabytes: float) -> Figure | str:
    """Do a piece of work in a process of its own; what went wrong if it did not end well."""
    command = [sys.executable, "-m", "benchmarks.scale", "--alone", work, "--sizes", str(megabytes)]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return f"> {_PATIENCE} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["failed"])[-1][:60]
    return Figure(work, megabytes, **json.loads(done.stdout))


def measure(work: str, megabytes: float) -> dict[str, float]:
    """Seconds, and the peak of this process in MB."""
    corpus = documents(megabytes)
    begun = time.perf_counter()
    WORK[work](corpus)
    seconds = time.perf_counter() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "memory": memory}


def report(work: Sequence[str], sizes: Sequence[float]) -> Iterator[str]:
    """The tables, as they come."""
    yield "# Growing corpus"
    yield machine(("chunkwright", PACKAGES[LANGCHAIN], PACKAGES[CHONKIE], "numpy", "scipy"))
    figures: list[Figure] = []
    lines: list[list[str]] = []
    for each in work:
        line = [each]
        for size in sizes:
            print(f"{each}, {size:g} MB ...", file=sys.stderr, flush=True)
            found = alone(each, size)
            if isinstance(found, str):
                line += [found] + [""] * (len(sizes) - len(line))
                break
            figures.append(found)
            line.append(f"{found.seconds:.2f} s, {found.memory:,.0f} MB")
        points = [Point(each, one.megabytes, one.seconds) for one in figures if one.work == each]
        lines.append([*line, f"{slope(points):.2f}"])
    yield table(["", *(f"{size:g} MB" for size in sizes), "slope"], lines)
    seconds = [Point(one.work, one.megabytes, one.seconds) for one in figures]
    memory = [Point(one.work, one.megabytes, one.memory) for one in figures]
    yield chart("scale-seconds", seconds, "MB", "seconds")
    yield chart("scale-memory", memory, "MB", "MB of memory at the peak")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.scale", description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=float, default=list(_SIZES), metavar="MB")
    parser.add_argument("--work", nargs="+", choices=WORK, default=list(WORK), metavar="WORK")
    parser.add_argument("--alone", choices=WORK, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.alone:
        print(json.dumps(measure(options.alone, options.sizes[0])))
    else:
        write("scale", report(options.work, options.sizes))


if __name__ == "__main__":
    main()
