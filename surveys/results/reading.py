"""Reading: which interval, level and words staff want; intervals and refusals in words."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from django.utils.translation import gettext, gettext_lazy

from surveys.questionnaire.plans.readings import Plan
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.intervals import ConfidenceSequence, Method, PlannedLooks
from surveys.randomized_response.planning import Reading as PlanReading
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import percent

INTERVAL_NAMES = {
    "confidence-sequence": gettext_lazy("Confidence sequence (look as often as you like)"),
    "openings": gettext_lazy("Group-sequential (look at every opening)"),
    "clopper-pearson": gettext_lazy("Exact (Clopper-Pearson) where possible, otherwise score"),
    "wilson": "Wilson",
    "score": gettext_lazy("Score (calibrated)"),
    "wald": gettext_lazy("Wald (normal)"),
    "chebyshev": gettext_lazy("Chebyshev"),
}

LIVE = "confidence-sequence"
AT_OPENINGS = "openings"
FIXED = "clopper-pearson"


def methods_for(looks: PlannedLooks | None) -> list[tuple[str, Any]]:
    """The intervals that a survey offers, as choices; ``looks`` are its openings, if planned."""
    return [(name, words) for name, words in INTERVAL_NAMES.items() if looks or name != AT_OPENINGS]


def method_of(reading: PlanReading, looks: PlannedLooks | None) -> str:
    """The name of a plan's reading, as forms and files have it.

    Where no openings were planned at the launch, what is read at openings is read all the time.
    """
    if reading is PlanReading.ONCE:
        return FIXED
    return AT_OPENINGS if reading is PlanReading.AT_OPENINGS and looks else LIVE


def default_method(
    plan: Plan | None,
    responses: int,
    look: int | None,
    looks: PlannedLooks | None,
    *,
    is_open: bool,
) -> str:
    """How every page reads so many responses unless its reader chooses: one rule for all pages.

    ``is_open``: whether answers may still come, or be opened. ``look`` is the size of the planned
    look, None while none was kept; ``looks`` are the openings. A plan that is read at more looks
    than one keeps its reading after the close. One for one look is read so at that look alone:
    earlier and later numbers hold at all looks together. Where no look was kept, the close is the
    one.
    """
    if plan is not None and plan.reading is not PlanReading.ONCE:
        return method_of(plan.reading, looks)
    if look is not None:
        return FIXED if look == responses else LIVE
    return LIVE if is_open else FIXED


@dataclass(frozen=True)
class Reading:
    """How a member of staff wants to read the estimates; its names are in the page's language.

    ``stated`` is the level that was asked for. ``planned``: how many answers were planned at launch
    of what is read, for which intervals that hold at all looks are narrowest. ``looks``: the
    openings so far, for those that hold at all of them.
    """

    method: str = FIXED
    stated: float = 0.95
    false_reports: int | None = None
    planned: int | None = None
    looks: PlannedLooks | None = None

    @classmethod
    def chosen(cls, answers: Mapping[str, Any], looks: PlannedLooks | None = None) -> Self:
        """What a form without errors asks for; its level is in percent."""
        level = int(answers["level"]) / 100
        return cls(answers["method"], level, answers.get("false_reports"), looks=looks)

    @cached_property
    def level(self) -> float:
        """At which every interval is worked out: at an opening, so that all openings hold together.

        The level of an opening is by the number of responses of the whole survey: that of groups
        and questions, which grows with it, would differ by the dependence of looks alone.
        """
        return self.looks.level(self.stated) if self.looks and self.is_at_openings else self.stated

    @property
    def way(self) -> Method | None:
        """The method for estimates.

        None is their own for one look: exact where one count decides, else score, as the exact box
        of several intervals says next to nothing.
        """
        if self.is_live:
            return ConfidenceSequence(self.planned)
        return None if self.method in (FIXED, AT_OPENINGS) else self.method

    def planned_for(self, planned: int | None) -> "Reading":
        """The same of what so many answers were planned of."""
        return replace(self, planned=planned)

    @cached_property
    def method_name(self) -> str:
        return str(INTERVAL_NAMES[self.method])

    @cached_property
    def is_live(self) -> bool:
        """Whether the intervals may be looked at as often as one likes."""
        return self.method == LIVE

    @cached_property
    def is_at_openings(self) -> bool:
        """Whether the intervals hold at all openings together."""
        return self.method == AT_OPENINGS

    @cached_property
    def level_name(self) -> str:
        return percent(self.stated, 0)

    @cached_property
    def tilting_name(self) -> str:
        """How means of numbers and of ranks are read where they have no sequence."""
        at_each, once = gettext("tilting, at each opening"), gettext("tilting, for one look")
        return at_each if self.is_at_openings else once

    @cached_property
    def look_level_name(self) -> str:
        """The level of this opening alone."""
        return percent(self.level, 2)

    def false_reports_among(self, n: int) -> int:
        """The number that was asked for, or one in a hundred; never more than there are."""
        chosen = max(1, round(n / 100)) if self.false_reports is None else self.false_reports
        return min(chosen, n)


def interval_words(low: str, high: str) -> str:
    """The two ends of an interval, each in words."""
    return gettext("{low} to {high}").format(low=low, high=high)


def with_interval(value: str, low: str, high: str) -> str:
    """A value with its interval in brackets, each in words."""
    return f"{value} ({interval_words(low, high)})"


def refusal_words(problem: StatisticsError) -> str:
    """Why statistics refuses, without names and values of the programming interface.

    Columns of a model keep their names: they are words that the page shows.
    """
    column = problem.argument.startswith("column ")
    remedy = translated(problem.remedy)
    return f"{problem.argument}: {remedy}" if column else remedy
