"""Keep dates: close surveys, erase answers and overwrite them on the disk, if the clock is right.

A survey is marked as erased last of all, when its rows are gone and the database's files hold no
remains of them; if a run is interrupted, the next one finds the survey due and finishes. The
questionnaire, the dates, how many were invited and the audit log stay: they say what was promised
and that it was kept, and nothing about anybody's answers.
"""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet

from surveys.authoring.services import finish, stop_unread
from surveys.collecting import lost_batches
from surveys.collecting import spool as spooling
from surveys.collecting.keys import orders, signing_keys
from surveys.collecting.keys.batch_keys import KeyLost
from surveys.models import Openings, Survey
from surveys.models.queries import questionnaire_of_id
from surveys.operations import queries as operations_queries
from surveys.operations.contents import CONTENTS
from surveys.operations.opening_keys import destroy_old
from surveys.operations.openings import SLACK, open_due
from surveys.operations.queries import (
    GONE_AT_CLOSE,
    closing,
    due_to_close,
    due_to_erase,
    erasing,
    expired_sessions,
    finished_runs,
    last_known_time,
    rows_of,
)
from surveys.questionnaire.document import closes_at
from surveys.results.taking import services as exports
from surveys.staff.audit.services import record

PATIENCE = 10.0  # seconds; requests for a table meanwhile wait in the same queue
BLOCK = 5_000  # rows in one transaction: others write in between
DESTROYED_AT_ONCE = ("waiting", "set aside", "sealed")
DOUBT = timedelta(days=365)
REMINDER = timedelta(days=30)
# VACUUM FULL copies along what any view in this database may still see, its own included; and a
# view reaches back to the oldest transaction that runs anywhere on the server. Standbys that tell
# what they read keep rows, too: by their slot, or by the process, of no database, that feeds them.
OLD_ROWS_ARE_SEEN = """SELECT pg_snapshot_xmin(pg_current_snapshot()) <= %(deleted)s::xid8
OR EXISTS (SELECT 1 FROM pg_stat_activity
WHERE (datname = current_database() OR datname IS NULL) AND pid <> pg_backend_pid()
AND age(COALESCE(backend_xmin, backend_xid)) >= age((%(deleted)s::xid8)::xid))
OR EXISTS (SELECT 1 FROM pg_replication_slots WHERE age(xmin) >= age((%(deleted)s::xid8)::xid))"""
FILE = "SELECT pg_relation_filenode(%s::regclass)"
Due = operations_queries.Due


class ClockDoubted(RuntimeError):
    """The clock may be wrong, and erasing cannot be undone; nothing was changed."""

    def __init__(self, now: datetime, last: datetime) -> None:
        super().__init__(
            "Nothing was changed, because erasing cannot be undone: the clock shows "
            f"{now:%Y-%m-%d}, but the last thing that is known to have happened here was on "
            f"{last:%Y-%m-%d}. Correct the clock. If the clock is right, run this command once "
            "more with --yes."
        )


class StillRead(DatabaseError):
    """A reader of an old state of the database is open, so its journal must be kept for now."""


class MayNotRewrite(DatabaseError):
    """The account does not own the tables and has no right to write them anew."""


FAULTS = (DatabaseError, KeyLost, OSError)


@dataclass
class Kept:
    """What one run did, and what it could not do; the next run tries that again."""

    now: datetime
    done: list[Due] = field(default_factory=list)
    opened: list[Survey] = field(default_factory=list)
    logins: int = 0
    runs: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def today(self) -> date:
        return self.now.astimezone(UTC).date()

    def attempt(self, act: Callable[[Survey, date], Due | None], survey: Survey) -> bool:
        """Do something to a survey; a fault is written down and stops no other survey."""
        try:
            due = act(survey, self.today)
        except FAULTS as problem:
            self.problems.append(_problem(survey, problem))
            return False
        self.done += [due] if due else []
        return True


def close_and_open(*, now: datetime, trust_clock: bool = False) -> Kept:
    """Close what is over and open what is due; cheap if nothing is. Raises ClockDoubted.

    Of all dates these are the ones that people wait for, so they are kept every minute; and keys
    that were given up meanwhile are overwritten.
    """
    orders.carry_out()  # these ask no clock; what cannot be done is tried again at the end
    look_at_clock(now, trust_clock=trust_clock)
    kept = Kept(now)
    for survey in _due_to_close(now):
        kept.attempt(_close_at_last, survey)
    opened = open_due(now)
    kept.opened, kept.problems = opened.surveys, kept.problems + opened.problems
    kept.problems += orders.carry_out()
    return kept


