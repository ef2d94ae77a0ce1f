"""Every read. Rows become frozen values and count arrays here; nobody else asks the database."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.db.models.functions import Substr
from django_tasks_db.models import DBTaskResult

from surveys.marking import Marking
from surveys.models import (
    Addressee,
    AuditEntry,
    Comment,
    Extract,
    Invitation,
    Mailing,
    Membership,
    RatingCount,
    Response,
    Revision,
    SubmissionKey,
    Survey,
    Waiting,
)
from surveys.questionnaire import Item, Questionnaire
from surveys.roles import ALLOWED, Ability, Role, roles_with

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


@dataclass(frozen=True)
class ItemCounts:
    """How often each code of one question was reported, on both paths together."""

    item: Item
    by_code: Counter[str]
    written: int = 0  # how many texts there are to a free text, or ratings to a rating
    marks: tuple[int, ...] = ()  # how many reports mark each option, for a long list

    @property
    def levels(self) -> tuple[int, ...]:
        """Counts in the order of what can be reported; who was not asked is left out."""
        return tuple(self.by_code[level.code] for level in self.item.reported_levels)


def role_of(user: "User | AnonymousUser", survey: Survey) -> Role | None:
    """What this person is in this survey; None for everybody else."""
    if not user.is_authenticated or not user.is_active:
        return None
    if user.is_superuser or survey.owner_id == user.pk:
        return Role.OWNER
    role = Membership.objects.filter(survey=survey, user=user).values_list("role", flat=True)
    return Role(role[0]) if role else None


def may(user: "User | AnonymousUser", survey: Survey, ability: Ability) -> bool:
    """Whether this person may do this in this survey."""
    role = role_of(user, survey)
    return role is not None and ability in ALLOWED[role]


def surveys_for(user: "User", ability: Ability = Ability.READ) -> QuerySet[Survey]:
    """The surveys in which this person has an ability, with their number of responses."""
    return (
        _visible(user, ability)
        .select_related("owner", "revision")
        .annotate(response_count=Count("revision__responses"))
        .order_by("title", "pk")
    )


def editable_among(user: "User", surveys: Iterable[Survey]) -> frozenset[UUID]:
    """The keys of those surveys whose draft or plan this person may change."""
    keys = [survey.pk for survey in surveys]
    return frozenset(_visible(user, Ability.EDIT).filter(pk__in=keys).values_list("pk", flat=True))


def account_named(username: str) -> "User | None":
    """The account with this user name, however its letters were encoded."""
    accounts = get_user_model()
    return accounts.objects.filter(username=accounts.normalize_username(username)).first()


def members_of(survey: Survey) -> QuerySet[Membership]:
    """Everybody besides the owner who has a role in a survey, by name."""
    return survey.memberships.select_related("user").order_by("user__username")


def _visible(user: "User", ability: Ability) -> QuerySet[Survey]:
    if not user.is_active:
        return Survey.objects.none()
    if user.is_superuser:
        return Survey.objects.all()
    joined = Membership.objects.filter(user=user, role__in=roles_with(ability)).values("survey")
    return Survey.objects.filter(Q(owner=user) | Q(pk__in=joined))


def survey_to_answer(survey_id: UUID) -> Survey:
    """A survey with its revision, whatever its state. Raises Survey.DoesNotExist."""
    surveys = Survey.objects.select_related("revision").defer("revision__document")
    return surveys.get(pk=survey_id)


@lru_cache(maxsize=1024)
def launched_revision(survey_id: UUID) -> UUID:
    """The revision of a launched survey, read once per process: a survey is launched once.

    Raises Revision.DoesNotExist.
    """
    return Revision.objects.values_list("pk", flat=True).get(survey=survey_id)


def questionnaire_of(revision: Revision) -> Questionnaire:
    """The frozen questionnaire of a revision."""
    return questionnaire_of_id(revision.pk)


@lru_cache(maxsize=128)
def questionnaire_of_id(revision_id: UUID) -> Questionnaire:
    """The frozen questionnaire; read once per process, because a revision never changes."""
    document = Revision.objects.values_list("document", flat=True).get(pk=revision_id)
    return Questionnaire.from_document(document)


def response_count(revision: Revision) -> int:
    """How many submissions were counted."""
    return Response.objects.filter(revision=revision).count()


def waiting_count(revision_id: UUID) -> int:
    """How many submissions wait in the spool for their batch."""
    return Waiting.objects.filter(revision=revision_id).count()


def item_counts(revision: Revision) -> Iterator[ItemCounts]:
    """Counts of every question, each by one grouped query over the fixed-width answers."""
    for number, (item, place) in enumerate(questionnaire_of(revision).offsets(), start=1):
        yield _counts(revision, number, item, place)


def _counts(revision: Revision, number: int, item: Item, place: int) -> ItemCounts:
    if item.is_text:
        written = Comment.objects.filter(revision=revision, question=number).count()
        return ItemCounts(item, Counter(), written)
    if item.is_rating:
        rated = RatingCount.objects.filter(revision=revision, question=UUID(item.id))
        return ItemCounts(item, Counter(), rated.aggregate(all=Sum("count"))["all"] or 0)
    if item.marking:
        return _marks(revision, item, item.marking, place)
    rows = (
        Response.objects.filter(revision=revision)
        .values(code=Substr(F("answers"), place + 1, item.width))
        .annotate(count=Count("pk"))
        .values_list("code", "count")
    )
    return ItemCounts(item, Counter(dict(rows)))


def _marks(revision: Revision, item: Item, marking: Marking, place: int) -> ItemCounts:
    """Hardly any two reports of a long list are alike, so they are counted as they come."""
    found: Counter[str] = Counter()
    code = Substr(F("answers"), place + 1, item.width)
    rows = Response.objects.filter(revision=revision).values_list(code, flat=True)

    def asked() -> Iterator[str]:
        for row in rows.iterator(2000):
            code = str(row)
            found["asked" if item.was_asked(code) else code] += 1
            if item.was_asked(code):
                yield code

    marks = marking.support(asked())
    return ItemCounts(item, found, marks=tuple(marks.tolist()))


def reported_rows(revision: Revision) -> Iterator[tuple[bool, tuple[str, ...]]]:
    """Every response as (own coin, codes), in the order of their random keys; without texts."""
    offsets = questionnaire_of(revision).offsets()
    places = [(item, at) for item, at in offsets if not item.is_text]
    rows = Response.objects.filter(revision=revision).order_by("pk")
    for own_coin, answers in rows.values_list("own_coin", "answers").iterator(2000):
        yield own_coin, tuple(answers[at : at + item.width] for item, at in places)


def texts(revision: Revision) -> Iterator[tuple[int, str]]:
    """Every text as (number of its question, text), in the order of their random keys."""
    rows = Comment.objects.filter(revision=revision).order_by("pk")
    return rows.values_list("question", "text").iterator(2000)


def audit_entries(
    survey_id: UUID | None = None, *, action: str = "", actor: str = ""
) -> QuerySet[AuditEntry]:
    """The audit log, newest first: of one survey or of everything, of one action or person.

    ``actor`` is the key of an account, or "0" for what Deniable did by itself.
    """
    entries = AuditEntry.objects.all()
    if survey_id:
        entries = entries.filter(survey=survey_id)
    if action:
        entries = entries.filter(action=action)
    if actor:
        entries = (
            entries.filter(actor=int(actor)) if int(actor) else entries.filter(actor__isnull=True)
        )
    return entries


def audit_actions(survey_id: UUID | None = None) -> list[str]:
    """Every action that the log knows, by name."""
    entries = audit_entries(survey_id).order_by("action")
    return list(entries.values_list("action", flat=True).distinct())


def audit_actors(survey_id: UUID | None = None) -> list[int | None]:
    """The keys of everybody whom the log knows; None is Deniable itself."""
    entries = audit_entries(survey_id).order_by("actor")
    return list(entries.values_list("actor", flat=True).distinct())


def account_names(keys: Iterable[int]) -> dict[int, str]:
    """User names of the accounts that still exist."""
    accounts = get_user_model().objects.filter(pk__in=set(keys))
    return dict(accounts.values_list("pk", "username"))


def survey_titles(keys: Iterable[UUID]) -> dict[UUID, str]:
    """Titles of the surveys that still exist."""
    return dict(Survey.objects.filter(pk__in=set(keys)).values_list("pk", "title"))


def search_surveys(user: "User", text: str) -> QuerySet[Survey]:
    """The surveys that this person may see whose title contains the text, without documents."""
    return surveys_for(user).filter(title__icontains=text).defer("revision__document")


def revision_of(survey: Survey) -> Revision | None:
    """What was launched; None for a draft."""
    return Revision.objects.filter(survey=survey).defer("document").first()


def path_counts(revision: Revision) -> tuple[int, int]:
    """How many submissions came with the browser's coin, and how many with their own."""
    rows = Response.objects.filter(revision=revision).values("own_coin").annotate(n=Count("pk"))
    counts = dict(rows.values_list("own_coin", "n"))
    return counts.get(False, 0), counts.get(True, 0)


