"""Whether a sentence starts at a place, judged by the few characters around it.

The judgement needs no more than the text near by, so it says the same of a place wherever a text
is parted, and costs the same everywhere.
"""

from __future__ import annotations

import re

import regex

from chunkwright.text.sentences.marks import (
    BRACKETS,
    BULLETS,
    CLAUSES,
    CLOSERS,
    COLONS,
    QUOTES,
    STOPS,
    SUPERSCRIPTS,
    TWO_FACED,
    WIDE_CLAUSES,
    is_emoji,
    is_thai,
)
from chunkwright.text.sentences.rules import Kind, Rules, rules

# A quote or bracket longer than this is cut inside: it is a speech, or nobody closed it.
LONGEST_QUOTE = 300
# How far a stop may lie before what follows it: closing marks and emoji stand between.
_MOST_MARKS = 12
_LONGEST_WORD = 24
# So far back quotes are counted.
_LONGEST_LINE = 1000
# A longer word is no abbreviation that nobody listed.
_LONGEST_UNKNOWN = 4
PAIRS = (
    ('"', '"'),
    ("“", "”"),
    ("„", "“"),
    ("«", "»"),
    ("(", ")"),
    ("[", "]"),
    ("「", "」"),
    ("『", "』"),
    ("（", "）"),
    ("《", "》"),
)
_ASCII_PAIRS = tuple(pair for pair in PAIRS if "".join(pair).isascii())
_OPENERS = "([{\"'“”„‚‘’«»‹¿¡*_`（【「『《–—-"
# Thai phrases, in characters.
_SHORT_PHRASE, _LONG_PHRASE = 5, 20
_PHRASE = re.compile(r"\S+$")
_PHRASE_AHEAD = re.compile(r"\S+")
_LIST_NUMBER = re.compile(
    r"[(\[（]?(?:[\d０-９]{1,3}(?:[.．][\d０-９]{1,3})*|[A-Za-z]|x{0,3}(?:ix|iv|v?i{0,3}))[.．)）]*",
    re.ASCII,
)
_FIRST_NUMBER = re.compile(r"[(\[（]?[1１aAi]")
_NUMERAL = re.compile(r"[+\-]?[\d.,:/]*\d")
_ROMAN = re.compile(r"[IVXLC]{1,7}|[ivxl]{1,6}")
# A letter of Indic scripts has its vowel signs with it.
_INITIALS = regex.compile(r"(?:(?:\p{L}\p{M}*){1,2}\.[-–]?)+(?:\p{L}\p{M}*){1,2}")
_SPACED_STOPS = re.compile(r"(?:\. )*\.$")
_ASIDE = re.compile(r"[(\[{][^)\]}]{1,80}[)\]}]\s*")
_PART = re.compile(r"[-'’/(\[«„“\"]")
_WORD = regex.compile(r"[\w\p{M}'’]+")
# Scripts without spaces, from Thai to Chinese; what parts words there: a wide mark, and a change
# to or from a script that has spaces.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
)
_SPACED = r"[^\W_" + _UNSPACED + "]"
_SCRIPT_CHANGE = re.compile(
    f"[\u3000-\u3004\u3008-\u303f\uff01-\uff0d\uff0f\uff1a-\uff20\uff61-\uff65]"
    f"|(?<=[{_UNSPACED}])(?={_SPACED})|(?<={_SPACED})(?=[{_UNSPACED}])"
)
_REFERENCE = re.compile(r"\[(?:\^[\w-]{1,16}|\d{1,4}(?:[,–-] ?\d{1,4})*)\]")
_NO_VOWEL = re.compile(r"[bcdfghjklmnpqrstvwxz]{3,6}", re.ASCII | re.IGNORECASE)


def is_sentence_start(
    text: str, position: int, language: str = "en", *, cased: bool = True
) -> bool:
    """Whether the stop before `position` ends a sentence, judged by what stands around it.

    Args:
        text: The text.
        position: A visible character after a stop.
        language: ISO 639-1 code.
        cased: Whether sentences of this text start with capitals.

    >>> is_sentence_start("See Mr. Fox", 8), is_sentence_start("See it. Go", 8)
    (False, True)
    """
    return judged(text, position, rules(language), cased)


