"""The first lines of a dashboard: how sure, against the plan, and what comes next."""

from math import sqrt

import pytest

from surveys.authoring.services import close
from surveys.planning.services import set_plan
from surveys.results.overview import Overview, overview
from surveys.results.progress import progress_of
from surveys.results.queries import response_count
from surveys.results.questions import all_reports
from surveys.results.reading import Reading
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
    return overview(survey, progress, response_count(survey.revision), reports_of(survey))


def test_the_widest_interval_of_all_pictures_is_named_with_its_question(answered):
    widest = {
        report.number: max(row.shown.width for row in report.drawn_rows)
        for report in reports_of(answered)
        if report.number != 7  # a number, which has no share
    }
    found = shown(answered)
    assert found.number == max(widest, key=widest.get)
    assert found.reach == f"{50 * max(widest.values()):.1f} points"


def test_the_plan_says_what_it_makes_of_the_interval(answered):
    assert shown(answered).planned == ""
    set_plan(survey=answered, responses=396, by=answered.owner)
    answered.refresh_from_db()
    found = shown(answered)
    reach = float(found.reach.split()[0]) * sqrt(99 / 396)
    assert "With the 396 planned responses it will be about" in found.planned
    assert float(found.planned.split("± ")[1].split()[0]) == pytest.approx(reach, abs=0.06)
    assert found.next_step == "297 more responses reach the plan."


def test_a_plan_that_is_reached_and_a_closed_survey_say_so(answered):
    set_plan(survey=answered, responses=99, by=answered.owner)
    answered.refresh_from_db()
    assert shown(answered).planned == "The plan is reached."
    assert "Close the survey" in shown(answered).next_step
    close(survey=answered, by=answered.owner)
    answered.refresh_from_db()
    assert shown(answered).next_step == "Collecting is over: these results are final."


def test_without_answers_nothing_is_sure_and_a_plan_comes_next(survey):
    assert shown(survey) == Overview(
        None, "", "", "Say how sure you want to be: a plan tells how many people that takes."
    )
