"""What a text shows that was read with a wrong encoding: letters and signs that do not go together.

Every test is about text as people write it, so it only serves where an encoding is guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache
from itertools import islice

from chunkwright.text import language

# Letters beyond ASCII of the languages that are written in Latin letters.
_ALPHABETS = {
    "de": "äöüßé",
    "fr": "àâæçéèêëîïôœùûüÿ",
    "es": "áéíñóúü",
    "it": "àèéìíîòóùú",
    "pt": "áâãàçéêíóôõúü",
    "pl": "ąćęłńóśźż",
    "nl": "áéëíïóöúüèê",
    "ca": "àçéèíïóòúü",
    "sv": "åäöéà",
    "da": "æøåéèêóò",
    "fi": "äöåšž",
    "et": "äöõüšž",
    "is": "áéíóúýðþæöø",
    "tr": "çğıöşüâ",
    "cs": "áčďéěíňóřšťúůýž",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "hu": "áéíóöőúüű",
    "ro": "ăâîșțşţ",
    "hr": "čćđšž",
    "lv": "āčēģīķļņšūž",
    "lt": "ąčęėįšųūž",
    "sq": "çë",
    "cy": "âêîôûŵŷ",
}
# English has words of all its neighbours.
_WESTERN = frozenset("àáâãäåæçèéêëìíîïñòóôõöøœùúûüýÿßðþšž")
_ENGLISH = re.compile(r"\b(?:the|and|of|to|is)\b", re.IGNORECASE)
_LATIN = re.compile("[À-ÖØ-öø-\u024f\ufb01\ufb02]")
_OTHER = re.compile("[\u0370-\u1fff\u3040-\ud7af]")
# So many letters are looked at, and so many different ones must there be in another script.
_LOOKED_AT, _FEWEST = 20_000, 10
# Names bring in letters of other languages; a whole text in them is no text.
_KNOWN_SHARE, _ANY_SHARE = 0.7, 0.9
# Icelandic has these, but Turkish read as Western would be full of them.
_ICELANDIC = re.compile("[ÐÝÞðýþ]")
# A dash in a word is a letter of Mac Roman read as Western, outside English.
_DASHED = re.compile("\u2013(?<=[a-z]\u2013)(?=[a-z])")
# And these are letters of any other encoding read as Mac Roman: in a word, or anywhere.
_NOT_MAC = re.compile(r"[∏∂∑∫◊]|[·®©ªº¶§†‡‰≤≥](?=[a-z])(?:(?<!\w[·®©ªº¶§†‡‰≤≥])|(?<=[a-z]·))")
# Python gives bytes that an encoding does not use characters without a meaning.
PRIVATE = re.compile("[\ue000-\uf8ff]")
# Where ISO-8859-15 has a euro sign and letters, cp1252 has signs that stand so nowhere else.
_LATIN_9 = re.compile(
    r"[¤¼½¦¨¸](?:(?<=\d¤)|(?<=\d\s¤)|(?<=¤)(?=\s?\d)"
    r"|(?<=[¼½])(?=u[a-z])|(?<=[a-z]½)(?=[a-z])|(?<=[¦¨¸])(?=[a-z]))"
)


def is_misread(text: str, encoding: str) -> bool:
    """Whether a text cannot be what its bytes mean.

    >>> is_misread("Die Strasse ist nicht weit, sagt M³ller.", "cp1252")
    True
    >>> is_misread("Die Straße ist nicht weit, sagt Müller.", "cp1252")
    False
    """
    if encoding == "cp1252" and (
        _ICELANDIC.search(text) or (_DASHED.search(text) and language.detect(text) != "en")
    ):
        return True
    if encoding == "mac_roman" and _NOT_MAC.search(text):
        return True
    if PRIVATE.search(text) or _signs().search(text):
        return True
    letters = Counter(_first(_LATIN, text).lower())
    # What few letters say, most readings say of some language.
    if len(letters) < 2 and encoding == "mac_roman" and not _is_english(text):
        return True
    if not letters:
        return 0 < len(set(_first(_OTHER, text))) < _FEWEST
    return not _has_an_alphabet(letters, text)


def is_latin_9(western: str) -> bool:
    """Whether a text read as cp1252 shows signs where ISO-8859-15 has letters or a euro sign.

    >>> is_latin_9("49,90 ¤"), is_latin_9("1½ cups")
    (True, False)
    """
    return _LATIN_9.search(western) is not None


def is_western(text: str) -> bool:
    """Whether its words are of a Western language: letters alone would not tell."""
    return language.detect(text) != "en" or _ENGLISH.search(text) is not None


def _is_english(text: str) -> bool:
    return len(_ENGLISH.findall(text[: language.SAMPLE])) > 1


def _first(kind: re.Pattern[str], text: str) -> str:
    """The first letters of some kind: enough to judge a text by."""
    return "".join(each[0] for each in islice(kind.finditer(text), _LOOKED_AT))


def _has_an_alphabet(letters: Counter[str], text: str) -> bool:
    """Whether a language has these letters of a text: its own language, where words tell it."""
    total = letters.total()

    def share(alphabet: str | frozenset[str]) -> float:
        return sum(letters[each] for each in alphabet) / total

    known = language.detect(text)
    if known in _ALPHABETS:
        # A few words may be those of a neighbour that `detect` does not know.
        several = len(letters) > 1
        own = share(_ALPHABETS[known]) >= _KNOWN_SHARE
        return own or (several and max(map(share, _ALPHABETS.values())) >= _ANY_SHARE)
    if _is_english(text) and share(_WESTERN) >= _ANY_SHARE:
        return True
    return max(map(share, _ALPHABETS.values())) >= _ANY_SHARE


@cache
def _signs() -> re.Pattern[str]:
    """Characters that stand where nobody puts them."""
    kinds: dict[str, list[str]] = {"Ll": [], "Lu": [], "other": []}
    for point in map(chr, range(0x80, 0xD800)):
        kind = unicodedata.category(point)
        if kind in kinds:
            kinds[kind].append(point)
        # Apostrophe, accent, dashes and middle dot do stand in words.
        elif (kind[0] in "SPN" or point in "ªº") and point not in "\u2019\u00b4\u2013\u2014\u00b7":
            kinds["other"].append(point)
    small, capital, other = map("".join, kinds.values())
    letter = f"a-zA-Z{small}{capital}"
    signs = "ÀÂ-ÄÆ-ÖØ-ßãäæçëìïðñõøùûüýþÿŒœŠšŽžŸ"
    # It begins with what is rare, so that the rest is passed over quickly.
    return re.compile(
        "[^\0-\x7f](?:"
        + "|".join(
            [
                # Controls, a currency sign that no keyboard has, accents without a letter.
                "(?<=[\x80-\x9f¤¨¸\u02c6-\u02db\u02dd])",
                # A capital after a small letter that is not English.
                f"(?<=[a-z{small}][{capital}])",
                # A sign in a word.
                f"(?<=[{letter}][{other}])(?=[{other}]?[a-z{small}{capital}])",
                f"(?<=[¢£¥])(?=[{small}])",
                f"(?<=[‡†¶°])(?=[{small}])",
                f"(?<=[{letter}][‚„])",
                f"(?<=[¹¾¦ªº])(?<!\\w[¹¾¦ªº])(?=[a-z{small}])",
                f"(?<=[¼½])(?=[{small}])",
                # A dash that opens a word of small Greek or Cyrillic, or Hebrew, letters.
                "(?<=[\u2013\u2014])(?<!\\S[\u2013\u2014])(?=[α-ωа-џґא-ת])",
                # The lines of a drawing.
                f"(?<=[\u2500-\u259f])(?:(?<=[{letter}].)|(?=[{letter}]))",
                # A number's sign, such as that of a currency, that became a letter.
                f"(?<=[{signs}])(?:(?<=\\d.)|(?<=\\d\\s.))(?!\\w)",
            ]
        )
        + ")"
    )
