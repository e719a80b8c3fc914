"""The HTML report: self-contained, escaped, and true to the study."""

from __future__ import annotations

import importlib.util
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from chunkwright.errors import StudyError
from chunkwright.gold.goldset import GoldSet, Question, Reference
from chunkwright.model import Document
from chunkwright.report.charts import by_size, frontier, svg
from chunkwright.report.html import render, write
from chunkwright.report.tables import leaderboard, metrics_table
from chunkwright.retrieval.embedders import Truncation
from chunkwright.setup import Setup
from chunkwright.sources.corpus import Corpus
from chunkwright.tuning.journal import RuledOut
from chunkwright.tuning.study import Study, tune

HOSTILE = "<script>alert(1)</script>&\"'"
LAMP = "# Lamp\n\nIt blinks blue when it is ready. It hums at night. It stops by day.\n"
HUB = "The hub needs power. It is green when it is on. It sleeps when nobody is there.\n"


def question(number: int, document_id: str, quote: str) -> Question:
    reference = Reference(document_id, quote=quote)
    return Question(f"{HOSTILE}{number}", f"{HOSTILE} what of {quote}", (reference,))


@pytest.fixture(scope="module")
def hostile_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spec = importlib.util.find_spec("wordllama")
    assert spec is not None
    assert spec.origin is not None
    (source,) = Path(spec.origin).parent.rglob("l2_supercat_tokenizer_config.json")
    target = tmp_path_factory.mktemp("models") / "<b>&'x.json"
    shutil.copy(source, target)
    return target


@pytest.fixture(scope="module")
def study(hostile_tokenizer: Path) -> Study:
    """A small study in which every text that a user can choose is hostile."""
    corpus = Corpus.of([Document(f"{HOSTILE}.md", LAMP, HOSTILE), Document("hub.txt", HUB)])
    gold = GoldSet(
        (
            question(1, f"{HOSTILE}.md", "It blinks blue when it is ready."),
            question(2, f"{HOSTILE}.md", "It hums at night."),
            question(3, "hub.txt", "It is green when it is on."),
            question(4, "hub.txt", f"{HOSTILE} that is not there"),
        )
    )
    space = [
        *("sentence:{1,2,3}s", "fixed:40c+{0,10}c", "sentence:3t|headers"),
        *("recursive:12t", f"recursive:20t|tokens={hostile_tokenizer}", "sentence:2t|headers"),
    ]
    return tune(corpus, gold, space, retriever="bm25")


