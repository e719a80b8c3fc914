"""What the page shows as code and settings: Python, shell, LangChain, LlamaIndex, TOML.

Every text runs as it is, whatever is in a setup or in the id of a document, where `docs/` is the
folder of the documents.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from string import Template

from chunkwright.setup import Setup

_FOLDER = "docs/"


@dataclass(frozen=True, slots=True)
class Shared:
    """What is shared.

    Attributes:
        setup: The setup.
        repairs: Names of repairs that are done on its chunks.
        document: Id of the one document that is cut; empty for all.
    """

    setup: Setup
    repairs: tuple[str, ...] = ()
    document: str = ""


_PYTHON = Template("""\
import chunkwright as cw

setup = cw.Setup.parse($setup)
corpus = cw.Corpus.read($folder)  # the folder of your documents
chunks = cw.chunk($source, setup)$repair

for chunk in chunks:
    print(chunk.id, chunk.tokens, chunk.embed_text)
""")

_LANGCHAIN = Template('''\
import chunkwright as cw
from langchain_core.documents import Document

setup = cw.Setup.parse($setup)


def split_documents(documents: list[Document]) -> list[Document]:
    """Chunks of documents, each with its place in the metadata."""
    found = []
    for number, document in enumerate(documents):
        name = document.id or document.metadata.get("source") or f"document-{number}"
        chunks = cw.chunk(cw.Document(str(name), document.page_content), setup)$repair
        for chunk in chunks:
            place = {"start_index": chunk.start, "end_index": chunk.end}$parent
            metadata = {**document.metadata, **place}
            found.append(
                Document(id=chunk.id, page_content=chunk.embed_text, metadata=metadata)
            )
    return found


corpus = cw.Corpus.read($folder)  # or the documents of any loader
documents = [
    Document(page_content=each.text, metadata={"source": each.id}) for each in $sources
]
chunks = split_documents(documents)
''')

_LLAMA_INDEX = Template("""\
import chunkwright as cw
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

setup = cw.Setup.parse($setup)
corpus = cw.Corpus.read($folder)  # the folder of your documents
chunks = cw.chunk($source, setup)$repair

nodes = []
for chunk in chunks:
    metadata = {"document_id": chunk.document_id, "tokens": chunk.tokens}$parent
    nodes.append(
        TextNode(
            id_=chunk.id,
            text=chunk.embed_text,
            start_char_idx=chunk.start,
            end_char_idx=chunk.end,
            metadata=metadata,
            # What is embedded is the text alone.
            excluded_embed_metadata_keys=list(metadata),
            excluded_llm_metadata_keys=list(metadata),
            relationships={
                NodeRelationship.SOURCE: RelatedNodeInfo(node_id=chunk.document_id)
            },
        )
    )
""")

_PARENT = '["parent_text"] = chunk.document.text[slice(*chunk.sent_span)]'

_SETTINGS = Template("""\
# Save as chunkwright.toml in the folder where you work, or in one above it.
$unsaid
[chunk]
setup = $setup

[check]
setup = $setup
""")


def python(shared: Shared) -> str:
    r"""The chunks in Python.

    >>> print(python(Shared(Setup.parse("fixed:9t"), document="a.md")).split("\n")[4])
    chunks = cw.chunk(corpus.document("a.md"), setup)
    """
    return _PYTHON.substitute(_names(shared), repair=_repair(shared, ""))


def shell(shared: Shared) -> str:
    """The chunks by the command line, which does no single repairs.

    >>> print(shell(Shared(Setup.parse("fixed:9t"), document="a b.md")), end="")
    chunkwright chunk 'docs/a b.md' --setup fixed:9t --output chunks.jsonl
    chunkwright check 'docs/a b.md' --setup fixed:9t
    """
    path, setup = shlex.quote(_FOLDER + shared.document), shlex.quote(str(shared.setup))
    note = ""
    if "/" in shared.document:
        note = "# Given alone, a document is named by its file, without the folders.\n"
    return (
        f"{_unsaid(shared)}{note}chunkwright chunk {path} --setup {setup} --output chunks.jsonl\n"
        f"chunkwright check {path} --setup {setup}\n"
    )


def langchain(shared: Shared) -> str:
    """A function that cuts documents of LangChain, as its text splitters do."""
    indent = " " * 12
    parent = f"\n{indent}place{_PARENT}" if shared.setup.parents else ""
    return _LANGCHAIN.substitute(_names(shared), repair=_repair(shared, indent[:8]), parent=parent)


def llama_index(shared: Shared) -> str:
    """The chunks as nodes of LlamaIndex."""
    parent = f"\n    metadata{_PARENT}" if shared.setup.parents else ""
    return _LLAMA_INDEX.substitute(_names(shared), repair=_repair(shared, ""), parent=parent)


# By the name that the page shows.
SNIPPETS: dict[str, Callable[[Shared], str]] = {
    "Python": python,
    "Command line": shell,
    "LangChain": langchain,
    "LlamaIndex": llama_index,
}


def settings(shared: Shared) -> str:
    """The setup as a `chunkwright.toml`, for the commands that take one setup.

    >>> print(settings(Shared(Setup.parse("fixed:9t"))), end="")
    # Save as chunkwright.toml in the folder where you work, or in one above it.
    <BLANKLINE>
    [chunk]
    setup = "fixed:9t"
    <BLANKLINE>
    [check]
    setup = "fixed:9t"
    """
    return _SETTINGS.substitute(setup=toml_text(str(shared.setup)), unsaid=_unsaid(shared))


def toml_text(text: str) -> str:
    r"""A text as a string of TOML.

    >>> print(toml_text('it\'s "C:\\a"'))
    "it's \"C:\\a\""
    """
    # It is one of JSON, but for the one control character that JSON lets stand.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _names(shared: Shared) -> dict[str, str]:
    one = f"corpus.document({_quoted(shared.document)})" if shared.document else ""
    return {
        "setup": _quoted(str(shared.setup)),
        "folder": _quoted(_FOLDER),
        "source": one or "corpus",
        "sources": f"[{one}]" if one else "corpus",
    }


def _repair(shared: Shared, indent: str) -> str:
    """The line after the chunks that mends them, if any."""
    if not shared.repairs:
        return ""
    names = ", ".join(map(_quoted, shared.repairs))
    return f"\n{indent}chunks = cw.repair(chunks, setup, repairs=[{names}])"


def _unsaid(shared: Shared) -> str:
    """A comment about what neither a command nor a setting can say, if there is any."""
    if not shared.repairs:
        return ""
    names = ", ".join(shared.repairs)
    return f"# Without these repairs, which Python alone does one by one: {names}\n"


def _quoted(text: str) -> str:
    r"""A text as a string of Python, in double quotes where that is easy to read.

    >>> print(_quoted("a"), _quoted('"'), _quoted("\\"))
    "a" '"' '\\'
    """
    plain = text.isprintable() and not set(text) & set('"\\')
    return f'"{text}"' if plain else repr(text)
