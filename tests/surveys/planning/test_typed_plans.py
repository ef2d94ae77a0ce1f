"""What people type into the planner, in the language of its page."""

from fractions import Fraction

import pytest
from django.utils.translation import override

from surveys.planning.forms import PlanForm

FORCED = {"design": "forced-response", "forced": "1/4; 0.5"}


def planned(**asked: str) -> PlanForm:
    return PlanForm.from_query(FORCED | asked)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("forced", ["1/4; 0.5", "1/4 0.5", "1/4, 0.5", "1/4,0.5"])
def test_probabilities_are_parted_by_semicolons_blanks_and_commas_that_are_no_decimals(
    language, forced
):
    with override(language):
        form = planned(forced=forced)
        assert form.is_valid(), form.errors
        assert form.cleaned_data["forced"] == (Fraction(1, 4), Fraction(1, 2))


@pytest.mark.parametrize("forced", ["0,25; 0,5", "0,25 0,5", "0,1"])
def test_where_decimals_have_a_comma_one_probability_is_not_read_as_two(forced):
    with override("de"):
        form = planned(forced=forced)
        assert not form.is_valid()
        assert form.errors["forced"] == [
            "Schreiben Sie Dezimalzahlen mit Punkt, und setzen Sie zwischen Zahlen ein Semikolon "
            "oder Leerzeichen."
        ]


@pytest.mark.parametrize("answers", ["2; 2; 5", "2 2 5", "2, 2, 5", "2,2,5"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_numbers_of_answers_are_whole_so_that_each_comma_parts_them(language, answers):
    with override(language):
        form = planned(budget="2", answers=answers)
        assert form.is_valid(), form.errors
        assert form.cleaned_data["answers"] == (2, 2, 5)


@pytest.mark.parametrize(
    ("language", "shown"),
    [("en", ("1/4, 1/4", "2, 2, 2")), ("de", ("1/4; 1/4", "2; 2; 2"))],
)
def test_a_page_shows_lists_as_it_reads_them_and_its_link_asks_the_same_everywhere(language, shown):
    with override(language):
        form = PlanForm.from_query({"design": "forced-response", "budget": "2"})
        assert (form["forced"].value(), form["answers"].value()) == shown
        assert form.is_valid(), form.errors
    for other in ("en", "de"):
        with override(other):
            again = planned(forced=shown[0], budget="2", answers=shown[1])
            assert again.is_valid(), again.errors
            assert again.cleaned_data == form.cleaned_data


def test_german_help_and_refusals_show_the_form_that_is_read():
    with override("de"):
        form = planned(forced="1/4", budget="2", answers="1")
        assert "Semikolon" in str(form["forced"].help_text)
        assert "1/6; 1/6" in str(form.errors["forced"])
        assert "2; 2; 5" in str(form.errors["answers"])
