"""Every problem of the API is one line."""

from __future__ import annotations

import sys
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chunkwright.engines.faults import debugging
from chunkwright.errors import ChunkwrightError

# What is wrong with a request is told up to so many things.
_MOST = 5


def tell_in_one_line(app: FastAPI) -> None:
    """Have an application tell what is wrong in one line, `{"detail": …}`."""
    app.add_middleware(_OneLine)
    app.add_exception_handler(ChunkwrightError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)


def in_one_line(problem: Exception) -> str:
    r"""What a problem says, in one line.

    >>> in_one_line(ValueError("a size\nis needed"))
    'a size is needed'
    """
    return " ".join(str(problem).split())


def _refused(_request: Request, problem: Exception) -> JSONResponse:
    return JSONResponse({"detail": in_one_line(problem)}, 422)


def _invalid(_request: Request, problem: Exception) -> JSONResponse:
    """What is wrong with a request, each in a few words, and never what was sent."""
    assert isinstance(problem, RequestValidationError)
    errors = problem.errors()
    lines = [_wrong(each) for each in errors[:_MOST]]
    more = len(errors) - len(lines)
    line = "; ".join([*lines, *([f"and {more} more"] if more else [])])
    return JSONResponse({"detail": " ".join(line.split())}, 422)


def _wrong(error: dict[str, Any]) -> str:
    if error["type"] == "json_invalid":
        why = error.get("ctx", {}).get("error", error["msg"])
        # The two readers of JSON tell the place in one of two ways.
        place = f" at character {error['loc'][-1]}" if error["loc"] else ""
        return f"the body is not JSON: {why}{place}"
    place = ".".join(str(part) for part in error["loc"] if part not in ("body", "query"))
    return f"{place or 'the body'}: {error['msg'][:1].lower()}{error['msg'][1:]}"


class _OneLine:
    """An ASGI application in front of another one, whose faults are one line."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def sending(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self.app(scope, receive, sending)
        except Exception as problem:
            if debugging() or scope["type"] != "http":
                raise
            what = f"{type(problem).__name__}: {in_one_line(problem)}"
            line = f"fault in chunkwright ({what}); see it with --debug, and report it"
            sys.stderr.write(f"error: {scope['path']!r}: {line}\n")
            if not has_begun:
                await JSONResponse({"detail": line}, 500)(scope, receive, send)
