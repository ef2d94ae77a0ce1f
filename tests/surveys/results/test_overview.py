"""The first lines of a dashboard: how sure, against the plan, and what comes next."""

from dataclasses import replace
from math import sqrt

import pytest

from surveys.authoring.services import close
from surveys.planning.services import set_plan
from surveys.randomized_response.intervals import Interval
from surveys.results.overview import Overview, overview
from surveys.results.progress import progress_of
from surveys.results.queries import response_count
from surveys.results.questions import all_reports
from surveys.results.reading import Reading
from surveys.results.shares import share_row
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


def of_all(report):
    """A picture's shares of all who were asked; a share among those who answered is a ratio."""
    return [row for row in report.drawn_rows if row != report.among_answered]


def test_the_share_with_the_farthest_end_of_all_pictures_is_named_with_its_question(answered):
    farthest = {
        report.number: max(
            max(row.shown.high - row.shown_share, row.shown_share - row.shown.low)
            for row in of_all(report)
        )
        for report in reports_of(answered)
        if report.number != 7  # a number, which has no share
    }
    found = shown(answered)
    assert found.number == max(farthest, key=farthest.get)
    assert found.reach == f"{100 * max(farthest.values()):.1f} points"


def with_row(report, row):
    """The overview of one question, whose first row is another one."""
    return replace(report, rows=(row,), among_answered=None)


def test_a_share_among_those_who_answered_does_not_alarm(answered):
    report = next(one for one in reports_of(answered) if one.number == 1)
    ratio = share_row(
        "Yes, among those who answered", None, 0.5, None, Interval(0.0, 1.0, 0.95, "score")
    )
    alone = overview(answered, progress_of(answered, answered.revision), 99, [report])
    among = replace(report, among_asked=(ratio,))
    assert overview(answered, progress_of(answered, answered.revision), 99, [among]) == alone


def test_at_most_holds_on_both_sides_of_an_estimate(answered):
    report = next(one for one in reports_of(answered) if one.number == 1)
    row = share_row("Yes", 2, 0.02, 0.02, Interval(0.0, 0.12, 0.95, "score"))
    progress = progress_of(answered, answered.revision)
    assert overview(answered, progress, 99, [with_row(report, row)]).reach == "10 points"


def test_the_plan_shrinks_the_interval_as_computed_and_not_as_cut_off(answered):
    set_plan(survey=answered, responses=396, by=answered.owner)
    answered.refresh_from_db()
    report = next(one for one in reports_of(answered) if one.number == 1)
    row = share_row("Yes", 50, 0.5, 0.4, Interval(-0.3, 1.3, 0.95, "score"))
    found = overview(
        answered, progress_of(answered, answered.revision), 99, [with_row(report, row)]
    )
    assert found.reach == "50 points"
    assert found.planned.endswith("about ± 40 points.")


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
