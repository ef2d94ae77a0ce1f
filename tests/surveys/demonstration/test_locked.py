"""The demonstration's surveys with exchanged codes, and answers that are counted while locked."""

import html
import stat

import pytest
from django.urls import reverse

from surveys.demonstration import locked
from surveys.demonstration.trustees import NAMES, key_file, private_key
from surveys.models import Ballot, Invitation, Response, Survey, Tally
from surveys.models.queries import published_document
from surveys.questionnaire import tokens
from surveys.results.exports import locked_table

pytestmark = pytest.mark.django_db(transaction=True)
FEW = ((2, 1, 0), (0, 1, 2))


def test_the_one_that_is_over_was_answered_with_vouchers_alone_and_its_list_is_ready(client, owner):
    survey = locked.open_survey(owner, FEW)
    assert locked.open_survey(owner, FEW) == survey
    assert survey.state == Survey.State.CLOSED
    assert (survey.invited, survey.redeemed, survey.exchanged) == (6, 6, 6)
    assert Response.objects.count() == Ballot.objects.count() == Tally.objects.get().ballots == 6
    assert not Invitation.objects.exists()
    assert b"".join(locked_table(survey.revision, locked.TABLE) or ())
    audit = client.get(f"/en/s/{survey.pk}/audit.json").json()
    assert (audit["issued"], audit["exchanged"], audit["by_voucher"], audit["by_code"]) == (
        6,
        6,
        6,
        0,
    )


def test_its_keys_are_kept_private_and_open(owner):
    survey = locked.open_survey(owner, FEW)
    named = [one["name"] for one in published_document(survey.pk)["tally"]["trustees"]]
    assert tuple(named) == NAMES
    for position, trustee in enumerate(survey.trustees.all(), start=1):
        assert stat.S_IMODE(key_file(survey.pk, position).stat().st_mode) == 0o600
        assert private_key(survey.pk, position).public.key.hex() == trustee.key


def test_the_one_to_try_takes_a_fresh_code_and_says_what_is_counted_locked(client, owner):
    survey = locked.open_trial_survey(owner)
    code = locked.new_code(survey)
    assert Invitation.objects.get().pk == tokens.digest(code)
    page = html.unescape(client.get(reverse("respondent:start", args=[survey.pk])).content.decode())
    assert NAMES[0] in page
    assert "the person who runs it could open what you answer here" in page
    assert locked.open_trial_survey(owner) == survey
