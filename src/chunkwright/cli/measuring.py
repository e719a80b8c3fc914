"""`tune` and `eval`: which setup answers best, and by how much."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from chunkwright.cli import foreign, output
from chunkwright.cli.paths import DEFAULT_MEGABYTES, MAX_FILE_SIZE, as_bytes
from chunkwright.errors import ChunkwrightError, TruncationWarning
from chunkwright.evaluation.experiment import (
    DEFAULT_BUDGET,
    DEFAULT_K,
    ChunkStatistics,
    Evaluation,
)
from chunkwright.gold.check import check
from chunkwright.gold.goldset import GoldSet
from chunkwright.report.tables import interval, leaderboard, percent, ties_note, unread
from chunkwright.retrieval.named import retriever as retriever_named
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.tuning.journal import Failed, RuledOut
from chunkwright.tuning.space import DEFAULT_SPACE
from chunkwright.tuning.study import DEFAULT_RETRIEVER, Study, deciding_metric, tune

DOCS = Annotated[list[Path], typer.Argument(help="Documents: files and folders.")]
GOLD = Annotated[Path, typer.Option("--gold", "-g", help="Questions with references, JSONL.")]
RETRIEVER = Annotated[
    str,
    typer.Option(
        help="bm25, static, hybrid; by a model's vectors: minilm, wordllama, late (of tokens in "
        "whole documents: no chunk is cut off) or a folder's, as above."
    ),
]
K = Annotated[int, typer.Option("--k", min=1, help="Results looked at, for figures at equal k.")]
BUDGET = Annotated[
    int, typer.Option(min=1, help="Tokens sent at most. The figure at this budget decides.")
]
METRIC = Annotated[
    str, typer.Option(help="What decides at the budget: hit_rate, recall, all_hit, ndcg …")
]
JOBS = Annotated[
    int, typer.Option("-j", "--jobs", min=1, help="Processes; the figures are the same.")
]
AS_JSON = Annotated[bool, typer.Option("--json", help="As JSON.")]
TOP = Annotated[int, typer.Option(min=1, help="Rows of the table.")]


def tune_command(
    docs: DOCS,
    gold: GOLD,
    to: Annotated[
        Path, typer.Option("-o", "--output", help="Folder of the journal and the report.")
    ] = Path("chunkwright-study"),
    space: Annotated[
        list[str] | None,
        typer.Option(
            help="Setups to try, such as 'sentence:{100,200}t{,+1s}'; @FILE reads a file. "
            f"By default: {' '.join(DEFAULT_SPACE)}"
        ),
    ] = None,
    retriever: RETRIEVER = DEFAULT_RETRIEVER,
    k: K = DEFAULT_K,
    budget: BUDGET = DEFAULT_BUDGET,
    metric: METRIC = "hit_rate",
    top: TOP = 15,
    race: Annotated[
        bool | None,
        typer.Option(
            "--race/--no-race",
            help="Leave setups early that are clearly worse. By default, if a model has to read "
            "the chunks of each.",
        ),
    ] = None,
    max_file_size: MAX_FILE_SIZE = DEFAULT_MEGABYTES,
    jobs: JOBS = 1,
    as_json: AS_JSON = False,
) -> None:
    """Try many setups on your documents and questions; recommend one, with the reason.

    Stop it with Ctrl-C: what is done is kept, and the same command goes on from there.

    Any local model: `--retriever sentence-transformers:FOLDER`, or `late:` before that.

    Example: `chunkwright tune docs/ --gold gold.jsonl -o study`
    """
    corpus = Corpus.read(docs, as_bytes(max_file_size))
    study = _run(corpus, gold, space, retriever, k, budget, metric, to, jobs, race)
    if not study.evaluations:
        _nothing(study)
    _introduce(corpus, study, as_json=as_json)
    report = study.report(to / "report.html")
    if as_json:
        told = output.unread(corpus.failures, corpus.skipped, corpus.guessed)
        output.dump({**_as_json(study), **told})
    else:
        _show(study, top)
        output.tell(f"Report: {report}")
    if not study.complete:
        tried = len(study.evaluations) + len(study.failed) + len(study.ruled_out)
        output.tell_failures(corpus.failures)
        output.warn(
            f"stopped after {tried} of {study.planned} setups; run the same command to go on"
        )
        raise typer.Exit(130)
    output.report_unread(corpus.failures, corpus.skipped)


def eval_command(
    docs: DOCS,
    gold: GOLD,
    setup: Annotated[
        list[str] | None, typer.Option("--setup", "-s", help="Setups, or patterns with {a,b}.")
    ] = None,
    chunks: Annotated[
        Path | None,
        typer.Option(help="A file of chunks that another tool made of the documents, instead."),
    ] = None,
    retriever: RETRIEVER = DEFAULT_RETRIEVER,
    k: K = DEFAULT_K,
    budget: BUDGET = DEFAULT_BUDGET,
    metric: METRIC = "hit_rate",
    max_file_size: MAX_FILE_SIZE = DEFAULT_MEGABYTES,
    jobs: JOBS = 1,
    as_json: AS_JSON = False,
) -> None:
    """Measure given setups, or the chunks of another tool.

    Any local model: `--retriever sentence-transformers:FOLDER`, or `late:` before that.

    Example: `chunkwright eval docs/ --gold gold.jsonl --setup 'sentence:200t{,+1s}'`

    Example: `chunkwright eval docs/ --gold gold.jsonl --chunks chunks.jsonl`
    """
    if (not setup) == (chunks is None):
        raise ChunkwrightError("give either --setup or --chunks")
    corpus = Corpus.read(docs, as_bytes(max_file_size))
    if chunks is not None:
        _eval_chunks(corpus, chunks, gold, retriever, k, budget, as_json=as_json)
        return
    assert setup
    study = _run(corpus, gold, setup, retriever, k, budget, metric, None, jobs, race=False)
    if not study.evaluations:
        _nothing(study)
    _introduce(corpus, study, as_json=as_json)
    if as_json:
        told = output.unread(corpus.failures, corpus.skipped, corpus.guessed)
        output.dump({**_as_json(study), **told})
    elif len(study.evaluations) == 1:
        _show_one(study.evaluations[0])
    else:
        _show(study, len(study.evaluations))
    output.report_unread(corpus.failures, corpus.skipped)


def _run(
    corpus: Corpus,
    gold: Path,
    space: Sequence[str] | None,
    retriever: str,
    k: int,
    budget: int,
    metric: str,
    folder: Path | None,
    jobs: int,
    race: bool | None,
) -> Study:
    # Models are read from local folders: no library has to ask the network about them.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    begun = time.perf_counter()
    decides = str(deciding_metric(metric, budget))
    with output.progress("analysing", None) as bar:
        task = bar.task_ids[0]
        best: list[tuple[float, str]] = []

        def advance(
            setup: Setup, result: Evaluation | Failed | RuledOut, number: int, total: int
        ) -> None:
            if isinstance(result, Evaluation):
                best[:] = [max([*best, (result.mean(decides), str(setup))])]
            lead = f"best {percent(best[0][0])} % {best[0][1]}" if best else ""
            bar.update(task, total=total, completed=number, description=lead or str(setup))

        questions = GoldSet.read(gold)
        with warnings.catch_warnings():
            # Told below, a line a setup.
            warnings.simplefilter("ignore", TruncationWarning)
            study = tune(
                corpus, questions, space, retriever, k, budget, metric, folder, advance, jobs, race
            )
    seconds = time.perf_counter() - begun
    reused = f", {study.reused} of them kept from before" if study.reused else ""
    early = f", {len(study.ruled_out)} ruled out early" if study.ruled_out else ""
    output.say(f"{len(study.evaluations)} setups in {seconds:.1f} s{reused}{early}")
    return study


def _nothing(study: Study) -> None:
    output.some(failed.reason for failed in study.failed)
    if study.complete:
        output.say("no setup could be measured")
    else:
        output.say("stopped before a setup was measured; run the same command to go on")
    raise typer.Exit(2 if study.failed else 130)


def _introduce(corpus: Corpus, study: Study, *, as_json: bool) -> None:
    characters = sum(len(document.text) for document in corpus)
    left_out = study.gold.left_out
    line = (
        f"{output.counted(len(corpus), 'document')}, {characters:,} characters; "
        + output.counted(study.gold.usable, "question")
        + (f" ({left_out} left out)" if left_out else "")
        + f"; retriever {study.facts['retriever']}"
    )
    (output.say if as_json else output.tell)(line)
    output.tell_guessed(corpus.guessed)
    output.some(str(problem) for problem in study.gold.problems if not problem.usable)
    notes = sum(problem.usable for problem in study.gold.problems)
    if notes:
        output.say(f"{notes} notes on the gold set: 'chunkwright gold check' shows them")
    output.some(failed.reason for failed in study.failed)
    output.some(_unread(study))


def _unread(study: Study) -> Iterator[str]:
    """A line for each setup of which the embedder did not read all, the worst first."""
    lost = [(each.truncation, each) for each in study.evaluations if each.truncation is not None]
    for found, each in sorted(lost, key=lambda pair: -pair[0].share):
        if warning := found.warning(each.retriever, f"chunks of {each.setup}"):
            yield str(warning)


def _show(study: Study, top: int) -> None:
    choice = study.choice
    output.show(leaderboard(study.evaluations, choice, top))
    if len(study.evaluations) > top:
        output.tell(f"({len(study.evaluations) - top} more in the report and with --top)")
    if study.early:
        output.tell(study.early.removesuffix("."))
    output.tell("")
    if not choice.identical:
        output.tell(f"Recommended: {study.best.setup}")
    if study.progress:
        output.paragraph(study.progress)
    output.paragraph(choice.reason)
    for note in filter(None, (*choice.notes, ties_note(study.best))):
        output.paragraph(note, mark="- ")


def _eval_chunks(
    corpus: Corpus,
    chunks: Path,
    gold: Path,
    retriever: str,
    k: int,
    budget: int,
    *,
    as_json: bool,
) -> None:
    """Measure the chunks of another tool."""
    from chunkwright.integrations.evaluation import evaluate_chunks

    checked = check(GoldSet.read(gold), corpus)
    made = foreign.find(chunks, corpus)
    found = retriever_named(retriever)
    result, nested = evaluate_chunks(made.found, corpus, checked.questions, found, k, budget)
    if as_json:
        output.dump(
            {
                "chunks": made.file.path,
                "metrics": {name: result.mean(name) for name in result.values},
                "n": {name: result.n(name) for name in result.values},
                "sent_tokens": {name: float(s.mean()) for name, s in result.sent_tokens.items()},
                "inside_others": nested,
                **_warned(result.statistics),
                "questions": checked.usable,
                "left_out": [str(p) for p in checked.problems if not p.usable],
                "anchoring": made.as_json(),
                **output.unread(corpus.failures, corpus.skipped, corpus.guessed),
            }
        )
    else:
        _show_one(result, made.file.path)
    made.tell()
    output.some(str(problem) for problem in checked.problems if not problem.usable)
    if nested:
        output.warn(f"left out, as they lie inside other chunks: {output.counted(nested, 'chunk')}")
    output.tell_failures(made.file.failures)
    output.report_unread(corpus.failures, corpus.skipped)
    if made.found.missed or made.file.failures:
        raise typer.Exit(3)


def _show_one(evaluation: Evaluation, subject: str = "") -> None:
    output.tell(subject or str(evaluation.setup))
    for name in evaluation.values:
        output.tell(f"  {name:<24} {percent(evaluation.mean(name)):>6} %  n={evaluation.n(name)}")
    for name, sent in evaluation.sent_tokens.items():
        output.tell(f"  {f'sent tokens{name}':<24} {sent.mean():>6.0f}")
    made = evaluation.statistics
    output.tell(
        f"  {made.chunks:,} chunks, mean {made.mean_tokens:.0f}, largest {made.largest_tokens}, "
        f"stored {made.stored_tokens:,} tokens"
    )
    if evaluation.truncation is not None:
        output.tell(f"  not read by the embedder: {unread(evaluation)} % of the tokens")
    output.tell(f"  {'warnings rate':<24} {interval(made.share())} %")
    for label, count in made.warnings.items():
        output.tell(f"    {label:<22} {interval(made.share(label))} %  {count:,} chunks")
    if note := ties_note(evaluation):
        output.tell(f"  {note}")


def _warned(made: ChunkStatistics) -> dict[str, Any]:
    """The warnings as plain values: rates with 95 % intervals, all counts, and by document."""
    return {
        "warnings_rate": made.warnings_rate,
        "warnings_interval": list(made.share())[1:],
        "warnings": dict(made.warnings),
        "warnings_intervals": {label: list(made.share(label))[1:] for label in made.warnings},
        "by_document": {
            name: dict(zip(("chunks", *made.warnings, "warned"), counts, strict=True))
            for name, counts in made.by_document.items()
        },
    }


def _as_json(study: Study) -> dict[str, Any]:
    choice = study.choice
    rows = []
    for at in choice.ranked:
        evaluation, standing = study.evaluations[at], choice.field.standings[at]
        made = evaluation.statistics
        rows.append(
            {
                "setup": str(evaluation.setup),
                "metrics": {name: evaluation.mean(name) for name in evaluation.values},
                "n": {name: evaluation.n(name) for name in evaluation.values},
                "interval": [standing.low, standing.high],
                "probability_best": standing.best,
                "verdict": choice.verdicts[at],
                "sent_tokens": {
                    name: float(sent.mean()) for name, sent in evaluation.sent_tokens.items()
                },
                "ties": dict(evaluation.ties),
                "chunks": made.chunks,
                "mean_tokens": made.mean_tokens,
                "largest_tokens": made.largest_tokens,
                "stored_tokens": made.stored_tokens,
                **_warned(made),
                **_of_the_embedder(evaluation),
                **_of_spans(study, evaluation.setup),
            }
        )
    return {
        "recommended": None if choice.identical else str(study.best.setup),
        "metric": str(choice.metric),
        "complete": study.complete,
        "planned": study.planned,
        "reason": choice.reason,
        "notes": list(choice.notes),
        "held_out": choice.field.held_out,
        "questions": study.gold.usable,
        "left_out": [str(p) for p in study.gold.problems if not p.usable],
        "failed": {str(failed.setup): failed.reason for failed in study.failed},
        "facts": study.facts,
        "setups": rows,
        "ruled_out": [
            {**asdict(each), "setup": str(each.setup), "leader": str(each.leader)}
            | _of_spans(study, each.setup)
            for each in study.ruled_out
        ],
    }


def _of_the_embedder(evaluation: Evaluation) -> dict[str, Any]:
    """What it did not read of the chunks, if it has a limit at all."""
    lost = evaluation.truncation
    return {} if lost is None else {"truncation": {**asdict(lost), "share": lost.share}}


def _of_spans(study: Study, setup: Setup) -> dict[str, Any]:
    """What spans alone decide, if the study is a race."""
    ceiling = study.ceilings.get(setup)
    if ceiling is None:
        return {}
    tokens = float(ceiling.sent_tokens.mean())
    return {"ceiling": ceiling.mean, "tokens_at_perfect_retrieval": tokens}
