"""Retrieval over the chunks of another tool, measured as our own setups are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chunkwright.evaluation.experiment import (
    DEFAULT_BUDGET,
    DEFAULT_K,
    Evaluation,
    Experiment,
    default_metrics,
)
from chunkwright.gold.goldset import GoldSet
from chunkwright.integrations.foreign import Anchored, ForeignCut
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Retriever
from chunkwright.sources.corpus import Corpus
from chunkwright.spans import Spans
from chunkwright.text.tokens import as_counter


def evaluate_chunks(
    found: Anchored,
    corpus: Corpus,
    gold: GoldSet,
    retriever: Retriever,
    k: int = DEFAULT_K,
    budget: int = DEFAULT_BUDGET,
) -> tuple[Evaluation, int]:
    """Measure chunks of another tool.

    A chunk that lies inside an earlier one is left out: the search counts terms along the line of
    the documents, on which chunks have to ascend by start and end.

    Args:
        found: The chunks in their documents, of which there is at least one.
        corpus: All documents that are searched.
        gold: Checked questions.
        retriever: Finds chunks.
        k: Results looked at.
        budget: Tokens sent at most.

    Returns:
        The figures, and how many chunks were left out.

    Raises:
        GoldError: There is no question, or a reference that is not in the documents.
    """
    experiment = Experiment(corpus, gold, retriever, default_metrics(k, budget))
    collection, setup = experiment.collection, found.cuts[0].setup
    none = np.empty(0, np.int64)
    spans = {made.analysis.document.id: made.spans for made in found.cuts}
    cuts, nested = [], 0
    for analysis in collection.analyses:
        own = spans.get(analysis.document.id, Spans(none, none))
        ascend = own.ends >= np.maximum.accumulate(own.ends)
        nested += int((~ascend).sum())
        kept = Spans(own.starts[ascend], own.ends[ascend])
        cuts.append(ForeignCut(analysis, setup, as_counter(setup.tokens), kept, none))
    evaluation = experiment.measure(Pool(collection, setup, None, cuts))
    return replace(evaluation, setup=setup), nested
