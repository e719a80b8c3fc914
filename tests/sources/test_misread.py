"""Signs that a text was read with a wrong encoding, and texts that have none of them."""

from __future__ import annotations

import pytest

from chunkwright.sources.misread import is_latin_9, is_misread


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("T\x81r", "iso8859_2"),
        ("49,90 ¤", "cp1250"),
        ("49,90 Û", "cp1252"),
        ("at 180ø for", "cp1252"),
        ("▐ПХЛЕП", "koi8_r"),
        ("ПХЛЕП│", "koi8_r"),
        ("–ена 500", "cp1251"),
        ("‡воните", "cp1251"),
        ("Stra·e", "mac_roman"),
        ("Die Stra©¬e ist gesperrt", "cp1252"),
        ("49,90 ¢æ toutes", "cp1252"),
        ("49,90 ¢„ toutes taxes comprises", "mac_roman"),
        ("оПХЛЕП", "koi8_r"),
        ("ПРИМЕР", "koi8_r"),
        ("Gi… perch‚ no", "cp1252"),
        ("t\u02c6te", "cp1252"),
        ("Er zijn categorieân van het", "mac_roman"),
        ("Les élčves ont été reēus ą prźts", "cp1257"),
        ("bažkenti Ankara'dżr. Żstanbul", "cp1257"),
        ("et ja ¾ürii tegi", "cp1252"),
    ],
)
def test_what_nobody_writes(text: str, encoding: str) -> None:
    assert is_misread(text, encoding)


@pytest.mark.parametrize(
    "text",
    [
        "Il costa 15 € – è già così, 20 °C, § 5, 5 Å, n.º 3, 1ª, 2½ tazze.",
        "“It’s ½ price”, he said… x², I²C, © 2024 Müller®.",
        "Слово «да» – нет; № 5, 10 г. — Привет!",
        "│ Имя │ Цена │ Доставка │",
        "Das Café in Malmö hat geöffnet; die Übergabe ist nicht für Señor García.",
        "Vi har en lampa på natten, och det är en fråga för en van person.",
    ],
)
@pytest.mark.parametrize("encoding", ["cp1252", "cp1251"])
def test_what_people_write(text: str, encoding: str) -> None:
    assert not is_misread(text, encoding)


@pytest.mark.parametrize("text", ["49,90 ¤", "¤ 5", "l'½uvre", "c½ur", "¨akki"])
def test_signs_of_latin_9(text: str) -> None:
    assert is_latin_9(text)


@pytest.mark.parametrize("text", ["1½ cups", "½", "a ¤ b", "¼ litre"])
def test_signs_of_cp1252(text: str) -> None:
    assert not is_latin_9(text)
