"""P8: a strict Content-Security-Policy on every page, and no page that needs to break it."""

import re
from dataclasses import replace

import pytest
from django.urls import reverse

from tests.analytics import tabulating
from tests.browser import answering
from tests.factories import make_open_survey, make_survey
from tests.tour import (
    enter,
    log_in,
    opened,
    respondent_pages,
    staff_pages,
    visit_everything,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]
NONE = "'none'"
SHEET = re.compile(r'<link [^>]*rel="stylesheet"[^>]*>')
TYPED = re.compile(r'<textarea[^>]*>|<input[^>]*type="(?:text|search)"[^>]*>')
REQUIRED = {
    "default-src": NONE,
    "base-uri": NONE,
    "object-src": NONE,
    "frame-ancestors": NONE,
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
}
# Pages of staff have a type face of their own; files and respondents' pages load none.
OF_STAFF = {**REQUIRED, "font-src": "'self'"}


def policy_of(reply) -> dict[str, str]:
    return policy_in(reply.headers["Content-Security-Policy"])


def policy_in(header: str) -> dict[str, str]:
    directives = header.split(";")
    return dict(directive.strip().split(" ", 1) for directive in directives if directive.strip())


def test_every_page_carries_exactly_this_policy_and_stylesheets_their_integrity(client, root):
    """Error pages too; and every stylesheet of ours, which are all but those of the admin."""
    survey = make_open_survey(root)
    pages = respondent_pages(survey)
    send = reverse("respondent:send", args=[survey.pk])
    replies = [opened(client, address) for address in pages]
    replies += [client.post(send, b"garbage", "x/y")]
    enter(client, root.username)
    replies += [opened(client, address) for address in staff_pages(survey)]
    for reply in replies:
        path = reply.request["PATH_INFO"]
        assert policy_of(reply) == (REQUIRED if "/s/" in path else OF_STAFF), path
        sheets = SHEET.findall(reply.content.decode())
        ours = [sheet for sheet in sheets if "/static/admin/" not in sheet]
        assert all(re.search(r'integrity="sha384-[\w+/]{64}"', sheet) for sheet in ours), ours
    assert SHEET.search(replies[0].content.decode())


def test_respondents_pages_run_no_script_whose_digest_they_do_not_say(client, root):
    """Pages of staff cannot ask for it: the admin's own scripts say no digest."""
    survey = make_open_survey(root, invitation_only=True)
    names = ("start", "own-coin", "door", "how-it-works", "send")
    replies = [client.get(reverse(f"respondent:{name}", args=[survey.pk])) for name in names]
    for reply in replies:
        assert reply.headers["Integrity-Policy"] == "blocked-destinations=(script)"
        scripts = re.findall(r"<script[^>]*>", reply.content.decode())
        assert all(re.search(r'integrity="sha384-[\w+/]{64}"', one) for one in scripts), scripts
    assert any("<script" in reply.content.decode() for reply in replies)


VIOLATIONS = """() => {
    const asked = { types: ["integrity-violation"], buffered: true };
    const observer = new ReportingObserver(() => {}, asked);
    observer.observe();
    return observer.takeRecords().map(({ body }) => body.blockedURL);
}"""
WITHOUT_DIGEST = """(src) => new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = src;
    script.onload = () => resolve("ran");
    script.onerror = () => resolve("blocked");
    document.head.append(script);
})"""


@pytest.mark.one_tab
def test_the_browser_blocks_a_script_without_a_digest_and_none_of_ours(page, server, root):
    survey = make_open_survey(root)
    for name in ("own-coin", "how-it-works"):
        page.goto(answering.address(server, survey, name))
        assert page.evaluate(VIOLATIONS) == []
    answering.go_to_questions(page, server, survey)  # the last file begins once all others ran
    assert page.evaluate(VIOLATIONS) == []
    ours = page.locator("script[integrity]").first.evaluate("script => script.src")
    assert page.evaluate(WITHOUT_DIGEST, ours) == "blocked"
    assert page.evaluate(VIOLATIONS) == [ours]


def test_a_release_for_outsiders_carries_it_too(client, root):
    survey = tabulating.make_tabulated_survey(root, 20)
    report = tabulating.release(survey, replace(tabulating.ASKED, is_public=True))
    for name in ("page", "csv", "covariance", "json", "parquet"):
        reply = client.get(reverse(f"releases:{name}", args=[report.pk]))
        assert reply.status_code == 200
        assert policy_of(reply) == (OF_STAFF if name == "page" else REQUIRED), name


def test_the_policy_is_the_same_bytes_in_every_process(client, root):
    """Its order must not tell which process answered, nor when that one was started."""
    policy = client.get(reverse("login")).headers["Content-Security-Policy"]
    assert policy == "; ".join(sorted(f"{name} {value}" for name, value in OF_STAFF.items()))


def test_no_browser_sends_what_is_typed_to_a_spelling_service(client, root):
    survey = make_open_survey(root)
    for address in respondent_pages(survey):
        typed = TYPED.findall(client.get(address).content.decode())
        assert all('spellcheck="false"' in field for field in typed), (address, typed)


@pytest.mark.audit
def test_no_page_breaks_its_policy_in_a_browser(page, server, root):
    survey = make_open_survey(root)
    violations: list[str] = []
    page.add_init_script(
        "document.addEventListener('securitypolicyviolation',"
        " e => console.error('CSP-VIOLATION ' + e.violatedDirective + ' ' + e.sourceFile))"
    )
    page.on(
        "console",
        lambda message: (
            violations.append(f"{page.url} {message.text}")
            if "CSP-VIOLATION" in message.text or "Content Security Policy" in message.text
            else None
        ),
    )
    assert len(list(visit_everything(page, server, survey, root.username))) > 15
    assert violations == []


@pytest.mark.one_tab
def test_the_admins_lists_and_forms_work_under_the_policy(page, server, root):
    make_survey(root, title="A draft")
    log_in(page, server, root.username)
    page.goto(server.url + reverse("admin:surveys_survey_changelist"))
    page.check("input.action-select")
    page.select_option("select[name=action]", "launch")
    page.click("button[name=index]")
    assert "at least one question" in page.inner_text(".messagelist")
