"""Who may ask: names of this server, pages of its own, and those who know the token.

A server on loopback is reached by every page that the browser has open. Two things keep those
out: a name that a page's owner points at this machine (DNS rebinding) is no name of ours, and a
browser tells the page that a request comes from.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_SAFE = ("GET", "HEAD")
_PATIENCE = 4
# What the page needs: its templates are compiled in the browser, and its state is written into it.
_PAGE_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_DOCUMENTATION_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_ANSWER_POLICY = "default-src 'none'; frame-ancestors 'none'"
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Access:
    """Who may ask.

    Attributes:
        hosts: Names of this server, in lower case.
        any_address: Whether it may be asked by any address, too. An address in a request cannot
            have been pointed here by somebody else, as a name can.
        token: What must be known; empty for nothing.
    """

    hosts: frozenset[str] = LOOPBACK_NAMES
    any_address: bool = False
    token: str = ""

    @classmethod
    def on(cls, hosts: Iterable[str], token: str = "", *, any_address: bool = False) -> Access:
        """Access by some names beside those of loopback."""
        return cls(LOOPBACK_NAMES | {host.lower() for host in hosts}, any_address, token)

    def knows_host(self, host: str) -> bool:
        """Whether the header `Host` names this server.

        >>> Access().knows_host("localhost:8421"), Access().knows_host("evil.example")
        (True, False)
        """
        name = _host_name(host)
        return bool(name) and (name in self.hosts or (self.any_address and _is_address(name)))

    def is_known(self, token: str | None) -> bool:
        """Whether a token is the right one; told in the same time for every wrong one."""
        return bool(token) and secrets.compare_digest(
            (token or "").encode("utf-8", "surrogatepass"), self.token.encode()
        )


def _host_name(host: str) -> str:
    """The name in a host with or without a port, in lower case; empty where it is none."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return ""
    # A host alone: no path, no user.
    return (parts.hostname or "") if parts.netloc == host and "@" not in host else ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def is_own_origin(origin: str, host: str) -> bool:
    """Whether a page's origin is the host that it asks.

    >>> is_own_origin("http://127.0.0.1:8421", "127.0.0.1:8421")
    True
    >>> is_own_origin("http://127.0.0.1:9", "127.0.0.1:8421"), is_own_origin("null", "localhost")
    (False, False)
    """
    scheme, separator, rest = origin.partition("://")
    if not separator or scheme not in ("http", "https"):
        return False
    default = ":443" if scheme == "https" else ":80"
    return rest.lower().removesuffix(default) == host.lower().removesuffix(default)


