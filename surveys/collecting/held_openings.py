"""Openings that wait after the database fell back, because they may have been drawn before.

Where direct answers come to light as released tables alone, an opening draws random numbers once. A
database from before it would draw them again: a person who sees both learns their mean, which is
less blurred, and the ledger knows of one. So no opening of such a survey goes on until the operator
says that it may.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import F, Q

from surveys.collecting.openings import is_due
from surveys.models import Openings, Survey
from surveys.models.queries import questionnaire_of_id


def hold(as_of: datetime, now: datetime, drawn: Mapping[UUID, int]) -> list[Survey]:
    """Hold each survey whose opening is due or runs, and may have been drawn since ``as_of``.

    ``drawn`` has the revisions of which it is known how many openings were drawn: they are held
    for good. Returns the surveys that are held now.
    """
    running = Q(round__gt=F("done") + 1)
    openings = Openings.objects.filter(running | Q(revision__survey__state=Survey.State.OPEN))
    openings = openings.filter(revision__survey__erased_on=None).defer(
        "recovery", "voucher_recovery"
    )
    return [
        state.revision.survey
        for state in openings.select_related("revision__survey").order_by("pk")
        if _hold(state, as_of, now, drawn.get(state.pk))
    ]


def hold_one(revision_id: UUID, now: datetime) -> None:
    """The same for one survey whose keys show now that the database fell back.

    Of ``now`` the day alone is kept: it is the moment of an answer that noticed it.
    """
    day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    for state in Openings.objects.filter(pk=revision_id).select_related("revision__survey"):
        _hold(state, day, now, None)


def list_held() -> list[Openings]:
    """The openings that wait, in the order of their surveys' titles."""
    openings = Openings.objects.filter(fell_back_to__isnull=False)
    openings = openings.filter(revision__survey__erased_on=None).defer(
        "recovery", "voucher_recovery"
    )
    return list(openings.select_related("revision__survey").order_by("revision__survey__title"))


def _hold(state: Openings, as_of: datetime, now: datetime, drawn: int | None) -> bool:
    if not questionnaire_of_id(state.pk).row.hidden:
        return False
    may_draw = state.is_running or is_due(state.revision.survey, now)
    if not may_draw and drawn is None:
        return False  # what opens later was not drawn before
    # What is known of a draw stays known: another fallback, or a lost batch, knows less.
    known = {} if drawn is None else {"drawn_then": drawn}
    return bool(Openings.objects.filter(pk=state.pk).update(fell_back_to=as_of, **known))
