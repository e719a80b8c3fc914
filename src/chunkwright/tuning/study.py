"""A study: every setup of a space measured, in an order that can be stopped and resumed."""

from __future__ import annotations

import json
import platform
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkwright import registry
from chunkwright._version import __version__, code_hash, package_versions
from chunkwright.errors import StudyError
from chunkwright.evaluation.ceilings import Ceiling
from chunkwright.evaluation.experiment import (
    DEFAULT_BUDGET,
    DEFAULT_K,
    Evaluation,
    Experiment,
    default_metrics,
)
from chunkwright.evaluation.metrics import Metric
from chunkwright.evaluation.statistics import DRAWS, SEED
from chunkwright.gold.check import CheckedGold, check
from chunkwright.gold.goldset import GoldSet
from chunkwright.retrieval import named
from chunkwright.retrieval.dense import Dense
from chunkwright.retrieval.late import Late
from chunkwright.retrieval.rank import Retriever
from chunkwright.retrieval.vectors import user_cache
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.text.store import Store
from chunkwright.tuning.choice import Choice, choose
from chunkwright.tuning.journal import FILE_NAME, Failed, Journal, Kept, RuledOut
from chunkwright.tuning.race import Race
from chunkwright.tuning.race import race as run_race
from chunkwright.tuning.space import in_turns, read_space
from chunkwright.tuning.trials import Bench, crew
from chunkwright.tuning.work import Progress, Work

DEFAULT_RETRIEVER = "hybrid"
VECTORS_NAME = "vectors.sqlite"
ANALYSES_NAME = "analysis"


@dataclass(frozen=True)
class Study:
    """A search and what came of it.

    Attributes:
        evaluations: One a measured setup, in the order of the space.
        failed: Setups that could not be used.
        metric: What decides.
        clusters: The document of each question, by number.
        facts: What the figures depend on: fingerprints, versions, settings.
        gold: The checked gold set.
        planned: How many setups the space has.
        reused: How many of the evaluations an earlier run left in the journal.
        ruled_out: Setups that a race left early, in the order of the space.
        ceilings: What spans alone decide, of every setup that was raced.
    """

    evaluations: tuple[Evaluation, ...]
    failed: tuple[Failed, ...]
    metric: Metric
    clusters: NDArray[np.int64]
    facts: dict[str, Any]
    gold: CheckedGold
    planned: int
    reused: int = 0
    ruled_out: tuple[RuledOut, ...] = ()
    ceilings: Mapping[Setup, Ceiling] = field(default_factory=dict)

    @cached_property
    def choice(self) -> Choice:
        """The recommendation.

        Raises:
            StudyError: Nothing was measured.
        """
        return choose(self.evaluations, self.metric, self.clusters, len(self.ruled_out))

    @property
    def best(self) -> Evaluation:
        """The recommended setup, measured."""
        return self.evaluations[self.choice.best]

    @property
    def complete(self) -> bool:
        """Whether every setup of the space was tried."""
        return not self.progress

    @property
    def progress(self) -> str:
        """A sentence if the study was stopped; empty if it is complete."""
        tried = len(self.evaluations) + len(self.failed) + len(self.ruled_out)
        if tried == self.planned:
            return ""
        return f"Stopped after {tried} of {self.planned} setups: this speaks of those only."

    @property
    def early(self) -> str:
        """A sentence about the setups that were ruled out early; empty where there are none."""
        if not self.ruled_out:
            return ""
        counts = Counter(
            each.evidence for each in sorted(self.ruled_out, key=lambda each: each.level)
        )
        listed = ", ".join(f"{count} {words}" for words, count in counts.items())
        return f"Ruled out early: {len(self.ruled_out)} of {self.planned} ({listed})."

    def report(self, path: str | Path) -> Path:
        """Write the HTML report and give its path."""
        # The report room stands above this one; it is found by name, as any plug-in is.
        write: Callable[[Study, Path], Path] = registry.load("reports", "html")
        return write(self, Path(path))


