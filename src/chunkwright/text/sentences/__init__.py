"""Where sentences, lines and clauses start.

`candidates.py` lists where a sentence may start, `judgement.py` looks closely at one place, and
`languages/` holds what each language abbreviates, one file a language, for its speakers to mend.
"""

from chunkwright.text.sentences.candidates import (
    clause_starts,
    ended_starts,
    is_cased,
    sentence_starts,
    stop_starts,
)
from chunkwright.text.sentences.judgement import is_sentence_start
from chunkwright.text.sentences.lines import line_sentence_starts

__all__ = [
    "clause_starts",
    "ended_starts",
    "is_cased",
    "is_sentence_start",
    "line_sentence_starts",
    "sentence_starts",
    "stop_starts",
]
