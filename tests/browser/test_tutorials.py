"""Each tutorial is followed word by word: a name that the product does not have fails its test."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from surveys.models import Survey
from tests import factories, patience, tour, tutorials

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def day(later: int) -> str:
    return str(timezone.now().date() + timedelta(days=later))


@pytest.fixture
def reader(page, server, transactional_db):
    """An administrator who has just logged in for the first time."""
    tour.log_in(page, server, factories.make_user("root", superuser=True).username)
    page.goto(server.url)
    return tutorials.Reader(page, {"Last day": day(14), "Delete by": day(120)}, {})


def test_a_first_survey_is_made_launched_and_answered(reader):
    assert reader.follow("first-survey.md") > 30
    survey = Survey.objects.get()
    assert survey.state == Survey.State.OPEN
    assert survey.organisation == "Institute of Public Health"


@pytest.mark.parametrize(
    "step", ["Press **Send all**.", "It says *All is lost*.", "In **Whom**: `me`."]
)
def test_a_step_that_names_what_no_page_has_fails(reader, tmp_path, monkeypatch, step):
    (tmp_path / "wrong.md").write_text(f"# Wrong\n\n1. {step}\n")
    monkeypatch.setattr(tutorials, "FOLDER", tmp_path)
    expect.set_options(timeout=100)
    try:
        with pytest.raises(AssertionError, match=r"wrong\.md"):
            reader.follow("wrong.md")
    finally:
        expect.set_options(timeout=patience.MILLISECONDS)
