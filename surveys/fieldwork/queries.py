"""Reads of invitations and mailings: counts by state, refused addresses, progress."""

from collections import Counter
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum

from surveys.models import (
    Addressee,
    Mailing,
    Survey,
)


@dataclass(frozen=True)
class InvitationCounts:
    """How many invitations were issued, used, and made for mails that may never have arrived."""

    issued: int
    redeemed: int
    undelivered: int


def invitation_counts(survey: Survey) -> InvitationCounts:
    """All that is known about a survey's invitations; after closing, what was known then."""
    found = survey.invitations.aggregate(
        issued=Count("pk"), redeemed=Count("pk", filter=Q(redeemed=True))
    )
    lost = survey.mailings.aggregate(lost=Sum("undelivered"))["lost"] or 0
    if survey.state == Survey.State.CLOSED:
        return InvitationCounts(survey.invited or 0, survey.redeemed or 0, 0)
    return InvitationCounts(found["issued"], found["redeemed"], lost)


@dataclass(frozen=True)
class MailingCounts:
    """How far a mailing is."""

    mailing: Mailing
    by_state: Counter[str]

    @property
    def addresses(self) -> int:
        return self.by_state.total()

    @property
    def waiting(self) -> int:
        return self.by_state[Addressee.State.WAITING]

    @property
    def sending(self) -> int:
        return self.by_state[Addressee.State.SENDING]

    @property
    def sent(self) -> int:
        return self.by_state[Addressee.State.SENT]

    @property
    def failed(self) -> int:
        return self.by_state[Addressee.State.FAILED]

    @property
    def is_sending(self) -> bool:
        return self.mailing.state == Mailing.State.SENDING

    @property
    def is_draft(self) -> bool:
        return self.mailing.state == Mailing.State.DRAFT

    @property
    def uncertain(self) -> int:
        """Mails that may have been sent; while mails are being sent, one is always on its way."""
        return 0 if self.is_sending else self.sending

    @property
    def lost(self) -> int:
        """Invitations whose tokens a process took along when it died."""
        return 0 if self.is_sending else max(0, self.mailing.undelivered - self.uncertain)


def mailing_counts(survey: Survey) -> list[MailingCounts]:
    """Every mailing of a survey, by subject."""
    return [_progress(mailing) for mailing in survey.mailings.order_by("subject", "pk")]


def mailing_of(survey: Survey, key: UUID) -> MailingCounts | None:
    """One mailing of a survey; None if the survey has no such mailing."""
    mailing = survey.mailings.filter(pk=key).first()
    return _progress(mailing) if mailing else None


def _progress(mailing: Mailing) -> MailingCounts:
    rows = mailing.addressees.values("state").annotate(count=Count("pk"))
    return MailingCounts(mailing, Counter(dict(rows.values_list("state", "count"))))


def refused_addresses(mailing: Mailing) -> QuerySet[Addressee]:
    """The addresses to which no mail could be sent, with the reason."""
    return mailing.addressees.filter(state=Addressee.State.FAILED).order_by("address")


def lists_with(address: str) -> QuerySet[Addressee]:
    """Every list that holds an address, in upper or lower case."""
    found = Addressee.objects.filter(address__iexact=address).select_related("mailing__survey")
    return found.order_by("mailing__survey__title", "mailing__subject", "pk")