def question_counts(revision: Revision, number: int) -> ItemCounts | None:
    """Counts of one question, numbered from 1; None if there is no such question."""
    places = list(questionnaire_of(revision).offsets())
    if not 1 <= number <= len(places):
        return None
    return _counts(revision, number, *places[number - 1])


# Retention: what is due on a day, and what goes then.

ERASED_MODELS = (
    Response,
    Comment,
    Extract,
    RatingCount,
    Waiting,
    SubmissionKey,
    Invitation,
    Addressee,
    Mailing,
)
GONE_AT_CLOSE = ("invitations", "addresses", "mailings")


@dataclass(frozen=True)
class Due:
    """What retention does to one survey: how many rows of what go, and how many are stored."""

    action: str
    survey: UUID
    title: str
    on: date
    rows: dict[str, int]
    stored: int = 0


def due_to_close(today: date) -> QuerySet[Survey]:
    """Open surveys whose last day is over; what is to be erased today is closed on that way."""
    overdue = Survey.objects.filter(state=Survey.State.OPEN, close_on__lt=today)
    return overdue.exclude(delete_on__lte=today)


def due_to_erase(today: date) -> QuerySet[Survey]:
    """Launched surveys whose answers should be gone today."""
    due = Survey.objects.filter(delete_on__lte=today, erased_on__isnull=True)
    return due.exclude(state=Survey.State.DRAFT)


