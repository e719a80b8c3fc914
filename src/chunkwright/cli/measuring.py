"""`tune` and `eval`: which setup answers best, and by how much."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from chunkwright.cli import output
from chunkwright.cli.paths import DEFAULT_MEGABYTES, MAX_FILE_SIZE, as_bytes
from chunkwright.evaluation.experiment import DEFAULT_BUDGET, DEFAULT_K, Evaluation
from chunkwright.gold.goldset import GoldSet
from chunkwright.report.tables import leaderboard, percent, ties_note
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.tuning.journal import Failed
from chunkwright.tuning.space import DEFAULT_SPACE
from chunkwright.tuning.study import DEFAULT_RETRIEVER, Study, deciding_metric, tune

DOCS = Annotated[list[Path], typer.Argument(help="Documents: files and folders.")]
GOLD = Annotated[Path, typer.Option("--gold", "-g", help="Questions with references, JSONL.")]
RETRIEVER = Annotated[str, typer.Option(help="bm25, static or hybrid.")]
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
    max_file_size: MAX_FILE_SIZE = DEFAULT_MEGABYTES,
    jobs: JOBS = 1,
    as_json: AS_JSON = False,
) -> None:
    """Try many setups on your documents and questions; recommend one, with the reason.

    Stop it with Ctrl-C: what is done is kept, and the same command goes on from there.

    Example: `chunkwright tune docs/ --gold gold.jsonl -o study`
    """
    corpus = Corpus.read(docs, as_bytes(max_file_size))
    study = _run(corpus, gold, space, retriever, k, budget, metric, to, jobs)
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
        tried = len(study.evaluations) + len(study.failed)
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
        list[str], typer.Option("--setup", "-s", help="Setups, or patterns with {a,b}.")
    ],
    retriever: RETRIEVER = DEFAULT_RETRIEVER,
    k: K = DEFAULT_K,
    budget: BUDGET = DEFAULT_BUDGET,
    metric: METRIC = "hit_rate",
    max_file_size: MAX_FILE_SIZE = DEFAULT_MEGABYTES,
    jobs: JOBS = 1,
    as_json: AS_JSON = False,
) -> None:
    """Measure given setups.

    Example: `chunkwright eval docs/ --gold gold.jsonl --setup 'sentence:200t{,+1s}'`
    """
    corpus = Corpus.read(docs, as_bytes(max_file_size))
    study = _run(corpus, gold, setup, retriever, k, budget, metric, None, jobs)
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
) -> Study:
    begun = time.perf_counter()
    decides = str(deciding_metric(metric, budget))
    with output.progress("analysing", None) as bar:
        task = bar.task_ids[0]
        best: list[tuple[float, str]] = []

        def advance(setup: Setup, result: Evaluation | Failed, number: int, total: int) -> None:
            if isinstance(result, Evaluation):
                best[:] = [max([*best, (result.mean(decides), str(setup))])]
            lead = f"best {percent(best[0][0])} % {best[0][1]}" if best else ""
            bar.update(task, total=total, completed=number, description=lead or str(setup))

        study = tune(
            corpus, GoldSet.read(gold), space, retriever, k, budget, metric, folder, advance, jobs
        )
    seconds = time.perf_counter() - begun
    reused = f", {study.reused} of them kept from before" if study.reused else ""
    output.say(f"{len(study.evaluations)} setups in {seconds:.1f} s{reused}")
    return study


def _nothing(study: Study) -> None:
    output.some(failed.reason for failed in study.failed)
    output.say("no setup could be measured")
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


def _show(study: Study, top: int) -> None:
    choice = study.choice
    output.show(leaderboard(study.evaluations, choice, top))
    if len(study.evaluations) > top:
        output.tell(f"({len(study.evaluations) - top} more in the report and with --top)")
    output.tell("")
    if not choice.identical:
        output.tell(f"Recommended: {study.best.setup}")
    if study.progress:
        output.paragraph(study.progress)
    output.paragraph(choice.reason)
    for note in filter(None, (*choice.notes, ties_note(study.best))):
        output.paragraph(note, mark="- ")


def _show_one(evaluation: Evaluation) -> None:
    output.tell(str(evaluation.setup))
    for name in evaluation.values:
        output.tell(f"  {name:<24} {percent(evaluation.mean(name)):>6} %  n={evaluation.n(name)}")
    for name, sent in evaluation.sent_tokens.items():
        output.tell(f"  {f'sent tokens{name}':<24} {sent.mean():>6.0f}")
    made = evaluation.statistics
    output.tell(
        f"  {made.chunks:,} chunks, mean {made.mean_tokens:.0f}, largest {made.largest_tokens}, "
        f"stored {made.stored_tokens:,} tokens"
    )
    counts = ", ".join(f"{count:,} {label}" for label, count in made.warnings.items())
    output.tell(f"  warnings rate {percent(made.warnings_rate)} %: {counts}")
    if note := ties_note(evaluation):
        output.tell(f"  {note}")


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
                "warnings_rate": made.warnings_rate,
                "warnings": dict(made.warnings),
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
    }
