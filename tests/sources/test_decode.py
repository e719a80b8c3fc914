from contextlib import suppress

import pytest

from chunkwright.errors import SourceError
from chunkwright.sources.decode import decode

GERMAN = "Die Gerätetür öffnet sich nicht. Bitte prüfen Sie die Stromversorgung fünf Sekunden."
FRENCH = "Le café était fermé à cause de la grève. Nous avons dû chercher un autre endroit."
ENGLISH = "The lamp doesn’t blink – it’s “broken”. Please send it back to the shop for repair."
POLISH = "Zażółć gęślą jaźń. Proszę otworzyć drzwi i wyłączyć światło przed wyjściem z domu."
RUSSIAN = "Москва является столицей Российской Федерации и крупнейшим городом страны."
SPANISH = "España es un país soberano. Su capital es Madrid, y el español es la lengua oficial."
LATVIAN = "Rīga ir Latvijas galvaspilsēta un lielākā pilsēta. Tā atrodas Daugavas krastos."
THAI = "กรุงเทพมหานครเป็นเมืองหลวงและนครที่มีประชากรมากที่สุดของประเทศไทย"
KOREAN = "서울은 대한민국의 수도이자 최대 도시이다. 한강을 끼고 있으며 인구는 약 천만 명이다."
CHINESE = "北京是中华人民共和国的首都，位于华北平原的北部，是全国的政治中心、文化中心。"
PRICES = (
    "Der Preis beträgt 49,90 € zuzüglich Versandkosten. Größere Mengen auf Anfrage.",
    "Le prix est de 49,90 € toutes taxes comprises, livraison non comprise.",
    "El precio es de 49,90 € con gastos de envío incluidos. ¿Quiere más información?",
    "De prijs is € 49,90 inclusief verzendkosten. De coördinator is geïnformeerd.",
    "L'œuvre complète du maître coûte 12 € à la librairie. Le cœur a ses raisons.",
)
FRENCH_SCHOOL = "Les élèves ont été reçus à l'école. Ils étaient déjà prêts."
STREET = "Die Straße ist gesperrt. Bitte weichen Sie aus."
DUTCH = "Er zijn categorieën van financiële instellingen in België."
ITALIAN = "Il perché della qualità è già noto: la libertà è un bene di tutti."
CZECH = "Cena je 300 Kč. Dodání následující den, prosím zavolejte předem."
SWEDISH = "En van förare kan köra en bil på natten, och en annan kan åka med. " * 5
DANISH = "En lampe er på bordet, og den er ikke tændt. Vi skal spørge os om øen. " * 5
TURKISH = "Türkiye'nin başkenti Ankara'dır. İstanbul ise ülkenin en büyük şehridir."
RECIPE = "Add 1½ cups of flour and ¼ cup of sugar, and bake it at 180° for half an hour."
RUSSIAN_ORDER = "Прибор не включается. Проверьте питание и нажмите кнопку."
RUSSIAN_WORD = "Пример."
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
    found = decode(mark + "Lämp 🚀\r\n".encode(encoding))
    assert found == ("\ufeffLämp 🚀\r\n", encoding, False)


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
        (JAPANESE, "iso2022_jp"),
        (KOREAN, "iso2022_kr"),
        # Read as Western, its letters would be a dash and an apostrophe in a word.
        (SPANISH, "mac_roman"),
        # Where cp1252 has a currency sign and fractions, it has a euro sign and letters.
        *((price, "iso8859_15") for price in PRICES),
        (FRENCH_SCHOOL, "cp1252"),
        (CZECH, "cp1250"),
        (SWEDISH, "latin-1"),
        (DANISH, "latin-1"),
        (RECIPE, "cp1252"),
    ],
)
def test_other_encodings_are_found_where_the_bytes_leave_one_reading(text, encoding):
    found = decode(text.encode(encoding))
    assert found.text == text
    assert found.guessed == (not encoding.startswith("iso2022"))


