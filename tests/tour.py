"""A walk over every page, for promises that hold everywhere."""

import time
from collections.abc import Iterator

from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page

from surveys.models import Survey
from tests import accessible
from tests.conftest import Server
from tests.ranking import rated

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


def respondent_pages(survey: Survey) -> list[str]:
    """Addresses of what respondents can open, an unknown survey among them."""
    pages = [reverse(f"respondent:{name}", args=[survey.pk]) for name in RESPONDENT]
    return [*pages, "/en/s/00000000-0000-4000-8000-000000000000/", "/nothing-here/"]


def staff_pages(survey: Survey) -> list[str]:
    """Addresses of what staff can open."""
    researcher = [
        reverse("surveys:list"),
        reverse("surveys:planner"),
        reverse("surveys:planner") + "?design=two_coins&error=0.02&failure_probability=0.05",
        reverse("surveys:dashboard", args=[survey.pk]),
        reverse("surveys:break-down", args=[survey.pk]),
        reverse("surveys:weighted", args=[survey.pk]),
        reverse("surveys:regression", args=[survey.pk]),
        reverse("surveys:exports", args=[survey.pk]),
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
        "surveys_question_add",
        "auth_user_changelist",
        "index",
    )
    admin = [reverse(f"admin:{name}") for name in named]
    own = (
        "change",
        "questions",
        "copy_questions",
        "checklist",
        "preview",
        "preview_own_coin",
        "history",
    )
    admin += [reverse(f"admin:surveys_survey_{name}", args=[survey.pk]) for name in own]
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
        pages += [reverse("ranking:table", args=[ranked.pk, 2]) + "?compare=on&u1=x"]
    unused = rated.make_catalogue(survey.owner)
    return [
        *pages,
        reverse("admin:surveys_catalogue_changelist"),
        reverse("admin:surveys_catalogue_change", args=[catalogue.pk]),
        reverse("admin:surveys_catalogue_import", args=[unused.pk]),
        reverse("admin:surveys_catalogueitem_changelist"),
    ]


def log_in(page: Page, server: Server, name: str) -> None:
    """As if the password was just given; ``tests/browser/test_accounts.py`` tests the form."""
    client = Client()
    client.force_login(User.objects.get(username=name))
    session = client.session
    session[AUTHENTICATION_METHODS_SESSION_KEY] = [
        {"method": "password", "at": time.time(), "username": name}
    ]
    session.save()
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
    page.goto(server.url + address)
    assert page.evaluate("window.violations") == [], address
    return address
