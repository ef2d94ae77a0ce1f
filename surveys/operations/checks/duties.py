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
            f"{key_directory.directory()} is not the directory of keys of this database: it has "
            f"not the {key_directory.MARK} of that one",
            "Mount that one here. If it is lost for good, run manage.py spool --new-directory; "
            "what waits under its keys is set aside then.",
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
            f"{path} is the key of no open survey's batch",
            "Delete it, unless it belongs to a backup that you are about to restore.",
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
            f"Start its worker: systemctl start {service} ({command})."
            if service
            else f"Start a worker for it: {command}.",
        )
    if not counts:
        yield fine("worker", "no task waits for long")


def on_time() -> Iterator[Finding]:
    """Whether surveys close and answers are deleted on the days that respondents were told."""
    yesterday = timezone.now().date() - timedelta(days=1)
    open_still = [f'"{survey}" closes' for survey in due_to_close(yesterday)]
    there_still = [f'"{survey}" is deleted' for survey in due_to_erase(yesterday)]
    if late := [*open_still, *there_still]:
        yield problem(
            "retention",
            f"overdue for more than a day: {', '.join(late)}",
            "Run manage.py retention, and start its timer: systemctl enable --now "
            "deniable-retention.timer",
        )
    else:
        yield fine("retention", "no survey is past its dates")


def _of_set_aside(survey: Survey) -> Finding:
    return warning(
        "spool",
        f'{set_aside_count(survey).in_words} to "{survey}" are set aside: the key that opens them '
        "is gone",
        f"If a copy of it is somewhere: manage.py spool --recover {survey.pk} --key FILE. If not, "
        f"give them up: manage.py spool --write-off {survey.pk}",
    )


def _of_spool(state: SpoolState) -> Finding:
    if state.lost:
        return problem(
            "spool",
            f"{state.loss_in_words}: their key is lost",
            "Put the key's file back. Else they are set aside with the next answer, or by "
            "manage.py opening, if this directory of keys is the right one. To give them up: "
            f"manage.py spool --write-off {state.survey.pk}",
        )
    if state.is_stuck:
        return problem(
            "spool",
            f'a whole batch of "{state.survey}" waits that should have moved on',
            "Run manage.py spool --flush.",
        )
    return fine("spool", f'"{state.survey}" takes answers')
