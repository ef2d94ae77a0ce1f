"""Reading: which interval, level and words staff want; intervals and refusals in words."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any, Self

from django.utils.translation import gettext, gettext_lazy

from surveys.questionnaire.plans.readings import Plan
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.intervals import ConfidenceSequence, Method
from surveys.randomized_response.planning import Reading as PlanReading
from surveys.wording.language.numbers import percent
from surveys.wording.statistics import said

INTERVAL_NAMES = {
    "confidence-sequence": gettext_lazy("Confidence sequence (look as often as you like)"),
    "clopper-pearson": gettext_lazy("Exact (Clopper-Pearson), else score"),
    "wilson": "Wilson",
    "score": gettext_lazy("Score (calibrated)"),
    "wald": gettext_lazy("Wald (normal)"),
    "chebyshev": gettext_lazy("Chebyshev"),
}

LIVE = "confidence-sequence"
FIXED = "clopper-pearson"


def method_of(reading: PlanReading) -> str:
    """The name of a plan's reading, as forms and files have it."""
    return FIXED if reading is PlanReading.ONCE else LIVE


def default_method(plan: Plan | None, responses: int, look: int | None, *, is_open: bool) -> str:
    """How every page reads so many responses unless its reader chooses: one rule for all pages.

    ``is_open``: whether answers may still come, or be opened. ``look`` is the size of the planned
    look, None while none was kept. A plan that is read at more looks than one keeps its reading
    after the close. One for one look is read so at that look alone: earlier and later numbers hold
    at all looks together. Where no look was kept, the close is the one.
    """
    if plan is not None and plan.reading is not PlanReading.ONCE:
        return method_of(plan.reading)
    if look is not None:
        return FIXED if look == responses else LIVE
    return LIVE if is_open else FIXED


@dataclass(frozen=True)
class Reading:
    """How a member of staff wants to read the estimates; its names are in the page's language.

    ``planned``: how many answers were planned at launch of what is read, for which intervals that
    hold at all looks are narrowest.
    """

    method: str = FIXED
    level: float = 0.95
    false_reports: int | None = None
    planned: int | None = None

    @classmethod
    def chosen(cls, answers: Mapping[str, Any]) -> Self:
        """What a form without errors asks for; its level is in percent."""
        level = int(answers["level"]) / 100
        return cls(answers["method"], level, answers.get("false_reports"))

    @property
    def way(self) -> Method | None:
        """The method for estimates.

        None is their own for one look: exact where one count decides, else score, as the exact box
        of several intervals says next to nothing.
        """
        if self.is_live:
            return ConfidenceSequence(self.planned)
        return None if self.method == FIXED else self.method

    def planned_for(self, planned: int | None) -> "Reading":
        """The same of what so many answers were planned of."""
        return replace(self, planned=planned)

    def planned_for_part(self, part: Fraction) -> "Reading":
        """The same of what a part of those who were asked answer."""
        return self.planned_for(self.planned and max(1, floor(self.planned * part)))

    @cached_property
    def method_name(self) -> str:
        return str(INTERVAL_NAMES[self.method])

    @cached_property
    def is_live(self) -> bool:
        """Whether the intervals may be looked at as often as one likes."""
        return self.method == LIVE

    @cached_property
    def level_name(self) -> str:
        return percent(self.level, 0)

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
    remedy = said(problem.remedy)
    return f"{problem.argument}: {remedy}" if column else remedy