def keep_dates(*, now: datetime, trust_clock: bool = False) -> Kept:
    """Close and erase everything that is due. Raises ClockDoubted.

    Dates are days of UTC. Deniable itself acts here, so there is no permission to check.
    """
    kept = close_and_open(now=now, trust_clock=trust_clock)
    emptied = [survey for survey in due_to_erase(kept.today) if kept.attempt(_empty, survey)]
    kept.problems += [text for text in destroy_old(kept.today) if text not in kept.problems]
    kept.logins, _ = expired_sessions(now).delete()
    kept.runs, _ = finished_runs().delete()
    exports.let_go(now)
    if emptied and _overwrite(kept):  # all that went by now
        for survey in emptied:
            kept.attempt(_mark_erased, survey)
    _tidy_spools(kept)
    return kept


def foresee(*, now: datetime) -> Kept:
    """What ``keep_dates`` would do at this moment, row for row. Nothing is changed."""
    kept = Kept(now)
    kept.done += map(closing, _due_to_close(now))
    kept.done += map(erasing, due_to_erase(kept.today))
    kept.logins = expired_sessions(now).count()
    kept.runs = finished_runs().count()
    last = last_known_time()
    if last and now - last > DOUBT:
        kept.problems.append(str(ClockDoubted(now, last)))
    return kept


def _due_to_close(now: datetime) -> list[Survey]:
    """Surveys whose last day is over and, if they are sealed, whose hour of opening has come."""
    surveys = due_to_close(now.astimezone(UTC).date()).select_related("revision")
    return [survey for survey in surveys if _may_close(survey, now)]


def _may_close(survey: Survey, now: datetime) -> bool:
    questionnaire = questionnaire_of_id(survey.revision.pk)
    if not questionnaire.is_sealed or survey.close_on is None:
        return True
    last = last_known_time()
    is_back = last is not None and now < last - SLACK
    end = closes_at(questionnaire, survey.close_on)
    return end is not None and end <= now and not is_back


def _tidy_spools(kept: Kept) -> None:
    """Store whole batches and destroy stored batches' keys, where a crash came in between."""

    def flush(survey: Survey, today: date) -> None:
        lost_batches.going_on(survey.pk, partial(spooling.flush, survey.pk))

    for survey in Survey.objects.filter(spool__isnull=False):
        kept.attempt(flush, survey)
    spooling.destroy_spent()
    for survey in Survey.objects.filter(state=Survey.State.CLOSED).exclude(voucher_wait=None):
        kept.attempt(_destroy_signing_key, survey)


def _destroy_signing_key(survey: Survey, today: date) -> None:
    """Where a crash came between the close and the file, or it came back with a disk."""
    signing_keys.destroy(spooling.keys_directory(), survey.pk)


def look_at_clock(now: datetime, *, trust_clock: bool) -> None:
    """Refuse a clock that is far ahead; now and then note the time in the audit log.

    Raises ClockDoubted.

    Without the note a year in which no one worked here would look like a clock that is wrong.
    """
    last = last_known_time()
    if last and now - last > DOUBT and not trust_clock:
        raise ClockDoubted(now, last)
    if last and now - last > REMINDER:
        record("dates kept", by=None)


def _close_at_last(survey: Survey, today: date) -> Due | None:
    """Close it; what no key opens for certain is set aside before, and stays so."""
    return lost_batches.going_on(survey.pk, partial(_close, survey, today))


@transaction.atomic
def _close(survey: Survey, today: date) -> Due | None:
    """Close a survey whose last day is over. Raises KeyLost; then it stays open."""
    locked = _hold(due_to_close(today), survey)
    if locked is None:
        return None
    due = closing(locked)
    finish(locked, by=None, on=today)
    return due


def _empty(survey: Survey, today: date) -> Due | None:
    """Delete everything about answers and invited people, block by block."""
    due = erasing(survey)
    # First: nothing comes or is opened any more while rows go block by block.
    gone = _stop(survey, today)
    if gone is None:
        return None
    exports.destroy_files_of(survey)
    for name, rows in rows_of(survey).items():
        gone[name] += _delete(rows)
    return replace(due, rows={name: gone[name] for name in due.rows})


@transaction.atomic
def _stop(survey: Survey, today: date) -> Counter[str] | None:
    """Announce what goes and close the survey if it is open; what waits is never unsealed."""
    locked = _hold(due_to_erase(today), survey)
    if locked is None:
        return None
    rows = erasing(locked).rows
    record("erasing", by=None, survey=locked, before={"rows": rows})
    gone: Counter[str] = Counter()
    if locked.state == Survey.State.OPEN:
        gone.update({name: rows[name] for name in (*DESTROYED_AT_ONCE, *GONE_AT_CLOSE)})
        stop_unread(locked)
    orders.leave(Openings.objects.filter(revision__survey=locked))
    return gone


