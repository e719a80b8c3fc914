"""`lab` and `serve`: the page, and the HTTP API without it."""

from __future__ import annotations

import errno
import os
import re
import secrets
import socket
import threading
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

import typer

from chunkwright.cli import output
from chunkwright.cli.output import counted
from chunkwright.cli.paths import DEFAULT_MEGABYTES, MAX_FILE_SIZE, as_bytes
from chunkwright.errors import ServiceError
from chunkwright.gold.goldset import GoldSet
from chunkwright.sources.corpus import Corpus
from chunkwright.sources.examples import examples

if TYPE_CHECKING:
    from fastapi import FastAPI

    from chunkwright.service.guard import Access
    from chunkwright.service.workspace import Workspace

_PORT = 8421
# Shorter ones are guessed; other characters would have to be written in another way in an address.
_TOKEN = re.compile(r"[A-Za-z0-9._~-]{16,}")
# Seconds that open requests have when the server is stopped.
_GRACE = 2

GOLD = Annotated[
    Path | None, typer.Option("--gold", "-g", help="Questions with references, JSONL.")
]
HOST = Annotated[
    str,
    typer.Option(help="Address to listen on. Anything but loopback demands a token."),
]
PORT = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")]
TOKEN = Annotated[
    str,
    typer.Option(
        help="What must be known to ask; made up where one is needed and none is given. "
        "CHUNKWRIGHT_TOKEN keeps it out of the list of processes.",
    ),
]
ALLOW_HOST = Annotated[
    list[str] | None,
    typer.Option(help="Another name that this server is asked by, such as that of a proxy."),
]


def lab_command(
    docs: Annotated[
        list[Path] | None, typer.Argument(help="Documents; the example's if left out.")
    ] = None,
    gold: GOLD = None,
    host: HOST = "127.0.0.1",
    port: PORT = _PORT,
    token: TOKEN = "",
    allow_host: ALLOW_HOST = None,
    max_file_size: MAX_FILE_SIZE = DEFAULT_MEGABYTES,
    open_page: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser.")
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder of studies; in the user's cache if left out."),
    ] = None,
) -> None:
    """Open the lab: see the cut, move the slider, ask the question.

    Example: `chunkwright lab docs/ --gold gold.jsonl`
    """
    if not docs:
        known = examples()
        docs, gold = [known.documents], gold or known.gold
    listener = _listen(host, port, token, allow_host or [])
    with listener.socket:
        workspace = _workspace(docs, gold, as_bytes(max_file_size))
        if to is not None:
            from chunkwright.lab.studies import keep_studies_in

            keep_studies_in(workspace, to)
        _run("lab", workspace, listener, has_page=True, open_page=open_page)


def serve_command(
    docs: Annotated[list[Path], typer.Argument(help="Documents.")],
    gold: GOLD = None,
    host: HOST = "127.0.0.1",
    port: PORT = _PORT,
    token: TOKEN = "",
    allow_host: ALLOW_HOST = None,
    max_file_size: MAX_FILE_SIZE = DEFAULT_MEGABYTES,
) -> None:
    """Serve the HTTP API of the lab without its page; its documentation is at /api.

    Example: `chunkwright serve docs/ --port 8421`
    """
    listener = _listen(host, port, token, allow_host or [])
    with listener.socket:
        workspace = _workspace(docs, gold, as_bytes(max_file_size))
        _run("serve", workspace, listener, has_page=False, open_page=False)


@dataclass(frozen=True, slots=True)
class _Listener:
    """Where the server is reached, and by whom.

    Attributes:
        socket: It is bound.
        access: Who may ask.
        addresses: As a browser takes them, each with whom it is for.
        is_local: Whether only this machine reaches it.
    """

    socket: socket.socket
    access: Access
    addresses: tuple[tuple[str, str], ...]
    is_local: bool


