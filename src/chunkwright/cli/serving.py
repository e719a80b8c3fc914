"""`lab` and `serve`: the page, and the HTTP API without it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chunkwright.cli import output
from chunkwright.gold.goldset import GoldSet
from chunkwright.sources.corpus import Corpus


def lab_command(
    docs: Annotated[
        list[Path] | None, typer.Argument(help="Documents; the example's if left out.")
    ] = None,
    gold: Annotated[
        Path | None, typer.Option("--gold", "-g", help="Questions with references, JSONL.")
    ] = None,
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")] = 8421,
) -> None:
    """Open the lab: see the cut, move the slider, ask the question.

    Example: `chunkwright lab docs/ --gold gold.jsonl`
    """
    import uvicorn

    from chunkwright.lab.page import add_page
    from chunkwright.service.app import create_app
    from chunkwright.service.workspace import Workspace

    examples = Path(__file__).parents[3] / "examples"
    if not docs:
        docs, gold = [examples / "docs"], gold or examples / "gold.jsonl"
    corpus = Corpus.read(docs)
    workspace = Workspace(corpus, None if gold is None else GoldSet.read(gold))
    app = create_app(workspace)
    add_page(app, workspace)
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning")
    server = uvicorn.Server(config)
    sockets = [config.bind_socket()]
    output.say(f"lab: http://127.0.0.1:{sockets[0].getsockname()[1]}/")
    server.run(sockets=sockets)
