"""The page that says what a deposit will hold, has it written, and hands it to who asked."""

import re
import zipfile
from datetime import timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.models import AuditEntry, Export, Membership, Survey
from surveys.operations import retention
from surveys.results.deposit import contents
from surveys.results.taking import files, services
from surveys.results.taking.formats import DEPOSITS
from tests import factories
from tests.stored import store_rows
from tests.surveys.results.deposit.depositing import end, files_in

pytestmark = pytest.mark.django_db
KIND = "deposit-CC-BY-4.0"


@pytest.fixture(autouse=True)
def exports_dir(settings, tmp_path):
    settings.EXPORTS_DIR = tmp_path / "exports"


@pytest.fixture
def survey(owner, client) -> Survey:
    draft = factories.make_survey(owner, publish_rows=True)
    factories.add_question(draft, required=True)
    client.force_login(owner)
    return factories.launched(draft)


def page(client, survey: Survey) -> str:
    """What it says, without its tags."""
    reply = client.get(reverse("surveys:deposit", args=[survey.pk]))
    assert reply.status_code == 200
    return " ".join(unescape(re.sub("<[^>]*>", " ", reply.content.decode())).split())


def ask(client, survey: Survey, kind: str = KIND):
    return client.post(reverse("surveys:ask-deposit", args=[survey.pk]), {"kind": kind})


def test_every_kind_fits_into_the_table_of_exports():
    longest = Export._meta.get_field("kind").max_length
    assert all(len(kind) <= longest for kind in DEPOSITS)


def test_what_it_will_hold_is_said_before_it_is_made(client, survey):
    store_rows(survey.revision, ["00", "01"])
    end(survey)
    said = page(client, survey)
    for name in ("responses.csv", "figures.R", "ddi.xml", "README.md", "SHA256SUMS"):
        assert f"{name} :" in said
    assert (
        "A deposit never contains direct answers, weights made from direct answers, or texts."
        in said
    )
    assert "no rows of answers" not in said
    assert not Export.objects.exists()


def test_the_dashboard_leads_to_it(client, survey):
    dashboard = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert reverse("surveys:deposit", args=[survey.pk]) in dashboard


def test_before_there_are_answers_it_says_so(client, survey):
    assert "No answers have been opened yet, so a deposit would contain no figures." in page(
        client, survey
    )


def test_it_says_why_there_will_be_no_rows(client, owner):
    survey = factories.make_open_survey(owner)
    client.force_login(owner)
    said = page(client, survey)
    assert "The deposit contains no rows of answers." in said
    assert "because these questions are not randomized: " in said
    assert "responses.csv" not in said


def test_it_is_written_and_taken_away_by_who_asked_alone(client, survey):
    store_rows(survey.revision, ["00", "01"])
    end(survey)
    assert ask(client, survey).status_code == 302
    export = Export.objects.get()
    assert "The deposit is being created." in page(client, survey)
    services.write(export.pk)
    address = reverse("surveys:export", args=[survey.pk, export.pk])
    reply = client.get(address)
    assert reply.headers["Content-Type"] == "application/zip"
    assert reply.headers["Content-Disposition"].endswith('-deposit.zip"')
    assert "responses.csv" in files_in(b"".join(reply.streaming_content))
    assert "Download" in page(client, survey)
    assert AuditEntry.objects.filter(action="deposit downloaded").count() == 1
    other = factories.make_user("eve")
    Membership.objects.create(survey=survey, user=other, role="analyst")
    client.force_login(other)
    assert client.get(address).status_code == 404
    assert "Download" not in page(client, survey)


def test_a_licence_that_is_not_on_the_list_is_refused(client, survey):
    for kind in ("", "csv", "deposit-", "deposit-MIT"):
        assert ask(client, survey, kind).status_code == 404
    assert not Export.objects.exists()


def test_a_person_without_a_role_sees_nothing_of_it(client, survey):
    client.force_login(factories.make_user("eve"))
    assert client.get(reverse("surveys:deposit", args=[survey.pk])).status_code == 404
    assert ask(client, survey).status_code == 404


def test_of_a_draft_there_is_none(client, owner):
    draft = factories.make_survey(owner)
    client.force_login(owner)
    assert client.get(reverse("surveys:deposit", args=[draft.pk])).status_code == 404
    assert ask(client, draft).status_code == 404


def test_answers_that_were_erased_meanwhile_end_it_and_the_page_says_so(client, survey):
    store_rows(survey.revision, ["00"])
    ask(client, survey)
    waiting = Export.objects.get()
    ask(client, survey, "deposit-CC0-1.0")
    services.write(Export.objects.exclude(pk=waiting.pk).get().pk)
    yesterday = timezone.now().date() - timedelta(days=1)
    Survey.objects.filter(pk=survey.pk).update(state="closed", delete_on=yesterday)
    retention.keep_dates(now=timezone.now())
    services.write(waiting.pk)
    assert files.keys() == set()
    said = page(client, survey)
    assert "The answers were deleted, as promised to respondents." in said
    assert "Create deposit" not in said
    reply = client.post(
        reverse("surveys:ask-deposit", args=[survey.pk]), {"kind": KIND}, follow=True
    )
    assert "The answers were deleted." in reply.content.decode()
    assert not Export.objects.exists()


def test_rows_wait_for_the_close(client, survey):
    """Two deposits of an open survey would differ by the people who came between."""
    store_rows(survey.revision, ["00", "01"])
    said = page(client, survey)
    assert (
        "The deposit contains no rows of answers yet. It will contain rows once the survey is "
        "closed and all answers are opened." in said
    )
    assert "responses.csv" not in said
    ask(client, survey)
    services.write(Export.objects.get().pk)
    with zipfile.ZipFile(files.path_of(Export.objects.get().pk)) as archive:
        assert not {"responses.csv", "figures.json"} & set(archive.namelist())
        assert b"2 responses" not in archive.read("codebook.md")


def test_answers_that_are_erased_while_it_is_written_are_in_no_file(client, survey, monkeypatch):
    store_rows(survey.revision, ["00", "01"])
    end(survey)
    ask(client, survey)

    def erased_meanwhile(revision, reading):
        services.destroy_files_of(survey)
        Export.objects.all().delete()
        return iter(())

    monkeypatch.setattr(contents, "figures_of", erased_meanwhile)
    services.write(Export.objects.get().pk)
    assert files.keys() == set()


def test_answers_that_were_opened_meanwhile_are_said_to_who_asked(client, survey, monkeypatch):
    store_rows(survey.revision, ["00", "01"])
    end(survey)
    ask(client, survey)

    def opened_meanwhile(revision, reading):
        store_rows(survey.revision, ["00"])
        return iter(())

    monkeypatch.setattr(contents, "figures_of", opened_meanwhile)
    services.write(Export.objects.get().pk)
    words = "The deposit was not created: answers were opened while it was being written."
    assert words in page(client, survey)
    assert files.keys() == set()
