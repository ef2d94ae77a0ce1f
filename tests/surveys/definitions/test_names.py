"""Names of questions and values: what is valid, and the nearest valid name to any text."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.definitions.names import (
    LONGEST_NAME,
    free_name,
    free_value,
    is_name,
    is_value,
    name_problem,
    repeated,
)


@pytest.mark.parametrize("name", ["a", "affair", "Q1", "x_2", "a" * LONGEST_NAME, "string"])
def test_letters_digits_and_underscores_after_a_letter_are_a_name(name):
    assert is_name(name)
    assert name_problem(name) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The name is empty. Write a name."),
        ("a" * 25, "has 25 characters, but a name can have at most 24. Shorten the name."),
        ("1st", "Begin with a letter"),
        ("AO-1", "use only letters from a to z, digits and “_”"),
        ("größe", "use only letters from a to z"),
        ("العمر", "use only letters from a to z"),
        ("_x", "Begin with a letter"),
        ("WITH", "SPSS or Stata"),
        ("if", "SPSS or Stata"),
        ("str12", "SPSS or Stata"),
        ("strL", "SPSS or Stata"),
    ],
)
def test_what_is_no_name_says_what_to_do(text, words):
    assert words in (name_problem(text) or "")
    assert not is_name(text)


@pytest.mark.parametrize("value", ["0", "1", "999", "yes", "AO_1"])
def test_a_value_is_a_name_or_a_whole_number(value):
    assert is_value(value)


@pytest.mark.parametrize("value", ["", "01", "-9", "1.5", "1a", "٣", "1" * 10])
def test_other_values_are_refused_because_columns_end_in_them(value):
    assert not is_value(value)


def test_a_name_that_is_there_again_in_another_case_is_repeated_once():
    assert repeated(["age", "b", "AGE", "Age", "c", "B"]) == ["AGE", "B"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("age", "age"),
        ("AO-1", "AO_1"),
        ("Größe", "Grosse"),
        ("geflüchtet straße", "gefluchtet_strasse"),
        ("2nd", "q_2nd"),
        ("if", "q_if"),
        ("العمر", "q"),
        ("", "q"),
        ("-- a --", "a"),
        ("a" * 100, "a" * 24),
    ],
)
def test_a_text_becomes_the_nearest_name(text, name):
    assert free_name(text, (), "q") == name


def test_a_name_that_is_used_is_numbered_and_keeps_its_length():
    assert free_name("Age", {"age"}, "q") == "Age_2"
    assert free_name("age", {"age", "age_2"}, "q") == "age_3"
    assert free_name("a" * 24, {"a" * 24}, "q") == "a" * 22 + "_2"


@pytest.mark.parametrize(
    ("text", "used", "value"),
    [
        ("01", (), "1"),
        ("01", {"1"}, "v_01"),
        ("1", {"1"}, "v_1"),
        ("-99", (), "v_99"),
        ("AO-1", (), "AO_1"),
        ("ao 1", {"ao_1"}, "ao_1_2"),
        ("or", (), "v_or"),
    ],
)
def test_a_text_becomes_the_nearest_value(text, used, value):
    assert free_value(text, used) == value


@given(st.lists(st.text(alphabet=[*string.printable, "ü", "ß", "ع", "漢"], max_size=40)))
def test_any_texts_become_names_of_which_no_two_are_the_same(texts):
    used: set[str] = set()
    for text in texts:
        name = free_name(text, used, "q")
        assert is_name(name)
        assert name.casefold() not in used
        used.add(name.casefold())
