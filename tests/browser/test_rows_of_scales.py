"""Five answers of a table's row stand in one row, or below each other: none is left over."""

import pytest
from django.urls import reverse

from tests import factories
from tests.browser import answering

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
FIVE = ("Never", "Rarely", "Sometimes", "Often", "Most of the time")
# Where the answers of the first row stand: how many lines they take, and how many columns.
SPREAD = """scale => {
  const boxes = [...scale.querySelectorAll('.choice')].map(one => one.getBoundingClientRect());
  const count = name => new Set(boxes.map(box => Math.round(box[name]))).size;
  return [count('top'), count('left')];
}"""


@pytest.fixture
def survey(transactional_db):
    draft = factories.make_survey(factories.make_user())
    factories.add_matrix(draft, *FIVE, design="direct")
    return draft


@pytest.mark.parametrize(("width", "spread"), [(1280, [1, 5]), (320, [5, 1])])
def test_respondents_see_them_in_one_row_or_one_column(page, server, survey, width, spread):
    page.set_viewport_size({"width": width, "height": 800})
    answering.go_to_questions(page, server, factories.launched(survey))
    assert page.locator(".scale:visible").first.evaluate(SPREAD) == spread
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1280, 1920])
def test_their_author_sees_them_so_beside_the_form(staff_page, server, survey, width):
    staff_page.set_viewport_size({"width": width, "height": 800})
    (question,) = survey.questions.filter(kind="matrix")
    change = reverse("admin:surveys_question_change", args=[question.pk])
    staff_page.goto(server.url + change)
    assert staff_page.locator(".sketched .scale").first.evaluate(SPREAD) in ([5, 1], [1, 5])
