"""Reminders go to every address of a mailing, without a code, and tell nothing of who answered."""

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from surveys.collecting.refusals import UsedInvitation
from surveys.collecting.services import redeem
from surveys.fieldwork import tasks
from surveys.fieldwork.mailings import schedule_reminders, stop_mailing
from surveys.fieldwork.queries import invitation_counts, mailing_of, remindable
from surveys.models import Addressee, Invitation, Mailing
from surveys.models.queries import printed_digest
from surveys.models.refusals import NotPossible
from surveys.questionnaire import tokens
from tests import factories
from tests.surveys.fieldwork import mailing as mailings
from tests.surveys.fieldwork.mailing import CODE, LINK, everything_stored, people

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.survey(make=factories.make_invited_survey, contact="ask@example.org"),
]
THANKS = "If you have answered, thank you."


@pytest.fixture(autouse=True)
def _mail(settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.MAILS_PER_MINUTE = 20


@pytest.fixture
def sent(survey) -> Mailing:
    mailing = mailings.prepare(survey, people(20))
    mailings.start(mailing)
    mailings.run_all()
    return mailing


def in_days(*days: int):
    return [timezone.now() + timedelta(days=number) for number in days]


def remind(mailing: Mailing, moments=None, message: str = THANKS) -> list[Mailing]:
    return schedule_reminders(
        mailing=mailing,
        subject="Still open",
        message=message,
        moments=moments or in_days(3),
        link=LINK,
        later=tasks.send_later,
        by=mailing.survey.owner,
    )


def codes() -> list[str]:
    found = [CODE.search(message.body) for message in mail.outbox]
    return [tokens.canonical(match[0]) for match in found if match]


def test_a_reminder_has_the_code_by_which_its_survey_is_checked(survey, sent):
    mail.outbox.clear()
    remind(sent, message="{check} {link}")
    mailings.run_all()
    # There is no link to fill in.
    words = f"{printed_digest(survey.pk)} {{link}}"
    assert [message.body for message in mail.outbox] == [words] * 20


def test_all_twenty_are_reminded_after_five_answered_and_at_most_twenty_are_accepted(survey, sent):
    invitations = codes()
    for token in invitations[:5]:
        redeem(survey_id=survey.pk, token=token)
    mail.outbox.clear()
    remind(sent)
    mailings.run_all()
    assert sorted(message.to for message in mail.outbox) == sorted([to] for to in people(20))
    assert {message.body for message in mail.outbox} == {THANKS}
    assert Invitation.objects.count() == 20
    for token in invitations[5:]:
        redeem(survey_id=survey.pk, token=token)
    for token in invitations:
        with pytest.raises(UsedInvitation):
            redeem(survey_id=survey.pk, token=token)
    assert invitation_counts(survey).redeemed == 20


def test_no_row_tells_a_reminded_address_from_another(survey, sent):
    before = Invitation.objects.order_by("digest").values_list("digest", "redeemed")
    kept = list(before)
    remind(sent)
    mailings.run_all()
    assert list(before) == kept
    for address in people(20):
        rows = [row for _, row in everything_stored() if address in row]
        assert len(rows) == 2
        assert not any(digest in row for row in rows for digest, _ in kept)


def test_each_drawn_moment_is_a_mailing_of_its_own_that_waits_for_its_day(sent):
    moments = in_days(3, 5, 9)
    made = remind(sent, moments)
    assert [one.due for one in made] == moments
    assert mailing_of(sent.survey, made[0].pk).is_scheduled
    stop_mailing(mailing=made[1], by=sent.survey.owner)
    mail.outbox.clear()
    mailings.run_all()
    assert len(mail.outbox) == 40


def test_refused_and_lost_mails_of_a_reminder_cost_no_code(sent, settings):
    settings.EMAIL_BACKEND = "tests.surveys.fieldwork.mail_backends.Wayward"
    (made,) = remind(sent)
    mailings.run_all()
    made.refresh_from_db()
    assert (made.undelivered, Invitation.objects.count()) == (0, 20)


def test_only_invitations_that_were_sent_can_be_reminded_of(survey, sent):
    draft = mailings.prepare(survey, people(3, "other"))
    (made,) = remind(sent)
    assert list(remindable(survey)) == [sent]
    with pytest.raises(NotPossible, match="Send the invitations first"):
        remind(draft)
    stop_mailing(mailing=made, by=survey.owner)
    made.refresh_from_db()
    with pytest.raises(NotPossible, match="with invitations"):
        remind(made)


def test_a_past_moment_and_erased_addresses_are_refused(sent):
    with pytest.raises(NotPossible, match="in the past"):
        remind(sent, in_days(-1, 3))
    Addressee.objects.all().delete()
    with pytest.raises(NotPossible, match="erased"):
        remind(sent)
