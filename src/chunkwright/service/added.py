"""Documents that are sent to stay: a file in a form, or a text as JSON."""

from __future__ import annotations

from pathlib import PurePath

from fastapi import HTTPException, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from chunkwright.errors import ChunkwrightError, ServiceError
from chunkwright.model import Document
from chunkwright.service import messages
from chunkwright.service.problems import in_one_line
from chunkwright.service.workspace import MAX_ADDED_BYTES, Workspace
from chunkwright.sources.files import TEXT_SUFFIXES

# How such a request looks, for the documentation.
UPLOAD = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["text"],
                    "properties": {"text": {"type": "string"}},
                    "additionalProperties": False,
                    "example": {"text": "# Lamp\n\nIt blinks blue."},
                }
            },
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            },
        },
    }
}


async def added(workspace: Workspace, request: Request) -> Document:
    """The document of a request, added."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        try:
            sent = messages.NewText.model_validate_json(await request.body())
        except ValidationError as problem:
            raise RequestValidationError(problem.errors()) from None
        return await run_in_threadpool(workspace.add_text, sent.text)
    if kind != "multipart/form-data":
        raise HTTPException(415, "send a file as multipart/form-data, or a text as JSON")
    async with request.form(max_files=1, max_fields=8) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile) or not file.filename:
            raise ServiceError("the form has no file: send it in the field 'file'")
        return await run_in_threadpool(_added_file, workspace, file.filename, file)


def _added_file(workspace: Workspace, name: str, file: UploadFile) -> Document:
    data = file.file.read()
    try:
        return workspace.add_file(name, data)
    except ChunkwrightError as problem:
        status = 413 if len(data) > MAX_ADDED_BYTES else 422
        if PurePath(name).suffix.lower() not in TEXT_SUFFIXES:
            status = 415
        raise HTTPException(status, in_one_line(problem)) from None
