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
            "Schreiben Sie Dezimalzahlen mit Punkt; trennen Sie Zahlen mit Semikolon oder "
            "Leerzeichen."
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
