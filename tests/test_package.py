"""The package's face: cheap to import, no network, every promised name there."""

from __future__ import annotations

import subprocess
import sys

import pytest

import chunkwright

HEAVY = [
    *("altair", "vl_convert", "typer", "rich", "pyarrow", "tiktoken", "tokenizers", "scipy"),
    *("sentencex", "markdown_it", "wordllama", "charset_normalizer", "pandas", "torch", "numpy"),
]
OFFLINE = """
import socket

def refuse(*arguments, **options):
    raise AssertionError(f"asked the network: {arguments}")

socket.socket.connect = socket.socket.connect_ex = refuse
socket.create_connection = socket.getaddrinfo = socket.gethostbyname = refuse
"""


def run(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_loads_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "import chunkwright\n"
        f"heavy = [name for name in {HEAVY} if name in sys.modules]\n"
        "assert not heavy, heavy\n"
    )
    run(script)


def test_cutting_loads_nothing_that_only_reports_and_retrieval_need() -> None:
    script = (
        "import sys, chunkwright as cw\n"
        "cw.chunk(cw.Document('a.md', '# A\\n\\nOne. Two.'), 'markdown:20t+1s|headers|repair')\n"
        "heavy = [name for name in ('altair', 'vl_convert', 'typer', 'pyarrow', 'wordllama', "
        "'scipy', 'tokenizers') if name in sys.modules]\n"
        "assert not heavy, heavy\n"
    )
    run(script)


def test_nothing_asks_the_network() -> None:
    script = OFFLINE + (
        "import chunkwright as cw\n"
        "lamp = cw.Document('lamp.md', '# Lamp\\n\\nIt blinks blue. It hums at night.')\n"
        "corpus = cw.Corpus.of([lamp])\n"
        "from chunkwright.gold.goldset import Question, Reference\n"
        "reference = Reference('lamp.md', quote='It blinks blue.')\n"
        "gold = cw.GoldSet((Question('q', 'Which colour?', (reference,)),))\n"
        "found = cw.evaluate(corpus, 'sentence:20t', gold, retriever='hybrid')\n"
        "print(len(cw.chunk(corpus, 'sentence:1s')), found.mean('hit_rate@5'))\n"
    )
    assert run(script) == "3 1.0"


@pytest.mark.parametrize("name", chunkwright.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(chunkwright, name) is not None
    assert name in dir(chunkwright)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chunks'"):
        chunkwright.chunks  # noqa: B018


def test_the_first_example_of_the_design_works() -> None:
    note = chunkwright.Document("note.md", "# Lamp\n\nIt blinks blue.")
    setup = chunkwright.Setup(
        "sentence", size=200, unit="tokens", overlap=1, overlap_unit="sentences"
    )
    chunks = chunkwright.chunk(note, setup)
    assert [chunk.text for chunk in chunks] == ["# Lamp\n\nIt blinks blue."]
    assert chunkwright.check(chunks) == []
    assert chunkwright.repair(chunks) == chunks
    assert list(chunkwright.chunk_iter([note], "sentence:200t+1s")) == chunks
