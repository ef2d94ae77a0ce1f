"""The spool, in SQL: submissions wait sealed, a whole batch is flushed shuffled, keys are spent.

A person who sees the rows of the database, in the order it keeps them, cannot tell which response
of a batch came from whom. Two locks carry it: adding a submission locks the spool's row shared,
moving them locks it alone. SQLite has one writer at a time, which does the same.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.utils import timezone

from surveys.collecting import records
from surveys.collecting.group_commit import CommitLine
from surveys.collecting.keys import batch_keys, key_directory
from surveys.collecting.keys.batch_keys import KeyLost
from surveys.models import Revision, SetAside, SpentBatch, Spool, Survey, Waiting
from surveys.models.plain_sql import as_stored, execute, is_sqlite
from surveys.models.queries import launched_revision, questionnaire_of_id
from surveys.questionnaire.plans.vouchers import TAKEN_FOR
from surveys.questionnaire.submission import Contents, Submission

# The last day still takes answers; the day of deletion takes none.
OPEN = """surveys_spool s JOIN surveys_survey v ON v.id = s.survey_id
WHERE s.survey_id = %(survey)s AND (v.close_on IS NULL OR v.close_on >= %(last_day)s)
AND (v.delete_on IS NULL OR v.delete_on > %(today)s)"""
# A hint, which need not tell a batch from more.
WAITING = """(SELECT COUNT(*) FROM
(SELECT 1 FROM surveys_waiting w WHERE w.revision_id = {}.revision_id LIMIT %(most)s) AS counted)"""
HOLD = f"SELECT s.batch, {WAITING.format('s')} FROM {OPEN}"  # noqa: S608 - of constants alone
# Of two submissions with one key the second gets no row back, and then nothing is added.
REMEMBER = """INSERT INTO surveys_submissionkey (digest, content, revision_id)
VALUES (%(digest)s, %(content)s, %(revision)s) ON CONFLICT DO NOTHING RETURNING digest"""
# Asked of no row: a process that comes second learns it at once, and waits for no flush.
FIRST = "SELECT pg_try_advisory_xact_lock(%(lock)s)"
TURN = "UPDATE surveys_spool SET batch = %(batch)s WHERE survey_id = %(survey)s"
SPEND = "INSERT INTO surveys_spentbatch (batch) VALUES (%(batch)s) ON CONFLICT DO NOTHING"
CURRENT = "SELECT batch FROM surveys_spool WHERE revision_id = %(revision)s"
TAKE = "DELETE FROM surveys_waiting WHERE revision_id = %(revision)s RETURNING ciphertext"
COUNT = "SELECT COUNT(*) FROM surveys_waiting WHERE revision_id = %(revision)s"
KNOWN = """SELECT 1 FROM surveys_submissionkey
WHERE digest = %(digest)s AND revision_id = %(revision)s AND content = %(content)s"""
ADD = """INSERT INTO surveys_waiting (id, revision_id, ciphertext)
VALUES (%(id)s, %(revision)s, %(sealed)s)"""
RETURN = """DELETE FROM surveys_setaside
WHERE revision_id = %(revision)s AND batch = %(batch)s RETURNING ciphertext"""
# The same three in one statement, which is a transaction and one journey to the server.
AT_ONCE = f"""WITH held AS (SELECT s.batch, s.revision_id FROM {OPEN} FOR SHARE OF s),
remembered AS (INSERT INTO surveys_submissionkey (digest, content, revision_id)
    SELECT %(digest)s, %(content)s, revision_id FROM held WHERE batch = %(batch)s
    ON CONFLICT DO NOTHING RETURNING revision_id),
added AS (INSERT INTO surveys_waiting (id, revision_id, ciphertext)
    SELECT %(id)s, revision_id, %(sealed)s FROM remembered)
