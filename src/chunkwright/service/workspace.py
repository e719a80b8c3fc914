"""A workspace: documents and questions that stay open, and what was made of them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path, PurePath
from threading import Lock

from chunkwright.chunking.cost import Cost, cost_of
from chunkwright.chunking.cut import Cut, cut, mended
from chunkwright.chunking.dress import Dressed, Dresser
from chunkwright.errors import ServiceError
from chunkwright.gold.check import CheckedGold, check
from chunkwright.gold.goldset import GoldSet
from chunkwright.model import Document
from chunkwright.quality.checker import findings_by_document
from chunkwright.quality.repair import repair_of
from chunkwright.quality.rule import Finding
from chunkwright.quality.settings import Settings
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.pool import Pool
from chunkwright.service.once import Once
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.sources.files import TEXT_SUFFIXES, Failure, read_file
from chunkwright.text.analysis import Analysis

# Bytes of a document that is sent, and of all of them together.
MAX_ADDED_BYTES = 20_000_000
MAX_ADDED_TOTAL = 100_000_000
# How many cuts, lists of findings and pools are kept. Pools of large corpora weigh the most.
_CUTS, _FINDINGS, _POOLS, _GOLD = 64, 64, 4, 2


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the chunks of the workspace are made: by a setup, then by further repairs.

    Attributes:
        setup: The setup.
        repairs: Names of repairs that are done on its chunks, in their registered order.
    """

    setup: Setup
    repairs: tuple[str, ...] = ()


