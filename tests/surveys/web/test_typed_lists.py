"""Several numbers in one field: what parts them depends on what a decimal looks like."""

import pytest
from django.core.exceptions import ValidationError
from django.utils.translation import override

from surveys.web.forms import read_parts, refuse_thousands
from surveys.wording.language.numbers import parted


@pytest.mark.parametrize("typed", ["2; 5", "2;5", "2 5", "2, 5", " 2 ;\t5; "])
@pytest.mark.parametrize("language", ["en", "de"])
def test_semicolons_blanks_and_commas_before_blanks_part_numbers(language, typed):
    with override(language):
        assert read_parts(typed) == read_parts(typed, takes_commas=True) == ["2", "5"]


def test_a_comma_alone_parts_numbers_where_decimals_have_a_point():
    assert read_parts("2,5") == read_parts("2,5", takes_commas=True) == ["2", "5"]


@pytest.mark.parametrize("typed", ["2,5", "1; 2,5", "1/4 0,5"])
def test_where_decimals_have_a_comma_one_number_is_not_read_as_two(typed):
    with override("de"), pytest.raises(ValidationError, match="Dezimalzahlen mit Punkt"):
        read_parts(typed)


@pytest.mark.parametrize(
    ("typed", "parts"), [("2,5", ["2,5"]), ("2,5; 3", ["2,5", "3"]), ("2,5 3,5", ["2,5", "3,5"])]
)
def test_a_field_of_decimals_with_commas_reads_one_number(typed, parts):
    with override("de"):
        assert read_parts(typed, takes_commas=True) == parts


def test_semicolons_leave_commas_to_decimals_in_every_language():
    assert read_parts("2,5; 3", takes_commas=True) == ["2,5", "3"]


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_comma_behind_a_fraction_is_none_of_a_decimal(language):
    with override(language):
        assert read_parts("1/4,1/4") == ["1/4", "1/4"]


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_percent_sign_belongs_to_the_number_before_it(language):
    with override(language):
        assert read_parts("2 %, 5 %") == ["2%", "5%"]


@pytest.mark.parametrize("number", ["1.000", "12.500", "-1.250"])
def test_where_thousands_have_a_point_a_number_that_may_be_a_thousand_is_refused(number):
    refuse_thousands([number])
    with override("de"), pytest.raises(ValidationError, match="lässt sich auf zwei Weisen lesen"):
        refuse_thousands(["1", number])


@pytest.mark.parametrize("number", ["1000", "12.5", "1.0000", "0.125", "1/4"])
def test_other_numbers_have_one_meaning(number):
    with override("de"):
        refuse_thousands([number])


@pytest.mark.parametrize(("language", "shown"), [("en", "20, 80"), ("de", "20; 80")])
def test_numbers_are_shown_as_they_are_read(language, shown):
    with override(language):
        assert parted(["20", 80]) == shown
        assert read_parts(shown) == ["20", "80"]
