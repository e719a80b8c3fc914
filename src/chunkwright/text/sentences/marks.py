"""The marks that end sentences, and those that close around them."""

from __future__ import annotations

# Stops of living scripts: Unicode's sentence terminators, and the ellipsis.
STOPS = ".!?…‼⁇⁈⁉‽։؞؟۔܀܁܂।॥၊။።፧፨᙮᜵᜶᠃᠉។៕。！？．｡﹒﹖﹗"
# Stops in scripts that may write no space after them.
WIDE_STOPS = "。！？．｡।॥۔؟።፧။"
QUOTES = "\"'”’»›」』`"
CLOSERS = QUOTES + ")]}*_）】］》〉｝〕"
# These close a quote in some languages and open it in others.
TWO_FACED = "“‘«‹"
BRACKETS = ")]}）】］"
# What parts clauses: with white space after it, and in scripts that write none.
CLAUSES = ",;:،؛፣፤"
WIDE_CLAUSES = "，；：、､"
COLONS = ":："
SUPERSCRIPTS = "¹²³⁰⁴⁵⁶⁷⁸⁹"
# What parts of an emoji may be its last character, below U+10000; above, `is_emoji` tells.
EMOJI = "☀☁☂☃☎☔☕☘☝☠☢☣☮☯☹☺♀♂♥♻⚡⚠⚽⚾✈✊✋✌✍✨❤⭐\ufe0f\u200d\u20e3"
FIRST_EMOJI, LAST_EMOJI = "\U0001f000", "\U0001faff"
BULLETS = "•⁃▪●◦‣"
FIRST_THAI, LAST_THAI = "\u0e01", "\u0e4e"


def is_emoji(mark: str) -> bool:
    """Whether a character is (the end of) an emoji.

    >>> is_emoji("🎉"), is_emoji("a")
    (True, False)
    """
    return FIRST_EMOJI <= mark <= LAST_EMOJI or mark in EMOJI


def is_thai(character: str) -> bool:
    """Whether a character is Thai, its digits and section marks left out.

    >>> is_thai("ก"), is_thai("1")
    (True, False)
    """
    return FIRST_THAI <= character <= LAST_THAI
