"""`check --gold`: what findings cost in answers, and what repairs win back."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from chunkwright.chunking.cut import Cut
from chunkwright.cli import output
from chunkwright.cli.output import counted
from chunkwright.errors import TruncationWarning
from chunkwright.evaluation.experiment import DEFAULT_BUDGET, Experiment
from chunkwright.evaluation.proof import prove_repairs, prove_rules, unread
from chunkwright.gold.check import CheckedGold, check
from chunkwright.gold.goldset import GoldSet
from chunkwright.integrations.evaluation import pool_of
from chunkwright.quality.repair import repairs
from chunkwright.quality.rule import Finding
from chunkwright.quality.settings import Settings
from chunkwright.report.proof import Proof, note, repair_table, rule_table, unread_lines
from chunkwright.sources.corpus import Corpus
from chunkwright.tuning.study import deciding_metric, retriever_of

_OVER_EMBEDDER_LIMIT = "Z302"


def checked_gold(path: Path, corpus: Corpus) -> CheckedGold:
    """The questions that can be asked, after a line about each that cannot."""
    checked = check(GoldSet.read(path), corpus)
    output.some(str(problem) for problem in checked.problems if not problem.usable)
    return checked


def prove(
    cuts: Sequence[Cut],
    found: Sequence[Finding],
    corpus: Corpus,
    gold: GoldSet,
    settings: Settings,
    retriever: str,
    metric: str,
) -> Proof:
    """Ask the questions of chunks as they are, and after each repair.

    Args:
        cuts: The chunks of each document that has any.
        found: Their findings.
        corpus: All documents.
        gold: Checked questions.
        settings: Which rules.
        retriever: Finds chunks.
        metric: What counts as an answer found.

    Raises:
        GoldError: There is no question.
    """
    # Models are read from local folders: no library has to ask the network about them.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    decides = deciding_metric(metric, DEFAULT_BUDGET)
    asked = Experiment(corpus, gold, retriever_of(retriever), (decides,))
    with output.progress("asking", None), warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)  # said by a rule: Z302
        pool, nested = pool_of(cuts, asked.collection)
        plain = asked.pool(replace(pool.setup, repair=False)) if pool.setup.repair else pool
        known = repairs()
        several = [[each] for each in known]
        several.append([each for each in known if each.default])
        proof = Proof(
            metric=str(decides),
            retriever=asked.retriever.name,
            questions=len(gold),
            rules=tuple(prove_rules(asked, pool, decides, settings)),
            repairs=tuple(prove_repairs(asked, plain, decides, several)),
            unread=tuple(
                unread(gold, cuts, [each for each in found if each.code == _OVER_EMBEDDER_LIMIT])
            ),
        )
    if nested:
        output.warn(f"not asked, as they lie inside other chunks: {counted(nested, 'chunk')}")
    return proof


def show(proof: Proof) -> None:
    """The two tables, and questions whose answer no embedder reads."""
    output.some(unread_lines(proof.unread))
    output.tell("")
    output.show(rule_table(proof))
    output.tell("")
    output.show(repair_table(proof))
    output.tell("")
    output.paragraph(note(proof))
