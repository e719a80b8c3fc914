"""From the bytes of a file to its text, never by a guess that is only likely.

UTF-8 and everything with a byte order mark are read as they say. Other encodings are read only
where the bytes leave one good reading; a wrong letter is worse than a file to convert.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

import regex

from chunkwright.errors import SourceError
from chunkwright.text import language

# UTF-32 first: its little-endian mark starts with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What files on the web are written in, besides UTF-8. More candidates bring more wrong guesses.
_CANDIDATES = [
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256"),
    *("cp874", "koi8_r", "iso8859_2", "mac_roman"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949"),
]
_WESTERN = "cp1252"
# How close a rival reading must come to make the guess unsafe.
_CHAOS, _COHERENCE, _LEAST_COHERENCE = 0.03, 0.05, 0.2
_MOST_NULS = 0.01
# Control characters that no text holds; form feed and DOS end-of-file are left out.
_CONTROLS = re.compile(rb"[\x00-\x06\x0e-\x19\x1c-\x1f]")
# What a wrong reading shows: a foreign capital after a small letter, or a symbol in a word
# (apostrophe, accent, dashes and middle dot do stand there).
_MISREAD = regex.compile(
    r"(?V1)\p{Ll}[\p{Lu}--\p{ASCII}]"
    r"|[a-z][[\p{S}\p{P}\p{N}--\p{ASCII}]--[\u2019\u00b4\u2013\u2014\u00b7]][a-z]"
)
# Icelandic has these too, but Turkish read as Western would be full of them.
_ICELANDIC = re.compile("[ÐÝÞðýþ]")
_ENGLISH = re.compile(r"\b(?:the|and|of|to|is)\b", re.IGNORECASE)


class Decoded(NamedTuple):
    """A text and the encoding that it was read with."""

    text: str
    encoding: str


def decode(data: bytes) -> Decoded:
    r"""The text of a file, with its line ends and its byte order mark, if it has one.

    A gold set's offsets count the mark, as any plain reading of the file does.

    Raises:
        SourceError: The file is empty, is binary, or its encoding is not certain. The message is
            the reason only: the caller knows the path.

    >>> decode(b"\xef\xbb\xbfLamp\r\n")
    Decoded(text='\ufeffLamp\r\n', encoding='utf-8')
    """
    if data.startswith(b"%PDF-"):
        raise SourceError("PDF is not read yet; convert it to text or Markdown")
    decoded = _decode(data)
    if not decoded.text.strip().strip("\ufeff").strip():
        raise SourceError("empty")
    if decoded.text.count("\0") > _MOST_NULS * len(decoded.text):
        raise SourceError("binary, or UTF-16 without a byte order mark; convert it to UTF-8")
    return decoded


def _decode(data: bytes) -> Decoded:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return Decoded(data.decode(encoding), encoding)
            except UnicodeDecodeError as problem:
                raise SourceError(
                    f"not {encoding.upper()} as its byte order mark says (byte "
                    f"{problem.start}); convert it to UTF-8"
                ) from None
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as problem:
        if _CONTROLS.search(data):
            raise SourceError("binary") from None
        guess = _guess(data)
        if guess is None:
            raise SourceError(f"not UTF-8 (byte {problem.start}); convert it") from None
        return guess


def _guess(data: bytes) -> Decoded | None:
    from charset_normalizer import from_bytes

    ranked: list[tuple[float, float, Decoded]] = []
    for match in from_bytes(data, cp_isolation=_CANDIDATES):
        names = match.could_be_from_charset
        # Readings that give the same text come as one match under any of their names.
        name = _WESTERN if _WESTERN in names else match.encoding
        try:
            decoded = Decoded(data.decode(name), name)
        except UnicodeDecodeError:
            continue
        turkish = name == _WESTERN and _ICELANDIC.search(decoded.text)
        if not turkish and not _MISREAD.search(decoded.text):
            ranked.append((match.chaos, match.coherence, decoded))
    if not ranked:
        return None
    chaos, coherence, best = ranked[0]
    rivals = [
        decoded
        for its_chaos, its_coherence, decoded in ranked
        if its_chaos <= chaos + _CHAOS and its_coherence >= coherence - _COHERENCE
    ]
    # Western and Central European letters rank alike; the words tell which it is.
    western = next((decoded for decoded in rivals if decoded.encoding == _WESTERN), None)
    if western and (language.detect(western.text) != "en" or _ENGLISH.search(western.text)):
        return western
    return best if len(rivals) == 1 and coherence >= _LEAST_COHERENCE else None
