"""What programs read of the ledger is what its page says."""

from html import unescape

import pytest
from django.urls import reverse

from tests import factories
from tests.analytics import reporting
from tests.surveys.programs.asking import Program
from tests.surveys.programs.holding import token_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_the_ledger_has_the_amounts_and_entries_of_its_page(client, owner):
    survey = reporting.make_text_survey(owner)
    reporting.make(reporting.ask(survey))
    content = (
        Program(token_of(owner, survey, "read"), client).get(f"surveys/{survey.pk}/ledger").json()
    )
    client.force_login(owner)
    words = unescape(client.get(reverse("analytics:ledger", args=[survey.pk])).content.decode())
    assert len(content["amounts"]) == 4
    assert content["entries"]
    for row in [*content["amounts"], *content["entries"]]:
        for name in ("epsilon", "share", "mu_squared"):
            assert row.get(name, "") in words


def test_without_a_promise_there_are_no_amounts_and_a_reason(client, owner):
    survey = factories.make_open_survey(owner)
    content = (
        Program(token_of(owner, survey, "read"), client).get(f"surveys/{survey.pk}/ledger").json()
    )
    assert (content["epsilon"], content["amounts"], content["entries"]) == (None, [], [])
    assert content["no_private"]