def facts_of(
    corpus: Corpus,
    gold: GoldSet,
    retriever: Retriever,
    metrics: Sequence[Metric],
    setups: Sequence[Setup],
) -> dict[str, Any]:
    """Everything that the figures of a study depend on, but the setups themselves."""
    # Its key holds a hash of the model's files, wherever they lie.
    embedder = retriever.embedder if isinstance(retriever, Dense | Late) else None
    model = {} if embedder is None else {"embedder": {"name": embedder.name, "key": embedder.key}}
    return {
        **model,
        "chunkwright": __version__,
        "code": _code(),
        "corpus": corpus.fingerprint,
        "titles": _hash([[each.id, each.title, each.language] for each in corpus]),
        "gold": gold.fingerprint,
        "retriever": retriever.name,
        "retriever_key": retriever.key,
        "tokenizers": {
            name: _file_hash(name)
            for name in sorted({setup.tokens for setup in setups})
            if name.endswith(".json")
        },
        "metrics": [str(metric) for metric in metrics],
        "bootstrap": {"seed": SEED, "draws": DRAWS},
        "plug_ins": registry.plug_ins(),
        "packages": package_versions(),
        "python": platform.python_version(),
    }


@cache
def _code() -> str:
    """A hash of this package's own code and tables."""
    return code_hash([Path(__file__).parents[1]])


def _file_hash(name: str) -> str:
    path = Path(name)
    return sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else "missing"


def key_of(facts: dict[str, Any]) -> str:
    """A short hash of a study's facts: trials are reused only under the same one."""
    return _hash(facts)


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return sha256(text.encode()).hexdigest()[:16]


def retriever_of(value: Retriever | str, folder: Path | None = None) -> Retriever:
    """A retriever from itself or its name.

    Args:
        value: A retriever, which is left as it is, or a name.
        folder: Where a retriever that was named keeps its vectors; the user's cache if left out.

    Raises:
        ChunkwrightError: There is none of that name.
    """
    if not isinstance(value, str):
        return value
    found = named.retriever(value)
    kept_in: Callable[[Path], Retriever] | None = getattr(found, "kept_in", None)
    if kept_in is None:
        return found
    return kept_in(user_cache() if folder is None else folder / VECTORS_NAME)


def evaluate(
    corpus: Corpus,
    setup: Setup | str,
    gold: GoldSet,
    retriever: Retriever | str = DEFAULT_RETRIEVER,
    k: int = DEFAULT_K,
    budget: int = DEFAULT_BUDGET,
) -> Evaluation:
    """Measure one setup. The gold set is checked first; unusable questions are left out.

    Args:
        corpus: The documents.
        setup: A setup or its notation.
        gold: Questions with references.
        retriever: `bm25`, `static`, `hybrid`, `minilm`, `late`, an embedder such as
            `sentence-transformers:PATH`, or any retriever. Vectors that a model made are kept in
            the user's cache.
        k: Results looked at.
        budget: Tokens sent at most, for the figures at equal budget.

    Raises:
        SetupError: The setup cannot be used.
        GoldError: No question is usable.
    """
    chosen = Setup.parse(setup) if isinstance(setup, str) else setup
    usable = check(gold, corpus).questions
    metrics = default_metrics(k, budget)
    return Experiment(corpus, usable, retriever_of(retriever), metrics).run(chosen)


def deciding_metric(notation: str, budget: int) -> Metric:
    """The metric that decides: at the budget, where its notation names no cutoff.

    >>> str(deciding_metric("recall", 1000)), str(deciding_metric("mrr@5", 1000))
    ('recall@1000t', 'mrr@5')
    """
    metric = Metric.parse(notation)
    bare = metric.k is None and metric.budget is None
    return Metric(metric.name, budget=budget) if bare and metric.ranked else metric


