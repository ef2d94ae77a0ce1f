"""Tokens in a real browser: made after the second factor, used by a program, revoked."""

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.urls import reverse

from surveys.programs.tokens.texts import TOKEN
from tests import accessible, accounts, factories
from tests.browser.test_accounts import enter_code, press
from tests.tour import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def ask(server, token: str, path: str, body: bytes | None = None) -> tuple[int, dict]:
    """What a program is answered, over the network."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        with urlopen(Request(f"{server.url}/api/v1/{path}", body, headers)) as reply:
            assert "Set-Cookie" not in reply.headers
            return reply.status, json.load(reply)
    except HTTPError as refusal:
        return refusal.code, json.load(refusal)


def test_a_token_is_made_used_and_revoked_and_stands_in_no_log(fresh_page, server):
    page, ada = fresh_page, factories.make_user("ada")
    survey = factories.make_open_survey(ada, title="Habits")
    secret = accounts.set_up_app(ada)
    page.goto(server.url + reverse("surveys:tokens"))
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Log in")
    enter_code(page, secret, "Log in")
    page.goto(server.url + reverse("mfa_index"))
    page.get_by_role("link", name="See your tokens").click()
    assert "You have no token" in page.inner_text("main")
    accessible.check(page, "no token")
    page.get_by_label("Name", exact=True).fill("nightly")
    page.get_by_label("Access to").select_option("Habits")
    page.get_by_label("Read results").check()
    press(page, "Make the token")
    token = page.locator("code.token").inner_text()
    assert TOKEN.fullmatch(token)
    accessible.check(page, "a new token")
    assert ask(server, token, "me")[1]["account"] == "ada"
    status, estimates = ask(server, token, f"surveys/{survey.pk}/estimates")
    assert (status, estimates["title"]) == (200, "Habits")
    large = b'{"error": "' + b"9" * 1_500_000 + b'"}'
    assert ask(server, token, "plan", large)[0] == 409
    page.goto(server.url + reverse("surveys:survey-tokens", args=[survey.pk]))
    accessible.check(page, "tokens of a survey")
    page.goto(server.url + reverse("surveys:tokens"))
    assert token not in page.content()
    press(page, "Revoke nightly")
    assert "No program can use it any more." in page.inner_text("main")
    assert ask(server, token, "me")[0] == 401
    assert token[-43:] not in server.printed()
