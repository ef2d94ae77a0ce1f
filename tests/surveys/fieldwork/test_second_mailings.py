"""A second mailing gives nobody a second vote, unless the author says how many."""

import pytest
from django.core import mail

from surveys.fieldwork.mailings import erase_address, erase_addresses, retry_failed, send_mailing
from surveys.fieldwork.queries import overlap_of
from surveys.models import Addressee, AuditEntry, Mailing
from surveys.models.refusals import NotPossible
from tests import factories
from tests.surveys.fieldwork import mailing as mailings
from tests.surveys.fieldwork.inviting import page_of, words
from tests.surveys.fieldwork.mailing import LINK, people

pytestmark = [pytest.mark.django_db, pytest.mark.survey(make=factories.make_invited_survey)]


def sent(survey, addresses) -> Mailing:
    """A mailing that was sent to all of them."""
    mailing = mailings.prepare(survey, addresses)
    mailings.start(mailing)
    mailings.run_all()
    mail.outbox.clear()
    return mailing


def send(mailing: Mailing, **confirmed: object) -> list[str]:
    """Send it and return who got a mail."""
    later = mailings.tasks.send_later
    send_mailing(mailing=mailing, link=LINK, later=later, by=mailing.survey.owner, **confirmed)
    mailings.run_all()
    return sorted(one.to[0] for one in mail.outbox)


def mark(mailing: Mailing, place: int, state: str) -> None:
    key = mailing.addressees.order_by("address")[place].pk
    Addressee.objects.filter(pk=key).update(state=state)


def test_whom_an_earlier_mailing_reached_is_left_out_in_any_case_of_letters(survey):
    sent(survey, ["ADA@example.org", "bea@example.org"])
    second = mailings.prepare(survey, ["ada@example.org", "cleo@example.org"])
    assert overlap_of(second).repeated == 1
    assert send(second) == ["cleo@example.org"]
    assert second.addressees.count() == 1
    entry = AuditEntry.objects.filter(action="started a mailing").first()
    assert entry.after["left_out"] == 1
    assert survey.invitations.count() == 3


def test_failed_ones_were_not_reached_and_uncertain_ones_were(survey):
    first = sent(survey, people(3))
    mark(first, 0, Addressee.State.FAILED)
    mark(first, 1, Addressee.State.SENDING)
    assert send(mailings.prepare(survey, people(3))) == people(1)


def test_the_author_may_add_votes_by_confirming_how_many(survey):
    sent(survey, people(2))
    second = mailings.prepare(survey, people(3))
    with pytest.raises(NotPossible, match="people who could answer twice is now 2, not 1"):
        send(second, second_votes=1)
    assert send(second, second_votes=2) == people(3)
    entry = AuditEntry.objects.filter(action="started a mailing").first()
    assert entry.after["second_votes"] == 2


def test_of_two_drafts_with_one_list_only_the_first_that_is_started_invites(survey):
    one, other = (mailings.prepare(survey, people(2)) for _ in range(2))
    mailings.start(one)
    with pytest.raises(NotPossible, match="already has an invitation"):
        mailings.start(other)
    mailings.run_all()
    assert len(mail.outbox) == 2


def test_trying_the_failed_again_leaves_out_whom_another_mailing_reached(survey):
    first = sent(survey, people(2))
    mark(first, 0, Addressee.State.FAILED)
    assert send(mailings.prepare(survey, people(1))) == people(1)
    with pytest.raises(NotPossible, match="already has an invitation"):
        retry_failed(mailing=first, link=LINK, later=print, by=survey.owner)
    assert first.addressees.filter(state=Addressee.State.FAILED).count() == 1


def test_where_a_list_was_erased_the_author_is_told_and_confirms(as_owner, survey):
    first = sent(survey, people(2))
    erase_addresses(mailing=first, by=survey.owner)
    second = mailings.prepare(survey, people(2))
    with pytest.raises(NotPossible, match="was erased"):
        send(second)
    page = words(as_owner.get(page_of(survey, "mailing", second.pk)))
    assert "although up to 2 people could answer twice" in page
    action = page_of(survey, "mailing-action", second.pk, "send")
    assert "was erased" in words(as_owner.post(action, follow=True))
    as_owner.post(action, {"despite_erased": "on"})
    mailings.run_all()
    assert len(mail.outbox) == 2


def test_an_address_erased_at_its_owners_wish_is_an_erased_one(survey):
    sent(survey, people(2))
    assert not overlap_of(mailings.prepare(survey, people(1))).is_unknown
    erase_address(people(1)[0])
    assert overlap_of(mailings.prepare(survey, people(1))).is_unknown


def test_a_draft_that_was_discarded_reached_nobody(survey):
    erase_addresses(mailing=mailings.prepare(survey, people(2)), by=survey.owner)
    assert send(mailings.prepare(survey, people(2))) == people(2)


def test_the_page_says_how_many_were_reached_and_offers_both(as_owner, survey):
    sent(survey, people(2))
    second = mailings.prepare(survey, people(3))
    page = words(as_owner.get(page_of(survey, "mailing", second.pk)))
    assert "2 of these addresses already have an invitation" in page
    assert "Send to 1 address" in page
    assert "Send to all 3: 2 people could answer twice" in page
    action = page_of(survey, "mailing-action", second.pk, "send")
    as_owner.post(action, {"second_votes": "2"})
    mailings.run_all()
    assert len(mail.outbox) == 3


def test_a_made_up_number_of_votes_is_refused(as_owner, survey):
    sent(survey, people(2))
    second = mailings.prepare(survey, people(3))
    action = page_of(survey, "mailing-action", second.pk, "send")
    for made_up in ("x", "1", "-1", "9" * 30):
        as_owner.post(action, {"second_votes": made_up})
    mailings.run_all()
    assert mail.outbox == []
