"""``doctor``: are batches stored, keys in use, tasks worked on and dates kept?"""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from surveys.collecting.keys import key_directory
from surveys.collecting.queries import set_aside_count
from surveys.models import Survey
from surveys.operations.checks import spools
from surveys.operations.checks.findings import Finding, fine, problem, warning
from surveys.operations.checks.spools import SpoolState
from surveys.operations.queries import due_to_close, due_to_erase

PATIENCE = timedelta(minutes=10)
# The service of each queue's worker.
WORKERS = {"default": "deniable-worker", "reports": "deniable-reports"}


def keys_at_hand() -> Iterator[Finding]:
    """Whether this server's directory of keys is the one that this database knows."""
    if key_directory.is_another():
        yield problem(
            "keys",
            f"{key_directory.directory()} is not the directory of keys that belongs to this "
            f"database: its {key_directory.MARK} is missing or different",
            "Mount the directory that belongs to this database here. If that directory is lost "
            "for good, run manage.py spool --new-directory. Answers that wait under its keys are "
            "set aside then.",
        )


def spooled() -> Iterator[Finding]:
    """Whether what waits in each open survey can be stored; never how many wait."""
    findings = [_of_spool(state) for state in spools.states()]
    yield from findings or [fine("spool", "no survey is open")]
    yield from map(_of_set_aside, spools.with_answers_set_aside())


def keys_in_use() -> Iterator[Finding]:
    """Whether keys are left over that could still open an old backup's waiting answers."""
    for path in spools.orphans():
        yield warning(
            "spool",
            f"{path} is a key that no open survey uses",
            "Delete this file, unless it belongs to a backup that you are about to restore.",
        )


def working() -> Iterator[Finding]:
    """Whether each queue has a worker that does its tasks."""
    since = timezone.now() - PATIENCE
    # A task for later is late when its own time is long past; the others have the end of time.
    due_recently = Q(run_after__gt=since, run_after__lte=timezone.now())
    late = DBTaskResult.objects.ready().filter(enqueued_at__lt=since).exclude(due_recently)
    counts = Counter(late.values_list("queue_name", flat=True))
    for queue, count in sorted(counts.items()):
        command = f"manage.py db_worker --queue-name {queue}"
        service = WORKERS.get(queue)
        yield problem(
            "worker",
            f"{count:,} tasks have waited for more than 10 minutes in the queue {queue}",
            f"Start the worker of this queue: systemctl start {service} ({command})."
            if service
            else f"Start a worker for this queue: {command}.",
        )
    if not counts:
        yield fine("worker", "no task has waited for more than 10 minutes")


def on_time() -> Iterator[Finding]:
    """Whether surveys close and answers are deleted on the days that respondents were told."""
    yesterday = timezone.now().date() - timedelta(days=1)
    open_still = [f'"{survey}" should be closed' for survey in due_to_close(yesterday)]
    there_still = [f'"{survey}" should be erased' for survey in due_to_erase(yesterday)]
    if late := [*open_still, *there_still]:
        yield problem(
            "retention",
            f"overdue for more than a day: {', '.join(late)}",
            "Run manage.py retention, and start its timer: systemctl enable --now "
            "deniable-retention.timer",
        )
    else:
        yield fine("retention", "no survey is more than a day past its closing or deletion date")


def _of_set_aside(survey: Survey) -> Finding:
    return warning(
        "spool",
        f'answers to "{survey}" are set aside, because the key that opens them is gone: '
        f"{set_aside_count(survey).in_words}",
        "If you have a copy of the key, take the answers back with manage.py spool --recover "
        f"{survey.pk} --key FILE. If there is no copy, give the answers up with manage.py spool "
        f"--write-off {survey.pk}",
    )


def _of_spool(state: SpoolState) -> Finding:
    if state.lost:
        return problem(
            "spool",
            f"{state.loss_in_words}, because the key is lost",
            "Put the key's file back. Otherwise, if this directory of keys is the right one, the "
            "answers are set aside as soon as the next answer comes or manage.py opening runs. "
            f"To give the answers up, run manage.py spool --write-off {state.survey.pk}",
        )
    if state.is_stuck:
        return problem(
            "spool",
            f'a whole batch of answers to "{state.survey}" is waiting that should have left the '
            "spool already",
            "Run manage.py spool --flush.",
        )
    return fine("spool", f'"{state.survey}" accepts answers')
