"""A pool's counts of terms, against reading every embed_text anew."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import regex
from hypothesis import assume, given
from hypothesis import strategies as st

from chunkwright.chunking.cut import cut
from chunkwright.errors import SetupError
from chunkwright.model import Document
from chunkwright.quality.additions import name_the_subject
from chunkwright.retrieval import collection
from chunkwright.retrieval.collection import Collection
from chunkwright.retrieval.pool import Pool
from chunkwright.setup import Setup
from chunkwright.text.words import terms
from tests.properties.strategies import setups, texts

UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
)


def pool_or_skip(documents: list[Document], setup: Setup) -> Pool:
    try:
        return Pool(Collection(documents), setup)
    except SetupError as problem:
        assume("leaves no room beside the header" not in str(problem))
        raise


def fast(pool: Pool) -> list[Counter[str]]:
    """The counts of the pool, by term, and its lengths."""
    _ = pool.added  # these terms may be new ones
    names = pool.collection.vocabulary.strings()
    table = pool.counts(np.arange(len(names))).tocsr()
    found = pool.rows(0, len(pool))
    assert found.has_canonical_format
    np.testing.assert_array_equal(found.toarray(), table.toarray())
    np.testing.assert_array_equal(pool.rows(1, 3).toarray(), table[1:3].toarray())
    assert table.sum(axis=1).tolist() == pool.lengths.tolist()
    rows = []
    for row in range(len(pool)):
        part = slice(table.indptr[row], table.indptr[row + 1])
        pairs = zip(table.indices[part].tolist(), table.data[part].tolist(), strict=True)
        rows.append(Counter({names[term]: int(count) for term, count in pairs}))
    return rows


def plain(pool: Pool) -> list[Counter[str]]:
    """The terms of each embed_text, counted plainly."""
    return [Counter(terms(text).strings) for text in pool.embed_texts()]


@given(texts(), texts(20), setups())
def test_counts_are_those_of_the_embed_texts(first: str, second: str, setup: Setup) -> None:
    spaced = [UNSPACED.sub("", text) for text in (first, second)]
    documents = [Document("first.md", spaced[0]), Document("second.txt", spaced[1])]
    pool = pool_or_skip(documents, setup)
    assert fast(pool) == plain(pool)


# Where a cut falls inside a run of an unspaced script, the halves of the pair that it parts are
# counted as terms of one character, which reading the chunk alone would not give: at most two a
# chunk. They lengthen it a little, and match only a question in which one such character stands
# alone. A chunk of one character inside a run holds its own character twice.
@given(texts(), setups())
def test_in_unspaced_scripts_only_single_characters_differ(text: str, setup: Setup) -> None:
    pool = pool_or_skip([Document("note.md", text)], setup)
    for found, expected in zip(fast(pool), plain(pool), strict=True):
        remnants = found - expected
        assert not expected - found
        assert all(len(UNSPACED.findall(term)) == 1 for term in remnants)
        assert remnants.total() <= 2


def test_a_chunk_inside_one_long_term_counts_its_own_part_once() -> None:
    pool = Pool(Collection([Document("a.txt", "abcdefghij")]), Setup.parse("fixed:4c"))
    assert fast(pool) == [Counter(["abcd"]), Counter(["efgh"]), Counter(["ij"])]


def test_headers_are_counted() -> None:
    document = Document("a.md", "# Lamp\n\nIt blinks.\n\n## Reset\n\nHold the lamp's button.")
    pool = Pool(Collection([document]), Setup.parse("header:40t|headers"))
    assert pool.embed_texts()[-1].startswith("[Lamp > Reset]\n")
    assert fast(pool)[-1] == Counter(
        ["lamp", "reset", "reset", "hold", "the", "lamp", "s", "button"]
    )


def test_a_replaced_pronoun_is_not_counted() -> None:
    text = "# Lamp\n\nThe lamp is blue. It blinks twice. It costs money.\n"
    searched, setup = Collection([Document("a.md", text)]), Setup.parse("sentence:1s")
    cuts = [name_the_subject(cut(analysis, setup)) for analysis in searched.analyses]
    pool = Pool(searched, setup, cuts=cuts)
    assert pool.embed_texts()[-1] == "Lamp costs money."
    assert fast(pool) == plain(pool)


def test_counts_do_not_depend_on_what_was_counted_before() -> None:
    documents = [
        Document("a.md", "# Lamp\n\nIt blinks blue. It is new."),
        Document("b.txt", "Hub."),
    ]
    used = Collection(documents)
    used.question_counts(["What about zebras?"])
    for notation in ("fixed:3c", "sentence:1s", "header:9w|headers"):
        setup = Setup.parse(notation)
        assert fast(Pool(used, setup)) == fast(Pool(Collection(documents), setup))


def test_without_text_there_are_no_counts() -> None:
    for documents in ([], [Document("a.txt", "")], [Document("a.txt", " \n")]):
        pool = Pool(Collection(documents), Setup.parse("fixed:5c"))
        assert pool.counts(np.arange(3)).shape == (0, 3)
        assert pool.lengths.tolist() == []


def test_frequent_terms_are_counted_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    document = Document("a.md", "# Lamp\n\n" + "The lamp is blue. It is new, the hub is old. " * 9)
    pool = Pool(Collection([document]), Setup.parse("sentence:20t+1s|headers"))
    expected = plain(pool)
    for places in (1, 5, 20):
        monkeypatch.setattr("chunkwright.retrieval.pool._PLACES", places)
        assert fast(pool) == expected


@given(texts(), setups(), st.sets(st.integers(0, 60)))
def test_counts_of_some_terms_are_those_columns_of_all(
    text: str, setup: Setup, some: set[int]
) -> None:
    pool = pool_or_skip([Document("note.md", text), Document("b.txt", "lamp word lamp")], setup)
    chosen = np.array(sorted(some), np.int64)
    every = pool.counts(np.arange(61)).toarray()
    np.testing.assert_array_equal(pool.counts(chosen).toarray(), every[:, chosen])


def test_a_long_text_is_read_in_parts_that_part_no_term(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [Document("a.txt", "One lamp\nblinks "), Document("b.txt", "blue" * 9)]
    whole = Collection(documents)
    monkeypatch.setattr(collection, "_PART", 2)
    parted = Collection(documents)
    assert parted.vocabulary.strings() == whole.vocabulary.strings()
    for found, expected in zip(parted._terms, whole._terms, strict=True):
        assert found.tolist() == expected.tolist()
    assert whole.term_starts.dtype == np.int32


def test_the_postings_of_a_term_are_its_places() -> None:
    line = Collection([Document("a.txt", "a b a"), Document("b.txt", "b a")])
    found = line.postings
    assert [found.data[found.indptr[at] : found.indptr[at + 1]].tolist() for at in (0, 1)] == [
        [0, 2, 4],
        [1, 3],
    ]
