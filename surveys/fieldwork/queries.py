"""Reads of invitations and mailings: counts by state, what staff may know, refused addresses."""

from collections import Counter
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Lower

from surveys.fieldwork.reminders.errors import ReminderError
from surveys.fieldwork.reminders.progress import CoarseProgress, daily
from surveys.models import (
    Addressee,
    AuditEntry,
    DailyCount,
    Mailing,
    Openings,
    Survey,
)
from surveys.models.queries import printed_digest, questionnaire_of, revision_of

ERASED_ADDRESS = "erased an address"


def check_code(survey: Survey) -> str:
    """The printed digest, for sheets and mails; empty before the launch, when there is none."""
    return "" if survey.state == Survey.State.DRAFT else printed_digest(survey.pk)


@dataclass(frozen=True)
class InvitationCounts:
    """How many invitations were issued, used, and made for mails that may never have arrived.

    Of those that were used, ``exchanged`` have been for a voucher.
    """

    issued: int
    redeemed: int
    undelivered: int
    exchanged: int = 0


def invitation_counts(survey: Survey) -> InvitationCounts:
    """All that is known about a survey's invitations; after closing, what was known then."""
    counts = survey.invitations.aggregate(
        issued=Count("pk"),
        redeemed=Count("pk", filter=Q(redeemed=True)),
        exchanged=Count("pk", filter=~Q(request="")),
    )
    lost = survey.mailings.aggregate(lost=Sum("undelivered"))["lost"] or 0
    if survey.state == Survey.State.CLOSED:
        return InvitationCounts(survey.invited or 0, survey.redeemed or 0, 0, survey.exchanged or 0)
    return InvitationCounts(counts["issued"], counts["redeemed"], lost, counts["exchanged"])


@dataclass(frozen=True)
class InvitationProgress:
    """The same as staff may know it: while a survey is open, at least ``used`` were used.

    In steps of a batch, renewed once a day, so that no one sees when a single one was.
    """

    issued: int
    used: int
    undelivered: int
    is_exact: bool


def invitation_progress(survey: Survey) -> InvitationProgress:
    """What a survey's pages say about its invitations."""
    counts = invitation_counts(survey)
    used, is_exact = counts.redeemed, survey.state != Survey.State.OPEN
    if not is_exact:
        openings = Openings.objects.filter(revision__survey=survey)
        used = min(openings.values_list("at_least", flat=True).first() or 0, used)
    return InvitationProgress(counts.issued, used, counts.undelivered, is_exact)


def daily_progress(survey: Survey) -> CoarseProgress | None:
    """How many answered by each day since the launch, as pages said it; None before two counts.

    A count is made when the day begins, so that it is about the days before it.
    """
    days = DailyCount.objects.filter(revision__survey=survey).order_by("day")
    counts = [(day.toordinal(), count) for day, count in days.values_list("day", "at_least")]
    revision = revision_of(survey)
    if revision is None or not counts:
        return None
    try:
        return CoarseProgress(daily(counts), questionnaire_of(revision).batch_size)
    except ReminderError:
        return None  # nothing to fit yet


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
    def is_scheduled(self) -> bool:
        """Whether this is a reminder of which no mail was sent yet."""
        return bool(self.mailing.due) and self.is_sending and not self.sent

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


def remindable(survey: Survey) -> QuerySet[Mailing]:
    """Mailings with invitations whose addresses are still there, by subject."""
    mailings = survey.mailings.filter(reminds=None, addressees__state=Addressee.State.SENT)
    return mailings.distinct().order_by("subject", "pk")


def mailing_of(survey: Survey, key: UUID) -> MailingCounts | None:
    """One mailing of a survey; None if the survey has no such mailing."""
    mailing = survey.mailings.filter(pk=key).first()
    return _progress(mailing) if mailing else None


def _progress(mailing: Mailing) -> MailingCounts:
    rows = mailing.addressees.values("state").annotate(count=Count("pk"))
    return MailingCounts(mailing, Counter(dict(rows.values_list("state", "count"))))


@dataclass(frozen=True)
class Overlap:
    """Who of a mailing that waits has an invitation already, as far as that is known.

    ``is_unknown`` where addresses were erased: those who wait may have been on that list.
    """

    waiting: int
    repeated: int
    is_unknown: bool

    @property
    def others(self) -> int:
        """Addresses that no earlier mailing is known to have reached."""
        return self.waiting - self.repeated


def overlap_of(mailing: Mailing) -> Overlap:
    """How a mailing and the survey's other ones overlap; a reminder brings no second vote."""
    waiting = mailing.addressees.filter(state=Addressee.State.WAITING).count()
    if mailing.reminds_id:
        return Overlap(waiting, 0, is_unknown=False)
    return Overlap(waiting, reached_before(mailing).count(), _was_erased(mailing))


def reached_before(mailing: Mailing) -> QuerySet[Addressee]:
    """The waiting addresses of a mailing that another mailing of the survey reached.

    A mail that failed reached no one; one that may have been sent counts as sent, and so does one
    that a mailing is just about to send.
    """
    states = Addressee.State
    is_on_its_way = Q(state=states.WAITING, mailing__state=Mailing.State.SENDING)
    with_codes = Addressee.objects.filter(mailing__reminds=None)
    others = with_codes.filter(mailing__survey=mailing.survey_id).exclude(mailing=mailing)
    reached = others.filter(Q(state__in=(states.SENT, states.SENDING)) | is_on_its_way)
    waiting = mailing.addressees.filter(state=states.WAITING).annotate(small=Lower("address"))
    return waiting.filter(small__in=reached.values(small=Lower("address")))


def _was_erased(mailing: Mailing) -> bool:
    """Whether addresses are gone that a mailing of this survey may have reached."""
    started = Mailing.objects.filter(survey=mailing.survey_id).exclude(state=Mailing.State.DRAFT)
    single = AuditEntry.objects.filter(survey=mailing.survey_id, action=ERASED_ADDRESS)
    return started.filter(addressees=None).exists() or single.exists()


def refused_addresses(mailing: Mailing) -> QuerySet[Addressee]:
    """The addresses to which no mail could be sent, with the reason."""
    return mailing.addressees.filter(state=Addressee.State.FAILED).order_by("address")


def lists_with(address: str) -> QuerySet[Addressee]:
    """Every list that holds an address, in upper or lower case."""
    addressees = Addressee.objects.filter(address__iexact=address).select_related("mailing__survey")
    return addressees.order_by("mailing__survey__title", "mailing__subject", "pk")
