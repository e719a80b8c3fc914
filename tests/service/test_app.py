"""The API over HTTP: it gives what the command line gives, and says in one line what it cannot."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from chunkwright.chunking.dress import chunk
from chunkwright.cli.app import run
from chunkwright.engines.columns import json_lines
from chunkwright.quality.repair import repairs
from chunkwright.service import app as service
from chunkwright.service import chunks, messages
from chunkwright.service.app import create_app
from chunkwright.service.workspace import MAX_ADDED_BYTES, Recipe, Workspace
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.sources.examples import examples

from .conftest import HUB, LAMP, MARKUP

ODD = "more/<img src=x onerror=alert(1)>.txt"
SETUPS = [
    "sentence:12t+1s",
    "fixed:30c+10c|strip=no",
    "markdown:40t|headers|repair",
    "sentence:5w|parents=document",
]


def one_line(answer: Any, status: int) -> str:
    """The problem of an answer, which is one line."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    told = answer.json()
    assert list(told) == ["detail"]
    assert told["detail"].strip()
    assert "\n" not in told["detail"]
    assert "Traceback" not in told["detail"]
    return told["detail"]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable:
    """Runs `chunkwright` in this process, and gives what it prints."""

    def call(*arguments: object) -> str:
        monkeypatch.setattr(sys, "argv", ["chunkwright", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            run()
        assert ended.value.code == 0
        return capsys.readouterr().out

    return call


# Documents


def test_documents_are_listed(client: TestClient) -> None:
    assert client.get("/api/v1/documents").json()["documents"] == [
        {"id": "hub.txt", "characters": len(HUB), "added": False},
        {"id": "lamp.md", "characters": len(LAMP), "added": False},
        {"id": ODD, "characters": len(MARKUP), "added": False},
    ]


@pytest.mark.parametrize(("name", "text"), [("lamp.md", LAMP), ("hub.txt", HUB), (ODD, MARKUP)])
def test_a_text_is_given_as_spans_count_it(client: TestClient, name: str, text: str) -> None:
    answer = client.get("/api/v1/text", params={"document": name})
    assert answer.content == text.encode()
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"


def test_a_text_is_added_once(client: TestClient) -> None:
    first = client.post("/api/v1/documents", json={"text": "# New\n\nA text."})
    again = client.post("/api/v1/documents", json={"text": "# New\n\nA text."})
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert first.json()["added"] is True
    assert first.json()["characters"] == 14
    assert len(client.get("/api/v1/documents").json()["documents"]) == 4
    sent = client.get("/api/v1/text", params={"document": first.json()["id"]})
    assert sent.text == "# New\n\nA text."


def test_a_file_is_added_as_a_folder_would_give_it(client: TestClient) -> None:
    data = "Ä page.\r\n".encode("utf-16")
    added = client.post("/api/v1/documents", files={"file": ("page.md", data)}).json()
    assert added == {"id": "page.md", "characters": 10, "added": True}
    page = b"<html><body><h1>Lamp</h1><p>It <b>blinks</b>.</p><script>x()</script></body></html>"
    client.post("/api/v1/documents", files={"file": ("page.html", page)})
    text = client.get("/api/v1/text", params={"document": "page.html"}).text
    assert text == "# Lamp\n\nIt blinks.\n"


def test_a_name_that_is_taken_gets_another_one(client: TestClient) -> None:
    added = client.post("/api/v1/documents", files={"file": ("lamp.md", b"Another.")}).json()
    assert re.fullmatch(r"lamp-[0-9a-f]{8}\.md", added["id"])
    assert client.get("/api/v1/text", params={"document": "lamp.md"}).content == LAMP.encode()


@pytest.mark.parametrize(
    ("name", "data", "status", "said"),
    [
        ("run.exe", b"MZ", 415, "a file of the type '.exe' is not read"),
        ("noname", b"text", 415, "a file of the type '' is not read"),
        ("<b>.svg", b"<svg/>", 415, "<b>.svg: a file of the type '.svg'"),
        ("empty.md", b"", 422, "empty.md: empty"),
        ("binary.txt", bytes(range(256)) * 9, 422, "binary.txt: binary"),
        ("large.txt", b"a" * (MAX_ADDED_BYTES + 1), 413, "large.txt: 20.0 MB, but the limit is"),
    ],
)
def test_a_file_that_is_not_taken(
    client: TestClient, name: str, data: bytes, status: int, said: str
) -> None:
    answer = client.post("/api/v1/documents", files={"file": (name, data)})
    assert said in one_line(answer, status)
    assert len(client.get("/api/v1/documents").json()["documents"]) == 3


def test_a_file_name_cannot_leave_its_folder(client: TestClient) -> None:
    added = client.post("/api/v1/documents", files={"file": ("../../etc/passwd.md", b"x y.")})
    assert added.json()["id"] == "passwd.md"


@pytest.mark.parametrize(
    ("body", "kind", "status", "said"),
    [
        (b'{"text": ""}', "application/json", 422, "the text is empty"),
        (b'{"text": 5}', "application/json", 422, "text: input should be a valid string"),
        (b'{"text": "a", "id": "b"}', "application/json", 422, "id: extra inputs"),
        (b'{"text": "half \\ud800"}', "application/json", 422, ""),
        (b"{", "application/json", 422, "JSON"),
        (b"[" * 100_000, "application/json", 422, "JSON"),
        (b"\xff\xfe", "application/json", 422, "JSON"),
        (b"text", "text/plain", 415, "send a file as multipart/form-data, or a text as JSON"),
        (b"", "", 415, "send a file"),
        (b"x", "multipart/form-data", 400, "boundary"),
        (b"--b\r\nbroken", "multipart/form-data; boundary=b", 422, "no file"),
    ],
)
def test_a_body_that_is_not_read(
    client: TestClient, body: bytes, kind: str, status: int, said: str
) -> None:
    answer = client.post("/api/v1/documents", content=body, headers={"content-type": kind})
    assert said in one_line(answer, status)


def test_a_form_needs_its_file(client: TestClient) -> None:
    answer = client.post("/api/v1/documents", files={"other": ("a.md", b"text")})
    assert "send it in the field 'file'" in one_line(answer, 422)
    answer = client.post(
        "/api/v1/documents", files=[("file", ("a.md", b"a")), ("file", ("b.md", b"b"))]
    )
    assert "Too many files" in one_line(answer, 400)


@pytest.mark.parametrize("route", ["text", "chunks.jsonl"])
def test_a_document_that_is_not_there(client: TestClient, route: str) -> None:
    answer = client.get(f"/api/v1/{route}", params={"document": "lmp.md", "setup": "fixed:9c"})
    assert one_line(answer, 404) == "no document 'lmp.md' among 3; did you mean 'lamp.md'?"


# Chunks


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_download_is_the_file_of_the_command_line(
    client: TestClient, command: Callable, docs: Path, tmp_path: Path, setup: str, form: str
) -> None:
    to = tmp_path / f"chunks.{form}"
    command("chunk", docs, "--setup", setup, "-o", to)
    got = client.get(f"/api/v1/chunks.{form}", params={"setup": setup})
    sent = client.post("/api/v1/chunk", json={"setup": setup, "format": form})
    assert got.content == sent.content == to.read_bytes()
    assert got.headers["content-disposition"] == f'attachment; filename="chunks.{form}"'
    assert got.headers["content-length"] == str(len(got.content))
    assert got.headers["chunkwright-documents"] == "3"


def test_the_examples_are_written_as_the_command_line_writes_them(
    command: Callable, tmp_path: Path
) -> None:
    folder = examples().documents
    command("chunk", folder, "--setup", "sentence:200t+1s", "-o", tmp_path / "c.jsonl")
    with TestClient(create_app(Workspace(Corpus.read([folder])))) as client:
        got = client.get("/api/v1/chunks.jsonl", params={"setup": "sentence:200t+1s"})
    assert got.content == (tmp_path / "c.jsonl").read_bytes()


def test_repairs_named_are_done_as_the_option_does_them(client: TestClient) -> None:
    names = ",".join(each.name for each in reversed(repairs()) if each.default)
    plain = client.get("/api/v1/chunks.jsonl", params={"setup": "fixed:60c"})
    named = client.get("/api/v1/chunks.jsonl", params={"setup": "fixed:60c", "repairs": names})
    option = client.get("/api/v1/chunks.jsonl", params={"setup": "fixed:60c|repair"})
    assert named.content == option.content != plain.content


@pytest.mark.parametrize("setup", SETUPS)
def test_repaired_chunks_are_those_that_the_page_shows(
    client: TestClient, workspace: Workspace, setup: str
) -> None:
    recipe = Recipe(Setup.parse(setup), ("move_to_sentence", "add_header"))
    shown = b"".join(json_lines(workspace.dressed(each.id, recipe)) for each in workspace.corpus)
    params = {"setup": setup, "repairs": " add_header, move_to_sentence,"}
    assert client.get("/api/v1/chunks.jsonl", params=params).content == shown


@pytest.mark.parametrize("setup", SETUPS)
def test_chunks_are_those_of_the_library(client: TestClient, docs: Path, setup: str) -> None:
    told = client.post("/api/v1/chunk", json={"setup": setup}).json()
    assert told["chunks"] == [made.to_dict() for made in chunk(Corpus.read([docs]), setup)]
    assert told["failures"] == []
    messages.Chunks.model_validate(told)


def test_documents_may_be_sent_along(client: TestClient) -> None:
    note = {"id": "<b>.md", "text": "# A\n\nOne. Two.", "title": "T", "language": "en"}
    told = client.post("/api/v1/chunk", json={"setup": "sentence:1s", "documents": [note]}).json()
    assert [row["text"] for row in told["chunks"]] == ["# A", "One.", "Two."]
    assert {row["document_id"] for row in told["chunks"]} == {"<b>.md"}
    assert len(client.get("/api/v1/documents").json()["documents"]) == 3


def test_some_documents_are_asked_for_in_their_order(client: TestClient) -> None:
    ids = ["lamp.md", "hub.txt", "lamp.md"]
    told = client.post("/api/v1/chunk", json={"setup": "fixed:9w", "document_ids": ids}).json()
    assert list(dict.fromkeys(row["document_id"] for row in told["chunks"])) == ids[:2]


def test_what_was_added_is_cut_with_the_others(client: TestClient) -> None:
    name = client.post("/api/v1/documents", json={"text": "Added."}).json()["id"]
    told = client.post("/api/v1/chunk", json={"setup": "sentence:9s"}).json()
    assert told["chunks"][-1]["document_id"] == name


def test_one_bad_document_stops_nothing(client: TestClient) -> None:
    bad = {"id": "bad.md", "text": "# " + "A very long title " * 9 + "\n\nText."}
    good = {"id": "good.md", "text": "# A\n\nText."}
    request = {"setup": "markdown:12t|headers", "documents": [bad, good]}
    told = client.post("/api/v1/chunk", json=request).json()
    assert {row["document_id"] for row in told["chunks"]} == {"good.md"}
    (failure,) = told["failures"]
    assert failure["path"] == "bad.md"
    assert "leaves no room" in failure["reason"]
    lines = client.post("/api/v1/chunk", json={**request, "format": "jsonl"})
    assert json.loads(lines.headers["chunkwright-failures"])[0]["path"] == "bad.md"
    assert client.post("/api/v1/check", json=request).json()["failures"] == [failure]
    with_repairs = client.post("/api/v1/chunk", json={**request, "repairs": ["merge_orphans"]})
    assert with_repairs.json()["failures"][0]["path"] == "bad.md"
    alone = client.post("/api/v1/chunk", json={**request, "documents": [bad]})
    assert "no document could be cut; first: bad.md" in one_line(alone, 422)


def test_an_answer_without_end_is_refused(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "MAX_WRITTEN", 1000)
    answer = client.post("/api/v1/chunk", json={"setup": "fixed:1c"})
    assert "ask for fewer documents" in one_line(answer, 422)


@pytest.mark.parametrize("setup", SETUPS)
def test_findings_are_those_of_check(
    client: TestClient,
    command: Callable,
    docs: Path,
    setup: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(docs)
    told = json.loads(command("check", "lamp.md", "--setup", setup, "--format", "json"))
    for name in ("anchoring", "guessed_encodings", "skipped"):
        del told[name]
    request = {"setup": setup, "document_ids": ["lamp.md"]}
    assert client.post("/api/v1/check", json=request).json() == told
    messages.Findings.model_validate(told)


def test_rules_are_selected(client: TestClient) -> None:
    request = {"setup": "fixed:20c", "select": ["C"], "ignore": ["C102"]}
    told = client.post("/api/v1/check", json=request).json()
    codes = {row["code"] for row in told["rules"]}
    assert codes
    assert all(code.startswith("C") for code in codes)
    assert "C102" not in codes
    answer = client.post("/api/v1/check", json={"setup": "fixed:20c", "select": ["X1"]})
    assert "no rule 'X1'" in one_line(answer, 422)


def test_costs_are_those_of_cost(client: TestClient, command: Callable, docs: Path) -> None:
    patterns = ["fixed:30c+{0,10}c", "sentence:12t+1s"]
    arguments = [part for pattern in patterns for part in ("--setup", pattern)]
    told = json.loads(command("cost", docs, *arguments, "--json"))
    answer = client.post("/api/v1/cost", json={"setups": patterns}).json()
    assert answer == {name: told[name] for name in ("setups", "unusable", "failures")}
    messages.Costs.model_validate(answer)


@pytest.mark.parametrize(
    ("setups", "said"),
    [
        ([], "setups: list should have at least 1 item"),
        (["@/etc/passwd"], "'@FILE' is for the command line"),
        ([" @/etc/passwd"], "'@FILE' is for the command line"),
        (["fixed:{1,2}c" + "{,}" * 150], "more than 200 of them"),
        (["fixed:9"], "needs a unit"),
        (["sentence:1w|headers"], "leaves no room"),
    ],
)
def test_setups_that_cannot_be_compared(client: TestClient, setups: list[str], said: str) -> None:
    assert said in one_line(client.post("/api/v1/cost", json={"setups": setups}), 422)


# Questions


def test_an_answer_is_ranked(client: TestClient) -> None:
    request = {"setup": "sentence:1s|parents=section", "question": "which LAMP blinks?", "k": 2}
    told = client.post("/api/v1/search", json={**request, "retriever": "bm25"}).json()
    messages.Answer.model_validate(told)
    assert told["setup"] == request["setup"]
    best = told["results"][0]
    assert (best["document_id"], best["rank"]) == ("lamp.md", 1)
    assert LAMP[best["start"] : best["end"]] == best["text"]
    assert {term["text"] for term in best["terms"]} == {"Lamp", "blinks"}
    assert told["sent_tokens"] == sum(row["tokens"] for row in told["results"])


def test_questions_are_listed_with_what_is_wrong(client: TestClient) -> None:
    told = client.get("/api/v1/questions").json()
    messages.Questions.model_validate(told)
    (question,) = told["questions"]
    (reference,) = question["references"]
    assert LAMP[reference["start"] : reference["end"]] == reference["quote"]
    assert "q2" in told["problems"][0]


# Problems


@pytest.mark.parametrize(
    ("route", "body", "said"),
    [
        ("chunk", {}, "setup: field required"),
        ("chunk", {"setup": "sentense:9t"}, "did you mean 'sentence'?"),
        ("chunk", {"setup": "fixed:" + "9" * 90 + "c"}, "over the largest"),
        ("chunk", {"setup": "fixed:" + "9" * 990 + "c"}, "must be a whole number"),
        ("chunk", {"setup": "x" * 1001}, "setup: string should have at most 1000 characters"),
        ("chunk", {"setup": "fixed:9c\x00"}, ""),
        ("chunk", {"setup": "fixed:9c|tokens=/etc/passwd"}, "unknown counter '/etc/passwd'"),
        ("chunk", {"setup": "fixed:9c", "documents": []}, "there are no documents"),
        ("chunk", {"setup": "fixed:9c", "document_ids": []}, "there are no documents"),
        ("chunk", {"setup": "fixed:9c", "repairs": ["mend"]}, "unknown repair 'mend'"),
        ("chunk", {"setup": "fixed:9c", "format": "xml"}, "format: input should be 'json'"),
        ("chunk", {"setup": "fixed:9c", "documents": [{"id": "", "text": "a"}]}, "documents.0.id"),
        ("search", {"setup": "fixed:9c", "question": " "}, "the question is empty"),
        ("search", {"setup": "fixed:9c", "question": "a", "k": 101}, "k: input should be less"),
        ("search", {"setup": "fixed:9c", "question": "a", "k": 1e300}, "k: unable to parse"),
        ("search", {"setup": "fixed:9c", "question": "a", "retriever": "x"}, "retriever 'x'"),
        ("check", {"setup": "fixed:9c", "text": "a"}, "text: extra inputs are not permitted"),
        ("check", [1], "the body: input should be"),
        ("cost", {"setups": "fixed:9c"}, "setups: input should be a valid list"),
    ],
)
def test_a_request_that_cannot_be_used(
    client: TestClient, route: str, body: Any, said: str
) -> None:
    assert said in one_line(client.post(f"/api/v1/{route}", json=body), 422)


def test_two_kinds_of_documents_at_once(client: TestClient) -> None:
    body = {"setup": "fixed:9c", "documents": [{"id": "a", "text": "b"}], "document_ids": ["a"]}
    answer = client.post("/api/v1/chunk", json=body)
    assert one_line(answer, 422) == "give documents or document_ids, not both"


def test_an_id_twice(client: TestClient) -> None:
    body = {"setup": "fixed:9c", "documents": [{"id": "a", "text": "b"}] * 2}
    assert "several documents have the id 'a'" in one_line(
        client.post("/api/v1/chunk", json=body), 422
    )


@pytest.mark.parametrize("body", [b"{", b"", b"nonsense", b'{"setup": ', b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_json(client: TestClient, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    answer = client.post("/api/v1/chunk", content=body, headers=headers)
    one_line(answer, answer.status_code)
    assert answer.status_code in (400, 422)


def test_what_was_sent_is_not_sent_back(client: TestClient) -> None:
    body = {"setup": 5, "documents": [{"id": "a", "text": "secret"}]}
    assert "secret" not in client.post("/api/v1/chunk", json=body).text


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_an_address_that_is_not_there(client: TestClient, method: str) -> None:
    answer = client.request(method, "/api/v1/nothing")
    assert (
        one_line(answer, 404) == f"there is no {method} /api/v1/nothing; /api lists what there is"
    )


def test_a_body_over_the_limit_is_never_held(client: TestClient) -> None:
    def parts() -> Iterator[bytes]:
        yield from [b"a" * 1_000_000] * 30

    headers = {"content-type": "application/json"}
    answer = client.post("/api/v1/chunk", content=parts(), headers=headers)
    assert "over the limit of 20 MB" in one_line(answer, 413)
    answer = client.post("/api/v1/chunk", content=b"a" * 21_000_000, headers=headers)
    assert "over the limit of 20 MB" in one_line(answer, 413)


def test_a_fault_is_one_line(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("out\nof order")

    monkeypatch.setenv("CHUNKWRIGHT_DEBUG", "")
    monkeypatch.setattr(service, "search", fail)
    with TestClient(create_app(workspace)) as client:
        answer = client.post("/api/v1/search", json={"setup": "fixed:9c", "question": "a"})
    assert "fault in chunkwright (RuntimeError: out of order)" in one_line(answer, 500)
    said = capsys.readouterr().err
    assert said.startswith("error: '/api/v1/search': fault in chunkwright")
    assert "Traceback" not in said


def test_a_word_of_a_megabyte(client: TestClient) -> None:
    word = {"id": "word.txt", "text": "a" * 1_000_000}
    for setup in ("sentence:200t+1s", "recursive:1000c+200c", "markdown:400t|headers|repair"):
        body = {"setup": setup, "documents": [word]}
        told = client.post("/api/v1/chunk", json=body).json()
        assert told["chunks"][-1]["end"] == 1_000_000
    assert client.post("/api/v1/check", json=body).status_code == 200


def test_markup_is_data(client: TestClient) -> None:
    told = client.post("/api/v1/chunk", json={"setup": "fixed:99w", "document_ids": [ODD]})
    assert told.headers["content-type"] == "application/json"
    assert told.json()["chunks"][0]["text"].startswith("<script>alert(1)</script>")
    assert "\x00" in told.json()["chunks"][0]["text"]
    answer = client.get("/api/v1/text", params={"document": "<script>alert(1)</script>"})
    assert "<script>" in one_line(answer, 404)


def test_many_ask_at_once(client: TestClient) -> None:
    bodies = [{"setup": f"fixed:{size}c+3c", "question": "the lamp"} for size in range(10, 34)]

    def ask(body: dict[str, Any]) -> list[str]:
        route = "/api/v1/"
        answers = [
            client.post(f"{route}search", json=body),
            client.post(f"{route}chunk", json={"setup": body["setup"]}),
            client.post(f"{route}check", json={"setup": body["setup"]}),
            client.post(f"{route}documents", json={"text": f"Text for {body['setup']}."}),
        ]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 201]
        return [answers[0].text, answers[2].text]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, bodies))
    assert len(client.get("/api/v1/documents").json()["documents"]) == 3 + len(bodies)


# Documentation


def test_the_documentation_loads_nothing_from_outside(client: TestClient) -> None:
    page = client.get("/api")
    assert page.headers["content-type"].startswith("text/html")
    links = re.findall(r'(?:src|href)="([^"]*)"', page.text)
    assert links
    for link in links:
        assert link.startswith("/api/")
        assert client.get(link).status_code == 200
    assert "//" not in client.get("/api/ui/start.js").text.replace("https://", "//")
    assert client.get("/docs", follow_redirects=False).headers["location"] == "/api"
    assert client.get("/api/ui/index.html").status_code == 404
    assert client.get("/api/ui/..%2f__init__.py").status_code == 404


def test_every_example_of_the_documentation_works(client: TestClient) -> None:
    schema = client.get("/api/openapi.json").json()
    tried = 0
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"]
            assert operation["description"]
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if body is None:
                continue
            found = body["schema"]
            if "$ref" in found:
                found = schema["components"]["schemas"][found["$ref"].rpartition("/")[2]]
            example = found["example"] if "example" in found else found["examples"][0]
            answer = client.request(method, path, json=example)
            assert answer.is_success, answer.text
            tried += 1
    assert tried == 5
