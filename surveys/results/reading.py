"""Reading: which interval, level and words staff want; numbers and percentages in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from surveys.randomized_response.errors import StatisticsError

INTERVAL_NAMES = {
    "confidence-sequence": "Confidence sequence (look as often as you like)",
    "clopper-pearson": "Clopper-Pearson (exact)",
    "wilson": "Wilson",
    "score": "Score (calibrated)",
    "wald": "Wald (normal)",
    "chebyshev": "Chebyshev",
}

LIVE = "confidence-sequence"
FIXED = "clopper-pearson"
# Where several groups are randomized, the exact method is a box that says next to nothing.
FIXED_FOR_SEVERAL = "score"


def default_method(*, is_open: bool) -> str:
    """While answers come in people look again and again; once closed, n is fixed."""
    return LIVE if is_open else FIXED


def is_planned_look(planned: int | None, responses: int) -> bool:
    """Whether as many answers have come as were planned for: n was fixed beforehand."""
    return planned is not None and responses >= planned


@dataclass(frozen=True)
class Reading:
    """How a member of staff wants to read the estimates."""

    method: str = FIXED
    level: float = 0.95
    false_reports: int | None = None

    @classmethod
    def chosen(cls, answers: Mapping[str, Any]) -> Self:
        """What a form without errors asks for; its level is in percent."""
        level = int(answers["level"]) / 100
        return cls(answers["method"], level, answers.get("false_reports"))

    @cached_property
    def method_name(self) -> str:
        return INTERVAL_NAMES[self.method]

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


def percent(value: float | None, digits: int = 1) -> str:
    """A share in words: ``12.3 %``; a dash where there is none."""
    if value is None:
        return "–"
    text = f"{100 * value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return f"{text.replace('-', '−')} %"


def number_words(value: float | None, places: int = 2) -> str:
    """A number without needless zeros; a dash where there is none."""
    if value is None:
        return "–"
    text = f"{value:,.{places}f}"
    return (text.rstrip("0").rstrip(".") if places else text).replace("-", "−")


def refusal_words(problem: StatisticsError) -> str:
    """Why statistics refuses, without names and values of the programming interface.

    Columns of a model keep their names: they are words that the page shows.
    """
    column = problem.argument.startswith("column ")
    return f"{problem.argument}: {problem.remedy}" if column else problem.remedy
