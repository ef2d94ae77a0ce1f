"""Closing a survey in the admin tells nothing about how many answers wait."""

import pytest

from surveys.collecting import spool
from surveys.collecting.keys import batch_keys
from surveys.collecting.services import receive
from surveys.models import AuditEntry, Spool, Survey, Waiting
from tests.bodies import body_of
from tests.factories import make_open_survey
from tests.surveys.authoring.asking import confirm
from tests.surveys.authoring.test_admin import change, said


def answered(survey: Survey, count: int) -> Survey:
    for _ in range(count):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    return survey


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_what_is_said_is_the_same_however_many_wait(admin, author, count):
    survey = answered(make_open_survey(author, batch_size=5), count)
    assert "last batch" not in admin.get(change(survey)).content.decode()
    assert said(confirm(admin, survey, "close")) == f'"{survey}" is closed.'
    assert AuditEntry.objects.get(action="closed").after["last_batch"] == count % 5


def test_closing_when_the_key_of_what_waits_is_gone_says_what_to_do(admin, author):
    survey = answered(make_open_survey(author, batch_size=5), 2)
    batch_keys.destroy(spool.keys_directory(), Spool.objects.get().batch)
    reply = confirm(admin, survey, "close")
    assert "manage.py spool" in said(reply)
    survey.refresh_from_db()
    assert survey.state == Survey.State.OPEN
    assert Waiting.objects.count() == 2
