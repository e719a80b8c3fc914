import json

import pytest

from chunkwright.errors import GoldError
from chunkwright.gold.goldset import GoldSet, Place, Question, Reference

REFERENCE = {"document_id": "a.md", "start": 2, "end": 6, "quote": "Lamp"}
QUESTION = {"id": "q1", "question": "What is it?", "references": [REFERENCE]}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "gold.jsonl"


def read(path, *lines):
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts), encoding="utf-8")
    return GoldSet.read(path)


def test_a_question_is_read(path):
    gold = read(path, {**QUESTION, "language": "en", "answer": "a lamp"}, "")
    place = Place("a.md", 2, 6)
    assert list(gold) == [
        Question("q1", "What is it?", (Reference("a.md", 2, 6, "Lamp", (place,)),), "en")
    ]
    assert (len(gold), gold[0], gold[:1]) == (1, gold.question("q1"), gold.questions)


def test_span_or_quote_may_be_absent(path):
    references = [{"document_id": "a.md", "quote": "x"}, {"document_id": "a", "start": 0, "end": 1}]
    gold = read(path, {**QUESTION, "references": references})
    assert gold[0].references == (
        Reference("a.md", None, None, "x", ()),
        Reference("a", 0, 1, None, (Place("a", 0, 1),)),
    )


def test_lines_end_at_line_feeds_only(path):
    question = json.dumps({**QUESTION, "question": "a\u2028b"}, ensure_ascii=False)
    path.write_bytes(f"\ufeff{question}\r\n\r\n".encode())
    assert GoldSet.read(path)[0].question == "a\u2028b"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": ', "2: not JSON (Expecting value at column 8); write each question as one JSON"),
        ("[" * 100_000, "2: not usable JSON"),
        ("[1]", "2: the line must be an object, got [1]"),
        (
            {"id": "q2", "text": "x", "references": []},
            "2: no column 'question', only 'id', 'text', 'references'; add it",
        ),
        ({}, "2: no column 'id', only an empty object; add it"),
        ({**QUESTION, "id": 7}, "2: 'id' must be text, got 7; correct it"),
        ({**QUESTION, "question": None}, "2: 'question' must be text, got null"),
        ({**QUESTION, "references": REFERENCE}, "2: 'references' must be a list, got {"),
        ({**QUESTION, "references": ["a.md"]}, "2: reference 0: it must be an object"),
        ({**QUESTION, "language": 1}, "2: 'language' must be text, got 1"),
        ({**QUESTION, "question": "\ud800"}, "2: an escaped lone surrogate is no text"),
        (QUESTION, "2: question id 'q1' stands in line 1 already; rename one of them"),
    ],
)
def test_a_bad_line_is_named(path, line, message):
    with pytest.raises(GoldError) as caught:
        read(path, QUESTION, line)
    assert str(caught.value).startswith(f"{path}:{message}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"quote": "x"}, "no column 'document_id', only 'quote'; add it"),
        ({"document_id": "a"}, "neither 'quote' nor 'start' and 'end', only 'document_id'"),
        ({"document_id": "a", "start": 1}, "no 'end'; give both"),
        ({"document_id": "a", "end": 1, "quote": "x"}, "no 'start'; give both"),
        ({"document_id": "a", "start": "1", "end": 2}, "'start' must be a whole number, got \"1\""),
        ({"document_id": "a", "start": True, "end": 2}, "'start' must be a whole number, got true"),
        ({"document_id": "a", "start": 1.0, "end": 2}, "'start' must be a whole number, got 1.0"),
        ({"document_id": "a", "quote": ["x"]}, "'quote' must be text"),
    ],
)
def test_a_bad_reference_is_named(path, columns, message):
    with pytest.raises(GoldError) as caught:
        read(path, {**QUESTION, "references": [REFERENCE, columns]})
    assert str(caught.value).startswith(f"{path}:1: reference 1: {message}")


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"])
def test_an_empty_file(path, text):
    with pytest.raises(GoldError, match=r"gold\.jsonl: empty; write one question a line"):
        read(path, text)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"id": 1}', "my.jsonl:1: no column 'question'"),
        (b"\xff\xfe", "my.jsonl:1: not UTF-8"),
        (b"", "my.jsonl: empty"),
        (b'{"id": "a", "question": "b", "references": []}\n{', "my.jsonl:2: not JSON"),
    ],
)
def test_bytes_that_cannot_be_read_are_named(data, message):
    with pytest.raises(GoldError) as problem:
        GoldSet.parse(data, "my.jsonl")
    assert str(problem.value).startswith(message)
    assert "\n" not in str(problem.value)


def test_bytes_are_read_as_a_file_is(path):
    gold = read(path, QUESTION)
    assert GoldSet.parse(path.read_bytes(), "") == gold


def test_no_such_file(path):
    with pytest.raises(GoldError, match=r"gold\.jsonl: no such file; check the path"):
        GoldSet.read(path)


def test_a_folder(tmp_path):
    with pytest.raises(GoldError, match="cannot be read: "):
        GoldSet.read(tmp_path)


def test_not_utf_8(path):
    path.write_bytes(json.dumps(QUESTION).encode() + b'\n{"id": "caf\xe9"}')
    with pytest.raises(GoldError, match=r"gold\.jsonl:2: not UTF-8; save the file as UTF-8"):
        GoldSet.read(path)


def test_ids_are_unique():
    question = Question("q", "What?", ())
    with pytest.raises(GoldError, match="several questions have the id 'q'"):
        GoldSet((question, question))


def test_an_unknown_id():
    with pytest.raises(GoldError, match="no question 'x' among 0"):
        GoldSet(()).question("x")


def test_the_fingerprint_tells_gold_sets_apart(path):
    first = read(path, QUESTION).fingerprint
    assert first == read(path, json.dumps(QUESTION, indent=None) + "\n").fingerprint
    assert first != read(path, {**QUESTION, "question": "What else?"}).fingerprint
    assert first != read(path, {**QUESTION, "references": []}).fingerprint
