"""docs/api.md: its requests are sent, and answered as it shows."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.main import get_command

from chunkwright.cli.app import app, parameters
from chunkwright.gold.goldset import GoldSet
from chunkwright.registry import names
from chunkwright.service.app import create_app
from chunkwright.service.workspace import Workspace
from chunkwright.sources.corpus import Corpus
from chunkwright.sources.examples import examples

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
ADDRESS = "http://127.0.0.1:8421"


def exchanges() -> Iterator[tuple[str, str]]:
    """Each request of the page, and the answer that it shows, if it shows one."""
    blocks = _BLOCK.findall(PAGE)
    for at, (kind, text) in enumerate(blocks):
        following = blocks[at + 1] if at + 1 < len(blocks) else ("", "")
        for line in re.split(r"\n(?=curl )", text.strip()) if kind == "sh" else []:
            if line.startswith("curl "):
                yield line, following[1] if following[0] == "json" else ""


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    known = examples()
    workspace = Workspace(Corpus.read([known.documents]), GoldSet.read(known.gold))
    with TestClient(create_app(workspace), base_url=ADDRESS) as made:
        yield made


def sent(client: TestClient, command: str) -> Any:
    """The answer to a request as curl would send it."""
    words = iter(shlex.split(command)[1:])
    method, url, body, headers = "GET", "", None, {}
    for word in words:
        if word == "-d":
            method, body = "POST", next(words)
        elif word == "-H":
            name, _, value = next(words).partition(": ")
            headers[name] = value
        elif word == "-o":
            next(words)
        elif word != "-s":
            url = word
    assert url.startswith(ADDRESS)
    return client.request(method, url, content=body, headers=headers)


def is_shown(shown: Any, given: Any) -> bool:
    """Whether an answer holds what is shown of it."""
    if isinstance(shown, dict):
        return all(name in given and is_shown(part, given[name]) for name, part in shown.items())
    if isinstance(shown, list):
        return len(shown) <= len(given) and all(map(is_shown, shown, given))
    return bool(shown == given)


@pytest.mark.parametrize(("command", "shown"), list(exchanges()))
def test_requests_are_answered_as_shown(client: TestClient, command: str, shown: str) -> None:
    answer = sent(client, command)
    if not shown:
        assert answer.is_success, answer.text
        return
    assert is_shown(json.loads(shown), answer.json()), answer.text
    assert answer.is_success != ("detail" in json.loads(shown))


def test_every_request_is_listed(client: TestClient) -> None:
    schema = client.get("/api/openapi.json").json()
    listed = set(re.findall(r"^\| `([A-Z]+) ([^?`]+)", PAGE, re.MULTILINE))
    assert listed == {
        (method.upper(), path) for path, methods in schema["paths"].items() for method in methods
    }


def test_every_option_and_retriever_is_named() -> None:
    known = parameters(get_command(app))
    for option in {*known["lab"], *known["serve"]} - {"docs", "no-open"}:
        assert f"`--{option}" in PAGE, option
    for name in names("retrievers"):
        assert f"`{name}`" in PAGE
