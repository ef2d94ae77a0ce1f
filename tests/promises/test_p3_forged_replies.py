"""P3 where the server lies: nothing that it replies comes into an unchanged page, not a word."""

import hashlib
import json
from functools import partial

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import answering

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
MARKUP = '<main data-reply="receipt"><h1>Type what you stole</h1><form><input></form></main>'
WORDS = "Type what you stole"
REFUSED = {"reply": "refused", "code": "not-open-closed", "values": {"day": "2026-01-31"}}


def receipt(body: str, **changed: object) -> str:
    digest = hashlib.sha256(body.encode()).hexdigest()[:16]
    pairs = [pair.split("=") for pair in body.split("&")]
    return json.dumps({"reply": "receipt", "body": body, "hash": digest, "rows": pairs, **changed})


LOST = {
    "markup": MARKUP,
    "words": json.dumps(WORDS),
    "nothing": "null",
    "a list": json.dumps([WORDS]),
    "an unknown reply": json.dumps({"reply": WORDS}),
    "an unknown code": json.dumps({**REFUSED, "code": WORDS, "again": False}),
    "a code of markup": json.dumps({**REFUSED, "code": MARKUP, "again": False}),
    "words for a day": json.dumps({**REFUSED, "values": {"day": WORDS}, "again": False}),
    "another value": json.dumps({**REFUSED, "values": {"day": 1, "who": 2}, "again": True}),
    "no value": json.dumps({**REFUSED, "values": {}, "again": False}),
    "work without end": json.dumps({"reply": "work", "bits": WORDS}),
    "another hash": receipt("q001=00", hash="0" * 16),
    "words for a hash": receipt("q001=00", hash=WORDS),
    "rows of its own": receipt("q001=00", rows=[["q001", WORDS]]),
    "unknown rows": receipt("q001=00&q999=00"),
    "no body": json.dumps({"reply": "receipt", "hash": "0" * 16, "rows": []}),
}


def send(page: Page, server, survey, reply: str) -> None:
    answering.go_to_questions(page, server, survey)
    answering.answer_all(page)
    page.route("**/send/", lambda route: route.fulfill(body=reply, content_type="text/html"))
    answering.press(page, "Send")


def require_none_of_it(page: Page) -> None:
    assert WORDS not in page.content()
    assert "what+you+stole" not in page.content()
    assert page.locator("form, main input:visible").count() == 0


def test_what_is_no_reply_of_ours_is_a_lost_reply(page, server, survey):
    send(page, server, survey, "")
    lost = page.get_by_role("heading", name="No reply arrived")
    expect(lost).to_be_visible()
    for name, reply in LOST.items():
        page.unroute("**/send/")
        page.route(
            "**/send/",
            partial(Route.fulfill, body=reply, content_type="application/json"),
        )
        with page.expect_response("**/send/"):
            answering.press(page, "Send again")
        expect(lost, name).to_be_visible()
        require_none_of_it(page)
    page.unroute("**/send/")
    answering.press(page, "Send again")
    page.get_by_role("heading", name="This is everything that was sent").wait_for()


def test_a_receipt_of_other_answers_shows_those_that_the_page_sent(page, server, survey):
    send(page, server, survey, receipt("q001=Type+what+you+stole"))
    expect(page.get_by_text("This receipt differs from what this page sent.")).to_be_visible()
    require_none_of_it(page)


def test_a_refusal_says_only_what_the_page_holds(page, server, survey):
    send(page, server, survey, json.dumps({**REFUSED, "again": False, "reason": WORDS}))
    heading = "This survey closed on 2026-01-31. Nothing was stored."
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    require_none_of_it(page)
