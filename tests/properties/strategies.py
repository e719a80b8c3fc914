"""Hostile texts and setups for the property tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import chain

from hypothesis import strategies as st

from chunkwright.setup import Setup
from chunkwright.text.payloads import payloads
from chunkwright.text.tokens import TokenCounter, TokenizerCounter

STRATEGIES = ("fixed", "sentence", "recursive", "header", "markdown")
NAMES = st.sampled_from(["note.md", "note.md", "note.txt", "note.py"])

# --- texts ---------------------------------------------------------------------------------------

SPACES = [
    " ", "  ", "\t", "\n", "\n\n", "\r\n", "\r\n\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\xa0",
    "\u1680", "\u2003", "\u2028", "\u2029", "\u202f", "\u3000", " \n \n ",
]  # fmt: skip
# Of no width, or nothing that a reader sees; none of them is white space.
INVISIBLE = [
    "\ufeff", "\x00", "\x1b", "\x7f", "\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufffd",
    "\u202a", "\u202b", "\u202e", "\u202c", "\u2066", "\u2067", "\u2069", "\ufe0f", "\U000e0067",
]  # fmt: skip
CLUSTERS = [
    "e\u0301", "a\u0323\u0307", "\u0301", "o" + "\u0302\u0301" * 6, "👩‍🚀", "👨‍👩‍👧‍👦", "👍🏽", "❤️",
    "1️⃣",
    "🇩🇪", "🇫", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "각",
    "\u1100\u1161\u11a8", "\u1100", "\u11a8", "क्षि", "नमस्ते", "กำลัง", "น้ำ", "བོད", "\u0600\u0661",
    "שָׁלוֹם", "مَرْحَبًا", "ক্ষ", "𝒳", "\U0002a6a5",
]  # fmt: skip
PROSE = [
    "Sentence one here. ", "Another follows it! ", "Is it so? ", "lower start ", "It also works. ",
    "They run at 3.14 km/h, e.g. Mr. Fox (see no. 7). ", '"Stop." he said. ', "“Well…” ", "word ",
    "東京。", "今日は晴れです。", "这是一个没有空格的句子，还有更多。", "กำลังทำงานอยู่ที่บ้าน",
    "यह एक वाक्य है। ",
    "مرحبا بالعالم. كيف حالك؟ ", "שלום עולם. ", "Ärger über Öl? ", "ΟΔΟΣ. ", "İstanbul. ", "ß ",
    "abc \u202bשלום\u202c def. ", "$3.99 ", "1. ", "1) ", "a.b@c.de ", "https://x.org/a?b=c#d ",
    "v1.2.3 ", "a—b ", "well-known ", "don't ", "x_y_z ", "`a | b` ", "**bold.** ", "[a](b) ",
]  # fmt: skip
UNBROKEN = [
    "x", "ab", "0123456789", "aGVsbG8gd29ybGQ", '{"a":[1,2]},', "=", ".", "-", "é", "東", "。",
    "ก", "한", "क", "م", "👍🏽", "🇩🇪", "👩‍🚀", "e\u0301", "\u0301", "\u200d", "<|endoftext|>", "/",
    "\\",
]  # fmt: skip
MARKUP = [
    "# H\n", "## Sub\n", "###### Deep ######\n", "#\n", "#no\n", "Title\n===\n", "Sub\n---\n",
    "---\n", "***\n", "```\n", "````\n", "```py\n", "~~~\n", "    code\n", "\tcode\n", "- ", "* ",
    "1. ", "  - ", "> ", ">> ", "| a | b |\n", "|---|---|\n", "|:-:|\n", "| `a|b` | c\\|d |\n",
    "<div>\n", "</div>\n", "<!-- ", " -->\n", "<pre>\n", "<script>\n", "[^1]: ", "[a]: /u 'T'\n",
    "[a]: <", "\\\n", "+++\n", "title: Trip\n", "$$\n", "&amp;", "<br>", "![](", "- [ ] ",
]  # fmt: skip
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|fim_prefix|>", "</s>", "[CLS]", "[SEP]", "[PAD]"]
# As long as a payload that is worth leaving out, and a little shorter.
PAYLOADS = [
    "data:image/png;base64," + "iVBORw0KGgo" * 12 + "=",
    "![x](data:image/png;base64," + "QUJD" * 40 + ") ",
    "data:text/plain;base64," + "QUJD" * 10,
    "data:;base64," + "A" * 99,
    "data:;base64," + "A" * 100,
]
PIECES = [*SPACES, *SPACES, *INVISIBLE, *CLUSTERS, *PROSE, *PROSE, *UNBROKEN, *MARKUP, *SPECIAL]
PIECES += ["(", ")", '"', "'", "“", "”", "«", "x" * 40, ". ", "! ", "? ", "...", ", ", "; ", "a"]


def pieces(most: int = 60) -> st.SearchStrategy[str]:
    """Anything beside anything."""
    piece = st.sampled_from(PIECES)
    several = st.lists(piece, max_size=most // 3) | st.lists(
        piece, min_size=most // 4, max_size=most
    )
    return several.map("".join)


def runs() -> st.SearchStrategy[str]:
    """Long stretches of one thing between a few others."""
    stretch = st.builds(
        lambda piece, times: piece * times,
        st.sampled_from([*UNBROKEN, *UNBROKEN, *CLUSTERS, *SPACES, *MARKUP, *INVISIBLE]),
        st.integers(2, 90),
    )
    other = st.sampled_from([*PROSE, *SPACES, *PAYLOADS])
    return st.lists(stretch | other, min_size=1, max_size=6).map("".join)


_INLINE = st.lists(st.sampled_from([*PROSE, *PROSE, *CLUSTERS, *SPECIAL, " "]), max_size=8).map(
    lambda found: "".join(found).strip() or "text"
)
_LINES = st.lists(_INLINE, min_size=1, max_size=4)
_CELLS = [
    "a",
    "",
    "`x|y`",
    "p\\|q",
    "**b**",
    "東京",
    "👩‍🚀",
    "long words in a cell",
    "1.5",
    "It is.",
]


@st.composite
def _heading(draw: st.DrawFn) -> list[str]:
    title = draw(_INLINE | st.sampled_from(["", "Lamp", "東京都庁の歩き方", "A > B", "x" * 150]))
    if draw(st.integers(0, 3)):
        return [
            f"{'#' * draw(st.integers(1, 6))} {title}{draw(st.sampled_from(['', ' #', ' ##']))}"
        ]
    return [title, draw(st.sampled_from(["===", "---", "="]))]


@st.composite
def _fence(draw: st.DrawFn) -> list[str]:
    mark = draw(st.sampled_from(["```", "````", "~~~"]))
    inner = st.sampled_from(
        [
            "# no heading",
            "```",
            "~~~",
            "x = 1",
            "  if y:",
            "",
            "",
            "| a |",
            "s = '" + "Q" * 60 + "'",
        ]
    )
    close = [mark] if draw(st.integers(0, 4)) else []
    info = draw(st.sampled_from(["", "py", " {.a #b}"]))
    return [mark + info, *draw(st.lists(inner, max_size=7)), *close]


@st.composite
def _table(draw: st.DrawFn) -> list[str]:
    wide = draw(st.integers(1, 4))
    cell = st.sampled_from(_CELLS)

    def row() -> str:
        return f"| {' | '.join(draw(st.lists(cell, min_size=wide, max_size=wide)))} |"

    dashes = "|" + "|".join(draw(st.sampled_from(["---", ":-:", "-"])) for _ in range(wide)) + "|"
    return [row(), dashes, *(row() for _ in range(draw(st.integers(0, 9))))]


@st.composite
def _listing(draw: st.DrawFn, inside: st.SearchStrategy[list[str]]) -> list[str]:
    mark = draw(st.sampled_from(["- ", "* ", "1. ", "10) ", "- [ ] "]))
    found: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        first, *others = draw(inside) or [""]
        found.append(mark + first)
        found.extend(" " * len(mark) + line if line else "" for line in others)
        if not draw(st.integers(0, 3)):
            found.append("")
    return found


@st.composite
def _quote(draw: st.DrawFn, inside: st.SearchStrategy[list[str]]) -> list[str]:
    lines = [f"> {line}" for line in draw(inside)]
    return [*lines, draw(_INLINE)] if draw(st.booleans()) else lines  # goes on lazily


_HTML = st.sampled_from(
    [
        ["<div>", "# in HTML", "", "**md**", "</div>"],
        ["<!-- open", "", "# hidden"],
        ["<table><tr><td>a</td></tr></table>"],
        ["<pre>", "  kept", "", "  too", "</pre>"],
        ["<details><summary>S</summary>", "", "- a", "", "</details>"],
        ["<br/>"],
    ]
)
_ODDS = st.sampled_from(
    [
        ["---"], ["* * *"], [""], ["", "", ""], ["[a]: https://x.org 'Title'"], ["[^1]: A note."],
        ["[^2]: One.", "", "    Two, indented."], ["    indented", "", "    code"], ["$$", "x"],
        ["\f"], ["Steps:"], ["![x](data:image/png;base64," + "iVBORw0KGgo" * 12 + "=)"], ["\ufeff"],
        ["+++", "a = 1", "+++"], ["{{< short code >}}"], ["\\# not a heading"], ["#"], [":::note"],
    ]
)  # fmt: skip
_LEAVES = st.one_of(_LINES, _heading(), _LINES, _fence(), _table(), _HTML, _ODDS)
_BLOCKS = st.recursive(
    _LEAVES,
    lambda inside: st.one_of(
        _listing(inside),
        _quote(inside),
        st.lists(inside, min_size=1, max_size=3).map(lambda found: [*chain.from_iterable(found)]),
    ),
    max_leaves=6,
)
_MATTERS = [
    "---\ntitle: Trip\ntags: [a, b]\n---\n",
    "\ufeff---\ntitle: 'A: B'\n---\n",
    "+++\ntitle = \"T\"\n+++\n",
    "---\nnot closed\n",
    "---\n---\n",
    "---\ntitle: x\n---",
]  # fmt: skip


@st.composite
def markdown(draw: st.DrawFn) -> str:
    """A document with structure, nested and broken."""
    matter = draw(st.sampled_from(["", "", "", *_MATTERS]))
    found = draw(st.lists(_BLOCKS, max_size=9))
    gaps = [draw(st.sampled_from(["\n\n", "\n\n", "\n", "\n\n\n\n"])) for _ in found]
    text = matter + "".join("\n".join(block) + gap for block, gap in zip(found, gaps, strict=True))
    line_end = draw(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"]))
    return text.replace("\n", line_end)


def texts(most: int = 60) -> st.SearchStrategy[str]:
    """Hostile texts of every kind."""
    anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=most)
    return st.one_of(pieces(most), markdown(), runs(), markdown(), anything)


# --- counters ------------------------------------------------------------------------------------


@cache
def _words_and_parts() -> TokenCounter:
    """As BERT's: lower case, no accents, words parted into pieces."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    parts = [chr(point) for point in range(33, 127)]
    known = ["[UNK]", "sentence", "word", "the", *parts, *(f"##{part}" for part in parts)]
    model = models.WordPiece({part: at for at, part in enumerate(known)}, unk_token="[UNK]")
    made = Tokenizer(model)
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return TokenizerCounter(made, "words and parts")