SELECT batch, {WAITING.format("held")}, EXISTS (SELECT 1 FROM remembered) FROM held"""  # noqa: S608 - of constants alone
# On SQLite, which has one writer at a time: the same unless the batch is another one by now.
REMEMBER_IN_BATCH = f"""INSERT INTO surveys_submissionkey (digest, content, revision_id)
SELECT :digest, :content, s.revision_id FROM {OPEN} AND s.batch = :batch ON CONFLICT DO NOTHING
RETURNING {WAITING.format("surveys_submissionkey")}"""  # noqa: S608 - of constants alone
NAMED = {
    name: f":{name}" for name in ("survey", "today", "last_day", "most", "id", "revision", "sealed")
}

_line = CommitLine(REMEMBER_IN_BATCH % NAMED, ADD % NAMED)
_last_batches: dict[UUID, UUID] = {}


@dataclass(frozen=True)
class HeldSpool:
    """A spool that takes submissions; ``waiting`` is a hint, not a lock."""

    batch: UUID
    waiting: int


@dataclass(frozen=True)
class Added:
    """What became of a submission: ``is_new`` unless its key was known already."""

    held_spool: HeldSpool
    is_new: bool


def hold(survey_id: UUID, *, is_vouched: bool = False) -> HeldSpool | None:
    """Keep the spool open until the transaction ends; None if the survey takes no answers.

    Plain SQL, because these are the hottest queries and Django has no shared row lock.
    """
    shared = "" if is_sqlite() else " FOR SHARE OF s"
    most = _batch_size(launched_revision(survey_id))
    values = {"survey": as_stored(survey_id), "most": most, **_days(is_vouched)}
    rows = execute(HOLD + shared, values)
    return next((HeldSpool(UUID(str(batch)), waiting) for batch, waiting in rows), None)


def count(revision_id: UUID) -> int:
    """``queries.waiting_count`` for the hot path, where building a query costs a tenth."""
    ((waiting,),) = execute(COUNT, {"revision": as_stored(revision_id)})
    return int(waiting)


def is_known(submission: Submission) -> bool:
    """Whether the very same was stored before."""
    values = {
        "revision": as_stored(submission.revision_id),
        "digest": submission.key_digest,
        "content": submission.content_digest,
    }
    return bool(execute(KNOWN, values))


def add(survey_id: UUID, submission: Submission) -> Added | None:
    """Remember a submission's key and put it, sealed, into the spool: all or nothing.

    None if the survey takes no answers. Raises KeyLost.
    """
    values = {
        "survey": as_stored(survey_id),
        "revision": as_stored(submission.revision_id),
        "digest": submission.key_digest,
        "content": submission.content_digest,
        "id": as_stored(uuid4()),
        "most": _batch_size(submission.revision_id),
        **_days(submission.is_vouched),
    }
    step_by_step = is_sqlite()
    return (_add_step_by_step if step_by_step else _add_at_once)(survey_id, submission, values)


def _add_step_by_step(
    survey_id: UUID, submission: Submission, values: dict[str, Any]
) -> Added | None:
    batch, sealed = _sealed_beforehand(survey_id, submission)
    # Within a transaction (one that redeems an invitation) the commit is the caller's.
    if batch and not connection.in_atomic_block:
        values |= {"batch": as_stored(batch), "sealed": sealed}
        waiting = _line.add(values)
        if waiting is not None:
            return Added(HeldSpool(batch, waiting), is_new=True)
    # No row: the key is known, the batch was moved on, or the survey takes no answers. The steps
    # below tell which.
    with transaction.atomic():
        held_spool = hold(survey_id, is_vouched=submission.is_vouched)
        if held_spool is None:
            return None
        if held_spool.batch != batch:
            _last_batches[survey_id] = held_spool.batch
            sealed = _sealed(held_spool.batch, submission)
        is_new = bool(execute(REMEMBER, values))
        if is_new:
            execute(ADD, {**values, "sealed": sealed})
    return Added(held_spool, is_new)


def _add_at_once(survey_id: UUID, submission: Submission, values: dict[str, Any]) -> Added | None:
    batch, sealed = _sealed_beforehand(survey_id, submission)
    while True:
        rows = execute(AT_ONCE, {**values, "batch": batch, "sealed": sealed})
        if not rows:
            return None
        ((current, waiting, is_new),) = rows
        if current == batch:
            return Added(HeldSpool(current, waiting), is_new)
        # Another batch by now: nothing was stored under the old one, so seal for this one and try
        # again.
        batch = _last_batches[survey_id] = current
        sealed = _sealed_unless_stored(survey_id, batch, submission)


def _sealed_beforehand(survey_id: UUID, submission: Submission) -> tuple[UUID | None, bytes]:
    """For the batch that this process saw last, before anybody has to wait for a lock."""
    batch = _last_batches.get(survey_id)
    try:
        key = batch_keys.read(keys_directory(), batch) if batch else b""
    except KeyLost:
        return None, b""  # stored by another process
    return batch, batch_keys.seal(key, batch, submission.plain) if batch else b""


def _sealed_unless_stored(survey_id: UUID, batch: UUID, submission: Submission) -> bytes:
    """Raises KeyLost if the batch's key is gone and the batch is not."""
    try:
        return _sealed(batch, submission)
    except KeyLost:
        held_spool = hold(survey_id, is_vouched=submission.is_vouched)
        if held_spool and held_spool.batch == batch:
            raise
        return b""  # stored meanwhile: nothing is added to it any more