def tune(
    corpus: Corpus,
    gold: GoldSet,
    space: Sequence[str | Setup] | str | Setup | None = None,
    retriever: Retriever | str = DEFAULT_RETRIEVER,
    k: int = DEFAULT_K,
    budget: int = DEFAULT_BUDGET,
    metric: str = "hit_rate",
    folder: str | Path | None = None,
    progress: Progress | None = None,
    jobs: int = 1,
    race: bool | Race | None = None,
) -> Study:
    """Measure the setups of a space and recommend one.

    Finished trials are kept in `folder`, so that a study that was stopped goes on where it was;
    on Ctrl-C the study so far is returned.

    Args:
        corpus: The documents.
        gold: Questions with references; checked first.
        space: Setups, notations, or patterns such as `sentence:{100,200}t`.
        retriever: `bm25`, `static`, `hybrid`, `minilm`, `late`, an embedder such as
            `sentence-transformers:PATH`, or any retriever. Vectors that a model made are kept in
            `folder`, or in the user's cache.
        k: Results looked at, for the figures at equal k.
        budget: Tokens sent at most; the figure at this budget decides.
        metric: Which metric decides at the budget, such as `hit_rate` or `recall`.
        folder: Where the journal is; None keeps nothing.
        progress: Called after each trial with its result, its number and how many there are.
        jobs: How many processes measure setups; the figures are the same for any number. With
            several, a script calls this under `if __name__ == "__main__":`, as they read it too.
        race: Whether setups that are clearly worse are left early (see `tuning.race`). By default
            they are where the retriever runs a model for which late vectors can stand in, as each
            setup costs much there.

    Raises:
        GoldError: No question is usable.
        StudyError: The journal cannot be read or written, or `k`, `budget` or `jobs` is below 1.
        SetupError: A notation of the space cannot be read.
        WorkerError: One of several processes was killed; what is done is in the journal.
    """
    for what, number in (("k", k), ("budget", budget), ("jobs", jobs)):
        if number < 1:
            raise StudyError(f"{what} is 1 or more, but got {number}")
    setups = _setups(space)
    deciding = deciding_metric(metric, budget)
    metrics = default_metrics(k, budget)
    if deciding not in metrics:
        metrics = (*metrics, deciding)
    checked = check(gold, corpus)
    home = None if folder is None else Path(folder)
    chosen = retriever_of(retriever, home)
    store = None if home is None else Store(home / ANALYSES_NAME)
    experiment = Experiment(corpus, checked.questions, chosen, metrics, store=store)
    facts = facts_of(corpus, checked.questions, chosen, metrics, setups)
    key = key_of(facts)
    # A retriever has a screen where it runs a model.
    screen: Retriever | None = None if race is False else getattr(chosen, "screen", None)
    raced = screen is not None if race is None else race is not False
    kept, reused = Kept(), frozenset[Setup]()
    with ExitStack() as stack:
        writer = None
        if home is not None:
            journal = Journal(home / FILE_NAME)
            kept = journal.read(key)
            reused = frozenset(kept.trials)
            writer = stack.enter_context(journal.writing())
            if not kept.known:
                questions = [question.id for question in checked.questions]
                documents = experiment.clusters.tolist()
                line = {"questions": questions, "document_of_question": documents}
                writer.write({"kind": "study", "key": key, **facts, **line})
        workers = crew(Bench(experiment, deciding, screen), min(jobs, len(setups)))
        work = Work(
            crew=stack.enter_context(workers),
            kept=kept,
            key=key,
            retriever=chosen.name,
            metric=str(deciding),
            questions=len(checked.questions),
            planned=len(setups),
            writer=writer,
            progress=progress,
        )
        with suppress(KeyboardInterrupt):
            if raced:
                rules = race if isinstance(race, Race) else Race()
                name = None if screen is None else screen.name
                run_race(work, in_turns(setups), experiment.clusters, rules, name)
            else:
                work.measure(in_turns(setups))
    # Without a race, all that the journal holds counts, also if this run was stopped before it.
    done = work.done if raced else kept.trials
    evaluations = tuple(done[setup] for setup in setups if setup in done)
    return Study(
        evaluations=evaluations,
        failed=tuple(kept.failed[setup] for setup in setups if setup in kept.failed),
        metric=deciding,
        clusters=experiment.clusters,
        facts={**facts, "key": key},
        gold=checked,
        planned=len(setups),
        reused=sum(each.setup in reused for each in evaluations),
        ruled_out=tuple(work.ruled_out[setup] for setup in setups if setup in work.ruled_out),
        ceilings=work.ceilings,
    )


def _setups(space: Sequence[str | Setup] | str | Setup | None) -> tuple[Setup, ...]:
    if space is None:
        return read_space()
    if isinstance(space, str | Setup):
        space = [space]
    given = [part for part in space if isinstance(part, Setup)]
    patterns = [part for part in space if isinstance(part, str)]
    return tuple(dict.fromkeys([*given, *(read_space(patterns) if patterns else ())]))
