"""Submissions whose batch key is lost: find those that cannot be read, and write them off."""

from typing import TYPE_CHECKING
from uuid import UUID

from django.db import transaction
from django.db.models import F

from surveys.collecting import spool as spooling
from surveys.collecting.keys import batch_keys
from surveys.collecting.keys.batch_keys import KeyLost
from surveys.models import Spool, Survey, Waiting
from surveys.models.refusals import NotPossible
from surveys.staff.audit.services import record
from surveys.staff.locks import held, locked
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def give_up(*, survey: Survey, by: "User | None" = None) -> int:
    """Write off what waits but can never be read, and return how many that were.

    ``by`` None is the operator on the command line. Raises NotAllowed, or NotPossible if all can be
    read or the survey was deleted in the meantime.
    """
    # The survey before its spool, as everywhere that both are locked.
    survey = locked(survey, by, Ability.RULE) if by else held(survey)
    spool = Spool.objects.select_for_update().filter(survey=survey).first()
    lost = write_off(spool) if spool else 0
    if not lost:
        raise NotPossible(f'Nothing was given up: all that waits in "{survey}" can be read.')
    Survey.objects.filter(pk=survey.pk).update(lost_answers=F("lost_answers") + lost)
    record("gave up unreadable answers", by=by, survey=survey, after={"lost": lost})
    return lost


def write_off(spool: Spool) -> int:
    """Give up submissions whose key is lost; the caller holds the spool. Returns how many.

    What can still be read stays. An emptied spool gets a new batch, and with it a new key.
    """
    lost = unreadable(spool)
    waiting = Waiting.objects.filter(revision=spool.revision_id)
    if len(lost) < waiting.count():
        return waiting.filter(pk__in=lost).delete()[0]
    waiting.delete()
    following = spooling.next_batch(spool.batch)
    Spool.objects.filter(pk=spool.pk).update(batch=following)
    spooling.spend(spool.batch)
    return len(lost)


def unreadable(spool: Spool) -> list[UUID]:
    """The waiting submissions that the key on this machine does not open."""
    rows = Waiting.objects.filter(revision=spool.revision_id).values_list("pk", "ciphertext")
    return [pk for pk, ciphertext in rows.iterator() if not _opens(spool.batch, bytes(ciphertext))]


def _opens(batch: UUID, ciphertext: bytes) -> bool:
    try:
        key = batch_keys.read(spooling.keys_directory(), batch)
        batch_keys.unseal(key, batch, ciphertext)
    except KeyLost:
        return False
    return True
