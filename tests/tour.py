"""A walk over every page, for promises that hold everywhere; it fails where it meets an error."""

import time
from collections.abc import Iterator
from html.parser import HTMLParser

from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import resolve, reverse
from playwright.sync_api import Page

from surveys.models import Survey
from tests import accessible, factories
from tests.conftest import Server
from tests.ranking import rated

DRAFT = ("questions", "checklist", "preview")
RESPONDENT = ("start", "own-coin", "how-it-works")
REPORTS = (
    "overview",
    "groups",
    "compare-groups",
    "clouds",
    "tree",
    "compare",
    "ledger",
    "releases",
)
PASSWORD = "correct horse"
# On purpose: an unknown survey, no address of ours, and a mistake in a form.
MISSING = ("/en/s/00000000-0000-4000-8000-000000000000/", "/nothing-here/")
MISTAKE = "u1=x"
LEADS_ON = {"admin:surveys_survey_history": "surveys:audit"}  # the audit log is the history
ERRORS = {"error", "errorlist", "errornote", "problem"}  # classes of what says what is wrong


def respondent_pages(survey: Survey) -> list[str]:
    """Addresses of what respondents can open, an unknown survey among them."""
    pages = [reverse(f"respondent:{name}", args=[survey.pk]) for name in RESPONDENT]
    return [*pages, *MISSING]


def staff_pages(survey: Survey) -> list[str]:
    """Addresses of what staff can open."""
    researcher = [
        reverse("surveys:list"),
        reverse("surveys:planner"),
        reverse("surveys:planner") + "?design=two-coins&error=0.02&failure_probability=0.05",
        reverse("surveys:dashboard", args=[survey.pk]),
        reverse("surveys:break-down", args=[survey.pk]),
        reverse("surveys:weighted", args=[survey.pk]),
        reverse("surveys:regression", args=[survey.pk]),
        reverse("surveys:exports", args=[survey.pk]),
        reverse("surveys:deposit", args=[survey.pk]),
        *(reverse(f"analytics:{name}", args=[survey.pk]) for name in REPORTS),
        reverse("surveys:invitations", args=[survey.pk]),
        reverse("surveys:new-mailing", args=[survey.pk]),
        reverse("surveys:reminders", args=[survey.pk]),
        reverse("surveys:members", args=[survey.pk]),
        reverse("surveys:audit", args=[survey.pk]),
        reverse("mfa_index"),
        reverse("account_change_password"),
        reverse("account_reauthenticate"),
    ]
    named = (
        "surveys_survey_changelist",
        "surveys_survey_add",
        "surveys_survey_first_steps",
        "surveys_survey_import",
        "surveys_question_add",
        "auth_user_changelist",
        "index",
    )
    admin = [reverse(f"admin:{name}") for name in named]
    own = (
        "change",
        "questions",
        "copy_questions",
        "preview",
        "preview_own_coin",
        "history",
    )
    admin += [reverse(f"admin:surveys_survey_{name}", args=[survey.pk]) for name in own]
    draft = factories.make_survey(survey.owner, title="A draft")  # others have no checklist
    factories.add_question(draft)
    admin += [reverse(f"admin:surveys_survey_{name}", args=[draft.pk]) for name in DRAFT]
    question = survey.questions.first()
    admin += [reverse("admin:surveys_question_change", args=[question.pk])]
    return researcher + ranking_pages(survey) + admin


def ranking_pages(survey: Survey) -> list[str]:
    """Addresses of rankings, open and randomized, and of what the admin has for their items."""
    pages = [reverse("ranking:overview", args=[survey.pk])]
    for epsilon in (None, "2"):
        catalogue = rated.make_catalogue(survey.owner, "Algebra", "Čeština")
        ranked = rated.make_rated_survey(survey.owner, catalogue, epsilon=epsilon)
        rated.count(ranked, [9, 20, 41], [20, 30, 3])
        names = ("table", "fragment", "history")
        pages += [reverse(f"ranking:{name}", args=[ranked.pk, 2]) for name in names]
        pages += [reverse("ranking:table", args=[ranked.pk, 2]) + f"?compare=on&{MISTAKE}"]
    unused = rated.make_catalogue(survey.owner)
    return [
        *pages,
        reverse("admin:surveys_catalogue_changelist"),
        reverse("admin:surveys_catalogue_change", args=[catalogue.pk]),
        reverse("admin:surveys_catalogue_import", args=[unused.pk]),
        reverse("admin:surveys_catalogueitem_changelist"),
    ]


def enter(client: Client, name: str) -> None:
    """As if the password was just given; ``tests/browser/test_accounts.py`` tests the form."""
    client.force_login(User.objects.get(username=name))
    session = client.session
    session[AUTHENTICATION_METHODS_SESSION_KEY] = [
        {"method": "password", "at": time.time(), "username": name}
    ]
    session.save()


def log_in(page: Page, server: Server, name: str) -> None:
    """The same in a browser."""
    client = Client()
    enter(client, name)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": server.url}])


def visit_everything(page: Page, server: Server, survey: Survey, name: str) -> Iterator[str]:
    """Open every page, staff's after logging in; yields each address once it has loaded.

    Each page keeps its policy meanwhile.
    """
    page.add_init_script(accessible.WATCH)
    for address in [*respondent_pages(survey), reverse("login")]:
        yield _visit(page, server, address)
    log_in(page, server, name)
    for address in staff_pages(survey):
        yield _visit(page, server, address)


def _visit(page: Page, server: Server, address: str) -> str:
    reply = page.goto(server.url + address)
    assert reply is not None
    require_sound(address, page.url.removeprefix(server.url), reply.status, page.content())
    assert page.evaluate("window.violations") == [], address
    return address


def opened(client: Client, address: str) -> HttpResponse:
    """The page at an address of this tour, or the one that it leads on to."""
    reply = client.get(address, follow=True)
    at = reply.redirect_chain[-1][0] if reply.redirect_chain else address
    require_sound(address, at, reply.status_code, reply.content.decode())
    return reply


def require_sound(address: str, at: str, status: int, page: str) -> None:
    """That a walk sees the page that it asked for: no error, no login, and nothing wrong in it."""
    assert at in (address, _led_on(address)), (address, at)
    assert status == (404 if address in MISSING else 200), (address, status)
    said = errors_said(page)
    assert bool(said) == address.endswith(MISTAKE), (address, said)


def _led_on(address: str) -> str:
    found = resolve(address.partition("?")[0]) if address not in MISSING else None
    name = LEADS_ON.get(found.view_name) if found else None
    return reverse(name, args=[*found.kwargs.values()]) if found and name else address


def errors_said(page: str) -> list[str]:
    """What a page says is wrong: summaries and words beside fields, but for those kept hidden."""
    found = _Errors()
    found.feed(page)
    return found.said


class _Errors(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        is_error = ERRORS & set((given.get("class") or "").split()) or given.get("role") == "alert"
        if is_error and "hidden" not in given:
            self.said.append(self.get_starttag_text() or tag)
