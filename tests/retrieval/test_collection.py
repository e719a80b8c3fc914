"""What a collection keeps of short texts is bounded, and changes no number."""

from __future__ import annotations

import pytest

from chunkwright.model import Document
from chunkwright.retrieval import collection as module
from chunkwright.retrieval.collection import Collection

LAMP = Document("lamp.md", "The lamp blinks blue. Then the lamp is on.")
QUESTIONS = [f"Does the lamp number {number % 7} blink?" for number in range(20)]


def test_only_so_many_short_texts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = Collection([LAMP])
    wanted = [usual.numbers_of(question).tolist() for question in QUESTIONS]
    monkeypatch.setattr(module, "_SHORT", 3)
    bounded = Collection([LAMP])
    found = []
    for question in QUESTIONS:
        found.append(bounded.numbers_of(question).tolist())
        assert len(bounded._short) <= 3
    assert found == wanted
    counts = bounded.question_counts(QUESTIONS).toarray()
    assert (counts == usual.question_counts(QUESTIONS).toarray()).all()
