"""The report to hand over on paper: numbered pages, none nearly empty, none of half a question."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from surveys.demonstration.affairs import load_answers, open_affairs_survey, submit_answers
from surveys.models import Question, Survey
from surveys.results.handover.report import report_html
from surveys.results.queries import reading_now
from surveys.results.rows.compared import PlannedMarks
from tests import accessible, factories
from tests.printed import printed_pages
from tests.stored import answer

pytestmark = [pytest.mark.browser, pytest.mark.one_tab]

MARGIN = 18 / 25.4 * 72  # the lower one, in points; it has the page's number
ROOM = (178, 263)  # within the margins, in millimetres
PIXELS = 96 / 25.4  # in a millimetre


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


def test_no_question_takes_more_than_a_page_however_many_answers_it_has(page, owner, tmp_path):
    draft, direct = factories.make_survey(owner), Question.Design.DIRECT
    factories.add_one_of_each(draft)
    many = [f"Place number {number} on the list" for number in range(20)]
    factories.add_question(draft, *many, text="Where?", kind=Question.Kind.CHOICE, design=direct)
    rows = "\n".join(f"Row number {number}" for number in range(12))
    factories.add_matrix(draft, *"ABCDE", table_rows=rows, design=direct)
    factories.add_long_list(draft)
    survey = factories.launched(draft)
    answer(survey, 30)
    page.goto(written(survey, tmp_path).as_uri())
    page.emulate_media(media="print")
    width, height = (round(side * PIXELS) for side in ROOM)
    page.set_viewport_size({"width": width, "height": height})
    questions = page.locator("section.question")
    heights = questions.evaluate_all("all => all.map(one => one.offsetHeight)")
    assert len(heights) == 10
    assert max(heights) <= height
