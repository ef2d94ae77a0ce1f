"""Numbers on pages: with the separators of the language, and no zero has a minus."""

import pytest
from django.utils.translation import override

from analytics.reports.release_page import people_words
from analytics.reports.words import points_words
from surveys.wording.language.numbers import decimal, number_words, per_cent, percent


@pytest.mark.parametrize("value", [0.0, -0.0, -0.0004, 0.0004])
def test_what_is_rounded_to_zero_has_no_minus(value):
    assert percent(value) == per_cent(value) == "0.0 %"
    assert decimal(value, 1) == "0.0"
    assert number_words(value) == number_words(value, 0) == people_words(value) == "0"
    assert points_words(value) == "+0.0"


def test_other_numbers_keep_their_sign():
    assert (percent(-0.123), percent(None), decimal(-1.25, 2)) == ("−12.3 %", "–", "−1.25")
    assert (number_words(-1234.5), people_words(-1234.4)) == ("−1,234.5", "−1,234")
    assert (points_words(-0.05), points_words(0.05)) == ("-5.0", "+5.0")


def test_separators_are_those_of_the_language():
    with override("de"):
        assert (percent(0.1234), number_words(1234.5)) == ("12,3 %", "1.234,5")
        assert (decimal(-0.5, 1), people_words(-12345)) == ("−0,5", "−12.345")
