"""The language of a text, from its script and its commonest words."""

from __future__ import annotations

import re
from collections import Counter

# Words that are common in one language and rare in the others.
_COMMON = {
    "en": "the and of to is that it with for was you are this from",
    "de": "der die das und ist nicht ein eine mit den von zu auf wird",
    "fr": "le les des est une dans que pour qui pas vous nous avec sur",
    "es": "el los las una que por con para del se como más pero es",
    "it": "il che di per una non sono con della gli del più anche è",
    "pt": "que não uma os para com por mais dos como mas foi ao são",
    "pl": "się nie jest że na do jak ale oraz przez który są był jego tak",
    "nl": "het een van en niet dat zijn voor met op aan wordt ook naar",
    "da": "og er ikke til af jeg også være hvad hvor når meget noget nogle blive eller",
}
_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("hy", re.compile("[\u0530-\u058f]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
)
# The letters of all these scripts.
_FOREIGN = re.compile("[\u0370-\u0e7f\u3040-\ud7af]+")
_LETTER = re.compile(r"[^\W\d_]")
# This much of a text is looked at.
SAMPLE = 4000
_FEWEST = 2


def detect(text: str) -> str:
    """ISO 639-1 code of a text's language; `en` where nothing tells otherwise.

    >>> detect("Die Lampe ist nicht mit dem Netz verbunden."), detect("東京の天気")
    ('de', 'ja')
    """
    sample = text[:SAMPLE]
    if foreign := "".join(_FOREIGN.findall(sample)):
        letters = len(_LETTER.findall(sample))
        for language, script in _SCRIPTS:
            share = 0.05 if language == "ja" else 0.3
            if letters and len(script.findall(foreign)) >= share * letters:
                return language
    counts = Counter(re.findall(r"\w+", sample.lower()))
    best, most = "en", 0
    for language, common in _WORDS.items():
        count = sum(counts[word] for word in common)
        if count > most:
            best, most = language, count
    # One or two words may be anybody's.
    return best if most >= _FEWEST else "en"
