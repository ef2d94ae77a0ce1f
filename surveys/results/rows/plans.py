"""PlanStanding: is what a survey found as sure as its plan asks for? KeptLook: its planned look."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext, ngettext

from surveys.counts.looks import Look
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.plans.readings import Plan, enough, least_sure, looks_planned
from surveys.randomized_response.intervals import PlannedLooks
from surveys.randomized_response.planning import Reading as PlanReading
from surveys.results.disclosure import least_apart
from surveys.results.progress import SurveyProgress, opening_looks
from surveys.results.queries import response_count
from surveys.results.questions import Report, all_reports
from surveys.results.reading import FIXED, Reading, method_of, with_interval
from surveys.results.shares import ShareReport, ShareRow
from surveys.wording.language.numbers import count_words, day_words
from surveys.wording.readings import (
    at_last_opening_words,
    error_words,
    level_words,
    wanted_words,
)

if TYPE_CHECKING:
    from surveys.models import Revision


@dataclass(frozen=True)
class Widest:
    """The share with the widest interval, and half the width of that as computed."""

    half_width: float
    number: int


def widest(reports: Iterable[Report]) -> Widest | None:
    """Among the shares in pictures, of all who were asked; None where none is estimated."""
    widths = [
        (row.interval.width / 2, -report.number)
        for report in reports
        if isinstance(report, ShareReport) and report.rows
        for row in _of_all(report)
    ]
    if not widths:
        return None
    half, number = max(widths)
    return Widest(half, -number)


def _of_all(report: ShareReport) -> tuple[ShareRow, ...]:
    """What the question's picture shows of all who were asked it.

    A share among some of them is a ratio of estimates. Its interval may be as wide as the scale
    while every share is sure, so that it would say nothing of the others: it has a row of its own.
    """
    among = (report.among_answered, *report.among_asked)
    return tuple(row for row in report.drawn_rows if row not in among)


@dataclass(frozen=True)
class PlanStanding:
    """How a plan stands: what so many responses are good for, and what those that came are.

    ``expected`` is half the width of the widest interval at the planned number, at most; ``needed``
    how many responses reach the wanted error for certain; both None where no share is planned for.
    ``has_come``: whether the planned number has come, or will not any more; then ``reached`` is
    half the widest width in the plan's reading, at the planned look or now, if the plan wants one
    and the look's counts may be shown. ``looks`` are all openings, for the reading at them.
    """

    plan: Plan
    responses: int
    is_open: bool
    has_come: bool
    expected: float | None
    needed: int | None
    reached: float | None
    looks: PlannedLooks | None = None

    @property
    def is_short(self) -> bool:
        """Whether all planned responses came and the wanted error was not reached."""
        return self.reached is not None and not self.plan.is_enough(self.reached)

    @property
    def missing(self) -> int:
        """How many responses more are enough for certain; 0 after the one look, which is over."""
        can_help = self.is_short and self.plan.reading is not PlanReading.ONCE
        return max(0, (self.needed or 0) - self.responses) if can_help else 0

    @property
    def words(self) -> str:
        """Whether the plan is reached, in the reading that it names."""
        if not self.has_come:
            return self._expected_words
        if self.responses < self.plan.responses and not self.is_open:
            return f"{self._not_reached} {self._reached_words}".strip()
        return self._reached_words or gettext("The planned number of responses is reached.")

    @property
    def _not_reached(self) -> str:
        return gettext("The {plan} planned responses were not reached.").format(
            plan=count_words(self.plan.responses)
        )

    @property
    def _expected_words(self) -> str:
        if self.expected is None:
            return ""
        words = gettext(
            "Planned: {plan} responses, at most ± {points} ({level}; looks at the results: "
            "{reading})."
        ).format(
            plan=count_words(self.plan.responses),
            reading=self._reading,
            points=error_words(self.expected),
            level=level_words(self.plan.failure),
        )
        wanted = wanted_words(self.plan, self.expected, self.needed)
        return " ".join(filter(None, [words, at_last_opening_words(self.looks), wanted]))

    @property
    def _reached_words(self) -> str:
        if self.plan.error is None or self.reached is None:
            return ""
        words = (
            gettext(
                "The wanted error is not reached. The error is ± {points}, and the plan asks "
                "for at most ± {wanted} (looks at the results: {reading})."
            )
            if self.is_short
            else gettext(
                "The plan is reached. The error is ± {points}, and the plan asks for at most ± "
                "{wanted} (looks at the results: {reading})."
            )
        )
        return words.format(
            points=error_words(self.reached),
            reading=self._reading,
            wanted=error_words(self.plan.error),
        )

    @property
    def _reading(self) -> str:
        return str(Survey.Reading(self.plan.reading.value).label)


def standing(
    survey: Survey, revision: "Revision", progress: SurveyProgress, look: Look | None
) -> PlanStanding | None:
    """How the plan of a launched survey stands; None where it has none."""
    plan, responses = Plan.of(survey), response_count(revision)
    if plan is None:
        return None
    is_open = survey.state == Survey.State.OPEN or progress.is_opening
    kept = look if plan.reading is PlanReading.ONCE else None
    has_come = kept is not None or responses >= plan.responses or not is_open
    widest_share = None
    hides = kept is not None and _tells_few(revision, kept)
    if has_come and responses and plan.error is not None and not hides:
        looks = opening_looks(revision)
        reading = Reading(method_of(plan.reading, looks), 1 - plan.failure, looks=looks)
        widest_share = widest(_told(revision, reading, kept))
    questionnaire = questionnaire_of(revision)
    sure = least_sure(questionnaire, plan)
    return PlanStanding(
        plan=plan,
        responses=kept.responses if kept else responses,
        is_open=is_open,
        has_come=has_come,
        expected=sure and sure[1],
        needed=enough(questionnaire, plan),
        reached=widest_share.half_width if widest_share else None,
        looks=looks_planned(questionnaire, plan),
    )


def _told(revision: "Revision", reading: Reading, look: Look | None) -> list[Report]:
    """The reports of now or of a look, but those of too few people."""
    reports = all_reports(revision, reading, look)
    return [report for report, route in reports if not route.hides_estimates]


@dataclass(frozen=True)
class KeptLook:
    """The planned look as it was: when, of how many responses, how sure, and each question."""

    title: str
    reach: str
    lines: tuple[tuple[int, str, str], ...]
    why_not: str = ""


def kept_look(revision: "Revision", look: Look, level: float) -> KeptLook:
    """What one look at the counts of then says, at a level; of too few people nothing.

    Nothing either while too few came since: ``why_not`` says so.
    """
    if _tells_few(revision, look):
        return KeptLook(_when(look), "", (), _why_not(revision))
    reports = _told(revision, Reading(FIXED, level), look)
    reached = widest(reports)
    lines = tuple(
        (report.number, str(report.item.text), words)
        for report in reports
        if (words := _said(report))
    )
    return KeptLook(_when(look), error_words(reached.half_width) if reached else "", lines)


def _tells_few(revision: "Revision", look: Look) -> bool:
    """Whether the look beside the counts of now is what a few people answered: the difference.

    What comes to light last may be fewer than a batch, at the close of a live survey even one.
    """
    return 0 < response_count(revision) - look.responses < least_apart(questionnaire_of(revision))


def _why_not(revision: "Revision") -> str:
    return gettext(
        "The results of the planned look are not shown: fewer than {least} responses have arrived "
        "since the look. The difference between the results then and now would reveal these "
        "responses."
    ).format(least=count_words(least_apart(questionnaire_of(revision))))


def _said(report: Report) -> str:
    """What a question's page says in words."""
    if isinstance(report, ShareReport):
        shares = (
            f"{row.label} {with_interval(row.estimate_words, row.low_words, row.high_words)}"
            for row in report.drawn_rows
        )
        return "; ".join(shares)
    return str(getattr(report, "lead", ""))


def _when(look: Look) -> str:
    n = count_words(look.responses)
    if look.is_at_close:
        return ngettext(
            "At the close, with {n} of {planned} planned responses",
            "At the close, with {n} of {planned} planned responses",
            look.responses,
        ).format(n=n, planned=count_words(look.planned))
    if look.as_of is None:
        return ngettext(
            "First batch with at least the {planned} planned responses: {n} response",
            "First batch with at least the {planned} planned responses: {n} responses",
            look.responses,
        ).format(n=n, planned=count_words(look.planned))
    return ngettext(
        "First opening with at least the {planned} planned responses, on {day}: {n} response",
        "First opening with at least the {planned} planned responses, on {day}: {n} responses",
        look.responses,
    ).format(n=n, planned=count_words(look.planned), day=day_words(look.as_of))
