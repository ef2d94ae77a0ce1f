"""P1 and P6: the link on the last page carries nothing, and nothing follows it by itself."""

import re

import pytest
from django.urls import reverse

from surveys.authoring.drafts import NotReady, draft_questionnaire
from tests.bodies import body_of
from tests.factories import add_question, launched, make_survey
from tests.posting import post

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_static_files")]
LINK = "https://help.example/listen/"


def draft(owner, link: str):
    survey = make_survey(owner, end_link=link)
    add_question(survey)
    return survey


def receipt(client, survey, code: str) -> str:
    reply = post(survey, body_of(survey.revision, [code]), client)
    assert reply.status_code == 200
    assert "Location" not in reply.headers
    assert "Refresh" not in reply.headers
    return reply.content.decode()


def test_the_receipt_offers_the_link_as_it_is_and_the_same_for_all(client, owner):
    survey = launched(draft(owner, LINK))
    pages = [receipt(client, survey, code) for code in ("00", "01", "02")]
    for page in pages:
        assert re.findall(r'<a href="(https?:[^"]*)" ([^>]*)>', page) == [
            (LINK, 'rel="noreferrer"')
        ]
        assert "http-equiv" not in page
    assert len({len(page) for page in pages}) == 1
    start = client.get(reverse("respondent:start", args=[survey.pk])).content.decode()
    shown, kept = start.split('<template id="receipt"')
    assert LINK not in shown
    assert LINK in kept.split("</template>")[0]


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "ftp://help.example/",
        "help.example",
        "https://",
        "https://help.example/?person=7",
        "https://help.example/?",
        "https://help.example/#7",
        "https://ada:7@help.example/",
        "https://help.example:port/",
        "https://[help.example/",
        "https://help.example/a b",
    ],
)
def test_a_link_that_carries_something_or_is_no_web_address_is_refused(owner, link):
    with pytest.raises(NotReady, match="link on the last page"):
        draft_questionnaire(draft(owner, link))


def test_the_link_is_frozen_in_the_document(owner):
    questionnaire = draft_questionnaire(draft(owner, f" {LINK} "))
    assert questionnaire.to_document()["layout"]["end_link"] == LINK
    assert type(questionnaire).from_document(questionnaire.to_document()) == questionnaire
