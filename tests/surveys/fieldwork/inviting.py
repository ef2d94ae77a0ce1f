"""The pages for invitations, as somebody at a browser uses them."""

import uuid
from html import unescape

from django.urls import reverse

from tests.surveys.fieldwork.mailing import MESSAGE

# What can be done with a mailing.
ACTIONS = ("send", "stop", "retry", "take-as-sent", "send-again", "erase")


def page_of(survey, name: str = "invitations", *more) -> str:
    return reverse(f"surveys:{name}", args=[survey.pk, *more])


def words(response) -> str:
    """What is in a reply; on a page, white space is one space, as browsers show it."""
    content = response.getvalue() if response.streaming else response.content
    text = unescape(content.decode())
    return " ".join(text.split()) if response["Content-Type"].startswith("text/html") else text


def make_sheets(client, survey, number: object = 3, **given):
    sent = {"number": str(number), "request": str(uuid.uuid4()), **given}
    return client.post(page_of(survey, "invitation-sheets"), sent)


def hand_in(client, survey, **given):
    sent = {"subject": "Please", "message": MESSAGE, **given}
    return client.post(page_of(survey, "new-mailing"), sent, follow=True)
