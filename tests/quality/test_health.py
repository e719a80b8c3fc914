from __future__ import annotations

import base64
import random

import pytest

from tests.quality.chunked import chunked, spans_of


def test_lost_letters_are_found_in_the_chunk_that_has_them() -> None:
    assert spans_of("T501", chunked("It blinks. ¦The M�ller �� lamp.")) == ["�"]


@pytest.mark.parametrize(
    "text",
    [
        "Die Straße zur Mühle ist gesperrt.",
        "L’été dernier, « ça » coûtait 3 €.",
        "Лампа мигает синим.",
        "¿Cuánto cuesta? ¡Mucho!",
    ],
)
@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_mojibake_is_found_and_the_right_text_is_none(text: str, encoding: str) -> None:
    assert not spans_of("T502", chunked(text))
    try:
        broken = text.encode("utf-8").decode(encoding)
    except UnicodeDecodeError:
        pytest.skip(f"{encoding} has no character for one of its bytes")
    assert spans_of("T502", chunked(broken))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It needs a connec-\ntion to the hub.", ["connec-\ntion"]),
        ("It needs a connec-  \r\n  tion to the hub.", ["connec-  \r\n  tion"]),
        ("Short-\nand long-term plans.", []),
        ("A non-\nlinear lamp.", []),
        ("A dimm-\nable lamp. It is a dimm-able lamp.", []),
        ("A well-known lamp.", []),
        ("- one\n- two", []),
        ("```\nx = load-\nvalue\n```", []),
    ],
)
def test_words_that_a_line_end_parted(text: str, found: list[str]) -> None:
    assert spans_of("T503", chunked(text)) == found


def test_blobs_are_found_and_addresses_are_none() -> None:
    coded = base64.b64encode(random.Random(1).randbytes(200)).decode()
    minified = "function(a,b){return a.c(b)?{x:1}:[];}" * 6
    address = "https://example.org/" + "part-1/" * 30
    rule = "-" * 200
    assert spans_of("T504", chunked(f"Logo {coded}¦ and {address}¦{rule}\n¦{minified}")) == [
        coded,
        minified,
    ]


def test_long_words_of_scripts_without_spaces_are_no_blobs() -> None:
    assert not spans_of("T504", chunked("灯は青く点滅します。" * 40))


def test_another_script_than_the_document_has() -> None:
    english = "The lamp blinks blue while it pairs with the hub. " * 4
    russian = "Лампа мигает синим, пока она соединяется. "
    assert spans_of("T505", chunked(f"{english}¦{russian}¦{english}")) == [russian.strip()]
    assert not spans_of("T505", chunked(f"{english}¦{russian * 4}"))
    assert not spans_of("T505", chunked(f"{english}¦The letter λ is written so.¦{english}"))
    assert not spans_of("T505", chunked("ランプは青く点滅します。灯が消えます。" * 4))
