"""Texts as a page seals them before they leave it, and files of them."""

import base64
from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from surveys.models import Survey
from surveys.models.queries import digest_of_revision, questionnaire_of
from surveys.trust.keyfiles import PrivateKey
from surveys.trust.texts import seal_text
from tests.factories import add_question, add_text, launched, make_survey
from tests.surveys.authoring.text_keys import add_key


def locked_survey(owner, *keys: PrivateKey, longest: int = 40, **fields: object) -> Survey:
    """A launched survey of a direct yes or no and a text that is sealed for these keys."""
    last_day = timezone.now().date() + timedelta(days=30)
    usual = {"opening": "close", "batch_size": 5, "close_on": last_day}
    draft = make_survey(owner, **{**usual, **fields})
    add_question(draft, design="direct")
    add_text(draft, longest=longest)
    for layer, key in enumerate(keys, start=1):
        add_key(draft, key, layer)
    return launched(draft)


def sealed_in_page(survey: Survey, text: str, number: int = 2) -> str:
    """What the page puts into the field of this question."""
    questionnaire = questionnaire_of(survey.revision)
    sealed = seal_text(
        text,
        questionnaire.seals.publics,
        revision=digest_of_revision(survey.revision.pk),
        question=number,
        longest=questionnaire.items[number - 1].longest,
    )
    return base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def answers_with(survey: Survey, texts: Sequence[str]) -> list[list[str]]:
    """The codes of people who answer alike and write these texts."""
    return [["00", sealed_in_page(survey, text)] for text in texts]