def judged(text: str, position: int, known: Rules, cased: bool, *, enclosed: bool = True) -> bool:
    """`is_sentence_start` for the rules of a language.

    Args:
        text: The text.
        position: A visible character after a stop.
        known: What is known of its language.
        cased: Whether sentences of this text start with capitals.
        enclosed: Whether a quote or bracket may be open here; `False` spares a look.
    """
    before = position - 2
    if before < 0 or text[before].isspace() or text[position - 1] != " ":
        before = _last_visible(text, position)
        if before < 0:
            return False
    mark, lead = text[before], text[position]
    if mark == "." and lead.isupper():
        # By far the commonest case.
        if not _ends_sentence(text, before, position, lead, known):
            return False
        return not (enclosed and _is_quoted(text, position))
    stop = before if mark in known.stops else _stop_before(text, before, known.stops)
    if stop < 0:
        return is_thai(mark) and _starts_phrase(text, before, position, rules("th"))
    if not lead.isalnum():
        if _hangs(text, position):
            return False
        lead = _first_letter(text, position)
    lower = cased and lead.islower() and not _is_name(text, position)
    if text[stop] in ".．":
        if text[stop] == "．" and _is_decimal(text, stop):
            return False
        if lower and not _is_lead_in(text, position):
            return False
        if not _ends_sentence(text, stop, position, lead, known):
            return False
    elif lower:
        return False
    if stop != before and _goes_on(text, stop, before, position, known):
        return False
    return not (enclosed and _is_quoted(text, position))


def _last_visible(text: str, position: int) -> int:
    """The last visible character before a position, or -1."""
    position -= 1
    while position >= 0 and text[position].isspace():
        position -= 1
    return position


def _stop_before(text: str, at: int, stops: str) -> int:
    """The stop that the mark at `at` closes around, or -1."""
    for _ in range(_MOST_MARKS):
        mark = text[at]
        if mark in stops:
            return at
        if mark == "]" and (reference := _REFERENCE.fullmatch(text, _opens(text, at), at + 1)):
            at = _last_visible(text, reference.start())
        elif mark in CLOSERS or mark in TWO_FACED:
            # With white space before it a mark opens, but for these, which French keeps apart.
            apart = at > 0 and text[at - 1].isspace()
            if apart and mark not in "»›”)" and not (mark == '"' and _is_odd(text, at)):
                return -1
            at = _last_visible(text, at) if apart else at - 1
        elif is_emoji(mark):
            at = _last_visible(text, at)
        elif mark in SUPERSCRIPTS:
            at -= 1
        else:
            return -1
        if at < 0:
            return -1
    return -1


def _opens(text: str, at: int) -> int:
    """Where the square bracket that closes at `at` opens, near by."""
    return max(0, text.rfind("[", max(0, at - 20), at))


def _hangs(text: str, position: int) -> bool:
    """Whether what stands at `position` belongs to the sentence before it."""
    mark = text[position]
    after = text[position + 1 : position + 2]
    if mark in STOPS:
        # An ellipsis before a word starts what it belongs to.
        end = position
        while end < len(text) and end < position + 4 and text[end] in ".…":
            end += 1
        started = mark in ".…" and end < len(text) and text[end].isalnum()
        return not started
    if mark == '"' and after.isspace():
        return _is_odd(text, position)
    if mark in "\"'’“”»«‘*_`":
        return not after or (after.isspace() and mark != "«") or after in CLOSERS
    if mark == "[":
        return _REFERENCE.match(text, position) is not None
    if mark in CLAUSES or mark in WIDE_CLAUSES or mark == "|":
        return True
    return mark in CLOSERS or mark in SUPERSCRIPTS or is_emoji(mark)


def _is_lead_in(text: str, position: int) -> bool:
    return text[position] in ".…"


def _first_letter(text: str, position: int) -> str:
    """The first letter or digit at a position, behind opening marks; nothing if far."""
    # White space that was escaped and never unescaped.
    while text.startswith(("\\n", "\\r", "\\t"), position):
        position += 2
    for mark in text[position : position + 8]:
        if mark.isalnum():
            return mark
    return ""


def _is_name(text: str, position: int) -> bool:
    """Whether something that may start a sentence with a small letter stands at a position.

    A name such as iPhone, an address, or an aside in brackets with a capital behind it.
    """
    if text[position] in "([{":
        closed = _ASIDE.match(text, position)
        return closed is not None and _first_letter(text, closed.end()).isupper()
    if text.startswith(("http", "www."), position):
        return True
    return any(mark.isupper() for mark in text[position + 1 : position + 3])


def _next_word(text: str, position: int) -> str:
    while position < len(text) and text[position] in _OPENERS:
        position += 1
    found = _WORD.match(text, position, position + _LONGEST_WORD)
    return found[0] if found else ""


