"""Open what is due, for the worker: begin openings at their dates, carry those that run to the end.

Retention does it beside closing and erasing; ``manage.py opening`` does nothing else.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial

from django.db import DatabaseError, transaction
from django.db.models import F

from surveys.collecting import lost_batches, openings, spool
from surveys.collecting.keys import batch_keys, key_directory, opening_keys
from surveys.collecting.keys.batch_keys import KeyLost
from surveys.collecting.keys.opening_keys import OpeningKeyLost
from surveys.collecting.openings import OpeningHeld, Overtaken
from surveys.models import AuditEntry, SetAside, Spool, Survey
from surveys.models.queries import questionnaire_of
from surveys.operations.queries import last_known_time
from surveys.randomized_response.errors import StatisticsError
from surveys.staff.audit.services import record
from surveys.staff.locks import lock_survey
from surveys.trust import sealing
from surveys.trust.refusals import TrustRefusal

SET_ASIDE = "set answers aside"
# After these the log does not say any more what is set aside.
CHANGED = ("took answers back", "gave up unreadable answers")
# What this very run wrote into the audit log is a little later than the time it was begun with.
SLACK = timedelta(minutes=10)
FAULTS = (
    DatabaseError,
    KeyLost,
    OpeningHeld,
    OpeningKeyLost,
    sealing.NotSealedFor,
    OSError,
    StatisticsError,  # tables that cannot be released
    TrustRefusal,  # a ballot that is stored otherwise than it came
)


@dataclass
class OpeningRun:
    """The surveys of which something was opened, and what could not be done."""

    surveys: list[Survey] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def open_due(now: datetime) -> OpeningRun:
    """Open all that is due. A clock that was set back opens nothing: it would be too early twice.

    A fault of one survey is noted and stops no other.
    """
    opened = OpeningRun()
    last = last_known_time()
    if last and now < last - SLACK:
        opened.problems.append(
            f"Nothing was opened: the clock shows {now:%Y-%m-%d %H:%M}, but the newest event in "
            f"the database was at {last:%Y-%m-%d %H:%M}. Correct the clock."
        )
        return opened
    _mark(opened)
    for survey in Survey.objects.filter(state=Survey.State.OPEN).order_by("pk"):
        _attempt(opened, survey, _look_after)
        _attempt(opened, survey, partial(_begin, now=now))
    # After all were looked after, which sets aside what no key opens.
    for survey in Survey.objects.filter(revision__set_aside__isnull=False).distinct():
        _attempt(opened, survey, _write_down)
    # Closed ones, too: their last opening begins with the close, and runs here.
    for survey in _running():
        if _attempt(opened, survey, openings.run):
            opened.surveys.append(survey)
    today = now.astimezone(UTC).date()
    # What is erased today is counted no more: its counts would outlive the list of what goes.
    counted = Survey.objects.filter(state=Survey.State.OPEN).exclude(delete_on__lte=today)
    for survey in counted.order_by("pk"):
        openings.count_anew(survey, today)
    return opened


def _mark(opened: OpeningRun) -> None:
    """The directory of keys of an installation from before there were marks."""
    try:
        key_directory.mark_once()
    except OSError as problem:
        words = problem.strerror or str(problem)
        opened.problems.append(
            f"{key_directory.directory()} could not be marked as the directory of keys of this "
            f"database: {words}."
        )


def _look_after(survey: Survey) -> bool:
    """Set aside what no key opens, and store whole batches that a killed process left behind."""
    batch = Spool.objects.values_list("batch", flat=True).filter(survey=survey).first()
    if batch and not batch_keys.is_kept(spool.keys_directory(), batch):
        lost_batches.set_aside(survey.pk)
    return lost_batches.going_on(survey.pk, lambda: spool.flush(survey.pk)) > 0


@transaction.atomic
def _write_down(survey: Survey) -> bool:
    """What is set aside, in steps of a batch, unless the audit log says so already.

    Here and not where it is set aside: that is often a respondent's request, whose moment stands in
    no table.
    """
    survey = lock_survey(survey)
    entries = AuditEntry.objects.filter(survey=survey.pk, action__in=(SET_ASIDE, *CHANGED))
    last = entries.first()
    rows = SetAside.objects.filter(revision__survey=survey).count()
    step = questionnaire_of(survey.revision).batch_size
    after = {"at_least": rows // step * step}
    if last is not None and (last.action, last.after) == (SET_ASIDE, after):
        return False
    record(SET_ASIDE, by=None, survey=survey, after=after)
    return True


def _begin(survey: Survey, *, now: datetime) -> bool:
    return lost_batches.going_on(survey.pk, lambda: openings.begin(survey.pk, now))


def _running() -> list[Survey]:
    surveys = Survey.objects.filter(
        erased_on=None, revision__openings__round__gt=F("revision__openings__done") + 1
    )
    return list(surveys.order_by("pk"))


def _attempt(opened: OpeningRun, survey: Survey, act: Callable[[Survey], bool]) -> bool:
    try:
        return act(survey)
    except Overtaken:
        return False  # another process is at it, and goes on
    except FAULTS as problem:
        opened.problems.append(_words(survey, problem))
        return False


def _words(survey: Survey, problem: Exception) -> str:
    if isinstance(problem, OpeningKeyLost | sealing.NotSealedFor):
        return (
            f'"{survey}" could not be opened: its opening key is not in '
            f"{opening_keys.directory()}. Put the key back into this directory, or recover it "
            f"with manage.py opening --recover {survey.pk} --key FILE"
        )
    if isinstance(problem, OpeningHeld):
        return (
            f'"{survey}" was not opened: the database was put back to its state of {problem} UTC, '
            "and this opening may have been drawn after that state. Find out whether this "
            f"opening was drawn, then run manage.py opening --confirm-draw {survey.pk}, which "
            "explains the choice"
        )
    if isinstance(problem, KeyLost):
        return (
            f'"{survey}" could not be opened: the key of its batch is lost, and '
            f"{key_directory.directory()} is not the directory that had the key. Mount the "
            "directory that had the key, or give these answers up with manage.py spool "
            f"--write-off {survey.pk}"
        )
    # The first line alone: the others may quote rows.
    line = str(problem).partition("\n")[0].rstrip(".") or type(problem).__name__
    return f'"{survey}" could not be opened: {line}. Run this command again.'
