"""A walk over every page, for promises that hold everywhere."""

from collections.abc import Iterator

from django.urls import reverse
from playwright.sync_api import Page

from surveys.models import Survey
from tests.conftest import Server

RESPONDENT = ("start", "own-coin", "how-it-works")
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
        reverse("surveys:invitations", args=[survey.pk]),
        reverse("surveys:new-mailing", args=[survey.pk]),
        reverse("surveys:members", args=[survey.pk]),
        reverse("surveys:audit", args=[survey.pk]),
        reverse("mfa_index"),
        reverse("account_change_password"),
        reverse("account_reauthenticate"),
    ]
    named = (
        "surveys_survey_changelist",
        "surveys_survey_add",
        "surveys_question_add",
        "auth_user_changelist",
        "index",
    )
    admin = [reverse(f"admin:{name}") for name in named]
    own = ("change", "preview", "preview_own_coin", "history")
    admin += [reverse(f"admin:surveys_survey_{name}", args=[survey.pk]) for name in own]
    question = survey.questions.first()
    admin += [reverse("admin:surveys_question_change", args=[question.pk])]
    return researcher + admin


def log_in(page: Page, server: Server, name: str) -> None:
    """Through the form, as a person does."""
    page.goto(server.url + reverse("login"))
    page.fill("input[name=login]", name)
    page.fill("input[name=password]", PASSWORD)
    page.click("main button")
    page.wait_for_url("**/surveys/")


def visit_everything(page: Page, server: Server, survey: Survey, name: str) -> Iterator[str]:
    """Open every page, staff's after logging in; yields each address once it has loaded."""
    for address in respondent_pages(survey):
        page.goto(server.url + address)
        yield address
    log_in(page, server, name)
    for address in staff_pages(survey):
        page.goto(server.url + address)
        yield address
