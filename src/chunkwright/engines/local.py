"""Documents to chunks, in this process or in several; the result is the same.

Workers read the files themselves, so that no text is sent to them, and give back what `handle`
made of each part of a document: the chunks never leave the process that cut them as objects.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from chunkwright.chunking.cut import Cut
from chunkwright.chunking.dress import Dressed, chunk_parts
from chunkwright.engines.faults import reason
from chunkwright.model import Document
from chunkwright.processes import stream
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Source, read_source
from chunkwright.sources.files import MAX_BYTES, Failure

T = TypeVar("T")

# Small files are given out together, up to about this many bytes.
_TOGETHER = 1 << 20
_MOST = 256


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document, cut.

    Attributes:
        cut: The cut.
        dressed: Its chunks.
        reached: Where the chunks of the part before it ended; 0 for the first.
        first: Whether it is the first of its document.
    """

    cut: Cut
    dressed: Dressed
    reached: int
    first: bool


@dataclass(frozen=True, slots=True)
class Handled(Generic[T]):
    """What was made of a part."""

    value: T


@dataclass(frozen=True, slots=True)
class Done:
    """A document that was cut to its end.

    Attributes:
        document_id: Its id.
        encoding: The encoding that was guessed when it was read; empty where it was not.
    """

    document_id: str
    encoding: str


Event = Handled[T] | Done | Failure


def chunk_documents(
    sources: Iterable[Source],
    setup: Setup,
    handle: Callable[[Part], T],
    jobs: int = 1,
    max_bytes: int = MAX_BYTES,
) -> Generator[Event[T], None, None]:
    """Cut documents: for each, what was made of its parts and that it is done, or its failure.

    What is given, and in which order, does not depend on the number of jobs. Memory holds a part
    of a document at a time for each job, beside the documents themselves.

    Args:
        sources: Documents, and files to be read.
        setup: How to cut.
        handle: Makes what is needed of a part, where it was cut. With several jobs, it and what
            it makes are sent between processes.
        jobs: How many processes.
        max_bytes: Size of a file above which it is not read, but reported.

    Raises:
        WorkerError: A process was killed.

    >>> found = chunk_documents(
    ...     [Document("a.txt", "One. Two.")], Setup.parse("sentence:1s"), lambda part: len(part.cut)
    ... )
    >>> list(found)
    [Handled(value=2), Done(document_id='a.txt', encoding='')]
    """
    work = _Cutting(setup, handle, max_bytes)
    tasks = _together(sources) if jobs > 1 else ((source,) for source in sources)
    return stream(work, tasks, jobs)


def _together(sources: Iterable[Source]) -> Iterator[tuple[Source, ...]]:
    """Sources in groups that are worth being sent."""
    group: list[Source] = []
    size = 0
    try:
        for source in sources:
            group.append(source)
            size += _size(source)
            if size >= _TOGETHER or len(group) >= _MOST:
                yield tuple(group)
                group, size = [], 0
    except Exception:
        yield tuple(group)  # they come before what went wrong
        raise
    if group:
        yield tuple(group)


def _size(source: Source) -> int:
    if isinstance(source, Document):
        return len(source.text)
    if isinstance(source, Failure):
        return 0
    try:
        return source.path.stat().st_size
    except OSError:
        return 0


@dataclass(frozen=True, slots=True)
class _Cutting(Generic[T]):
    """What a process does with a group of sources."""

    setup: Setup
    handle: Callable[[Part], T]
    max_bytes: int

    def __call__(self, sources: tuple[Source, ...]) -> Iterator[Event[T]]:
        for source in sources:
            document = read_source(source, self.max_bytes)
            if isinstance(document, Failure):
                yield document
            else:
                yield from self._cut(document)
            del document  # before the next one is read

    def _cut(self, document: Document) -> Iterator[Event[T]]:
        reached, first = 0, True
        parts = chunk_parts(document, self.setup)
        while True:
            try:
                step = next(parts, None)
                if step is None:
                    break
                cut, dressed = step
                value = self.handle(Part(cut, dressed, reached, first))
            except BaseException as problem:
                yield Failure(document.id, reason(problem, reached))
                return
            yield Handled(value)
            reached, first = (int(dressed.ends[-1]) if len(dressed) else reached), False
            del step, cut, dressed, value  # before the next part is made
        yield Done(document.id, str(document.metadata.get("encoding", "")))
