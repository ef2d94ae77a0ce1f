"""What a respondent's browser posts, without a browser."""

from collections.abc import Sequence

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from surveys.collecting.pages import FORM
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.submission import body_length
from tests.bodies import body_of

SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}


def post(
    survey: Survey, body: bytes | str, client: Client | None = None, **headers: str
) -> HttpResponse:
    """Send a body from a page of the survey: by this client, or by one that is new."""
    return (client or Client()).post(
        reverse("respondent:send", args=[survey.pk]),
        body,
        content_type=FORM,
        headers={**SAME_ORIGIN, **headers},
    )


def receipt_length(client: Client, survey: Survey, body: bytes) -> int:
    reply = post(survey, body, client)
    assert reply.status_code == 200
    return len(reply.content)


def send_alike(
    client: Client, survey: Survey, *answers: Sequence[str], own_coin: bool = False
) -> None:
    """Send each of these answers; all bodies have one length, and all receipts."""
    bodies = [body_of(survey.revision, list(codes), own_coin=own_coin) for codes in answers]
    assert {len(body) for body in bodies} == {body_length(questionnaire_of(survey.revision))}
    assert len({receipt_length(client, survey, body) for body in bodies}) == 1
