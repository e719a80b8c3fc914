"""The language of a text."""

from __future__ import annotations

import pytest

from chunkwright.text.language import detect


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The lamp is on the table and it does not blink.", "en"),
        ("Die Lampe ist nicht mit dem Netz verbunden, und das ist ein Fehler.", "de"),
        ("La lampe est sur la table et elle ne clignote pas dans le noir.", "fr"),
        ("La lámpara no está en la mesa, pero el cable es más largo que la pared.", "es"),
        ("La lampada non è sul tavolo, ma il cavo è della casa e più lungo.", "it"),
        ("A lâmpada não está na mesa, mas os cabos são mais longos com uma ficha.", "pt"),
        ("De lamp staat niet op tafel en het is een fout van het netwerk.", "nl"),
        ("Lampen er ikke på bordet, og kablet er for kort til stikket.", "da"),
        ("Jeg ved ikke, hvor lampen er.", "da"),
        # Near to it, and none of its own.
        ("Lampan står inte på bordet, och det är ett fel som jag har sett.", "en"),
        ("Er is een lamp en het is een fout.", "nl"),
        ("Er ist der Mann, den wir sahen, und er geht.", "de"),
        ("東京の天気は晴れです。", "ja"),
        ("今天天气很好。", "zh"),
        ("오늘 날씨가 좋습니다.", "ko"),
        ("วันนี้อากาศดี", "th"),
        ("आज मौसम अच्छा है।", "hi"),
        ("الطقس جميل اليوم.", "ar"),
        ("מזג האוויר יפה היום.", "he"),
        ("Ο καιρός είναι καλός.", "el"),
        ("Сегодня хорошая погода.", "ru"),
        ("Այսօր լավ եղանակ է։", "hy"),
        ("", "en"),
        ("12345 !?", "en"),
    ],
)
def test_detect(text: str, language: str) -> None:
    assert detect(text) == language
