"""ScaleQuestion: a long scale; a report is a group of its answers, drawn by chance.

The channel is the best one for what the scale is asked for (its design says what). No report is an
answer: each speaks for a group of answers, and is sent more often if the truth is among them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from surveys.kinds.levels.promise import (
    Level,
    LevelQuestion,
    level_code,
    level_fields,
    weights_of,
)
from surveys.questionnaire.messages import message
from surveys.randomized_response.designs import Purpose
from surveys.randomized_response.drawing import Recipe
from surveys.randomized_response.messages import Message

# The designs of long scales, and what each is best for.
PURPOSES: dict[str, Purpose] = {
    "scale_histogram": Purpose.HISTOGRAM,
    "scale_cdf": Purpose.CDF,
    "scale_mean": Purpose.MEAN,
}
# Below, k-ary response is nearly as good. Above, the best channel takes many seconds to find.
FEWEST_ANSWERS, MOST_ANSWERS = 7, 11


@dataclass(frozen=True, kw_only=True)
class ScaleQuestion(LevelQuestion):
    """A scale of 7 to 11 answers, all of them ordered; ``weights`` have more rows than answers."""

    @property
    def purpose(self) -> Purpose:
        """What its channel is best for."""
        return PURPOSES[self.design]

    @cached_property
    def marked(self) -> tuple[tuple[int, ...], ...]:
        """The answers that each report speaks for, ascending; the last report speaks for none.

        A report has two weights, the larger one where the truth is among its answers; the last one
        only makes the weights sum to the denominator.
        """
        rows = list(zip(*self.weights, strict=True))
        groups = [tuple(x for x, weight in enumerate(row) if weight > min(row)) for row in rows]
        return (*groups[:-1], ())

    @cached_property
    def reported_levels(self) -> tuple[Level, ...]:
        return tuple(
            Level(level_code(position), self._words(group))
            for position, group in enumerate(self.marked)
        )

    def _words(self, group: tuple[int, ...]) -> Message:
        if not group:
            return message("{count} of {levels} options", count=0, levels=len(self.levels))
        return message(
            "{count} of {levels} options: {names}",
            count=len(group),
            levels=len(self.levels),
            names="; ".join(self.levels[level].text for level in group),
        )

    @property
    def choices(self) -> tuple[Level, ...]:
        """What a person chooses from, in the order shown: answers, which are never reports."""
        return self.shown_levels

    @cached_property
    def recipe(self) -> Recipe | None:
        """None: no coin or die gives dozens of reports their odds."""
        return None

    def chance_of(self, answer: int, truth: int) -> Fraction:
        """How often an answer is in the group that is sent when this one is true."""
        column = zip(self.marked, self.weights[truth], strict=True)
        return Fraction(
            sum(weight for group, weight in column if answer in group), self.denominator
        )

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(**level_fields(entry), weights=weights_of(entry, "weights"))
