"""An experiment: one collection, one gold set, one retriever; any number of setups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from chunkwright.chunking.cut import Counting
from chunkwright.errors import GoldError
from chunkwright.evaluation.metrics import Metric
from chunkwright.evaluation.statistics import Share, share_of
from chunkwright.evaluation.targets import Judged, Targets, Values
from chunkwright.gold.goldset import GoldSet
from chunkwright.model import Document
from chunkwright.quality.warnings import LABELS, warnings_of
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.embedders import Truncation
from chunkwright.retrieval.pool import Pool
from chunkwright.retrieval.rank import Retriever, rank
from chunkwright.setup import Setup
from chunkwright.spans import Integers
from chunkwright.text.store import Store
from chunkwright.text.tokens import as_counter

DEFAULT_K = 5
DEFAULT_BUDGET = 1000
_AT_A_CUTOFF = (
    *("hit_rate", "all_hit", "recall", "precision", "iou", "mrr", "ndcg"),
    "document_hit_rate",
)


def default_metrics(k: int = DEFAULT_K, budget: int = DEFAULT_BUDGET) -> tuple[Metric, ...]:
    """Every metric at `k` results and at a budget of tokens.

    >>> [str(metric) for metric in default_metrics(5, 1000)][:3]
    ['hit_rate@1000t', 'hit_rate@5', 'all_hit@1000t']
    """
    pairs = [(Metric(name, budget=budget), Metric(name, k=k)) for name in _AT_A_CUTOFF]
    return (*(metric for pair in pairs for metric in pair), Metric("precision_omega"))


@dataclass(frozen=True, slots=True)
class ChunkStatistics:
    """What a setup made of the collection.

    Attributes:
        chunks: Number of chunks.
        mean_tokens: Mean tokens of an embed_text.
        largest_tokens: Tokens of the largest.
        stored_tokens: Tokens of all embed_texts.
        warnings: Chunks with each of the three warnings, by label.
        warned: Chunks with at least one.
        oversize: Chunks over the size, because one grapheme is wider than it.
        fingerprint: Hash of all spans and headers: equal where two setups cut alike.
        by_document: Of each document, by id: its chunks, then how many of them have each warning,
            then how many have any.
    """

    chunks: int
    mean_tokens: float
    largest_tokens: int
    stored_tokens: int
    warnings: Mapping[str, int]
    warned: int
    oversize: int
    fingerprint: str
    by_document: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @property
    def warnings_rate(self) -> float:
        """Share of chunks with at least one warning; NaN without chunks."""
        return self.warned / self.chunks if self.chunks else float("nan")

    def share(self, label: str = "") -> Share:
        """Share of chunks with a warning, or with any, and its 95 % interval."""
        column = 1 + [*self.warnings, ""].index(label)
        rows = list(self.by_document.values()) or [
            (self.chunks, *self.warnings.values(), self.warned)
        ]
        counts = np.array(rows, np.int64)
        return share_of(counts[:, column], counts[:, 0])


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One setup measured.

    Attributes:
        setup: The setup.
        retriever: Name of the retriever.
        values: Each metric's value for every question; NaN where undefined.
        sent_tokens: Tokens sent for every question, by cutoff (`@5`, `@1000t`).
        statistics: What the setup made of the collection.
        ties: Questions in which equal scores stand at the cutoff, so that the rule for ties
            (document, then start) decides which results count, by cutoff.
        truncation: What the retriever's embedder did not read of the chunks; None for a retriever
            that reads all of them.
    """

    setup: Setup
    retriever: str
    values: Mapping[str, Values]
    sent_tokens: Mapping[str, Values]
    statistics: ChunkStatistics
    ties: Mapping[str, int] = field(default_factory=dict)
    truncation: Truncation | None = None

    def mean(self, metric: str) -> float:
        """Mean of a metric over the questions for which it is defined; NaN if there is none."""
        defined = self.values[metric][~np.isnan(self.values[metric])]
        return float(defined.mean()) if len(defined) else float("nan")

    def n(self, metric: str) -> int:
        """Number of questions for which a metric is defined."""
        return int((~np.isnan(self.values[metric])).sum())


