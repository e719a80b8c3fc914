"""Pages of HTML: their text in order, as Markdown that the analysis sees as it was meant."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.chunking.dress import chunk
from chunkwright.errors import SourceError
from chunkwright.model import Document
from chunkwright.sources import html
from chunkwright.sources.corpus import Corpus
from chunkwright.sources.html import as_markdown, declared_encoding
from chunkwright.text.analysis import Analysis


def paths_of(page: str) -> list[tuple[str, ...]]:
    return [part.path for part in Analysis(Document("page.html", as_markdown(page).text)).sections]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        # BR-043: words in inline tags stay where they stand.
        ("<p>Pay <b>now</b> please</p>", "Pay now please\n"),
        ("<p>un<em>believ</em>able, <a href=u>a <i>link</i></a>", "unbelievable, [a link](u)\n"),
        # BR-044: words need no paragraph.
        ("<h1>T</h1><div>loose words</div>", "# T\n\nloose words\n"),
        ("<div>a<div>b<p>c</p>d</div>e</div>", "a\n\nb\n\nc\n\nd\n\ne\n"),
        ("plain words", "plain words\n"),
        ("".join(f"<h{n}>T{n}</h{n}>" for n in range(1, 7)),
         "# T1\n\n## T2\n\n### T3\n\n#### T4\n\n##### T5\n\n###### T6\n"),
        ("<table><tr><th>k|x</th><th>v</th></tr><tr><td>1<br>2</td><td>3</td></tr></table>",
         "| k\\|x | v |\n| --- | --- |\n| 1 2 | 3 |\n"),
        ("<ul><li>a<ul><li>b</li></ul></li></ul><ol start=3><li>c</li></ol>",
         "- a\n  * b\n\n3. c\n"),
        ("<pre><code class='language-py'>x = 1\n\n  y</code></pre>", "```py\nx = 1\n\n  y\n```\n"),
        ("<pre>```\nin\n```</pre>", "````\n```\nin\n```\n````\n"),
        ("<style>p{}</style><p>a<script>if (a<b) {'</p>'}</script>b</p><template>t</template>",
         "ab\n"),
        # A page may be one form, and its first heading in a header.
        ("<form id=f><header><h1>T</h1></header><p>x</p></form><nav>n</nav>", "# T\n\nx\n\nn\n"),
        ("<p>a<img src='data:image/png;base64,QUJD' alt='a lamp'>b</p>", "a a lamp b\n"),
        ("<p># no heading</p><p>1. no item</p><p>```</p>",
         "\\# no heading\n\n1\\. no item\n\n\\```\n"),
    ],
)  # fmt: skip
def test_text_is_kept_in_order(page: str, text: str) -> None:
    assert as_markdown(page).text == text


def test_headings_keep_those_above_them() -> None:
    """BR-130."""
    assert paths_of("<h1>X</h1><p>a</p><h2>Y</h2><p>b</p>") == [("X",), ("X", "Y")]


@pytest.mark.parametrize(
    "opening", ["<!-- x", "<script> x", "<pre>", "<?php", "<!DOCTYPE", "<style"]
)
def test_words_that_look_like_html_hide_no_heading(opening: str) -> None:
    words = opening.replace("<", "&lt;")
    page = f"<p>{words}</p><ul><li>{words}</li></ul><pre>{words}</pre><h2>Y</h2><p>b</p>"
    assert paths_of(page)[-1] == ("Y",)
    assert f"\n```\n{opening}\n```\n" in as_markdown(page).text


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title>Lamps &amp;\n hubs</title><p>x", "Lamps & hubs"),
        ("<svg><title>icon</title></svg><p>x", None),
        ("<title></title><p>x", None),
        ("<p>x", None),
    ],
)
def test_the_title(page: str, title: str | None) -> None:
    assert as_markdown(page).title == title


SHAPES = {
    # BR-091: headings, each nested in all before it.
    "headings": ("<div><h{n}>T {i}</h{n}>word{i} ", "</div>"),
    "open tags": ("<b><font size=2>T {i}<p>word{i} ", ""),
    "lists": ("<ul><li>T {i} word{i} ", "</ul>"),
    "quotes": ("<blockquote><p>T {i} word{i} ", "</blockquote>"),
    "tables": ("<table><tr><td>T {i} word{i} ", "</table>"),
    "unknown": ("<x-box>T {i} word{i} ", "</x-box>"),
}


def deep(shape: str, depth: int) -> str:
    start, end = SHAPES[shape]
    return "".join(start.format(n=i % 6 + 1, i=i) for i in range(depth)) + end * depth


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("depth", [10, 300, 5000])
def test_nothing_is_lost_however_deep_it_lies(shape: str, depth: int) -> None:
    text = as_markdown(deep(shape, depth)).text
    found = [int(word[4:]) for word in text.split() if word.startswith("word")]
    # Text between tables' cells is put before its table, as browsers do.
    assert sorted(found) == list(range(depth))
    if shape != "tables":
        assert found == list(range(depth))


def test_deep_headings_are_headings() -> None:
    made = Analysis(Document("page.html", as_markdown(deep("headings", 3000)).text))
    assert sum(section.level > 0 for section in made.sections) == 3000


class TestPieces:
    BLOCKS = "".join(
        f"<div><h2>H{n}</h2><p>a{n} <b>b{n}</b></p><ul><li>c{n}<p>d{n}</p></li></ul>e{n}"
        f"<pre>&lt;!-- f{n}\n\n g{n}</pre><table><tr><td>h{n}</td></tr></table></div>"
        for n in range(50)
    )

    @pytest.mark.parametrize("most", [1, 100, 1000, 10_000_000])
    def test_they_are_as_the_whole(self, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
        page = f"<html><head><title>T</title></head><body>{self.BLOCKS}</body></html>"
        whole = as_markdown(page)
        monkeypatch.setattr(html, "_PIECE", most)
        assert as_markdown(page) == whole
        pieces = list(html._pieces(page))
        assert "".join(pieces) == page
        # No more than a block above.
        assert max(map(len, pieces)) < most + 500

    @pytest.mark.parametrize("holding", ["ul", "table", "blockquote", "a", "pre"])
    def test_nothing_is_taken_apart(self, monkeypatch: pytest.MonkeyPatch, holding: str) -> None:
        monkeypatch.setattr(html, "_PIECE", 1)
        page = f"<{holding}>" + "<p>x" * 9 + f"</{holding}>"
        assert list(html._pieces(page + "<h1>a</h1>")) == [page, "<h1>a</h1>"]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<h3>C <a href=#c>¶</a></h3>", "### C\n"),
        ("<h1>C<a class=headerlink href='#c' title='Link'>&para;</a></h1>", "# C\n"),
        ("<h2><a href=#c><svg><path d=M0/></svg></a>C</h2>", "## C\n"),
        ("<H2><A HREF=#c><span>#</span></A> C</H2>", "## C\n"),
        ("<h2><a href=#c>C 1</a></h2>", "## [C 1](#c)\n"),
        ("<h2>C <a href=u><img src=i alt=logo></a></h2>", "## C [logo](u)\n"),
        ("<h2>C</h2><p><a href=u>→</a></p>", "## C\n\n[→](u)\n"),
    ],
)
def test_links_that_say_nothing_are_no_part_of_a_heading(page: str, text: str) -> None:
    assert as_markdown(page).text == text


@pytest.mark.slow
def test_a_large_deep_page_is_read_in_linear_work() -> None:
    """BR-091: 14 MB; depth does not multiply."""
    page = deep("headings", 370_000)
    assert len(page) > 14_000_000
    part = as_markdown(deep("headings", 37_000)).text
    assert len(as_markdown(page).text) < 11 * len(part)


def test_what_lies_too_deep_even_so_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "_flattened", lambda page: page)
    with pytest.raises(SourceError, match="nested too deeply; convert it to Markdown"):
        as_markdown(deep("headings", 300))


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=9)
TAGS = st.sampled_from(
    [
        *("<p>", "</p>", "<div>", "</div>", "<b>", "</b>", "<h1>", "</h1>", "<h2>", "<ul>", "<li>"),
        *("</ul>", "<table>", "<tr>", "<td>", "</table>", "<pre>", "</pre>", "<br>", "<title>"),
        *("<!--", "-->", "<script>", "</script>", "<", ">", "&", "&lt;", "&#0;", "<a href='x'>"),
    ]
)


@given(st.lists(st.one_of(WORDS, TAGS), max_size=40))
def test_any_page_is_read_and_twice_the_same(parts: list[str]) -> None:
    page = "".join(parts)
    assert as_markdown(page) == as_markdown(page)


class TestFiles:
    def test_a_page_is_a_document_of_markdown(self, tmp_path: Path) -> None:
        (tmp_path / "page.html").write_text("<title>Shop</title><h1>X</h1>a<h2>Y</h2><p>It is b.")
        (tmp_path / "old.HTM").write_text("<h1>Z</h1>c")
        corpus = Corpus.read(tmp_path)
        assert [document.id for document in corpus] == ["old.HTM", "page.html"]
        page = corpus.document("page.html")
        assert (page.text, page.title) == ("# X\n\na\n\n## Y\n\nIt is b.\n", "Shop")
        (last,) = chunk(page, "header:99c")[1:]
        # Spans count the Markdown.
        assert last.text == page.text[last.start : last.end] == "## Y\n\nIt is b."
        assert last.header[-2:] == ("X", "Y")

    @pytest.mark.parametrize("page", ["", "<script>x</script>", "<title>only</title>"])
    def test_a_page_without_text_is_empty(self, tmp_path: Path, page: str) -> None:
        (tmp_path / "page.html").write_text(page)
        with pytest.raises(SourceError, match="empty"):
            Corpus.read(tmp_path)

    @pytest.mark.parametrize(
        ("declared", "encoding", "words"),
        [
            ("iso-8859-1", "cp1252", "“ça” coûte 5 €"),
            ("windows-1251", "cp1251", "Щит"),
            ("Shift_JIS", "cp932", "東京①"),
            ("euc-kr", "cp949", "서울"),
            ("gb2312", "gb18030", "北京"),
            ("utf-8", "utf-8", "çà"),
            # A wrong one does no harm.
            ("utf-16", "utf-8", "çà"),
            ("iso-8859-1", "utf-8", "çà"),
        ],
    )
    def test_a_page_may_say_its_encoding(
        self, tmp_path: Path, declared: str, encoding: str, words: str
    ) -> None:
        page = f'<html><head><meta charset="{declared}"></head><p>{words}'
        (tmp_path / "page.html").write_bytes(page.encode(encoding))
        assert Corpus.read(tmp_path)[0].text == f"{words}\n"

    @pytest.mark.parametrize("declared", ["shift_jis", "hex", "nonsense", "idna", "cp037"])
    def test_a_wrong_encoding_is_not_believed(self, tmp_path: Path, declared: str) -> None:
        page = f"<meta charset={declared}>".encode() + b"<p>caf\xe9\xff</p>"
        (tmp_path / "page.html").write_bytes(page)
        with pytest.raises(SourceError, match=r"not (SHIFT_JIS|CP932|UTF-8)"):
            Corpus.read(tmp_path)

    def test_nothing_is_fetched(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> None:
            raise AssertionError("a page must not be fetched")

        monkeypatch.setattr(socket.socket, "connect", refuse)
        page = "<link rel=stylesheet href='http://x.invalid/a.css'><img src='http://x.invalid/i'>t"
        assert as_markdown(page).text == "![](http://x.invalid/i)t\n"


@pytest.mark.parametrize(
    ("top", "encoding"),
    [
        (b"<meta http-equiv='Content-Type' content='text/html; charset=koi8-r'>", "koi8-r"),
        (b'<?xml version="1.0" encoding="windows-1250"?><html>', "windows-1250"),
        (b"<META CHARSET = big5 >", "big5"),
        (b"<p>charset=big5</p>", ""),
        (b" " * 5000 + b"<meta charset=big5>", ""),
    ],
)
def test_where_a_page_names_its_encoding(top: bytes, encoding: str) -> None:
    assert declared_encoding(top) == encoding
