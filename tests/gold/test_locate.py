import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkwright.gold.locate import Searcher, copies, is_telling, nearest
from chunkwright.spans import Span


@pytest.mark.parametrize(
    ("quote", "telling"),
    [
        ("one two three four", False),
        ("one two three four five", True),
        ("a-very-long-word-that-is-still-one-word", False),
        ("東京都は日本の首都である", False),
        ("東京都は日本の首都である。人口は約千四百万人である", True),
        ("สงครามโลกครั้งที่สอง", False),  # "the Second World War": 20 code points, 15 letters
    ],
)
def test_what_is_long_enough_to_count_anywhere(quote, telling):
    assert is_telling(quote) is telling


@pytest.mark.parametrize(("position", "at"), [(-5, 0), (0, 0), (4, 0), (5, 8), (8, 8), (99, 8)])
def test_the_nearest_place(position, at):
    assert nearest("lamp or lamp", "lamp", position) == at


def test_a_number_is_never_cut():
    text = "It costs 30 euros, not 3, in 2030."
    assert nearest(text, "3", 9) == 23
    assert nearest(text, "It costs 3", 0) == -1
    assert nearest(text, "30", 99) == 9
    assert copies(text, "3") == [(23, 24)]


def test_copies_do_not_overlap_each_other_or_their_own_span():
    assert copies("abababa", "aba") == [(0, 3), (4, 7)]
    assert copies("abababa", "aba", Span(2, 5)) == []
    assert copies("aaaa", "a", Span(1, 2)) == [(0, 1), (2, 3), (3, 4)]


@pytest.mark.parametrize(
    ("text", "quote", "found", "overlooked"),
    [
        ("It blinks blue.", "blinks", "blinks", ""),
        (
            "It\r\n  blinks\u00a0blue.",
            "It blinks blue.",
            "It\r\n  blinks\u00a0blue.",
            "white space",
        ),
        ("It blinks.", " It\nblinks. ", "It blinks.", "white space"),
        ("It’s “blue” – now", 'It\'s "blue" - now', "It’s “blue” – now", "typography and case"),
        ("THE LAMP\nis on", "The lamp is ON", "THE LAMP\nis on", "typography and case"),
        ("İİ the lamp", "The Lamp", "the lamp", "typography and case"),
    ],
)
def test_a_quote_is_found_in_other_dress(text, quote, found, overlooked):
    result = Searcher(text).find(quote, 0)
    assert text[slice(*result.span)] == found
    assert result.overlooked == overlooked


def test_the_nearest_is_found_in_other_dress_too():
    text = "The lamp.  The   lamp.  The lamp."
    assert Searcher(text).find("the  lamp", 12).span == (11, 21)


@pytest.mark.parametrize(
    ("text", "quote"), [("", "x"), (" ", "x"), ("It blinks", "It does not"), ("It", " \n ")]
)
def test_what_is_not_there_is_not_found(text, quote):
    assert Searcher(text).find(quote, 0) is None


@given(st.text("aB ’'\n\r\x1c\x85\u2028İ東"), st.data())
def test_any_stretch_is_found_with_its_white_space_changed(text, data):
    start = data.draw(st.integers(0, len(text)))
    words = text[start : data.draw(st.integers(start, len(text)))].split()
    found = Searcher(text).find("\n\n".join(words), start)
    assert not words or text[slice(*found.span)].split() == words


@pytest.mark.parametrize(
    ("text", "quote", "numbers"),
    [
        ("fees cut from $32 to $8.", "Fees cut from $32 to $18.", ("18", "8")),
        ("the budget is 1,500.50 euros", "the budget is 1,500 euros", ("1,500", "1,500.50")),
        ("42 lamps were sold", "43 lamps were sold", ("43", "42")),
    ],
)
def test_a_passage_with_other_numbers(text, quote, numbers):
    other = Searcher(text).find_other_numbers(quote)
    assert (other.theirs, other.ours) == numbers
    assert other.span.end <= len(text)


@pytest.mark.parametrize("quote", ["43", "in 43", "no number here at all", "44 desks were sold"])
def test_a_number_alone_is_no_passage(quote):
    assert Searcher("42 lamps were sold in 42").find_other_numbers(quote) is None


def test_a_long_row_of_numbers_takes_no_time():
    text = "7," * 100_000 + "7 lamps were sold"
    assert Searcher(text).find_other_numbers("5 lamps were told 5 times") is None
