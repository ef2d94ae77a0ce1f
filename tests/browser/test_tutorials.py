"""Each tutorial is followed word by word: a name that the product does not have fails its test."""

from datetime import timedelta
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import expect

from analytics.models import Report
from surveys.demonstration import affairs
from surveys.models import Survey
from tests import factories, patience, tour, tutorials
from tests.analytics import reporting, workers
from tests.stored import store_rows

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]


def day(later: int) -> str:
    return str(timezone.now().date() + timedelta(days=later))


@pytest.fixture
def reader(page, server, root):
    """An administrator who has just logged in for the first time."""
    tour.log_in(page, server, "root")
    page.goto(server.url)
    return tutorials.Reader(page, {"Last day": day(14), "Delete answers on": day(120)}, {})


@pytest.mark.audit
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


@pytest.mark.audit
@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
class TestWithTheDemonstration:
    """Its 6,366 answers take some seconds to send, for each of these walks."""

    @pytest.fixture(autouse=True)
    def demonstration(self, root):
        survey = affairs.open_affairs_survey(root, planned_responses=6147)
        rng = np.random.default_rng(1)
        answers = affairs.load_answers()
        affairs.submit_answers(survey.revision, answers, rng=rng, progress=lambda sent, _: sent)
        call_command("demo_release", survey=str(survey.pk), site="", stdout=StringIO())

    def test_an_estimate_is_read(self, demonstration, reader):
        assert reader.follow("reading-an-estimate.md") > 20

    def test_a_report_on_texts_is_made(self, demonstration, reader):
        # Which topics there are hangs on what is drawn.
        reader.after = {"Create report": lambda: reporting.make(Report.objects.get(state="queued"))}
        assert reader.follow("report-on-texts.md") > 15

    def test_tables_are_published(self, demonstration, reader):
        reader.after = {"Publish permanently": workers.work}
        assert reader.follow("publishing-safely.md") > 20


@pytest.mark.audit
def test_answers_are_taken_to_r(root, reader):
    draft = factories.make_survey(root, title="Marriage and affairs (demonstration)", batch_size=1)
    factories.add_question(draft, required=True)
    store_rows(factories.launched(draft).revision, ["00", "01"] * 50)
    reader.page.reload()
    assert reader.follow("from-r.md") > 5


@pytest.mark.audit
@pytest.mark.parametrize("name", ["planning-a-sample.md", "coming-from.md"])
def test_a_tutorial_on_an_empty_site_is_followed(reader, name):
    assert reader.follow(name) > 10
