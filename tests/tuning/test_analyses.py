"""A study with its analyses on disk: the same figures, whether they were there or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunkwright.gold.goldset import GoldSet
from chunkwright.sources.corpus import Corpus
from chunkwright.text import store
from chunkwright.text.store import Store
from chunkwright.tuning.study import ANALYSES_NAME, Study, tune

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SPACE = ["{sentence,recursive,markdown}:60t{,+10%}|headers", "fixed:300c+60c", "header:90w|repair"]


def studied(folder: Path | None, jobs: int = 1) -> Study:
    if folder is not None:
        (folder / "journal.jsonl").unlink(missing_ok=True)
    corpus, gold = Corpus.read(EXAMPLES / "docs"), GoldSet.read(EXAMPLES / "gold.jsonl")
    return tune(corpus, gold, SPACE, "bm25", folder=folder, jobs=jobs)


def figures(study: Study) -> list[Any]:
    return [
        (
            each.setup,
            {name: values.round(9).tolist() for name, values in each.values.items()},
            {name: sent.tolist() for name, sent in each.sent_tokens.items()},
            each.statistics,
            dict(each.ties),
        )
        for each in study.evaluations
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_cold_and_warm_give_the_same_figures(tmp_path: Path, jobs: int) -> None:
    expected = figures(studied(None))
    np.testing.assert_equal(figures(studied(tmp_path, jobs)), expected)
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / ANALYSES_NAME).iterdir()}
    assert len(files) == len(Corpus.read(EXAMPLES / "docs"))
    np.testing.assert_equal(figures(studied(tmp_path, jobs)), expected)
    assert {path: path.stat().st_mtime_ns for path in files} == files


def test_a_study_that_is_done_analyses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    studied(tmp_path)
    journal = (tmp_path / "journal.jsonl").read_bytes()

    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(Store, "analysis", fail)
    monkeypatch.setattr(store, "_restored", fail)
    (tmp_path / "journal.jsonl").write_bytes(journal)
    corpus, gold = Corpus.read(EXAMPLES / "docs"), GoldSet.read(EXAMPLES / "gold.jsonl")
    study = tune(corpus, gold, SPACE, "bm25", folder=tmp_path)
    assert study.reused == len(study.evaluations) == 8