def _ends_sentence(text: str, stop: int, position: int, lead: str, known: Rules) -> bool:
    """Whether the full stop at `stop` ends a sentence, where what follows could start one."""
    if stop == 0 or text[stop - 1] in STOPS:
        return True
    if text[stop - 1].isspace():
        if text[stop - 2 : stop - 1] != ".":
            return True
        # Of spaced stops, three are an ellipsis; with a fourth the sentence ends.
        spaced = _SPACED_STOPS.search(text, max(0, stop - 9), stop + 1)
        return spaced is None or len(spaced[0]) != len(". . .")
    low = max(0, stop - _LONGEST_WORD)
    word = text[max(low, text.rfind(" ", low, stop) + 1) : stop]
    if not word.isascii():
        word = _SCRIPT_CHANGE.split(word)[-1]
    if word and not word.isalpha():
        word = word.split()[-1].lstrip(_OPENERS + BULLETS)
    if not word:
        return True
    key = word.lower()
    kind = known.kinds.get(key)
    if kind is not None and text[stop - len(word) - 2 : stop - len(word)] == ". ":
        # Several words say more than the last of them: "n. u. Z.", where "z" alone ends nothing.
        names = _joined(text, stop - len(word), key)
        kind = next((known.kinds[name] for name in names if name in known.kinds), kind)
    if kind is None and known.endings:
        kind = known.kind(key)
    if kind is None:
        if len(word) > _LONGEST_UNKNOWN and known.complete and word.isalpha():
            return True
        kind = _kind(text, stop, word, key, known)
    if kind is None and lead.isupper() and _looks_abbreviated(word):
        kind = Kind.EITHER
    if kind is None or kind is Kind.WORD:
        return True
    if kind is Kind.LAST:
        return not lead.isdigit() and not lead.islower()
    follows = _next_word(text, position)
    starter = _is_starter(follows, known)
    if starter and len(follows) < 4:
        # An initial, or after one a surname like a pronoun: "A. I. Berg", "K. He, J. Wu".
        end = text.find(follows, position) + len(follows)
        mark = text[end : end + 1]
        starter = not (mark == "." and len(follows) == 1) and not (mark == "," and len(word) == 1)
    if kind is Kind.EITHER:
        return starter
    if kind is Kind.NUMBER and len(word) == 1:
        return starter
    if kind is Kind.NUMBER:
        return starter or not (
            lead.isdigit()
            or len(follows) == 1
            or _ROMAN.fullmatch(follows)
            or text[position] in "§#"
        )
    return False


def _looks_abbreviated(word: str) -> bool:
    """Whether a word has no vowel, as no word that is spelled out, and is no acronym."""
    return len(set(word)) > 1 and not word.isupper() and _NO_VOWEL.fullmatch(word) is not None


def _is_starter(word: str, known: Rules) -> bool:
    if not word or word[0].islower():
        return False
    small = word.lower().replace("’", "'")
    if small in known.starts:
        return True
    head, mark, _ = small.partition("'")
    return bool(mark) and head + mark in known.starts


def _kind(text: str, stop: int, word: str, key: str, known: Rules) -> Kind | None:
    """What is known of a word that is not listed as it stands."""
    start = stop - len(word)
    joined = _joined(text, start, key)
    for name in joined:
        if (kind := known.kind(name)) is not None:
            return kind
    part = _PART.split(key)[-1]
    if part != key and (kind := known.kind(part)) is not None:
        return kind
    if _is_list_number(text, start, stop, known):
        return Kind.INSIDE
    if _NUMERAL.fullmatch(word):
        if not known.ordinals:
            return None
        return Kind.EITHER if word.isdigit() and len(word) <= 3 else None
    if len(word) == 1 or _INITIALS.fullmatch(word):
        return Kind.EITHER if word[0].isalpha() else None
    if known.ordinals and _ROMAN.fullmatch(word) and word.isupper():
        return Kind.EITHER
    if not known.complete and known.is_abbreviated(word):
        return Kind.EITHER
    return None


def _joined(text: str, start: int, key: str) -> list[str]:
    """An abbreviation of several words that ends in the one at `start`, longest first: z.b."""
    found: list[str] = []
    for _ in range(3):
        end = _last_visible(text, start)
        if end < 0 or text[end] != "." or "\n" in text[end:start]:
            break
        before = text[max(0, end - 6) : end].split()
        if not before or text[end - 1].isspace() or len(before[-1]) > 5:
            break
        start = end - len(before[-1])
        key = f"{before[-1].lstrip(_OPENERS).lower()}.{key}"
        found.insert(0, key)
    return found


def _is_list_number(text: str, start: int, stop: int, known: Rules) -> bool:
    """Whether the word at `start` is the number of a list item, at the start of a sentence."""
    if not _LIST_NUMBER.fullmatch(text, start, stop):
        return False
    number = start
    while start > 0 and text[start - 1] in " \t\u3000":
        start -= 1
    if start == 0 or text[start - 1] in BULLETS + "\r\n":
        return True
    if text[start - 1] in COLONS and _FIRST_NUMBER.fullmatch(text, number, stop):
        return True
    if text[start - 1] not in known.stops:
        return False
    # "fig. 3." is no list.
    before = text[max(0, start - _LONGEST_WORD) : start - 1].split()
    kind = known.kind(before[-1].lstrip(_OPENERS).lower()) if before else None
    return kind is None or kind is Kind.WORD