def _sealed(batch: UUID, submission: Submission) -> bytes:
    return batch_keys.seal(key_of(batch, submission.revision_id), batch, submission.plain)


def _batch_size(revision_id: UUID) -> int:
    return questionnaire_of_id(revision_id).batch_size


def _days(is_vouched: bool) -> dict[str, str]:
    """Today, and the earliest last day of a survey that takes this.

    A voucher that was signed on the last day is taken for a while after it.
    """
    now = timezone.now()
    last = now - TAKEN_FOR if is_vouched else now
    return {"today": now.date().isoformat(), "last_day": last.date().isoformat()}


def require_key(held_spool: HeldSpool, revision_id: UUID) -> None:
    """Raise KeyLost if something waits that cannot be read."""
    if batch_keys.is_kept(keys_directory(), held_spool.batch):
        return
    waits = Waiting.objects.filter(revision=revision_id).exists()
    if waits and Spool.objects.filter(revision=revision_id, batch=held_spool.batch).exists():
        raise KeyLost(held_spool.batch)


@transaction.atomic
def flush(survey_id: UUID) -> int:
    """Move everything that waits on, if it is a whole batch, and return how many that were.

    Raises KeyLost; then everything stays as it was.
    """
    revision_id = launched_revision(survey_id)
    least = questionnaire_of_id(revision_id).batch_size
    if not _is_first_to_flush(survey_id) or count(revision_id) < least:
        return 0
    spool = Spool.objects.select_for_update().filter(survey=survey_id).first()
    stored = turn(spool, least=least) if spool else 0
    # It deleted what it counted; too few for a batch go back to where they waited.
    if not stored:
        transaction.set_rollback(True)
    return stored


def turn(spool: Spool, *, least: int = 1) -> int:
    """Move what waits on, if it is enough, and go over to the next batch.

    The caller holds the spool, and undoes what was taken if nothing was moved. Returns how many
    were. Raises KeyLost.
    """
    stored = _store(spool, least=least)
    if stored:
        go_over(spool)
    return stored


def go_over(spool: Spool) -> None:
    """Go over to the next batch; the caller holds the spool, in which nothing waits any more.

    If it was set aside and its key is back, what it sealed waits again: that key is destroyed
    with the batch.
    """
    following = as_stored(next_batch(spool.batch))
    revision = as_stored(spool.revision_id)
    execute(TURN, {"survey": as_stored(spool.survey_id), "batch": following})
    for (ciphertext,) in execute(RETURN, {"revision": revision, "batch": following}):
        execute(ADD, {"id": as_stored(uuid4()), "revision": revision, "sealed": ciphertext})


def next_batch(batch: UUID) -> UUID:
    """The next batch: its key was made long ago, so that no request waits for it behind the lock.

    If a crash left a spent key in its place, that one is overwritten first.
    """
    following = batch_keys.following(keys_directory(), batch)
    if not SpentBatch.objects.filter(batch=following).exists():
        return following
    batch_keys.destroy(keys_directory(), following)
    return batch_keys.following(keys_directory(), batch)


def begin(survey: Survey, revision: Revision) -> None:
    """Let a survey take answers, with the keys of its first two batches. Raises OSError."""
    # Before there is a spool: a batch without a file would look like another directory.
    key_directory.mark_once()
    spool = Spool.objects.create(survey=survey, revision=revision)
    batch_keys.create(keys_directory(), spool.batch)


def _is_first_to_flush(survey_id: UUID) -> bool:
    """Several may notice at once that a batch is whole; one stores it, the others go on."""
    if is_sqlite():
        return True  # there is one writer at a time, and the others find the batch gone
    # The lock takes a signed number of 64 bits: these are the first 63 of the key.
    ((is_first,),) = execute(FIRST, {"lock": survey_id.int >> 65})
    return bool(is_first)


