"""A fitted draft is stored whole or not at all, belongs to who imports it, and is in the log."""

import pytest
from django.db import IntegrityError

from surveys.authoring.importing.fitting import fitted
from surveys.authoring.importing.services import store
from surveys.models import Option, Question, Survey
from surveys.models.people import AuditEntry
from tests.factories import make_user
from tests.surveys.authoring.importing.making import plan_with

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    user = make_user("ada")
    user.email = "ada@example.org"
    user.save()
    return user


def test_who_imports_owns_the_draft_and_is_reached_by_respondents(ada):
    survey = store(fitted(plan_with()), by=ada)
    assert (survey.owner, survey.contact, survey.state) == (ada, "ada@example.org", "draft")
    assert survey.delete_on is not None
    assert [question.position for question in survey.questions.all()] == [0, 1, 2, 3, 4]


def test_the_contact_of_the_file_stays(ada):
    survey = store(fitted(plan_with(contact={"en": "us@example.org"})), by=ada)
    assert survey.contact == "us@example.org"


def test_the_log_says_what_was_made(ada):
    survey = store(fitted(plan_with()), by=ada)
    entry = AuditEntry.objects.get(survey=survey.pk)
    assert (entry.action, entry.after["question 1: text"]) == ("created", "Did you?")


def test_a_draft_that_cannot_be_stored_leaves_nothing(ada):
    draft = fitted(plan_with())
    draft.options.append(Option(question=draft.questions[1], position=9, text="Answer a"))
    with pytest.raises(IntegrityError):
        store(draft, by=ada)
    assert not Survey.objects.exists()
    assert not Question.objects.exists()
