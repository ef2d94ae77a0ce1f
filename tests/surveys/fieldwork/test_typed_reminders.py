"""What people type about reminders, in the language of their pages."""

import numpy as np
import pytest
from django.http import QueryDict
from django.utils.translation import override

from surveys.fieldwork.reminder_forms import PlanRemindersForm, read_totals
from surveys.fieldwork.reminders.errors import ReminderError


def planned(chances: str) -> PlanRemindersForm:
    query = QueryDict(mutable=True)
    query.update({"first": "2027-01-01", "last": "2027-01-05", "sends": "2", "chances": chances})
    return PlanRemindersForm(query)


@pytest.mark.parametrize("chances", ["2; 12.5", "2;12.5", "2 12.5", "2, 12.5", "2 %, 12.5 %"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_chances_are_parted_by_semicolons_blanks_and_commas_before_blanks(language, chances):
    with override(language):
        form = planned(chances.replace(" %", "%"))
        assert form.is_valid(), form.errors
        assert np.allclose(form.plan.situation.ours[[0, -1]], [0.02, 0.125])


@pytest.mark.parametrize("chances", ["2,5", "2; 12,5", "12,5 40,5"])
def test_where_decimals_have_a_comma_one_chance_is_not_read_as_two(chances):
    with override("de"):
        form = planned(chances)
        assert not form.is_valid()
        assert form.non_field_errors() == [
            "Schreiben Sie Dezimalzahlen mit Punkt, und setzen Sie zwischen Zahlen ein Semikolon "
            "oder Leerzeichen."
        ]
        assert "Semikolon" in str(form["chances"].help_text)


def test_a_comma_alone_parts_chances_where_decimals_have_a_point():
    form = planned("2,5")
    assert form.is_valid(), form.errors
    assert np.allclose(form.plan.situation.ours[[0, -1]], [0.02, 0.05])


def test_totals_may_have_their_thousands_apart():
    with override("de"):
        assert read_totals("Antworten\n900\n1.200\n1.500\n") == [900, 1200, 1500]
    assert read_totals('answers\n900\n"1,200"\n') == [900, 1200]


@pytest.mark.parametrize("totals", ["1.200\n1.500\n", "answers\n900\n1.5\n", '"1,5"\n20\n'])
def test_totals_that_are_no_whole_numbers_are_refused_on_the_first_line_too(totals):
    with pytest.raises(ReminderError, match="needs a whole number"):
        read_totals(totals)


GERMAN = "\ufeffTag;je Stunde;Antworten\r\n1;37,5;900\r\n2;12,5;1200\r\n"


@pytest.mark.parametrize("language", ["en", "de"])
def test_totals_of_a_german_spreadsheet_are_read_on_pages_of_every_language(language):
    with override(language):
        assert read_totals(GERMAN) == [900, 1200]


@pytest.mark.parametrize(
    "totals",
    [
        "1;900\n2;1200\n",
        "1\t900\n2\t1200\n",
        '"Tag";"Antworten, alle"\n"1";"900"\n"2";"1200"\n',
        '"day; UTC",answers\n1,900\n2,1200\n',
        "\ufeff900\n1200\n",
        "1;900\r2;1200\r",
    ],
)
def test_columns_are_parted_by_what_parts_the_first_line(totals):
    assert read_totals(totals) == [900, 1200]


def test_totals_of_a_german_spreadsheet_may_have_their_thousands_apart_on_german_pages():
    with override("de"):
        assert read_totals("Tag;Antworten\n1;900\n2;1.200\n") == [900, 1200]
    with pytest.raises(ReminderError, match="day 2 needs a whole number"):
        read_totals("Tag;Antworten\n1;900\n2;1.200\n")


def test_beside_semicolons_a_comma_in_a_total_may_be_that_of_a_decimal():
    """On English pages "1,200" is 1200 elsewhere; a German spreadsheet means 1.2."""
    for language in ("en", "de"):
        with override(language), pytest.raises(ReminderError, match="1,200"):
            read_totals("Tag;Antworten\n1;900\n2;1,200\n")


@pytest.mark.parametrize("totals", ["1;10,5\n2;20,5\n", "day;answers, all\n1,900\n2,1200\n"])
def test_totals_whose_first_line_does_not_say_what_parts_columns_are_refused(totals):
    with pytest.raises(ReminderError, match="separate columns either by commas or by semicolons"):
        read_totals(totals)


@pytest.mark.parametrize(
    "totals", ["900\n1,200\n", "day;answers\n1;900\n1200\n", "1,900\n2,1,200\n"]
)
def test_totals_in_lines_of_different_lengths_are_refused(totals):
    """A comma of thousands would leave the total's end as the last column."""
    with pytest.raises(ReminderError, match="as many columns as the first line"):
        read_totals(totals)


def test_a_page_says_in_german_what_parts_columns():
    query = QueryDict(mutable=True)
    query.update({"first": "2027-01-01", "last": "2027-01-05", "totals": "1;10,5", "asked": "99"})
    with override("de"):
        form = PlanRemindersForm(query)
        assert "trennen Sie Spalten entweder durch Kommas oder durch Semikolons" in str(form.errors)
        assert "Semikolon" in str(form["totals"].help_text)


@pytest.mark.parametrize(
    ("chances", "said"),
    [
        ("50 22.5", "Ihre Erfolgsaussichten = 0,43125 an Tag 2 ist nicht möglich"),
        ("0", "Ihre Erfolgsaussichten = 0 an allen Tagen ist nicht möglich"),
    ],
)
def test_chances_that_cannot_be_are_named_in_the_language_of_the_page(chances, said):
    with override("de"):
        assert said in planned(chances).non_field_errors()[0]


def test_too_few_people_asked_are_named_in_full():
    query = QueryDict(mutable=True)
    days = {"first": "2027-01-01", "last": "2027-01-05"}
    query.update({**days, "totals": "900\n1200500", "asked": "1000"})
    with override("de"):
        assert (
            "mindestens 1.200.500, weil so viele Menschen"
            in PlanRemindersForm(query).non_field_errors()[0]
        )
