"""Pages that ask before an act that cannot be undone, as a person uses them."""

import re

from django.urls import reverse

from surveys.models import Survey


def page_of(survey: Survey, act: str, *parts: str) -> str:
    """The address of the page that asks: "launch", "close" or "delete_by" with a day."""
    return reverse(f"admin:surveys_survey_{act}", args=[survey.pk, *parts])


def proof_in(words: str) -> str:
    """The proof in a page that asks."""
    found = re.search(r'name="shown" value="([0-9a-f]{64})"', words)
    assert found, "the page asks nothing"
    return found[1]


def confirm(client, survey: Survey, act: str, *parts: str):
    """Open the page and press its button."""
    address = page_of(survey, act, *parts)
    return client.post(address, confirmed(client.get(address).content.decode()), follow=True)


def confirmed(page: str) -> dict[str, object]:
    """What the page sends once each of its points is confirmed."""
    accepted = re.findall(r'name="accepted" value="([^"]+)"', page)
    return {"shown": proof_in(page), "accepted": accepted}
