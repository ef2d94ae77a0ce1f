"""Digits of Arabic and Persian are read, and ASCII is stored."""

import pytest

from surveys.questionnaire.numerals import ascii_digits, ascii_number


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("٠١٢٣٤٥٦٧٨٩", "0123456789"),
        ("۰۱۲۳۴۵۶۷۸۹", "0123456789"),
        (" ٧٫٥ ", "7.5"),
        ("-۲,۵", "-2.5"),
        ("\u2212٢٫٥", "-2.5"),
        ("seven", "seven"),
        ("७", "७"),  # Devanagari is no script of a language that is offered
    ],
)
def test_numbers_are_read_in_the_digits_of_the_languages(typed, read):
    assert ascii_number(typed) == read


def test_of_a_date_the_digits_alone_are_read():
    assert ascii_digits("٢٠٢٦-٠١-٣١") == "2026-01-31"
