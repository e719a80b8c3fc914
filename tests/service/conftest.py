"""A workspace of three documents, and a client that asks its API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.service.app import create_app
from chunkwright.service.workspace import Workspace
from chunkwright.sources.corpus import Corpus

LAMP = "# Lamp\n\nIt blinks blue at night. Press the button, and it stops. It is heavy.\n"
HUB = (
    "\ufeffThe hub hums.\r\nIt needs power.\r\n\r\nA lamp is found by the hub within a minute.\r\n"
)
MARKUP = "<script>alert(1)</script> & <b>bold</b>\x00 \U0001f1eb\U0001f1f7 e\u0301 \u05d0\u05d1\n"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Their folder."""
    folder = tmp_path / "docs"
    (folder / "more").mkdir(parents=True)
    (folder / "lamp.md").write_bytes(LAMP.encode())
    (folder / "hub.txt").write_bytes(HUB.encode())
    (folder / "more" / "<img src=x onerror=alert(1)>.txt").write_bytes(MARKUP.encode())
    return folder


@pytest.fixture
def workspace(docs: Path) -> Workspace:
    reference = Reference("lamp.md", quote="It blinks blue at night.")
    lost = Reference("lamp.md", quote="It is green.")
    gold = GoldSet(
        (
            Question("q1", "When does it blink?", (reference,)),
            Question("q2", "Which colour?", (lost,)),
        )
    )
    return Workspace(Corpus.read([docs]), gold)


@pytest.fixture
def client(workspace: Workspace) -> Iterator[TestClient]:
    with TestClient(create_app(workspace), raise_server_exceptions=True) as made:
        yield made
