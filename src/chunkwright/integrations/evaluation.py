"""Retrieval over the chunks of another tool, measured as our own setups are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from chunkwright.chunking.cut import Cut
from chunkwright.evaluation.experiment import (
    DEFAULT_BUDGET,
    DEFAULT_K,
    Evaluation,
    Experiment,
    default_metrics,
)
from chunkwright.gold.goldset import GoldSet
from chunkwright.integrations.foreign import Anchored
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Retriever
from chunkwright.sources.corpus import Corpus
from chunkwright.spans import Spans


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
    pool, nested = pool_of(found.cuts, experiment.collection)
    return replace(experiment.measure(pool), setup=pool.setup), nested


def pool_of(made: Sequence[Cut], collection: Collection) -> tuple[Pool, int]:
    """The chunks of some documents of a collection, to be searched.

    Args:
        made: The chunks of each document that has any, of which there is at least one.
        collection: All documents.

    Returns:
        The pool, and how many chunks were left out, as they lie inside an earlier one.
    """
    setup = made[0].setup
    bare = made[0].first(0)
    known = {each.analysis.document.id: each for each in made}
    cuts, nested = [], 0
    for analysis in collection.analyses:
        own = known.get(analysis.document.id)
        if own is None:
            cuts.append(replace(bare, analysis=analysis, walls=bare.walls[:0]))
            continue
        ascend = own.spans.ends >= np.maximum.accumulate(own.spans.ends)
        nested += int((~ascend).sum())
        if not ascend.all():
            kept = np.flatnonzero(ascend).tolist()
            spans = Spans(own.spans.starts[ascend], own.spans.ends[ascend])
            leads = {at: own.leads[old] for at, old in enumerate(kept) if old in own.leads}
            own = replace(own, spans=spans, leads=leads)
        cuts.append(own)
    return Pool(collection, setup, None, cuts), nested
