"""Who may ask, over HTTP and WebSocket, and what every answer says to the browser."""

from __future__ import annotations

import logging
import socket
import time
from contextlib import closing
from threading import Thread
from typing import Any, Literal

import pytest
import uvicorn
from fastapi import FastAPI, WebSocket
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from chunkwright.service.guard import Access, Guard, is_own_origin

TOKEN = "a-token-of-many-letters"
BASE = "http://127.0.0.1:8421"


def application(access: Access) -> FastAPI:
    app = FastAPI()

    @app.get("/")
    def page() -> HTMLResponse:
        return HTMLResponse("page")

    @app.api_route("/api/v1/asked", methods=["GET", "POST"])
    def asked() -> JSONResponse:
        return JSONResponse("asked")

    @app.websocket("/_nicegui_ws/socket")
    async def socket(connection: WebSocket) -> None:
        await connection.accept()
        await connection.send_text("open")
        await connection.close()

    app.add_middleware(Guard, access=access)
    return app


def client_of(access: Access) -> TestClient:
    return TestClient(application(access), base_url=BASE, follow_redirects=False)


@pytest.fixture
def client() -> TestClient:
    """Of a server on loopback."""
    return client_of(Access())


@pytest.fixture
def remote() -> TestClient:
    """Of a server that everybody reaches."""
    return client_of(Access.on(["0.0.0.0", "Box"], TOKEN, any_address=True))


def opened(client: TestClient, address: str = "/_nicegui_ws/socket", **headers: str) -> bool:
    """Whether a WebSocket opens."""
    try:
        # The test client would name another host of its own.
        with client.websocket_connect(
            f"ws://127.0.0.1:8421{address}", headers={"host": "127.0.0.1:8421", **headers}
        ) as connection:
            return connection.receive_text() == "open"
    except WebSocketDisconnect:
        return False


def refused(answer: Any, status: int) -> str:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    line = answer.json()["detail"]
    assert "\n" not in line
    return line


# Names


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:8421", "localhost:8421", "LOCALHOST", "[::1]:8421", "localhost:1"],
)
def test_names_of_loopback_are_known(client: TestClient, host: str) -> None:
    assert client.get("/api/v1/asked", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8421",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8421",
        "evil.example#127.0.0.1",
        "127.0.0.1@evil.example",
        "evil.example@127.0.0.1",
        "127.0.0.1/evil",
        "127.0.0.1:port",
        "192.168.1.5:8421",
        "[::1",
        "",
    ],
)
def test_other_names_are_not(client: TestClient, host: str) -> None:
    line = refused(client.get("/api/v1/asked", headers={"host": host}), 403)
    assert "this server is not" in line
    assert "--allow-host" in line
    assert not opened(client, host=host)


def test_two_hosts_are_none(client: TestClient) -> None:
    headers = [("host", "127.0.0.1:8421"), ("host", "evil.example")]
    assert client.get("/api/v1/asked", headers=headers).status_code == 403


def test_a_server_for_others_is_asked_by_its_names_and_by_addresses(remote: TestClient) -> None:
    bearer = {"authorization": f"Bearer {TOKEN}"}
    for host in ("box:1", "192.168.1.5:8421", "[fe80::1]", "localhost"):
        assert remote.get("/api/v1/asked", headers={**bearer, "host": host}).status_code == 200
    assert (
        remote.get("/api/v1/asked", headers={**bearer, "host": "evil.example"}).status_code == 403
    )


# Pages of other sites


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "",
        "http://127.0.0.1:9999",
        "http://localhost:8421",
        "http://127.0.0.1:8421.evil.example",
        "http://127.0.0.1:8421/",
        "file://",
        "chrome-extension://127.0.0.1:8421",
    ],
)
def test_other_pages_may_not_ask(client: TestClient, origin: str) -> None:
    for method in ("GET", "POST"):
        answer = client.request(method, "/api/v1/asked", headers={"origin": origin})
        assert "may not ask this server" in refused(answer, 403)
    assert not opened(client, origin=origin)


def test_the_page_itself_may(client: TestClient) -> None:
    own = {"origin": "http://127.0.0.1:8421", "host": "127.0.0.1:8421"}
    assert client.post("/api/v1/asked", headers=own).status_code == 200
    assert opened(client, origin="http://127.0.0.1:8421")
    assert opened(client)  # no browser


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://box", "box:80"),
        ("https://box:443", "box"),
        ("HTTP://Box".lower(), "BOX"),
        ("http://[::1]:8421", "[::1]:8421"),
    ],
)
def test_the_same_origin_in_other_words(origin: str, host: str) -> None:
    assert is_own_origin(origin, host)


def test_nothing_is_loaded_into_other_pages_but_links_are_followed(client: TestClient) -> None:
    image = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
    link = {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
    }
    frame = {**link, "sec-fetch-dest": "iframe"}
    assert client.get("/api/v1/asked", headers=image).status_code == 403
    assert client.get("/", headers=frame).status_code == 403
    assert client.post("/api/v1/asked", headers=link).status_code == 403
    assert client.get("/", headers=link).status_code == 200
    assert client.get("/", headers={"sec-fetch-site": "same-origin"}).status_code == 200


# The token


