"""The report to hand over on paper: numbered pages, and none of them nearly empty."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from surveys.demonstration.affairs import load_answers, open_affairs_survey, submit_answers
from surveys.models import Survey
from surveys.results.handover.report import report_html
from surveys.results.queries import reading_now
from surveys.results.rows.compared import PlannedMarks
from tests import accessible
from tests.printed import printed_pages

pytestmark = [pytest.mark.browser, pytest.mark.one_tab]

MARGIN = 18 / 25.4 * 72  # the lower one, in points; it has the page's number


def written(survey: Survey, folder: Path) -> Path:
    """The report as it is downloaded."""
    survey = Survey.objects.get(pk=survey.pk)
    reading = reading_now(survey, survey.revision)
    page = report_html(survey, survey.revision, reading, PlannedMarks(0), date(2026, 3, 4))
    file = folder / "report.html"
    file.write_text(page)
    return file


@pytest.fixture
def demonstration(owner, tmp_path) -> Path:
    """That of the demonstration, whose people are 400 here instead of 6,366."""
    survey = open_affairs_survey(owner, planned_responses=6152)
    people = load_answers().sample(400, random_state=1)
    submit_answers(
        survey.revision, people, rng=np.random.default_rng(1), progress=lambda bodies, _: bodies
    )
    return written(survey, tmp_path)


def test_that_of_the_demonstration_has_at_most_eleven_pages_none_nearly_empty(
    watched_page, demonstration
):
    watched_page.goto(demonstration.as_uri())
    printed = printed_pages(watched_page.pdf(prefer_css_page_size=True))
    filled = [round(one.filled(MARGIN), 2) for one in printed]
    assert 5 <= len(printed) <= 11, filled
    assert min(filled) > 0.33, filled
    assert {round(one.height) for one in printed} == {842}  # A4
    assert all(any(y < MARGIN for y in one.texts) for one in printed)  # its number
    accessible.check(watched_page, "report to hand over")  # on wide and narrow screens