class BodyLimit:
    """An ASGI application in front of another one, which takes no more than so many bytes.

    What is too large is never held: it is refused by its length, or where it passes the limit.

    Args:
        app: The application behind it.
        most: Bytes of a body.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have it answered."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        length = Headers(scope=scope).get("content-length", "0")
        if length.isascii() and length.isdigit() and int(length[:19]) > self.most:
            await self._refuse(scope, receive, send, has_more=True)
            return
        seen, is_over, has_more, has_begun = 0, False, True, False

        async def receiving() -> Message:
            nonlocal seen, is_over, has_more
            message = await receive()
            has_more = message.get("more_body", False)
            seen += len(message.get("body", b""))
            is_over = is_over or seen > self.most
            # Nobody reads on from one who left.
            return {"type": "http.disconnect"} if is_over else message

        async def sending(message: Message) -> None:
            nonlocal has_begun
            if is_over and not has_begun:
                return  # what is made of half a body is no answer
            has_begun = True
            await send(message)

        try:
            await self.app(scope, receiving, sending)
        except Exception:
            if not is_over:
                raise
        if is_over and not has_begun:
            await self._refuse(scope, receive, send, has_more=has_more)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, *, has_more: bool) -> None:
        # One who is still sending hears nothing, so a few more bodies are let pass unread.
        left = _PATIENCE * self.most
        while has_more and left > 0:
            message = await receive()
            left -= len(message.get("body", b""))
            has_more = message.get("more_body", False)
        line = f"what was sent is over the limit of {self.most / 1e6:.0f} MB; send it in parts"
        answer = _problem(scope, 413, line)
        answer.headers["connection"] = "close"
        await answer(scope, receive, send)


class Guard:
    """An ASGI application in front of another one, which answers only who may ask.

    Args:
        app: The application behind it.
        access: Who may ask.
    """

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have it answered."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        given = ""
        if refusal is None and self.access.token:
            given = next(_given_in_query(scope), "")
            refusal = self._without_token(scope, headers, given)
        cookie = self._cookie(scope) if self.access.is_known(given) else ""
        if refusal is None and cookie and _is_page(scope, headers):
            refusal = RedirectResponse(_without_given(scope), 303)
        watched = _with_headers(scope, send, cookie)
        if refusal is None:
            await self.app(scope, receive, watched)
        elif scope["type"] == "http":
            await refusal(scope, receive, watched)
        else:
            await _deny(receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Why somebody may not ask whatever he knows."""
        host = headers.get("host", "")
        if len(headers.getlist("host")) > 1 or not self.access.knows_host(host):
            known = ", ".join(sorted(self.access.hosts))
            line = f"this server is not {host!r}: ask it as {known}, or start it with --allow-host"
            return _problem(scope, 403, line)
        origin = headers.get("origin")
        if origin is not None:
            if len(headers.getlist("origin")) > 1 or not is_own_origin(origin, host):
                return _problem(scope, 403, f"pages of {origin!r} may not ask this server")
        elif headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            # A link to the page may be followed; nothing is loaded into the page of another site.
            mode, target = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
            if (mode, target) != ("navigate", "document") or scope.get("method") not in _SAFE:
                return _problem(scope, 403, "pages of other sites may not ask this server")
        return None

    def _without_token(self, scope: Scope, headers: Headers, given: str) -> Response | None:
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        known = [given, bearer.strip() if scheme.lower() == "bearer" else ""]
        known += _cookies(headers, _cookie_name(scope))
        if any(self.access.is_known(each) for each in known):
            return None
        line = (
            "a token is needed: open the address that was printed when the server was started, or "
            "send the header 'Authorization: Bearer TOKEN'"
        )
        answer = _problem(scope, 401, line)
        answer.headers["www-authenticate"] = "Bearer"
        return answer

    def _cookie(self, scope: Scope) -> str:
        # The page's scripts need not know it, and no other site's request carries it.
        secure = "; Secure" if scope["scheme"] in ("https", "wss") else ""
        value = quote(self.access.token, safe="")
        return f"{_cookie_name(scope)}={value}; HttpOnly; SameSite=Strict; Path=/{secure}"


def _cookie_name(scope: Scope) -> str:
    """One name a port: a browser sends the cookies of a host to all its ports."""
    server = scope.get("server")
    return f"chunkwright-{server[1] if server else 0}"


def _cookies(headers: Headers, name: str) -> list[str]:
    found = []
    for header in headers.getlist("cookie"):
        for part in header.split(";"):
            key, _, value = part.strip().partition("=")
            if key == name:
                found.append(unquote(value))
    return found


def _given_in_query(scope: Scope) -> Iterator[str]:
    for name, value in _query(scope):
        if name == "token":
            yield value


def _query(scope: Scope) -> list[tuple[str, str]]:
    text = scope.get("query_string", b"").decode("latin-1")
    return parse_qsl(text, keep_blank_values=True)


def _is_page(scope: Scope, headers: Headers) -> bool:
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and "text/html" in headers.get("accept", "")
        and not scope["path"].startswith("/api/v1/")
    )


def _without_given(scope: Scope) -> str:
    """The address without the token. It is one of this server's, whatever its path."""
    kept = [(name, value) for name, value in _query(scope) if name != "token"]
    path = "/" + quote(scope["path"].lstrip("/"))
    return f"{path}?{urlencode(kept)}" if kept else path


def _problem(scope: Scope, status: int, line: str) -> Response:
    if scope["path"].startswith("/api/"):
        return JSONResponse({"detail": line}, status)
    return PlainTextResponse(f"{line}\n", status)


def _policy(path: str) -> str:
    if path.startswith("/api/v1/"):
        return _ANSWER_POLICY
    return _DOCUMENTATION_POLICY if path.startswith("/api") else _PAGE_POLICY


def _with_headers(scope: Scope, send: Send, cookie: str) -> Send:
    more: Mapping[str, str] = {**_HEADERS, "content-security-policy": _policy(scope["path"])}

    async def sending(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            message = {**message, "headers": [*message.get("headers", ())]}
            headers = MutableHeaders(scope=message)
            for name, value in more.items():
                headers[name] = value
            if cookie:
                headers.append("set-cookie", cookie)
        await send(message)

    return sending


async def _deny(receive: Receive, send: Send) -> None:
    """Refuse a WebSocket before it is one.

    Every server makes status 403 of that. An answer of ours (`websocket.http.response`) would be
    read by nobody, as browsers keep it from the page, and uvicorn takes it for an open handshake.
    """
    await receive()  # the request to connect
    await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