class Workspace:
    """Documents and questions that stay open, with what was made of them last.

    Several threads may ask at once.

    Args:
        corpus: The documents.
        gold: Questions with references.
        settings: Which rules look at chunks, and how strictly.

    >>> lamp = Document("lamp.md", "It blinks blue. Then it is on.")
    >>> workspace = Workspace(Corpus.of([lamp]))
    >>> len(workspace.cut("lamp.md", Recipe(Setup.parse("sentence:1s"))))
    2
    """

    def __init__(
        self, corpus: Corpus, gold: GoldSet | None = None, settings: Settings | None = None
    ) -> None:
        self.corpus = corpus
        self.settings = settings or Settings()
        self.collection = Collection(corpus)
        self.searching = Lock()
        self._adding = Lock()
        self._added: dict[str, Document] = {}
        self._gold = GoldSet(()) if gold is None else gold
        # Bounded, so that a page that is open all day does not grow.
        self._analysis = Once(self._analysed, _CUTS)
        self.cut = Once(self._cut, _CUTS)
        self.findings = Once(self._findings, _FINDINGS)
        self.pool = Once(self._pool, _POOLS)
        self.checked = Once(self._checked, _GOLD)

    # Documents

    @property
    def documents(self) -> tuple[Document, ...]:
        """Those of the corpus in the order of their ids, then those that were added."""
        return (*self.collection.documents, *self._added.values())

    def is_added(self, document_id: str) -> bool:
        """Whether a document was added, and so belongs to no corpus that is searched."""
        return document_id in self._added

    def document(self, document_id: str) -> Document:
        """The document with an id.

        Raises:
            SourceError: There is none; the nearest id is named.
        """
        added = self._added.get(document_id)
        return self.corpus.document(document_id) if added is None else added

    def add_text(self, text: str) -> Document:
        """A text as a document of its own; the same text is the same document.

        Raises:
            ServiceError: It is empty or too large.
            SourceError: It holds a lone surrogate.
        """
        if not text.strip():
            raise ServiceError("the text is empty; paste or write some")
        size = len(text.encode("utf-8", "surrogatepass"))
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
        return self._keep(Document(f"pasted-{digest}.md", text), size)

    def add_file(self, name: str, data: bytes) -> Document:
        """A file that was sent, read as a file of a folder is.

        Raises:
            ServiceError: Its type is not read, it is too large, or it cannot be read.
        """
        suffix = PurePath(name).suffix.lower()
        if suffix not in TEXT_SUFFIXES:
            known = ", ".join(sorted(TEXT_SUFFIXES))
            raise ServiceError(f"{name}: a file of the type {suffix!r} is not read; send {known}")
        _check_size(name, len(data))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"sent{suffix}")
            path.write_bytes(data)
            found = read_file(path, PurePath(name).name)
        if isinstance(found, Failure):
            raise ServiceError(f"{name}: {found.reason}")
        return self._keep(found, len(data))

    def _keep(self, document: Document, size: int) -> Document:
        """The document under the first name that is its own or free."""
        _check_size(document.id, size)
        # Whoever takes a name holds the lock until the document has it.
        with self._adding:
            taken = {each.id: each for each in self.documents}
            name = next(
                name
                for name in _names(document)
                if name not in taken or self._is_same(taken[name], document)
            )
            if name in self._added:
                return self._added[name]
            total = size + sum(len(each.text) for each in self._added.values())
            if total > MAX_ADDED_TOTAL:
                raise ServiceError(
                    f"{document.id}: the documents that were added would take {total / 1e6:.0f} "
                    f"MB, but the limit is {MAX_ADDED_TOTAL / 1e6:.0f} MB; restart, or give the "
                    "folder when starting"
                )
            document = replace(document, id=name)
            self._added = {**self._added, name: document}
        return document

    def _is_same(self, there: Document, sent: Document) -> bool:
        return self.is_added(there.id) and there.text == sent.text

    # Chunks

    def analysis(self, document_id: str) -> Analysis:
        """The analysis of a document."""
        if self.is_added(document_id):
            return self._analysis(document_id)
        offset = self.collection.offset(self.document(document_id).id)
        return self.collection.analyses[self.collection.document_at(offset)]

    def _analysed(self, document_id: str) -> Analysis:
        return Analysis(self._added[document_id])

    def _cut(self, document_id: str, recipe: Recipe) -> Cut:
        """The chunks of a document.

        Raises:
            SetupError: The setup cannot be used on it.
            SourceError: There is no such document.
        """
        return made(self.analysis(document_id), recipe)

    def dressed(self, document_id: str, recipe: Recipe) -> Dressed:
        """The same with all that `chunk` writes."""
        return dressed(self.cut(document_id, recipe))

    def cost(self, document_id: str, recipe: Recipe) -> Cost:
        """What the chunks of a document cost."""
        return cost_of([self.cut(document_id, recipe)], recipe.setup)

    def _findings(self, document_id: str, recipe: Recipe) -> tuple[Finding, ...]:
        """What is wrong with the chunks of a document, by chunk, then code."""
        (found,) = findings_by_document([self.cut(document_id, recipe)], self.settings)
        return tuple(found)

    # Search

    def _pool(self, recipe: Recipe) -> Pool:
        """The chunks of the whole corpus."""
        cuts = [made(analysis, recipe) for analysis in self.collection.analyses]
        return Pool(self.collection, recipe.setup, cuts=cuts)

    # Questions

    @property
    def gold(self) -> GoldSet:
        """The questions as they are now."""
        return self._gold

    def set_gold(self, gold: GoldSet) -> None:
        """Take other questions in place of those that are there."""
        self._gold = gold

    @property
    def usable(self) -> CheckedGold:
        """The questions, checked against the corpus."""
        return self.checked(self._gold)

    def _checked(self, gold: GoldSet) -> CheckedGold:
        return check(gold, self.corpus)


def made(analysis: Analysis, recipe: Recipe) -> Cut:
    """The chunks of one document by a recipe."""
    result = cut(analysis, recipe.setup)
    if not recipe.repairs:
        return result
    return mended(result, [repair_of(name) for name in recipe.repairs])


def dressed(result: Cut) -> Dressed:
    """The chunks of a cut of a whole document with all that `chunk` writes."""
    return Dresser(result.analysis, result.setup, result.walls).dress(result)


def _names(document: Document) -> Iterator[str]:
    """Names for a document that is added: its own, then some that tell it by its text."""
    yield document.id
    name = PurePath(document.id)
    digest = blake2b(document.text.encode("utf-8", "surrogatepass")).hexdigest()
    for length in (8, 16, 32, len(digest)):
        yield f"{name.stem}-{digest[:length]}{name.suffix}"


def _check_size(name: str, size: int) -> None:
    if size > MAX_ADDED_BYTES:
        raise ServiceError(
            f"{name}: {size / 1e6:.1f} MB, but the limit is {MAX_ADDED_BYTES / 1e6:.0f} MB; "
            "split it, or give its folder when starting"
        )
