"""The demonstration publishes one release of tables, once."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from analytics import demonstration
from analytics.models import Report
from analytics.queries import account_of, result_of
from surveys.demonstration.affairs import open_affairs_survey
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


def told(survey) -> str:
    output = StringIO()
    call_command("demo_release", survey=str(survey.pk), site="http://x", stdout=output)
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
    assert "none: Respondents of this survey were promised a budget for reports on texts" in told(
        survey
    )
    assert not Report.objects.exists()


def test_an_unknown_survey_is_refused():
    with pytest.raises(CommandError, match="there is no survey"):
        call_command("demo_release", survey=str(demonstration.KEY))
