"""Marks in authors' texts: what is emphasis and what is a list, and what stays as it is."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.questionnaire.logic.marks import blocks_of, pieces_of, plain, plain_line, shape_of
from surveys.questionnaire.logic.quotes import QUOTE

TYPED = st.text(alphabet="*-1. {}a\n é<&", max_size=40)


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("Do *not* count it.", [("not", "em")]),
        ("Do **not ever** count it.", [("not ever", "strong")]),
        ("(*one*), “**two**”", [("one", "em"), ("two", "strong")]),
        ("*{your answer to question 3}* again", [("{your answer to question 3}", "em")]),
        ("هل *تدخن*؟", [("تدخن", "em")]),
        ("これは*重要*です", [("重要", "em")]),
        ("و*تدخن* الآن", [("تدخن", "em")]),
    ],
)
def test_stars_around_words_are_emphasis(line, marked):
    assert [piece for piece in pieces_of(line) if piece[1]] == marked


@pytest.mark.parametrize(
    "line",
    [
        "5*3*2",
        "5 * 3 * 2",
        "Schüler*innen und Lehrer*innen",
        "trans* people",
        "* noted below",
        "*",
        "****",
        "***both***",
        "**not closed*",
        "* blank *",
        "*cut {your answer* to question 3}",
        "{what you *did* say in 3}",
        "_under_ `code` [a](https://example.org) ![b](c) # heading > quoted <b>bold</b> \\*",
    ],
)
def test_all_else_stays_as_it_was_written(line):
    assert pieces_of(line) == [(line, "")]
    assert plain_line(line) == line


def test_emphasis_is_not_nested():
    assert pieces_of("**a *b* c**") == [("**a ", ""), ("b", "em"), (" c**", "")]


def test_emphasis_ends_with_its_line():
    assert plain("*one\ntwo*") == "*one\ntwo*"


def test_lines_that_begin_with_a_hyphen_or_a_number_are_lists():
    blocks = blocks_of("Before:\nyou\n- one\n - *two*\n\n1. first\n3. third\n2020. was\n-none")
    assert [(block.kind, [line.words for line in block.lines]) for block in blocks] == [
        ("lines", ["Before:", "you"]),
        ("bullets", ["one", "*two*"]),
        ("numbers", ["first", "third"]),
        ("lines", ["2020. was", "-none"]),
    ]
    assert [line.number for line in blocks[2].lines] == [1, 3]


def test_plain_words_keep_lists_and_lose_emphasis():
    assert plain("*Please*:\r\n- **rest**\r\n- drink") == "Please:\n- rest\n- drink"


def test_a_translation_has_the_same_shape_if_it_marks_as_much():
    text = "*Do* this:\n- **one**\n- two"
    assert shape_of(text) == shape_of("Tun *Sie*\ndies:\n- eins\n- **zwei**")
    for other in ("Do this:\n- **one**\n- two", "*Do* this:\n1. **one**\n2. two", "*Do* **this**"):
        assert shape_of(other) != shape_of(text)


@given(TYPED)
def test_pieces_lose_nothing_but_stars(text):
    for line in text.splitlines():
        words = "".join(words for words, _ in pieces_of(line))
        assert words.replace("*", "") == line.replace("*", "")


@given(TYPED)
def test_what_is_quoted_stays_whole(text):
    for line in text.splitlines():
        assert len(QUOTE.findall(plain_line(line))) == len(QUOTE.findall(line))


@pytest.mark.parametrize(
    "text",
    [
        "*" * 40_000,
        "**a " * 10_000,
        "*a" * 20_000,
        "(*a " * 10_000,
        "*a* " * 10_000,
        "- " * 20_000,
        "{a " * 13_000,
        "*a{" * 13_000,
        " " * 40_000,
        "**" + " a" * 20_000,
        "1. - " * 8_000,
    ],
)
def test_a_text_that_nests_thousands_of_times_costs_little(text):
    begun = time.process_time()
    plain(text)
    blocks_of(text)
    assert time.process_time() - begun < 0.5
