"""The bar of a survey's pages: the same on all of them, with what a person may open."""

from datetime import date

import pytest
from django.urls import reverse

from surveys.models import Survey
from surveys.staff.members.services import add_member
from surveys.staff.survey_bar import TABS, TOOLS, survey_bar
from surveys.web.addresses import start_address
from tests import factories

pytestmark = pytest.mark.django_db
CURRENT = 'aria-current="page"'


@pytest.fixture
def owner():
    return factories.make_user()


@pytest.fixture
def survey(owner):
    return factories.make_open_survey(owner)


def bar_on(page: str) -> str:
    """The bar's part of a page."""
    return page.partition('<nav class="bar')[2].partition("</nav>")[0]


def offered(bar: str, survey: Survey) -> set[str]:
    pages = [*TABS, *(page for _, pages in TOOLS for page in pages)]
    return {page.name for page in pages if f'href="{reverse(page.name, args=[survey.pk])}"' in bar}


@pytest.mark.parametrize(
    "name", [page.name for page in TABS] + [page.name for _, pages in TOOLS for page in pages]
)
def test_each_page_of_the_bar_marks_itself_alone(client, owner, survey, name):
    client.force_login(owner)
    bar = bar_on(client.get(reverse(name, args=[survey.pk])).text)
    assert bar.count("aria-current=") == 1
    before = bar.partition(CURRENT)[0]
    assert (
        before.rpartition("<a ")[2].strip().startswith(f'href="{reverse(name, args=[survey.pk])}"')
    )


def test_a_page_below_a_tab_marks_it_as_the_way_there(survey):
    bar = survey_bar(survey, (), "analytics:report", date(2026, 1, 1))
    assert bar.tabs == ()
    [reports] = [page for page in TABS if page.name == "analytics:overview"]
    assert reports.current("analytics:report") == "true"


@pytest.mark.parametrize("name", ["surveys:dashboard", "surveys:members"])
def test_the_menu_of_a_phone_names_the_open_page_before_it_is_opened(client, owner, survey, name):
    client.force_login(owner)
    bar = bar_on(client.get(reverse(name, args=[survey.pk])).text)
    summary = bar.partition("<summary>")[2].partition("</summary>")[0]
    label = bar.partition(CURRENT)[2].partition(">")[2].partition("</a>")[0]
    assert f"<strong>{label}</strong>" in summary


def test_an_analyst_sees_no_page_that_would_be_refused(client, survey):
    analyst = factories.make_user("grace")
    add_member(survey=survey, username="grace", role="analyst", by=survey.owner)
    client.force_login(analyst)
    bar = bar_on(client.get(reverse("surveys:dashboard", args=[survey.pk])).text)
    refused = {"surveys:invitations", "surveys:reminders", "surveys:members", "surveys:audit"}
    refused.add("surveys:survey-tokens")
    assert offered(bar, survey) & refused == set()
    for name in offered(bar, survey):
        assert client.get(reverse(name, args=[survey.pk])).status_code == 200, name


def test_before_the_launch_and_after_deletion_no_analysis_is_offered(client, owner):
    draft = factories.make_survey(owner)
    erased = factories.make_open_survey(owner, title="Erased")
    Survey.objects.filter(pk=erased.pk).update(state="closed", erased_on=date(2026, 1, 1))
    client.force_login(owner)
    for survey in (draft, erased):
        bar = bar_on(client.get(reverse("surveys:dashboard", args=[survey.pk])).text)
        assert "surveys:break-down" not in offered(bar, survey)
        for name in offered(bar, survey):
            assert client.get(reverse(name, args=[survey.pk])).status_code == 200, name


def test_pages_of_respondents_and_of_the_whole_site_have_no_bar(client, owner, survey):
    client.force_login(owner)
    names = ("surveys:list", "surveys:planner", "surveys:audit-all")
    for address in (start_address(survey.pk, "en"), *map(reverse, names)):
        assert '<nav class="bar' not in client.get(address).text
