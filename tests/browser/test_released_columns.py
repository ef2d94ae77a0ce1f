"""Numbers of released tables line up, in a table and in those below each other."""

import pytest
from django.urls import reverse

from tests import accessible, factories
from tests.analytics import tabulating

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
# Where margins begin, and so numbers end, by column: of all rows of all tables.
ENDS = """() => {
  const ends = {};
  for (const margin of document.querySelectorAll('.rows .margin')) {
    const cell = margin.closest('td'), column = cell.parentElement.cells.length - cell.cellIndex;
    (ends[column] ??= []).push(Math.round(margin.getBoundingClientRect().left));
  }
  return ends;
}"""


@pytest.fixture
def survey(transactional_db):
    return tabulating.make_tabulated_survey(factories.make_user())


@pytest.fixture
def released(staff_page, server, survey):
    report = tabulating.release(survey)
    address = reverse("analytics:release", args=[survey.pk, report.pk])
    staff_page.goto(server.url + address)
    return staff_page


def test_margins_stand_below_each_other_in_all_tables(released):
    ends = released.evaluate(ENDS)
    assert len(ends) == 2, "people and shares"
    assert all(len(found) > 10 for found in ends.values())
    assert [len(set(found)) for found in ends.values()] == [1, 1]


def test_digits_have_one_width_and_numbers_stand_on_the_right(released):
    cell = released.locator("td.number").first
    style = "one => [getComputedStyle(one).textAlign, getComputedStyle(one).fontVariantNumeric]"
    assert cell.evaluate(style) == ["right", "tabular-nums"]
    accessible.check(released, "released tables")