def is_erased(survey: Survey, today: date) -> bool:
    """Whether answers are gone or are going just now: half of them would say something wrong."""
    if survey.erased_on or survey.state == Survey.State.DRAFT:
        return survey.erased_on is not None
    return survey.delete_on is not None and survey.delete_on <= today


def rows_of(survey: Survey) -> dict[str, "QuerySet[Any]"]:
    """All rows about answers and invited people, in an order in which they can be deleted."""
    revision = launched_revision(survey.pk)
    return {
        "responses": Response.objects.filter(revision=revision),
        "comments": Comment.objects.filter(revision=revision),
        "extracts": Extract.objects.filter(revision=revision),
        "rating counts": RatingCount.objects.filter(revision=revision),
        "waiting": Waiting.objects.filter(revision=revision),
        "submission keys": SubmissionKey.objects.filter(revision=revision),
        "invitations": Invitation.objects.filter(survey=survey),
        "addresses": Addressee.objects.filter(mailing__survey=survey),
        "mailings": Mailing.objects.filter(survey=survey),
    }


def closing(survey: Survey) -> Due:
    """What goes when this survey closes on its own."""
    rows = {name: found.count() for name, found in rows_of(survey).items()}
    gone = {name: rows[name] for name in GONE_AT_CLOSE}
    last_day = cast(date, survey.close_on)
    return Due("close", survey.pk, survey.title, last_day, gone, rows["waiting"])


def erasing(survey: Survey) -> Due:
    """What goes when this survey's answers are erased."""
    rows = {name: found.count() for name, found in rows_of(survey).items()}
    return Due("erase", survey.pk, survey.title, cast(date, survey.delete_on), rows)


def expired_sessions(now: datetime) -> QuerySet[Session]:
    """Logins that have ended."""
    return Session.objects.filter(expire_date__lt=now)


def finished_runs() -> QuerySet[DBTaskResult]:
    """Tasks that have ended; nothing needs what is noted about them."""
    return DBTaskResult.objects.filter(finished_at__isnull=False)


def last_known_time() -> datetime | None:
    """When the last launch or entry of the audit log was; None where nothing happened yet."""
    entry = AuditEntry.objects.values_list("at", flat=True).first()
    launch = Revision.objects.aggregate(last=Max("launched_at"))["last"]
    return max((time for time in (entry, launch) if time), default=None)


# Invitations and mailings. What an address got is stored nowhere, so nothing here can tell.


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
    """Every list that holds an address, in whatever case."""
    found = Addressee.objects.filter(address__iexact=address).select_related("mailing__survey")
    return found.order_by("mailing__survey__title", "mailing__subject", "pk")
