"""The page of deposits, in each of its states."""

import pytest
from django.urls import reverse

from surveys.models import Export, Survey
from surveys.results.taking import files, services
from tests import accessible, factories
from tests.browser.following import follow
from tests.stored import store_rows
from tests.surveys.results.deposit.depositing import end
from tests.tour import log_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]


def test_a_deposit_is_asked_for_with_a_licence_and_taken_away(page, server, owner):
    draft = factories.make_survey(owner, publish_rows=True)
    factories.add_question(draft, required=True)
    survey = factories.launched(draft)
    store_rows(survey.revision, ["00", "01"] * 5)
    end(survey)
    done = services.ask(survey, "deposit-CC0-1.0", by=owner, later=lambda key: None)
    services.write(done.pk)
    services.ask(survey, "deposit-CC-BY-SA-4.0", by=owner, later=lambda key: None)
    log_in(page, server, owner.username)
    page.goto(server.url + reverse("surveys:deposit", args=[survey.pk]))
    for words in (
        "Download",
        "The deposit is being created.",
        "responses.csv",
        "A deposit never contains",
    ):
        assert words in page.content()
    accessible.check_narrow(page, "deposit")
    follow(page.locator("button[value='deposit-CC-BY-4.0']"))
    assert Export.objects.filter(kind="deposit-CC-BY-4.0").exists()
    files.destroy(done.pk)


def test_without_rows_and_after_the_answers_are_gone_the_page_says_why(page, server, owner):
    survey = factories.make_open_survey(owner)
    log_in(page, server, owner.username)
    page.goto(server.url + reverse("surveys:deposit", args=[survey.pk]))
    assert (
        "Rows would show the answers to some questions exactly as people gave them"
        in page.content()
    )
    assert "No answers have been opened yet" in page.content()
    accessible.check_narrow(page, "deposit without rows")
    Survey.objects.filter(pk=survey.pk).update(state="closed", delete_on="2020-01-01")
    page.reload()
    assert "A deposit can no longer be created" in page.content()
    accessible.check_narrow(page, "deposit of answers that are gone")
