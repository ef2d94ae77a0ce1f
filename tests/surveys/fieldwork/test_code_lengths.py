"""Codes have 16 characters, except in surveys that promised 28 or may have handed them out."""

import pytest

from surveys.collecting.services import receive
from surveys.fieldwork.invitations import issue
from surveys.models import Survey
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.submission import MistypedInvitation, body_length
from tests import factories
from tests.bodies import body_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def drafted(owner, **fields: object) -> Survey:
    draft = factories.make_survey(owner, invitation_only=True, **fields)
    factories.add_question(draft)
    return draft


def issued(survey: Survey) -> str:
    (token,) = issue(survey=survey, number=1, by=survey.owner)
    return token


@pytest.mark.parametrize(("stored", "length"), [(16, 16), (None, 28)])
def test_a_survey_keeps_the_length_that_its_draft_had(owner, stored, length):
    draft = drafted(owner, code_length=stored)
    before = issued(draft)
    survey = factories.launched(draft)
    after = issued(survey)
    assert [len(before), len(after)] == [length, length]
    assert survey.revision.document["code_length"] == length
    for token in (before, after):
        body = body_of(survey.revision, invitation=token)
        assert len(body) == body_length(Questionnaire.from_document(survey.revision.document))
        receive(survey_id=survey.pk, body=body)


def test_a_new_survey_has_short_codes_and_no_other_length_is_taken(owner):
    survey = factories.launched(drafted(owner))
    assert len(issued(survey)) == 16
    body = body_of(survey.revision, invitation="0" * 28)
    with pytest.raises(MistypedInvitation, match="has 16 characters"):
        receive(survey_id=survey.pk, body=body)


def test_a_document_from_before_has_codes_of_28(owner):
    document = factories.launched(drafted(owner)).revision.document
    del document["code_length"]
    assert Questionnaire.from_document(document).code_length == 28