def drain(survey: Survey) -> int:
    """Move what waits on, however few, and end the spool. For closing only. Raises KeyLost."""
    spool = Spool.objects.select_for_update().get(survey=survey)
    stored = _store(spool)
    _end(spool)
    return stored


def _end(spool: Spool) -> None:
    """No more answers: the file of its keys goes once the caller's transaction is committed."""
    # If the process ends between commit and removal, ``destroy_spent`` finds the batch by this row.
    SpentBatch.objects.get_or_create(batch=spool.batch)
    # After the commit: rolled back, the batch needs its keys again.
    transaction.on_commit(lambda: batch_keys.remove(keys_directory(), spool.batch), robust=True)
    spool.delete()


def abandon(spool: Spool) -> int:
    """Destroy what waits unread, with its key, and end the spool. Returns how many that were."""
    gone = sum(
        model.objects.filter(revision=spool.revision_id).delete()[0]
        for model in (Waiting, SetAside)
    )
    _end(spool)
    return gone


def destroy_spent() -> None:
    """Destroy the keys of batches that were stored, where a crash came in between.

    Other files are left alone: they may belong to another database.
    """
    for spent in SpentBatch.objects.all():
        beside = batch_keys.beside(keys_directory(), spent.batch)
        batch_keys.destroy(keys_directory(), spent.batch)
        if spent.batch in beside and not Spool.objects.filter(batch__in=beside).exists():
            batch_keys.remove(keys_directory(), spent.batch)  # its survey is closed
        spent.delete()


def spend(batch: UUID) -> None:
    """Destroy a batch's key once the caller's transaction is committed.

    What is stored is stored, even if that fails.
    """
    # Noted in the transaction that stores the batch: if a crash comes before the key is
    # overwritten, ``destroy_spent`` does it.
    execute(SPEND, {"batch": as_stored(batch)})
    transaction.on_commit(lambda: batch_keys.destroy(keys_directory(), batch), robust=True)


def keys_directory() -> Path:
    """Where the keys of batches are."""
    return key_directory.directory()


def key_of(batch: UUID, revision_id: UUID) -> bytes:
    """The batch's key; a batch in which nothing waits yet gets one. Raises KeyLost."""
    try:
        return batch_keys.read(keys_directory(), batch)
    except KeyLost:
        return _missing_key(batch, revision_id)


@transaction.atomic
def _missing_key(batch: UUID, revision_id: UUID) -> bytes:
    """With the spool held, so that no one goes over to the next batch while a key is made."""
    shared = "" if is_sqlite() else " FOR SHARE"
    rows = execute(CURRENT + shared, {"revision": as_stored(revision_id)})
    if [UUID(str(current)) for (current,) in rows] != [batch]:
        raise KeyLost(batch)  # it was moved on meanwhile
    if Waiting.objects.filter(revision=revision_id).exists():
        # Another process made it and added to it since we looked, or it is lost.
        return batch_keys.read(keys_directory(), batch)
    if questionnaire_of_id(revision_id).is_sealed and key_directory.is_known():
        # It has had its key from the launch on: see ``lost_batches``, which goes over to the next.
        return batch_keys.read(keys_directory(), batch)
    return batch_keys.create(keys_directory(), batch)


def _store(spool: Spool, *, least: int = 1) -> int:
    """Move everything that waits into the tables of answers, or seal it anew, in random order.

    If it is not enough, 0; the caller then undoes what was taken.
    """
    sealed = execute(TAKE, {"revision": as_stored(spool.revision_id)})
    rows = [bytes(ciphertext) for (ciphertext,) in sealed]
    if len(rows) < least:
        return 0
    key = batch_keys.read(keys_directory(), spool.batch)
    put_away(spool.revision_id, [batch_keys.unseal(key, spool.batch, row) for row in rows])
    spend(spool.batch)
    return len(rows)


def put_away(revision_id: UUID, opened: list[bytes]) -> None:
    """Into the tables of answers, or sealed anew until the next opening."""
    questionnaire = questionnaire_of_id(revision_id)
    submissions = [Contents.from_bytes(plain, questionnaire.row) for plain in opened]
    away = records.seal_batch if questionnaire.is_sealed else records.store
    away(revision_id, questionnaire, submissions)
