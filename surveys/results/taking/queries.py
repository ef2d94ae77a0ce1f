"""Reads of exports: those of a person, whether one is being written, is whole, or has expired."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet
from django.utils import timezone

from surveys.models import AuditEntry, Export, Revision, Survey
from surveys.results.queries import response_count

if TYPE_CHECKING:
    from django.contrib.auth.models import User

DIRECT = 100_000  # responses of a survey that are still downloaded directly: some seconds
KEPT = timedelta(days=1)  # after a file was finished
SILENCE = timedelta(minutes=10)  # of a worker, after which the file is not being written any more


def is_large(revision: Revision) -> bool:
    """Whether all answers are taken away as a file that a worker writes."""
    return response_count(revision) > DIRECT


def exports_of(person: "User", survey: Survey) -> QuerySet[Export]:
    """What this person asked for, of one survey, that has not expired."""
    asked = Export.objects.filter(person=person, revision__survey=survey)
    return asked.exclude(finished_at__lte=timezone.now() - KEPT).order_by("kind")


def is_being_written(export: Export, now: datetime | None = None) -> bool:
    """Whether a worker was heard of lately."""
    since = (now or timezone.now()) - SILENCE
    return export.finished_at is None and export.heard_at >= since


def is_written_down(
    download: str,
    survey: Survey,
    *,
    by: "User",
    after: Mapping[str, Any],
    now: datetime | None = None,
) -> bool:
    """Whether the audit log has an entry of this day that this person took this."""
    now = now or timezone.now()
    entries = AuditEntry.objects.filter(survey=survey.pk, actor=by.pk, after=after)
    midnight = datetime.combine(now, time.min, now.tzinfo)
    return entries.filter(action=f"{download} downloaded", at__gte=midnight).exists()
