"""The HTTP API on a workspace."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain, islice
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated, Any, Literal, cast

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Query, Request
from fastapi.responses import (
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from fastapi.security import HTTPBearer

from chunkwright._version import __version__
from chunkwright.engines.costs import costs_of, row_of
from chunkwright.errors import ServiceError, SourceError
from chunkwright.model import Document
from chunkwright.quality.settings import Settings
from chunkwright.report.findings import as_json, report_on
from chunkwright.report.values import finite
from chunkwright.service import messages
from chunkwright.service.added import UPLOAD, added
from chunkwright.service.chunks import (
    Chosen,
    Written,
    analysis_of,
    chosen,
    cuts_of,
    recipe_of,
    unread,
    write,
)
from chunkwright.service.documentation import add_documentation
from chunkwright.service.guard import BodyLimit
from chunkwright.service.messages import MAX_SETUPS
from chunkwright.service.problems import in_one_line, tell_in_one_line
from chunkwright.service.search import search
from chunkwright.service.workspace import MAX_ADDED_BYTES, Recipe, Workspace
from chunkwright.setup import Setup
from chunkwright.tuning.space import expand

# A form around a file of the largest size still fits.
MAX_BODY = MAX_ADDED_BYTES + 65_536
# Chunks that wait to be sent are in memory up to this many bytes, and in a file beyond.
_IN_MEMORY = 8_000_000
_BLOCK = 1 << 16
# Failures that a header tells.
_MOST_TOLD = 5
_KINDS = {
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}
_DESCRIPTION = """\
Documents that stay open: cut, checked, compared and searched by the same functions as the command
line. A *setup* says how documents are cut, such as `sentence:200t+1s`; spans count Unicode code
points of a document's text. Every problem is one line, `{"detail": …}`.
"""
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    404: {"model": messages.Problem, "description": "There is no such document."},
    413: {"model": messages.Problem, "description": "More was sent than is taken."},
    422: {"model": messages.Problem, "description": "Something that was sent cannot be used."},
}
_BEARER = HTTPBearer(
    auto_error=False, description="Only where the server was started with a token."
)


def create_app(workspace: Workspace) -> FastAPI:
    """The application that answers for a workspace. Who may ask is for `guard` to say."""
    app = FastAPI(
        title="chunkwright",
        version=__version__,
        description=_DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(BodyLimit, most=MAX_BODY)
    tell_in_one_line(app)
    router = APIRouter(
        prefix="/api/v1", responses=_PROBLEMS, dependencies=[Depends(_BEARER), Depends(_fresh)]
    )
    _add_documents(router, workspace)
    _add_chunks(router, workspace)
    _add_questions(router, workspace)
    app.include_router(router)
    add_documentation(app)
    return app


def redirect_to_documentation(app: FastAPI) -> None:
    """Show the documentation where there is no page."""

    @app.get("/", include_in_schema=False)
    def home() -> RedirectResponse:
        return RedirectResponse("/api")


def _fresh(response: Response) -> None:
    """Have nothing kept: another server may answer under the same address tomorrow."""
    response.headers["cache-control"] = "no-store"


def _add_documents(router: APIRouter, workspace: Workspace) -> None:
    @router.get("/documents", tags=["documents"], summary="List documents")
    def documents() -> messages.Documents:
        """The documents that are open."""
        return messages.Documents(
            documents=[_summary(workspace, each) for each in workspace.documents]
        )

    @router.post(
        "/documents",
        tags=["documents"],
        summary="Add a document",
        status_code=201,
        response_model=messages.DocumentSummary,
        openapi_extra=UPLOAD,
        responses={415: {"model": messages.Problem, "description": "It is no text of a kind."}},
    )
    async def add(request: Request) -> messages.DocumentSummary:
        """Add a document: a file, or a text. The same one twice is one document."""
        return _summary(workspace, await added(workspace, request))

    @router.get(
        "/text",
        tags=["documents"],
        summary="Read a document",
        response_class=PlainTextResponse,
    )
    def text(document: str) -> PlainTextResponse:
        """The text of a document as spans count it, byte order mark and line ends included."""
        found = _documents(workspace, None, [document]).documents[0]
        return PlainTextResponse(found.text, headers={"cache-control": "no-store"})


def _add_chunks(router: APIRouter, workspace: Workspace) -> None:
    files: dict[int | str, dict[str, Any]] = {
        200: {
            "description": "The chunks. Documents that could not be cut are in `failures`, or in "
            "the header `Chunkwright-Failures`, a list in JSON.",
            "model": messages.Chunks,
            "content": {_KINDS["jsonl"]: {}, _KINDS["parquet"]: {}},
        }
    }

    @router.post(
        "/chunk",
        tags=["chunks"],
        summary="Cut documents",
        response_class=Response,
        responses=files,
    )
    def chunk(request: messages.ChunkRequest) -> Response:
        """Cut documents: loaded ones, or those that are sent along."""
        documents = _documents(workspace, request.documents, request.document_ids)
        recipe = recipe_of(request.setup, request.repairs)
        return _file(workspace, documents, recipe, request.format)

    @router.get(
        "/chunks.{form}",
        tags=["chunks"],
        summary="Download chunks",
        response_class=Response,
        responses=files,
    )
    def chunks(
        form: Literal["jsonl", "parquet"],
        setup: Annotated[str, Query(max_length=1000, examples=["sentence:200t+1s"])],
        document: Annotated[str | None, Query(description="All of them if left out.")] = None,
        repairs: Annotated[str, Query(description="Names, with commas.")] = "",
    ) -> Response:
        """The same as a file to download: the very bytes that `chunkwright chunk -o` writes."""
        documents = _documents(workspace, None, None if document is None else [document])
        names = [name.strip() for name in repairs.split(",") if name.strip()]
        return _file(workspace, documents, recipe_of(setup, names), form)

    @router.post(
        "/check", tags=["chunks"], summary="Check chunks", response_model=messages.Findings
    )
    def check(request: messages.CheckRequest) -> JSONResponse:
        """Find what is wrong with the chunks of documents."""
        documents = _documents(workspace, request.documents, request.document_ids)
        own = workspace.settings
        settings = Settings(
            tuple(request.select) or own.select,
            tuple(request.ignore) or own.ignore,
            own.per_path,
            own.thresholds,
        )
        recipe = recipe_of(request.setup, request.repairs)
        cuts, failures = cuts_of(workspace, documents, recipe)
        report = report_on(str(recipe.setup), cuts, settings)
        return _json({**as_json(report), "failures": unread(failures)})

    @router.post("/cost", tags=["chunks"], summary="Compare costs", response_model=messages.Costs)
    def cost(request: messages.CostRequest) -> JSONResponse:
        """What setups cost before anything is embedded."""
        documents = _documents(workspace, request.documents, request.document_ids)
        setups = _setups(request.setups)
        analyses = [analysis_of(workspace, documents, each) for each in documents.documents]
        rows, unusable, failures = costs_of(analyses, setups, lambda: None)
        if not rows:
            raise ServiceError(unusable[0] if unusable else f"no document was cut: {failures[0]}")
        told = {"unusable": unusable, "failures": unread(failures)}
        return _json({"setups": [row_of(row) for row in rows], **told})


def _add_questions(router: APIRouter, workspace: Workspace) -> None:
    @router.get(
        "/questions",
        tags=["questions"],
        summary="List questions",
        response_model=messages.Questions,
    )
    def questions() -> JSONResponse:
        """The questions of the gold set that can be asked, and what is wrong with others."""
        checked = workspace.usable
        return _json(
            {
                "questions": [asdict(each) for each in checked.questions],
                "problems": [str(each) for each in checked.problems],
            }
        )

    @router.post(
        "/search", tags=["questions"], summary="Ask a question", response_model=messages.Answer
    )
    def ask(request: messages.SearchRequest) -> JSONResponse:
        """What would be sent for a question: the loaded corpus ranked as `eval` ranks it."""
        recipe = recipe_of(request.setup, request.repairs)
        answer = search(
            workspace, recipe, request.question, request.retriever, request.k, request.budget
        )
        found = {**asdict(answer), "results": [_row(each) for each in answer.results]}
        return _json({"setup": str(recipe.setup), "retriever": request.retriever, **found})


def _summary(workspace: Workspace, document: Document) -> messages.DocumentSummary:
    return messages.DocumentSummary(
        id=document.id, characters=len(document.text), added=workspace.is_added(document.id)
    )


def _documents(
    workspace: Workspace,
    sent: Sequence[messages.SentDocument] | None,
    ids: Sequence[str] | None,
) -> Chosen:
    made = None
    if sent is not None:
        made = [Document(each.id, each.text, each.title, each.language) for each in sent]
    try:
        return chosen(workspace, made, ids)
    except SourceError as problem:
        raise HTTPException(404 if sent is None else 422, in_one_line(problem)) from None


def _setups(patterns: Sequence[str]) -> tuple[Setup, ...]:
    """The setups of patterns. `@FILE` is for who may name files: the command line."""
    if any(pattern.lstrip().startswith("@") for pattern in patterns):
        raise ServiceError("setups: '@FILE' is for the command line; send the setups themselves")
    notations = [*islice(chain.from_iterable(map(expand, patterns)), MAX_SETUPS + 1)]
    if len(notations) > MAX_SETUPS:
        raise ServiceError(f"setups: more than {MAX_SETUPS} of them; send fewer")
    return tuple(dict.fromkeys(map(Setup.parse, notations)))


def _file(workspace: Workspace, documents: Chosen, recipe: Recipe, form: str) -> Response:
    """Chunks as an answer that is sent when it is whole, so that it tells what failed."""
    file = cast(IO[bytes], SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115 - it is sent later
    try:
        made = write(workspace, documents, recipe, form, file)
        size = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    headers = {"content-length": str(size), "cache-control": "no-store", **_told(made)}
    if form != "json":
        headers["content-disposition"] = f'attachment; filename="chunks.{form}"'
    return StreamingResponse(_blocks(file), headers=headers, media_type=_KINDS[form])


def _told(made: Written) -> dict[str, str]:
    shown = {
        "chunkwright-documents": str(made.documents),
        "chunkwright-chunks": str(made.chunks),
    }
    if made.failures:
        # Long headers are refused by many clients.
        first = [
            {name: part[:200] for name, part in each.items()}
            for each in unread(made.failures[:_MOST_TOLD])
        ]
        shown["chunkwright-failures"] = json.dumps(first)
    return shown


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while block := file.read(_BLOCK):
            yield block


def _row(result: Any) -> dict[str, Any]:
    return {**asdict(result), "terms": [each._asdict() for each in result.terms]}


def _json(value: Any) -> JSONResponse:
    return JSONResponse(finite(value), headers={"cache-control": "no-store"})
