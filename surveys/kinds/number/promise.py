"""NumberQuestion and RoundedQuestion: a number as it is typed, or rounded by chance."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from surveys.kinds.levels.promise import Level, ThroughChannel, level_fields, weights_of
from surveys.questionnaire.kinds.question import (
    DECLINED_LABEL,
    NOT_ASKED_LABEL,
    InRules,
    Question,
    common_document,
    common_fields,
    plain_bytes,
    refusal_of,
    was_asked,
)
from surveys.questionnaire.logic.rules import Given
from surveys.questionnaire.messages import counted, message
from surveys.questionnaire.numerals import ANY_DIGIT, ascii_number
from surveys.questionnaire.refusals import BadNumber
from surveys.randomized_response.messages import Message


@dataclass(frozen=True)
class NumberRange:
    """A bounded decimal number, sent with leading zeros so that every value is equally wide."""

    minimum: str
    maximum: str
    decimal_places: int

    @cached_property
    def width(self) -> int:
        return max(len(f"{Decimal(bound):.{self.decimal_places}f}") for bound in self.bounds)

    @property
    def bounds(self) -> tuple[str, str]:
        return self.minimum, self.maximum

    @cached_property
    def decimals(self) -> tuple[Decimal, Decimal]:
        """The bounds as numbers."""
        return Decimal(self.minimum), Decimal(self.maximum)

    @property
    def has_no_sign(self) -> bool:
        return Decimal(self.minimum) >= 0

    @cached_property
    def declined(self) -> str:
        return "-" * self.width

    @cached_property
    def pattern(self) -> str:
        """A regular expression of the canonical form, without the bounds."""
        fraction = rf"\.[0-9]{{{self.decimal_places}}}" if self.decimal_places else ""
        digits = self.width - (self.decimal_places + 1 if self.decimal_places else 0)
        signed = rf"|-[0-9]{{{digits - 1}}}" if Decimal(self.minimum) < 0 and digits > 1 else ""
        return rf"(?:[0-9]{{{digits}}}{signed}){fraction}"

    def encode(self, value: Decimal) -> str:
        """The canonical code of a value on the grid."""
        return f"{value + 0:0{self.width}.{self.decimal_places}f}"  # + 0: minus zero is zero

    def accepts(self, code: str) -> bool:
        """Whether a code is canonical and inside the bounds."""
        if not re.fullmatch(self.pattern, code):
            return False
        value, (low, high) = Decimal(code), self.decimals
        return low <= value <= high and self.encode(value) == code

    @cached_property
    def typed_pattern(self) -> str:
        """A regular expression of a number as people write it, without the bounds.

        Where no number is below zero it may stand before or behind the dashes of the empty field.
        """
        dashes = f"(?:{self.declined})?" if self.has_no_sign else ""
        sign = "" if self.has_no_sign else "(?:-|\u2212)?"
        places = self.decimal_places
        fraction = rf"(?:[.,\u066b]{ANY_DIGIT}{{1,{places}}})?" if places else ""
        return f" *{dashes}{sign}{ANY_DIGIT}+{fraction}{dashes} *"

    def code_of(self, typed: str) -> str:
        """The code of a number as people write it: 7.5, 7,5, ٧٫٥ or 07.50. Raises BadNumber."""
        text = ascii_number(typed)
        if re.fullmatch(self.typed_pattern, text):
            code = self.encode(Decimal(text.strip(" -") if self.has_no_sign else text))
            if self.accepts(code):
                return code
        raise BadNumber(
            message(
                "Write a number from {low} to {high}. {fineness}.",
                low=self.minimum,
                high=self.maximum,
                fineness=self.fineness,
            )
        )

    @property
    def fineness(self) -> Message:
        """How many decimal places a number may have, in words."""
        if not self.decimal_places:
            return message("Whole numbers only")
        return counted(
            "At most {count} digit after the decimal point",
            "At most {count} digits after the decimal point",
            self.decimal_places,
        )


@dataclass(frozen=True, kw_only=True)
class NumberQuestion(Question):
    """A number, asked directly on both paths."""

    number: NumberRange

    @cached_property
    def width(self) -> int:
        return self.number.width

    @cached_property
    def not_asked(self) -> str:
        """Dots: dashes say that a number was declined."""
        return "." * self.width

    @cached_property
    def in_rules(self) -> "NumberInRules":
        return NumberInRules(self)

    @property
    def decimals(self) -> tuple[Decimal, Decimal]:
        """The bounds as numbers."""
        return self.number.decimals

    def leaves_out(self, values: Sequence[str], *, own_coin: bool) -> list[bool]:
        """A form that is sent without the script may leave the field empty."""
        return [value == self.not_asked or (own_coin and not value) for value in values]

    def read(self, values: Sequence[str], *, own_coin: bool) -> str:
        """The script sends a number in its one form; a person's own hand is read as it is meant."""
        (value,) = values
        code = self._typed(value) if own_coin else value
        is_declined = not self.required and code == self.number.declined
        if not is_declined and not self.number.accepts(code):
            raise refusal_of(code)
        return code

    def _typed(self, value: str) -> str:
        """The code of what was typed into a form; dashes decline, however many."""
        text = plain_bytes(value).decode(errors="replace")
        if not self.required and re.fullmatch(" *-+ *", text):
            return self.number.declined
        return self.number.code_of(text)

    def is_declined(self, code: str) -> bool:
        """Whether a code is no number: the respondent would rather not answer, or was not asked."""
        return code in (self.number.declined, self.not_asked)

    def label(self, code: str) -> str:
        if not was_asked(self, code):
            return NOT_ASKED_LABEL
        return DECLINED_LABEL if self.is_declined(code) else str(Decimal(code))

    def to_document(self) -> dict[str, Any]:
        return {**common_document(self), "number": asdict(self.number)}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(**common_fields(entry), number=NumberRange(**entry["number"]))


@dataclass(frozen=True, eq=False)
class NumberInRules(InRules[NumberQuestion]):
    """Rules compare the number, in units of its last decimal place."""

    @property
    def is_quotable(self) -> bool:
        return True

    @property
    def readable(self) -> frozenset[str]:
        return frozenset({"less", "most", "answered"})

    def given(self, code: str) -> Given | None:
        is_declined = self.question.is_declined(code)
        return None if is_declined else Given(number=int(code.replace(".", "")))

    def told_apart(self, limits: Collection[int]) -> tuple[Given | None, ...]:
        """One number of each interval between the limits, and none if it may be declined."""
        encode = self.question.number.encode
        low, high = (int(encode(bound).replace(".", "")) for bound in self.question.decimals)
        ends = {low, high, *(limit + step for limit in limits for step in (-1, 0, 1))}
        answers = tuple(Given(number=end) for end in sorted(ends) if low <= end <= high)
        return answers if self.question.required else (*answers, None)


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
    return tuple(low + step * count for count in range(int((high - low) / step) + 1))


def rung_texts(number: NumberRange, rungs: int) -> tuple[Message, ...]:
    """What each reported point says: the numbers near it, in words."""
    low, high = (Fraction(Decimal(bound)) for bound in number.bounds)
    points = [low + (high - low) * Fraction(rung, rungs - 1) for rung in range(rungs)]
    return tuple(message("around {number}", number=_plain(point)) for point in points)


def _plain(point: Fraction) -> str:
    """A decimal without zeros at its end, with at most five places."""
    return f"{Decimal(round(point * 10**5)).scaleb(-5).normalize():f}"
