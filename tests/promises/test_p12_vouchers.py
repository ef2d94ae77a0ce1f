"""P12 with vouchers: no code is burned unexchanged, and no answer is lost or counted twice."""

from functools import partial

import pytest
from django.urls import reverse

from surveys.collecting.services import exchange
from surveys.kinds.text.promise import based
from surveys.models import Invitation, Response, SubmissionKey, Survey
from surveys.operations.checks.database import balanced
from surveys.operations.checks.findings import Severity
from surveys.operations.retention import keep_dates
from tests.factories import add_serial_number, after_the_close, invite, launched, make_survey
from tests.load import FROM_THE_SCRIPT, Gunicorn, Outcome, gunicorn, send_all
from tests.vouching import Request, usual_fields

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.kills, pytest.mark.audit]
PEOPLE, NEVER_CAME, KILLS = 400, 20, 5


@pytest.fixture
def survey(owner) -> Survey:
    draft = make_survey(owner, invitation_only=True, **{**usual_fields(), "batch_size": 20})
    add_serial_number(draft, width=5)
    return launched(draft)


def kill_as_they_send(server: Gunicorn, count: int, outcome: Outcome) -> None:
    for place in range(KILLS):
        outcome.wait_for(count * (place + 1) // (KILLS + 2))
        server.kill_a_worker()


def test_workers_killed_at_each_step_burn_no_code_and_lose_and_double_no_answer(survey, tmp_path):
    tokens = invite(survey, PEOPLE + NEVER_CAME)
    asked = {token: Request.drawn(survey) for token in tokens[:PEOPLE]}
    asking = [
        f"path=browser&invitation={token}&blinded={based(one.blinded)}".encode()
        for token, one in asked.items()
    ]
    with gunicorn(tmp_path / "log.txt") as server:
        outcome = send_all(
            reverse("posted:exchange", args=[survey.pk]),
            server.port,
            asking,
            meanwhile=partial(kill_as_they_send, server, PEOPLE),
            headers=FROM_THE_SCRIPT,
        )
        assert (len(outcome.acknowledged), outcome.refused) == (PEOPLE, [])
        assert Invitation.objects.filter(redeemed=True).count() == PEOPLE
        assert not SubmissionKey.objects.exists()
        # The page that did not get the reply asks again, as after a reload, and gets the same.
        signed = {
            token: exchange(survey_id=survey.pk, typed=token, blinded=one.blinded)
            for token, one in asked.items()
        }
        sent = [
            one.body(one.voucher(signed[token]), [f"{place:05d}"])
            for place, (token, one) in enumerate(asked.items())
        ]
        outcome = send_all(
            reverse("posted:send", args=[survey.pk]),
            server.port,
            sent,
            meanwhile=partial(kill_as_they_send, server, PEOPLE),
            headers=FROM_THE_SCRIPT,
        )
    assert (len(outcome.acknowledged), outcome.refused) == (PEOPLE, [])
    assert Invitation.objects.filter(redeemed=False).count() == NEVER_CAME
    keep_dates(now=after_the_close(survey))
    stored = sorted(Response.objects.values_list("answers", flat=True))
    assert stored == [f"{place:05d}" for place in range(PEOPLE)]
    survey.refresh_from_db()
    assert (survey.exchanged, survey.redeemed) == (PEOPLE, PEOPLE)
    assert [found.level for found in balanced()] == [Severity.OK]