class Reader(HTMLParser):
    """Checks that tags are closed, and collects tags and attributes."""

    VOID = frozenset({"meta", "br", "hr", "img", "input", "link", "wbr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend((tag, name, value or "") for name, value in attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend((tag, name, value or "") for name, value in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert not reader.open
    return reader


def test_every_tag_is_closed_and_none_came_from_a_user(study: Study) -> None:
    reader = read(render(study))
    assert "script" not in reader.tags
    assert "b" not in reader.tags
    assert reader.tags.count("svg") == 3
    assert reader.tags.count("h1") == 1


def test_nothing_is_loaded_from_elsewhere(study: Study) -> None:
    text = render(study)
    outside = re.sub(r'xmlns(:\w+)?="http://www\.w3\.org/[^"]*"', "", text)
    assert not re.findall(r"https?://\S*", outside)
    assert "@import" not in text
    assert "url(//" not in text
    reader = read(text)
    assert not {"link", "script", "iframe", "object", "embed"} & set(reader.tags)
    assert not [value for _, name, value in reader.attributes if name in ("src", "srcset")]
    assert not [name for _, name, _ in reader.attributes if name.startswith("on")]


def test_hostile_names_are_shown_as_they_are(study: Study, hostile_tokenizer: Path) -> None:
    text = render(study)
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "&lt;b&gt;&amp;" in text
    assert str(hostile_tokenizer.parent) in text


def test_failed_setups_and_left_out_questions_are_told(study: Study) -> None:
    text = render(study)
    assert [str(failed.setup) for failed in study.failed] == [
        "sentence:3t|headers",
        "sentence:2t|headers",
    ]
    assert "Setups that could not be used" in text
    assert "1 questions left out" in text
    assert "that is not there" in text


def test_all_figures_are_those_of_the_study(study: Study) -> None:
    text = render(study)
    for table in (leaderboard(study.evaluations, study.choice), metrics_table(study.evaluations)):
        for row in table.rows:
            for cell in row[2:]:
                assert f">{cell}<" in text
    assert f"{study.choice.field.n}, {study.gold.repeated} references count" in text
    assert study.facts["key"] in text
    assert study.facts["corpus"] in text
    assert study.facts["gold"] in text


def test_the_recommended_setup_is_marked(study: Study) -> None:
    text = render(study)
    (marked,) = re.findall(r'<tr class="marked">(.*?)</tr>', text)
    assert f"<code>{study.best.setup}</code>" in marked
    assert "→ " in marked


def test_charts_are_svg(study: Study) -> None:
    for chart in (frontier(study.evaluations, study.choice), by_size(study.evaluations)):
        drawn = svg(chart)
        assert drawn.startswith("<svg")
        assert drawn.rstrip().endswith("</svg>")
        assert "<script" not in drawn
    chart = frontier(study.evaluations, study.choice).to_dict()
    points = next(
        rows for rows in chart["datasets"].values() if len(rows) == len(study.evaluations)
    )
    assert [row["setup"] for row in points] == [str(each.setup) for each in study.evaluations]
    means = [100 * standing.mean for standing in study.choice.field.standings]
    assert [row["value"] for row in points] == pytest.approx(means)


def test_the_same_study_gives_the_same_report(study: Study) -> None:
    assert render(study) == render(study)


def test_it_is_written_whole(study: Study, tmp_path: Path) -> None:
    path = study.report(tmp_path / "new" / "report.html")
    assert path.read_text("utf-8") == render(study)
    assert list(path.parent.iterdir()) == [path]
    assert write(study, path) == path


def test_a_path_that_cannot_be_written_is_named(study: Study, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StudyError, match=r"report\.html: the report cannot be written"):
        study.report(tmp_path / "file" / "report.html")


def test_br_191_identical_chunks_have_no_winner() -> None:
    corpus = Corpus.of([Document("lamp.md", LAMP)])
    gold = GoldSet((Question("q", "What?", (Reference("lamp.md", quote="It hums at night."),)),))
    text = render(tune(corpus, gold, ["sentence:{90,99}s"], retriever="bm25"))
    assert '<p class="lead">No winner: all 2 setups give identical chunks' in text
    assert "Use it" not in text


def test_a_single_setup_has_a_report(tmp_path: Path) -> None:
    corpus = Corpus.of([Document("lamp.md", LAMP)])
    gold = GoldSet((Question("q", "What?", (Reference("lamp.md", quote="It hums at night."),)),))
    alone = tune(corpus, gold, ["sentence:2s"], retriever="bm25")
    read(render(alone))


@pytest.mark.filterwarnings("ignore::chunkwright.errors.TruncationWarning")
def test_what_was_ruled_out_and_not_read_is_shown(study: Study) -> None:
    leader = study.best.setup
    early = RuledOut(
        Setup.parse("fixed:9c|headers"), 0, "spans", 0.25, 3, leader, 0.75, 0.5, 0.5, 0.0075
    )
    lost = Truncation.of(np.array([700, 100]), 512)
    raced = replace(
        study,
        ruled_out=(early,),
        planned=study.planned + 1,
        evaluations=tuple(replace(each, truncation=lost) for each in study.evaluations),
        facts={**study.facts, "embedder": {"name": HOSTILE, "key": f"{HOSTILE}(abc)"}},
    )
    assert raced.complete
    page = render(raced)
    reader = Reader()
    reader.feed(page)
    assert not reader.open
    assert "<script" not in page
    assert "Ruled out early: 1 of 10 (1 by their spans alone)." in page
    assert "<h2>Setups measured in full</h2>" in page
    assert page.count("<code>fixed:9c|headers</code>") == 1
    assert "unread %" in page
    assert ">23.5</td>" in page
    assert "(abc)" in page
    for part in ("Ruled out early", "unread %"):
        assert part not in render(study)


def test_a_race_of_one_survivor_says_so(study: Study) -> None:
    leader = study.best.setup
    early = [
        RuledOut(each.setup, 0, "spans", 0.25, 3, leader, 0.75, 0.5, 0.5, 0.0075)
        for each in study.evaluations
        if each.setup != leader
    ]
    alone = replace(study, evaluations=(study.best,), ruled_out=tuple(early))
    assert "All others were ruled out early." in alone.choice.reason
    assert "<h2>Ruled out early</h2>" in render(alone)
