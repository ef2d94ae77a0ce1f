"""Lost batches: what no key opens any more is set aside, and the spool goes on under a new batch.

A database that falls back (a standby that was promoted, a snapshot that was put back) has waiting
submissions again whose batch was stored, and its key destroyed, in a time that it does not know.
They were acknowledged, so they stay: if the key returns they wait again.
"""

import logging
import secrets
from collections.abc import Callable, Sequence
from typing import TypeVar
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from surveys.collecting import held_openings
from surveys.collecting import spool as spooling
from surveys.collecting.keys import batch_keys, key_directory
from surveys.collecting.keys.batch_keys import KeyLost
from surveys.models import SetAside, Spool, Waiting
from surveys.models.queries import questionnaire_of_id

logger = logging.getLogger(__name__)
R = TypeVar("R")


def going_on(survey_id: UUID, act: Callable[[], R]) -> R:
    """Act; once more, if lost keys were in the way and what they sealed could be set aside.

    Raises KeyLost if it is not certain that they are gone.
    """
    try:
        return act()
    except KeyLost:
        set_aside(survey_id)
        return act()


@transaction.atomic
def set_aside(survey_id: UUID) -> int:
    """Set aside what waits and no key opens; return how many that were: a number for no page.

    If the batch's key is gone, the spool goes over to the next batch, and an opening that may have
    been drawn waits, also if nothing else does. The spool is held alone meanwhile,
    so that no other process adds to a batch, makes a key or goes over. Raises KeyLost if the
    directory of keys is not the one that this database knows, and OSError if it cannot be read.
    """
    # The spool alone: who locks the survey too has done so before (``openings.begin``).
    locked = Spool.objects.select_for_update().filter(survey=survey_id).first()
    if locked is None:
        return 0
    lost = lost_rows(locked)
    if not lost and not _is_spent(locked):
        return 0  # another process was faster, or nothing waits: then a key is made for it
    if not key_directory.is_known():
        raise KeyLost(locked.batch)
    is_gone = batch_keys.is_gone(spooling.keys_directory(), locked.batch)
    if is_gone:
        # A key that is gone shows that the database fell back, and an opening may have been drawn
        # in the time that it forgot.
        held_openings.hold_one(locked.revision_id, timezone.now())
        _move_all(locked)
        spooling.go_over(locked)
    else:
        lost = lost_rows(locked)  # read anew: the key may have become visible only now
        _move(locked, lost)
    if lost:
        # The audit log hears of it from the timer: an answer's request writes no time anywhere.
        logger.error("Answers whose batch key is gone were set aside; see manage.py spool")
    return len(lost)


def _is_spent(spool: Spool) -> bool:
    """Whether the key of a batch in which nothing waits is gone, which shows a fallback.

    Only a sealed survey has it from the launch on for certain; of a directory that is not the one
    that this database knows, nothing is known.
    """
    is_kept = batch_keys.is_kept(spooling.keys_directory(), spool.batch)
    is_sealed = questionnaire_of_id(spool.revision_id).is_sealed
    return is_sealed and not is_kept and key_directory.is_known()


def lost_rows(spool: Spool) -> list[Waiting]:
    """The waiting submissions that the key on this machine does not open."""
    waiting = Waiting.objects.filter(revision=spool.revision_id)
    try:
        key = batch_keys.read(spooling.keys_directory(), spool.batch)
    except KeyLost:
        return list(waiting)
    return [row for row in waiting.iterator() if not _opens(key, spool.batch, row)]


def _opens(key: bytes, batch: UUID, row: Waiting) -> bool:
    try:
        batch_keys.unseal(key, batch, bytes(row.ciphertext))
    except KeyLost:
        return False
    return True


def _move_all(spool: Spool) -> None:
    waiting = Waiting.objects.filter(revision=spool.revision_id)
    _keep(spool, list(waiting))
    waiting.delete()


def _move(spool: Spool, lost: Sequence[Waiting]) -> None:
    """Some of the batch, where its key is there and others can be read."""
    _keep(spool, lost)
    Waiting.objects.filter(pk__in=[row.pk for row in lost]).delete()


def _keep(spool: Spool, lost: Sequence[Waiting]) -> None:
    """Under fresh keys of rows, in no order of arrival."""
    rows = [
        SetAside(revision_id=spool.revision_id, batch=spool.batch, ciphertext=row.ciphertext)
        for row in lost
    ]
    secrets.SystemRandom().shuffle(rows)
    SetAside.objects.bulk_create(rows)
