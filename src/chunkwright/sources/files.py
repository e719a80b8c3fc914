"""Files and folders as documents, one file at a time."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from chunkwright.errors import SourceError
from chunkwright.model import Document
from chunkwright.sources import html
from chunkwright.sources.decode import decode
from chunkwright.text.analysis import MARKDOWN_SUFFIXES

HTML_SUFFIXES = frozenset({".html", ".htm"})
PLAIN_SUFFIXES = frozenset({".txt", ".text", ".rst", ".log", ".adoc", ".org", ".tex"})
SOURCE_SUFFIXES = frozenset(
    (
        *(".rs", ".py", ".js", ".ts", ".go", ".java", ".c", ".h", ".cpp", ".cs", ".kt", ".swift"),
        *(".scala", ".rb", ".php", ".sh", ".sql", ".css"),
        *(".toml", ".yaml", ".yml", ".json", ".jsonl", ".csv", ".tsv", ".xml", ".ini", ".cfg"),
    )
)
TEXT_SUFFIXES = MARKDOWN_SUFFIXES | HTML_SUFFIXES | PLAIN_SUFFIXES | SOURCE_SUFFIXES
# Pages and texts of this size take a few times as much memory to be read.
MAX_BYTES = 200_000_000
_VISIBLE = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that gave no document, and why.

    Attributes:
        path: The file as it was named, or as it was met below a folder.
        reason: A few words, with what to do where something can be done.
        skipped: Passed over on purpose, because its type is not read yet. That is no fault.
    """

    path: str
    reason: str
    skipped: bool = False

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class FoundFile(NamedTuple):
    """A file to read, and the id its document will have."""

    path: Path
    document_id: str


def read_file(path: Path, document_id: str, max_bytes: int = MAX_BYTES) -> Document | Failure:
    """The document in a file, or why there is none. Any suffix is read as text.

    The text is the file's own: spans count the CR of a CRLF and a leading byte order mark. Only
    a page of HTML is turned into Markdown first: spans count the Markdown.
    Where the encoding had to be guessed, it is told in `metadata["encoding"]`.
    """
    try:
        data = _bytes(path, max_bytes)
        is_page = path.suffix.lower() in HTML_SUFFIXES
        text, encoding, guessed = decode(data, html.declared_encoding(data) if is_page else "")
        del data  # large files weigh on memory
        title = None
        if is_page:
            held = [text]  # so that the page is let go as soon as it is converted
            del text
            text, title = html.as_markdown(held.pop())
            if _VISIBLE.search(text) is None:
                raise SourceError("empty: a page without text")
        metadata = {"encoding": encoding} if guessed else {}
        return Document(document_id, text, title, metadata=metadata)
    except OSError as problem:
        return Failure(shown(path), _unreadable(problem))
    except SourceError as problem:
        return Failure(shown(path), str(problem))
    except Exception as problem:  # one bad file never kills a batch
        return Failure(shown(path), f"cannot be read: {type(problem).__name__}: {problem}")


def _bytes(path: Path, max_bytes: int) -> bytes:
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        # A pipe says 0, and a file may grow: never read on without end.
        data = b"" if size > max_bytes else file.read(size + 1)
        if size < len(data) <= max_bytes:
            data += file.read(max_bytes + 1 - len(data))
    if max(size, len(data)) > max_bytes:
        shown_size = _amount(size) if size > max_bytes else "more"
        raise SourceError(
            f"{shown_size}, but the limit is {_amount(max_bytes)}; split it, or raise the "
            "limit (--max-file-size, max_bytes)"
        )
    return data


def _amount(size: int) -> str:
    return f"{size:,} bytes" if size < 1e6 else f"{size / 1e6:,.6g} MB"


def _unreadable(problem: OSError) -> str:
    return f"cannot be read: {problem.strerror or problem}"


def walk(folder: Path) -> Iterator[FoundFile | Failure]:
    """The files below a folder, in the order of their names, folder by folder.

    Hidden files and folders are passed over. A link is followed where it stays in the folder
    and leads neither back up nor to a place that a link led to before.
    """
    root = os.path.realpath(folder)
    followed: set[str] = set()
    # Folders lie deeper in one another than Python calls itself.
    waiting = [_entries(folder, "", (root,))]
    while waiting:
        step = next(waiting[-1], None)
        if step is None:
            waiting.pop()
        elif isinstance(step, Failure):
            yield step
        else:
            here, document_id, above = step
            try:
                found = _look(here, document_id, root, above, followed)
            except OSError as problem:
                found = Failure(shown(here), _unreadable(problem))
            if found is None:
                # Only a link is asked where it leads: to ask takes longer the deeper a folder lies.
                straight = os.path.join(above[-1], here.name)  # noqa: PTH118
                real = os.path.realpath(here) if here.is_symlink() else straight
                waiting.append(_entries(here, document_id + "/", (*above, real)))
            else:
                yield found


def _entries(
    folder: Path, prefix: str, above: tuple[str, ...]
) -> Iterator[tuple[Path, str, tuple[str, ...]] | Failure]:
    """What a folder holds, in order, with ids and the folders above."""
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208
    except OSError as problem:
        yield Failure(shown(folder), _unreadable(problem))
        return
    for name in names:
        if not name.startswith("."):
            yield folder / name, prefix + name, above


def _look(
    here: Path, document_id: str, root: str, above: tuple[str, ...], followed: set[str]
) -> FoundFile | Failure | None:
    """What stands at a place; None for a folder to go into."""
    if here.is_symlink():
        reason = _refused(os.path.realpath(here), root, above, followed)
        if reason:
            return Failure(shown(here), reason)
    mode = here.stat().st_mode
    if stat.S_ISDIR(mode):
        return None
    if not stat.S_ISREG(mode):
        return Failure(shown(here), "not a regular file")
    if not _is_text(document_id):
        return Failure(shown(here), "file name is not UTF-8; rename it")
    if here.suffix.lower() not in TEXT_SUFFIXES:
        return Failure(shown(here), "type not read yet", skipped=True)
    return FoundFile(here, document_id)


def _refused(target: str, root: str, above: tuple[str, ...], followed: set[str]) -> str:
    """Why a link is not followed; empty where it is."""
    if not os.path.exists(target):  # noqa: PTH110
        return "broken or circular link"
    if not Path(target).is_relative_to(root):
        return "link that leaves the folder; name its target to read it"
    if target in above:
        return "link to a folder above it"
    if os.path.isdir(target):  # noqa: PTH112
        # Folders that link to one another would give a number of paths without end.
        if target in followed:
            return "link to a folder that another link led to"
        followed.add(target)
    return ""


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def shown(path: Path) -> str:
    """The path as it can be printed, whatever bytes its name is made of."""
    return os.fsencode(path).decode("utf-8", "replace")
