"""Whether a race finds what the full grid finds, and what it saves.

Run `python -m benchmarks.racing` (the shared data and the examples, 64 setups; some twenty minutes)
or with `--sets examples --seeds 3`. With `--model` it also races 24 setups by MiniLM on the
examples, which needs the extra `sentence-transformers`; `--vectors FILE` keeps the vectors, so that
only the first run embeds anything.

For each seed the task itself is another one: 70 % of the questions are drawn, and the race asks
them in an order of its own. Both are run in full and compared on those questions. Work is counted
in questions asked of setups; with a model, in its own tokens that it reads, each distinct text
once.
Writes `build/racing.md`, too.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.report import ROOT, machine, shared, table, write
from chunkwright.errors import TruncationWarning
from chunkwright.evaluation.statistics import CLOSE, Sample
from chunkwright.gold.check import check
from chunkwright.gold.goldset import GoldSet
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.dense import Dense
from chunkwright.retrieval.named import retriever
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Retriever
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.tuning.race import Race
from chunkwright.tuning.space import DEFAULT_SPACE, read_space
from chunkwright.tuning.study import Study, tune

_SETS = ("examples", "chroma", "covidqa", "xquad-en")
_SHARE = 0.7
_PACKAGES = ("chunkwright", "numpy", "scipy")
# Sizes around what suits a model that reads 254 tokens, and beyond it.
_MODEL_SPACE = (
    "fixed:{200,100,400}t+{0,20}%",
    "sentence:{100,200,300}t+{0,1}s",
    "recursive:{60,100,200,400}t",
    "header:{100,200}t{,|headers}",
    "markdown:{100,200}t{,|headers}",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A race beside the full grid, on the same questions.

    Attributes:
        same: Whether both recommend the same setup.
        lead: Figure of what the grid recommends.
        loss: By how much the figure of what the race recommends is lower.
        loss_low: Lower end of the paired 95 % interval of that.
        by_spans: Share of the setups that spans alone ruled out.
        by_evidence: Share that cheap evidence ruled out.
        saved: Share of the work that was saved.
        grid_seconds: CPU time of the grid.
        race_seconds: CPU time of the race.
    """

    same: bool
    lead: float
    loss: float
    loss_low: float
    by_spans: float
    by_evidence: float
    saved: float
    grid_seconds: float
    race_seconds: float

    @property
    def close(self) -> bool:
        """Whether the loss is one that the choice itself would accept."""
        return self.loss <= CLOSE * self.lead + 1e-9

    @property
    def equivalent(self) -> bool:
        """Whether the data cannot tell the loss from one that the choice would accept."""
        return self.loss_low <= CLOSE * self.lead + 1e-9


def documents(name: str) -> tuple[Corpus, GoldSet]:
    """A data set: documents and checked questions."""
    folder = ROOT / "examples" if name == "examples" else shared() / name
    corpus = Corpus.read(folder / "docs")
    return corpus, check(GoldSet.read(folder / "gold.jsonl"), corpus).questions


def drawn(gold: GoldSet, seed: int) -> GoldSet:
    """The questions of one task."""
    random = np.random.default_rng([seed, len(gold)])
    chosen = random.permutation(len(gold))[: round(_SHARE * len(gold))]
    return GoldSet(tuple(gold.questions[at] for at in sorted(chosen.tolist())))


def compared(
    corpus: Corpus, gold: GoldSet, space: Sequence[str], found_by: Retriever | str, seed: int
) -> tuple[Outcome, Study]:
    """Grid and race on one task; in turns the one and the other goes first."""
    studies: dict[bool, Study] = {}
    seconds: dict[bool, float] = {}
    for raced in (False, True) if seed % 2 else (True, False):
        begun = time.process_time()
        race = Race(seed) if raced else False
        studies[raced] = tune(corpus, gold, space, found_by, race=race)
        _ = studies[raced].choice
        seconds[raced] = time.process_time() - begun
    grid, race_ = studies[False], studies[True]
    metric = str(grid.metric)
    figures = {each.setup: np.nan_to_num(each.values[metric]) for each in grid.evaluations}
    pair = np.stack([figures[grid.best.setup], figures[race_.best.setup]])
    sample = Sample.of(pair, grid.clusters, seed)
    losses = sample.drawn[0] - sample.drawn[1]
    questions = len(gold)
    asked = questions * len(race_.evaluations)
    asked += sum(each.questions for each in race_.ruled_out if each.by == "questions")
    spans = sum(each.by == "spans" for each in race_.ruled_out)
    outcome = Outcome(
        same=grid.best.setup == race_.best.setup,
        lead=float(sample.means[0]),
        loss=float(sample.means[0] - sample.means[1]),
        loss_low=float(np.percentile(losses, 2.5)),
        by_spans=spans / race_.planned,
        by_evidence=(len(race_.ruled_out) - spans) / race_.planned,
        saved=1 - asked / (questions * race_.planned),
        grid_seconds=seconds[False],
        race_seconds=seconds[True],
    )
    return outcome, race_


def _summary(name: str, outcomes: Sequence[Outcome], setups: int, questions: int) -> list[str]:
    count = len(outcomes)
    worst = max(outcomes, key=lambda each: each.loss)
    low, high = (f([each.saved for each in outcomes]) for f in (min, max))
    return [
        name,
        str(setups),
        str(questions),
        f"{sum(each.same for each in outcomes)}/{count}",
        f"{sum(each.close for each in outcomes)}/{count}",
        f"{sum(each.equivalent for each in outcomes)}/{count}",
        f"{100 * np.mean([each.loss for each in outcomes]):.2f}",
        f"{100 * worst.loss:.2f}",
        f"{np.mean([each.by_spans for each in outcomes]):.0%}",
        f"{np.mean([each.by_evidence for each in outcomes]):.0%}",
        f"{np.mean([each.saved for each in outcomes]):.0%} ({low:.0%}–{high:.0%})",
    ]


