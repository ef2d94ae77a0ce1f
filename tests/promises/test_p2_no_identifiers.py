"""P2: no identifiers on respondent pages: no cookie, no storage, no validator."""

import re
import secrets
import urllib.error
import urllib.request

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.urls import reverse

from surveys.authoring.services import close
from surveys.collecting.pages import FORM
from tests.bodies import body_of
from tests.browser import answering
from tests.conftest import ROOT
from tests.factories import make_open_survey, make_survey
from tests.tour import respondent_pages

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]
MARKS = {"set-cookie", "etag", "last-modified"}
STORED = """async () => ({
    cookies: document.cookie,
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    databases: await indexedDB.databases(),
    caches: window.caches ? await caches.keys() : [],
    state: history.state,
    workers: (await navigator.serviceWorker?.getRegistrations() ?? []).length,
    name: window.name,
})"""
NOTHING = {
    "cookies": "",
    "local": [],
    "session": [],
    "databases": [],
    "caches": [],
    "state": None,
    "workers": 0,
    "name": "",
}


def ask(address: str, *, method: str = "GET", body: bytes | None = None, **headers: str):
    """(status, headers) of one request, whatever its status."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(address, data=body, method=method, headers=named)
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.status, reply.headers
    except urllib.error.HTTPError as reply:
        with reply:
            return reply.code, reply.headers


def marks(headers) -> set[str]:
    return MARKS & {name.lower() for name in headers}


def test_no_page_and_no_file_marks_a_browser(server, survey, owner):
    closed = make_open_survey(owner)
    close(survey=closed, by=owner)
    pages = [*respondent_pages(survey), *respondent_pages(closed)[:3]]
    pages += respondent_pages(make_survey(owner))[:1]
    folder = ROOT / "static" / "surveys" / "collecting"
    files = [f"surveys/collecting/{file.name}" for file in folder.iterdir()]
    seen = set()
    for address in pages + [staticfiles_storage.url(name) for name in files] + ["/static/no.js"]:
        status, headers = ask(server.url + address)
        seen.add(status)
        assert not marks(headers), address
    assert seen == {200, 404, 410}


def test_no_reply_to_a_submission_marks_a_browser(server, survey):
    address = server.url + reverse("respondent:send", args=[survey.pk])
    body = body_of(survey.revision)
    other = body.replace(str(survey.revision.pk).encode(), str(survey.pk).encode())
    good = {"Content_Type": FORM, "Sec_Fetch_Site": "same-origin"}
    seen = set()
    for sent, headers in (
        (body, good),
        (body, good),
        (b"q=1", good),
        (other, good),
        (b"a" * 100_000, good),
        (body, {**good, "Content_Type": "text/plain"}),
        (body, {**good, "Sec_Fetch_Site": "cross-site"}),
    ):
        status, reply = ask(address, method="POST", body=sent, **headers)
        seen.add(status)
        assert not marks(reply), status
    status, reply = ask(address)
    assert not marks(reply)
    assert seen | {status} == {200, 400, 403, 405, 409, 413, 415}


def test_a_cookie_that_somebody_else_set_changes_nothing(server, survey):
    names = ("sessionid", "__Host-session", "csrftoken", "messages", "django_language")
    forged = {"Cookie": "; ".join(f"{name}={secrets.token_hex(16)}" for name in names)}
    for address in respondent_pages(survey)[:3]:
        status, headers = ask(server.url + address, **forged)
        assert status == 200
        assert not marks(headers)
        assert "Cookie" not in (headers["Vary"] or "")


def test_both_paths_leave_nothing_in_the_browser(page, server, survey):
    replies = []
    page.on("response", lambda reply: replies.append(reply))
    answering.go_to_questions(page, server, survey)
    answering.answer_all(page)
    assert page.evaluate(STORED) == NOTHING
    answering.send(page)
    assert page.evaluate(STORED) == NOTHING
    page.goto(answering.address(server, survey, "own-coin"))
    answering.fill_own_coin(page, answering.OWN_COIN)
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/send/")
    assert page.evaluate(STORED) == NOTHING
    assert page.context.storage_state() == {"cookies": [], "origins": []}
    assert len(replies) >= 9
    assert [reply.url for reply in replies if marks(reply.all_headers())] == []


def test_two_people_are_served_the_same_bytes(server, survey):
    """Only the key of the own-coin form differs: it is sent once and then forgotten."""

    def text(address: str) -> str:
        with urllib.request.urlopen(server.url + address) as reply:
            return re.sub(r'name="key" value="[0-9a-f]{32}"', "", reply.read().decode())

    for address in respondent_pages(survey)[:3]:
        assert text(address) == text(address)
