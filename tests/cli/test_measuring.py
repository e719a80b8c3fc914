"""`eval` and `tune`."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from chunkwright import registry
from chunkwright.tuning import trials
from tests.cli.conftest import Command, one_line, write_gold
from tests.retrieval.fakes import Words

EVAL = ["eval", "docs", "--gold", "gold.jsonl", "--retriever", "bm25"]
TUNE = ["tune", "docs", "--gold", "gold.jsonl", "--retriever", "bm25", "-o", "study"]
SPACE = ["--space", "sentence:{1,2}s", "--space", "fixed:20c+{0,5}c"]


class TestEval:
    def test_one_setup_shows_every_metric(self, command: Command, here: Path) -> None:
        done = command(*EVAL, "-s", "sentence:1s")
        assert done.status == 0
        assert "2 documents, 72 characters; 2 questions; retriever bm25" in done.out
        for metric in ("hit_rate@1000t", "hit_rate@5", "recall@5", "ndcg@5", "precision_omega"):
            assert re.search(rf"  {metric} +\d+\.\d %  n=2\n", done.out)
        assert "warnings rate" in done.out
        assert "5 chunks" in done.out

    def test_several_setups_are_ranked(self, command: Command, here: Path) -> None:
        done = command(*EVAL, "-s", "sentence:{1,2}s", "-s", "fixed:20c")
        assert done.status == 0
        for setup in ("sentence:1s", "sentence:2s", "fixed:20c"):
            assert setup in done.out
        assert "Recommended: " in done.out
        assert re.search(r"→ \d", done.out)

    def test_as_json(self, command: Command, here: Path) -> None:
        done = command(*EVAL, "-s", "sentence:{1,2}s", "--json", "--k", "3", "--budget", "50")
        assert done.status == 0
        found = json.loads(done.out)
        assert {row["setup"] for row in found["setups"]} == {"sentence:1s", "sentence:2s"}
        assert found["metric"] == "hit_rate@50t"
        assert found["questions"] == 2
        for row in found["setups"]:
            assert {"hit_rate@50t", "hit_rate@3", "precision_omega"} <= set(row["metrics"])
            assert {"document_hit_rate@50t", "document_hit_rate@3"} <= set(row["metrics"])
            assert set(row["ties"]) == {"@50t", "@3"}
            assert all(0 <= value <= 1 for value in row["metrics"].values())

    @pytest.mark.parametrize("space", ["fixed:1000c", "fixed:{1000,30}c"])
    def test_ties_are_told_only_where_there_are_some(
        self, command: Command, here: Path, space: str
    ) -> None:
        """BR-187: equal chunks in several documents, and a cutoff between them."""
        tied = ["eval", "docs", "--gold", "gold.jsonl", "--retriever", "bm25", "-s", space]
        done = command(*tied, "--k", "9")
        assert "Equal scores" not in done.out
        for name in "abc":
            (here / "docs" / f"{name}.txt").write_text("Nothing is said of either.\n")
        done = command(*tied, "--k", "3")
        assert re.search(r"Equal scores decide what counts for 2 questions @3:", done.out)

    @pytest.mark.parametrize(
        ("arguments", "word"),
        [
            (["--retriever", "bm26"], "unknown retriever 'bm26': did you mean 'bm25'?"),
            (["--metric", "hit_rat"], "unknown metric 'hit_rat': did you mean 'hit_rate'?"),
            (["--metric", "hit rate"], "is not a metric: write one like 'hit_rate@1000t'"),
            (["-s", "fixd:9c"], "unknown strategy 'fixd': did you mean 'fixed'?"),
            (["--gold", "none.jsonl"], "none.jsonl: no such file; check the path"),
        ],
    )
    def test_a_mistake_shows_the_nearest(
        self, command: Command, here: Path, arguments: list[str], word: str
    ) -> None:
        done = command(*EVAL, "-s", "sentence:1s", *arguments)
        assert done.status == 2
        assert word in one_line(done)

    @pytest.mark.parametrize(
        ("line", "word"),
        [
            ("{nope", "gold.jsonl:3: not JSON"),
            ('{"id": "q"}', "gold.jsonl:3: no column 'question'"),
            ('{"id": "q1", "question": "?", "references": []}', "gold.jsonl:3: question id 'q1'"),
            ("[]", "gold.jsonl:3: the line must be an object"),
        ],
    )
    def test_a_bad_line_is_named(self, command: Command, here: Path, line: str, word: str) -> None:
        with (here / "gold.jsonl").open("a") as file:
            file.write(line + "\n")
        done = command(*EVAL, "-s", "sentence:1s")
        assert done.status == 2
        assert word in one_line(done)

    def test_no_usable_question(self, command: Command, here: Path) -> None:
        write_gold(here / "gold.jsonl", ("lamp.md", "It blinks red."))
        done = command(*EVAL, "-s", "sentence:1s")
        assert done.status == 2
        assert "chunkwright gold check" in one_line(done)

    def test_a_question_left_out_is_told(self, command: Command, here: Path) -> None:
        write_gold(here / "gold.jsonl", ("lamp.md", "It blinks red."), ("hub.txt", "The hub hums."))
        done = command(*EVAL, "-s", "sentence:1s")
        assert done.status == 0
        assert "1 question (1 left out)" in done.out
        assert "'It blinks red.' is not in 'lamp.md'" in done.err

    def test_a_bad_document_is_named(self, command: Command, here: Path) -> None:
        (here / "docs" / "broken.txt").write_bytes(b"\x00\x01\xff")
        done = command(*EVAL, "-s", "sentence:1s")
        assert done.status == 3
        assert "docs/broken.txt: binary" in done.err

    def test_the_static_retrievers_work_offline(self, command: Command, here: Path) -> None:
        for retriever in ("static", "hybrid"):
            done = command(*EVAL[:4], "--retriever", retriever, "-s", "sentence:1s", "--json")
            assert done.status == 0
            assert json.loads(done.out)["facts"]["retriever"] == retriever


class TestTune:
    def test_it_recommends_and_keeps_a_journal_and_a_report(
        self, command: Command, here: Path
    ) -> None:
        done = command(*TUNE, *SPACE)
        assert done.status == 0
        assert "Recommended: " in done.out
        assert "Report: study/report.html" in done.out
        assert {path.name for path in (here / "study").iterdir()} == {
            *("analysis", "journal.jsonl", "report.html")
        }
        journal = (here / "study" / "journal.jsonl").read_text("utf-8")
        lines = [json.loads(line) for line in journal.splitlines()]
        assert [line["kind"] for line in lines] == ["study", *["trial"] * 4]

    def test_json_and_report_show_the_same_figures(self, command: Command, here: Path) -> None:
        done = command(*TUNE, *SPACE, "--json")
        assert done.status == 0
        found = json.loads(done.out)
        page = (here / "study" / "report.html").read_text("utf-8")
        assert f"<code>{found['recommended']}</code>" in page
        for row in found["setups"]:
            (cells,) = re.findall(
                rf"<tr[^>]*><td[^>]*>[^<]*</td><td[^>]*><code>{re.escape(row['setup'])}</code></td>"
                r"(.*?)</tr>",
                page,
            )
            shown = re.findall(r">([^<]*)</td>", cells)
            metrics = row["metrics"]
            assert shown[0] == f"{100 * metrics['hit_rate@1000t']:.1f}"
            assert shown[2] == row["verdict"]
            assert shown[3] == f"{100 * metrics['hit_rate@5']:.1f}"
            assert shown[7] == str(row["chunks"])
            assert shown[10] == str(row["stored_tokens"])

    def test_a_stopped_study_goes_on(
        self, command: Command, here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tried: list[str] = []
        original = trials.Bench.run

        def stops_at_the_third(bench: trials.Bench, task: trials.Task) -> trials.Trial:
            if len(tried) == 2:
                raise KeyboardInterrupt
            tried.append(str(task.setup))
            return original(bench, task)

        monkeypatch.setattr(trials.Bench, "run", stops_at_the_third)
        done = command(*TUNE, *SPACE)
        assert done.status == 130
        assert "stopped after 2 of 4 setups; run the same command to go on" in done.err
        assert "Recommended: " in done.out

        def goes_on(bench: trials.Bench, task: trials.Task) -> trials.Trial:
            tried.append(str(task.setup))
            return original(bench, task)

        monkeypatch.setattr(trials.Bench, "run", goes_on)
        done = command(*TUNE, *SPACE)
        assert done.status == 0
        assert tried == ["sentence:1s", "fixed:20c", "sentence:2s", "fixed:20c+5c"]

    def test_a_resumed_study_gives_the_same_figures(self, command: Command, here: Path) -> None:
        first = json.loads(command(*TUNE, *SPACE, "--json").out)
        assert json.loads(command(*TUNE, *SPACE, "--json").out) == first

    def test_a_setup_without_room_is_told_and_stops_nothing(
        self, command: Command, here: Path
    ) -> None:
        done = command(*TUNE, "--space", "sentence:{3,40}t|headers")
        assert done.status == 0
        assert "warning: sentence:3t|headers: size 3 tokens leaves no room" in done.err
        assert "sentence:40t|headers" in done.out

    def test_nothing_that_could_be_measured(self, command: Command, here: Path) -> None:
        done = command(*TUNE, "--space", "sentence:3t|headers")
        assert done.status == 2
        assert "no setup could be measured" in done.err
        assert "Traceback" not in done.err

    def test_a_space_from_a_file(self, command: Command, here: Path) -> None:
        (here / "space.txt").write_text("# two setups\nsentence:{1,2}s\n\n")
        done = command(*TUNE, "--space", "@space.txt", "--json")
        assert done.status == 0
        assert len(json.loads(done.out)["setups"]) == 2

    @pytest.mark.parametrize(
        ("space", "word"),
        [
            ("@none.txt", "space file none.txt: cannot be read"),
            ("sentense:9c", "did you mean 'sentence'?"),
            ("", "is not a setup"),
        ],
    )
    def test_a_bad_space(self, command: Command, here: Path, space: str, word: str) -> None:
        done = command(*TUNE, "--space", space)
        assert done.status == 2
        assert word in one_line(done)
        assert not (here / "study").exists()

    def test_a_folder_with_another_journal(self, command: Command, here: Path) -> None:
        (here / "study").mkdir()
        (here / "study" / "journal.jsonl").write_text("not a journal\n")
        done = command(*TUNE, *SPACE)
        assert done.status == 2
        assert "study/journal.jsonl:1: not a line of a journal" in one_line(done)
        assert (here / "study" / "journal.jsonl").read_text() == "not a journal\n"

    def test_a_file_in_the_way_of_the_folder(self, command: Command, here: Path) -> None:
        (here / "study").write_text("in the way")
        done = command(*TUNE, *SPACE)
        assert done.status == 2
        assert "study" in one_line(done)

    def test_identical_cuts_give_no_winner(self, command: Command, here: Path) -> None:
        """BR-191: all documents are shorter than one chunk."""
        done = command(*TUNE, "--space", "sentence:{500,900}t")
        assert done.status == 0
        flat = " ".join(done.out.split())
        assert "No winner: all 2 setups give identical chunks, so nothing can be chosen." in flat
        assert not re.search(r"\bbetter\b|\bleads\b|Recommended", done.out)
        found = json.loads(command(*TUNE, "--space", "sentence:{500,900}t", "--json").out)
        assert found["recommended"] is None
        assert {row["verdict"] for row in found["setups"]} == {"equivalent"}


EXAMPLES = Path(__file__).parents[2] / "examples"


class TestRace:
    ARGUMENTS = (
        *("tune", EXAMPLES / "docs", "--gold", EXAMPLES / "gold.jsonl", "-o", "study"),
        *("--space", "{recursive,sentence}:{60,200,400}t", "--space", "header:200t"),
    )
    SETUPS = 7

    def test_what_was_ruled_out_is_told_and_listed_apart(
        self, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        done = command(*self.ARGUMENTS, "--race")
        assert done.status == 0
        told = re.search(
            r"^Ruled out early: (\d+) of 7 \((\d+) by their spans alone, (\d+) on a part of the "
            r"questions\)$",
            done.out,
            re.M,
        )
        assert told
        all_, spans, questions = map(int, told.groups())
        assert all_ == spans + questions > 2
        assert f"{self.SETUPS - all_} setups in" in done.err
        assert f"{all_} ruled out early" in done.err
        page = (tmp_path / "study" / "report.html").read_text("utf-8")
        assert "<h2>Ruled out early</h2>" in page
        assert f"<caption>{all_} setups ruled out early</caption>" in page

        found = json.loads(command(*self.ARGUMENTS, "--race", "--json").out)
        assert len(found["ruled_out"]) == all_
        assert len(found["setups"]) == self.SETUPS - all_
        assert found["complete"]
        for row in found["ruled_out"]:
            assert row["setup"] not in {each["setup"] for each in found["setups"]}
            assert row["by"] in ("spans", "questions")
            assert row["behind_low"] > row["margin"] > 0
            assert 0 < row["questions"] <= found["questions"]
            assert row["figure"] < row["leader_figure"]
            assert 0 <= row["ceiling"] <= 1 < row["tokens_at_perfect_retrieval"]
        for row in found["setups"]:
            assert row["ceiling"] >= row["metrics"]["hit_rate@1000t"]

    def test_without_it_all_setups_are_ranked(
        self, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for arguments in ((), ("--no-race",)):
            found = json.loads(command(*self.ARGUMENTS, *arguments, "--json").out)
            assert (found["ruled_out"], len(found["setups"])) == ([], self.SETUPS)
            assert "ceiling" not in found["setups"][0]


class TestEmbedders:
    @pytest.fixture
    def words(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Words:
        """An embedder that reads five words, by the name `few`; a cache of its own."""
        made = Words(limit=5)
        monkeypatch.setitem(registry.BUILT_IN["embedders"], "few", "none:none")
        monkeypatch.setattr("chunkwright.retrieval.dense.embedder", lambda name: made)
        monkeypatch.setattr("chunkwright.retrieval.late.embedder", lambda name: made)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        return made

    def test_a_line_a_setup_says_what_is_not_read(
        self, command: Command, here: Path, words: Words
    ) -> None:
        done = command(*EVAL[:4], "--retriever", "few", "-s", "sentence:{1,20}s", "-s", "fixed:90t")
        assert done.status == 0
        assert "retriever few" in done.out
        lines = [line for line in done.err.splitlines() if line.startswith("warning: ")]
        assert len(lines) == 2
        for setup in ("sentence:20s", "fixed:90t"):
            (line,) = (line for line in lines if f"chunks of {setup} are longer" in line)
            assert "tokens" in line
            assert "not seen" in line

    def test_the_share_is_shown(self, command: Command, here: Path, words: Words) -> None:
        done = command(*EVAL[:4], "--retriever", "few", "-s", "sentence:20s")
        share = re.search(r"not read by the embedder: (\d+\.\d) % of the tokens", done.out)
        assert share
        found = json.loads(
            command(*EVAL[:4], "--retriever", "few", "-s", "sentence:20s", "--json").out
        )
        (row,) = found["setups"]
        assert row["truncation"]["limit"] == 5
        assert f"{100 * row['truncation']['share']:.1f}" == share[1]
        assert found["facts"]["embedder"]["key"] == words.key

    def test_vectors_are_kept_beside_the_journal(
        self, command: Command, here: Path, words: Words
    ) -> None:
        done = command(*TUNE[:4], "--retriever", "few", "-o", "study", *SPACE, "--no-race")
        assert done.status == 0
        assert (here / "study" / "vectors.sqlite").is_file()
        assert not (here / "cache").exists()
        asked = len(words.asked)
        (here / "study" / "journal.jsonl").unlink()
        command(*TUNE[:4], "--retriever", "few", "-o", "study", *SPACE, "--no-race")
        assert len(words.asked) == asked

    def test_eval_keeps_them_in_the_users_cache(
        self, command: Command, here: Path, words: Words
    ) -> None:
        command(*EVAL[:4], "--retriever", "late:few", "-s", "sentence:1s")
        assert (here / "cache" / "chunkwright" / "vectors.sqlite").is_file()

    def test_a_race_is_the_default_where_a_model_runs(
        self, command: Command, here: Path, words: Words
    ) -> None:
        done = command(*TUNE[:4], "--retriever", "few", "-o", "study", *SPACE, "--json")
        assert done.status == 0
        assert all("ceiling" in row for row in json.loads(done.out)["setups"])

    def test_help_names_them_and_the_network_is_not_asked(
        self, command: Command, here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        # Without the frame, and with words put together that it parts.
        shown = re.sub(r"[│\s]", "", command("tune", "--help").out)
        for name in ("bm25", "minilm", "late", "wordllama", "sentence-transformers:", "--no-race"):
            assert name in shown
        command(*EVAL, "-s", "sentence:1s")
        assert os.environ["HF_HUB_OFFLINE"] == "1"
        monkeypatch.setenv("HF_HUB_OFFLINE", "0")
        command(*EVAL, "-s", "sentence:1s")
        assert os.environ["HF_HUB_OFFLINE"] == "0"

    def test_a_folder_without_a_model_is_named(
        self, command: Command, here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        done = command(*EVAL[:4], "--retriever", "sentence-transformers:docs", "-s", "sentence:1s")
        assert done.status == 2
        assert "docs holds no model of sentence-transformers" in one_line(done)
