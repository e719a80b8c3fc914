"""What every chunk carries: ids, lines, parents; and how chunks are streamed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.cut import cut
from chunkwright.chunking.dress import chunk, chunk_id, chunk_iter
from chunkwright.errors import SetupError
from chunkwright.model import Document
from chunkwright.setup import Setup
from chunkwright.text.analysis import Analysis
from tests.properties.strategies import setups, texts

STRATEGIES = ["fixed", "sentence", "recursive", "header", "markdown"]
GUIDE = (
    "# Lamp\n\nIt blinks. It hums.\n\n## Reset\n\nSwitch it off. Wait.\n\n# Hub\n\nIt is blue.\n"
)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("text", ["", " ", "\n\n\t", "---\ntitle: X\n---\n"])
def test_nothing_gives_nothing(strategy: str, text: str) -> None:
    """BR-139."""
    assert chunk(Document("a.md", text), f"{strategy}:9c") == []


def test_documents_are_streamed_one_by_one() -> None:
    seen: list[str] = []

    def documents() -> Iterator[Document]:
        for name in ("a.txt", "b.txt"):
            seen.append(name)
            yield Document(name, "One. Two.")

    stream = chunk_iter(documents(), "sentence:1s")
    assert next(stream).document_id == "a.txt"
    assert seen == ["a.txt"]
    assert [(part.document_id, part.index) for part in stream] == [
        ("a.txt", 1),
        ("b.txt", 0),
        ("b.txt", 1),
    ]


def test_a_setup_or_its_notation() -> None:
    document = Document("a.md", GUIDE)
    notation = "markdown:40c+10%|headers"
    assert chunk(document, notation) == chunk([document], Setup.parse(notation))
    with pytest.raises(SetupError, match="unknown strategy"):
        chunk(document, "sentense:40c")


class TestIds:
    def test_two_documents_with_the_same_text(self) -> None:
        """BR-164."""
        found = chunk([Document("d1", "same"), Document("d2", "same")], "fixed:9c")
        assert len({part.id for part in found}) == 2

    def test_two_chunks_with_the_same_text(self) -> None:
        """BR-166, BR-167."""
        found = chunk(Document("rows.txt", "a row\n\na row\n\na row"), "recursive:6c")
        assert [part.text for part in found] == ["a row"] * 3
        assert len({part.id for part in found}) == 3

    def test_a_chunk_keeps_its_id_when_the_setup_changes(self) -> None:
        document = Document("a.txt", "One sentence. Two sentences.")
        first = {part.text: part.id for part in chunk(document, "sentence:1s")}
        second = {part.text: part.id for part in chunk(document, "recursive:16c")}
        assert first == second

    def test_an_edit_elsewhere_changes_no_other_id(self) -> None:
        before = chunk(Document("a.txt", "One. Two. Three."), "sentence:1s")
        after = chunk(Document("a.txt", "Zero, longer. One. Two. Three."), "sentence:1s")
        assert [part.id for part in before] == [part.id for part in after[1:]]
        assert [part.start for part in before] != [part.start for part in after[1:]]

    def test_what_is_embedded_decides(self) -> None:
        plain = chunk(Document("a.md", GUIDE), "header:99c")
        headed = chunk(Document("a.md", GUIDE), "header:99c|headers")
        assert not {part.id for part in plain} & {part.id for part in headed}

    @pytest.mark.parametrize(
        ("one", "other"), [(("ab", "c", 0), ("a", "bc", 0)), (("a", "b1", 0), ("a", "b", 10))]
    )
    def test_parts_do_not_run_together(
        self, one: tuple[str, str, int], other: tuple[str, str, int]
    ) -> None:
        assert chunk_id(*one) != chunk_id(*other)

    def test_ids_are_the_same_on_every_machine(self) -> None:
        assert chunk_id("a.txt", "One.", 0) == "12a38125b8db7f70b61a586e"


class TestLines:
    @pytest.mark.parametrize("notation", ["fixed:4c", "sentence:2s", "recursive:4c"])
    def test_repeated_braces(self, notation: str) -> None:
        """BR-017."""
        found = chunk(Document("a.txt", "{\n}\n{\n}\n"), notation)
        assert [(part.first_line, part.last_line) for part in found] == [(1, 2), (3, 4)]

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_any_line_end(self, end: str) -> None:
        text = "one.\n\ntwo\nthree.\n".replace("\n", end)
        found = chunk(Document("a.txt", text), "recursive:11c")
        assert [(part.first_line, part.last_line) for part in found] == [(1, 1), (3, 4)]

    @given(texts(), setups())
    def test_lines_never_pass_the_file(self, text: str, setup: Setup) -> None:
        try:
            found = chunk(Document("a.txt", text), setup)
        except SetupError:
            return
        plain = text.replace("\r\n", "\n").replace("\r", "\n")
        for part in found:
            before = text[: part.start].replace("\r\n", "\n").replace("\r", "\n")
            split_pair = text[part.start - 1 : part.start + 1] == "\r\n"
            assert split_pair or part.first_line == before.count("\n") + 1
            assert 1 <= part.first_line <= part.last_line <= plain.count("\n") + 1


class TestParents:
    def test_sections(self) -> None:
        found = chunk(Document("a.md", GUIDE), "sentence:1s|parents=section")
        sent = dict.fromkeys(part.sent_span for part in found)
        assert [GUIDE[span.start : span.end] for span in sent] == [
            "# Lamp\n\nIt blinks. It hums.",
            "## Reset\n\nSwitch it off. Wait.",
            "# Hub\n\nIt is blue.",
        ]

    def test_the_document(self) -> None:
        found = chunk(Document("a.md", f"\n{GUIDE}"), "sentence:1s|parents=document")
        assert {part.sent_span for part in found} == {(1, 1 + len(GUIDE.rstrip()))}

    def test_front_matter_is_in_no_parent(self) -> None:
        text = f"---\ntitle: T\n---\n{GUIDE}"
        found = chunk(Document("a.md", text), "sentence:1s|parents=document")
        assert {part.sent_span.start for part in found} == {text.index("# Lamp")}

    def test_a_size(self) -> None:
        text = " ".join(f"Sentence {number} is here." for number in range(40))
        found = chunk(Document("a.txt", text), "sentence:40c|parents=200c")
        parents = list(dict.fromkeys(part.parent for part in found))
        wide = chunk(Document("a.txt", text), "recursive:200c")
        assert parents == [(part.start, part.end) for part in wide]
        assert len(found) > 3 * len(parents)

    @given(
        texts(),
        st.sampled_from(STRATEGIES),
        st.sampled_from(["section", "document", "60c", "20w", "30t"]),
        st.sampled_from(["", "+20%"]),
        st.sampled_from(["", "|repair", "|min=5c"]),
    )
    def test_parents_hold_their_children_and_are_shared(
        self, text: str, strategy: str, parents: str, overlap: str, option: str
    ) -> None:
        setup = Setup.parse(f"{strategy}:12c{overlap}|parents={parents}{option}")
        found = chunk(Document("a.md", text), setup)
        for part in found:
            assert part.parent is not None
            assert part.parent.start <= part.start < part.end <= part.parent.end <= len(text)
        spans = list(dict.fromkeys(part.parent for part in found if part.parent))
        for before, after in itertools.pairwise(spans):
            assert before.start < after.start
            assert before.end <= after.start

    def test_children_share_a_parent_without_stripping_too(self) -> None:
        # A parent is sent once, so the last child must not have a longer one of its own.
        found = chunk(Document("a.md", "One two three. \n"), "fixed:9c|parents=section|strip=no")
        assert len(found) == 2
        assert len({part.sent_span for part in found}) == 1

    def test_children_do_not_cross_the_edge_of_a_parent(self) -> None:
        text = " ".join(f"Sentence {number} is here." for number in range(40))
        found = chunk(Document("a.txt", text), "sentence:100c+50c|parents=230c")
        walls = sorted({part.parent.start for part in found if part.parent})
        for part in found:
            assert not [wall for wall in walls if part.start < wall < part.end]


def test_a_token_count_is_that_of_what_is_embedded() -> None:
    for part in chunk(Document("a.md", GUIDE), "markdown:60c|headers|repair", counter=len):
        assert part.tokens == len(part.embed_text)


def test_size_of_is_in_the_unit_of_the_setup() -> None:
    analysis = Analysis(Document("a.md", GUIDE))
    for notation, measure in [("header:99c|headers", len), ("header:99w|headers", None)]:
        made = cut(analysis, Setup.parse(notation))
        for index in range(len(made)):
            text = made.embed_text(index)
            assert made.size_of(index) == (measure(text) if measure else len(text.split()))


def test_every_offset_is_a_number_and_every_text_a_slice() -> None:
    """BR-010, BR-025, BR-032, BR-034."""
    text = "El pan es bueno y barato.\n\n\tZürich 東京 ABC  \n\n- a\n    - a1\n- b\n"
    for strategy in STRATEGIES:
        found = chunk(Document("a.md", text), f"{strategy}:12c")
        assert all(type(part.start) is int and type(part.end) is int for part in found)
        assert all(part.text == text[part.start : part.end] for part in found)
        lossless = chunk(Document("a.md", text), f"{strategy}:12c|strip=no")
        assert "".join(part.text for part in lossless) == text
