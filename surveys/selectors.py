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
from django.db.models import Count, F, Max, Q, QuerySet
from django.db.models.functions import Substr

from surveys.models import (
    Addressee,
    AuditEntry,
    Comment,
    Invitation,
    Mailing,
    Membership,
    Response,
    Revision,
    Spool,
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

    @property
    def levels(self) -> tuple[int, ...]:
        """Counts in the order of the question's levels; questions not asked are left out."""
        return tuple(self.by_code[level.code] for level in self.item.levels)


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


def is_open(survey_id: UUID) -> bool:
    """Whether the survey takes answers now."""
    return Spool.objects.filter(survey=survey_id).exists()


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


def waiting_count(revision: Revision) -> int:
    """How many submissions wait in the spool for their batch."""
    return Waiting.objects.filter(revision=revision).count()


def item_counts(revision: Revision) -> Iterator[ItemCounts]:
    """Counts of every question, each by one grouped query over the fixed-width answers."""
    for item, place in questionnaire_of(revision).offsets():
        yield _counts(revision, item, place)


def _counts(revision: Revision, item: Item, place: int) -> ItemCounts:
    rows = (
        Response.objects.filter(revision=revision)
        .values(code=Substr(F("answers"), place + 1, item.width))
        .annotate(count=Count("pk"))
        .values_list("code", "count")
    )
    return ItemCounts(item, Counter(dict(rows)))


def reported_rows(revision: Revision) -> Iterator[tuple[bool, tuple[str, ...]]]:
    """Every response as (own coin, codes), in the order of their random keys."""
    places = list(questionnaire_of(revision).offsets())
    rows = Response.objects.filter(revision=revision).order_by("pk")
    for own_coin, answers in rows.values_list("own_coin", "answers").iterator(2000):
        yield own_coin, tuple(answers[at : at + item.width] for item, at in places)


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
    return _counts(revision, *places[number - 1])


# Retention: what is due on a day, and what goes then.

ERASED_MODELS = (Response, Comment, Waiting, SubmissionKey, Invitation, Addressee, Mailing)
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


def rows_of(survey: Survey) -> dict[str, "QuerySet[Any]"]:
    """All rows about answers and invited people, in an order in which they can be deleted."""
    revision = launched_revision(survey.pk)
    return {
        "responses": Response.objects.filter(revision=revision),
        "comments": Comment.objects.filter(revision=revision),
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


def last_known_time() -> datetime | None:
    """When the last launch or entry of the audit log was; None where nothing happened yet."""
    entry = AuditEntry.objects.values_list("at", flat=True).first()
    launch = Revision.objects.aggregate(last=Max("launched_at"))["last"]
    return max((time for time in (entry, launch) if time), default=None)
