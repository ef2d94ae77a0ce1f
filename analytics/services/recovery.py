"""Reports whose worker ended are queued again, and never charged twice.

Each run is looked after: a second task comes when the run should have given a sign of life. If
there is none, a further run is queued; what the earlier one still brings is dropped, because
only the current run can store. After ``AUTOMATIC_RUNS`` it is left to people, so that a report
which ends its worker (by its memory, say) does not do so for ever.
"""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from analytics.models import Report
from analytics.queries import PENDING, is_lost, lost_reports
from analytics.services.requests import Later, queue_lost
from surveys.randomized_response.messages import sentence

AUTOMATIC_RUNS = 3
GIVEN_UP = sentence(
    "The report was not made: the background program (worker) ended while it made the report, "
    "{runs} times in all. Ask your operator whether the computer ran out of memory, then repeat "
    "the report."
)


def requeue_lost(*, later: Later, now: datetime | None = None) -> list[Report]:
    """Queue every report again whose worker ended; returns those that were."""
    lost = lost_reports(now or timezone.now())
    return [report for report in lost if _recover(report.pk, report.run, later, now)]


def look_after(report_id: UUID, run: int, *, later: Later, now: datetime | None = None) -> bool:
    """Queue this run's report again if its worker ended. True: look again, it is still pending."""
    if _recover(report_id, run, later, now):
        return False
    mine = Report.objects.filter(pk=report_id, run=run, state__in=PENDING)
    return mine.exists()


@transaction.atomic
def _recover(report_id: UUID, run: int, later: Later, now: datetime | None) -> bool:
    """Whether a further run was queued: the second caller finds a newer run."""
    report = Report.objects.select_for_update().filter(pk=report_id, run=run).first()
    if report is None or not is_lost(report, now or timezone.now()):
        return False
    if report.run < AUTOMATIC_RUNS:
        queue_lost(report, later)
        return True
    Report.objects.filter(pk=report.pk).update(
        state=Report.State.FAILED,
        problem=GIVEN_UP.format(runs=report.run),
        finished_at=timezone.now(),
    )
    return False