_HEAD = (
    *("data", "setups", "questions", "same winner", "within 1 %", "equivalent"),
    *("mean loss", "worst loss", "out by spans", "out by evidence", "work saved"),
)
_MEANING = (
    "*Within 1 %*: the figure of what the race recommends lies at most that far below what the "
    "grid recommends, as the choice itself allows. *Equivalent*: the paired 95 % interval of the "
    "difference includes such a loss. Losses in points of the metric that decides, on all "
    "questions of the task; below 0 the race's is higher."
)


def cheap(names: Sequence[str], seeds: int) -> Iterator[str]:
    """Races over a growing part of the questions."""
    setups = len(read_space(DEFAULT_SPACE))
    lines = []
    for name in names:
        corpus, gold = documents(name)
        outcomes, size = [], 0
        for seed in range(seeds):
            task = drawn(gold, seed)
            outcome, _ = compared(corpus, task, DEFAULT_SPACE, "hybrid", seed)
            outcomes.append(outcome)
            size = len(task)
        grid = sum(each.grid_seconds for each in outcomes) / seeds
        race = sum(each.race_seconds for each in outcomes) / seeds
        row = _summary(name, outcomes, setups, size)
        lines.append([*row, f"{grid:.1f}", f"{race:.1f}", f"{1 - race / grid:.0%}"])
        print(" ".join(lines[-1]), flush=True)
    yield f"## A cheap retriever (hybrid), {seeds} seeds\n\nWork: questions asked of setups."
    yield table((*_HEAD, "grid, CPU s", "race, CPU s", "CPU saved"), lines)
    yield _MEANING


class Reading:
    """The texts of each setup and what a model reads of them."""

    def __init__(self, corpus: Corpus, dense: Dense) -> None:
        self._collection = Collection(corpus)
        self._dense = dense
        self._tokens: dict[str, int] = {}

    def texts(self, setup: Setup) -> set[str]:
        """The distinct texts of a setup."""
        made_by = self._dense.embedder
        texts = set(Pool(self._collection, setup).embed_texts())
        missing = sorted(texts - self._tokens.keys())
        counts = made_by.count(missing)
        if made_by.limit is not None:
            counts = np.minimum(counts, made_by.limit)
        self._tokens.update(zip(missing, counts.tolist(), strict=True))
        return texts

    def tokens(self, texts: set[str]) -> int:
        """Tokens that are read of texts, each once."""
        return sum(self._tokens[text] for text in texts)


def dear(seeds: int, vectors: Path) -> Iterator[str]:
    """Races by late vectors."""
    found = retriever("minilm", vectors)
    assert isinstance(found, Dense)
    corpus, gold = documents("examples")
    screen = found.screen
    assert screen is not None
    alone = retriever("late", Path(tempfile.mkdtemp()) / "late.sqlite")
    alone.read(Collection(corpus))  # type: ignore[attr-defined]
    late = int(alone.cache.tokens)  # type: ignore[attr-defined]
    setups = read_space(_MODEL_SPACE)
    reading = Reading(corpus, found)
    texts = {setup: reading.texts(setup) for setup in setups}
    one = reading.tokens(texts[setups[0]])
    each_alone = sum(reading.tokens(part) for part in texts.values())
    once = reading.tokens(set().union(*texts.values()))
    outcomes, costs, size = [], [], 0
    for seed in range(seeds):
        task = drawn(gold, seed)
        outcome, race = compared(corpus, task, _MODEL_SPACE, found, seed)
        embedded = set().union(*(texts[each.setup] for each in race.evaluations))
        costs.append(late + reading.tokens(embedded))
        saved = 1 - costs[-1] / once
        outcomes.append(replace(outcome, saved=saved))
        size = len(task)
    yield (
        f"## A model (MiniLM), {seeds} seeds\n\nWork: tokens that the model reads, against the "
        "grid with each distinct text embedded once."
    )
    yield table(_HEAD, [_summary("examples", outcomes, len(setups), size)])
    yield table(
        ("embedded", "tokens", f"of the corpus once ({setups[0]})"),
        [
            ["each setup by itself", f"{each_alone:,}", f"{each_alone / one:.1f}"],
            ["each distinct text once (the grid)", f"{once:,}", f"{once / one:.1f}"],
            ["late vectors", f"{late:,}", f"{late / one:.1f}"],
            ["race, mean", f"{np.mean(costs):,.0f}", f"{np.mean(costs) / one:.1f}"],
            ["race, dearest", f"{max(costs):,}", f"{max(costs) / one:.1f}"],
        ],
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.racing", description=__doc__)
    parser.add_argument("--sets", nargs="*", default=list(_SETS), metavar="SET")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--model", action="store_true", help="MiniLM on the examples, too")
    parser.add_argument("--vectors", type=Path, help="the file that its vectors are kept in")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", TruncationWarning)
    vectors = options.vectors or Path(tempfile.mkdtemp()) / "vectors.sqlite"
    parts = [
        "# Racing",
        machine(_PACKAGES),
        *(cheap(options.sets, options.seeds) if options.sets else ()),
        *(dear(options.seeds, vectors) if options.model else ()),
    ]
    write("racing", parts)


if __name__ == "__main__":
    main()
