"""Orders to destroy opening keys: left where nothing needs one any more, carried out by its owner.

Who destroys what a key sealed may not reach the key's file. So the act itself gives up both copies
in its transaction: the database's is gone with it, and the file's is overwritten by the process
that owns the directory. A kill before the commit leaves both; after it, the order.
"""

import os
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from surveys.collecting.keys import opening_keys
from surveys.models import Openings, SpentOpeningKey, Survey

NEVER_SEALED = ("", Survey.Opening.LIVE)  # the first: launched before there were openings


def leave(states: QuerySet[Openings]) -> None:
    """Give up both copies of these surveys' opening keys, in the caller's transaction."""
    sealed = states.exclude(revision__survey__opening__in=NEVER_SEALED)
    keys = list(sealed.values_list("pk", flat=True))
    copies = Q(recovery__isnull=False) | Q(voucher_recovery__isnull=False)
    states = Openings.objects.filter(copies, pk__in=keys)
    states.update(recovery=None, voucher_recovery=None)  # the second went at the close already
    now = timezone.now()
    orders = [SpentOpeningKey(revision_id=key, since=now) for key in keys]
    # An order that is there already keeps the moment from which doctor counts.
    SpentOpeningKey.objects.bulk_create(orders, ignore_conflicts=True)


def carry_out() -> list[str]:
    """Overwrite and remove the files of keys that are given up; what could not be, in words.

    Orders wait while the directory is away. They are never crossed off: a file that comes back
    with a disk that was away is destroyed, too.
    """
    # False, and no error, if another account's folder is above it.
    if not os.path.isdir(opening_keys.directory()):
        return []
    problems = []
    orders = SpentOpeningKey.objects.order_by("pk")
    for key, was_gone, survey in orders.values_list("pk", "is_gone", "revision__survey_id"):
        problem = _destroyed(survey)
        if (problem is None) != was_gone:
            SpentOpeningKey.objects.filter(pk=key).update(is_gone=problem is None)
        problems += [problem] if problem else []
    return problems


def _destroyed(survey_id: UUID) -> str | None:
    """None, or why the file is still there."""
    try:
        opening_keys.destroy(survey_id)
    except OSError as problem:
        return f"{opening_keys.path_of(survey_id)} could not be overwritten: {problem.strerror}."
    return None