def _listen(host: str, port: int, token: str, names: list[str]) -> _Listener:
    """Take the port before anything that takes long.

    Raises:
        ServiceError: It cannot be listened on, the token is too simple, or packages are missing.
    """
    if token and not _TOKEN.fullmatch(token):
        raise ServiceError(
            "--token: use at least 16 letters, digits or . _ ~ -, or leave it out to have one made"
        )
    try:
        from chunkwright.service.guard import Access
    except ModuleNotFoundError as problem:
        raise _missing(problem, "service") from None

    bound = _bind(host, port)
    address, taken = bound.getsockname()[:2]
    found = ip_address(address.partition("%")[0])
    if not found.is_loopback:
        token = token or secrets.token_urlsafe(24)
    own = [socket.gethostname()] if found.is_unspecified else []
    access = Access.on([host, address, *own, *names], token, any_address=not found.is_loopback)
    query = f"?{urlencode({'token': token})}" if token else ""
    shown = [(_bracketed(host), "")]
    if found.is_unspecified:
        shown = [("127.0.0.1", ""), (own[0], " from other machines")]
    addresses = tuple((f"http://{name}:{taken}/{query}", whom) for name, whom in shown)
    return _Listener(bound, access, addresses, found.is_loopback)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _bind(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise ServiceError(
            f"--host {host!r}: there is no such address; use 127.0.0.1, or one of this machine's"
        ) from None
    # localhost is often both: most programs try the older kind first, or only.
    family, kind, protocol, _, address = min(found, key=lambda each: each[0] != socket.AF_INET)
    bound = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere it would take the port from another server
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        # Whoever asks before the documents are read waits.
        bound.listen(128)
    except OSError as problem:
        bound.close()
        raise ServiceError(_why(problem, host, port)) from None
    return bound


def _why(problem: OSError, host: str, port: int) -> str:
    if problem.errno == errno.EADDRINUSE:
        return (
            f"port {port} of {host} is in use; stop what listens there, or take another one: "
            "--port 0 finds one that is free"
        )
    if problem.errno == errno.EACCES:
        return f"port {port} of {host} may not be listened on; take one above 1023 with --port"
    if problem.errno == errno.EADDRNOTAVAIL:
        return f"--host {host}: is no address of this machine; use 127.0.0.1, or one of its own"
    return f"--host {host} --port {port}: {problem.strerror or problem}"


def _missing(problem: ModuleNotFoundError, extra: str) -> Exception:
    """What to do about a package that is not installed; a fault of ours stays one."""
    name = (problem.name or "").partition(".")[0]
    if name in ("", "chunkwright"):
        return problem
    return ServiceError(f"{name} is not installed; pip install 'chunkwright[{extra}]'")


def _workspace(docs: list[Path], gold: Path | None, max_bytes: int) -> Workspace:
    from chunkwright.service.workspace import Workspace

    with output.progress("reading", None):
        corpus = Corpus.read(docs, max_bytes)
    output.tell_guessed(corpus.guessed)
    output.tell_skipped(corpus.skipped)
    output.tell_failures(corpus.failures)
    workspace = Workspace(corpus, None if gold is None else GoldSet.read(gold))
    if gold is not None:
        output.some(str(each) for each in workspace.usable.problems if not each.usable)
    return workspace


def _application(workspace: Workspace, access: Access, *, has_page: bool) -> FastAPI:
    """The API, with the page or without it, behind the guard."""
    extra = "lab" if has_page else "service"
    try:
        from chunkwright.service.app import create_app, redirect_to_documentation
        from chunkwright.service.guard import Guard

        app = create_app(workspace)
        if has_page:
            from chunkwright.lab.page import add_page

            add_page(app, workspace)
        else:
            redirect_to_documentation(app)
    except ModuleNotFoundError as problem:
        raise _missing(problem, extra) from None
    app.add_middleware(Guard, access=access)
    return app


def _run(
    name: str, workspace: Workspace, listener: _Listener, *, has_page: bool, open_page: bool
) -> None:
    app = _application(workspace, listener.access, has_page=has_page)
    import uvicorn

    # Models are read from local folders: no library has to ask the network about them.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    config = uvicorn.Config(
        app, log_level="error", timeout_graceful_shutdown=_GRACE, server_header=False
    )
    output.say(
        f"{counted(len(workspace.corpus), 'document')}, "
        f"{counted(len(workspace.gold), 'question')}; Ctrl-C stops"
    )
    for address, whom in listener.addresses:
        output.say(f"{name}: {address}{whom}")
    if not listener.is_local:
        output.note(
            "what is sent can be read on the way: use it in a network that you trust, or behind "
            "a proxy with HTTPS"
        )
    if open_page:
        place = listener.addresses[0][0]
        # Some browsers in a terminal do not come back until they are closed.
        threading.Thread(target=webbrowser.open, args=(place,), daemon=True).start()
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener.socket])