def test_without_the_token_nothing_is_answered(remote: TestClient) -> None:
    answer = remote.get("/api/v1/asked")
    assert "a token is needed" in refused(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"
    page = remote.get("/", headers={"accept": "text/html"})
    assert page.status_code == 401
    assert page.headers["content-type"].startswith("text/plain")
    assert page.text.count("\n") == 1
    assert remote.get("/not/there").status_code == 401
    assert not opened(remote)


@pytest.mark.parametrize(
    "given",
    ["", TOKEN[:-1], f"{TOKEN}x", TOKEN.upper(), "é", "\x00", "%00", f" {TOKEN}x"],
)
def test_a_wrong_token_is_none(remote: TestClient, given: str) -> None:
    assert remote.get("/api/v1/asked", params={"token": given}).status_code == 401
    if given.isascii() and given.isprintable():
        bearer = {"authorization": f"Bearer {given}"}
        assert remote.get("/api/v1/asked", headers=bearer).status_code == 401
        cookie = {"cookie": f"chunkwright-8421={given}"}
        assert remote.get("/api/v1/asked", headers=cookie).status_code == 401
        assert not opened(remote, authorization=f"Bearer {given}")


def test_the_header_opens_all(remote: TestClient) -> None:
    for scheme in ("Bearer", "bearer"):
        bearer = {"authorization": f"{scheme} {TOKEN}"}
        answer = remote.get("/api/v1/asked", headers=bearer)
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers
    assert opened(remote, authorization=f"Bearer {TOKEN}")
    basic = {"authorization": f"Basic {TOKEN}"}
    assert remote.get("/api/v1/asked", headers=basic).status_code == 401


def test_the_address_opens_the_page_and_is_forgotten(remote: TestClient) -> None:
    html = {"accept": "text/html,*/*"}
    params = {"setup": "fixed:9c+10%", "token": TOKEN, "document": "a b.md"}
    answer = remote.get("/", params=params, headers=html)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?setup=fixed%3A9c%2B10%25&document=a+b.md"
    cookie = answer.headers["set-cookie"]
    assert cookie == f"chunkwright-8421={TOKEN}; HttpOnly; SameSite=Strict; Path=/"
    assert remote.get(answer.headers["location"], headers=html).text == "page"
    assert opened(remote, cookie=f"other=1; chunkwright-8421={TOKEN}")
    assert not opened(remote, cookie=f"chunkwright-1={TOKEN}")


def test_a_program_is_not_sent_elsewhere(remote: TestClient) -> None:
    answer = remote.get("/api/v1/asked", params={"token": TOKEN})
    assert answer.json() == "asked"
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert opened(remote, f"/_nicegui_ws/socket?token={TOKEN}")


@pytest.mark.parametrize("path", ["//evil.example/x", "/\\evil.example", "///evil.example"])
def test_nobody_is_sent_to_another_site(remote: TestClient, path: str) -> None:
    answer = remote.get(
        f"{BASE}{path}?token={TOKEN}", headers={"accept": "text/html", "host": "127.0.0.1"}
    )
    assert answer.status_code == 303
    location = answer.headers["location"]
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\"))


def test_a_token_does_not_excuse_a_wrong_host_or_page(remote: TestClient) -> None:
    bearer = {"authorization": f"Bearer {TOKEN}"}
    assert remote.get("/", headers={**bearer, "host": "evil.example"}).status_code == 403
    assert remote.get("/", headers={**bearer, "origin": "http://evil.example"}).status_code == 403
    assert not opened(remote, authorization=f"Bearer {TOKEN}", origin="http://evil.example")


def test_without_a_token_a_token_opens_nothing_more(client: TestClient) -> None:
    answer = client.get("/", params={"token": "x"}, headers={"accept": "text/html"})
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    assert not Access().is_known("")
    assert not Access().is_known(None)


# A real server


@pytest.mark.parametrize("kind", ["auto", "websockets-sansio", "wsproto"])
def test_a_refused_socket_is_answered_and_leaves_no_complaint(
    kind: Literal["auto", "websockets-sansio", "wsproto"], caplog: pytest.LogCaptureFixture
) -> None:
    app = application(Access(token=TOKEN))
    config = uvicorn.Config(app, ws=kind, log_config=None, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        place = f"ws://127.0.0.1:{listener.getsockname()[1]}/_nicegui_ws/socket"
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        with caplog.at_level(logging.ERROR):
            thread.start()
            try:
                while not server.started:
                    time.sleep(0.01)
                for headers in (
                    {},
                    {"cookie": "chunkwright-1=old"},
                    {"origin": "http://a.example"},
                ):
                    with pytest.raises(InvalidStatus) as refused:
                        connect(place, additional_headers=headers)
                    assert refused.value.response.status_code == 403
                with connect(f"{place}?token={TOKEN}") as opened_one:
                    assert opened_one.recv() == "open"
            finally:
                server.should_exit = True
                thread.join(10)
    assert caplog.messages == []


# What every answer says


@pytest.fixture
def answers(client: TestClient) -> list[Any]:
    """Of all kinds."""
    return [
        client.get("/"),
        client.get("/api/v1/asked"),
        client.get("/not/there"),
        client.get("/", headers={"host": "evil.example"}),
    ]


def test_every_answer_has_the_headers(answers: list[Any]) -> None:
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        policy = answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "default-src 'self'" in policy or "default-src 'none'" in policy
        assert "http" not in policy
        assert "*" not in policy
