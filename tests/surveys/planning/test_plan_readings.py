"""The planner sets the readings of a plan side by side, each with its price."""

import json
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import call_command
from django.urls import reverse

from surveys.authoring.checklist.checks import checks_of
from surveys.models import Survey
from surveys.planning.forms import PlanForm
from surveys.questionnaire.plans.readings import expected_looks
from surveys.randomized_response.designs import TwoCoins
from surveys.randomized_response.planning import Reading, people_needed, scores_shown
from tests import factories
from tests.stored import store_rows

pytestmark = pytest.mark.one_database


def needed(reading: Reading, openings: int = 4) -> int:
    shares, looks = scores_shown(TwoCoins(2)), expected_looks(openings)
    return people_needed(shares, error=Fraction(1, 20), reading=reading, looks=looks)


@pytest.mark.parametrize("reading", Reading)
def test_the_plan_leads_with_the_people_that_its_reading_needs(client, owner, reading):
    factories.make_survey(owner)
    client.force_login(owner)
    page = client.get(reverse("surveys:planner"), {"reading": reading.value}).content.decode()
    assert f"Ask <strong>{needed(reading):,}</strong> people" in page
    assert f"Save {needed(reading):,} as plan" in page
    for other in Reading:
        assert f'<td class="number">{needed(other):,}</td>' in page
    curve = client.get(reverse("surveys:planner-curve"), {"reading": reading.value})
    assert f"{needed(reading):,}" in curve.content.decode()


def test_looking_all_the_time_has_the_price_that_the_planner_says():
    form = PlanForm.from_query({"error": "0.05", "responses": "1574"})
    assert form.is_valid()
    rows = {row.reading: row for row in form.report.readings.rows}
    assert rows[Reading.ONCE].people.value == 1574
    assert rows[Reading.ONCE].error.value <= 0.05
    assert rows[Reading.ALWAYS].people.value == 3689
    assert 0.07 < rows[Reading.ALWAYS].error.value < 0.08
    assert rows[Reading.AT_OPENINGS].people.value == 2078
    assert 0.05 < rows[Reading.AT_OPENINGS].error.value < 0.06


@pytest.mark.parametrize("openings", [1, 12, 400])
def test_the_number_of_openings_has_its_price(openings):
    form = PlanForm.from_query({"reading": "openings", "openings": str(openings)})
    assert form.is_valid()
    assert form.report.n == needed(Reading.AT_OPENINGS, openings)
    assert needed(Reading.ONCE) < form.report.n < needed(Reading.ALWAYS)


@pytest.mark.parametrize("openings", ["0", "401", "-1", "2.5", "four", "９" * 20])
def test_numbers_of_openings_that_cannot_be_are_refused(openings):
    form = PlanForm.from_query({"reading": "openings", "openings": openings})
    assert not form.is_valid()
    assert list(form.errors) == ["openings"]


def test_the_command_says_the_same():
    out = StringIO()
    call_command("plan", reading="always", format="json", stdout=out)
    found = json.loads(out.getvalue())
    assert (found["reading"], found["n"]) == ("always", needed(Reading.ALWAYS))
    assert found["readings"]["once"]["people"] == needed(Reading.ONCE)
    out = StringIO()
    call_command("plan", stdout=out)
    lines = [line.split() for line in out.getvalue().splitlines()]
    assert ["once", "*", f"{needed(Reading.ONCE):,}", "±", "5", "points"] in lines


def test_the_error_of_a_mean_is_none_of_shares_and_is_not_saved(client, owner):
    survey = factories.make_survey(owner)
    client.force_login(owner)
    query = {"design": "rounded-number", "method": "normal"}
    saving = client.get(reverse("surveys:planner"), query).context["saving"]
    assert (saving["error"].value(), saving["reading"].value()) == ("", "once")
    saving = client.get(reverse("surveys:planner")).context["saving"]
    assert saving["error"].value() == Fraction(1, 20)
    given = {"survey": survey.pk, "responses": 9, "reading": "once", "failure": "1/20"}
    client.post(reverse("surveys:save-plan"), given)
    survey.refresh_from_db()
    assert (survey.planned_responses, survey.planned_error) == (9, None)
    assert survey.planned_failure == Decimal("0.05")


@pytest.mark.parametrize(("error", "failure"), [(58, 20), (97, 20), (159, 20), (20, 3_000_000)])
def test_a_number_of_the_planner_is_enough_on_the_checklist(client, owner, error, failure):
    """Parts of a whole that have no end as decimals are kept rounded, and never down."""
    draft = factories.make_survey(owner)
    factories.add_question(draft)
    client.force_login(owner)
    query = {"error": f"1/{error}", "failure": f"1/{failure}"}
    saving = client.get(reverse("surveys:planner"), query).context["saving"]
    asked = {name: saving[name].value() for name in ("responses", "reading", "error", "failure")}
    client.post(reverse("surveys:save-plan"), {"survey": draft.pk, **asked})
    checks = {check.key: check.lines for check in checks_of(Survey.objects.get(pk=draft.pk))}
    planned = f"Responses planned: {asked['responses']:,}. Results are read: once."
    assert planned in checks["sample"]
    assert "This precision is enough: the plan asks for" in checks["sample"][-1]


def test_plans_of_before_are_read_once_unless_their_number_has_come_already(owner):
    """Then the opening that had it first is over, and what it showed was not kept."""
    plans = {}
    for planned in (3, 4, None):
        survey = factories.make_open_survey(owner, planned_responses=planned)
        store_rows(survey.revision, ["000000000000018"] * 3)
        plans[planned] = survey
    import_module("surveys.migrations.0050_planned_looks").read_all_the_time(apps, None)
    found = {n: Survey.objects.get(pk=one.pk).planned_reading for n, one in plans.items()}
    assert found == {3: "always", 4: "once", None: "once"}
