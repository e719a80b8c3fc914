"""The snippets run as they are and make the chunks that the page shows, whatever is in them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from chunkwright.cli.app import app
from chunkwright.lab.snippets import (
    SNIPPETS,
    Shared,
    langchain,
    llama_index,
    python,
    settings,
    shell,
    toml_text,
)
from chunkwright.service.workspace import Recipe, Workspace
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus

_TEXTS = {
    "faq.md": "# Lamp\n\nIt blinks blue. Plus costs $3.99 a month. It also adds reports. Hm.\n" * 3,
    'it\'s "$HOME" `id` \\ <b>;# é.md': "The lamp blinks. It is on. Press it twice. Then it stops.",
    "-o.md": "The lamp stands. It has a foot of oak.",
    "sub folder/faq.md": "# Hub\n\nIt pairs. The hub is grey, and it hums.\n\n## Colour\n\nGrey.",
}
_HOSTILE = [*_TEXTS][1]
_REPAIRS = ("name_the_subject", "move_to_sentence")
_SETUPS = ("sentence:9t", "markdown:30t|headers|parents=section", "fixed:20c+10%|strip=no")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the documents in `docs`, and a token counter with a hostile name."""
    folder = tmp_path_factory.mktemp("home")
    for name, text in _TEXTS.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    tokenizers = files("wordllama") / "tokenizers" / "l2_supercat_tokenizer_config.json"
    shutil.copy(str(tokenizers), folder / _COUNTER)
    return folder


_COUNTER = 'it\'s "$HOME" `id` \\ é.json'


@pytest.fixture(autouse=True)
def at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)


def wanted(shared: Shared) -> list[dict[str, Any]]:
    """The chunks as the page has them."""
    workspace = Workspace(Corpus.read("docs/"))
    recipe = Recipe(shared.setup, shared.repairs)
    names = [shared.document] if shared.document else [each.id for each in workspace.corpus]
    return [chunk.to_dict() for name in names for chunk in workspace.dressed(name, recipe).chunks()]


def run(code: str) -> dict[str, Any]:
    """The names that a snippet leaves."""
    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, "snippet", "exec"), names)
    return names


def cases() -> list[Shared]:
    setups = [Setup.parse(each) for each in (*_SETUPS, f"fixed:12t|tokens={_COUNTER}")]
    several = [Shared(setup, repairs) for setup in setups for repairs in ((), _REPAIRS)]
    return [*several, *(Shared(setups[0], (), name) for name in _TEXTS)]


@pytest.mark.parametrize("shared", cases(), ids=str)
def test_python_makes_the_chunks(shared: Shared, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(python(shared))["chunks"]
    assert [chunk.to_dict() for chunk in found] == wanted(shared)
    assert found[0].id in capsys.readouterr().out


def test_langchain_gets_the_chunks() -> None:
    pytest.importorskip("langchain_core", reason="needs langchain-core")
    for shared in cases():
        found = run(langchain(shared))["chunks"]
        chunks = wanted(shared)
        assert [each.page_content for each in found] == [each["embed_text"] for each in chunks]
        assert [each.id for each in found] == [each["id"] for each in chunks]
        for each, chunk in zip(found, chunks, strict=True):
            assert each.metadata["start_index"] == chunk["start"]
            assert each.metadata["source"] == chunk["document_id"]
            assert ("parent_text" in each.metadata) == bool(shared.setup.parents)


def test_llama_index_gets_the_chunks() -> None:
    schema = pytest.importorskip("llama_index.core.schema", reason="needs llama-index-core")
    for shared in cases():
        found = run(llama_index(shared))["nodes"]
        chunks = wanted(shared)
        assert [each.id_ for each in found] == [each["id"] for each in chunks]
        for each, chunk in zip(found, chunks, strict=True):
            # What is embedded is the text alone.
            assert each.get_content(schema.MetadataMode.EMBED) == chunk["embed_text"]
            assert (each.start_char_idx, each.end_char_idx) == (chunk["start"], chunk["end"])
            assert each.ref_doc_id == chunk["document_id"]


@pytest.mark.parametrize(
    "shared",
    [
        Shared(Setup.parse(f"fixed:12t|tokens={_COUNTER}"), (), _HOSTILE),
        Shared(Setup.parse("markdown:30t|headers"), _REPAIRS),
    ],
    ids=str,
)
def test_the_shell_makes_the_chunks(shared: Shared, tmp_path: Path) -> None:
    command = tmp_path / "chunkwright"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m chunkwright "$@"\n')
    command.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    result = subprocess.run(
        ["/bin/sh", "-ec", shell(shared)], env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    lines = Path("chunks.jsonl").read_text("utf-8").splitlines()
    plain = Shared(shared.setup, (), shared.document)
    assert [json.loads(line) for line in lines] == wanted(plain)
    assert ("# Without these repairs" in shell(shared)) == bool(shared.repairs)


def test_a_document_in_a_folder_is_named_otherwise_alone() -> None:
    assert "without the folders" in shell(Shared(Setup.parse("fixed:9t"), (), "sub folder/faq.md"))


@pytest.mark.parametrize("notation", [*_SETUPS, f"fixed:12t|tokens={_COUNTER}"])
def test_the_command_line_takes_the_settings(notation: str, tmp_path: Path) -> None:
    shared = Shared(Setup.parse(notation), _REPAIRS)
    file, chunks = tmp_path / "chunkwright.toml", tmp_path / "chunks.jsonl"
    file.write_text(settings(shared), "utf-8")
    for command in (["chunk", "docs", "-o", str(chunks)], ["check", "docs"]):
        result = CliRunner().invoke(app, ["--config", str(file), *command])
        assert result.exit_code == 0, result.output
    lines = chunks.read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == wanted(Shared(shared.setup))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_toml_reads_what_was_written(text: str) -> None:
    assert tomllib.loads(f"setup = {toml_text(text)}") == {"setup": text}


@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS)
@given(document=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_no_document_id_breaks_out(snippet: Callable[[Shared], str], document: str) -> None:
    text = snippet(Shared(Setup.parse("fixed:9t"), (), document))
    if snippet is shell:
        assert shlex.split(text, comments=True).count(f"docs/{document}") == 2
    else:
        assert document in _constants(compile(text, "snippet", "exec"))


def _constants(code: Any) -> set[Any]:
    found = {each for each in code.co_consts if isinstance(each, str)}
    return found.union(*(_constants(each) for each in code.co_consts if hasattr(each, "co_consts")))