class Experiment:
    """Measures setups on one collection with one gold set and one retriever.

    Args:
        documents: The documents that are searched, all of them for every question.
        gold: Checked questions.
        retriever: Finds chunks.
        metrics: What to measure.
        counter: Counts tokens in place of each setup's own counter.
        store: Where the analyses of the documents are kept; nowhere if left out.

    Raises:
        GoldError: There is no question, or a reference that is not in the documents.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        gold: GoldSet,
        retriever: Retriever,
        metrics: Sequence[Metric] | None = None,
        counter: Counting = None,
        store: Store | None = None,
    ) -> None:
        if not len(gold):
            raise GoldError("the gold set has no usable question; see 'chunkwright gold check'")
        self.gold = gold
        self.retriever = retriever
        self.metrics = tuple(metrics or default_metrics())
        # Made once, so that all setups share what it has counted.
        self.counter = None if counter is None else as_counter(counter)
        self.collection = Collection(documents, store)
        self.targets = Targets.of(gold, self.collection)
        self.questions = [question.question for question in gold]
        self._statistics: WeakKeyDictionary[Pool, ChunkStatistics] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[Any, ...]:
        # What was found about pools is found again: they are many, and weakly held.
        return Experiment, (
            self.collection.documents,
            self.gold,
            self.retriever,
            self.metrics,
            self.counter,
            self.collection.store,
        )

    @cached_property
    def clusters(self) -> NDArray[np.int64]:
        """The document of each question's first reference, by number. Shape `(questions,)`."""
        names = [
            question.references[0].document_id if question.references else ""
            for question in self.gold
        ]
        return np.unique(names, return_inverse=True)[1]

    def run(self, setup: Setup, questions: Integers | None = None) -> Evaluation:
        """Measure one setup, on some questions or on all.

        Args:
            setup: The setup.
            questions: Numbers of the questions, ascending; all of them if left out.

        Raises:
            SetupError: The setup cannot be used on one of the documents.
        """
        return self.measure(self.pool(setup), questions)

    def pool(self, setup: Setup) -> Pool:
        """The chunks of a setup, to be measured once or several times.

        Raises:
            SetupError: The setup cannot be used on one of the documents.
        """
        return Pool(self.collection, setup, self.counter)

    def measure(self, pool: Pool, questions: Integers | None = None) -> Evaluation:
        """Measure a pool of this experiment's, on some questions or on all.

        What a pool and a retriever have counted or embedded once is not done again for more
        questions: `measure(pool, few)` and then `measure(pool, others)` cost what
        `measure(pool)` does, and give the same values, question by question.

        Args:
            pool: From `pool`.
            questions: Numbers of the questions, ascending; all of them if left out.
        """
        targets, asked = self.targets, self.questions
        if questions is not None:
            targets, asked = targets.part(questions), [asked[at] for at in questions.tolist()]
        ranked = [metric for metric in self.metrics if metric.ranked]
        bare = any(metric.k is None and metric.budget is None for metric in ranked)
        depth = len(pool) if bare else max((metric.k or 0 for metric in ranked), default=0)
        budget = max((metric.budget or 0 for metric in ranked), default=0)
        ranking = rank(pool, self.retriever, asked, depth, budget)
        judged = Judged(targets, pool, *ranking)
        values = {str(metric): metric.values(judged) for metric in self.metrics}
        cutoffs = dict.fromkeys((metric.k, metric.budget) for metric in self.metrics)
        within = {_cutoff(*cutoff): judged.within(*cutoff) for cutoff in cutoffs if any(cutoff)}
        sent = {name: counted.sent_tokens for name, counted in within.items()}
        ties = {name: int(counted.ties.sum()) for name, counted in within.items()}
        setup, name = pool.setup, self.retriever.name
        unread = getattr(self.retriever, "truncation", None)
        lost = None if unread is None else unread(pool)
        return Evaluation(setup, name, values, sent, self._statistics_of(pool), ties, lost)

    def with_retriever(self, retriever: Retriever) -> Experiment:
        """The same experiment with another retriever; all that is known of pools is shared."""
        other = Experiment.__new__(Experiment)
        other.__dict__.update(self.__dict__)
        other.retriever = retriever
        return other

    def with_metrics(self, metrics: Sequence[Metric]) -> Experiment:
        """The same experiment that measures something else."""
        other = Experiment.__new__(Experiment)
        other.__dict__.update(self.__dict__)
        other.metrics = tuple(metrics)
        return other

    def _statistics_of(self, pool: Pool) -> ChunkStatistics:
        """What a setup made of the collection, found once however often a pool is measured."""
        known = self._statistics.get(pool)
        if known is None:
            known = self._statistics[pool] = statistics(pool)
        return known


def _cutoff(k: int | None, budget: int | None) -> str:
    return f"@{budget}t" if budget is not None else f"@{k}"


def statistics(pool: Pool) -> ChunkStatistics:
    """What a setup made of a collection."""
    table = [warnings_of(made) for made in pool.cuts]
    warned = np.concatenate(table) if table else np.zeros((0, 3), np.bool_)
    by_document = {
        made.analysis.document.id: (
            len(each),
            *each.sum(axis=0).tolist(),
            int(each.any(axis=1).sum()),
        )
        for made, each in zip(pool.cuts, table, strict=True)
    }
    tokens = pool.tokens
    digest = blake2b(digest_size=12)
    for part in (*pool.spans, *pool.sent.spans):
        digest.update(np.ascontiguousarray(part).tobytes())
    digest.update(f"{pool.setup.headers} {[dict(made.leads) for made in pool.cuts]}".encode())
    return ChunkStatistics(
        chunks=len(pool),
        mean_tokens=float(tokens.mean()) if len(tokens) else 0.0,
        largest_tokens=int(tokens.max(initial=0)),
        stored_tokens=int(tokens.sum()),
        warnings=dict(zip(LABELS, warned.sum(axis=0).tolist(), strict=True)),
        warned=int(warned.any(axis=1).sum()),
        oversize=sum(len(made.oversize()) for made in pool.cuts),
        fingerprint=digest.hexdigest(),
        by_document=by_document,
    )
