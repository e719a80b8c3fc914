"""A study: every setup of a space measured, in an order that can be stopped and resumed."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkwright import registry
from chunkwright._version import __version__, package_versions
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
from chunkwright.retrieval.rank import Retriever
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.tuning.choice import Choice, choose
from chunkwright.tuning.journal import FILE_NAME, Failed, Journal
from chunkwright.tuning.space import in_turns, read_space
from chunkwright.tuning.trials import trials

DEFAULT_RETRIEVER = "hybrid"
Progress = Callable[[Setup, "Evaluation | Failed", int, int], None]


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
    """

    evaluations: tuple[Evaluation, ...]
    failed: tuple[Failed, ...]
    metric: Metric
    clusters: NDArray[np.int64]
    facts: dict[str, Any]
    gold: CheckedGold
    planned: int
    reused: int = 0

    @cached_property
    def choice(self) -> Choice:
        """The recommendation.

        Raises:
            StudyError: Nothing was measured.
        """
        return choose(self.evaluations, self.metric, self.clusters)

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
        tried = len(self.evaluations) + len(self.failed)
        if tried == self.planned:
            return ""
        return f"Stopped after {tried} of {self.planned} setups: this speaks of those only."

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
    return {
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
    """A hash of this package's own code: a version says too little while it is worked on."""
    home = Path(__file__).parents[1]
    digest = sha256()
    for path in sorted(home.rglob("*.py")):
        digest.update(path.relative_to(home).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _file_hash(name: str) -> str:
    path = Path(name)
    return sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else "missing"


def key_of(facts: dict[str, Any]) -> str:
    """A short hash of a study's facts: trials are reused only under the same one."""
    return _hash(facts)


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return sha256(text.encode()).hexdigest()[:16]


def retriever_of(value: Retriever | str) -> Retriever:
    """A retriever from itself or its name.

    Raises:
        ChunkwrightError: There is none of that name.
    """
    if isinstance(value, str):
        found: Retriever = registry.load("retrievers", value)
        return found
    return value


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
        retriever: `bm25`, `static`, `hybrid`, or any retriever.
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
) -> Study:
    """Measure every setup of a space and recommend one.

    Finished trials are kept in `folder`, so that a study that was stopped goes on where it was;
    on Ctrl-C the study so far is returned.

    Args:
        corpus: The documents.
        gold: Questions with references; checked first.
        space: Setups, notations, or patterns such as `sentence:{100,200}t`.
        retriever: `bm25`, `static`, `hybrid`, or any retriever.
        k: Results looked at, for the figures at equal k.
        budget: Tokens sent at most; the figure at this budget decides.
        metric: Which metric decides at the budget, such as `hit_rate` or `recall`.
        folder: Where the journal is; None keeps nothing.
        progress: Called after each trial with its result, its number and how many there are.
        jobs: How many processes measure setups; the figures are the same for any number.

    Raises:
        GoldError: No question is usable.
        StudyError: The journal cannot be read or written.
        SetupError: A notation of the space cannot be read.
    """
    setups = _setups(space)
    deciding = deciding_metric(metric, budget)
    metrics = default_metrics(k, budget)
    if deciding not in metrics:
        metrics = (*metrics, deciding)
    checked = check(gold, corpus)
    chosen = retriever_of(retriever)
    experiment = Experiment(corpus, checked.questions, chosen, metrics)
    facts = facts_of(corpus, checked.questions, chosen, metrics, setups)
    key = key_of(facts)
    done: dict[Setup, Evaluation] = {}
    failed: dict[Setup, Failed] = {}
    reused = 0
    if folder is None:
        _run(experiment, setups, done, failed, None, progress, jobs)
    else:
        journal = Journal(Path(folder) / FILE_NAME)
        done, failed = journal.trials(key)
        reused = sum(setup in done for setup in setups)
        known = done or failed or any(line.get("key") == key for line in journal.lines())
        with journal.writing() as writer:
            if not known:
                questions = [question.id for question in checked.questions]
                documents = experiment.clusters.tolist()
                line = {"questions": questions, "document_of_question": documents}
                writer.write({"kind": "study", "key": key, **facts, **line})

            def keep(result: Evaluation | Failed, seconds: float) -> None:
                if isinstance(result, Failed):
                    writer.failed(key, result)
                else:
                    writer.trial(key, result, seconds)

            _run(experiment, setups, done, failed, keep, progress, jobs)
    return Study(
        evaluations=tuple(done[setup] for setup in setups if setup in done),
        failed=tuple(failed[setup] for setup in setups if setup in failed),
        metric=deciding,
        clusters=experiment.clusters,
        facts={**facts, "key": key},
        gold=checked,
        planned=len(setups),
        reused=reused,
    )


def _setups(space: Sequence[str | Setup] | str | Setup | None) -> tuple[Setup, ...]:
    if space is None:
        return read_space()
    if isinstance(space, str | Setup):
        space = [space]
    given = [part for part in space if isinstance(part, Setup)]
    patterns = [part for part in space if isinstance(part, str)]
    return tuple(dict.fromkeys([*given, *(read_space(patterns) if patterns else ())]))


def _run(
    experiment: Experiment,
    setups: Sequence[Setup],
    done: dict[Setup, Evaluation],
    failed: dict[Setup, Failed],
    keep: Callable[[Evaluation | Failed, float], None] | None,
    progress: Progress | None,
    jobs: int,
) -> None:
    """Try what is not yet tried; fills `done` and `failed`. Ctrl-C ends it early."""
    ordered = in_turns(setups)
    fresh = trials(experiment, [s for s in ordered if s not in done and s not in failed], jobs)
    try:
        for number, setup in enumerate(ordered, 1):
            result = done.get(setup) or failed.get(setup)
            if result is None:
                result, seconds = next(fresh)
                if isinstance(result, Failed):
                    failed[setup] = result
                else:
                    done[setup] = result
                if keep is not None:
                    keep(result, seconds)
            if progress is not None:
                progress(setup, result, number, len(setups))
    except KeyboardInterrupt:
        return
    finally:
        fresh.close()
