"""Where names become things: one table for built-in parts, entry points for everybody else's.

A package adds a part by declaring an entry point in the group `chunkwright.KIND`:

    [project.entry-points."chunkwright.strategies"]
    my_strategy = "my_package.module:MY_STRATEGY"
"""

from __future__ import annotations

import difflib
import importlib
from functools import cache
from importlib import metadata
from typing import Any

from chunkwright.errors import ChunkwrightError

BUILT_IN: dict[str, dict[str, str]] = {
    "strategies": {
        "fixed": "chunkwright.chunking.fixed:FIXED",
        "sentence": "chunkwright.chunking.sentence:SENTENCE",
        "recursive": "chunkwright.chunking.recursive:RECURSIVE",
        "header": "chunkwright.chunking.header:HEADER",
        "markdown": "chunkwright.chunking.markdown:MARKDOWN",
    },
    "rules": {
        "C101": "chunkwright.quality.completeness:ORPHAN",
        "C102": "chunkwright.quality.completeness:STARTS_MID_SENTENCE",
        "C103": "chunkwright.quality.completeness:ENDS_MID_SENTENCE",
        "C104": "chunkwright.quality.dependence:STARTS_WITH_PRONOUN",
        "C105": "chunkwright.quality.dependence:STARTS_WITH_CONNECTIVE",
        "C106": "chunkwright.quality.dependence:POINTS_ELSEWHERE",
        "C107": "chunkwright.quality.dependence:CONDITION_WITHOUT_CONSEQUENCE",
        "C108": "chunkwright.quality.completeness:ITEM_WITHOUT_LEAD_IN",
        "C109": "chunkwright.quality.completeness:HEADING_ALONE",
        "C110": "chunkwright.quality.completeness:QUESTION_WITHOUT_ANSWER",
        "S201": "chunkwright.quality.structure:ROW_WITHOUT_HEADER",
        "S202": "chunkwright.quality.structure:CUT_CODE",
        "S203": "chunkwright.quality.structure:CUT_LIST",
        "S204": "chunkwright.quality.structure:FRONT_MATTER",
        "S205": "chunkwright.quality.structure:REPEATED_PAGE_LINE",
        "S206": "chunkwright.quality.structure:BOILERPLATE",
        "Z301": "chunkwright.quality.size:OVER_SIZE",
        "Z302": "chunkwright.quality.size:OVER_EMBEDDER_LIMIT",
        "Z303": "chunkwright.quality.size:MANY_TOPICS",
        "Z304": "chunkwright.quality.size:FRAGMENTS",
        "D401": "chunkwright.quality.duplication:DUPLICATE",
        "D402": "chunkwright.quality.duplication:NEAR_DUPLICATE",
        "D403": "chunkwright.quality.duplication:INSIDE_ANOTHER",
        "D404": "chunkwright.quality.duplication:OVERLAP_DIFFERS",
        "D405": "chunkwright.quality.duplication:OVERLAP_HIGH",
        "T501": "chunkwright.quality.health:REPLACEMENT_CHARACTER",
        "T502": "chunkwright.quality.health:MOJIBAKE",
        "T503": "chunkwright.quality.health:BROKEN_HYPHENATION",
        "T504": "chunkwright.quality.health:BLOB",
        "T505": "chunkwright.quality.health:WRONG_SCRIPT",
    },
    # In the order in which they are done: moves first, then what is added.
    "repairs": {
        "leave_out_front_matter": "chunkwright.quality.moves:LEAVE_OUT_FRONT_MATTER",
        "merge_orphans": "chunkwright.quality.moves:MERGE_ORPHANS",
        "move_to_sentence": "chunkwright.quality.moves:MOVE_TO_SENTENCE",
        "keep_code_whole": "chunkwright.quality.moves:KEEP_CODE_WHOLE",
        "keep_with_previous": "chunkwright.quality.moves:KEEP_WITH_PREVIOUS",
        "repeat_table_head": "chunkwright.quality.additions:REPEAT_TABLE_HEAD",
        "name_the_subject": "chunkwright.quality.additions:NAME_THE_SUBJECT",
        "add_header": "chunkwright.quality.additions:ADD_HEADER",
    },
    "reports": {
        "html": "chunkwright.report.html:write",
    },
    "counters": {
        "cl100k_base": "chunkwright.text.tokens:cl100k_base",
    },
    "retrievers": {
        "bm25": "chunkwright.retrieval.lexical:BM25",
        "static": "chunkwright.retrieval.static:STATIC",
        "hybrid": "chunkwright.retrieval.fusion:HYBRID",
        "minilm": "chunkwright.retrieval.dense:MINILM",
        "late": "chunkwright.retrieval.late:LATE",
    },
    "embedders": {
        "minilm": "chunkwright.retrieval.transformer:minilm",
        "wordllama": "chunkwright.retrieval.wordllama:wordllama",
    },
    # The first whose columns a file has is taken: the plain one last.
    "chunk_files": {
        "chunkwright": "chunkwright.integrations.formats:CHUNKWRIGHT",
        "langchain": "chunkwright.integrations.formats:LANGCHAIN",
        "llama-index": "chunkwright.integrations.formats:LLAMA_INDEX",
        "haystack": "chunkwright.integrations.formats:HAYSTACK",
        "chonkie": "chunkwright.integrations.formats:CHONKIE",
        "unstructured": "chunkwright.integrations.formats:UNSTRUCTURED",
        "plain": "chunkwright.integrations.formats:PLAIN",
    },
    "metrics": {
        "hit_rate": "chunkwright.evaluation.metrics:hit_rate",
        "all_hit": "chunkwright.evaluation.metrics:all_hit",
        "document_hit_rate": "chunkwright.evaluation.metrics:document_hit_rate",
        "recall": "chunkwright.evaluation.metrics:recall",
        "precision": "chunkwright.evaluation.metrics:precision",
        "iou": "chunkwright.evaluation.metrics:iou",
        "mrr": "chunkwright.evaluation.metrics:mrr",
        "ndcg": "chunkwright.evaluation.metrics:ndcg",
        "precision_omega": "chunkwright.evaluation.metrics:precision_omega",
    },
}


