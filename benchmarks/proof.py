"""What findings cost in answers and what repairs win back, on all data sets with questions.

Per data set, three setups on the same questions are added up, question by question, before an
interval is drawn: whole documents are drawn where there are at least 20 of them, questions
elsewhere (`chunkwright.evaluation.statistics`). Pooled over data sets, all of their questions
stand side by side, and documents are drawn. Data sets that are named alike up to a hyphen are
translations of the same questions: they are added up as setups are, so that six languages do not
count as six times as many documents. Every repair is done wherever it can be, as the option
`repair` of a setup would do it.

A repair that does not help is off by default. Ten lists of repairs are tried by two metrics, and
the intervals are each list's own: one of them that barely leaves zero is no proof yet.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import ROOT, cell, machine, shared, table, write
from chunkwright.evaluation.experiment import Experiment
from chunkwright.evaluation.metrics import Metric
from chunkwright.evaluation.proof import (
    RepairProof,
    RuleProof,
    Tally,
    dearest,
    tally_repairs,
    tally_rules,
)
from chunkwright.gold.check import check
from chunkwright.gold.goldset import GoldSet
from chunkwright.quality.repair import Repair, repair_of, repairs
from chunkwright.quality.rule import rule
from chunkwright.report.proof import interval, points, repair_verdict
from chunkwright.report.tables import percent, whole
from chunkwright.retrieval.named import retriever
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus

SETUPS = ("fixed:800c+80c", "sentence:200t+1s", "markdown:300t")
RETRIEVER = "hybrid"
HITS = Metric.parse("hit_rate@1000t")
# Long references, as those of meetings, are hardly ever held whole: what of them is found counts.
COVERAGE = Metric.parse("recall@1000t")

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """One data set.

    Attributes:
        name: Its folder.
        documents: How many documents.
        questions: How many questions.
        rules: By code and label, over all setups.
        repairs: By setup, metric and names.
    """

    name: str
    documents: int
    questions: int
    rules: dict[tuple[str, str], Tally]
    repairs: dict[tuple[str, str, Names], Tally]


def folders() -> list[Path]:
    """Every folder with documents and a gold set."""
    several = sorted(shared().iterdir()) if shared().is_dir() else []
    return [each for each in (ROOT / "examples", *several) if (each / "gold.jsonl").is_file()]


def lists() -> list[list[Repair]]:
    """Each repair alone, those that are on by default, and the safe ones together."""
    known = repairs()
    together = [[each for each in known if each.default], [each for each in known if each.safe]]
    return [*([each] for each in known), *together]


def measured(folder: Path) -> Measured:
    """What one data set says."""
    corpus = Corpus.read([folder / "docs"])
    gold = check(GoldSet.read(folder / "gold.jsonl"), corpus).questions
    experiment = Experiment(corpus, gold, retriever(RETRIEVER), (HITS,))
    rules: dict[tuple[str, str], Tally] = {}
    mended: dict[tuple[str, str, Names], Tally] = {}
    for notation in SETUPS:
        pool = experiment.pool(Setup.parse(notation))
        for key, tally in tally_rules(experiment, pool, HITS).items():
            rules[key] = rules[key] + tally if key in rules else tally
        for metric in (HITS, COVERAGE):
            for names, tally in tally_repairs(experiment, pool, metric, lists()).items():
                mended[notation, str(metric), names] = tally
    return Measured(folder.name, len(corpus), len(gold), rules, mended)


def called(names: Names) -> str:
    """A list of repairs in a word or two."""
    if len(names) == 1:
        return f"`{names[0]}`"
    return "all default" if all(repair_of(name).default for name in names) else "all safe"


def rules_table(several: Sequence[Measured]) -> str:
    """Per rule and data set, by how many points flagged questions are missed more often."""
    proofs = {
        (each.name, code): RuleProof.of(code, label, tally)
        for each in several
        for (code, label), tally in each.rules.items()
    }
    codes = sorted({code for (_, code), proof in proofs.items() if proof.chunks})

    def costly(code: str) -> tuple[int, float]:
        own = [proofs[each.name, code] for each in several if (each.name, code) in proofs]
        return -sum(proof.costs for proof in own), -sum(proof.lost for proof in dearest(own))

    lines = []
    for code in sorted(codes, key=costly):
        own = [proofs[each.name, code] for each in several]
        costs, less = sum(each.costs for each in own), sum(each.high < 0 for each in own)
        cells = [_rule_cell(each) for each in own]
        lines.append([f"{code} {rule(code).name}", *cells, str(costs), str(less)])
    return table(["rule", *(each.name for each in several), "costs in", "less in"], lines)


def _rule_cell(proof: RuleProof) -> str:
    if not proof.chunks:
        return ""
    if proof.low != proof.low:
        return f"({proof.flagged}/{proof.unflagged})"
    shown = points(proof.missed_flagged - proof.missed_unflagged)
    text = f"{shown} ({interval(proof.low, proof.high)})"
    return f"**{text}**" if proof.costs else text


def repairs_table(several: Sequence[Measured], metric: Metric) -> str:
    """Per data set and setup, and pooled: questions won/lost, the difference, its interval."""
    names = list(dict.fromkeys(names for _, _, names in several[0].repairs))
    lines = []
    for each in several:
        for notation in SETUPS:
            cells = [_repair_cell(each.repairs[notation, str(metric), own], own) for own in names]
            lines.append([f"{each.name}, {cell(notation)}", *cells])
    for notation in SETUPS:
        cells = [_repair_cell(beside(several, metric, own, (notation,)), own) for own in names]
        lines.append([f"**all**, {cell(notation)}", *cells])
    return table(["data set, setup", *map(called, names)], lines)


def _repair_cell(tally: Tally, names: Names) -> str:
    proof = RepairProof.of(names, tally)
    if not proof.changed:
        return ""
    shown = points(proof.after - proof.before)
    return f"{proof.won}/{proof.lost} {shown} ({interval(proof.low, proof.high)})"


def beside(
    several: Sequence[Measured], metric: Metric, names: Names, setups: Sequence[str]
) -> Tally:
    """All data sets, over some setups; translations of one data set add up as setups do."""
    groups: dict[str, Tally] = {}
    for each in several:
        group = each.name.partition("-")[0]
        for notation in setups:
            own = each.repairs[notation, str(metric), names]
            groups[group] = groups[group] + own if group in groups else own
    first, *others = groups.values()
    for other in others:
        first = first.beside(other)
    return first


def pooled_table(several: Sequence[Measured], metric: Metric) -> str:
    """Each repair over all data sets and setups."""
    names = list(dict.fromkeys(names for _, _, names in several[0].repairs))
    lines = []
    for own in names:
        proof = RepairProof.of(own, beside(several, metric, own, SETUPS))
        default = len(own) > 1 or repair_of(own[0]).default
        lines.append(
            [
                called(own),
                "yes" if default and called(own) != "all safe" else "",
                whole(proof.changed),
                whole(proof.won),
                whole(proof.lost),
                percent(proof.before, 2),
                percent(proof.after, 2),
                f"{100 * (proof.after - proof.before):+.2f}",
                f"{100 * proof.low:+.2f} … {100 * proof.high:+.2f}",
                points(proof.stored),
                repair_verdict(proof),
            ]
        )
    head = ["repair", "default", "chunks", "won", "lost", "before %", "after %", "difference"]
    return table([*head, "95 %", "stored %", "verdict"], lines)


def parts() -> Iterator[str]:
    """The report, part by part."""
    yield "# What findings cost and what repairs win"
    yield machine(["chunkwright", "numpy", "scipy"])
    begun = time.process_time()
    several = [measured(folder) for folder in folders()]
    seconds = time.process_time() - begun
    yield (
        f"{len(several)} data sets, {sum(each.questions for each in several):,} questions on "
        f"{sum(each.documents for each in several):,} documents; setups "
        f"{', '.join(map(cell, SETUPS))}; retriever {RETRIEVER}; {seconds:.0f} s of CPU time."
    )
    yield "## Rules"
    yield (
        f"By how many points questions whose answer lies in a flagged chunk are missed more often "
        f"than the others ({HITS}), with the 95 % interval; in bold where the rule costs answers. "
        "(flagged/other) where there are too few questions; empty without a finding. Questions "
        "are counted once a setup."
    )
    yield rules_table(several)
    for metric in (HITS, COVERAGE):
        yield f"## Repairs, {metric}"
        yield (
            "Over all data sets and setups; documents are drawn, with all translations of each. "
            "Won and lost: questions that are answered better or worse than without the repair."
        )
        yield pooled_table(several, metric)
        yield "Per data set and setup: won/lost, the difference in points, its 95 % interval."
        yield repairs_table(several, metric)


def main() -> None:
    """Measure and write `build/proof.md`."""
    write("proof", parts())


if __name__ == "__main__":
    main()
