"""Bad shapes: texts of about a given number of characters that made other chunkers hang.

One table for the tests that count work, measure memory, and cut huge inputs.
"""

from __future__ import annotations

from collections.abc import Callable


def _repeated(piece: str) -> Callable[[int], str]:
    return lambda size: piece * (size // len(piece) + 1)


def _between(first: str, piece: str, last: str) -> Callable[[int], str]:
    return lambda size: first + piece * (size // len(piece) + 1) + last


SHAPES: dict[str, Callable[[int], str]] = {
    "one word": _repeated("x"),
    "blank lines": _between("", "\n", "end"),
    "text and blank lines": _repeated("some text\n\n"),
    "headings": _repeated("# Heading\n"),
    "deeper headings": lambda size: "".join(f"{'#' * (1 + at % 6)} H\n" for at in range(size // 6)),
    "stops": _repeated(". "),
    "open quote": _between('"', "A sentence is here. ", ""),
    "marks": _between("e", "\u0301", ""),
    "table rows": _between("| a | b |\n|---|---|\n", "| 1 | 2 |\n", ""),
    "list items": _repeated("- item\n"),
    "open fence": _between("```\n", "code\n", ""),
    "spaces": _between("Start.", " ", "Finish."),
}
# Many more, each of a mechanism of its own.
MORE: dict[str, Callable[[int], str]] = {
    "blank lines of CR LF": _between("a", "\r\n", "end"),
    "lone CR": _repeated("line one\r"),
    "form feeds": _repeated("a\f"),
    "line separators": _repeated("a\u2028"),
    "tabs": _between("a", "\t", "b"),
    "NUL": _repeated("\0"),
    "BOM": _repeated("\ufeff"),
    "short lines": _repeated("ab\n"),
    "wrapped lines": _repeated("This line was wrapped at sixty characters by somebody's editor\n"),
    "flags": _repeated("🇩🇪"),
    "joined emoji": _repeated("👩\u200d"),
    "Chinese without a stop": _repeated("东"),
    "Chinese of stops": _repeated("东。"),
    "Thai": _repeated("กำลัง"),
    "Hindi": _repeated("क्षि "),
    "right to left": _repeated("\u202bשלום\u202c "),
    "dots": lambda size: "." * (8 * size),  # one token is some sixty of them
    "abbreviations": _repeated("e.g. Mr. "),
    "list numbers": _repeated("1. "),
    "initials": _repeated("J. R. R. T. "),
    "ellipses": _repeated("Wait... then… "),
    "quotes": _repeated('"'),
    "open brackets": _repeated("(A sentence is here. "),
    "commas": _repeated(","),
    "links": _repeated("https://a.b/c.d?e=f#g "),
    "pronouns": _repeated("It is so.\n\n"),
    "base64": _repeated("aGVsbG8gd29ybGQ+"),
    "JSON": _repeated('{"a":[1,2],"b":"c, d"},'),
    "one payload": _between("data:image/png;base64,", "QUJD", ""),
    "payloads": _repeated("![](data:image/png;base64," + "QUJD" * 30 + ")\n\n"),
    "heads of payloads": _repeated("data:a;base64,"),
    "special tokens": _repeated("<|endoftext|>"),
    "empty headings": _repeated("#\n"),
    "spaces in a heading": _between("# a", " ", "b\n\ntext"),
    "one long title": _between("", "word word\n", "===\n\ntext"),
    "sections": _repeated("# T\n\nA sentence is here. And another.\n\n"),
    "rules": _repeated("---\n"),
    "open front matter": _between("---\n", "a: b\n", ""),
    "open front matter of CR LF": _between("---\r\n", "a: b\r\n", ""),
    "long front matter": _between("---\n", "a: b\n", "---\ntext"),
    "spaces in front matter": _between("---\na: b", " ", "c\n---\ntext"),
    "wide table": lambda size: "\n".join(
        cell * (size // 6 + 1) + "|" for cell in ("|a", "|-", "|b")
    ),
    "pipes": _repeated("|"),
    "nested items": lambda size: "".join("  " * (at % 60) + "- x\n" for at in range(size // 64)),
    "items in one line": _between("", "- ", "x\n"),
    "nested quotes": _between("", ">", " x\n"),
    "lazy quote": _between("> a\n", "word\n", ""),
    "blank lines in a fence": _between("```\n", "\n", "x\n```\n"),
    "blank lines in code": _between("    a\n", "\n", "    b\n"),
    "blank lines in HTML": _between("<pre>\n", "\n", "</pre>\n"),
    "open HTML": _repeated("<div>\n"),
    "open comments": _repeated("<!--\n"),
    "reference links": _repeated("[a]: /u\n"),
    "footnotes": lambda size: "".join(f"[^{at}]: x\n\n" for at in range(size // 9)),
    "brackets": _repeated("["),
    "backticks": lambda size: "".join("`" * (at % 50) + " " for at in range(size // 25)),
    "stars": _repeated("*a "),
    "indented code": _repeated("    code\n"),
    "mathematics": _repeated("$$\nx\n"),
}
ALL = {**SHAPES, **MORE}

# Each strategy, and each unit and option that has work of its own.
NOTATIONS = [
    *("fixed:200c+50c", "fixed:200t+50t", "sentence:200t+1s", "recursive:200c+20%"),
    *("header:400c|headers", "markdown:400c+10%|parents=section"),
]
MORE_NOTATIONS = [
    *("fixed:200w+50w", "sentence:3s+1s", "recursive:50w+10w|strip=no", "header:100t+2w|min=20t"),
    "markdown:100t+1s|headers|repair|min=20t|parents=400t",
]
