"""What the services promise: launch once, freeze, count once, refuse with a reason."""

import secrets
from functools import partial

import pytest
from django.db import DatabaseError, transaction

from surveys.authoring.drafts import NotReady
from surveys.authoring.editor.orders import arrange_questions
from surveys.authoring.services import close, launch
from surveys.collecting.services import receive
from surveys.models import Question, Response, Revision, SubmissionKey, Survey
from surveys.models.queries import questionnaire_of
from surveys.models.refusals import NotAllowed, NotOpen, NotPossible
from surveys.planning.services import set_plan
from surveys.questionnaire.refusals import Refused
from tests import kept
from tests.bodies import body_of
from tests.factories import add_one_of_each, add_question, make_open_survey, make_survey, make_user
from tests.rivals import at_once

owner, survey = kept.owner, kept.survey


@pytest.mark.both_databases
def test_launching_freezes_the_draft_into_a_revision_and_opens_it(owner):
    draft = make_survey(owner)
    add_one_of_each(draft)
    revision = launch(survey=draft, by=owner)
    draft.refresh_from_db()
    assert draft.state == Survey.State.OPEN
    assert len(questionnaire_of(revision).items) == 7


def test_a_draft_that_is_not_ready_is_refused_with_every_reason(owner):
    draft = make_survey(owner, introduction=" ", contact="")
    add_question(draft, "Only", kind=Question.Kind.CHOICE)
    add_question(draft, kind=Question.Kind.NUMBER, design=Question.Design.TWO_COINS)
    with pytest.raises(NotReady) as problem:
        launch(survey=draft, by=owner)
    assert len(problem.value.reasons) == 5
    assert not Revision.objects.filter(survey=draft).exists()


def test_a_survey_is_launched_once(survey, owner):
    with pytest.raises(NotPossible, match="launched before"):
        launch(survey=survey, by=owner)


def test_only_the_owner_or_a_superuser_may_launch_close_or_move(owner):
    draft = make_survey(owner)
    question = add_question(draft)
    stranger = make_user("eve")
    for attempt in (
        lambda: launch(survey=draft, by=stranger),
        lambda: close(survey=draft, by=stranger),
        lambda: arrange_questions(
            survey=draft, shown=[question.pk], order=[question.pk], by=stranger
        ),
        lambda: set_plan(survey=draft, responses=5, by=stranger),
    ):
        with pytest.raises(NotAllowed):
            attempt()
    launch(survey=draft, by=make_user("root", superuser=True))


@pytest.mark.both_databases
def test_the_database_itself_refuses_to_change_a_revision(survey):
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        Revision.objects.filter(survey=survey).update(document={})


@pytest.mark.both_databases
def test_the_database_itself_refuses_to_edit_a_question_after_launch(survey):
    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        survey.questions.update(text="Something else?")


def test_a_submission_is_stored_as_reported_codes_and_nothing_else(survey):
    receive(survey_id=survey.pk, body=body_of(survey.revision))
    stored = Response.objects.values().get()
    assert set(stored) == {"id", "revision_id", "opening", "answers"}


def test_a_body_sent_again_is_answered_alike_and_counted_once(survey):
    body = body_of(survey.revision)
    first = receive(survey_id=survey.pk, body=body)
    assert receive(survey_id=survey.pk, body=body) == first
    assert Response.objects.count() == SubmissionKey.objects.count() == 1


def test_the_table_of_submission_keys_has_no_link_to_a_response_and_no_time():
    names = [field.name for field in SubmissionKey._meta.get_fields()]
    assert names == ["digest", "content", "revision"]


def test_a_refused_submission_stores_nothing(survey):
    for body in (b"", body_of(survey.revision) + b"&x=1"):
        with pytest.raises(Refused):
            receive(survey_id=survey.pk, body=body)
    assert not Response.objects.exists()
    assert not SubmissionKey.objects.exists()


def test_a_closed_survey_refuses_answers_and_says_when_it_closed(survey, owner):
    close(survey=survey, by=owner)
    survey.refresh_from_db()
    with pytest.raises(NotOpen) as refusal:
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    assert str(survey.closed_on) in refusal.value.reason
    assert not Response.objects.exists()


def test_a_draft_refuses_answers(owner):
    draft = make_survey(owner)
    with pytest.raises(NotOpen):
        receive(survey_id=draft.pk, body=b"")


def test_a_survey_closes_once(survey, owner):
    close(survey=survey, by=owner)
    with pytest.raises(NotPossible):
        close(survey=survey, by=owner)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_the_same_body_sent_by_many_at_once_is_counted_once(transactional_db):
    survey = make_open_survey(make_user())
    same = body_of(survey.revision)
    others = [body_of(survey.revision, key=secrets.token_hex(16)) for _ in range(8)]
    bodies = [same] * 8 + others
    at_once(*(partial(receive, survey_id=survey.pk, body=body) for body in bodies))
    assert Response.objects.count() == 1 + len(others)


def test_a_repeat_after_closing_is_answered_like_the_first_and_a_new_body_is_refused(survey, owner):
    body = body_of(survey.revision)
    first = receive(survey_id=survey.pk, body=body)
    close(survey=survey, by=owner)
    assert receive(survey_id=survey.pk, body=body) == first
    with pytest.raises(NotOpen):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    assert Response.objects.count() == 1