@cache
def _marked_spaces() -> TokenCounter:
    """As SentencePiece's: a space is a character of its own, and one is put first."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    pairs = [("▁", "w"), ("o", "r"), ("▁w", "or"), ("t", "e"), ("e", "n")]
    letters = [*map(chr, range(33, 127)), "▁"]
    known = ["<unk>", *letters, *(first + second for first, second in pairs)]
    vocabulary = {part: at for at, part in enumerate(known)}
    made = Tokenizer(models.BPE(vocabulary, pairs, unk_token="<unk>", fuse_unk=True))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    return TokenizerCounter(made, "marked spaces")


COUNTERS: dict[str, Callable[[], TokenCounter | Callable[[str], int] | None]] = {
    "own": lambda: None,
    "letters": lambda: len,
    "bytes": lambda: lambda text: len(text.encode()),
    "quarters": lambda: lambda text: -(-len(text) // 4),
    "words": lambda: lambda text: len(text.split()),
    "framed words": lambda: lambda text: len(text.split()) + 2,  # a start and an end token
    "words and parts": _words_and_parts,
    "marked spaces": _marked_spaces,
}
TELLS_PLACES = ("own", "words and parts", "marked spaces")


# --- setups --------------------------------------------------------------------------------------

SIZES = st.integers(1, 12) | st.integers(8, 60) | st.integers(40, 400)


def _one_in(draw: st.DrawFn, several: int) -> bool:
    return draw(st.integers(1, several)) == several


@st.composite
def setups(draw: st.DrawFn, strategy: str = "") -> Setup:
    """Any valid setup of the built-in strategies, or of one."""
    strategy = strategy or draw(st.sampled_from(STRATEGIES))
    unit = draw(st.sampled_from("cwts" if strategy in ("sentence", "header") else "cwt"))
    size = draw(st.integers(1, 6) if unit == "s" else SIZES)
    text = f"{strategy}:{size}{unit}"
    kind = draw(st.sampled_from(["none", "own", "own", "percent", "other"]))
    if kind == "own" and size > 1:
        text += f"+{draw(st.integers(1, size - 1))}{unit}"
    elif kind == "percent":
        text += f"+{draw(st.integers(1, 99))}%"
    elif kind == "other" and strategy != "fixed":
        other = draw(st.sampled_from([letter for letter in "cwts" if letter != unit]))
        text += f"+{draw(st.integers(1, 3) | st.integers(1, 80))}{other}"
    if _one_in(draw, 3):
        text += "|headers"
    if _one_in(draw, 3):
        wide = draw(st.sampled_from("cwt"))
        least = size + 1 if wide == unit else 1
        sized = f"{draw(st.integers(least, least + 300))}{wide}"
        text += f"|parents={draw(st.sampled_from(['section', 'document', sized, sized]))}"
    if _one_in(draw, 4):
        text += "|repair"
    if _one_in(draw, 4):
        own = draw(st.booleans())
        other = draw(st.sampled_from([letter for letter in "cwts" if letter != unit]))
        least = draw(st.integers(1, size) if own else st.integers(1, 40))
        text += f"|min={least}{unit if own else other}"
    if _one_in(draw, 4):
        text += "|strip=no"
    return Setup.parse(text)


@dataclass(frozen=True)
class Case:
    """A document, a setup and a token counter: everything that a cut depends on."""

    name: str
    text: str
    setup: Setup
    counter: str = "own"


@st.composite
def cases(draw: st.DrawFn, strategy: str = "", text: st.SearchStrategy[str] | None = None) -> Case:
    """Any text under any setup."""
    setup = draw(setups(strategy))
    known = TELLS_PLACES if setup.strategy == "fixed" else tuple(COUNTERS)
    in_tokens = "tokens" in (setup.unit, setup.overlap_unit, setup.minimum_unit)
    in_tokens = in_tokens or (setup.parents.endswith("t") and setup.parents != "document")
    counter = draw(st.sampled_from(["own", "own", *known] if in_tokens else ["own"]))
    return Case(draw(NAMES), draw(texts() if text is None else text), setup, counter)


def blanked(text: str) -> str:
    """The text with spaces for the payloads, which chunks leave out."""
    for start, end in payloads(text).pairs():
        text = text[:start] + " " * (end - start) + text[end:]
    return text
