from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.integrations import skeleton as made
from chunkwright.integrations.skeleton import Wanted, occurrences, skeleton, skeletons, windows

TEXTS = st.text(st.sampled_from("ab é\u0301ﬁ\u00ad\u200b\n\t　½&;amp#3８“”\U0001d400"), max_size=40)


@given(TEXTS)
def test_every_character_comes_from_its_place(text: str) -> None:
    found = skeleton(text)
    assert len(found.points) == len(found.at)
    assert (np.diff(found.at) >= 0).all()
    if "&" not in text:
        for part, at in zip(found.text(), found.at.tolist(), strict=True):
            assert part in skeleton(text[at]).text()


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@given(text=TEXTS.filter(lambda text: "&" not in text))
def test_forms_of_unicode_are_the_same(form: str, text: str) -> None:
    # Marks on one letter in another order are another text here.
    if len(unicodedata.normalize("NFKD", text)) < 2 or "\u0301\u0301" not in text:
        assert skeleton(unicodedata.normalize(form, text)).text() == skeleton(text).text()


@given(st.lists(TEXTS, max_size=8))
def test_many_at_once_are_as_one_by_one(texts: list[str]) -> None:
    assert skeletons(texts) == [skeleton(text).text() for text in texts]


def test_a_long_text_in_parts_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "One é &amp; ﬁve " * 20
    whole = skeleton(text)
    monkeypatch.setattr(made, "_STRIP", 11)
    parted = skeleton(text)
    assert parted.text() == whole.text()
    assert parted.at.tolist() == whole.at.tolist()


@given(st.text("ab", max_size=50), st.sampled_from([1, 2, 4, 8]))
def test_windows_are_found_where_they_are(text: str, width: int) -> None:
    points = skeleton(text).points
    hashed = windows(points, width)
    assert len(hashed) == max(0, len(text) - width + 1)
    wanted = np.unique(hashed)
    index, where = occurrences(points, width, Wanted.of(wanted))
    assert sorted(where.tolist()) == list(range(len(hashed)))
    assert (wanted[index] == hashed[where]).all()
    assert len({text[at : at + width] for at in where.tolist()}) == len(wanted)
