"""The first lines of a dashboard: how sure, against the plan, and what comes next."""

from dataclasses import replace
from decimal import Decimal

import pytest

from surveys.authoring.services import close
from surveys.counts.looks import planned_look
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.planning.services import set_plan
from surveys.questionnaire.plans.readings import Plan, enough, least_sure
from surveys.randomized_response.intervals import Interval
from surveys.results.overview import Overview, overview
from surveys.results.progress import progress_of
from surveys.results.queries import response_count
from surveys.results.questions import all_reports
from surveys.results.reading import Reading
from surveys.results.rows.plans import standing
from surveys.results.shares import share_row
from surveys.wording.readings import error_words
from tests.stored import store_rows


@pytest.fixture
def answered(survey):
    """A hundred answers, a third of them yes."""
    store_rows(survey.revision, ["000000000000018", "000000000000035", "010101010101042"] * 33)
    return survey


def reports_of(survey):
    return [report for report, _ in all_reports(survey.revision, Reading())]


def shown(survey) -> Overview:
    progress = progress_of(survey, survey.revision)
    stands = standing(survey, survey.revision, progress, planned_look(survey.revision.pk))
    responses = response_count(survey.revision)
    return overview(survey, progress, responses, reports_of(survey), stands)


def planned(survey: Survey, responses: int, **fields) -> Survey:
    """The same survey with a plan, as it is read all the time unless the test says how."""
    fields = {"planned_reading": "always", **fields}
    Survey.objects.filter(pk=survey.pk).update(planned_responses=responses, **fields)
    return Survey.objects.get(pk=survey.pk)


def of_all(report):
    """A picture's shares of all who were asked; a share among those who answered is a ratio."""
    return [row for row in report.drawn_rows if row != report.among_answered]


def test_the_share_with_the_widest_interval_of_all_pictures_is_named_with_its_question(answered):
    half = {
        report.number: max(row.interval.width / 2 for row in of_all(report))
        for report in reports_of(answered)
        if report.number != 7  # a number, which has no share
    }
    found = shown(answered)
    assert half[found.number] == max(half.values())
    assert found.reach == error_words(max(half.values()))


def with_row(report, row):
    """The overview of one question, whose first row is another one."""
    return replace(report, rows=(row,), among_answered=None)


def test_a_share_among_those_who_answered_does_not_alarm(answered):
    report = next(one for one in reports_of(answered) if one.number == 1)
    ratio = share_row(
        "Yes, among people who answered", None, 0.5, None, Interval(0.0, 1.0, 0.95, "score")
    )
    alone = overview(answered, progress_of(answered, answered.revision), 99, [report])
    among = replace(report, among_asked=(ratio,))
    assert overview(answered, progress_of(answered, answered.revision), 99, [among]) == alone


def test_the_reach_is_half_the_interval_as_computed_and_not_as_cut_off(answered):
    """So that a plan for half a width is reached at its number, whatever is answered."""
    report = next(one for one in reports_of(answered) if one.number == 1)
    progress = progress_of(answered, answered.revision)
    for low, high, said in ((-0.02, 0.12, "7 points"), (-0.9, 1.3, "more than 100 points")):
        row = share_row("Yes", 2, 0.02, 0.02, Interval(low, high, 0.95, "score"))
        assert overview(answered, progress, 99, [with_row(report, row)]).reach == said


@pytest.mark.parametrize(("reading", "name"), [("once", "once"), ("always", "all the time")])
def test_a_plan_says_what_its_number_is_good_for_in_its_reading(answered, reading, name):
    assert shown(answered).planned == ""
    survey = planned(answered, 396, planned_reading=reading)
    _, half = least_sure(questionnaire_of(survey.revision), Plan.of(survey))
    found = shown(survey)
    assert found.planned == (
        f"Planned: 396 responses, at most ± {error_words(half)} (95 %; "
        f"looks at the results: {name})."
    )
    assert found.next_step == "The plan needs 297 more responses."


def test_a_plan_whose_number_is_too_small_for_its_error_says_so_before_it_is_reached(answered):
    survey = planned(answered, 396, planned_error=Decimal(5))
    needed = enough(questionnaire_of(survey.revision), Plan.of(survey))
    assert f"is not enough: the plan asks for ± 5 points, which needs {needed:,}" in (
        shown(survey).planned
    )
    survey = planned(answered, needed, planned_error=Decimal(5))
    assert "This precision is enough: the plan asks for ± 5 points." in shown(survey).planned
    assert "is not enough" in shown(planned(answered, needed - 1)).planned


def test_enough_is_the_wanted_error_in_the_reading_of_the_plan_and_not_the_count(answered):
    """99 answers are as many as were planned, and intervals for all looks are too wide."""
    assert shown(planned(answered, 99)).planned == "The planned number of responses is reached."
    assert "Close the survey" in shown(planned(answered, 99)).next_step
    survey = planned(answered, 99, planned_error=Decimal(25))
    found = shown(survey)
    once = float(found.reach.split()[0])
    assert once < 25  # the page is read for one look here, and the plan all the time
    assert "The wanted error is not reached. The error is ± " in found.planned
    assert found.planned.endswith(
        ", and the plan asks for at most ± 25 points (looks at the results: all the time)."
    )
    assert "needed to make certain that the error is as small as wanted." in found.next_step
    survey = planned(answered, 99, planned_error=Decimal(60))
    assert shown(survey).planned.startswith("The plan is reached. The error is ± ")


def test_a_closed_survey_says_if_its_plan_was_reached(answered):
    survey = planned(answered, 99, planned_error=Decimal(60))
    close(survey=survey, by=survey.owner)
    survey.refresh_from_db()
    assert shown(survey).planned.startswith("The plan is reached.")
    assert shown(survey).next_step == "Data collection is over: these results are final."
    short = planned(survey, 500)
    assert shown(short).planned.startswith("The 500 planned responses were not reached.")


def test_a_plan_that_is_made_after_a_look_is_read_all_the_time(answered):
    assert set_plan(survey=answered, responses=300, by=answered.owner) == "always"
    answered.refresh_from_db()
    assert answered.planned_reading == "always"


def test_without_answers_nothing_is_sure_and_a_plan_comes_next(survey):
    assert shown(survey) == Overview(
        None,
        "",
        "",
        "Decide how precise the results should be. A plan shows how many people you need for this "
        "precision.",
    )
    assert set_plan(survey=survey, responses=300, by=survey.owner) == "once"
