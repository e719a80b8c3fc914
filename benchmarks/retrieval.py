"""Which retriever is the default, and how hybrid weighs its parts.

Run `python -m benchmarks.retrieval`.
Prints a Markdown table: the hit rate at 1000 sent tokens of two setups, by retriever and weight,
on every data set of the shared data (or the example documents where there is none).
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.report import ROOT, shared
from chunkwright.evaluation.experiment import Experiment
from chunkwright.evaluation.metrics import Metric
from chunkwright.gold.check import check
from chunkwright.gold.goldset import GoldSet
from chunkwright.retrieval.fusion import Hybrid
from chunkwright.retrieval.lexical import BM25
from chunkwright.retrieval.rank import Retriever
from chunkwright.retrieval.static import STATIC, Static
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus

SETUPS = (Setup.parse("sentence:100t"), Setup.parse("sentence:200t+1s"))
# References of these are longer than a budget, so that coverage tells more than hits.
BY_RECALL = ("qmsum", "code")


def data_sets() -> dict[str, Path]:
    """Folders with `docs/` and `gold.jsonl`, by name."""
    found = {path.parent.name: path.parent for path in sorted(shared().glob("*/gold.jsonl"))}
    return {"examples": ROOT / "examples", **found}


def retrievers() -> dict[str, Retriever]:
    """What is compared, by the name of its row."""
    weights = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
    return {
        "bm25": BM25,
        "static": STATIC,
        "static, all terms alike": Static(1e9),
        **{f"hybrid, {weight:.1f} bm25": Hybrid(weight) for weight in weights},
    }


def measured(folder: Path, name: str) -> dict[str, float]:
    """The mean figure of each retriever on one data set, in percent."""
    corpus = Corpus.read(folder / "docs")
    gold = check(GoldSet.read(folder / "gold.jsonl"), corpus).questions
    metric = Metric("recall" if name in BY_RECALL else "hit_rate", budget=1000)
    rows = {}
    for row, retriever in retrievers().items():
        experiment = Experiment(corpus, gold, retriever, (metric,))
        means = [experiment.run(setup).mean(str(metric)) for setup in SETUPS]
        rows[row] = 100 * sum(means) / len(means)
    return rows


def main() -> None:
    """Measure all and print the table."""
    sets = data_sets()
    columns = {name: measured(folder, name) for name, folder in sets.items()}
    heads = [f"{name}{' (recall)' if name in BY_RECALL else ''}" for name in columns]
    print(f"| retriever | {' | '.join(heads)} | mean |")
    print("|---" * (len(columns) + 2) + "|")
    for row in retrievers():
        values = [column[row] for column in columns.values()]
        cells = " | ".join(f"{value:.1f}" for value in values)
        print(f"| {row} | {cells} | {sum(values) / len(values):.2f} |")


if __name__ == "__main__":
    main()
