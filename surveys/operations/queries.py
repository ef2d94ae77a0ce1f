"""What retention reads: surveys due to close or to erase, and the rows that go then."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, cast
from uuid import UUID

from django.contrib.sessions.models import Session
from django.db.models import Max, QuerySet
from django_tasks_db.models import DBTaskResult

from surveys.models import (
    Addressee,
    AnswerCount,
    AuditEntry,
    Ballot,
    Comment,
    DailyCount,
    Export,
    Extract,
    Invitation,
    JointCount,
    Mailing,
    PlannedLook,
    RatingCount,
    Response,
    Revision,
    Sealed,
    SealedText,
    SetAside,
    SubmissionKey,
    Survey,
    TallyFile,
    Waiting,
)
from surveys.models.queries import launched_revision

GONE_AT_CLOSE = ("invitations", "addresses", "mailings")


@dataclass(frozen=True)
class Due:
    """What retention does to one survey: how many rows of what go."""

    action: str
    survey: UUID
    title: str
    on: date
    rows: dict[str, int]


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
        "sealed texts": SealedText.objects.filter(revision=revision),
        "ballots": Ballot.objects.filter(revision=revision),
        # After them: the database refuses to let these go while there are ballots.
        "files of trustees": TallyFile.objects.filter(tally__revision=revision),
        "extracts": Extract.objects.filter(revision=revision),
        "rating counts": RatingCount.objects.filter(revision=revision),
        "answer counts": AnswerCount.objects.filter(revision=revision),
        "joint counts": JointCount.objects.filter(revision=revision),
        "planned looks": PlannedLook.objects.filter(revision=revision),
        "exports": Export.objects.filter(revision=revision),
        "daily counts": DailyCount.objects.filter(revision=revision),
        "waiting": Waiting.objects.filter(revision=revision),
        "set aside": SetAside.objects.filter(revision=revision),
        "sealed": Sealed.objects.filter(revision=revision),
        "submission keys": SubmissionKey.objects.filter(revision=revision),
        "invitations": Invitation.objects.filter(survey=survey),
        "addresses": Addressee.objects.filter(mailing__survey=survey),
        "mailings": Mailing.objects.filter(survey=survey),
    }


def closing(survey: Survey) -> Due:
    """What goes when this survey closes on its own."""
    rows = {name: rows_of_table.count() for name, rows_of_table in rows_of(survey).items()}
    gone = {name: rows[name] for name in GONE_AT_CLOSE}
    last_day = cast(date, survey.close_on)
    return Due("close", survey.pk, survey.title, last_day, gone)


def erasing(survey: Survey) -> Due:
    """What goes when this survey's answers are erased."""
    rows = {name: rows_of_table.count() for name, rows_of_table in rows_of(survey).items()}
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
