"""Before the launch there is no check code: sheets and mails of drafts leave it out."""

import re

import pytest

from surveys.models import Invitation, Mailing
from surveys.models.queries import printed_digest
from tests import factories
from tests.surveys.fieldwork.inviting import hand_in, make_sheets, page_of, words

pytestmark = pytest.mark.django_db
CODE_TO_CHECK = re.compile(r"[0-9a-z]{4}(?:-[0-9a-z]{4}){7}-[0-9a-z]{2}")


def test_sheets_of_a_draft_are_whole_and_have_none(as_owner, owner):
    draft = factories.make_survey(owner, invitation_only=True)
    page = words(make_sheets(as_owner, draft, 3))
    assert page.count("<svg") == 3 == Invitation.objects.filter(survey=draft).count()
    assert page.endswith("</html>")
    assert not CODE_TO_CHECK.search(page)


def test_the_preview_of_a_mail_has_it_from_the_launch_on(as_owner, owner):
    draft = factories.make_survey(owner, invitation_only=True)
    launched = factories.make_invited_survey(owner)
    for survey in (draft, launched):
        hand_in(as_owner, survey, pasted="ada@example.org", message="{code} compare {check}")
    shown = {
        mailing.survey: words(as_owner.get(page_of(mailing.survey, "mailing", mailing.pk)))
        for mailing in Mailing.objects.all()
    }
    assert "compare {check}" in shown[draft]
    assert f"compare {printed_digest(launched.pk)}" in shown[launched]