@transaction.atomic
def _mark_erased(survey: Survey, today: date) -> None:
    if _hold(due_to_erase(today), survey):
        Survey.objects.filter(pk=survey.pk).update(erased_on=today)
        record("erased", by=None, survey=survey, after={"erased_on": today.isoformat()})


def _hold(due: QuerySet[Survey], survey: Survey) -> Survey | None:
    """Lock the survey; None if it is not due any more, because another run was faster."""
    return due.select_for_update().filter(pk=survey.pk).first()


def _delete(rows: QuerySet) -> int:
    """Delete in transactions of their own, so that no request waits long for the database."""
    block = rows.model.objects.filter(pk__in=rows.order_by().values("pk")[:BLOCK])
    total = 0
    while rows.exists():  # and not: while something was deleted; another run may delete, too
        total += block.all().delete()[0]
    return total


def _overwrite(kept: Kept) -> bool:
    """Rewrite what held the deleted rows; a fault leaves the surveys due, for the next run."""
    try:
        _overwrite_sqlite() if connection.vendor == "sqlite" else _overwrite_postgresql()
    except DatabaseError as problem:
        kept.problems.append(
            "The rows are deleted, but the database's files may still hold remains of these "
            f"rows: {_words(problem)}. The surveys stay due. Run this command again."
        )
        return False
    return True


def _overwrite_sqlite() -> None:
    """``secure_delete`` misses bytes that were left where a page was rebuilt; VACUUM does not."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
        # Pages from before VACUUM stand in the journal until it is emptied, which a reader
        # prevents.
        _wait_while(lambda: _journal_is_in_use(cursor))


def _wait_while(somebody_reads: Callable[[], bool]) -> None:
    """Raises StillRead if they do not stop."""
    deadline = time.monotonic() + PATIENCE
    while somebody_reads():
        if time.monotonic() > deadline:
            raise StillRead("an old state of the database was being read all the time")
        time.sleep(0.05)


def _journal_is_in_use(cursor: Any) -> bool:
    """Empty the journal, if no reader needs it."""
    cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return bool(cursor.fetchone()[0])


def _overwrite_postgresql() -> None:
    """A plain VACUUM frees the rows' space without overwriting it; FULL writes a new file.

    What a reader can still see is copied along, so readers have to end first.
    """
    with connection.cursor() as cursor:
        # A number above those of all deletions: what began before it may still see their rows.
        cursor.execute("SELECT pg_current_xact_id()::text")
        (deleted,) = cursor.fetchone()
        _wait_while(lambda: _old_rows_are_seen(cursor, deleted))
        # VACUUM FULL has the table alone, and requests queue behind it while it waits.
        cursor.execute(f"SET lock_timeout = {int(PATIENCE * 1000)}")
        try:
            for model in CONTENTS:
                _rewrite(cursor, model._meta.db_table)
            # What was sampled before migrations put an end to it; a warning, if that is not ours.
            cursor.execute("VACUUM (FULL) pg_statistic")
        finally:
            cursor.execute("RESET lock_timeout")


def _rewrite(cursor: Any, table: str) -> None:
    """Write a table anew. Raises MayNotRewrite: PostgreSQL itself only warns, and leaves it."""
    # A table that was written anew has another file: the only sign that VACUUM did its work.
    cursor.execute(FILE, [table])
    before = cursor.fetchone()
    cursor.execute(f"VACUUM (FULL) {connection.ops.quote_name(table)}")
    cursor.execute(FILE, [table])
    if cursor.fetchone() == before:
        raise MayNotRewrite(
            f"this account may not write the table {table} anew (run manage.py retention as the "
            "owner of the tables, or, from PostgreSQL 17 on, run deploy/postgresql-roles.sql "
            "again)"
        )


def _old_rows_are_seen(cursor: Any, deleted: str) -> bool:
    """Whether rows that this transaction or an earlier one deleted may still be seen."""
    cursor.execute(OLD_ROWS_ARE_SEEN, {"deleted": deleted})
    return bool(cursor.fetchone()[0])


def _problem(survey: Survey, problem: Exception) -> str:
    if not isinstance(problem, KeyLost):
        return (
            f'"{survey}": {_words(problem)}. No other survey was held up. Run this command again.'
        )
    waiting = erasing(survey).rows["waiting"]
    return (
        f'"{survey}" could not be closed: {waiting} answers wait, the key of their batch is lost, '
        f"and {spooling.keys_directory()} is not the directory that had the key. Mount the "
        "directory that had the key, or give these answers up with manage.py spool --write-off "
        f"{survey.pk}"
    )


def _words(problem: Exception) -> str:
    """The first line of what went wrong; the others may quote rows."""
    return str(problem).partition("\n")[0].rstrip(".") or type(problem).__name__
