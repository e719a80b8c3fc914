"""The work of a study: what is asked of a setup is looked up in the journal, or done and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from chunkwright.evaluation.ceilings import Ceiling
from chunkwright.evaluation.experiment import Evaluation
from chunkwright.setup import Setup
from chunkwright.tuning.journal import Failed, Kept, RuledOut, Writer
from chunkwright.tuning.trials import Crew, Task, Trial

Progress = Callable[[Setup, "Evaluation | Failed | RuledOut", int, int], None]
# Numbers of questions, ascending.
Questions = tuple[int, ...]


class Work:
    """Results of setups, from the journal or fresh.

    Args:
        crew: Does tasks.
        kept: What the journal holds.
        key: The key of the study.
        retriever: Name of its retriever.
        metric: Name of the metric that decides.
        questions: How many there are.
        planned: How many setups there are.
        writer: The open journal, if there is one.
        progress: Told of each setup that is settled: measured, unusable or ruled out.

    A race that goes on where it was stopped has to decide as it did: so what it has not asked for
    yet is not in `done`, even if the journal holds it.

    Attributes:
        done: Setups measured on all questions, as far as they were asked for.
        failed: Unusable ones.
        ceilings: What spans alone decide.
        ruled_out: Setups that a race left early.
    """

    def __init__(
        self,
        crew: Crew,
        kept: Kept,
        key: str,
        retriever: str,
        metric: str,
        questions: int,
        planned: int,
        writer: Writer | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.retriever = retriever
        self.metric = metric
        self.questions = questions
        self.planned = planned
        self.done: dict[Setup, Evaluation] = {}
        self.failed = kept.failed
        self.ceilings: dict[Setup, Ceiling] = {}
        self.ruled_out: dict[Setup, RuledOut] = {}
        self._crew = crew
        self._kept = kept
        self._key = key
        self._writer = writer
        self._progress = progress
        self._settled: set[Setup] = set()

    def measure(self, setups: Sequence[Setup], blocks: Sequence[Questions] = ()) -> None:
        """Measure setups on all questions; fills `done` and `failed`.

        Args:
            setups: The setups, in the order in which they are measured.
            blocks: The parts of the questions on which they were measured already.
        """
        asked = {number for block in blocks for number in block}
        rest = tuple(at for at in range(self.questions) if at not in asked) if asked else None
        kept = self._kept.trials
        fresh = [each for each in setups if each not in kept and each not in self.failed]
        results = self._crew([Task(setup, "trial", rest) for setup in fresh])
        for setup in setups:
            if setup not in kept and setup not in self.failed:
                result, seconds = next(results)
                if isinstance(result, Evaluation):
                    if rest is not None:
                        parts = [self._kept.parts[setup, self.retriever, each] for each in blocks]
                        result = merged([*parts, result], [*blocks, rest])
                    # Written first: what Ctrl-C leaves without its line must not be shown.
                    if self._writer is not None:
                        self._writer.trial(self._key, result, seconds)
                    kept[setup] = result
                else:
                    self._fail(result)
            if setup in kept:
                self.done[setup] = kept[setup]
            self._settle(setup, kept.get(setup) or self.failed[setup])

    def look_at_spans(self, setups: Sequence[Setup]) -> None:
        """Find what spans alone decide; fills `ceilings` and `failed`."""
        kept = self._kept.ceilings
        missing = [
            each for each in setups if (each, self.metric) not in kept and each not in self.failed
        ]
        for setup, trial in self._fresh([Task(setup, "spans", None, True) for setup in missing]):
            if isinstance(trial.result, Ceiling):
                kept[setup, self.metric] = trial.result
                if self._writer is not None:
                    self._writer.ceiling(self._key, trial.result, trial.seconds)
            else:
                self._fail(trial.result)
        for setup in setups:
            if setup in self.failed:
                self._settle(setup, self.failed[setup])
            else:
                self.ceilings[setup] = kept[setup, self.metric]

    def ask(self, setups: Sequence[Setup], questions: Questions) -> list[Evaluation]:
        """Setups on some questions. They stay measured, for `measure` to go on from there."""
        return self._parts(setups, self.retriever, questions)

    def screen(self, setups: Sequence[Setup], screen: str) -> list[Evaluation]:
        """Setups on all questions, by the cheaper retriever of that name."""
        return self._parts(setups, screen, None)

    def _parts(
        self, setups: Sequence[Setup], retriever: str, questions: Questions | None
    ) -> list[Evaluation]:
        kept = self._kept.parts
        own = retriever == self.retriever
        for setup in setups:
            whole = self._kept.trials.get(setup)
            if own and questions is not None and whole is not None:
                kept[setup, retriever, questions] = part_of(whole, questions)
        missing = [setup for setup in setups if (setup, retriever, questions) not in kept]
        tasks = [Task(setup, "trial" if own else "screen", questions, True) for setup in missing]
        for setup, (result, seconds) in self._fresh(tasks):
            assert isinstance(result, Evaluation)  # it was cut before
            kept[setup, retriever, questions] = result
            if self._writer is not None:
                self._writer.part(self._key, result, questions, seconds)
        return [kept[setup, retriever, questions] for setup in setups]

    def rule_out(self, ruled_out: RuledOut) -> None:
        """Leave a setup, and write down why."""
        self.ruled_out[ruled_out.setup] = ruled_out
        decision = (self.metric, ruled_out)
        if decision not in self._kept.ruled_out:
            self._kept.ruled_out.add(decision)
            if self._writer is not None:
                self._writer.ruled_out(self._key, self.metric, ruled_out)
        self._settle(ruled_out.setup, ruled_out)

    def _fresh(self, tasks: Sequence[Task]) -> Iterator[tuple[Setup, Trial]]:
        for task, trial in zip(tasks, self._crew(tasks), strict=True):
            yield task.setup, trial

    def _fail(self, result: object) -> None:
        assert isinstance(result, Failed)
        self.failed[result.setup] = result
        if self._writer is not None:
            self._writer.failed(self._key, result)

    def _settle(self, setup: Setup, result: Evaluation | Failed | RuledOut) -> None:
        if setup in self._settled:
            return
        self._settled.add(setup)
        if self._progress is not None:
            self._progress(setup, result, len(self._settled), self.planned)


def part_of(evaluation: Evaluation, questions: Questions) -> Evaluation:
    """A setup's figures on some of the questions. Which of them are tied is not known any more."""
    at = np.array(questions, np.int64)
    return replace(
        evaluation,
        values={name: row[at] for name, row in evaluation.values.items()},
        sent_tokens={name: row[at] for name, row in evaluation.sent_tokens.items()},
        ties={},
    )


def merged(parts: Sequence[Evaluation], blocks: Sequence[Questions]) -> Evaluation:
    """A setup's figures on all questions, from those on parts of them that leave none out."""
    back = np.argsort(np.concatenate([np.array(block, np.int64) for block in blocks]))
    first = parts[0]
    return replace(
        first,
        values={
            name: np.concatenate([part.values[name] for part in parts])[back]
            for name in first.values
        },
        sent_tokens={
            name: np.concatenate([part.sent_tokens[name] for part in parts])[back]
            for name in first.sent_tokens
        },
        ties={name: sum(part.ties[name] for part in parts) for name in first.ties},
    )
