"""`lab` and `serve` as they are started: what they print, whom they answer, how they end."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from chunkwright.cli.serving import lab_command, serve_command
from chunkwright.errors import SourceError
from chunkwright.sources.examples import examples

from .conftest import Command, one_line

REPOSITORY = Path(__file__).resolve().parents[2]


class Server:
    """A server of its own process."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self.log = log

    @property
    def said(self) -> str:
        return self.log.read_text()

    def address(self, name: str) -> str:
        for _ in range(400):
            told = re.search(rf"^{name}: (http://\S+)", self.said, re.MULTILINE)
            if told:
                return told[1]
            assert self.process.poll() is None, self.said
            time.sleep(0.05)
        raise AssertionError(self.said)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)


Start = Callable[..., Server]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts `chunkwright` with some arguments, on a free port."""
    with ExitStack() as stack:

        def started(*arguments: object) -> Server:
            log = tmp_path / f"log{time.monotonic_ns()}.txt"
            with log.open("wb") as file:
                process = subprocess.Popen(
                    [sys.executable, "-m", "chunkwright", *map(str, arguments), "--port", "0"],
                    stdout=file,
                    stderr=file,
                    env={**os.environ, "COLUMNS": "200"},
                    cwd=tmp_path,
                    start_new_session=True,
                )
            stack.callback(process.wait)
            stack.callback(process.kill)
            return Server(process, log)

        yield started


def ask(address: str, path: str, method: str = "GET", body: Any = None, **headers: str) -> Any:
    """An answer, with its body as `data`."""
    parts = urlsplit(address)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)) as made:
        made.request(method, path, body, {name.replace("_", "-"): v for name, v in headers.items()})
        answer = made.getresponse()
        answer.data = answer.read()  # type: ignore[attr-defined]
        return answer


def test_the_lab_shows_the_examples_and_ends_well(start: Start) -> None:
    server = start("lab")
    address = server.address("lab")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
    page = ask(address, "/")
    assert page.status == 200
    assert b"chunkwright lab" in page.data
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    listed = json.loads(ask(address, "/api/v1/documents").data)["documents"]
    assert len(listed) == 21
    asked = json.loads(ask(address, "/api/v1/questions").data)
    assert len(asked["questions"]) == 160
    assert server.stop() == 0
    assert server.said == f"21 documents, 160 questions; Ctrl-C stops\nlab: {address}\n"


def test_an_open_page_does_not_hold_it_back(start: Start) -> None:
    server = start("lab")
    address = server.address("lab").replace("http", "ws")
    with connect(f"{address}_nicegui_ws/socket.io/?EIO=4&transport=websocket") as page:
        assert page.recv().startswith("0{")
        with pytest.raises(InvalidStatus) as refused:
            connect(
                f"{address}_nicegui_ws/socket.io/?EIO=4&transport=websocket",
                origin="http://evil.example",  # type: ignore[arg-type]
            )
        assert refused.value.response.status_code == 403
        assert server.stop() == 0
    assert "Traceback" not in server.said
    assert "rror" not in server.said


def test_serve_has_no_page(start: Start, here: Path) -> None:
    (here / "docs" / "page.exe").write_bytes(b"MZ")
    (here / "docs" / "broken.txt").write_bytes(bytes(range(256)) * 9)
    server = start("serve", here / "docs", "--gold", here / "gold.jsonl")
    address = server.address("serve")
    home = ask(address, "/")
    assert (home.status, home.headers["location"]) == (307, "/api")
    assert b"swagger" in ask(address, "/api").data
    assert ask(address, "/_nicegui_ws/socket.io/").status == 404
    body = json.dumps({"setup": "sentence:1s", "question": "which colour?", "k": 1})
    kind = {"content_type": "application/json"}
    told = json.loads(ask(address, "/api/v1/search", "POST", body, **kind).data)
    assert len(told["results"]) == 1
    assert server.stop() == 0
    lines = server.said.splitlines()
    assert lines[0] == "skipped, as their type is not read yet: 1 .exe"
    assert lines[1].startswith("warning: ")
    assert "broken.txt: binary" in lines[1]
    assert lines[2:] == ["2 documents, 2 questions; Ctrl-C stops", f"serve: {address}"]


def test_a_body_in_parts_is_refused_where_it_passes_the_limit(start: Start, here: Path) -> None:
    server = start("serve", here / "docs")
    parts = urlsplit(server.address("serve"))
    with socket.create_connection(("127.0.0.1", parts.port), 30) as sent:
        sent.sendall(
            b"POST /api/v1/documents HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        part = b"F4240\r\n" + b"a" * 1_000_000 + b"\r\n"
        for _ in range(30):
            sent.sendall(part)
        sent.sendall(b"0\r\n\r\n")
        answer = sent.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert answer.endswith(
        b'{"detail":"what was sent is over the limit of 20 MB; send it in parts"}'
    )


def test_others_need_a_token(start: Start, here: Path) -> None:
    server = start("serve", here / "docs", "--host", "0.0.0.0", "--allow-host", "proxy.example")
    address = server.address("serve")
    found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]{32})", address)
    assert found, address
    port, token = found.groups()
    assert f"serve: http://{socket.gethostname()}:{port}/?token={token} from other" in server.said
    assert "note: what is sent can be read on the way" in server.said
    assert ask(address, "/api/v1/documents").status == 401
    bearer = {"authorization": f"Bearer {token}"}
    assert ask(address, "/api/v1/documents", **bearer).status == 200
    assert ask(address, "/api/v1/documents", **bearer, host="proxy.example").status == 200
    assert ask(address, "/api/v1/documents", **bearer, host="evil.example").status == 403
    answer = ask(address, f"/?token={token}", accept="text/html")
    assert (answer.status, answer.headers["location"]) == (303, "/")
    assert server.stop() == 0


def test_a_token_of_ones_own(start: Start, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKWRIGHT_TOKEN", "sixteen-letters-")
    server = start("serve", here / "docs")
    assert server.address("serve").endswith("/?token=sixteen-letters-")
    assert ask(server.address("serve"), "/api/v1/documents").status == 401


def test_a_port_in_use(command: Command, here: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for name in ("lab", "serve"):
            done = command(name, "docs", "--port", port)
            assert done.status == 2
            assert f"port {port} of 127.0.0.1 is in use" in one_line(done)
            assert "--port 0" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("docs", "--host", "no.such.host.invalid"), "there is no such address"),
        (("docs", "--host", "192.0.2.1"), "is no address of this machine"),
        (("docs", "--host", ""), "error: --host"),
        (("docs", "--token", "short"), "use at least 16 letters"),
        (("docs", "--token", "sixteen letters &"), "use at least 16 letters"),
        (("missing",), "missing: no such file or folder"),
        (("empty",), "no document in empty"),
        (("docs", "--gold", "missing.jsonl"), "missing.jsonl"),
    ],
)
def test_what_cannot_be_started(
    command: Command, here: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = command("serve", *arguments, "--port", 0)
    assert done.status == 2
    assert said in one_line(done)


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [("lab", "nicegui", "lab"), ("serve", "fastapi", "service"), ("serve", "starlette", "service")],
)
def test_a_missing_package_is_named(here: Path, name: str, module: str, extra: str) -> None:
    hide = f"import sys; sys.modules['{module}'] = None; "
    run = f"sys.argv = ['chunkwright', '{name}', 'docs', '--port', '0']; "
    script = f"{hide}{run}from chunkwright.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    said = f"error: {module} is not installed; pip install 'chunkwright[{extra}]'\n"
    assert done.stderr == said


def test_both_commands_have_an_example_and_the_same_options(command: Command) -> None:
    for name, function in (("lab", lab_command), ("serve", serve_command)):
        assert f"`chunkwright {name} docs/" in (function.__doc__ or "")
        assert command(name, "--help").status == 0
    lab, serve = lab_command.__annotations__, serve_command.__annotations__
    assert {*lab} - {*serve} == {"open_page", "to"}


def test_the_examples_are_there_in_both_layouts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert examples().documents == REPOSITORY / "examples" / "docs"
    config = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    wheel = config["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert "examples" in wheel["only-include"]
    assert wheel["sources"]["examples"] == "chunkwright/examples"
    # As an installed package has them.
    package = tmp_path / "site-packages" / "chunkwright"
    (package / "examples" / "docs").mkdir(parents=True)
    (package / "examples" / "gold.jsonl").touch()
    from chunkwright.sources import examples as module

    monkeypatch.setattr(module, "__file__", str(package / "sources" / "examples.py"))
    assert examples().gold == package / "examples" / "gold.jsonl"
    (package / "examples" / "gold.jsonl").unlink()
    with pytest.raises(SourceError, match="are not installed"):
        examples()
