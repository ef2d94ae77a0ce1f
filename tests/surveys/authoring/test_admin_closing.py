"""Closing a survey in the admin: what waits in the last batch is said before and after."""

import pytest
from django.urls import reverse

from surveys.collecting import batch_keys, spool
from surveys.collecting.services import receive
from surveys.models import AuditEntry, Spool, Survey, Waiting
from tests.factories import body_of, make_open_survey, make_user
from tests.surveys.authoring.test_admin import change, form_of, said


@pytest.fixture
def author(db):
    return make_user("author")


@pytest.fixture
def admin(client, author):
    client.force_login(author)
    return client


def answered(survey: Survey, count: int) -> Survey:
    for _ in range(count):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    return survey


def test_closing_a_small_last_batch_is_warned_of_before_and_after(admin, author):
    survey = answered(make_open_survey(author, batch_size=5), 3)
    words = "The last batch has only 3 answers, fewer than 5"
    assert words in admin.get(change(survey)).content.decode()
    reply = admin.post(change(survey), {**form_of(survey), "_close": "1"})
    assert words in said(reply)
    assert "1 chance in 3" in said(reply)
    assert AuditEntry.objects.get(action="closed").after["last_batch"] == 3


def test_one_answer_alone_is_said_to_be_known(admin, author):
    survey = answered(make_open_survey(author, batch_size=5), 6)
    assert "who knows who answered last knows whose" in admin.get(change(survey)).content.decode()


@pytest.mark.parametrize("count", [0, 5, 10])
def test_whole_batches_close_without_a_warning(admin, author, count):
    survey = answered(make_open_survey(author, batch_size=5), count)
    assert "The last batch has only" not in admin.get(change(survey)).content.decode()
    reply = admin.post(change(survey), {**form_of(survey), "_close": "1"})
    assert "is closed" in said(reply)
    assert "The last batch" not in said(reply)


def test_the_action_on_the_list_asks_before_it_closes(admin, author):
    survey = answered(make_open_survey(author, batch_size=5), 2)
    listing = reverse("admin:surveys_survey_changelist")
    asked = admin.post(listing, {"action": "close", "_selected_action": [survey.pk]})
    words = asked.content.decode()
    assert "The last batch has only 2 answers" in words
    assert str(survey.pk) in words
    survey.refresh_from_db()
    assert survey.state == Survey.State.OPEN
    sent = {"action": "close", "_selected_action": [survey.pk], "confirmed": "yes"}
    admin.post(listing, sent)
    survey.refresh_from_db()
    assert survey.state == Survey.State.CLOSED


def test_closing_when_the_key_of_what_waits_is_gone_says_what_to_do(admin, author):
    survey = answered(make_open_survey(author, batch_size=5), 2)
    batch_keys.destroy(spool.keys_directory(), Spool.objects.get().batch)
    reply = admin.post(change(survey), {**form_of(survey), "_close": "1"})
    assert "manage.py spool" in said(reply)
    survey.refresh_from_db()
    assert survey.state == Survey.State.OPEN
    assert Waiting.objects.count() == 2
