"""Tasks of a worker (``manage.py db_worker``): make a report, look after one later."""

from uuid import UUID

from django.utils import timezone
from django_tasks import task

from analytics import services
from analytics.queries import PATIENCE


@task(queue_name="reports")
def make_report(report: str, run: int) -> None:
    """One run of a report. No word of an answer is among its arguments, results or errors."""
    from analytics.services.making import make  # loads the topic models; pages only queue

    make(UUID(report), run)


@task()
def look_after(report: str, run: int) -> None:
    """See that a run did not end with its worker."""
    if services.look_after(UUID(report), run, later=make_later):
        _look_later(report, run)


def make_later(report: UUID, run: int) -> None:
    """Queue a run of a report, and a second task that looks after it."""
    make_report.enqueue(str(report), run)
    _look_later(str(report), run)


def _look_later(report: str, run: int) -> None:
    look_after.using(run_after=timezone.now() + PATIENCE).enqueue(report, run)
