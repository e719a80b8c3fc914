"""The HTML report of a study: one file, nothing loaded from elsewhere."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from chunkwright.errors import StudyError
from chunkwright.evaluation.statistics import SEED
from chunkwright.report.charts import by_size, frontier, heat_map, svg
from chunkwright.report.tables import (
    Table,
    documents_table,
    leaderboard,
    metrics_table,
    ruled_out_table,
    warnings_table,
)
from chunkwright.sources.whole import whole_file
from chunkwright.tuning.choice import share
from chunkwright.tuning.study import Study

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --mark: #0072b222; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 88rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.lead { font-size: 1.1rem; border-left: .3rem solid #0072b2; padding: .3rem 1rem; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
td code { white-space: nowrap; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .5rem; border-bottom: 1px solid var(--line); text-align: left;
  white-space: nowrap; }
th { vertical-align: bottom; }
td:nth-child(2), th:nth-child(2) { position: sticky; left: 0; background: Canvas; }
.marked td:nth-child(2) { background: linear-gradient(var(--mark), var(--mark)), Canvas; }
.number { text-align: right; } .marked { background: var(--mark); font-weight: 600; }
figure { margin: 1rem 0; background: #fff; color: #000; padding: .5rem; overflow-x: auto; }
figcaption { font-size: .9rem; padding: .25rem .5rem; }
figure svg { min-width: 44rem; max-width: 100%; height: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
"""


def table_html(table: Table) -> str:
    """A table as HTML; every text is escaped.

    >>> from chunkwright.report.tables import Column
    >>> "&lt;b&gt;" in table_html(Table("t", (Column("c"),), (("<b>",),)))
    True
    """
    head = "".join(
        f'<th scope="col" class="{"number" if column.number else ""}" '
        f'title="{escape(column.meaning)}">{escape(column.name)}</th>'
        for column in table.columns
    )
    body = []
    for at, row in enumerate(table.rows):
        cells = "".join(
            f'<td class="{"number" if column.number else ""}">{_cell(column.name, text)}</td>'
            for column, text in zip(table.columns, row, strict=True)
        )
        body.append(f'<tr class="{"marked" if at == table.marked else ""}">{cells}</tr>')
    return (
        f'<div class="scroll" tabindex="0"><table><caption>{escape(table.title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _cell(column: str, text: str) -> str:
    return f"<code>{escape(text)}</code>" if column in ("setup", "leader") else escape(text)


def _figure(picture: str, caption: str) -> str:
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"


def _list(items: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"


def render(study: Study) -> str:
    """The report as HTML."""
    choice, facts = study.choice, study.facts
    field = choice.field
    metric = str(choice.metric)
    board = leaderboard(study.evaluations, choice)
    name = f"<strong><code>{escape(str(study.best.setup))}</code></strong><br>"
    command = f"chunkwright chunk DOCS --setup '{study.best.setup}' -o chunks.jsonl"
    parts = [
        "<h1>How to cut these documents</h1>",
        f'<p class="lead">{"" if choice.identical else name}{escape(choice.reason)}</p>',
        f"<p><strong>{escape(study.progress)}</strong></p>" if study.progress else "",
        _list(list(choice.notes)),
        "" if choice.identical else f"<p>Use it: <code>{escape(command)}</code></p>",
        "<h2>What answers cost</h2>",
        _figure(
            svg(frontier(study.evaluations, choice)),
            f"Each point is a setup; the bar is the 95 % interval over {field.n} questions. Up is "
            "better, left is cheaper. The ring marks the recommended setup.",
        ),
        _figure(
            svg(by_size(study.evaluations)),
            "The same questions at equal numbers of results and at equal sent tokens. Larger "
            "chunks win the first by sending more; only the second compares like with like.",
        ),
        _figure(
            svg(heat_map(study.evaluations, choice)),
            f"{metric} in percent by size (down) and by overlap and options (across), for each "
            "strategy. The frame marks the recommended setup.",
        ),
        f"<h2>{'Setups measured in full' if study.ruled_out else 'All setups'}</h2>",
        table_html(board),
        "<dl>" + "".join(_meaning(c.name, c.meaning) for c in board.columns if c.meaning) + "</dl>",
        "<h2>All metrics</h2>",
        table_html(metrics_table([study.evaluations[at] for at in choice.ranked])),
        "<h2>What is wrong with the chunks</h2>",
        "<p>Warnings: chunks that are very short, start inside a sentence, or start with a "
        "pronoun. 'chunkwright check' finds more, and with --gold what each defect costs.</p>",
        table_html(warnings_table([study.evaluations[at] for at in choice.ranked], metric)),
        "<details><summary>By document, under the recommended setup</summary>"
        f"{table_html(documents_table(study.best, metric, study.gold.questions))}</details>",
    ]
    if study.ruled_out:
        early = ruled_out_table(study.ruled_out, str(choice.metric))
        parts.append("<h2>Ruled out early</h2>")
        parts.append(
            f"<p>{escape(study.early)} They were not measured in full, and stand in no ranking: "
            "each figure is of the questions and the evidence that are named beside it.</p>"
        )
        parts.append(table_html(early))
        meanings = "".join(_meaning(c.name, c.meaning) for c in early.columns if c.meaning)
        parts.append(f"<dl>{meanings}</dl>")
    if study.failed:
        parts.append("<h2>Setups that could not be used</h2>")
        parts.append(_list([failed.reason for failed in study.failed]))
    left_out = [str(problem) for problem in study.gold.problems if not problem.usable]
    if left_out:
        parts.append(f"<h2>{study.gold.left_out} questions left out</h2>")
        parts.append(_list(left_out))
    notes = [str(problem) for problem in study.gold.problems if problem.usable]
    if notes:
        parts.append(
            f"<details><summary>{len(notes)} notes on the gold set</summary>"
            f"{_list(notes)}</details>"
        )
    parts.append("<h2>What the figures depend on</h2>")
    versions = ", ".join(f"{name} {version}" for name, version in facts["packages"].items())
    pairs = {
        "questions": f"{field.n}, {study.gold.repeated} references count at several places",
        "expected of the choice": f"{share(field.held_out)} {choice.metric} (cross-fitted)",
        "drawn": f"{field.draws} bootstrap samples of {field.unit}, seed {SEED}",
        "retriever": _retriever(facts),
        "chunkwright": f"{facts['chunkwright']} on Python {facts['python']}; {versions}",
        "corpus": facts["corpus"],
        "gold set": facts["gold"],
        "key": f"{facts['key']} (trials in journal.jsonl with this key give every figure here)",
    }
    parts.append(
        "<dl>" + "".join(_meaning(name, str(value)) for name, value in pairs.items()) + "</dl>"
    )
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>chunkwright: {escape(str(study.best.setup))}</title>\n"
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _retriever(facts: dict[str, Any]) -> str:
    """Its name; with the hash of a model's files, where it has one."""
    model = facts.get("embedder")
    return f"{facts['retriever']}, {model['key']}" if model else str(facts["retriever"])


def _meaning(name: str, value: str) -> str:
    return f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"


def write(study: Study, path: Path) -> Path:
    """Write the report; a file that is there is replaced only by a whole one.

    Raises:
        StudyError: The path cannot be written.
    """
    text = render(study)
    try:
        with whole_file(path) as file:
            file.write(text.encode("utf-8"))
    except OSError as problem:
        raise StudyError(f"{path}: the report cannot be written ({problem.strerror})") from None
    return path
