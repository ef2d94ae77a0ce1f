"""The demonstration publishes one release of tables, and opens its locked totals, each once."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from analytics import demonstration
from analytics.models import Report
from analytics.queries import account_of, result_of
from surveys.demonstration import locked
from surveys.demonstration.affairs import open_affairs_survey
from surveys.demonstration.trustees import key_file
from tests.analytics.answering import make_compared_survey
from tests.stored import store_rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def affairs(owner):
    """The demonstration's survey with one answer, whose text is empty."""
    survey = open_affairs_survey(owner, planned_responses=1000)
    questions = survey.revision.document["items"]
    answers = "".join(_first(question) for question in questions)
    store_rows(survey.revision, [answers])
    return survey


def _first(question) -> str:
    if question["kind"] == "text":
        return ""
    return "00" if "levels" in question else "00.0"


def told(survey, command: str = "demo_release") -> str:
    output = StringIO()
    call_command(command, survey=str(survey.pk), site="http://x", stdout=output)
    return output.getvalue()


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_it_is_published_once_and_open_to_all(client, affairs):
    first, second = told(affairs), told(affairs)
    report = Report.objects.get()
    assert first == second
    assert f"http://x{reverse('releases:page', args=[report.pk])}" in first
    assert client.get(reverse("releases:page", args=[report.pk])).status_code == 200
    release = result_of(report)
    assert release.asked.title((0, 2)) == (
        "How do you rate your marriage? by How religious are you?"
    )
    assert len(account_of(affairs).lines) == 1
    assert report.state == "done"


def test_a_survey_of_an_earlier_version_has_none_and_says_why(owner):
    survey = make_compared_survey(owner, 5, budget={"source": "text"})
    assert (
        "none: Respondents of this survey were promised a budget only for reports on texts"
        in told(survey)
    )
    assert not Report.objects.exists()


@pytest.mark.parametrize("command", ["demo_release", "demo_totals"])
def test_an_unknown_survey_is_refused(command):
    with pytest.raises(CommandError, match="there is no survey"):
        call_command(command, survey=str(demonstration.KEY))


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
@pytest.mark.django_db(transaction=True)
def test_its_trustees_open_its_locked_totals_once_and_the_page_shows_them(client, owner):
    survey = locked.open_survey(owner, ((2, 1, 0), (0, 1, 2)))
    first, second = told(survey, "demo_totals"), told(survey, "demo_totals")
    assert first == second
    opened = demonstration.open_totals(survey).margin(locked.PAID)[1].counted
    assert f"opened: {opened.count} of 6 people" in first
    address = reverse("surveys:locked", args=[survey.pk])
    assert f"http://x{address}" in first
    client.force_login(owner)
    assert client.get(address).status_code == 200
    assert len(account_of(survey).lines) == 1


@pytest.mark.noise(fails=0, law="None is drawn.")
@pytest.mark.django_db(transaction=True)
def test_without_a_trustees_key_it_says_so(owner):
    survey = locked.open_survey(owner, ((2, 1, 0), (0, 1, 2)))
    key_file(survey.pk, 2).unlink()
    assert "none: " in told(survey, "demo_totals")
