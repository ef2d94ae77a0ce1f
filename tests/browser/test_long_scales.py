"""Long scales in a real browser: answered, sent as a group, read on every page."""

import pytest
from playwright.sync_api import Page

from surveys.models import Response, Survey
from surveys.models.queries import questionnaire_of
from tests import accessible, factories
from tests.browser import answering
from tests.browser.answering import give, press, raw
from tests.factories import add_long_scale

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_tab,
    pytest.mark.survey(make=factories.launched_with(add_long_scale)),
]


def states(page: Page, server, survey):
    answering.go_to_questions(page, server, survey)
    yield "question"
    give(page, "6")
    press(page, "Continue")
    answering.send(page)
    yield "receipt"
    check_receipt(page, survey)
    for name in ("own-coin", "how-it-works"):
        page.goto(answering.address(server, survey, name))
        yield name


def check_receipt(page: Page, survey: Survey) -> None:
    """What was sent is a group of answers, stored as the receipt says."""
    code = raw(page).rpartition("=")[2]
    (item,) = questionnaire_of(survey.revision).items
    assert Response.objects.get().answers == code
    assert item.label(code) in page.inner_text("table")


def test_a_group_is_sent_and_every_state_is_accessible(page, server, survey):
    page.set_viewport_size({"width": 320, "height": 800})
    for state in states(page, server, survey):
        accessible.check_narrow(page, state)
