"""RoundedQuestion: a number that the browser rounds by chance and sends through a channel."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from surveys.questionnaire.kinds.levels import Level, ThroughChannel, level_fields, weights_of
from surveys.questionnaire.kinds.number import NumberRange
from surveys.questionnaire.messages import message
from surveys.randomized_response.messages import Message


@dataclass(frozen=True, kw_only=True)
class RoundedQuestion(ThroughChannel):
    """True answers are the numbers of a grid; ``levels`` are the few points that are reported."""

    number: NumberRange

    @cached_property
    def grid(self) -> tuple[Decimal, ...]:
        """Every number that can be typed, ascending."""
        return grid_of(self.number)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.number.encode(value) for value in self.grid)

    @property
    def shown_reports(self) -> tuple[Level, ...]:
        return self.shown_levels

    @cached_property
    def truth(self) -> Fraction:
        """How often the rounded point is kept: the least number is never rounded."""
        kept, other = self.weights[0][0], self.weights[0][-1]
        return Fraction(kept - other, self.denominator)

    @cached_property
    def scores(self) -> tuple[Fraction, ...]:
        """For each report the number whose mean is unbiased for that of the true answers."""
        low, high = (Fraction(Decimal(bound)) for bound in self.number.bounds)
        last = len(self.levels) - 1
        middle = (1 - self.truth) / 2
        return tuple(
            low + (high - low) * (Fraction(rung, last) - middle) / self.truth
            for rung in range(last + 1)
        )

    def to_document(self) -> dict[str, Any]:
        return {**super().to_document(), "number": asdict(self.number)}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        number = NumberRange(**entry["number"])
        return cls(**level_fields(entry), weights=weights_of(entry, "weights"), number=number)


def grid_of(number: NumberRange) -> tuple[Decimal, ...]:
    """The numbers of a range, ascending."""
    low, high = map(Decimal, number.bounds)
    step = Decimal(1).scaleb(-number.decimal_places)
    return tuple(low + step * place for place in range(int((high - low) / step) + 1))


def rung_texts(number: NumberRange, rungs: int) -> tuple[Message, ...]:
    """What each reported point says: the numbers near it, in words."""
    low, high = (Fraction(Decimal(bound)) for bound in number.bounds)
    points = [low + (high - low) * Fraction(rung, rungs - 1) for rung in range(rungs)]
    return tuple(message("around {number}", number=_plain(point)) for point in points)


def _plain(point: Fraction) -> str:
    """A decimal without zeros at its end, with at most five places."""
    return f"{Decimal(round(point * 10**5)).scaleb(-5).normalize():f}"
