"""SurveyProgress: how far collecting has come, as staff may know it, without what waits."""

from dataclasses import dataclass
from datetime import date

from surveys.models import Openings, Revision, Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.intervals import PlannedLooks


@dataclass(frozen=True)
class SurveyProgress:
    """What a dashboard says before its results.

    ``at_least`` is the number of answers in steps of a batch as it was counted on ``counted_on``;
    ``as_of`` the day of the last opening and ``next_on`` that of the next one. ``own_coin`` is
    known from the close on. ``is_held``: the database fell back, and no opening goes on yet.
    """

    is_sealed: bool
    is_marked_live: bool
    at_least: int
    counted_on: date | None
    as_of: date | None
    next_on: date | None
    is_opening: bool
    own_coin: int | None
    withheld: int
    was_destroyed: bool
    is_held: bool


def progress_of(survey: Survey, revision: Revision) -> SurveyProgress:
    """The progress of a launched survey."""
    state = Openings.objects.filter(pk=revision.pk).defer("recovery", "voucher_recovery").first()
    plan = questionnaire_of(revision).opening
    is_open = survey.state == Survey.State.OPEN
    state = state or Openings(revision=revision, since=revision.launched_at.date())
    next_on = None
    if plan and plan.is_sealed and is_open and survey.close_on:
        next_on = plan.next_day(survey.close_on, state.since)
    is_done = not is_open and not state.is_running
    return SurveyProgress(
        is_sealed=plan is not None and plan.is_sealed,
        is_marked_live=plan is not None and not plan.is_sealed,
        at_least=state.at_least,
        counted_on=state.counted_on,
        as_of=state.done_on,
        next_on=next_on,
        is_opening=state.is_running,
        own_coin=state.own_coin if is_done else None,
        withheld=state.withheld if is_done else 0,
        was_destroyed=state.destroyed > 0,
        is_held=state.fell_back_to is not None,
    )


def opening_looks(revision: Revision) -> PlannedLooks | None:
    """The openings so far beside those planned at the launch.

    None before the first, and where the launch fixed none, or its days were not kept. None, too, if
    one came before the launch: by a wrong clock, or in weeks that a demonstration makes up.
    """
    plan = questionnaire_of(revision).opening
    if plan is None or not plan.looks:
        return None
    kept = Openings.objects.filter(pk=revision.pk).values_list("looks", flat=True).first()
    looks = [(date.fromisoformat(day), size) for day, size in kept or ()]
    if not looks:
        return None
    times, sizes = zip(*((plan.time_passed(day), size) for day, size in looks), strict=True)
    return PlannedLooks(times, sizes) if times[0] > 0 else None