@pytest.mark.parametrize(
    "data",
    [
        "café".encode("latin-1"),
        GERMAN.encode("cp850"),
        RUSSIAN.encode("cp866"),
        RUSSIAN_ORDER.encode("mac_cyrillic"),
        RUSSIAN_WORD.encode("mac_cyrillic"),
        STREET.encode("cp850"),
        DUTCH.encode("cp850"),
        ITALIAN.encode("cp437"),
        TURKISH.encode("cp1254"),
    ],
)
def test_an_uncertain_encoding_is_refused(data):
    with pytest.raises(SourceError, match=r"not UTF-8 \(byte \d+\); convert it"):
        decode(data)


TEXTS = (
    *PRICES,
    FRENCH_SCHOOL,
    STREET,
    DUTCH,
    ITALIAN,
    CZECH,
    TURKISH,
    RUSSIAN_ORDER,
    GERMAN,
    FRENCH,
    ENGLISH,
    POLISH,
    RUSSIAN,
    JAPANESE,
    SPANISH,
    LATVIAN,
    THAI,
    KOREAN,
    CHINESE,
)
# UTF-7 and HZ cannot be told from ASCII.
ENCODINGS = (
    *("latin-1", "iso8859_2", "iso8859_5", "iso8859_7", "iso8859_15", "cp1250", "cp1251", "cp1252"),
    *("cp1254", "cp1257", "cp437", "cp850", "cp866", "koi8_r", "mac_roman", "mac_cyrillic"),
    *("tis_620", "shift_jis", "euc_jp", "iso2022_jp", "gb18030", "big5", "euc_kr", "iso2022_kr"),
    *("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "cp500"),
)


def encoded() -> list[tuple[str, str, bytes]]:
    """Each text in each encoding that has its letters."""
    found = []
    for text in TEXTS:
        for encoding in ENCODINGS:
            with suppress(UnicodeEncodeError):
                found.append((text, encoding, text.encode(encoding)))
    return found


def read(data: bytes) -> tuple[str, str]:
    """The text, or why there is none."""
    try:
        return decode(data).text, ""
    except SourceError as problem:
        return "", str(problem)


@pytest.mark.parametrize("repeated", [1, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("text", "encoding", "data"), encoded())
def test_a_text_is_read_right_or_refused(text, encoding, data, repeated):
    found, reason = read(data * repeated)
    assert found.replace("\ufeff", "") in ("", text * repeated)
    assert found or reason == "binary" or "convert it" in reason


@pytest.mark.parametrize("text", [ENGLISH, RUSSIAN, THAI, JAPANESE])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_named(text, encoding):
    with pytest.raises(SourceError, match="convert it") as caught:
        decode(f"{text}\n".encode(encoding))
    assert "UTF-16 without a byte order mark" in str(caught.value) or text == JAPANESE


@pytest.mark.parametrize(
    ("data", "declared", "text"),
    [
        ("café".encode("latin-1"), "iso-8859-1", "café"),
        (RUSSIAN.encode("cp866"), "cp866", RUSSIAN),
        ("café".encode(), "iso-8859-1", "café"),
    ],
)
def test_a_declared_encoding_counts_where_the_bytes_are_not_utf_8(data, declared, text):
    assert decode(data, declared).text == text


def test_a_declared_encoding_that_is_wrong_is_said():
    with pytest.raises(SourceError, match=r"not CP932 as it declares \(sjis\) \(byte 1\)"):
        decode(b"a\xff", "sjis")


def test_escape_sequences_that_lie_are_said():
    with pytest.raises(SourceError, match="not ISO2022_JP_2 as its escape sequences say"):
        decode(b"\x1b$B\x7f\x7f")


def test_colours_of_a_terminal_are_text():
    assert decode(b"\x1b[31mred\x1b[0m\n" * 9).text.startswith("\x1b[31mred")


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


@pytest.mark.parametrize("length", [30, 250, 20_000])
def test_a_lone_nul_does_not_make_a_text_binary(length):
    assert decode(b"text " * (length // 5) + b"\0").text.endswith("\0")


@pytest.mark.parametrize("data", [b"a\0", b"\x01\x02\x03", (b"text " + b"\x02" * 3) * 99])
def test_many_control_characters_do(data):
    with pytest.raises(SourceError, match="binary"):
        decode(data)


def test_a_byte_order_mark_that_lies_is_said():
    with pytest.raises(SourceError, match=r"not UTF-8 as its byte order mark says \(byte 5\)"):
        decode(b"\xef\xbb\xbfab\xff")
