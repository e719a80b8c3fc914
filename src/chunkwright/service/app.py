"""The HTTP API on a workspace."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse

from chunkwright._version import __version__
from chunkwright.errors import ChunkwrightError
from chunkwright.service.workspace import Workspace


def create_app(workspace: Workspace) -> FastAPI:
    """The application that answers for a workspace."""
    app = FastAPI(title="chunkwright", version=__version__)

    @app.exception_handler(ChunkwrightError)
    def _refused(_request: Request, problem: ChunkwrightError) -> JSONResponse:
        return JSONResponse({"detail": str(problem)}, status_code=422)

    @app.get("/api/v1/text")
    def text(document: str) -> PlainTextResponse:
        """The text of a document, as spans count it."""
        return PlainTextResponse(workspace.document(document).text)

    return app
