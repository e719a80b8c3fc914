"""From the bytes of a file to its text, never by a guess that is only likely.

UTF-8 and everything with a byte order mark are read as they say. Other encodings are read only
where the bytes leave one good reading; a wrong letter is worse than a file to convert.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from chunkwright.errors import SourceError
from chunkwright.sources.misread import PRIVATE, is_latin_9, is_misread, is_western

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
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257"),
    *("cp874", "koi8_r", "iso8859_2", "mac_roman"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949"),
]
_WESTERN = "cp1252"
# The same but for eight characters, one of them the euro sign.
_LATIN_9 = "iso8859_15"
_ONLY_WINDOWS = re.compile(rb"[\x80-\x9f]")
# How close a rival reading must come to make the guess unsafe.
_CHAOS, _COHERENCE, _LEAST_COHERENCE = 0.03, 0.05, 0.2
# Control characters that no text holds; form feed, escape and DOS end-of-file are left out.
_CONTROLS = bytes([*range(0x07), *range(0x0E, 0x1A), *range(0x1C, 0x20)])
# Japanese and Korean in seven bits, as in old mail: valid UTF-8 that reads as noise.
_ESCAPED = re.compile(rb"\x1b\$(?:[@B]|\([A-D]|(\)C))")
# Encodings that a page may declare: none of Python's other codecs is one that pages come in.
_DECLARED = re.compile(
    r"cp(?:8\d\d|9\d\d|125\d)|iso8859-\d+|koi8-\w|mac-\w+|euc_\w+|gb\w+|big5\w*|shift_jis\w*"
    r"|tis-620|johab"
)
# Those for which pages are written in a larger set.
_LARGER = {
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
}
_VISIBLE = re.compile(r"[^\s\ufeff]")


class Decoded(NamedTuple):
    """A text and the encoding that it was read with, which may be a guess."""

    text: str
    encoding: str
    guessed: bool = False


def decode(data: bytes, declared: str = "") -> Decoded:
    r"""The text of a file, with its line ends and its byte order mark, if it has one.

    A gold set's offsets count the mark, as any plain reading of the file does.

    Args:
        data: All bytes of the file.
        declared: The encoding that the file itself names, if it does. It counts where the bytes
            are not UTF-8 anyway.

    Raises:
        SourceError: The file is empty, is binary, or its encoding is not certain. The message is
            the reason only: the caller knows the path.

    >>> decode(b"\xef\xbb\xbfLamp\r\n")
    Decoded(text='\ufeffLamp\r\n', encoding='utf-8', guessed=False)
    """
    if data.startswith(b"%PDF-"):
        raise SourceError("PDF is not read yet; convert it to text or Markdown")
    decoded = _decode(data, declared)
    if _VISIBLE.search(decoded.text) is None:
        raise SourceError("empty")
    if decoded.text.count("\0") > _most_controls(len(decoded.text)):
        raise _binary()
    return decoded


def _most_controls(length: int) -> float:
    """How many control characters a text may hold: in a short one, a stray one weighs much."""
    return max(length / 100, min(3, length / 10))


def _binary() -> SourceError:
    return SourceError("binary, or UTF-16 without a byte order mark; convert it to UTF-8")


def _decode(data: bytes, declared: str) -> Decoded:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strictly(data, encoding, "as its byte order mark says")
    if escaped := _ESCAPED.search(data):
        encoding = "iso2022_kr" if escaped[1] else "iso2022_jp_2"
        return _strictly(data, encoding, "as its escape sequences say")
    controls = len(data) - len(data.translate(None, _CONTROLS))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        if controls:
            raise _binary() if _is_utf_16(data) else SourceError("binary") from None
        if encoding := _known(declared):
            return _strictly(data, encoding, f"as it declares ({declared})", unused=PRIVATE)
        guess = _guess(data)
        if guess is None:
            raise SourceError(f"not UTF-8 (byte {problem.start}); convert it") from None
        return guess
    if controls > _most_controls(len(data)):
        raise _binary()
    return Decoded(text, "utf-8")


def _strictly(
    data: bytes, encoding: str, why: str, unused: re.Pattern[str] | None = None
) -> Decoded:
    try:
        text = data.decode(encoding)
        byte = -1
    except UnicodeDecodeError as problem:
        byte = problem.start
    else:
        if unused and (found := unused.search(text)):
            byte = len(text[: found.start()].encode(encoding))
    if byte >= 0:
        raise SourceError(f"not {encoding.upper()} {why} (byte {byte}); convert it to UTF-8")
    return Decoded(text, encoding)


def _known(declared: str) -> str:
    """The codec of a declared encoding; empty where the declaration is of no help."""
    try:
        name = codecs.lookup(declared).name
    except (LookupError, ValueError):
        return ""
    return _LARGER.get(name, name) if _DECLARED.fullmatch(name) else ""


def _is_utf_16(data: bytes) -> bool:
    """Whether it may be UTF-16 without a mark: not certain enough to read it so."""
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            text = data[:4096].decode(encoding)
        except UnicodeDecodeError:
            continue
        if text.translate({9: " ", 10: " ", 13: " ", 0x3000: " "}).isprintable():
            return True
    return False


def _guess(data: bytes) -> Decoded | None:
    from charset_normalizer import from_bytes

    ranked: list[tuple[float, float, Decoded]] = []
    for match in from_bytes(data, cp_isolation=_CANDIDATES):
        names = match.could_be_from_charset
        # Readings that give the same text come as one match under any of their names.
        name = _WESTERN if _WESTERN in names else match.encoding
        try:
            decoded = Decoded(data.decode(name), name, guessed=True)
        except UnicodeDecodeError:
            continue
        if name == _WESTERN and is_latin_9(decoded.text) and not _ONLY_WINDOWS.search(data):
            decoded = Decoded(data.decode(_LATIN_9), _LATIN_9, guessed=True)
        if not is_misread(decoded.text, decoded.encoding):
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
    western = next((each for each in rivals if each.encoding in (_WESTERN, _LATIN_9)), None)
    if western and is_western(western.text):
        return western
    return best if len(rivals) == 1 and coherence >= _LEAST_COHERENCE else None
