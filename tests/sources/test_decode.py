import pytest

from chunkwright.errors import SourceError
from chunkwright.sources.decode import decode

GERMAN = "Die Gerätetür öffnet sich nicht. Bitte prüfen Sie die Stromversorgung fünf Sekunden."
FRENCH = "Le café était fermé à cause de la grève. Nous avons dû chercher un autre endroit."
ENGLISH = "The lamp doesn’t blink – it’s “broken”. Please send it back to the shop for repair."
POLISH = "Zażółć gęślą jaźń. Proszę otworzyć drzwi i wyłączyć światło przed wyjściem z domu."
RUSSIAN = "Москва является столицей Российской Федерации и крупнейшим городом страны."
JAPANESE = "東京都は日本の首都である。人口は約千四百万人であり、世界最大の都市のひとつである。"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
        (b"\xff\xfe\0\0", "utf-32-le"),
        (b"\0\0\xfe\xff", "utf-32-be"),
    ],
)
def test_a_byte_order_mark_names_the_encoding_and_is_kept(mark, encoding):
    assert decode(mark + "Lämp 🚀\r\n".encode(encoding)) == ("\ufeffLämp 🚀\r\n", encoding)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "latin-1"),
        (FRENCH, "latin-1"),
        (ENGLISH, "cp1252"),
        (POLISH, "cp1250"),
        (POLISH, "iso8859_2"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
    ],
)
def test_other_encodings_are_found_where_the_bytes_leave_one_reading(text, encoding):
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize(
    "data",
    [
        "café".encode("latin-1"),
        GERMAN.encode("cp850"),
        RUSSIAN.encode("cp866"),
    ],
)
def test_an_uncertain_encoding_is_refused(data):
    with pytest.raises(SourceError, match=r"not UTF-8 \(byte \d+\); convert it"):
        decode(data)


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xef\xbb\xbf", "\ufeff \n".encode("utf-16-le")])
def test_nothing_but_white_space_is_empty(data):
    with pytest.raises(SourceError, match="empty"):
        decode(data)


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xd8",
        "UTF-16 that does not say so".encode("utf-16-le"),
        bytes(range(256)),
    ],
)
def test_binary_is_said(data):
    with pytest.raises(SourceError, match="binary"):
        decode(data)


def test_a_lone_nul_does_not_make_a_text_binary():
    assert decode(b"text " * 50 + b"\0").text.endswith("\0")


def test_a_byte_order_mark_that_lies_is_said():
    with pytest.raises(SourceError, match=r"not UTF-8 as its byte order mark says \(byte 5\)"):
        decode(b"\xef\xbb\xbfab\xff")