def _is_decimal(text: str, stop: int) -> bool:
    return text[stop - 1 : stop].isdigit() and text[stop + 1 : stop + 2].isdigit()


def _goes_on(text: str, stop: int, before: int, position: int, known: Rules) -> bool:
    """Whether a sentence goes on after the marks that close around its stop."""
    marks = text[stop + 1 : before + 1]
    if any(mark in BRACKETS for mark in marks) and _is_aside(text, stop):
        return True
    if not any(mark in QUOTES or mark in TWO_FACED for mark in marks):
        return False
    if known.after_quotes and text.startswith(known.after_quotes, position):
        return True
    if known.speech and _is_said(text, position, known.speech):
        return True
    # A source in brackets after a quote, with the full stop behind it.
    if text[position] != "(":
        return False
    end = text.find(")", position, position + 80)
    return end > 0 and text[end + 1 : end + 2] in ".,;"


def _is_aside(text: str, stop: int) -> bool:
    """Whether the stop is no end: of "(really?)" and "[...]" in the middle of a sentence."""
    opener = max(text.rfind(mark, max(0, stop - LONGEST_QUOTE), stop) for mark in "([（")
    if opener <= 0:
        return False
    before = _last_visible(text, opener)
    if before < 0 or text[before] in STOPS or text[before] in CLOSERS:
        return False
    return text[stop] != "." or not text[opener + 1 : stop].strip(". ")


def _is_said(text: str, position: int, verbs: tuple[str, ...]) -> bool:
    """Whether a few characters on somebody says what was quoted."""
    tag = text[position : position + 6]
    for at, mark in enumerate(tag):
        if not mark.isalpha():
            return False
        if tag.startswith(verbs, at):
            # With a colon behind it, it says what follows.
            return not re.search("[:：]", text[position + at : position + at + 4])
    return False


def _is_quoted(text: str, position: int) -> bool:
    """Whether a position lies inside a quote or bracket of moderate length."""
    low, high = max(0, position - LONGEST_QUOTE), position + LONGEST_QUOTE
    for opener, closer in _ASCII_PAIRS if text.isascii() else PAIRS:
        at = text.rfind(opener, low, position)
        if at < 0:
            continue
        if opener == closer:
            if not _is_opening(text, at):
                continue
        elif (
            text.rfind(closer, at, position) >= 0
            or (opener == "“" and text.rfind("„", low, at) > text.rfind("“", low, at))
            or (opener == "«" and not _is_opening(text, at))
        ):
            continue
        end = text.find(closer, position, min(high, at + LONGEST_QUOTE))
        if end > position:
            return True
    return False


def _is_opening(text: str, at: int) -> bool:
    """Whether a mark that both opens and closes quotes opens one here."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if before and not before.isspace() and before not in _OPENERS + "/:=>":
        return False
    if not after or (after.isspace() and text[at] == '"'):
        return not _is_odd(text, at)
    return True


def _is_odd(text: str, at: int) -> bool:
    """Whether a quote that stands alone closes one: an odd number stands before it in its line."""
    low = max(0, at - _LONGEST_LINE)
    return text.count('"', max(low, text.rfind("\n", low, at)), at) % 2 == 1


def _longest(text: str, position: int, words: frozenset[str]) -> int:
    """The length of the longest of some words that stands at a position; 0 if none does."""
    for length in range(_LONG_PHRASE, 0, -1):
        if text[position : position + length] in words:
            return length
    return 0


def _starts_phrase(text: str, before: int, position: int, known: Rules) -> bool:
    """Whether a Thai sentence starts after the white space between two Thai phrases.

    Where no word tells, two long phrases are sentences; names and lists have short ones.
    """
    if not is_thai(text[position]) or text[before] in "\u0e2f\u0e46":
        return False
    phrase = _PHRASE.search(text, max(0, before + 1 - 2 * _LONG_PHRASE), before + 1)
    last = phrase[0] if phrase else ""
    # A word that starts sentences has nothing behind it yet.
    if last in known.starts or last.endswith(known.leads):
        return False
    start, join = _longest(text, position, known.starts), _longest(text, position, known.joins)
    if join > start:
        return False
    if start or last.endswith(known.finals):
        return len(last) >= _SHORT_PHRASE
    follows = _PHRASE_AHEAD.match(text, position, position + _LONG_PHRASE)
    return len(last) >= _LONG_PHRASE and follows is not None and len(follows[0]) >= _LONG_PHRASE
