"""``doctor``: do openings begin, are their keys there, and could a lost one be recovered?"""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from surveys.collecting import held_openings
from surveys.collecting.keys import opening_keys
from surveys.collecting.openings import is_due
from surveys.models import Openings, Sealed, SpentOpeningKey, Survey
from surveys.models.queries import questionnaire_of_id
from surveys.operations.checks.findings import Finding, fine, problem, warning

PATIENCE = timedelta(hours=1)  # the timer comes every minute; a large opening takes some
SOON = timedelta(minutes=2)  # a run of the timer that had begun, and the next


def openable() -> Iterator[Finding]:
    """Whether every sealed answer can be opened when its day comes."""
    states = [state for state in _not_opened() if questionnaire_of_id(state.pk).is_sealed]
    lost = [state.revision.survey for state in states if not _is_kept(state)]
    for survey in lost:
        yield problem(
            "openings",
            f'the opening key of "{survey}" is not in {opening_keys.directory()}',
            "Put the key back into this directory, or recover it with manage.py opening "
            f"--recover {survey.pk} --key FILE",
        )
    if states and not lost:
        yield fine(
            "openings", f"sealed surveys checked: {len(states)}; all opening keys are in place"
        )
    if not settings.RECOVERY_KEY:
        yield warning(
            "openings",
            "no recovery key is set: if an opening key is lost, all sealed answers of its survey "
            "are lost",
            "Make a recovery key with manage.py opening --new-recovery-key FILE, and set "
            "DENIABLE_RECOVERY_KEY.",
        )
    for state in states:
        if not state.recovery:
            yield _uncopied(state.revision.survey)


def _uncopied(survey: Survey) -> Finding:
    """Launched before there was a recovery key, the key's only copy is its file."""
    return warning(
        "openings",
        f'the opening key of "{survey}" has no copy, because no recovery key was set when the '
        "survey was launched. If the key's file is lost, all sealed answers of the survey are "
        "lost",
        f"Set DENIABLE_RECOVERY_KEY, then run manage.py opening --copy-key {survey.pk}",
    )


def prompt() -> Iterator[Finding]:
    """Whether openings begin at the hours that were announced."""
    long_ago = timezone.now() - PATIENCE
    surveys = Survey.objects.filter(state=Survey.State.OPEN).order_by("pk")
    if late := [f'"{survey}"' for survey in surveys if is_due(survey, long_ago)]:
        yield problem(
            "openings",
            f"openings are overdue by more than an hour: {', '.join(late)}",
            "Run manage.py opening, and start its timer: systemctl enable --now "
            "deniable-opening.timer",
        )


def destroyed() -> Iterator[Finding]:
    """Whether the keys that were given up are overwritten: a minute is what it takes."""
    waiting = SpentOpeningKey.objects.filter(is_gone=False).order_by("since")
    for order in waiting.select_related("revision__survey").defer("revision__document"):
        named = problem if order.since < timezone.now() - SOON else warning
        yield named(
            "openings",
            f'the opening key of "{order.revision.survey}" was to be destroyed at '
            f"{order.since:%Y-%m-%d %H:%M} UTC, but its file in {opening_keys.directory()} is not "
            "overwritten yet",
            "Run manage.py opening as the account that owns this directory, and start its timer: "
            "systemctl enable --now deniable-opening.timer",
        )


def on_hold() -> Iterator[Finding]:
    """Whether openings wait because the database fell back and they may have been drawn before."""
    for state in held_openings.list_held():
        survey = state.revision.survey
        yield problem(
            "openings",
            f'openings of "{survey}" are held: the database was put back to its state of '
            f"{state.fell_back_to:%Y-%m-%d %H:%M} UTC, and an opening may have been drawn after "
            "that state",
            "Find out whether an opening was drawn after that state, then run manage.py opening "
            f"--confirm-draw {survey.pk}, which explains the choice",
        )


def _not_opened() -> Iterator[Openings]:
    sealed = Exists(Sealed.objects.filter(revision=OuterRef("pk")))
    waits = Q(revision__survey__state=Survey.State.OPEN) | sealed
    openings = Openings.objects.filter(waits, revision__survey__erased_on=None)
    return openings.select_related("revision__survey").defer("revision__document").iterator()


def _is_kept(state: Openings) -> bool:
    plan = questionnaire_of_id(state.pk).opening
    return plan is None or opening_keys.is_whole(state.revision.survey_id, plan.public_key)
