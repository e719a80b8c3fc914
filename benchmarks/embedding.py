"""What a study with a transformer costs: setups embedded one by one, and as chunkwright does it.

Run `python -m benchmarks.embedding` (the example documents: about ten minutes on two cores), or
with `--corpus chroma --megabytes 0.1` a part of the shared data. It needs the extra
`sentence-transformers`.

Ours: late vectors from one pass rank all setups, the finalists are embedded truly, and no text
is embedded twice. To see whether that finds what the full search finds, the full search is run,
too. Costs are in the model's own tokens, those that it reads, without the ones that it puts
around each text; one embedding of the corpus is the first setup, whose chunks follow one another
without overlap. Writes `build/embedding.md`, too.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scipy.stats import spearmanr

from benchmarks.report import ROOT, cell, machine, shared, write
from chunkwright.errors import TruncationWarning
from chunkwright.evaluation.experiment import Experiment
from chunkwright.evaluation.metrics import Metric
from chunkwright.gold.check import check
from chunkwright.gold.goldset import GoldSet
from chunkwright.model import Document
from chunkwright.retrieval.dense import Dense
from chunkwright.retrieval.embedders import truncated
from chunkwright.retrieval.late import Late
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.transformer import minilm
from chunkwright.retrieval.vectors import VectorCache
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.tuning.space import read_space

_PACKAGES = ("chunkwright", "sentence-transformers", "transformers", "torch", "numpy")
# Of every strategy, sizes from small to near the model's limit and beyond it.
SPACE = (
    "fixed:{200,100,400}t+{0,20}%",
    "sentence:{100,200,300}t+{0,1}s",
    "recursive:{60,100,200,400}t",
    "header:{100,200}t{,|headers}",
    "markdown:{100,200}t{,|headers}",
)
METRIC = Metric("hit_rate", budget=1000)


@dataclass(frozen=True, slots=True)
class Cost:
    """What was embedded for something, and how long it took."""

    texts: int
    tokens: int
    seconds: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.texts + other.texts, self.tokens + other.tokens, self.seconds + other.seconds
        )

    def averaged(self, other: Cost) -> Cost:
        """The same work with the mean seconds of two runs."""
        assert (self.texts, self.tokens) == (other.texts, other.tokens)
        return replace(self, seconds=(self.seconds + other.seconds) / 2)


def documents(corpus: str, megabytes: float) -> tuple[Corpus, GoldSet]:
    """The documents, or the first part of each, with the questions that they answer."""
    folder = ROOT / "examples" if corpus == "examples" else shared() / corpus
    read = Corpus.read(folder / "docs")
    total = sum(len(document.text) for document in read)
    share = min(1.0, megabytes * 1e6 / total)
    parts = [Document(one.id, one.text[: int(len(one.text) * share)]) for one in read]
    kept = Corpus.of(parts)
    return kept, check(GoldSet.read(folder / "gold.jsonl"), kept).questions


class Study:
    """One corpus, its questions, and the setups to choose from."""

    def __init__(self, corpus: Corpus, gold: GoldSet, setups: Sequence[Setup]) -> None:
        self.experiment = Experiment(corpus, gold, Dense(minilm()), (METRIC,))
        self.setups = tuple(setups)

    def costs(self, retriever: Dense | Late, setup: Setup) -> Cost:
        """Make the vectors of a setup's chunks."""
        cache, pool = retriever.cache, self.pool(setup)
        pool.embed_texts()  # cut before the clock starts
        texts, tokens = cache.misses, cache.tokens
        begun = time.perf_counter()
        retriever.vectors(pool)
        seconds = time.perf_counter() - begun
        return Cost(cache.misses - texts, cache.tokens - tokens, seconds)

    def pool(self, setup: Setup) -> Pool:
        """The chunks of a setup."""
        return Pool(self.experiment.collection, setup)

    def value(self, setup: Setup, retriever: Dense | Late) -> float:
        """How good a setup is, in percent."""
        self.experiment.retriever = retriever
        return 100 * self.experiment.run(setup).mean(str(METRIC))

    def shared(self) -> Cost:
        """What a cache alone would embed: every distinct text of all setups once."""
        texts = {text for setup in self.setups for text in self.pool(setup).embed_texts()}
        found = truncated(minilm(), sorted(texts))
        return Cost(len(texts), found.tokens - found.lost_tokens, float("nan"))


@dataclass(frozen=True, slots=True)
class Full:
    """Every setup embedded by itself.

    Attributes:
        costs: Of each setup.
        values: Of each, in percent.
        lost: Share of each one's tokens that the model does not read.
    """

    costs: dict[Setup, Cost]
    values: dict[Setup, float]
    lost: dict[Setup, float]


def full(study: Study) -> Full:
    """Embed every setup by itself, as if no other had been."""
    found = Full({}, {}, {})
    for setup in study.setups:
        retriever = Dense(minilm(), VectorCache())
        found.costs[setup] = study.costs(retriever, setup)
        found.lost[setup] = retriever.truncation(study.pool(setup)).share
        found.values[setup] = study.value(setup, retriever)
        print(f"{setup}: {found.costs[setup].seconds:.1f} s", file=sys.stderr, flush=True)
    return found