@cache
def _entry_points(kind: str) -> dict[str, metadata.EntryPoint]:
    return {point.name: point for point in metadata.entry_points(group=f"chunkwright.{kind}")}


def names(kind: str) -> tuple[str, ...]:
    """The known names of a kind of part, built-in ones first.

    >>> names("strategies")[:2]
    ('fixed', 'sentence')
    """
    return tuple(dict.fromkeys([*BUILT_IN[kind], *_entry_points(kind)]))


def plug_ins() -> dict[str, str]:
    """Parts that other packages bring: `KIND.NAME` to package and version."""
    found = {}
    for kind in BUILT_IN:
        for name, point in _entry_points(kind).items():
            package = f"{point.dist.name} {point.dist.version}" if point.dist else "unknown"
            found[f"{kind}.{name}"] = package
    return found


def nearest(word: str, known: tuple[str, ...]) -> str:
    """A hint for a mistyped word: the nearest known one, and all of them.

    >>> nearest("sentense", ("fixed", "sentence"))
    "did you mean 'sentence'? known: fixed, sentence"
    """
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"{hint}known: {', '.join(known)}"


def load(kind: str, name: str, error: type[ChunkwrightError] = ChunkwrightError) -> Any:
    """The part registered under `name`, imported when first asked for.

    Raises `error` for an unknown name, with the nearest known one.
    """
    target = BUILT_IN[kind].get(name)
    if target is not None:
        module, _, attribute = target.partition(":")
        return getattr(importlib.import_module(module), attribute)
    point = _entry_points(kind).get(name)
    if point is None:
        singular = {"strategies": "strategy"}.get(kind, kind.removesuffix("s"))
        raise error(f"unknown {singular} {name!r}: {nearest(name, names(kind))}")
    return point.load()
