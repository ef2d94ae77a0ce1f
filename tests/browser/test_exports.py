"""The page of files of all answers, in each of its states."""

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.models import Export
from surveys.results.taking import files, services
from tests import accessible, factories
from tests.browser.following import follow
from tests.stored import store_rows
from tests.tour import log_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]


def test_the_page_of_files_says_what_is_written_done_and_failed(page, server, owner, monkeypatch):
    draft = factories.make_survey(owner)
    factories.add_question(draft, "Bus", "Tram", text="How?", kind="choice", design="direct")
    survey = factories.launched(draft)
    store_rows(survey.revision, ["00", "01"] * 5)
    done = services.ask(survey, "csv", by=owner, later=lambda key: None)
    services.write(done.pk)
    services.ask(survey, "parquet", by=owner, later=lambda key: None)
    failed = services.ask(survey, "csv-codes", by=owner, later=lambda key: None)
    Export.objects.filter(pk=failed.pk).update(finished_at=timezone.now(), problem=services.NO_ROOM)
    log_in(page, server, owner.username)
    page.goto(server.url + reverse("surveys:exports", args=[survey.pk]))
    for words in ("Download", "0 of 10 responses written so far.", "could not be written"):
        assert words in page.content()
    accessible.check_narrow(page, "files of all answers")
    follow(page.locator("button[value=parquet-codes]"))
    assert Export.objects.filter(kind="parquet-codes").exists()
    files.destroy(done.pk)