@dataclass(frozen=True, slots=True)
class Ours:
    """Ranked by late vectors, then the finalists embedded.

    Attributes:
        late: Cost of ranking.
        finals: Cost of embedding each finalist, in their order.
        ranked: Value of each setup by late vectors, the best first.
        values: True value of each finalist.
    """

    late: Cost
    finals: dict[Setup, Cost]
    ranked: dict[Setup, float]
    values: dict[Setup, float]

    @property
    def cost(self) -> Cost:
        """Of all of it."""
        return sum(self.finals.values(), self.late)

    def averaged(self, other: Ours) -> Ours:
        """With the mean seconds of two runs."""
        assert (self.ranked, self.values) == (other.ranked, other.values)
        finals = {setup: cost.averaged(other.finals[setup]) for setup, cost in self.finals.items()}
        return replace(self, late=self.late.averaged(other.late), finals=finals)


def ours_afresh(corpus: Corpus, gold: GoldSet, options: argparse.Namespace) -> Ours:
    """Our way, with nothing left of an earlier run."""
    study = Study(corpus, gold, read_space(options.setups))
    with tempfile.TemporaryDirectory() as folder:
        return ours(study, options.finalists, Path(folder) / "vectors.sqlite")


def ours(study: Study, finalists: int, path: Path) -> Ours:
    """Rank all setups by one pass, and embed the best of them."""
    cache = VectorCache(path)
    late, dense = Late(minilm(), cache), Dense(minilm(), cache)
    cost, values = Cost(0, 0, 0.0), {}
    for setup in study.setups:
        cost += study.costs(late, setup)
        values[setup] = study.value(setup, late)
    order = sorted(study.setups, key=lambda setup: -values[setup])
    finals = {setup: study.costs(dense, setup) for setup in order[:finalists]}
    true = {setup: study.value(setup, dense) for setup in finals}
    return Ours(cost, finals, {setup: values[setup] for setup in order}, true)


def report(study: Study, whole: Full, found: Ours, shared: Cost) -> Iterator[str]:
    """The tables."""
    total = sum(whole.costs.values(), Cost(0, 0, 0.0))
    first = whole.costs[study.setups[0]]
    # Not that one setup's own seconds: the machine may have been busy just then, or idle.
    one = Cost(first.texts, first.tokens, total.seconds * first.tokens / total.tokens)
    yield (
        f"## Cost\n\nIn embeddings of the corpus, each {one.tokens:,} tokens (those of "
        f"`{study.setups[0]}`) and {one.seconds:.1f} s (at the mean speed of all setups)."
    )
    rows = {
        f"each of {len(study.setups)} setups embedded by itself": total,
        "each distinct text embedded once (counted, not run)": shared,
        "ours: late vectors of all setups": found.late,
        **{f"ours: finalist {cell(setup)}": cost for setup, cost in found.finals.items()},
        "**ours**": found.cost,
    }
    lines = [
        "| work | texts | tokens | by tokens | seconds | by seconds |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, cost in rows.items():
        timed = cost.seconds == cost.seconds
        seconds = f"{cost.seconds:.1f} | {cost.seconds / one.seconds:.2f}" if timed else "– | –"
        lines.append(
            f"| {name} | {cost.texts:,} | {cost.tokens:,} | {cost.tokens / one.tokens:.2f} "
            f"| {seconds} |"
        )
    yield "\n".join(lines)
    saved, quicker = total.tokens / found.cost.tokens, total.seconds / found.cost.seconds
    yield f"{saved:.1f} times fewer tokens than one by one, {quicker:.1f} times quicker."
    yield from _choice(study, whole, found)


def _choice(study: Study, whole: Full, found: Ours) -> Iterator[str]:
    best = max(study.setups, key=lambda setup: whole.values[setup])
    chosen = max(found.values, key=lambda setup: found.values[setup])
    order = sorted(study.setups, key=lambda setup: -whole.values[setup])
    late = [found.ranked[setup] for setup in study.setups]
    true = [whole.values[setup] for setup in study.setups]
    yield (
        f"## Choice\n\n{METRIC} of {len(study.experiment.questions)} questions, in percent. The "
        f"full search chooses `{best}` with {whole.values[best]:.1f}; ours chooses `{chosen}` with "
        f"{found.values[chosen]:.1f}, place {order.index(chosen) + 1} of the full search. Rank "
        f"correlation of late and true values: {spearmanr(late, true).statistic:.2f}."
    )
    lines = [
        "| setup | late | true | tokens not read | tokens | seconds |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for setup in order:
        cost = whole.costs[setup]
        lines.append(
            f"| {cell(setup)} | {found.ranked[setup]:.1f} | {whole.values[setup]:.1f} "
            f"| {whole.lost[setup]:.1%} | {cost.tokens:,} | {cost.seconds:.1f} |"
        )
    yield "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.embedding", description=__doc__)
    parser.add_argument("--corpus", default="examples", help="or a folder of the shared data")
    parser.add_argument("--megabytes", type=float, default=1e6, help="only so much of it")
    parser.add_argument("--finalists", type=int, default=2)
    parser.add_argument("--setups", nargs="+", default=SPACE, metavar="PATTERN")
    options = parser.parse_args(arguments)
    # The report has a column for what is cut off.
    warnings.simplefilter("ignore", TruncationWarning)
    corpus, gold = documents(options.corpus, options.megabytes)
    study = Study(corpus, gold, read_space(options.setups))
    minilm().embed(["a text, so that the model is loaded"])
    # Before and after the long run, as others may be using the machine.
    before = ours_afresh(corpus, gold, options)
    whole = full(study)
    found = before.averaged(ours_afresh(corpus, gold, options))
    megabytes = sum(len(document.text.encode()) for document in corpus) / 1e6
    parts = [
        "# Embedding",
        machine(_PACKAGES),
        f"{options.corpus}, {megabytes:.2f} MB; all-MiniLM-L6-v2",
        *report(study, whole, found, study.shared()),
    ]
    write("embedding", parts)


if __name__ == "__main__":
    main()
