"""Opening keys: recover one with the offline recovery key, give one up, destroy those not needed.

The private half of each opening key is sealed for the installation's recovery key at launch. The
recovery key's own private half is in a file that is kept away from the server.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from surveys.authoring.services import recovery_label, stop_unread
from surveys.collecting.keys import key_files, opening_keys, orders
from surveys.models import (
    Ballot,
    Comment,
    Openings,
    Response,
    Sealed,
    SealedText,
    SpentOpeningKey,
    Survey,
)
from surveys.models.queries import questionnaire_of_id
from surveys.models.refusals import NotPossible
from surveys.operations.backups import Rows, verified
from surveys.staff.audit.services import record
from surveys.staff.locks import lock_survey
from surveys.trust import sealing

KEPT_FOR = timedelta(days=7)  # after the close: until then a crash may need them again


def new_recovery_key(path: Path) -> str:
    """Write a recovery key's private half into a new file and return the public half, in hex.

    Raises OSError, FileExistsError.
    """
    private = sealing.new_private()
    key_files.write_new(path.absolute(), private.hex().encode() + b"\n")
    return sealing.public_of(private).hex()


def recover(survey: Survey, recovery_key: Path) -> None:
    """Put the private half of a survey's opening key back into its file. Raises NotPossible."""
    state = Openings.objects.filter(revision__survey=survey).first()
    plan = questionnaire_of_id(state.pk).opening if state else None
    if state is None or plan is None or not plan.is_sealed:
        raise NotPossible(f'Nothing was recovered: "{survey}" has no opening key.')
    if opening_keys.is_whole(survey.pk, plan.public_key):
        raise NotPossible(
            f'Nothing was recovered: the opening key of "{survey}" is in its directory already.'
        )
    if not state.recovery:
        raise NotPossible(
            f'Nothing was recovered: the database has no copy of the opening key of "{survey}". '
            "No recovery key was set when the survey was launched, or the copy was destroyed "
            "after the close."
        )
    private = unsealed(survey, state.recovery, recovery_label(state.pk), recovery_key)
    if sealing.public_of(private) != plan.public_key:
        raise NotPossible(
            "Nothing was recovered: the copy in the database belongs to another opening key."
        )
    # What is there is damaged or another key's, and a file of a key is never written over.
    opening_keys.destroy(survey.pk)
    opening_keys.keep(survey.pk, private)
    record("recovered an opening key", by=None, survey=survey)


@transaction.atomic
def copy_key(survey: Survey) -> None:
    """Seal a survey's opening key for the recovery key, if its launch could not.

    Never once its answers are opened: the copy would outlive its use. Raises NotPossible.
    """
    survey = lock_survey(survey)
    state = Openings.objects.select_for_update().filter(revision__survey=survey).first()
    plan = questionnaire_of_id(state.pk).opening if state else None
    if state is None or plan is None or not plan.is_sealed or _is_done(survey, state):
        raise NotPossible(f'No copy was made: "{survey}" has no opening key that is still needed.')
    if not settings.RECOVERY_KEY:
        raise NotPossible(
            "No copy was made: no recovery key is set. Set DENIABLE_RECOVERY_KEY first."
        )
    if state.recovery:
        raise NotPossible(f'No copy was made: the opening key of "{survey}" has a copy already.')
    try:
        private = opening_keys.read(survey.pk, plan.public_key)
    except opening_keys.OpeningKeyLost:
        raise NotPossible(
            f'No copy was made: the opening key of "{survey}" is not in {opening_keys.directory()}.'
        ) from None
    copy = sealing.seal(settings.RECOVERY_KEY, recovery_label(state.pk), private)
    Openings.objects.filter(pk=state.pk).update(recovery=copy)
    record("copied an opening key", by=None, survey=survey)


def _is_done(survey: Survey, state: Openings) -> bool:
    """Whether the survey is closed and all its answers are opened."""
    return survey.state == Survey.State.CLOSED and not state.is_running


@transaction.atomic
def give_up(survey: Survey) -> int:
    """Write off what is sealed for a lost opening key; an open survey is closed as well.

    Returns how many answers are lost. Raises NotPossible while the key is there.
    """
    survey = lock_survey(survey)
    state = Openings.objects.select_for_update().filter(revision__survey=survey).first()
    plan = questionnaire_of_id(state.pk).opening if state else None
    if state is None or plan is None or opening_keys.is_whole(survey.pk, plan.public_key):
        raise NotPossible(f'Nothing was given up: the sealed answers to "{survey}" can be opened.')
    lost = Sealed.objects.filter(revision=state.pk, kind=Sealed.Kind.ROW).count()
    if survey.state == Survey.State.OPEN:
        stop_unread(survey)
    else:
        Sealed.objects.filter(revision=state.pk).delete()
        Openings.objects.filter(pk=state.pk).update(
            # The opening that runs ends here: nothing is left that it could open.
            done=F("round") - 1,
            done_on=F("since"),
            left=0,
            keep=0,
        )
        Survey.objects.filter(pk=survey.pk).update(lost_answers=F("lost_answers") + lost)
        orders.leave(Openings.objects.filter(pk=state.pk))
    record("gave up sealed answers", by=None, survey=survey, after={"lost": lost})
    return lost


