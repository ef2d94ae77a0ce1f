"""The receipt that the page makes of codes says what the one without script says."""

import json
from typing import Any

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.test import Client
from django.urls import reverse
from django.utils.translation import override
from playwright.sync_api import Page

from surveys.collecting.pages import FORM
from surveys.models import Survey
from tests.bodies import body_of
from tests.browser import answering
from tests.factories import add_rating, launched, make_lists, make_survey
from tests.sixty import make_sixty, random_bodies

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
ROWS = """page => [...page.querySelectorAll('tbody tr')].map(
    row => [...row.querySelectorAll('th, b, .how')].map(one => one.textContent.trim()))"""
IN_PAGE = f"""async ([module, replies]) => {{
    const {{ receiptOf }} = await import(module);
    const receipts = await Promise.all(replies.map(reply => receiptOf(reply, reply.body)));
    return receipts.map({ROWS});
}}"""
IN_HTML = f"""pages => pages.map(
    page => ({ROWS})(new DOMParser().parseFromString(page, 'text/html')))"""


def sent(address: str, body: bytes, accepted: str) -> str:
    headers = {"Sec-Fetch-Site": "same-origin", "Accept": accepted}
    return Client().post(address, body, content_type=FORM, headers=headers).content.decode()


def receipts(page: Page, survey: Survey, bodies: list[bytes]) -> tuple[Any, Any]:
    """The rows that the page writes, and those of the server."""
    address = reverse("respondent:send", args=[survey.pk])
    replies = [json.loads(sent(address, body, "application/json")) for body in bodies]
    pages = [sent(address, body, "text/html") for body in bodies]
    module = staticfiles_storage.url("surveys/collecting/replies.js")
    return page.evaluate(IN_PAGE, [module, replies]), page.evaluate(IN_HTML, pages)


@pytest.mark.parametrize(
    "language", ["ar", *(pytest.param(name, marks=pytest.mark.audit) for name in ("en", "de"))]
)
def test_rows_of_sixty_questions_say_the_same_in_every_language(page, server, owner, language):
    survey = make_sixty(owner, "de", "ar")
    with override(language):
        page.goto(answering.address(server, survey))
        in_page, in_html = receipts(page, survey, random_bodies(survey, 20))
    # The group comes first in what is sent, and last on the page of the server.
    in_page = [[*answers, group] for group, *answers in in_page]
    assert in_page == in_html


def test_rows_of_long_lists_say_the_same(page, server, owner):
    survey = make_lists(owner)
    page.goto(answering.address(server, survey))
    in_page, in_html = receipts(page, survey, [body_of(survey.revision)])
    assert in_page == in_html


def test_items_that_the_page_drew_are_named_in_its_receipt(page, server, owner):
    """Of five, two are drawn; the names of all came with the page."""
    draft = make_survey(owner)
    add_rating(draft, text="How good?", size=5, shown=2)
    survey = launched(draft)
    answering.open_start(page, server, survey)
    answering.press(page, "Start")
    names = answering.step(page).locator("legend .text").all_inner_texts()
    for group in answering.step(page).get_by_role("group", name="Item").all():
        group.get_by_label("Good", exact=True).check()
    answering.press(page, "Continue")
    answering.send(page)
    rows = page.locator("tbody th").all_inner_texts()
    assert sorted(rows) == sorted(f"How good?: {name}" for name in names)
