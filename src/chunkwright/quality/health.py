"""Rules of text health: what was broken before anybody cut it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import regex
from numpy.typing import NDArray

from chunkwright.quality.rule import Hits, Rule, Severity, Thresholds
from chunkwright.quality.structure import fenced
from chunkwright.quality.view import View
from chunkwright.spans import Integers, merged
from chunkwright.text.characters import CodePoints

_REPLACEMENT = regex.compile("\N{REPLACEMENT CHARACTER}+")
# Marks of UTF-8 that was read as something else, or of a text that was so twice. What is found
# here ftfy then judges: it knows which of these really occur.
_LEADS = "ÂÃÐÑØÙÎÏâãäåæçèé" + "".join(map(chr, range(0x80, 0xA0)))
_SUSPECT = regex.compile(
    r"[\u0080-\u009f]|[ÂÃÐÑØÙÎÏâãäåæçèé][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|Ã\s"
)
_AROUND = 40
# A word that a line end has parted, from the hyphen on. "Short- and long-term" is none.
_HYPHENATED = regex.compile(
    r"[-\u00ad\u2010][ \t]*\r?\n[ \t]*(?<=\p{Ll}{2}[-\u00ad\u2010]\s*)"
    r"(?!(?:and|or|to|und|oder|bis|et|ou|y|o|e|en|of)\b)\p{Ll}{2,}"
)
# These often keep their hyphen: "non-linear".
_PREFIX = regex.compile(
    "(?:all|anti|co|cross|ex|half|high|inter|intra|long|low|mid|multi|non|over|post|pre|quasi|self"
    "|semi|short|sub|time|well)",
    regex.IGNORECASE,
)
_WORD_BEFORE = regex.compile(r"(?r)\p{L}+")
# Long unbroken runs of what base64, keys and minified code are made of.
_LONG = 120
# Minified code has a few spaces: it is a long line with little else but signs and short names.
_LONG_LINE = 200
_BASE64 = regex.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_ADDRESS = regex.compile(r"https?:|www\.|[A-Za-z]:\\|\.{20,}|-{20,}|={20,}|_{20,}|\*{20,}|#{20,}")
# Where scripts lie among the code points; Chinese, Japanese and Korean mix theirs.
_SCRIPTS: dict[str, tuple[tuple[int, int], ...]] = {
    "Latin": ((0x41, 0x5B), (0x61, 0x7B), (0xC0, 0x250), (0x1E00, 0x1F00)),
    "Greek": ((0x370, 0x400), (0x1F00, 0x2000)),
    "Cyrillic": ((0x400, 0x530),),
    "Armenian": ((0x530, 0x590),),
    "Hebrew": ((0x590, 0x600),),
    "Arabic": ((0x600, 0x700), (0x750, 0x780), (0xFB50, 0xFE00), (0xFE70, 0xFF00)),
    "Devanagari": ((0x900, 0x980),),
    "Thai": ((0xE00, 0xE80),),
    "East Asian": ((0x1100, 0x1200), (0x3040, 0x3130), (0x3400, 0xA000), (0xAC00, 0xD7B0)),
}


def _first_in_each(view: View, spans: list[tuple[int, int]], detail: str = "") -> Hits:
    """The first of some spans in each chunk that has one, cut to the chunk; how many if several."""
    if not spans or not len(view):
        return Hits()
    places: Integers = np.array(spans, np.int64)
    first = np.searchsorted(places[:, 1], view.starts, side="right")
    last = np.searchsorted(places[:, 0], view.ends)
    chunks = np.flatnonzero(first < last)
    at = first[chunks]
    counts = (last - first)[chunks].tolist()
    details = tuple(f"{count} in this chunk" if count > 1 else detail for count in counts)
    starts = np.maximum(places[at, 0], view.starts[chunks])
    ends = np.minimum(places[at, 1], view.ends[chunks])
    return Hits(chunks, starts, ends, details if any(details) else ())


def _replacement_character(view: View, _limits: Thresholds) -> Hits:
    return _first_in_each(view, [found.span() for found in _REPLACEMENT.finditer(view.text)])


REPLACEMENT_CHARACTER = Rule(
    code="T501",
    name="replacement-character",
    label="replacement character",
    severity=Severity.ERROR,
    why="Letters were lost when the file was decoded; no search for the word finds it.",
    bad="The M\N{REPLACEMENT CHARACTER}ller lamp blinks.",
    good="The Müller lamp blinks.",
    find=_replacement_character,
)


def _mojibake(view: View, _limits: Thresholds) -> Hits:
    if view.text.isascii():
        return Hits()
    from ftfy.badness import is_bad

    spans: list[tuple[int, int]] = []
    points = view.analysis.points
    # Looked up as an array: a pattern would try every letter of a long text.
    for at in np.flatnonzero(_may_lead()[np.minimum(points, 0x100)]).tolist():
        found = _SUSPECT.match(view.text, at)
        if found and is_bad(view.text[max(0, at - _AROUND) : found.end() + _AROUND]):
            spans.append(found.span())
    return _first_in_each(view, spans)


@cache
def _may_lead() -> NDArray[np.bool_]:
    """Whether mojibake may start with a code point; the last one stands for all above."""
    table = np.zeros(0x101, np.bool_)
    table[[ord(each) for each in _LEADS]] = True
    return table


MOJIBAKE = Rule(
    code="T502",
    name="mojibake",
    label="mojibake",
    severity=Severity.ERROR,
    why="The file was read with the wrong encoding: words with accents cannot be found.",
    bad="Die StraÃŸe zur MÃ¼hle ist gesperrt.",
    good="Die Straße zur Mühle ist gesperrt.",
    find=_mojibake,
)


def _is_broken(text: str, first: str, second: str) -> bool:
    """Whether a text writes the two parts of a word as one, or at least never with a hyphen."""
    if first + second in text:
        return True
    return not _PREFIX.fullmatch(first) and f"{first}-{second}" not in text


def _broken_hyphenation(view: View, _limits: Thresholds) -> Hits:
    text = view.text
    spans: list[tuple[int, int]] = []
    for found in _HYPHENATED.finditer(text):
        start = _WORD_BEFORE.search(text, 0, found.start()).start()
        if _is_broken(text, text[start : found.start()], found[0].split()[-1]):
            spans.append((start, found.end()))
    if spans:
        fences = fenced(view)  # code parts lines where it likes
        at = np.searchsorted(fences[:, 0], [start for start, _ in spans], side="right") - 1
        spans = [
            span
            for span, row in zip(spans, at.tolist(), strict=True)
            if row < 0 or span[0] >= fences[row, 1]
        ]
    return _first_in_each(view, spans)


BROKEN_HYPHENATION = Rule(
    code="T503",
    name="broken-hyphenation",
    label="broken hyphenation",
    severity=Severity.NOTE,
    why="A word that a line end has parted is two words to a search, and neither is the right one.",
    bad="The lamp needs a connec-\ntion to the hub.",
    good="The lamp needs a connection\nto the hub.",
    find=_broken_hyphenation,
)


def _is_coded(run: str) -> bool:
    """Whether an unbroken run is base64, a key or the like."""
    if _ADDRESS.search(run) or not _BASE64.fullmatch(run):
        return False
    return len(set(run)) > 20 and any(map(str.isdigit, run))


def _is_minified(line: str) -> bool:
    spaces = line.count(" ")
    if spaces >= len(line) / 12 or not line.isascii() or _ADDRESS.search(line):
        return False  # nearly every line has more spaces
    return sum(not each.isalnum() for each in line) - spaces > len(line) / 8


def _blob(view: View, _limits: Thresholds) -> Hits:
    text, runs = view.text, view.analysis.runs
    long = np.flatnonzero(runs.ends - runs.starts >= _LONG)
    found = list(zip(runs.starts[long].tolist(), runs.ends[long].tolist(), strict=True))
    spans = [span for span in found if _is_coded(text[slice(*span)])]
    spans += [span for span in _long_lines(view) if _is_minified(text[slice(*span)])]
    return _first_in_each(view, sorted(spans))


def _long_lines(view: View) -> list[tuple[int, int]]:
    """Lines of more than so many characters, from the first that can be seen."""
    # Found by where lines start: an expression would begin anew at every character.
    edges = np.append(view.analysis.line_starts, len(view.text))
    long = np.flatnonzero(np.diff(edges) > _LONG_LINE)
    found = []
    for low, high in zip(edges[long].tolist(), edges[long + 1].tolist(), strict=True):
        line = view.text[low:high].rstrip("\r\n")
        start = len(line) - len(line.lstrip())
        if len(line) - start > _LONG_LINE:
            found.append((low + start, low + len(line)))
    return found


BLOB = Rule(
    code="T504",
    name="blob",
    label="base64 or minified code",
    severity=Severity.WARNING,
    why="Hundreds of tokens without a word in them; its vector lies anywhere.",
    bad=(
        "Logo: iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4AAAw4eHh6GQUOx"
        "CAMKOdC2QYmTjVQ3xyI9vPqQZT1uXbW8nKeLrFhMg5DzaiYp0JtEwSuX7BkQ2V4R1e"
    ),
    good="Logo: a lamp in a circle.",
    find=_blob,
)


def _by_script(points: CodePoints) -> Iterator[tuple[str, Integers]]:
    """Where the letters of each script stand."""
    # Most texts have few characters that are not ASCII, whose only letters are Latin.
    beyond = np.flatnonzero(points > 127)
    rare = points[beyond]
    for name, ranges in _SCRIPTS.items():
        inside = np.zeros(len(rare), np.bool_)
        for low, high in ranges:
            inside |= (rare >= low) & (rare < high)
        places = beyond[inside]
        if name == "Latin":
            places = merged(places, np.flatnonzero((points | 32) - 97 < 26))
        yield name, places


def _wrong_script(view: View, limits: Thresholds) -> Hits:
    if view.text.isascii() or not len(view):
        return Hits()
    letters = np.zeros(len(view), np.int64)
    foreign = np.zeros(len(view), np.int64)
    totals: dict[str, int] = {}
    counts: dict[str, Integers] = {}
    for name, places in _by_script(view.analysis.points):
        first, last = np.searchsorted(places, view.starts), np.searchsorted(places, view.ends)
        totals[name], counts[name] = len(places), last - first
    for name, count in counts.items():
        letters += count
        if totals[name] < limits["own"] * sum(totals.values()):
            foreign += count
    chunks = np.flatnonzero((letters >= limits["letters"]) & (foreign >= limits["share"] * letters))
    return Hits(chunks, view.starts[chunks], view.ends[chunks])


WRONG_SCRIPT = Rule(
    code="T505",
    name="wrong-script",
    label="other script than the document's",
    severity=Severity.NOTE,
    why="Either it was decoded wrongly, or questions in the document's language cannot find it.",
    bad="A chunk in Cyrillic letters in a manual that is otherwise in English.",
    good="The manual in English, its translation in a file of its own.",
    find=_wrong_script,
    thresholds={"own": 0.15, "share": 0.6, "letters": 20},
)
