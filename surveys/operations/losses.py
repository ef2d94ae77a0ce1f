"""Submissions whose batch key is lost: give them up, or take them back when the key returns."""

import secrets
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import transaction
from django.db.models import F

from surveys.collecting import flushing, lost_batches
from surveys.collecting import spool as spooling
from surveys.collecting.keys import batch_keys, key_directory
from surveys.collecting.keys.batch_keys import KeyLost
from surveys.models import SetAside, Spool, Survey, Waiting
from surveys.models.queries import questionnaire_of_id
from surveys.models.refusals import NotPossible
from surveys.staff.audit.services import record
from surveys.staff.locks import lock_survey, locked
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def give_up(*, survey: Survey, by: "User | None" = None) -> int:
    """Write off what waits or is set aside but cannot be read, and return how many that were.

    ``by`` None is the operator on the command line. Raises NotAllowed, or NotPossible if all can be
    read or the survey was deleted in the meantime.
    """
    # The survey before its spool, as everywhere that both are locked.
    survey = locked(survey, by, Ability.RULE) if by else lock_survey(survey)
    spool = Spool.objects.select_for_update().filter(survey=survey).first()
    lost = write_off(spool) if spool else 0
    lost += SetAside.objects.filter(revision__survey=survey).delete()[0]
    if not lost:
        raise NotPossible(f'Nothing was given up: all waiting answers to "{survey}" can be read.')
    Survey.objects.filter(pk=survey.pk).update(lost_answers=F("lost_answers") + lost)
    record("gave up unreadable answers", by=by, survey=survey, after={"lost": lost})
    return lost


def write_off(spool: Spool) -> int:
    """Give up submissions whose key is lost; the caller holds the spool. Returns how many.

    What can still be read stays. An emptied spool gets a new batch, and with it a new key.
    """
    lost = lost_batches.lost_rows(spool)
    waiting = Waiting.objects.filter(revision=spool.revision_id)
    if len(lost) < waiting.count():
        return waiting.filter(pk__in=[row.pk for row in lost]).delete()[0]
    waiting.delete()
    spent = spool.batch
    spooling.go_over(spool)
    spooling.spend(spent)
    return len(lost)


def recover(survey: Survey, kept: Path | None = None) -> int:
    """Take back answers that were set aside and whose key has returned; return how many.

    The key is looked for in ``kept``, a file of keys, and in the directory of keys. Answers wait
    again as if they had just come. Raises NotPossible, KeyLost (what waits now cannot be read),
    OSError.
    """
    count = _take_back(survey, batch_keys.keys_in(kept) if kept else {})
    # After the commit: a whole batch may wait now, and the flush is a transaction of its own.
    flushing.flush_soon(survey.pk)
    return count


@transaction.atomic
def _take_back(survey: Survey, keys: dict[UUID, bytes]) -> int:
    survey = lock_survey(survey)
    spool = Spool.objects.select_for_update().filter(survey=survey).first()
    rows = list(SetAside.objects.filter(revision__survey=survey))
    opened = {row.pk: plain for row in rows if (plain := _opened(row, keys)) is not None}
    if not opened:
        raise NotPossible(_nothing_opens(survey, rows))
    revision_id = rows[0].revision_id
    if spool:
        _wait_again(spool, list(opened.values()))
    else:
        _require_company(survey, revision_id, len(opened))
        spooling.put_away(revision_id, list(opened.values()))
    # The batch that waits now goes on under its key.
    for batch in {row.batch for row in rows if row.pk in opened}:
        if not spool or batch != spool.batch:
            spooling.spend(batch)
    SetAside.objects.filter(pk__in=opened).delete()
    record("took answers back", by=None, survey=survey)
    return len(opened)


def _opened(row: SetAside, keys: dict[UUID, bytes]) -> bytes | None:
    """A submission as it was sealed; None if no key opens it."""
    for key in (keys.get(row.batch), _key_here(row.batch)):
        try:
            if key:
                return batch_keys.unseal(key, row.batch, bytes(row.ciphertext))
        except KeyLost:
            continue
    return None


def _key_here(batch: UUID) -> bytes | None:
    try:
        return batch_keys.read(key_directory.directory(), batch)
    except KeyLost:
        return None


def _nothing_opens(survey: Survey, rows: list[SetAside]) -> str:
    if not rows:
        return f'Nothing was taken back: no answer to "{survey}" is set aside.'
    batches = Counter(row.batch for row in rows)
    files = sorted({batch_keys.path_of(Path(), batch).name for batch in batches})
    return (
        f'Nothing was taken back: no key that is here opens the answers to "{survey}" that are '
        f"set aside. Their key was in a file named {', '.join(files)}. Name a copy of this file "
        "from before with --key FILE."
    )


def _wait_again(spool: Spool, opened: list[bytes]) -> None:
    """Sealed for the batch that waits now, in no order."""
    key = spooling.key_of(spool.batch, spool.revision_id)
    rows = [
        Waiting(revision_id=spool.revision_id, ciphertext=batch_keys.seal(key, spool.batch, plain))
        for plain in opened
    ]
    secrets.SystemRandom().shuffle(rows)
    Waiting.objects.bulk_create(rows)


def _require_company(survey: Survey, revision_id: UUID, count: int) -> None:
    """Of a closed survey whose answers were opened together nothing is opened alone.

    Nor do fewer than a batch join a live survey's: its counts before and after would tell theirs.
    """
    questionnaire = questionnaire_of_id(revision_id)
    if not questionnaire.is_sealed and count < questionnaire.batch_size:
        raise NotPossible(
            f'Nothing was taken back: "{survey}" is closed, and fewer than '
            f"{questionnaire.batch_size} answers can be taken back. If these answers were stored "
            "now, without others, they would hide no one. Give them up with manage.py spool "
            f"--write-off {survey.pk}"
        )
    if questionnaire.is_sealed:
        raise NotPossible(
            f'Nothing was taken back: "{survey}" is closed, and its answers were opened together. '
            "If the answers that are set aside were opened now, without others, they would hide "
            f"no one. Give them up with manage.py spool --write-off {survey.pk}"
        )


@transaction.atomic
def use_new_directory() -> None:
    """From now on the directory of keys is the one that this server has.

    What waits under keys of the one before is set aside with the next answer or opening. Raises
    NotPossible, OSError.
    """
    if not key_directory.take_over():
        raise NotPossible(
            f"Nothing was changed: {key_directory.directory()} is already the directory of keys "
            "of this database."
        )
    record("another directory of keys", by=None)