def destroy_early(survey: Survey, backup: Path) -> None:
    """Destroy both copies of an opening key once a backup holds all that the key has opened.

    Raises NotPossible, dumps.Unusable, OSError; then the key stays, or its file alone, as it says.
    """
    state = Openings.objects.filter(revision__survey=survey).first()
    plan = questionnaire_of_id(state.pk).opening if state else None
    if state is None or plan is None or not plan.is_sealed or not _is_done(survey, state):
        raise NotPossible(
            f'Nothing was destroyed: the opening key of "{survey}" is still needed. The key is '
            "destroyed once the survey is closed and all its answers are opened."
        )
    with verified(backup) as rows:
        _require_opened(state, rows)
    with transaction.atomic():
        orders.leave(Openings.objects.filter(pk=state.pk))
        record("destroyed an opening key", by=None, survey=survey)
    # The order is committed: it stays, also if the file cannot be reached now.
    problems = orders.carry_out()
    if SpentOpeningKey.objects.filter(pk=state.pk, is_gone=False).exists():
        path = opening_keys.path_of(survey.pk)
        why = " ".join(problems) or f"{opening_keys.directory()} cannot be reached."
        raise NotPossible(
            f"The database's copy of the key is destroyed. The key's file {path} still exists, if "
            "its directory exists. The next run of manage.py opening that can reach the file "
            f"overwrites it. Why this run could not: {why}"
        )


def _require_opened(state: Openings, rows: Rows) -> None:
    """Raises NotPossible unless a backup has every row and text, and nothing left to open."""
    ours = state.pk.hex
    missing = 0
    for model in (Response, Comment, SealedText, Ballot):
        stored = {
            key.hex for key in model.objects.filter(revision=ours).values_list("pk", flat=True)
        }
        missing += len(stored - set(_keys_in(rows, model._meta.db_table, ours)))
    sealed = sum(1 for _ in _keys_in(rows, Sealed._meta.db_table, ours))
    counters = rows(Openings._meta.db_table, ("revision_id", "round", "done"))
    done = next((int(n) == int(last) + 1 for key, n, last in counters if _hex(key) == ours), False)
    if missing or sealed or not done:
        raise NotPossible(
            "Nothing was destroyed: this backup was made before all answers were opened, or "
            "lacks some of them. Make a new backup with manage.py backup"
        )


def _keys_in(rows: Rows, table: str, revision: str) -> Iterator[str]:
    """The keys of a revision's rows in a table of a backup."""
    for key, owner in rows(table, ("id", "revision_id")):
        if _hex(owner) == revision:
            yield _hex(key)


def _hex(key: str) -> str:
    """A key as both databases write it: PostgreSQL with hyphens, SQLite without."""
    return key.replace("-", "")


def destroy_old(today: date) -> list[str]:
    """Destroy both copies of the opening keys of surveys that closed a week ago.

    What could not be done is returned in words; the next run tries again.
    """
    closed = Openings.objects.filter(
        revision__spent_opening_key=None,
        revision__survey__state=Survey.State.CLOSED,
        revision__survey__closed_on__lte=today - KEPT_FOR,
    )
    # While an opening runs, its round is two ahead of those that are done.
    is_opened = Q(round=F("done") + 1)
    is_erased = Q(revision__survey__erased_on__isnull=False)
    orders.leave(closed.filter(is_opened | is_erased))
    return orders.carry_out()


def unsealed(survey: Survey, copy: bytes | memoryview, label: bytes, recovery_key: Path) -> bytes:
    """The private key in the database's copy. Raises NotPossible."""
    try:
        key = bytes.fromhex(recovery_key.read_text().strip())
        return sealing.unseal(key, label, bytes(copy))
    except (OSError, ValueError) as problem:
        raise NotPossible(
            f"Nothing was recovered: {recovery_key} does not open the copy of the key of "
            f'"{survey}". The file is not the recovery key that was set when the survey was '
            "launched, or cannot be read."
        ) from problem
